/* outline.c - moves innermost loops of a thread into functions.
 *
 * Called by main.c before entries are made. Most kernels are run by thread
 * loops, which are loops over the threads of a block. If the code of a thread
 * contains a loop, the thread loop is not an innermost loop, and LLVM does not
 * vectorise it. Therefore this pass replaces the inner loop by calls:
 *
 *     before:                          before:
 *       br head                          r = call __pycuda_loop.7.0(a, b)
 *     head: ...                          br exit
 *     exit:                            exit:
 *       r = phi [x, head]
 *
 * The function __pycuda_loop.7(a, b) contains the loop. It returns a struct of
 * all results; if the loop has several exits, the last element is the number
 * of the exit that was taken. Each call, such as __pycuda_loop.7.0, stands for
 * one result. The call has an attribute that names variants for vectors of
 * threads. Calls that the vectoriser does not replace by such a variant become
 * the loop for one thread again (define.c).
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/options.h"
#include "jit/report.h"
#include "jit/target/target.h"
#include "jit/text.h"

static const char prefix[] = "__pycuda_loop.";

/* State while one loop is copied to a new function. */
struct outline {
    struct jit *jit;
    const struct jit_pure_loop *loop;
    LLVMValueRef function;
    LLVMTypeRef result; /* struct type that contains all results of the loop */
    LLVMBasicBlockRef *blocks;
    LLVMBasicBlockRef entry;
    /* maps a value of the loop to 1 plus the index of its copy in `values` */
    struct jit_map index;
    LLVMValueRef *values;
    unsigned value_count, value_capacity;
};

/* ---- names ---- */

bool
jit_read_result_name(LLVMValueRef function, struct jit_result_name *name)
{
    const char *text = function ? jit_name(function) : "";
    size_t length = sizeof prefix - 1;
    name->width = 1;
    return strncmp(text, prefix, length) == 0 &&
           sscanf(text + length, "%u.%u.%u", &name->number, &name->result,
                  &name->width) >= 2;
}

bool
jit_is_loop_result(LLVMValueRef function)
{
    struct jit_result_name name;
    return jit_read_result_name(function, &name);
}

static const char *
result_name(const struct jit_result_name *name)
{
    const char *scalar =
        jit_format("%s%u.%u", prefix, name->number, name->result);
    return name->width == 1 ? scalar
                            : jit_format("%s.%u", scalar, name->width);
}

LLVMValueRef
jit_declare_result(struct jit *jit, const struct jit_result_name *name,
                   LLVMTypeRef type)
{
    static const char *const words[] = {"nounwind", "willreturn", "nosync",
                                        /* the attribute "memory" with the
                                         * value 0 means memory(none) */
                                        "nofree", "memory"};
    const char *text = result_name(name);
    LLVMValueRef function = LLVMGetNamedFunction(jit->module, text);
    if (!function) {
        function = LLVMAddFunction(jit->module, text, type);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            jit_add_attribute(jit, function, words[i]);
        }
    }
    return function;
}

/* ---- the function ---- */

static void
value_put(struct outline *outline, LLVMValueRef from, LLVMValueRef to)
{
    if (outline->value_count == outline->value_capacity) {
        outline->value_capacity = 2 * outline->value_capacity + 64;
        outline->values =
            realloc(outline->values,
                    outline->value_capacity * sizeof *outline->values);
        if (!outline->values) {
            jit_die("out of memory");
        }
    }
    outline->values[outline->value_count] = to;
    *jit_map_slot(&outline->index, from) = ++outline->value_count;
}

static LLVMValueRef
value_of(const struct outline *outline, LLVMValueRef from)
{
    unsigned at = jit_map_get(&outline->index, from);
    return at ? outline->values[at - 1] : from;
}

static LLVMBasicBlockRef
block_of(const struct outline *outline, LLVMBasicBlockRef from)
{
    return outline->blocks[jit_cfg_index(outline->loop->cfg, from)];
}

/* Copies the instructions of a basic block to the new function. The operands
 * of the copies still refer to the original loop until connect_block replaces
 * them. */
