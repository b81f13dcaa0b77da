/* ptx.h - PTX as LLVM instructions: statements, symbols, operations.
 *
 * The same code translates asm statements of a source (inline.c) and modules
 * (module.c). Statements are parsed one by one (text.c). A PTX register
 * becomes a local variable of the LLVM function, which LLVM's pass sroa turns
 * into values (registers.c, names.c). A table has a row for each operation
 * (operations.c).
 *
 * On failure, functions set ptx.wrong to the reason and return false or NULL.
 * The caller reports the reason as an error, and pycuda-jit then outputs no
 * code.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_PTX_H
#define PYCUDA_JIT_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct jit;

enum {
    PTX_MAX_MODIFIERS = 12,
    PTX_MAX_OPERANDS = 8,
    PTX_MAX_ELEMENTS = 8,
    /* bytes of one chunk of the memory for names */
    PTX_ARENA = 1 << 16
};

enum ptx_kind {
    /* A register or another name, to which `offset` is added. The names of
     * special registers begin with '%'; the name of a negated predicate begins
     * with '!'. */
    PTX_REGISTER,
    PTX_INTEGER,
    /* a float constant of `width` bits; `bits` is its bit pattern */
    PTX_FLOAT,
    /* written as [name + offset], or as [name, {name, name}] with the
     * coordinates of a texel */
    PTX_ADDRESS,
    PTX_VECTOR, /* written as {name, name} */
    /* An element of an array, written as name[register + offset] or
     * name[offset]; names[1] is the register, or "". */
    PTX_ELEMENT
};

struct ptx_operand {
    enum ptx_kind kind;
    const char *names[PTX_MAX_ELEMENTS];
    unsigned count; /* number of used elements of `names` */
    uint64_t bits;
    int64_t offset;
    unsigned width;
};

enum ptx_statement_kind {
    PTX_INSTRUCTION, /* an instruction, or a declaration of registers, .reg */
    PTX_LABEL,       /* `operation:` */
    PTX_OPEN,        /* a brace, which opens a scope */
    PTX_CLOSE,
    /* list of labels or a prototype with the name `operation`; `raw` is the
     * text after its directive */
    PTX_TARGETS,
    PTX_CALL,     /* call; its operands are the text `raw` */
    PTX_DIRECTIVE /* .local, .loc, ...; its operands are the text `raw` */
};

/* One PTX statement, such as `@!p add.cc.u32 a, b, c`. */
struct ptx_statement {
    enum ptx_statement_kind kind;
    /* name of the predicate register, such as p in `@!p`; "" if there is
     * none */
    const char *predicate;
    bool inverted;
    const char *operation;
    const char *modifiers[PTX_MAX_MODIFIERS];
    unsigned modifier_count;
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    unsigned operand_count;
    const char *raw;
};

/* Type suffix of a PTX instruction: .u32, .f64, .pred. */
struct ptx_type {
    char letter; /* b, u, s or f as in .u32; p: predicate */
    unsigned bits;
};

/* State space of a variable. */
enum ptx_space {
    PTX_SPACE_GENERIC,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_CONST,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM
};

enum ptx_symbol_kind {
    PTX_SYMBOL_REGISTER,
    PTX_SYMBOL_VECTOR, /* .reg .v4: `bytes` registers name.x, name.y, ... */
    PTX_SYMBOL_VARIABLE,
    PTX_SYMBOL_FUNCTION,
    PTX_SYMBOL_TARGETS /* list of labels, or a prototype of a function */
};

struct ptx_signature;

/* A name that a scope declares. */
struct ptx_symbol {
    const char *name;
    enum ptx_symbol_kind kind;
    struct ptx_type type;
    enum ptx_space space;
    /* size of a variable in bytes */
    uint64_t bytes;
    bool is_array;
    /* a texture or surface reference: a variable with the handle of an
     * object */
    bool is_reference;
    /* Register: pointer to its local variable, NULL before the first use.
     * Variable: its address, a pointer in address space 0. Function: the
     * function. */
    LLVMValueRef value;
    /* parameters and results of a function */
    struct ptx_signature *signature;
    /* list of labels, as text of the source */
    const char *raw;
    unsigned next; /* index + 1 of the next symbol in the hash bucket */
};

/* Memory for names; `used` of `size` bytes are taken. */
struct ptx_arena {
    char *bytes;
    size_t size, used;
};

