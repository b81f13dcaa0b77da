/* region.c - entry of a kernel that is split at its barriers.
 *
 * Called by entries.c. A start point is the kernel's start or the code after a
 * barrier. The entry runs `count` blocks, from block number `first` on. For
 * each start point the entry has a thread loop, which calls the kernel body
 * with the start point as a constant. A branch after the loop leads to the
 * start point that the threads reached. Each thread reports this start point
 * in a variable; all threads report the same one. Uniform values are variables
 * of the entry, which LLVM promotes to registers. Divergent values are in the
 * context, an array on the stack with an element for each thread; if it is
 * large, the entry gets its own stack (src/cpu/run/block.c).
 *
 * A source that multiplies blockIdx.x by a constant seems to be written for
 * blocks of that width. Such blocks get a specialised copy of the code, with
 * blockDim.x as a constant.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/entries/entries.h"
#include "jit/entries/nest.h"
#include "jit/entries/packs.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/target/target.h"
#include "jit/text.h"

char *
jit_region_variables(const struct jit_regions *regions)
{
    struct jit_text text = {NULL, 0, 0};
    jit_text_add(&text,
                 "  %%context = alloca [%llu x i8], align 64\n"
                 "  %%point = alloca i32\n"
                 "  %%votes = alloca i32\n",
                 (unsigned long long)regions->context_bytes);
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        jit_text_add(&text, "  %%v%u = alloca %s\n", i,
                     LLVMPrintTypeToString(regions->uniform_types[i]));
    }
    return text.bytes;
}

/* Writes loads of the uniform values that are live at start point `point` (the
 * kernel's start or the code after a barrier), as %i<number>.<point>, before
 * the thread loop of that start point. */
void
jit_region_inputs(struct jit *jit, const struct jit_regions *regions,
                  unsigned point)
{
    if (regions->votes) {
        jit_text_add(jit->wrappers, "  %%voted.%u = load i32, ptr %%votes\n",
                     point);
        if (!PLANTED_FAULT(votes_uncleared)) {
            jit_text_add(jit->wrappers, "  store i32 0, ptr %%votes\n");
        }
    }
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        if (regions->uniform_live[i] >> point & 1) {
            jit_text_add(jit->wrappers, "  %%i%u.%u = load %s, ptr %%v%u\n", i,
                         point,
                         LLVMPrintTypeToString(regions->uniform_types[i]), i);
        }
    }
}

/* Writes a call of `function`, the kernel body or a function that runs it for
 * several threads, from start point `point` on. Stops after the last argument
 * of the kernel body; the caller adds more arguments and the closing
 * parenthesis. Names of values end in the suffix `s`. `inside`: the thread is
 * within the bounds of the thread loop. `votes`: IR operand, the address of
 * the sum of votes (the predicates of a barrier such as __syncthreads_count).
 */
static void
write_arguments(struct jit *jit, struct jit_kernel *kernel, const char *s,
                unsigned point, bool inside, const char *function,
                const char *votes)
{
    const struct jit_regions *regions = kernel->regions;
    struct jit_text *text = jit->wrappers;
    jit_text_add(text,
                 "  %%index%s = add i32 %%base32, %%tid0%s\n"
                 "  %%wide%s = add i64 0, 0\n  %%whole%s = add i1 0, %d\n"
                 "  call void @\"%s\"(",
                 s, s, s, s, inside, function);
    jit_text_arguments(jit, kernel, s);
    jit_text_add(text, ", ptr %%context, i32 %u, ptr %%point", point);
    jit_text_add(
        text, regions->votes ? ", ptr %s, i32 %%voted.%u" : ", ptr %s, i32 0",
        votes, point);
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        char *type = LLVMPrintTypeToString(regions->uniform_types[i]);
        if (regions->uniform_live[i] >> point & 1) {
            jit_text_add(text, ", %s %%i%u.%u, ptr %%v%u", type, i, point, i);
        } else {
            jit_text_add(text, ", %s poison, ptr %%v%u", type, i);
        }
    }
    for (unsigned i = 0; i < regions->lane_count; i++) {
        jit_text_add(text, ", ptr %%lane%u", i);
    }
}

void
jit_region_call(struct jit *jit, struct jit_kernel *kernel, const char *s,
                unsigned point, bool inside)
{
    write_arguments(jit, kernel, s, point, inside,
                    jit_format("body.%s", kernel->name), "%votes");
    jit_text_add(jit->wrappers, "), !llvm.access.group !0\n");
}

/* Writes the call of the function that runs a pack (neighbouring threads as
 * lanes of vectors) from a start point on; the type of this callback is
 * jit_write_pack. Code that adds to the sum of votes for __syncthreads_count
 * never runs in packs, so the call does not pass the sum's address. */