static void
copy_instructions(struct outline *outline, unsigned block)
{
    struct jit *jit = outline->jit;
    LLVMValueRef at =
        LLVMGetFirstInstruction(outline->loop->cfg->blocks[block].block);
    LLVMPositionBuilderAtEnd(jit->builder, outline->blocks[block]);
    for (; at; at = LLVMGetNextInstruction(at)) {
        LLVMValueRef copy;
        if (jit_is_note(at)) {
            continue;
        }
        if (LLVMIsAPHINode(at)) {
            copy = LLVMBuildPhi(jit->builder, LLVMTypeOf(at), "");
        } else {
            copy = LLVMInstructionClone(at);
            LLVMInstructionSetDebugLoc(copy, NULL);
            LLVMInsertIntoBuilder(jit->builder, copy);
        }
        value_put(outline, at, copy);
    }
}

static void
connect_phi(struct outline *outline, LLVMValueRef from, LLVMValueRef to)
{
    for (unsigned i = 0; i < LLVMCountIncoming(from); i++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(from, i);
        LLVMValueRef value = value_of(outline, LLVMGetIncomingValue(from, i));
        bool before =
            jit_cfg_index(outline->loop->cfg, block) == outline->loop->before;
        block = before ? outline->entry : block_of(outline, block);
        LLVMAddIncoming(to, &value, &block, 1);
    }
}

static void
connect_operands(struct outline *outline, LLVMValueRef copy)
{
    int count = LLVMGetNumOperands(copy);
    for (int i = 0; i < count; i++) {
        LLVMValueRef value = LLVMGetOperand(copy, (unsigned)i);
        if (LLVMValueIsBasicBlock(value)) {
            value = LLVMBasicBlockAsValue(
                block_of(outline, LLVMValueAsBasicBlock(value)));
        } else {
            value = value_of(outline, value);
        }
        LLVMSetOperand(copy, (unsigned)i, value);
    }
}

static void
connect_block(struct outline *outline, unsigned block)
{
    LLVMValueRef at =
        LLVMGetFirstInstruction(outline->loop->cfg->blocks[block].block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        LLVMValueRef copy = value_of(outline, at);
        if (LLVMIsAPHINode(at)) {
            connect_phi(outline, at, copy);
        } else if (copy != at) {
            connect_operands(outline, copy);
        }
    }
}

/* Writes, in the new function, the exit with the given number: its phis, and
 * the return of all results. */
static void
write_exit(struct outline *outline, unsigned number)
{
    struct jit *jit = outline->jit;
    const struct jit_pure_loop *loop = outline->loop;
    LLVMBasicBlockRef exit = loop->cfg->blocks[loop->exits[number]].block;
    LLVMValueRef phis[MAX_RESULTS];
    LLVMPositionBuilderAtEnd(jit->builder, block_of(outline, exit));
    for (unsigned i = 0; i < loop->result_count; i++) {
        LLVMValueRef phi = loop->results[i];
        phis[i] = NULL;
        if (LLVMGetInstructionParent(phi) == exit) {
            phis[i] = LLVMBuildPhi(jit->builder, LLVMTypeOf(phi), "");
            connect_phi(outline, phi, phis[i]);
        }
    }
    LLVMValueRef all = LLVMGetPoison(outline->result);
    for (unsigned i = 0; i < loop->result_count; i++) {
        if (phis[i]) {
            all = LLVMBuildInsertValue(jit->builder, all, phis[i], i, "");
        }
    }
    if (loop->exit_count > 1) {
        all =
            LLVMBuildInsertValue(jit->builder, all, jit_constant(jit, number),
                                 loop->result_count, "");
    }
    LLVMBuildRet(jit->builder, all);
}

/* Writes the new function: a copy of the loop, with the loop's inputs as
 * parameters. */