enum { PTX_BUCKETS = 4096 };

struct ptx_flow;

struct ptx {
    struct jit *jit;
    struct ptx_arena names;
    struct ptx_symbol *symbols;
    unsigned symbol_count, symbol_capacity;
    unsigned buckets[PTX_BUCKETS]; /* index + 1 of a symbol; 0: none */
    /* the function whose code is being built, and a builder in its entry
     * block */
    LLVMValueRef function;
    LLVMBuilderRef entry;
    /* labels, scopes and the end of the function (flow.c) */
    struct ptx_flow *flow;
    /* current carry flag (i1) of the PTX condition code; NULL: not set */
    LLVMValueRef carry;
    /* i1 predicate under which the results of the statement are written;
     * NULL: always */
    LLVMValueRef predicate;
    const char *wrong; /* reason why the code is unsupported, or NULL */
};

/* ---- text.c; the parsers return false or NULL for text that they cannot
 * parse ---- */
/* Returns the text after blanks and comments. */
const char *ptx_skip(const char *at);
/* Reads a word: letters, digits, "_$%" and the characters of `more`. Returns
 * the text after it, or NULL if the word is empty. The reader's arena owns
 * the word. */
const char *ptx_read_word(struct ptx *ptx, const char *at, const char **word,
                          const char *more);
/* Returns a word: the first `length` characters of `first`, followed by all of
 * `second`. The reader's arena owns it. */
const char *ptx_join_words(struct ptx *ptx, const char *first, size_t length,
                           const char *second);
/* Parses an unsigned integer: 12, 014, 0xcU or 0b1100. Returns the text after
 * it, or NULL if the text is no integer. An integer of more than 64 bits also
 * sets ptx->wrong. */
const char *ptx_read_integer(struct ptx *ptx, const char *at, uint64_t *value);
/* Parses a number such as 12, -3, 0x1fU, 1.5, or the bits of a float in
 * hexadecimal: 0f3F800000, 0d.... Returns the text after it, or NULL if the
 * text is no number. A number with too many bits also sets ptx->wrong. */
const char *ptx_read_number(struct ptx *ptx, const char *at,
                            struct ptx_operand *operand);
/* Both functions are in expressions.c and return the text after what they have
 * parsed. ptx_read_expression parses a constant expression, such as 4 << 2.
 * ptx_read_offset parses the offset after a name, such as +4*2-1; the offset
 * is 0 if the text does not begin with a sign. */
const char *ptx_read_expression(struct ptx *ptx, const char *at,
                                struct ptx_operand *operand);
const char *ptx_read_offset(struct ptx *ptx, const char *at, int64_t *offset);
/* Parses the statement at *text and advances *text past it. An empty statement
 * has no operation. */
bool ptx_parse(struct ptx *ptx, const char **text,
               struct ptx_statement *statement);
/* Parses the name of a type, such as "u32" or "pred". */
bool ptx_parse_type(const char *text, struct ptx_type *type);
/* Tests whether the list has the word. In the list, each word has a blank
 * before and after it. */
bool ptx_is_word(const char *list, const char *word);
/* Tests whether the statement's operation has the modifier, such as "sat". */
bool ptx_has(const struct ptx_statement *statement, const char *modifier);
/* Tests whether the statement has the modifier .row directly followed by the
 * modifier .col. */
bool ptx_has_row_col(const struct ptx_statement *statement);
/* Tests whether all modifiers of the statement are types, cache hints of an
 * access to memory, or among `words`. In `words`, each word has a blank before
 * and after it. */
bool ptx_only(const struct ptx_statement *statement, const char *words);

/* In modifiers.c: tests whether a modifier is the name of a type, such as s32
 * or f16x2. */
bool ptx_names_type(const char *word);
/* In forms.c: tests whether the operation exists with the statement's
 * modifiers and types, if the table of forms has the operation. Returns false
 * on failure. */
bool ptx_check_form(struct ptx *ptx, const struct ptx_statement *statement);
/* In modifiers.c: moves modifiers such as .sat that follow a type in front of
 * the statement's types, where the functions that build instructions expect
 * them. */
void ptx_order_modifiers(struct ptx_statement *statement);
/* In modifiers.c: tests whether the statement has no more types than its
 * operation can have, no modifiers that exclude each other, and a form that
 * ptx_check_form accepts. Returns false on failure. */