static void
write_pack_call(struct jit *jit, struct jit_kernel *kernel,
                const struct jit_pack_nest *packs, const char *suffix,
                unsigned width, const char *mask)
{
    unsigned point = packs->point;
    bool inside = kernel->regions->bound_counts[point] > 0;
    write_arguments(jit, kernel, suffix, point, inside,
                    jit_format("pack%u.%s.%u", width, kernel->name, point),
                    "poison");
    jit_text_add(jit->wrappers, ", <%u x i1> %s)\n", width, mask);
}

/* For kernels that run one warp after the other, writes the computation of the
 * threadIdx.x and the linear index of the warp's first thread. */
static void
write_warp(struct jit *jit, const struct jit_kernel *kernel, const char *s)
{
    if (kernel->warps) {
        jit_text_add(jit->wrappers,
                     "  %%warpx%s = and i32 %%tid0%s, -32\n"
                     "  %%warpl%s = and i32 %%linear%s, -32\n"
                     "  %%vote%s = add i64 0, 0\n",
                     s, s, s, s, s);
    }
}

/* Writes IR text that sets %c.<name> to bound->limit, clamped to the possible
 * range of threadIdx. For <= and >, one is added: `i <= n` becomes `i < n +
 * 1`, and `i > n` becomes `i >= n + 1`. */
static void
write_limit(struct jit_text *text, const struct jit_region_bound *bound,
            const char *name)
{
    LLVMIntPredicate predicate = bound->predicate;
    bool is_signed = predicate >= LLVMIntSGT && predicate <= LLVMIntSLE &&
                     !PLANTED_FAULT(bound_unsigned);
    bool next = (predicate == LLVMIntULE && !PLANTED_FAULT(bound_short)) ||
                predicate == LLVMIntSLE || predicate == LLVMIntUGT ||
                predicate == LLVMIntSGT;
    const char *kind = is_signed ? "s" : "u";
    const char *bits = bound->bits == 64 ? "i64" : "i32";
    jit_text_add(text,
                 "  %%c0.%s = call %s @llvm.%smin.%s(%s %s, %s 2000)\n"
                 "  %%c1.%s = call %s @llvm.%smax.%s(%s %%c0.%s, %s %s)\n",
                 name, bits, kind, bits, bits, bound->limit, bits, name, bits,
                 kind, bits, bits, name, bits, is_signed ? "-1" : "0");
    jit_text_add(text,
                 bound->bits == 64 ? "  %%c2.%s = trunc i64 %%c1.%s to i32\n"
                                   : "  %%c2.%s = add i32 %%c1.%s, 0\n",
                 name, name);
    jit_text_add(text,
                 "  %%c3.%s = add nsw i32 %%c2.%s, %d\n"
                 "  %%c.%s = call i32 @llvm.smax.i32(i32 %%c3.%s, i32 0)\n",
                 name, name, next, name, name);
}

/* Writes IR text that narrows the range of threadIdx from *first to *last - 1
 * to the values that satisfy `bound`. *first and *last are names of IR values,
 * and are updated. */
static void
write_range(struct jit_text *text, const struct jit_region_bound *bound,
            const char *name, const char **first, const char **last)
{
    LLVMIntPredicate predicate = bound->predicate;
    bool equal = predicate == LLVMIntEQ;
    bool less = predicate == LLVMIntULT || predicate == LLVMIntSLT ||
                predicate == LLVMIntULE || predicate == LLVMIntSLE;
    write_limit(text, bound, name);
    if (less || equal) {
        jit_text_add(text,
                     "  %%e.%s = add nuw nsw i32 %%c.%s, %d\n"
                     "  %%last.%s = call i32 @llvm.umin.i32(i32 %%e.%s, "
                     "i32 %s)\n",
                     name, name, equal, name, name, *last);
        *last = jit_format("%%last.%s", name);
    }
    if (!less) {
        jit_text_add(text,
                     "  %%first.%s = call i32 @llvm.umax.i32(i32 %%c.%s, "
                     "i32 %s)\n",
                     name, name, *first);
        *first = jit_format("%%first.%s", name);
    }
}

/* Writes one call of the kernel body for a thread outside the bounds of the
 * thread loop. The call computes the uniform values and the next start point,
 * which the entry needs even if no thread is within the bounds. */
