/* flow.h - control flow of PTX: scopes, labels, branches, calls.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_FLOW_H
#define PYCUDA_JIT_PTX_FLOW_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "jit/ptx/ptx.h"

/* One parameter or result of a function. */
struct ptx_parameter {
    const char *name;
    struct ptx_type type;
    uint64_t bytes;     /* size in bytes */
    unsigned alignment; /* in bytes */
    bool is_array;      /* declared with brackets; passed in memory */
    bool is_register;   /* declared as .reg, not as .param */
};

struct ptx_signature {
    struct ptx_parameter *parameters, *results;
    unsigned parameter_count, result_count;
    bool is_entry;
    /* The types are those of the declaration in known.c, because the runtime
     * or the C library has the function. The types in the PTX are ignored. */
    bool known;
    LLVMTypeRef type; /* type of the LLVM function */
};

struct ptx_label {
    const char *name;
    LLVMBasicBlockRef block;
    unsigned depth; /* number of open scopes around the label */
    bool defined;
};

/* Control flow of the function, or asm statement, that is being translated. */
struct ptx_flow {
    struct ptx_label *labels;
    unsigned label_count, label_capacity;
    /* number of symbols at the start of each open scope */
    unsigned *scopes;
    unsigned depth, scope_capacity;
    /* the function of a module; NULL in an asm statement */
    const struct ptx_signature *signature;
    /* local variables with the results of the function */
    LLVMValueRef *results;
};

/* ---- flow.c ---- */
/* Opens a scope. Names that are declared in the scope are removed at its end.
 * Returns false if too many scopes are open. */
bool ptx_open_scope(struct ptx *ptx);
/* Closes the innermost scope. Returns false if none is open. */
bool ptx_close_scope(struct ptx *ptx);
/* Defines a label at the current position. Returns false if the scope already
 * defines a label of this name. */
bool ptx_define_label(struct ptx *ptx, const char *name);
/* Ends the code of the function or asm statement. Returns false if a label was
 * used and no scope defined it. */
bool ptx_close_labels(struct ptx *ptx);
/* Continues in a new basic block, which is unreachable if the current block
 * has ended. Returns the new block. */
LLVMBasicBlockRef ptx_new_block(struct ptx *ptx);
/* Code that runs only if a condition holds. */
struct ptx_conditional {
    LLVMValueRef condition;
    LLVMBasicBlockRef from; /* basic block that ends with the test */
    LLVMBasicBlockRef then; /* first basic block of the conditional code */
};
/* Begins conditional code: the instructions that are built until
 * ptx_conditional_end run only if `condition` (an i1) holds. */
struct ptx_conditional ptx_conditional_begin(struct ptx *ptx,
                                             LLVMValueRef condition);
/* Ends the conditional code: what is built from now on always runs. */
void ptx_conditional_end(struct ptx *ptx,
                         const struct ptx_conditional *conditional);
/* Each of these builds one of the statements bra, brx.idx, ret and exit, and
 * returns false on failure. */
bool ptx_build_branch(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_indexed_branch(struct ptx *ptx,
                              const struct ptx_statement *statement);
bool ptx_build_return(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_exit(struct ptx *ptx, const struct ptx_statement *statement);
/* Builds a return at the end of the function's code, unless the code already
 * ends with a return or branch. */
void ptx_end_function(struct ptx *ptx);

/* ---- calls.c ---- */
/* Builds the call of a function; the statement has the operands as text.
 * Returns false on failure. */
bool ptx_build_call(struct ptx *ptx, const struct ptx_statement *statement);
/* Computes the LLVM type of a function from its parameters and results. */
void ptx_complete_signature(struct ptx *ptx, struct ptx_signature *signature);
/* Returns the LLVM type of the memory in which a parameter or result is
 * passed. */
LLVMTypeRef ptx_parameter_type(struct ptx *ptx,
                               const struct ptx_parameter *parameter);

/* ---- known.c ---- */
/* Returns the type that a function of the runtime or of the C library has, or
 * NULL for other names. `signature` tells the number of parameters. */
LLVMTypeRef ptx_known_type(struct ptx *ptx, const char *name,
                           const struct ptx_signature *signature);
/* Returns true if the function with this name and type always returns, and
 * reads and writes no memory. True for the mathematical functions of the C
 * library without pointer parameters (frexp has one), and for slow-path calls
 * (output/slow_path.h). LLVM vectorises a loop only if it knows this of the
 * functions that the loop calls. */
bool ptx_known_is_pure(const char *name, LLVMTypeRef type);

/* ---- declarations.c ---- */
/* Parses the parameters of a function from `at` on, which is an opening
 * parenthesis. Returns the text after the closing parenthesis, or NULL on
 * failure. */
const char *ptx_read_parameters(struct ptx *ptx, const char *at,
                                struct ptx_parameter **list, unsigned *count);
/* Parses the declaration of variables, such as `.global .align 4 .b8 name[8] =
 * {...};`. `at` is the text after the state space (here .global). Adds a
 * symbol for each variable. `linking` is "visible", "weak", "extern" or "".
 * Returns the text at the semicolon, or NULL on failure. */
const char *ptx_read_variables(struct ptx *ptx, const char *at,
                               enum ptx_space space, const char *linking);
/* Finds the state space that a directive such as .shared names. Returns false
 * if it names none. */
bool ptx_space_named(const char *name, enum ptx_space *space);

#endif