bool ptx_check_modifiers(struct ptx *ptx,
                         const struct ptx_statement *statement);

/* ---- names.c ---- */
/* Adds a symbol, which hides older ones of the same name. The pointer is valid
 * until the next call. */
struct ptx_symbol *ptx_add_symbol(struct ptx *ptx, const char *name,
                                  enum ptx_symbol_kind kind);
/* Returns the newest symbol with the given name, or NULL. */
struct ptx_symbol *ptx_find(struct ptx *ptx, const char *name);
/* Removes the symbols from index `count` on, at the end of their scope. */
void ptx_drop_symbols(struct ptx *ptx, unsigned count);
/* Declares a register. `value` is its initial value, or NULL. */
bool ptx_declare(struct ptx *ptx, const char *name, struct ptx_type type,
                 LLVMValueRef value);
/* Declares the registers of a statement such as `.reg .b32 a, b, t<4>;`. */
bool ptx_declare_registers(struct ptx *ptx,
                           const struct ptx_statement *statement);
/* Returns the pointer to the register's local variable. The first call for a
 * register creates the variable. */
LLVMValueRef ptx_slot(struct ptx *ptx, struct ptx_symbol *symbol);
/* Creates a local variable in the function's entry block. */
LLVMValueRef ptx_local(struct ptx *ptx, LLVMTypeRef type, unsigned alignment);

/* ---- addresses.c ---- */
/* Returns the state space that the modifiers of the statement name, such as
 * .shared. */
enum ptx_space ptx_space_of(const struct ptx_statement *statement);
/* Builds the pointer to the start of the block's shared memory. */
LLVMValueRef ptx_build_window(struct jit *jit);
/* Returns the operand [name + offset] or name[index] as an LLVM pointer. In
 * the space
 * .shared, registers contain offsets from the start of the block's shared
 * memory; all other addresses are generic. Returns NULL on failure. */
LLVMValueRef ptx_address(struct ptx *ptx, const struct ptx_operand *operand,
                         enum ptx_space space);
/* Returns the address of an element of an array as an integer of 64 bits, in
 * the state space of the variable. Returns NULL on failure. */
LLVMValueRef ptx_element_address(struct ptx *ptx,
                                 const struct ptx_operand *operand);
/* Returns the address of a function, or of a variable in the variable's own
 * state space, as an integer of 64 bits. */
LLVMValueRef ptx_symbol_address(struct ptx *ptx, struct ptx_symbol *symbol);
/* ptx_to_generic converts an address in the state space to a generic address,
 * ptx_from_generic a generic address to one in the space. All of them are
 * integers of 64 bits. */
LLVMValueRef ptx_to_generic(struct ptx *ptx, LLVMValueRef address,
                            enum ptx_space space);
LLVMValueRef ptx_from_generic(struct ptx *ptx, LLVMValueRef address,
                              enum ptx_space space);

/* ---- statement.c ---- */
/* Builds one statement of a function's code: an instruction, label, brace or
 * directive. Returns false on failure. */
bool ptx_build_statement(struct ptx *ptx, struct ptx_statement *statement);

/* In registers.c: sets ptx->wrong to the formatted reason and returns
 * false. */
