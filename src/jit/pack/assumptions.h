/* assumptions.h - declarations of the passes that assume that the lanes of a
 * pack (neighbouring threads that one function runs) behave alike.
 *
 * quotients.c finds quotients and remainders of indices that are uniform or
 * linear in most packs. choices.c finds comparisons and selects in indices
 * that have the same result, or select the same operand, in all lanes of most
 * packs. Both files write run-time tests of these assumptions. If a test
 * fails, other code runs the pack; fallback.c writes that code.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ASSUMPTIONS_H
#define PYCUDA_JIT_ASSUMPTIONS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct jit_pack_body;
struct jit_pack_writer;
struct jit_shape;

/* quotients.c: if `at` is a quotient or remainder that is assumed to be
 * uniform, or linear, in most packs, returns the dividend. Else returns NULL.
 */
LLVMValueRef jit_pack_dividend(LLVMValueRef at);
/* Tests whether the instruction is a remainder rather than a quotient. Valid
 * only for instructions that jit_pack_dividend accepts. */
bool jit_pack_is_remainder(LLVMValueRef at);
/* Tests whether all lanes divide by the same number. Valid only for
 * instructions that jit_pack_dividend accepts. */
bool jit_pack_divisor_is_uniform(const struct jit_pack_body *body,
                                 LLVMValueRef at);
/* Quick test for a quotient or remainder that is used as an index. */
bool jit_pack_is_index_quotient(LLVMValueRef at);
/* Returns whether the value is a quotient that is assumed to be uniform, or a
 * remainder that is assumed to be linear. jit_pack_write_quotient writes the
 * code that tests the assumption at run time. */
bool jit_pack_assumes_quotient(const struct jit_pack_body *body,
                               LLVMValueRef at);
/* Writes the run-time test for a quotient or remainder that is assumed to be
 * uniform or linear, and the value of the quotient or remainder in lane 0. */
void jit_pack_write_quotient(struct jit_pack_writer *to, LLVMValueRef at);

/* Tests for a select `y == n ? a : b` in which n is 0 or -1. Such selects are
 * written by retarget/arithmetic.c for divisors y for which LLVM does not
 * define the quotient. If the quotient is used in an index, y is assumed to be
 * neither 0 nor -1. */
bool jit_pack_is_divisor_case(LLVMValueRef at);
/* Tests for a select `y == n ? a : b` that is assumed to be b in all lanes.
 * The assumption needs a run-time test, since a does not change from lane to
 * lane as b does. */
bool jit_pack_assumes_divisor(const struct jit_pack_body *body,
                              LLVMValueRef at);
/* Writes the run-time test that a select `y == n ? a : b` has the value b in
 * all lanes, and writes the value of b in lane 0. */
void jit_pack_write_divisor_case(struct jit_pack_writer *to, LLVMValueRef at);

/* choices.c: tests whether the value may be part of the index of an access. At
 * most `depth` instructions may be between the value and the access. */
bool jit_pack_feeds_index(LLVMValueRef value, int depth);
/* Tests for an instruction with an effect that other threads can observe.
 * After such an instruction, a function for packs can no longer leave the pack
 * to another function, since the effect would happen twice. */
bool jit_pack_has_effect(LLVMValueRef at);
/* Tests whether either all lanes of a pack reach basic block `b` or no lane
 * does. */
bool jit_pack_all_lanes_reach(const struct jit_pack_body *body, unsigned b);
/* Tests whether the function for a pack may return in basic block `b`, before
 * the first effect in `b`, and leave the pack to another function. The
 * conditions: no code that runs before that position has an effect, also not
 * in earlier iterations of a loop, and either all lanes or no lanes reach `b`.
 * Loads do not count as effects. */
bool jit_pack_may_give_up(const struct jit_pack_body *body, unsigned b);
/* Quick test for a comparison, select, minimum or maximum that is part of the
 * index of an access, as in min(i, n - 1). */
bool jit_pack_is_index_choice(LLVMValueRef at);
/* `at` is a comparison, select, minimum or maximum in the index of an access.
 * If it is assumed to have the same result, or to select the same operand, in
 * all lanes, stores the shape of its result (the relation between lanes) in
 * *shape and returns true. The shapes of the operands must be known. */
bool jit_pack_choice_shape(const struct jit_pack_body *body, LLVMValueRef at,
                           struct jit_shape *shape);
/* Tests whether the comparison on which the branch at the end of basic block
 * `b` depends is assumed to have the same result in all lanes. */
bool jit_pack_assumes_branch(const struct jit_pack_body *body, unsigned b);
/* Tests whether the comparison on which the branch at the end of basic block
 * `b` depends may be assumed to have the same result in all lanes: a run-time
 * test is possible before any effect, and the branch neither leaves nor
 * repeats a loop. The shapes of values must be known. */
bool jit_pack_may_assume_branch(const struct jit_pack_body *body, unsigned b);
/* Tests whether `at` is a comparison, select, minimum or maximum that is
 * assumed to have the same result, or to select the same operand, in all
 * lanes. The assumption needs a run-time test. */
bool jit_pack_assumes_choice(const struct jit_pack_body *body,
                             LLVMValueRef at);
/* Writes code for a comparison, select, minimum or maximum that is assumed to
 * have the same result, or to select the same operand, in all lanes: the
 * run-time test of this assumption, and the result in lane 0. */
void jit_pack_write_choice(struct jit_pack_writer *to, LLVMValueRef at);

/* fallback.c: writes a function for packs of `width` threads, which divides
 * the pack and calls the function for packs of `narrow` threads for each part.
 * The function for `narrow` threads must have been written before. Returns the
 * new function, which becomes body->general. */
LLVMValueRef jit_pack_write_parts(struct jit_pack_body *body, unsigned width,
                                  unsigned narrow);
/* Writes a branch that leaves the function for the pack if `fits` (an i1) is
 * false: body->general, or the body for one lane after the other, runs
 * instead. The caller ensures that no code before the branch has an effect
 * that other threads can observe. */
void jit_pack_branch(struct jit_pack_writer *to, LLVMValueRef fits);
/* Writes a run-time test that the operand of the sign or zero extension `at`
 * does not wrap between the first and the last lane. If the operand wraps, the
 * function for the pack runs the body for one lane after the other, and
 * returns. */
void jit_pack_check(struct jit_pack_writer *to, LLVMValueRef at);

#endif