static void
write_function(struct outline *outline)
{
    struct jit *jit = outline->jit;
    const struct jit_pure_loop *loop = outline->loop;
    outline->entry =
        LLVMAppendBasicBlockInContext(jit->context, outline->function, "");
    outline->blocks = jit_allocate(loop->cfg->count * sizeof *outline->blocks);
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        if (loop->inside[b]) {
            outline->blocks[b] = LLVMAppendBasicBlockInContext(
                jit->context, outline->function, "");
        }
    }
    for (unsigned i = 0; i < loop->exit_count; i++) {
        outline->blocks[loop->exits[i]] =
            LLVMAppendBasicBlockInContext(jit->context, outline->function, "");
    }
    for (unsigned i = 0; i < loop->input_count; i++) {
        value_put(outline, loop->inputs[i],
                  LLVMGetParam(outline->function, i));
    }
    LLVMSetCurrentDebugLocation2(jit->builder, NULL);
    LLVMPositionBuilderAtEnd(jit->builder, outline->entry);
    LLVMBuildBr(jit->builder, outline->blocks[loop->head]);
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        if (loop->inside[b]) {
            copy_instructions(outline, b);
        }
    }
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        if (loop->inside[b]) {
            connect_block(outline, b);
        }
    }
    for (unsigned i = 0; i < loop->exit_count; i++) {
        write_exit(outline, i);
    }
}

/* ---- replacing the loop by calls ---- */

/* Returns the width in bits of the loop's widest value, at least 32. */
static unsigned
widest_of(const struct jit_pure_loop *loop)
{
    unsigned bits = 32;
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        LLVMValueRef at = jit_first_in_loop(loop, b);
        for (; at; at = LLVMGetNextInstruction(at)) {
            LLVMTypeRef type = LLVMTypeOf(at);
            LLVMTypeKind kind = LLVMGetTypeKind(type);
            if (kind == LLVMDoubleTypeKind ||
                (kind == LLVMIntegerTypeKind &&
                 LLVMGetIntTypeWidth(type) == 64)) {
                bits = 64;
            }
        }
    }
    return bits;
}

/* Returns the largest width of the loop's vector variants, in threads. It is
 * chosen so that a vector of the loop's widest type takes at most two
 * registers. */
static unsigned
most_width(const struct jit *jit, const struct jit_outlined *row)
{
    return 2 * (unsigned)atoi(jit->options.target->vector_bits) / row->bits;
}

/* Adds an attribute to the call that tells LLVM's vectoriser the names of the
 * vector variants. */
static void
tell_variants(struct jit *jit, LLVMValueRef call,
              const struct jit_outlined *row)
{
    static const char key[] = "vector-function-abi-variant";
    /* MAX_INPUTS letters, one for each input of the loop; v: the input is a
     * vector */
    static const char each[] = "vvvvvvvvvvvvvvvv";
    const char *scalar = jit_name(jit_callee(call));
    struct jit_text text = {0};
    for (unsigned width = 2; width <= most_width(jit, row); width *= 2) {
        jit_text_add(&text, "%s_ZGV_LLVM_M%u%.*s_%s(%s.%u)",
                     text.length ? "," : "", width,
                     (int)LLVMGetNumArgOperands(call), each, scalar, scalar,
                     width);
    }
    LLVMAddCallSiteAttribute(
        call, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(jit->context, key, sizeof key - 1,
                                  text.bytes, (unsigned)text.length));
}

/* Declares the vector variants of a function that returns one result of an
 * outlined loop, a loop that was moved into a function. LLVM's vectoriser may
 * call the variants. The last argument of a variant is the mask of the active
 * threads. */
static void
declare_variants(struct jit *jit, LLVMValueRef function,
                 struct jit_result_name name)
{
    LLVMTypeRef types[MAX_INPUTS + 1], wide[MAX_INPUTS + 1];
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    unsigned count = LLVMCountParamTypes(type);
    unsigned most = most_width(jit, &jit->outlined[name.number]);
    LLVMGetParamTypes(type, types);
    types[count++] = jit->i1;
    for (name.width = 2; name.width <= most; name.width *= 2) {
        for (unsigned i = 0; i < count; i++) {
            wide[i] = jit_wide_type(types[i], name.width);
        }
        LLVMTypeRef result =
            jit_wide_type(LLVMGetReturnType(type), name.width);
        jit_declare_result(jit, &name,
                           LLVMFunctionType(result, wide, count, 0));
    }
}

void
jit_declare_loops(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        struct jit_result_name name;
        if (jit_read_result_name(function, &name) && name.width == 1) {
            declare_variants(jit, function, name);
        }
    }
}

/* Builds the call of one result of the loop, with the loop's inputs as
 * arguments. */
