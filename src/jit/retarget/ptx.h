/* ptx.h - inline PTX as LLVM instructions: statements, registers, operations.
 *
 * One asm statement of the source is straight-line code.  Its statements are
 * parsed one by one (ptx_text.c); registers are values (ptx_registers.c); a
 * row of a table says how each operation is built (ptx_operations.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_H
#define PYCUDA_JIT_PTX_H

#include "jit/jit.h"

enum {
    PTX_MAX_MODIFIERS = 12,
    PTX_MAX_OPERANDS = 6,
    PTX_MAX_ELEMENTS = 8,
    PTX_MAX_REGISTERS = 96,
    PTX_NAME = 48
};

enum ptx_kind {
    PTX_REGISTER, /* also special registers: the name begins with '%' */
    PTX_INTEGER,
    PTX_FLOAT,   /* `bits` of `width` bits */
    PTX_ADDRESS, /* [name + offset] */
    PTX_VECTOR   /* {name, name} */
};

struct ptx_operand {
    enum ptx_kind kind;
    char names[PTX_MAX_ELEMENTS][PTX_NAME];
    unsigned count; /* of names */
    uint64_t bits;
    int64_t offset;
    unsigned width;
};

/* One statement: `@!p add.cc.u32 a, b, c`. */
struct ptx_statement {
    char predicate[PTX_NAME]; /* "" if there is none */
    bool inverted;
    char operation[PTX_NAME];
    char modifiers[PTX_MAX_MODIFIERS][PTX_NAME];
    unsigned modifier_count;
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    unsigned operand_count;
};

/* The last part of an instruction: .u32, .f64, .pred. */
struct ptx_type {
    char letter; /* b u s f, p for predicates */
    unsigned bits;
};

struct ptx_register {
    char name[PTX_NAME];
    struct ptx_type type;
    LLVMValueRef value; /* an integer of its size; NULL: not written yet */
};

struct ptx {
    struct jit *jit;
    struct ptx_register registers[PTX_MAX_REGISTERS];
    unsigned register_count;
    LLVMValueRef carry;     /* i1: the condition code's carry flag, or NULL */
    LLVMValueRef predicate; /* i1 of the statement at hand, or NULL */
    const char *wrong;      /* NULL, or why this code cannot be run */
};

/* ptx_text.c.  Both return false with `wrong` set where the text is none. */
/* Parses the statement at *text and moves it behind; a statement without an
 * operation is empty. */
bool ptx_parse(struct ptx *ptx, const char **text,
               struct ptx_statement *statement);
bool ptx_parse_type(const char *text, struct ptx_type *type);
/* Has the operation this modifier? */
bool ptx_has(const struct ptx_statement *statement, const char *modifier);
/* Are all its modifiers types, hints for caches, or among `words`, which has
 * a blank on either side of each? */
bool ptx_only(const struct ptx_statement *statement, const char *words);

/* ptx_registers.c */
bool ptx_fail(struct ptx *ptx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a register; false where there are too many. */
bool ptx_declare(struct ptx *ptx, const char *name, struct ptx_type type,
                 LLVMValueRef value);
struct ptx_register *ptx_find(struct ptx *ptx, const char *name);
LLVMTypeRef ptx_llvm_type(struct ptx *ptx, struct ptx_type type);
/* The operand as a value of `type`; wider registers are cut off if `cut`.
 * NULL with `wrong` set. */
LLVMValueRef ptx_read(struct ptx *ptx, const struct ptx_operand *operand,
                      struct ptx_type type, bool cut);
LLVMValueRef ptx_read_name(struct ptx *ptx, const char *name,
                           struct ptx_type type, bool cut);
/* Writes a value of `type`, under the statement's predicate; registers that
 * are wider are extended as `type` says if `widen`. */
bool ptx_write(struct ptx *ptx, const char *name, struct ptx_type type,
               LLVMValueRef value, bool widen);
/* A special register's value, or NULL if it is not known. */
LLVMValueRef ptx_special(struct ptx *ptx, const char *name);

/* One operation at hand: its type and the values of its operands. */
struct ptx_work {
    struct ptx *ptx;
    LLVMBuilderRef builder;
    const struct ptx_statement *statement;
    struct ptx_type type;   /* of the operands */
    struct ptx_type result; /* of what is written */
    LLVMTypeRef llvm;       /* of the operands */
    LLVMValueRef in[PTX_MAX_OPERANDS];
};

/* Builds the result, or gives NULL with `wrong` set. */
typedef LLVMValueRef ptx_make(struct ptx_work *work);

/* ptx_bits.c */
ptx_make ptx_make_bits, ptx_make_not, ptx_make_cnot, ptx_make_shift,
    ptx_make_funnel, ptx_make_count, ptx_make_brev, ptx_make_lop3,
    ptx_make_extract, ptx_make_insert, ptx_make_permute;

/* ptx_operations.c */
/* A constant of the operands' type. */
LLVMValueRef ptx_number(const struct ptx_work *work, uint64_t value);
/* Sets `wrong`; NULL. */
LLVMValueRef ptx_give_up(struct ptx_work *work, const char *why);

/* ptx_operations.c, ptx_memory.c: build one statement. */
bool ptx_build(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_load(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_store(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_atomic(struct ptx *ptx, const struct ptx_statement *statement);

/* ptx_convert.c */
bool ptx_build_convert(struct ptx *ptx, const struct ptx_statement *statement);

/* Calls an intrinsic that is overloaded on `type`. */
LLVMValueRef ptx_intrinsic(struct ptx *ptx, const char *name, LLVMTypeRef type,
                           LLVMValueRef *arguments, unsigned count);

#endif
