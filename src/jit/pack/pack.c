/* pack.c - decides which kernels run in packs of neighbouring threads.
 *
 * Called by main.c after kernels are split at barriers. LLVM vectorises
 * innermost loops only, so it cannot vectorise the loop over threads if the
 * kernel has a loop inside. A kernel without barriers that has such a loop,
 * with memory accesses in it, gets functions that run the whole body for
 * several threads (flow.c); the entry calls them instead of the body
 * (entries/loop.c). Loops that only compute are left to loops/.
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

#include "jit/analyse/cfg.h"
#include "jit/analyse/uniform.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/options.h"
#include "jit/pack/assumptions.h"
#include "jit/pack/pack.h"
#include "jit/report.h"
#include "jit/target/target.h"
#include "jit/text.h"

enum {
    MOST_BLOCKS = 300,
    MOST_INSTRUCTIONS = 4000,
    NEAR = 4,   /* greatest stride, in elements, for which a vector access is
                 * assumed to be cheap; an access with a greater stride is
                 * called scattered */
    WORTH = 12, /* assumed cost of a scattered access, in instructions */
    /* maximum number of instructions, in total, of the copies of a kernel's
     * body that are made for the code between two barriers; making the copies
     * takes most of this pass's time */
    MOST_COPIED = 40000,
};

/* Numbers and kinds of the instructions in the loops of a kernel body, or in
 * the whole body if it has no loop. */
struct content {
    const struct jit_pack_body *body;
    unsigned size, accesses, scattered;
    /* estimate of the number of values that need vectors at the same time: the
     * largest such number of all innermost loops */
    unsigned vectors;
    bool wide; /* true: the loops compute with 64-bit floating-point numbers */
    /* number of accesses that need a run-time test: the elements that
     * neighbouring threads access are mostly consecutive, but not always */
    unsigned tested;
    /* true: some accesses have an index that is limited to a range, as by min
     * and max */
    bool clamped;
    /* number of branches for which lanes may take different paths */
    unsigned divergent;
    bool calls; /* true: the body calls functions other than intrinsics */
    /* number of buffered loads (iterations.c) */
    unsigned buffered;
};

/* A function that gets a version for packs (several neighbouring threads as
 * lanes of vectors): the body of a kernel without barriers, or a region. A
 * region is the code of a kernel from its start or a barrier to the next
 * barrier. */
struct job {
    /* the kernel to write packs for. For the code between two barriers: a copy
     * of the kernel whose body contains only this code (regions.c) */
    struct jit_kernel *kernel;
    /* output array of JIT_PACK_WIDTHS elements. Element i is the number of
     * threads that one call of the i-th function for packs runs. The format is
     * that of jit_kernel.packs. */
    unsigned *packs;
    bool region;
    /* false: comparisons and selects in indices are not assumed to have the
     * same outcome in all lanes (choices.c) */
    bool may_assume;
    /* receives whether the body's branches on uniform terms have been split
     * (branches.c) */
    bool split;
};

static bool
may_pack(const struct jit *jit, const struct jit_kernel *kernel)
{
    const struct jit_options *options = &jit->options;
    return options->level && !options->debug && !options->checks &&
           options->quick != JIT_QUICK_NOW && !kernel->fibers &&
           !kernel->warps && !kernel->sequential && !kernel->calls_functions &&
           !kernel->recursive && !kernel->guard.split;
}

/* Quick test, before the loops are analysed, of whether the code from basic
 * block `from` on might be faster if it runs for a pack, several neighbouring
 * threads as lanes of vectors: the code has a loop with memory accesses, an
 * integer that is chosen from several values (jit_pack_is_choice), or a
 * quotient that is used as an index. */