bool ptx_fail(struct ptx *ptx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Calls ptx_fail for an operation, such as "cvt", whose modifiers or types
 * are not supported. Returns false. */
bool ptx_form_refuse(struct ptx *ptx, const char *operation);
/* Returns the LLVM type for a PTX type: an integer, or for the letter f a
 * float type. */
LLVMTypeRef ptx_llvm_type(struct ptx *ptx, struct ptx_type type);
/* Return the value of the operand, or of the register, converted to `type`, or
 * NULL on failure. `cut` permits truncation of a wider register. The name of a
 * variable gives its address. A name may also be a number. */
LLVMValueRef ptx_read(struct ptx *ptx, const struct ptx_operand *operand,
                      struct ptx_type type, bool cut);
LLVMValueRef ptx_read_name(struct ptx *ptx, const char *name,
                           struct ptx_type type, bool cut);
/* Writes a value of `type` to the register, if the statement's predicate holds
 * at run time. `widen` extends the value to the width of the register, by sign
 * if `type` is signed, else with zeros. */
bool ptx_write(struct ptx *ptx, const char *name, struct ptx_type type,
               LLVMValueRef value, bool widen);
/* Returns the value of a special register such as %tid.x, or NULL if the name
 * is unknown. */
LLVMValueRef ptx_special(struct ptx *ptx, const char *name);

/* The PTX operation for which LLVM instructions are being built: its type and
 * the values of its operands. */
struct ptx_work {
    struct ptx *ptx;
    LLVMBuilderRef builder;
    const struct ptx_statement *statement;
    struct ptx_type type;   /* PTX type of the operands */
    struct ptx_type result; /* PTX type of the result */
    LLVMTypeRef llvm;       /* LLVM type of the operands */
    bool half; /* the operands are floats that stand for 16-bit floats */
    LLVMValueRef in[PTX_MAX_OPERANDS];
};

/* A function that builds LLVM instructions for the PTX operation that `work`
 * describes. Returns the operation's result, or NULL on failure. */
typedef LLVMValueRef ptx_make(struct ptx_work *work);

/* ---- bits.c ---- */
ptx_make ptx_make_bits, ptx_make_not, ptx_make_cnot, ptx_make_shift,
    ptx_make_funnel, ptx_make_count, ptx_make_brev, ptx_make_lop3,
    ptx_make_extract, ptx_make_insert, ptx_make_permute;
/* Builds lop3 with a predicate. Returns false on failure. */
bool ptx_build_lop3(struct ptx *ptx, const struct ptx_statement *statement);

/* ---- integers.c ---- */
ptx_make ptx_make_sad, ptx_make_dot, ptx_make_mul24, ptx_make_bfind,
    ptx_make_fns, ptx_make_szext, ptx_make_bmsk;
/* Build the statement slct, or add, min and max of pairs of 16-bit integers.
 * Return false on failure. */
bool ptx_build_slct(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_pair(struct ptx *ptx, const struct ptx_statement *statement);

/* ---- floats.c ---- */
ptx_make ptx_make_extreme, ptx_make_copysign, ptx_make_testp;
/* Replaces a subnormal float by a zero of the same sign. */
LLVMValueRef ptx_flush(struct ptx *ptx, LLVMValueRef value);
/* Clamps a float to [+0, 1], as the modifier .sat requires. A NaN and -0
 * become +0. */
LLVMValueRef ptx_saturate(struct ptx *ptx, LLVMValueRef value);

/* In rounding.c: corrects `x`, a result that was rounded to nearest, to the
 * result that the modifier .rz, .rm or .rp requires. Without such a modifier,
 * returns `x`. Returns NULL if directed rounding of the operation is not
 * supported. */
LLVMValueRef ptx_round_result(struct ptx_work *work, LLVMValueRef x);

/* ---- operations.c ---- */
/* Returns `value` as a constant of the type of work's operands. */
LLVMValueRef ptx_number(const struct ptx_work *work, uint64_t value);
/* Sets ptx->wrong to the reason `why` and returns NULL. */
LLVMValueRef ptx_give_up(struct ptx_work *work, const char *why);

/* ptx_build (operations.c) builds LLVM instructions for any PTX statement;
 * ptx_build_load and ptx_build_store (memory.c) build them for a load or a
 * store. Return false on failure. */
bool ptx_build(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_load(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_store(struct ptx *ptx, const struct ptx_statement *statement);

/* ---- moves.c: mov and cvta ---- */
bool ptx_build_move(struct ptx *ptx, const struct ptx_statement *statement);

/* ---- effects.c ---- */
/* Builds a barrier, fence, trap or another instruction without a result. */
bool ptx_build_effect(struct ptx *ptx, const struct ptx_statement *statement);

/* In convert.c: builds LLVM instructions for the PTX statement `cvt`
 * (conversion). Returns false on failure. */
bool ptx_build_convert(struct ptx *ptx, const struct ptx_statement *statement);

/* Builds a call of the LLVM intrinsic `name` for the type `type`, and returns
 * its result. */
LLVMValueRef ptx_intrinsic(struct ptx *ptx, const char *name, LLVMTypeRef type,
                           LLVMValueRef *arguments, unsigned count);

/* ptx/inline.c: replaces a call of inline PTX by instructions. Returns NULL on
 * success. Otherwise returns the reason of the failure, and the module has
 * unfinished code; the caller must report the reason as an error. */
const char *jit_translate_ptx(struct jit *jit, LLVMValueRef call);

#endif