static void
write_outsider(struct jit *jit, struct jit_kernel *kernel, unsigned point)
{
    const char *s = jit_format(".o%u", point);
    jit_text_add(jit->wrappers,
                 "  %%tid0%s = add i32 0, 0\n  %%tid1%s = add i32 0, 0\n"
                 "  %%tid2%s = add i32 0, 0\n  %%linear%s = add i32 0, 0\n",
                 s, s, s, s);
    write_warp(jit, kernel, s);
    jit_region_call(jit, kernel, s, point, false);
}

/* Some threads may have returned early. Returns the IR name of the number of
 * remaining values of threadIdx.x (axis 0) or threadIdx.y (axis 1). */
static const char *
last_of(const struct jit_kernel *kernel, int axis)
{
    static const char *const all[] = {"%ntid0", "%ntid1"};
    return kernel->early.condition ? kernel->early.ends[axis] : all[axis];
}

/* Writes IR text that narrows the thread loop of start point `point` to the
 * threads that satisfy its bounds, conditions such as threadIdx.x < n. The
 * text skips the loop if no thread satisfies the bounds. */
static void
write_bounds(struct jit *jit, struct jit_kernel *kernel, unsigned point,
             struct jit_nest *nest)
{
    const char *first[2] = {"0", "0"};
    const char *last[2] = {last_of(kernel, 0), last_of(kernel, 1)};
    for (unsigned i = 0; i < kernel->regions->bound_counts[point]; i++) {
        const struct jit_region_bound *bound =
            &kernel->regions->bounds[point][i];
        write_range(jit->wrappers, bound, jit_format("%u.%u", point, i),
                    &first[bound->axis], &last[bound->axis]);
    }
    if (!PLANTED_FAULT(outsider_gone)) {
        write_outsider(jit, kernel, point);
    }
    jit_text_add(jit->wrappers,
                 "  %%some0.%u = icmp ult i32 %s, %s\n"
                 "  %%some1.%u = icmp ult i32 %s, %s\n"
                 "  %%some.%u = and i1 %%some0.%u, %%some1.%u\n"
                 "  br i1 %%some.%u, label %%go.%u, label %%after.%u\n"
                 "go.%u:\n",
                 point, first[0], last[0], point, first[1], last[1], point,
                 point, point, point, point, point, point);
    nest->before = jit_format("go.%u", point);
    nest->start = first[0];
    nest->end = last[0];
    nest->first_row = first[1];
    nest->last_row = last[1];
}

/* Writes the branch that skips a thread block if all its threads return before
 * the first barrier. */
static void
write_early_exit(struct jit *jit, struct jit_kernel *kernel)
{
    if (!kernel->early.condition) {
        jit_text_add(jit->wrappers, "  br label %%point.0\n");
        return;
    }
    jit_text_add(jit->wrappers,
                 "%s"
                 "  %%stay0 = icmp ne i32 %s, 0\n"
                 "  %%stay1 = icmp ne i32 %s, 0\n"
                 "  %%stay = and i1 %%stay0, %%stay1\n"
                 "  br i1 %%stay, label %%point.0, label %%next\n",
                 kernel->early.setup.bytes, kernel->early.ends[0],
                 kernel->early.ends[1]);
}

/* Writes the branch after the thread loop of start point `point` (the kernel's
 * start or the code after a barrier). The branch leads to the start point that
 * the threads reached or to the end of the thread block. */
static void
write_choice(struct jit *jit, const struct jit_regions *regions,
             unsigned point)
{
    struct jit_text *text = jit->wrappers;
    jit_point_set follows = regions->follows[point];
    jit_text_add(text, "after.%u:\n", point);
    if (!(follows & ~JIT_POINT(0))) {
        jit_text_add(text, "  br label %%next\n");
        return;
    }
    if (!(follows & (follows - 1))) {
        jit_text_add(text, "  br label %%point.%d\n",
                     jit_first_point(follows));
        return;
    }
    int last = jit_last_point(follows);
    jit_text_add(text,
                 "  %%to.%u = load i32, ptr %%point\n"
                 "  switch i32 %%to.%u, label %%point.%d [",
                 point, point, last);
    for (int k = 0; k < last; k++) {
        if (follows >> k & 1 && k == 0) {
            jit_text_add(text, " i32 0, label %%next");
        } else if (follows >> k & 1) {
            jit_text_add(text, " i32 %d, label %%point.%d", k, k);
        }
    }
    jit_text_add(text, " ]\n");
}