static bool
may_pay(const struct jit_cfg *cfg, unsigned from)
{
    bool pays = false;
    bool *reached = jit_allocate(cfg->count);
    jit_cfg_reach(cfg, from, NO_BLOCK, reached);
    for (unsigned b = 0; b < cfg->count && !pays; b++) {
        LLVMValueRef at =
            reached[b] ? LLVMGetFirstInstruction(cfg->blocks[b].block) : NULL;
        bool access = false;
        for (; at && !pays; at = LLVMGetNextInstruction(at)) {
            pays = jit_pack_is_choice(at) || jit_pack_is_index_quotient(at);
            access |= LLVMIsALoadInst(at) || LLVMIsAStoreInst(at);
        }
        pays = pays || (access && jit_cfg_is_cyclic(cfg, b));
    }
    free(reached);
    return pays;
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

/* Tests whether the elements that neighbouring threads load or store are
 * mostly consecutive, but not always. A run-time test of all lanes then
 * chooses between a vector access and scalar accesses. Packs of few threads
 * are better for such code. Returns false for indices that are consecutive
 * unless they wrap, since their test is a single comparison. */
static bool
is_tested(const struct jit_pack_body *body, LLVMValueRef at)
{
    bool store = LLVMIsAStoreInst(at) != NULL;
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(at, 0) : at);
    LLVMValueRef address = LLVMGetOperand(at, store);
    LLVMValueRef index = jit_pack_is_linear(body, address)
                             ? NULL
                             : jit_pack_row_index(body, address, type);
    return index && !jit_pack_unwrapped(body, index);
}

/* Tests for a load or store with an index that is limited to a range, as by
 * min and max. The elements of neighbouring threads are mostly consecutive,
 * but LLVM's vectoriser would write a gather or scatter. */
static bool
is_clamped(const struct jit_pack_body *body, LLVMValueRef at)
{
    bool store = LLVMIsAStoreInst(at) != NULL;
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(at, 0) : at);
    LLVMValueRef address = LLVMGetOperand(at, store);
    return !jit_pack_is_linear(body, address) &&
           jit_pack_is_clamped(body, address, type);
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

/* Counts the instructions of the basic block whose results are vectors. If
 * `phis` is true, counts only phis, whose values a loop carries. */
static unsigned
count_vectors(const struct jit_pack_body *body, unsigned block, bool phis)
{
    LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[block].block);
    unsigned count = 0;
    for (; at; at = LLVMGetNextInstruction(at)) {
        count +=
            !jit_pack_is_linear(body, at) && (!phis || LLVMIsAPHINode(at));
    }
    return count;
}

static bool
has_calls(const struct jit_pack_body *body)
{
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[b].block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (LLVMIsACallInst(at) && !jit_is_call(at, "llvm.")) {
                return true;
            }
        }
    }
    return false;
}

/* Estimates the number of values that need vectors at the same time: the
 * results in one innermost loop, and the phis of all other loops, which carry
 * values over that loop. Returns the largest number of all innermost loops. */
static unsigned
most_vectors(const struct jit_pack_body *body)
{
    unsigned most = 0;
    for (unsigned i = 0; i < body->cfg.count; i++) {
        unsigned count = 0, loop = body->loop_of[i];
        if (!is_innermost(body, i)) {
            continue;
        }
        for (unsigned b = 0; b < body->cfg.count; b++) {
            bool own = body->loop_of[b] == loop;
            bool other = body->loop_of[b] != JIT_NO_LOOP;
            count += own || other ? count_vectors(body, b, !own) : 0;
        }
        most = count > most ? count : most;
    }
    return most;
}

static void
look_at(struct content *content, unsigned block)
{
    const struct jit_pack_body *body = content->body;
    LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[block].block);
    content->divergent +=
        body->cfg.blocks[block].successor_count > 1 &&
        !jit_pack_is_linear(body,
                            LLVMGetOperand(LLVMGetBasicBlockTerminator(
                                               body->cfg.blocks[block].block),
                                           0));
    for (; at; at = LLVMGetNextInstruction(at)) {
        bool access = LLVMIsALoadInst(at) || LLVMIsAStoreInst(at);
        bool vector = !jit_pack_is_linear(body, at);
        content->size++;
        content->accesses += access;
        content->scattered += access && is_scattered(body, at);
        content->tested += access && is_tested(body, at);
        content->clamped |= access && is_clamped(body, at);
        content->wide |=
            vector && LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMDoubleTypeKind;
    }
}