static LLVMValueRef
build_call(struct outline *outline, const struct jit_outlined *row,
           unsigned result, LLVMTypeRef type)
{
    struct jit *jit = outline->jit;
    const struct jit_pure_loop *loop = outline->loop;
    struct jit_result_name name = {row->number, result, 1};
    LLVMTypeRef types[MAX_INPUTS];
    for (unsigned i = 0; i < loop->input_count; i++) {
        types[i] = LLVMTypeOf(loop->inputs[i]);
    }
    LLVMTypeRef of = LLVMFunctionType(type, types, loop->input_count, 0);
    LLVMValueRef callee = jit_declare_result(jit, &name, of);
    LLVMValueRef call =
        LLVMBuildCall2(jit->builder, of, callee, (LLVMValueRef *)loop->inputs,
                       loop->input_count, "");
    if (row->kernel->own_loops) {
        tell_variants(jit, call, row);
    }
    return call;
}

/* Builds the branches from the call to the code after the loop: `number`, a
 * value at run time, selects one of the loop's exits. */
static void
build_exits(struct outline *outline, LLVMValueRef number)
{
    struct jit *jit = outline->jit;
    const struct jit_pure_loop *loop = outline->loop;
    const struct jit_block *blocks = loop->cfg->blocks;
    for (unsigned i = 0; i + 1 < loop->exit_count; i++) {
        bool last = i + 2 == loop->exit_count;
        LLVMBasicBlockRef next =
            last ? blocks[loop->exits[i + 1]].block
                 : LLVMInsertBasicBlockInContext(
                       jit->context, blocks[loop->exits[0]].block, "");
        LLVMValueRef here = LLVMBuildICmp(jit->builder, LLVMIntEQ, number,
                                          jit_constant(jit, i), "");
        LLVMBuildCondBr(jit->builder, here, blocks[loop->exits[i]].block,
                        next);
        LLVMPositionBuilderAtEnd(jit->builder, next);
    }
}

static void
replace_loop(struct outline *outline, const struct jit_outlined *row)
{
    struct jit *jit = outline->jit;
    const struct jit_pure_loop *loop = outline->loop;
    LLVMBasicBlockRef before = loop->cfg->blocks[loop->before].block;
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMSetCurrentDebugLocation2(jit->builder, NULL);
    LLVMPositionBuilderAtEnd(jit->builder, before);
    for (unsigned i = 0; i < loop->result_count; i++) {
        LLVMValueRef phi = loop->results[i];
        jit_replace(phi, build_call(outline, row, i, LLVMTypeOf(phi)));
    }
    if (loop->exit_count == 1) {
        LLVMBuildBr(jit->builder, loop->cfg->blocks[loop->exits[0]].block);
    } else {
        build_exits(outline,
                    build_call(outline, row, loop->result_count, jit->i32));
    }
}

static void
drop_block(LLVMBasicBlockRef block)
{
    LLVMValueRef at;
    while ((at = LLVMGetLastInstruction(block))) {
        LLVMReplaceAllUsesWith(at, LLVMGetUndef(LLVMTypeOf(at)));
        LLVMInstructionEraseFromParent(at);
    }
}

/* Deletes the loop's basic blocks. Terminators are erased first, since they
 * refer to other blocks. */
static void
drop_loop(const struct jit_pure_loop *loop)
{
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        if (loop->inside[b]) {
            LLVMInstructionEraseFromParent(
                LLVMGetBasicBlockTerminator(loop->cfg->blocks[b].block));
        }
    }
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        if (loop->inside[b]) {
            drop_block(loop->cfg->blocks[b].block);
        }
    }
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        if (loop->inside[b]) {
            LLVMDeleteBasicBlock(loop->cfg->blocks[b].block);
        }
    }
}

/* Adds an element to jit.outlined and returns it. Pointers to other elements
 * become invalid. */
static struct jit_outlined *
row_add(struct jit *jit)
{
    unsigned count = jit->outlined_count + 1;
    jit->outlined = realloc(jit->outlined, count * sizeof *jit->outlined);
    if (!jit->outlined) {
        jit_die("out of memory");
    }
    jit->outlined_count = count;
    jit->outlined[count - 1] = (struct jit_outlined){.number = count - 1};
    return &jit->outlined[count - 1];
}