void
jit_region_point(struct jit *jit, struct jit_kernel *kernel, unsigned point,
                 unsigned loop)
{
    struct jit_nest nest = {
        .suffix = jit_format(".%u", point),
        .before = jit_format("point.%u", point),
        .start = "0",
        .end = last_of(kernel, 0),
        .after = jit_format("after.%u", point),
        .last_row = last_of(kernel, 1),
    };
    jit_text_add(jit->wrappers, "point.%u:\n", point);
    if (jit->options.checks && kernel->regions->barrier_points >> point & 1) {
        jit_text_add(jit->wrappers, "  call void @__pycuda_check_meet()\n");
    }
    jit_region_inputs(jit, kernel->regions, point);
    bool bounded = kernel->regions->bound_counts[point] > 0;
    if (bounded) {
        write_bounds(jit, kernel, point, &nest);
    }
    const unsigned *widths = kernel->regions->packs[point];
    if (widths[0]) {
        struct jit_pack_nest packs = {&nest, widths, write_pack_call, point};
        jit_text_packs(jit, kernel, &packs);
    } else {
        jit_text_nest_start(jit, &nest);
        write_warp(jit, kernel, nest.suffix);
        jit_region_call(jit, kernel, nest.suffix, point, bounded);
        jit_text_nest_end(jit, &nest, loop);
    }
    write_choice(jit, kernel->regions, point);
}

/* Returns a set of JIT_HINT_ flags for the thread loop from a barrier (start
 * point `point`) to the next one. A loop with bounds has few iterations, so
 * its vectorised remainder matters; AVX-512 masks make it cheap. If blockDim.y
 * is 1 and blockDim.x is known, a tree reduction in shared memory stays in
 * registers if its loops are unrolled. */
static unsigned
hints_for(const struct jit *jit, const struct jit_kernel *kernel,
          unsigned point, unsigned width)
{
    bool masks = jit->options.target->masks;
    bool bounded = kernel->regions->bound_counts[point] > 0;
    bool unusual = kernel->regions->width && !width;
    unsigned hints =
        masks && !kernel->flat && (bounded || unusual) ? JIT_HINT_SHORT : 0;
    return hints | (width && kernel->flat ? JIT_HINT_UNROLL : 0);
}

/* Writes the function that runs whole thread blocks: a thread loop for each
 * start point (the kernel's start and the code after each barrier). */
static void
write_function(struct jit *jit, struct jit_kernel *kernel,
               const struct jit_frame *frame)
{
    struct jit_regions *regions = kernel->regions;
    unsigned loop = jit_text_loops(regions->count);
    jit_text_blocks_start(jit, kernel, frame);
    write_early_exit(jit, kernel);
    for (unsigned k = 0; k < regions->count; k++) {
        jit_region_point(jit, kernel, k, loop + k);
    }
    jit_text_blocks_end(jit, kernel);
    for (unsigned k = 0; k < regions->count; k++) {
        jit_text_loop_hints(jit, kernel, loop + k,
                            hints_for(jit, kernel, k, frame->width));
    }
}

/* Writes an entry that chooses between two functions: one is compiled for a
 * fixed value of blockDim.x, the other one for any value. */
static void
write_chooser(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_text *text = jit->wrappers;
    jit_text_add(text,
                 "define void @\"%s\"(ptr noalias readonly %%params, "
                 "ptr %%thread, i64 %%first, i64 %%count) #0 {\nentry:\n",
                 kernel->symbol);
    jit_text_geometry(jit, 0, 0, false, false);
    jit_text_add(text,
                 "  %%as.wide = icmp eq i32 %%ntid0, %u\n"
                 "  %%size = mul i32 %%ntid1, %%ntid2\n"
                 "  %%one.row = icmp ult i32 %%size, %u\n"
                 "  %%is.fixed = and i1 %%as.wide, %%one.row\n"
                 "  br i1 %%is.fixed, label %%fixed, label %%any\n",
                 kernel->regions->width, kernel->flat ? 2 : 0x7fffffffu);
    static const char *const names[] = {"fixed", "any"};
    for (int i = 0; i < 2; i++) {
        jit_text_add(text,
                     "%s:\n  call void @\"%s.%s\"(ptr %%params, "
                     "ptr %%thread, i64 %%first, i64 %%count)\n  ret void\n",
                     names[i], names[i], kernel->symbol);
    }
    jit_text_add(text, "}\n");
}

void
jit_write_region_entry(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_frame frame = {.name = kernel->symbol,
                              .variables =
                                  jit_region_variables(kernel->regions)};
    if (kernel->regions->width) {
        frame.internal = true;
        frame.name = jit_format("any.%s", kernel->symbol);
        write_function(jit, kernel, &frame);
        frame.name = jit_format("fixed.%s", kernel->symbol);
        frame.width = kernel->regions->width;
    }
    write_function(jit, kernel, &frame);
    if (kernel->regions->width) {
        write_chooser(jit, kernel);
    }
}