/* Tests whether the body is expected to be faster if it runs for packs:
 * several neighbouring threads as lanes of vectors. The conditions: the body
 * has loops that access memory, an index that is limited to a range
 * (is_clamped), or assumed quotients of indices; and neighbouring threads
 * mostly access neighbouring elements. Fills *content. */
static bool
pays(const struct jit_pack_body *body, struct content *content)
{
    *content = (struct content){.body = body};
    for (unsigned b = 0; b < body->cfg.count; b++) {
        if (body->loop_of[b] != JIT_NO_LOOP || !body->loop_count) {
            look_at(content, b);
        }
    }
    content->vectors = most_vectors(body);
    content->calls = has_calls(body);
    content->buffered = body->buffered_count;
    return content->accesses && content->scattered * WORTH <= content->size &&
           (body->loop_count || content->clamped || body->quotient_count);
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

/* Returns the number of vectors (registers of the processor) that a wide pack
 * (a group of neighbouring threads that one function runs) uses for each
 * value. The number is limited so that the values of the loops fit in the
 * registers. */
static unsigned
vectors_per_value(const struct content *content)
{
    enum { TINY = 6, FEW = 14, SOME = 28 };
    if (content->tested || content->scattered) {
        return 1;
    }
    /* Two vectors hide the latency of the additions to one sum. More rows of a
     * matrix at a time than those of two vectors are slower to read. */
    if (content->buffered) {
        return content->buffered == 1 ? 2 : 1;
    }
    /* Slow paths of functions have no variants for packs of eight vectors. */
    if (content->vectors <= TINY && !content->calls) {
        return 8;
    }
    return content->vectors <= FEW ? 4 : content->vectors <= SOME ? 2 : 1;
}

static void
count_instruction(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)at;
    ++*(unsigned *)data;
}

/* Returns the number of lanes of one vector register: its width divided by 64
 * bits if the body computes with doubles, else by 32 bits. */
static unsigned
vector_lanes(const struct jit_pack_body *body, const struct content *content)
{
    const struct jit_target *target = body->jit->options.target;
    unsigned bits = (unsigned)strtoul(target->vector_bits, NULL, 10);
    return bits / (content->wide ? 64 : 32);
}

/* Writes the function that runs a pack after a failed run-time test in the
 * function for packs of `width` threads. `body` makes assumptions, `plain` is
 * the same body without them. If `body` assumes that min, max and selects in
 * indices take the same operand in all lanes, the assumption is only wrong at
 * a border of the data. The new function then divides the pack into packs of
 * `narrow` threads, since most of these do not contain the border. */
static LLVMValueRef
write_general(struct jit_pack_body *body, struct jit_pack_body *plain,
              unsigned width, unsigned narrow, bool region)
{
    LLVMValueRef general = body->choices && width > narrow
                               ? jit_pack_write_parts(body, width, narrow)
                               : jit_pack_write(plain, width, "general");
    LLVMSetLinkage(general, LLVMInternalLinkage);
    jit_add_attribute(body->jit, general,
                      region ? "alwaysinline" : "noinline");
    /* If min, max and selects in indices are assumed to take the same operand
     * in all lanes, the function is not cold: it runs for each row of threads
     * that crosses a border of the data, and rows may be short. */
    if (!body->choices) {
        jit_add_attribute(body->jit, general, "cold");
    }
    return general;
}

/* Sets the widths of the packs, in threads, the largest first: `vectors`
 * vectors of `lanes` threads; half of that if there are more than 4 vectors;
 * and one vector. */
static void
set_widths(unsigned *packs, unsigned lanes, unsigned vectors)
{
    unsigned count = 0;
    packs[count++] = lanes * vectors;
    if (vectors > 4) {
        packs[count++] = lanes * vectors / 2;
    }
    if (vectors > 1) {
        packs[count++] = lanes;
    }
    for (; count < JIT_PACK_WIDTHS; count++) {
        packs[count] = 0;
    }
}

