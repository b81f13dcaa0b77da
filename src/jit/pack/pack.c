/* pack.c - decides which kernels run in packs of neighbouring threads.
 *
 * Called by main.c after kernels are split at barriers. LLVM vectorises
 * innermost loops only, so a loop inside a thread hides the loop over threads
 * from it. A kernel without barriers that has such a loop, with memory
 * accesses in it, gets functions that run the whole body for several threads
 * (flow.c); the entry calls them instead of the body (entries/loop.c). Loops
 * that only compute are left to loops/.
 *
 * A wide pack keeps several vectors per value, so that the processor works on
 * them at the same time; the rest of a row runs in packs of one vector, the
 * last one with a mask.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/options.h"
#include "jit/pack/pack.h"
#include "jit/regions/regions.h"
#include "jit/target/target.h"
#include "jit/text.h"

enum {
    MOST_BLOCKS = 300,
    MOST_INSTRUCTIONS = 4000,
    NEAR = 4,   /* greatest stride, in elements, with which a vector access is
                 * assumed to be cheap; others are "scattered" */
    WORTH = 12, /* assumed cost of a scattered access, in instructions */
};

/* Counts of the instructions in the loops of a body. */
struct content {
    const struct jit_pack_body *body;
    unsigned size, accesses, scattered;
    /* number of instructions with vector results in innermost loops */
    unsigned vectors;
    bool wide; /* the loops compute with 64-bit floating-point numbers */
    /* the loops have accesses whose elements are consecutive in most packs,
     * but not in all, so that a run-time test is needed */
    bool tested;
    bool buffered; /* the loops contain buffered loads (iterations.c) */
};

static bool
may_pack(const struct jit *jit, const struct jit_kernel *kernel)
{
    const struct jit_options *options = &jit->options;
    return options->level && !options->debug && !options->checks &&
           !kernel->fibers && !kernel->regions && !kernel->sequential &&
           !kernel->calls_functions && !kernel->recursive &&
           !kernel->guard.split;
}

/* Tests whether the function has a loop. Quick test before the loops are
 * analysed. */
static bool
may_have_loop(const struct jit_kernel *kernel)
{
    struct jit_cfg cfg;
    jit_cfg_read(&cfg, kernel->body);
    if (cfg.count > MOST_BLOCKS) {
        return false;
    }
    for (unsigned b = 0; b < cfg.count; b++) {
        bool *reached = jit_allocate(cfg.count);
        for (unsigned k = 0; k < cfg.blocks[b].successor_count; k++) {
            jit_cfg_reach(&cfg, cfg.blocks[b].successors[k], NO_BLOCK,
                          reached);
        }
        bool cycle = reached[b];
        free(reached);
        if (cycle) {
            return true;
        }
    }
    return false;
}

static bool
is_scattered(const struct jit_pack_body *body, LLVMValueRef at)
{
    bool store = LLVMIsAStoreInst(at) != NULL;
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(at, 0) : at);
    struct jit_shape shape = jit_pack_shape(body, LLVMGetOperand(at, store));
    if (jit_pack_buffered(body, at)) {
        return false;
    }
    int64_t near =
        NEAR * (int64_t)LLVMABISizeOfType(
                   LLVMGetModuleDataLayout(body->jit->module), type);
    if (shape.kind == JIT_SHAPE_VECTOR) {
        int64_t stride = 0;
        return !jit_pack_probable_stride(body, LLVMGetOperand(at, store), type,
                                         &stride) ||
               stride > NEAR || stride < -NEAR;
    }
    return shape.stride > near || shape.stride < -near;
}

/* Tests whether the access is to consecutive elements in most packs, but not
 * in all. A run-time test then chooses between a vector access and scalar
 * ones; this favours short packs. */
static bool
is_tested(const struct jit_pack_body *body, LLVMValueRef at)
{
    bool store = LLVMIsAStoreInst(at) != NULL;
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(at, 0) : at);
    LLVMValueRef address = LLVMGetOperand(at, store);
    return !jit_pack_is_linear(body, address) &&
           jit_pack_row_index(body, address, type);
}

static bool
is_innermost(const struct jit_pack_body *body, unsigned block)
{
    for (unsigned i = 0; i < body->loop_count; i++) {
        if (body->loops[i].parent == body->loop_of[block]) {
            return false;
        }
    }
    return true;
}

static void
look_at(struct content *content, unsigned block)
{
    const struct jit_pack_body *body = content->body;
    LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[block].block);
    bool innermost = is_innermost(body, block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        bool access = LLVMIsALoadInst(at) || LLVMIsAStoreInst(at);
        bool vector = !jit_pack_is_linear(body, at);
        content->size++;
        content->accesses += access;
        content->buffered |= jit_pack_buffered(body, at) != NULL;
        content->scattered += access && is_scattered(body, at);
        content->tested |= access && is_tested(body, at);
        content->vectors += innermost && vector;
        content->wide |=
            vector && LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMDoubleTypeKind;
    }
}

/* Tests whether packs are expected to make the body faster: its loops access
 * memory, and neighbouring threads mostly access neighbouring elements. */
static bool
pays(const struct jit_pack_body *body, struct content *content)
{
    for (unsigned b = 0; b < body->cfg.count; b++) {
        if (body->loop_of[b] != JIT_NO_LOOP) {
            look_at(content, b);
        }
    }
    return content->accesses && content->scattered * WORTH <= content->size;
}

