/* define.c - replaces the calls that stand for results of outlined loops,
 * after vectorisation.
 *
 * Called by output/optimise.c. In vectorised thread loops, a call names a
 * vector variant of a result, such as __pycuda_loop.7.0.16 for result 0 of
 * loop 7 and 16 threads. Elsewhere the call names the result for one thread,
 * such as __pycuda_loop.7.0. All such calls of a basic block that concern the
 * same loop with the same arguments are replaced by one call, which runs the
 * loop and returns a struct of all results. That call is then inlined.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/report.h"
#include "jit/text.h"

/* The calls that were already built in the current basic block. Each calls the
 * function of an outlined loop, a loop that outline.c has moved into a
 * function. */
struct calls {
    LLVMBasicBlockRef block;
    LLVMValueRef *made;
    unsigned count, capacity;
};

/* Returns the function that computes all results of the loop for name->width
 * threads. Creates it at the first use. */
static LLVMValueRef
function_for(struct jit *jit, const struct jit_result_name *name)
{
    struct jit_outlined *row = &jit->outlined[name->number];
    if (name->width == 1) {
        return row->function;
    }
    LLVMValueRef wide = LLVMGetNamedFunction(
        jit->module,
        jit_format("%s.wide%u", jit_name(row->function), name->width));
    if (!wide) {
        wide = jit_widen_loop(jit, row, name->width);
        row->widths |= name->width;
        LLVMSetLinkage(wide, LLVMInternalLinkage);
        jit_add_attribute(jit, wide, "nounwind");
        jit_add_attribute(jit, wide, "alwaysinline");
    }
    return wide;
}

static bool
has_arguments_of(LLVMValueRef call, LLVMValueRef other)
{
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMGetOperand(call, i) != LLVMGetOperand(other, i)) {
            return false;
        }
    }
    return true;
}

/* Returns a call of `function` with the arguments of the call `at`: an earlier
 * call in the basic block if there is one, else a new one before `at`. */
static LLVMValueRef
call_for(struct jit *jit, struct calls *calls, LLVMValueRef at,
         LLVMValueRef function)
{
    LLVMValueRef arguments[MAX_INPUTS + 1];
    for (unsigned i = 0; i < calls->count; i++) {
        if (jit_callee(calls->made[i]) == function &&
            has_arguments_of(calls->made[i], at)) {
            return calls->made[i];
        }
    }
    if (calls->count == calls->capacity) {
        calls->capacity = 2 * calls->capacity + 8;
        calls->made =
            realloc(calls->made, calls->capacity * sizeof *calls->made);
        if (!calls->made) {
            jit_die("out of memory");
        }
    }
    unsigned count = LLVMGetNumArgOperands(at);
    for (unsigned i = 0; i < count; i++) {
        arguments[i] = LLVMGetOperand(at, i);
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    return calls->made[calls->count++] =
               LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                              function, arguments, count, "");
}

/* The call `at` may stand for one result of a loop that was moved into a
 * function. If so, replaces it by a call of that function, which returns a
 * struct of all results, and takes the result from the struct. */
static void
define_call(struct jit *jit, LLVMValueRef at, void *data)
{
    struct calls *calls = data;
    struct jit_result_name name;
    if (!jit_read_result_name(jit_callee(at), &name)) {
        return;
    }
    if (calls->block != LLVMGetInstructionParent(at)) {
        calls->block = LLVMGetInstructionParent(at);
        calls->count = 0;
    }
    LLVMValueRef all = call_for(jit, calls, at, function_for(jit, &name));
    LLVMPositionBuilderBefore(jit->builder, at);
    jit_replace(at, LLVMBuildExtractValue(jit->builder, all, name.result, ""));
}

static bool
is_outlined(const struct jit *jit, LLVMValueRef function)
{
    for (unsigned i = 0; i < jit->outlined_count; i++) {
        if (jit->outlined[i].function == function) {
            return true;
        }
    }
    return false;
}

/* Replaces all calls that stand for results of outlined loops (loops that
 * outline.c has moved into functions). A replacement may add a function for
 * several threads to the module, as a copy of the function for one thread. So
 * the functions for one thread are changed last, after all other functions and
 * the added copies. */
static void
define_calls(struct jit *jit)
{
    struct calls calls = {0};
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!is_outlined(jit, function)) {
            jit_each_instruction(jit, function, define_call, &calls);
        }
    }
    for (unsigned i = 0; i < jit->outlined_count; i++) {
        jit_each_instruction(jit, jit->outlined[i].function, define_call,
                             &calls);
    }
    free(calls.made);
}

void
jit_define_loops(struct jit *jit)
{
    if (!jit->outlined_count) {
        return;
    }
    define_calls(jit);
    for (unsigned i = 0; i < jit->outlined_count; i++) {
        LLVMValueRef function = jit->outlined[i].function;
        jit_drop_attribute(function, "optnone");
        jit_drop_attribute(function, "noinline");
        jit_add_attribute(jit, function, "alwaysinline");
        LLVMSetLinkage(function, LLVMInternalLinkage);
    }
    jit_run_passes(jit, "always-inline,globaldce");
}