/* Writes the functions for packs of several vectors (wide packs) and of one
 * vector. `region` is true if the body is the code between two barriers. A
 * long region gets no function for wide packs, as a kernel may have many
 * regions and such a function takes long to compile. If the body makes
 * assumptions on quotients, or on comparisons and selects in indices, `plain`
 * is the same body without them; otherwise NULL. Quotients are seldom uniform
 * in packs of more than two vectors, so a body that makes assumptions on
 * quotients gets no functions for wider packs. */
static void
write_packs(struct jit_pack_body *body, struct jit_pack_body *plain,
            const struct content *content, bool region)
{
    enum { LONG = 120, MOST_OF_QUOTIENTS = 2 };
    struct jit_kernel *kernel = body->kernel;
    unsigned size = 0;
    jit_each_instruction(body->jit, kernel->body, count_instruction, &size);
    unsigned vectors = region && size > LONG ? 1 : vectors_per_value(content);
    if (body->quotients && vectors > MOST_OF_QUOTIENTS) {
        vectors = MOST_OF_QUOTIENTS;
    }
    unsigned lanes = vector_lanes(body, content);
    set_widths(kernel->packs, lanes, vectors);
    body->register_lanes = lanes;
    if (plain) {
        plain->register_lanes = lanes;
    }
    for (unsigned i = JIT_PACK_WIDTHS; i-- > 0;) {
        unsigned width = kernel->packs[i];
        if (width) {
            body->general =
                plain ? write_general(body, plain, width, lanes, region)
                      : NULL;
            jit_pack_write(body, width, "pack");
        }
    }
}

/* Reads the body and determines the shapes of its values: which are equal in
 * neighbouring threads or grow by a constant from thread to thread. Returns
 * false if the body cannot run for several threads at a time. */