struct jit_outlined *
jit_outline_loop(struct jit *jit, struct jit_kernel *kernel,
                 const struct jit_pure_loop *loop)
{
    struct outline outline = {.jit = jit, .loop = loop};
    struct jit_outlined *row = row_add(jit);
    LLVMTypeRef types[MAX_INPUTS], results[MAX_RESULTS];
    for (unsigned i = 0; i < loop->input_count; i++) {
        types[i] = LLVMTypeOf(loop->inputs[i]);
    }
    for (unsigned i = 0; i < loop->result_count; i++) {
        results[i] = LLVMTypeOf(loop->results[i]);
    }
    results[loop->result_count] = jit->i32;
    row->kernel = kernel;
    kernel->own_loops =
        jit->options.regions && (!kernel->fibers || kernel->regions);
    row->bits = widest_of(loop);
    outline.result = LLVMStructTypeInContext(
        jit->context, results, loop->result_count + (loop->exit_count > 1), 0);
    outline.function = row->function = LLVMAddFunction(
        jit->module, jit_format("%s%u", prefix, row->number),
        LLVMFunctionType(outline.result, types, loop->input_count, 0));
    jit_add_attribute(jit, row->function, "nounwind");
    /* No pass may change the function until the vectoriser has chosen its
     * vector variants, because the variants are made from the function. */
    jit_add_attribute(jit, row->function, "noinline");
    jit_add_attribute(jit, row->function, "optnone");
    write_function(&outline);
    replace_loop(&outline, row);
    drop_loop(loop);
    return row;
}

/* ---- all loops of a kernel ---- */

/* Returns the first source line of the loop. */
static unsigned
line_of(const struct jit_pure_loop *loop)
{
    unsigned first = 0;
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        LLVMValueRef at = jit_first_in_loop(loop, b);
        for (; at; at = LLVMGetNextInstruction(at)) {
            unsigned line = LLVMIsAPHINode(at) ? 0 : jit_line_of(at);
            first = line && (!first || line < first) ? line : first;
        }
    }
    return first;
}

static void
outline_loops(struct jit *jit, struct jit_kernel *kernel)
{
    for (;;) {
        struct jit_cfg cfg;
        struct jit_pure_loop loop;
        jit_cfg_read(&cfg, kernel->body);
        if (!jit_find_pure_loop(jit, &cfg, &loop)) {
            return;
        }
        unsigned line = line_of(&loop);
        struct jit_outlined *row = jit_outline_loop(jit, kernel, &loop);
        row->line = line;
    }
}

static bool
may_have_loop(LLVMValueRef function)
{
    struct jit_cfg cfg;
    jit_cfg_read(&cfg, function);
    return jit_may_have_pure_loop(&cfg);
}

/* Runs LLVM's passes loop-simplify and lcssa, which jit_find_pure_loop needs,
 * over the functions that may have a loop without side effects. Leaves all
 * other functions unchanged. Returns false if no function may have one. */
static bool
prepare_bodies(struct jit *jit)
{
    struct jit_map untouched = {0};
    bool any = false;
    LLVMValueRef at = LLVMGetFirstFunction(jit->module);
    for (; at; at = LLVMGetNextFunction(at)) {
        if (LLVMIsDeclaration(at) || jit_has_attribute(at, "optnone")) {
            continue;
        }
        if (may_have_loop(at)) {
            any = true;
            continue;
        }
        *jit_map_slot(&untouched, at) = 1 + jit_has_attribute(at, "noinline");
        jit_add_attribute(jit, at, "noinline");
        jit_add_attribute(jit, at, "optnone");
    }
    if (any) {
        /* The pass early-cse removes loads in a loop that repeat a load before
         * the loop. */
        jit_run_passes(jit, "function(early-cse<memssa>,loop-simplify,lcssa)");
    }
    for (at = LLVMGetFirstFunction(jit->module); at;
         at = LLVMGetNextFunction(at)) {
        unsigned was = jit_map_get(&untouched, at);
        if (was) {
            jit_drop_attribute(at, "optnone");
        }
        if (was == 1) {
            jit_drop_attribute(at, "noinline");
        }
    }
    return any;
}

void
jit_outline_loops(struct jit *jit)
{
    const struct jit_options *options = &jit->options;
    if (!options->level || options->debug || options->checks ||
        options->quick == JIT_QUICK_NOW || !prepare_bodies(jit)) {
        return;
    }
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        outline_loops(jit, &jit->kernels[i]);
    }
}