static bool
all_fit(const struct jit_pack_body *body)
{
    unsigned count = 0;
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[b].block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (!jit_pack_accepts(at) || ++count > MOST_INSTRUCTIONS) {
                return false;
            }
        }
    }
    return true;
}

/* Returns how many vectors of the target a wide pack has per value: as many as
 * the registers hold for the values of the loops. */
static unsigned
vectors_per_value(const struct content *content)
{
    enum { FEW = 14, SOME = 28 };
    if (content->tested || content->scattered || content->buffered) {
        return 1;
    }
    return content->vectors <= FEW ? 4 : content->vectors <= SOME ? 2 : 1;
}

static void
write_packs(struct jit_pack_body *body, const struct content *content)
{
    struct jit_kernel *kernel = body->kernel;
    unsigned bits =
        (unsigned)strtoul(body->jit->options.target->vector_bits, NULL, 10);
    unsigned lanes = bits / (content->wide ? 64 : 32);
    kernel->packs[0] = lanes * vectors_per_value(content);
    kernel->packs[1] = lanes;
    for (unsigned i = 0; i < 2; i++) {
        if (i == 0 || kernel->packs[1] != kernel->packs[0]) {
            jit_pack_write(body, kernel->packs[i]);
        }
    }
}

/* Reads the body and determines the shapes of its values: which are equal in
 * all lanes of a pack or grow linearly. Returns false if the body cannot run
 * in packs. */
static bool
analyse(struct jit_pack_body *body)
{
    struct jit_kernel *kernel = body->kernel;
    jit_cfg_read(&body->cfg, kernel->body);
    if (body->cfg.count > MOST_BLOCKS || !all_fit(body) ||
        !jit_pack_read(body) || !body->loop_count) {
        return false;
    }
    unsigned count = body->cfg.count;
    body->immediate = jit_allocate(count * sizeof *body->immediate);
    body->apart = jit_allocate(count);
    jit_find_row_differing(kernel, &body->cfg, &body->differs, body->immediate,
                           body->apart);
    if (!jit_pack_lanes_meet_in_iteration(body)) {
        return false;
    }
    jit_pack_hoist(body);
    jit_pack_find_shapes(body);
    jit_pack_find_buffered(body);
    return true;
}

/* Writes the packs of a kernel. First fuses products and sums (a * b + c).
 * Otherwise the code generator would fuse those within one basic block, and
 * results could differ, since packs have other basic blocks than the kernel
 * body, which also runs where there is no pack. */
static void
pack_kernel(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_pack_body body = {.jit = jit, .kernel = kernel};
    struct content content = {.body = &body};
    if (!analyse(&body) || !pays(&body, &content)) {
        return;
    }
    jit_fuse_products(jit, kernel->body);
    if (jit->options.regions) {
        body = (struct jit_pack_body){.jit = jit, .kernel = kernel};
        analyse(&body);
        write_packs(&body, &content);
    }
}

static bool
is_chosen_body(const struct jit *jit, const bool *chosen, LLVMValueRef at)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        if (chosen[i] && jit->kernels[i].body == at) {
            return true;
        }
    }
    return false;
}

/* Sets the attribute optnone on all functions except the bodies of the chosen
 * kernels, because a loop that LLVM's passes have changed is not vectorised as
 * well later. Returns the functions that got the attribute, ending with
 * NULL. */
static LLVMValueRef *
protect_others(struct jit *jit, const bool *chosen)
{
    unsigned count = 0;
    LLVMValueRef at = LLVMGetFirstFunction(jit->module);
    for (; at; at = LLVMGetNextFunction(at)) {
        count++;
    }
    LLVMValueRef *others = jit_allocate((count + 1) * sizeof *others);
    count = 0;
    at = LLVMGetFirstFunction(jit->module);
    for (; at; at = LLVMGetNextFunction(at)) {
        if (!LLVMIsDeclaration(at) && !is_chosen_body(jit, chosen, at) &&
            !jit_has_attribute(at, "optnone")) {
            jit_add_attribute(jit, at, "optnone");
            others[count++] = at;
        }
    }
    return others;
}

static void
pack_chosen(struct jit *jit, const bool *chosen)
{
    bool any = false;
    LLVMValueRef *others = protect_others(jit, chosen);
    jit_run_passes(jit, "function(early-cse<memssa>,loop-simplify,lcssa)");
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        if (chosen[i]) {
            pack_kernel(jit, &jit->kernels[i]);
            any |= jit->kernels[i].packs[0] != 0;
        }
    }
    if (any) {
        jit_run_passes(jit, "function(sroa,early-cse,simplifycfg)");
    }
    for (unsigned i = 0; others[i]; i++) {
        jit_drop_attribute(others[i], "optnone");
    }
    free(others);
}

void
jit_pack_kernels(struct jit *jit)
{
    bool any = false;
    bool *chosen = jit_allocate(jit->kernel_count + 1);
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        chosen[i] =
            may_pack(jit, &jit->kernels[i]) && may_have_loop(&jit->kernels[i]);
        any |= chosen[i];
    }
    if (any) {
        pack_chosen(jit, chosen);
    }
    free(chosen);
}