static bool
analyse(struct jit_pack_body *body)
{
    struct jit_kernel *kernel = body->kernel;
    jit_cfg_read(&body->cfg, kernel->body);
    if (body->cfg.count > MOST_BLOCKS || !all_fit(body) ||
        !jit_pack_read(body)) {
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

/* Tests whether the kernel should run in packs that assume that quotients of
 * indices are uniform (quotients.c): fewer accesses are then scattered than in
 * *content, which describes packs without the assumption. If so, stores the
 * description of packs with the assumption in *content. */
static bool
wants_quotients(struct jit *jit, struct jit_kernel *kernel,
                struct content *content)
{
    struct jit_pack_body body = {
        .jit = jit, .kernel = kernel, .quotients = true};
    struct content assumed;
    if (!content->scattered || !analyse(&body) || !pays(&body, &assumed) ||
        !body.quotient_count || assumed.scattered >= content->scattered) {
        return false;
    }
    assumed.body = NULL;
    *content = assumed;
    return true;
}

/* Tests whether the kernel should run in packs that assume that comparisons
 * and selects in indices (choices.c) have the same result, or select the same
 * operand, in all lanes. *content describes packs without this assumption. The
 * result is true if the assumption makes a sum smaller: the number of
 * scattered accesses, plus that of accesses with a run-time test of their own,
 * plus, if `packs` is true, that of divergent branches. If so, stores the
 * description of packs with the assumption in *content. `packs`: the kernel
 * runs in packs in any case. */
static bool
wants_choices(struct jit *jit, struct jit_kernel *kernel, bool quotients,
              bool packs, struct content *content)
{
    struct jit_pack_body body = {
        .jit = jit, .kernel = kernel, .quotients = quotients, .choices = true};
    struct content assumed;
    unsigned before = content->tested + content->scattered +
                      (packs ? content->divergent : 0);
    if (!before || !analyse(&body)) {
        return false;
    }
    pays(&body, &assumed);
    if (assumed.scattered * WORTH > assumed.size ||
        assumed.tested + assumed.scattered + (packs ? assumed.divergent : 0) >=
            before) {
        return false;
    }
    assumed.body = NULL;
    *content = assumed;
    return true;
}

/* Writes the functions that run a kernel body, or its code between two
 * barriers, for packs of neighbouring threads. */
static void
pack_job(struct jit *jit, struct job *job)
{
    struct jit_kernel *kernel = job->kernel;
    struct jit_pack_body body = {.jit = jit, .kernel = kernel};
    struct content content;
    if (!analyse(&body)) {
        return;
    }
    bool packs = pays(&body, &content);
    bool quotients = !job->region && wants_quotients(jit, kernel, &content);
    bool decided = packs || quotients;
    if (decided && jit->options.regions) {
        job->split = jit_pack_split_branches(&body);
    }
    bool choices = job->may_assume &&
                   wants_choices(jit, kernel, quotients, packs, &content);
    if (!decided && !choices) {
        return;
    }
    if (jit->options.regions) {
        struct jit_pack_body plain = {.jit = jit, .kernel = kernel};
        body = plain;
        body.quotients = quotients;
        body.choices = choices;
        analyse(&body);
        bool assumes = quotients || choices;
        if (assumes) {
            analyse(&plain);
        }
        write_packs(&body, assumes ? &plain : NULL, &content, job->region);
        for (unsigned i = 0; i < JIT_PACK_WIDTHS; i++) {
            job->packs[i] = kernel->packs[i];
        }
    }
}

/* ---- the module ---- */

/* A list of the functions that get a version for packs (several neighbouring
 * threads as lanes of vectors). */
struct jobs {
    struct job *list;
    unsigned count;
};

static void
add_job(struct jobs *jobs, struct job job)
{
    jobs->list = realloc(jobs->list, (jobs->count + 1) * sizeof job);
    if (!jobs->list) {
        jit_die("out of memory");
    }
    jobs->list[jobs->count++] = job;
}

/* Tests whether the code after a barrier, start point `point`, runs for only
 * one value of threadIdx.x, as in `if (threadIdx.x == 0)`. */
static bool
runs_one_thread(const struct jit_regions *regions, unsigned point)
{
    for (unsigned i = 0; i < regions->bound_counts[point]; i++) {
        const struct jit_region_bound *bound = &regions->bounds[point][i];
        if (bound->axis == 0 && bound->predicate == LLVMIntEQ) {
            return true;
        }
    }
    return false;
}

/* Tests whether the rows of a block are probably long: the kernel does not use
 * threadIdx.y. Otherwise they are often so short that each pack contains a
 * border of the data. */
static bool
rows_are_long(const struct jit_kernel *kernel)
{
    return !LLVMGetFirstUse(jit_body_argument(kernel, JIT_TID + 1));
}

static void
add_regions(struct jit *jit, struct jobs *jobs, struct jit_kernel *kernel,
            const struct jit_cfg *cfg)
{
    struct jit_regions *regions = kernel->regions;
    unsigned size = 0, copied = 0;
    jit_each_instruction(jit, kernel->body, count_instruction, &size);
    for (unsigned k = 0; k < regions->count; k++) {
        unsigned start = jit_pack_start(kernel, cfg, k);
        if (copied + size > MOST_COPIED) {
            return;
        }
        if (start != NO_BLOCK && !runs_one_thread(regions, k) &&
            jit_pack_is_parallel(kernel, cfg, start) && may_pay(cfg, start)) {
            add_job(jobs, (struct job){jit_pack_region(jit, kernel, k),
                                       regions->packs[k], true,
                                       rows_are_long(kernel), false});
            copied += size;
        }
    }
}

static struct jobs
find_jobs(struct jit *jit)
{
    struct jobs jobs = {NULL, 0};
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        struct jit_kernel *kernel = &jit->kernels[i];
        struct jit_cfg cfg;
        if (!may_pack(jit, kernel)) {
            continue;
        }
        jit_cfg_read(&cfg, kernel->body);
        if (kernel->regions) {
            add_regions(jit, &jobs, kernel, &cfg);
        } else if (cfg.count <= MOST_BLOCKS && may_pay(&cfg, 0)) {
            add_job(&jobs,
                    (struct job){kernel, kernel->packs, false, true, false});
        }
    }
    return jobs;
}

/* Tests whether the function is in the list of functions that get packs. If
 * `regions` is true, only functions with the code between two barriers count.
 */
static bool
is_function_of(const struct jobs *jobs, LLVMValueRef function, bool regions)
{
    for (unsigned i = 0; i < jobs->count; i++) {
        if (jobs->list[i].kernel->body == function &&
            (jobs->list[i].region || !regions)) {
            return true;
        }
    }
    return false;
}

/* Prepares the LLVM passes that come next. They are meant for the functions in
 * the list `jobs`, or only for the regions in it if `regions` is true. In all
 * other functions they would make loops harder to vectorise. Sets the
 * attribute optnone for these other functions, so that the passes skip them,
 * and returns them as an array that ends with NULL. */
static LLVMValueRef *
protect_others(struct jit *jit, const struct jobs *jobs, bool regions)
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
        if (!LLVMIsDeclaration(at) && !is_function_of(jobs, at, regions) &&
            !jit_has_attribute(at, "optnone")) {
            jit_add_attribute(jit, at, "optnone");
            others[count++] = at;
        }
    }
    return others;
}

