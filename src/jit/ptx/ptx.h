/* ptx.h - inline PTX as LLVM instructions: statements, registers, operations.
 *
 * An asm statement of the source contains PTX statements without branches.
 * They are parsed one by one (text.c). PTX registers become LLVM values
 * (registers.c). A table has a row for each operation (operations.c).
 *
 * On failure, functions set ptx.wrong to the reason and return false or NULL;
 * inline.c then erases the instructions that were already built.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_PTX_H
#define PYCUDA_JIT_PTX_PTX_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct jit;

enum {
    PTX_MAX_MODIFIERS = 12,
    PTX_MAX_OPERANDS = 6,
    PTX_MAX_ELEMENTS = 8,
    PTX_MAX_REGISTERS = 96,
    PTX_NAME = 48
};

enum ptx_kind {
    /* a register; the names of special registers begin with '%' */
    PTX_REGISTER,
    PTX_INTEGER,
    /* a float constant of `width` bits; `bits` is its bit pattern */
    PTX_FLOAT,
    PTX_ADDRESS, /* written as [name + offset] */
    PTX_VECTOR   /* written as {name, name} */
};

struct ptx_operand {
    enum ptx_kind kind;
    char names[PTX_MAX_ELEMENTS][PTX_NAME];
    unsigned count; /* number of used elements of `names` */
    uint64_t bits;
    int64_t offset;
    unsigned width;
};

/* One PTX statement, such as `@!p add.cc.u32 a, b, c`. */
struct ptx_statement {
    /* name of the predicate register, such as p in `@!p`; "" if there is
     * none */
    char predicate[PTX_NAME];
    bool inverted;
    char operation[PTX_NAME];
    char modifiers[PTX_MAX_MODIFIERS][PTX_NAME];
    unsigned modifier_count;
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    unsigned operand_count;
};

/* Type suffix of a PTX instruction: .u32, .f64, .pred. */
struct ptx_type {
    char letter; /* b, u, s or f as in .u32; p: predicate */
    unsigned bits;
};

struct ptx_register {
    char name[PTX_NAME];
    struct ptx_type type;
    /* current value of the register, an integer of the register's size; NULL:
     * not yet written */
    LLVMValueRef value;
};

struct ptx {
    struct jit *jit;
    struct ptx_register registers[PTX_MAX_REGISTERS];
    unsigned register_count;
    /* current carry flag (i1) of the PTX condition code; NULL: not set */
    LLVMValueRef carry;
    /* i1 predicate under which the statement runs; NULL: always */
    LLVMValueRef predicate;
    const char *wrong; /* reason why the code is unsupported, or NULL */
};

/* ---- text.c; the parsers return false for text that they cannot parse
 * ---- */
/* Parses the statement at *text and advances *text past it. An empty statement
 * has no operation. */
bool ptx_parse(struct ptx *ptx, const char **text,
               struct ptx_statement *statement);
/* Parses the name of a type, such as "u32" or "pred". */
bool ptx_parse_type(const char *text, struct ptx_type *type);
/* Tests whether the statement's operation has the modifier, such as "sat". */
bool ptx_has(const struct ptx_statement *statement, const char *modifier);
/* Tests whether all modifiers of the statement are types, cache hints, or
 * among `words`. In `words`, each word has a blank before and after it. */
bool ptx_only(const struct ptx_statement *statement, const char *words);

/* In registers.c: sets ptx->wrong to the formatted reason and returns
 * false. */
bool ptx_fail(struct ptx *ptx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a register with the initial value, which may be NULL (unset). Fails if
 * there are too many registers. */
bool ptx_declare(struct ptx *ptx, const char *name, struct ptx_type type,
                 LLVMValueRef value);
/* Returns the register of that name, or NULL. */
struct ptx_register *ptx_find(struct ptx *ptx, const char *name);
/* Returns the LLVM type with the bits of a PTX type. */
LLVMTypeRef ptx_llvm_type(struct ptx *ptx, struct ptx_type type);
/* Return the value of the operand, or of the register, converted to `type`, or
 * NULL on failure. `cut` permits truncation of a wider register. */
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
    LLVMValueRef in[PTX_MAX_OPERANDS];
};

/* A function that builds LLVM instructions for the PTX operation that `work`
 * describes. Returns the operation's result, or NULL on failure. */
typedef LLVMValueRef ptx_make(struct ptx_work *work);

/* ---- bits.c ---- */
ptx_make ptx_make_bits, ptx_make_not, ptx_make_cnot, ptx_make_shift,
    ptx_make_funnel, ptx_make_count, ptx_make_brev, ptx_make_lop3,
    ptx_make_extract, ptx_make_insert, ptx_make_permute;

/* ---- operations.c ---- */
/* Returns `value` as a constant of the type of work's operands. */
LLVMValueRef ptx_number(const struct ptx_work *work, uint64_t value);
/* Sets ptx->wrong to the reason `why` and returns NULL. */
LLVMValueRef ptx_give_up(struct ptx_work *work, const char *why);

/* In operations.c and memory.c: build LLVM instructions for one PTX
 * statement: any statement, or one that loads, stores or is atomic. Return
 * false on failure. */
bool ptx_build(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_load(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_store(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_atomic(struct ptx *ptx, const struct ptx_statement *statement);

/* In convert.c: builds LLVM instructions for the PTX statement `cvt`
 * (conversion). Returns false on failure. */
bool ptx_build_convert(struct ptx *ptx, const struct ptx_statement *statement);

/* Builds a call of the LLVM intrinsic `name` for the type `type`, and returns
 * its result. */
LLVMValueRef ptx_intrinsic(struct ptx *ptx, const char *name, LLVMTypeRef type,
                           LLVMValueRef *arguments, unsigned count);

/* ptx/inline.c: replaces a call of inline PTX by instructions. Returns NULL
 * on success. Otherwise returns the reason of the failure and leaves the
 * module unchanged. */
const char *jit_translate_ptx(struct jit *jit, LLVMValueRef call);

#endif
