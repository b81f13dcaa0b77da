/* ir.h - helpers for the LLVM-C API.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_IR_H
#define PYCUDA_JIT_IR_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct jit;

/* Callback of jit_each_instruction: receives an instruction and the caller's
 * `data`. */
typedef void jit_visit(struct jit *jit, LLVMValueRef instruction, void *data);
/* Calls `visit` for each instruction of a function; `visit` may erase the
 * instruction that it receives. */
void jit_each_instruction(struct jit *jit, LLVMValueRef function,
                          jit_visit *visit, void *data);
/* Calls `visit` for each instruction of all functions of the module. */
void jit_each_instruction_of_module(struct jit *jit, jit_visit *visit,
                                    void *data);
/* Returns the value's name, "" if it has none. */
const char *jit_name(LLVMValueRef value);
/* Returns the section of a variable, "" if it has none. */
const char *jit_section(LLVMValueRef variable);
/* Redirects all branches of the function from basic block `from` to basic
 * block `to`. Does not change the phis of the two blocks. */
void jit_redirect_branches(LLVMValueRef function, LLVMBasicBlockRef from,
                           LLVMBasicBlockRef to);
/* Returns the function that a direct call names, or NULL for other
 * instructions. */
LLVMValueRef jit_callee(LLVMValueRef instruction);
/* Returns whether the value is an instruction with this opcode. */
bool jit_has_opcode(LLVMValueRef value, LLVMOpcode opcode);
/* Returns the phi's incoming value for the predecessor `from`, or NULL if
 * `from` is not a predecessor. */
LLVMValueRef jit_incoming(LLVMValueRef phi, LLVMBasicBlockRef from);
/* Test whether the instruction is a direct call of function `name`, or of a
 * function with a name that begins with `prefix`. */
bool jit_calls(LLVMValueRef instruction, const char *name);
bool jit_is_call(LLVMValueRef instruction, const char *prefix);

/* How an instruction lets a thread observe the progress of other threads: by
 * an atomic or volatile read, or by a fence. */
enum jit_sight {
    JIT_SIGHT_NONE = 0,
    JIT_SIGHT_READ = 1,
    JIT_SIGHT_FENCE = 2,
};
/* Returns how the instruction lets a thread observe other threads. */
enum jit_sight jit_sight(LLVMValueRef instruction);

/* Tests for a type that can be the element type of vectors: float, double, or
 * an integer of 1, 8, 16, 32 or 64 bits. */
bool jit_is_element_type(LLVMTypeRef type);

/* Tests for integer arithmetic, a select or an address computation, which have
 * no side effects and never fault. */
bool jit_is_arithmetic(LLVMValueRef instruction);
/* Tests for a call that returns the smaller or the larger one of two
 * integers. */
bool jit_is_extreme(LLVMValueRef instruction);
/* Return the predicate of the negated comparison (inverse: >= for <), and the
 * predicate that gives the same result with swapped operands (> for <). */
LLVMIntPredicate jit_predicate_inverse(LLVMIntPredicate predicate);
LLVMIntPredicate jit_predicate_mirrored(LLVMIntPredicate predicate);
/* Repeats the operation of the instruction `at` at the builder's position with
 * other operands, such as vectors, and returns the result. The operation may
 * be a comparison, select, freeze, negation, arithmetic with two operands, or
 * a conversion to `type`. */
LLVMValueRef jit_repeat_operation(LLVMBuilderRef builder, LLVMValueRef at,
                                  LLVMValueRef operands[3], LLVMTypeRef type);
/* Replaces all uses of an instruction by `by`, and erases the instruction. */
void jit_replace(LLVMValueRef instruction, LLVMValueRef by);
/* Callback for jit_each_instruction. LLVM may fuse a float product with a sum
 * or difference to a multiply-add; replaces an instruction that LLVM may fuse
 * by one that LLVM does not fuse, so that its result is rounded separately. */
void jit_forbid_contraction(struct jit *jit, LLVMValueRef at, void *data);
/* Adds an enum attribute, such as "noinline", to the function. */
void jit_add_attribute(struct jit *jit, LLVMValueRef function,
                       const char *name);
/* Removes an enum attribute from the function. */
void jit_drop_attribute(LLVMValueRef function, const char *name);
/* Tests whether the function has an enum attribute. */
bool jit_has_attribute(LLVMValueRef function, const char *name);
/* Returns an i32 constant with the given value. */
LLVMValueRef jit_constant(struct jit *jit, uint64_t value);
/* Returns the declaration of function `name`. If the module has none, adds it
 * with the attribute nounwind. */
LLVMValueRef jit_declare(struct jit *jit, const char *name, LLVMTypeRef result,
                         LLVMTypeRef *types, unsigned count);
/* Runs a pipeline of LLVM passes over the module. `passes` has the syntax of
 * `opt -passes=`. */
void jit_run_passes(struct jit *jit, const char *passes);
/* Tests whether the function has any use except as the callee of a call. */
bool jit_address_taken(LLVMValueRef function);
/* Callback of jit_expand_constant: returns the value that replaces a constant
 * in the function. */
typedef LLVMValueRef jit_make(struct jit *jit, LLVMValueRef function,
                              void *data);
/* Replaces every use of the constant `value`, also inside constant
 * expressions, by the value that `make` returns for the function that contains
 * the use. */
void jit_expand_constant(struct jit *jit, LLVMValueRef value, jit_make *make,
                         void *data);
/* Returns the line of an instruction, or of the call if it was inlined from
 * the project's headers; 0 if unknown. */
unsigned jit_line_of(LLVMValueRef at);

#endif