static void
release_others(LLVMValueRef *others)
{
    for (unsigned i = 0; others[i]; i++) {
        jit_drop_attribute(others[i], "optnone");
    }
    free(others);
}

/* Completes the functions for the code between two barriers of a kernel:
 * inlines a copy of the kernel's body into each, and removes from the copy the
 * code outside of these barriers. */
static void
open_regions(struct jit *jit, const struct jobs *jobs)
{
    bool any = false;
    for (unsigned i = 0; i < jobs->count; i++) {
        any |= jobs->list[i].region;
    }
    if (!any) {
        return;
    }
    jit_run_passes(jit, "always-inline");
    for (unsigned i = 0; i < jobs->count; i++) {
        if (jobs->list[i].region) {
            jit_pack_clean_region(jit, jobs->list[i].kernel);
        }
    }
    LLVMValueRef *others = protect_others(jit, jobs, true);
    jit_run_passes(jit, "function(sccp,simplifycfg,early-cse)");
    release_others(others);
}

/* Deletes the functions with the code between two barriers that are not
 * called. A remaining one is called by its function for packs, which runs the
 * threads one by one after a failed run-time test. Marks the remaining
 * functions for inlining, since a call would pass the address of the entry's
 * sum of votes. The sum would then stay in memory, and the thread loop that
 * adds votes to it would be vectorised as if its iterations were independent.
 */
static void
drop_regions(struct jit *jit, const struct jobs *jobs)
{
    for (unsigned i = 0; i < jobs->count; i++) {
        LLVMValueRef body = jobs->list[i].kernel->body;
        if (jobs->list[i].region && !LLVMGetFirstUse(body)) {
            LLVMDeleteFunction(body);
        } else if (jobs->list[i].region) {
            LLVMSetLinkage(body, LLVMInternalLinkage);
            jit_add_attribute(jit, body, "alwaysinline");
        }
    }
}

void
jit_pack_kernels(struct jit *jit)
{
    struct jobs jobs = find_jobs(jit);
    bool any = false, split = false;
    if (!jobs.count) {
        return;
    }
    open_regions(jit, &jobs);
    LLVMValueRef *others = protect_others(jit, &jobs, false);
    jit_run_passes(jit, "function(early-cse<memssa>,loop-simplify,lcssa)");
    for (unsigned i = 0; i < jobs.count; i++) {
        pack_job(jit, &jobs.list[i]);
        any |= jobs.list[i].packs[0] != 0;
        split |= jobs.list[i].split;
    }
    drop_regions(jit, &jobs);
    if (any) {
        /* A branch skips a basic block if no lane is active. LLVM's pass
         * jump-threading must simplify such branches before simplifycfg turns
         * them into selects of masks. */
        jit_run_passes(
            jit, split ? "function(sroa,early-cse,jump-threading,simplifycfg)"
                       : "function(sroa,early-cse,simplifycfg)");
    }
    release_others(others);
    free(jobs.list);
}
