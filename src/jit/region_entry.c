/* region_entry.c - the entry of a kernel that is split at its barriers.
 *
 * For each block of [first, first + count), from point to point: a loop over
 * the block's threads around the body with that point as a constant, then on
 * to the point that the threads came to (any thread's word will do: they stay
 * together).  Uniform values are variables of the entry, which the passes
 * make registers; values that differ by thread lie in the context, which is
 * on the stack: a large frame gets a stack of its own (src/cpu/block.c).
 *
 * SPDX-License-Identifier: MIT */
#include "jit/jit.h"

static char *
write_variables(const struct jit_regions *regions)
{
    struct jit_text text = {NULL, 0, 0};
    jit_text_add(&text,
                 "  %%context = alloca [%llu x i8], align 64\n"
                 "  %%point = alloca i32\n",
                 (unsigned long long)regions->context_bytes);
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        jit_text_add(&text, "  %%v%u = alloca %s\n", i,
                     LLVMPrintTypeToString(regions->uniform_types[i]));
    }
    return text.bytes;
}

/* %i<number>.<point>: the uniform values as they are when the loop starts. */
static void
write_inputs(struct jit *jit, const struct jit_regions *regions,
             unsigned point)
{
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        if (regions->uniform_live[i] >> point & 1) {
            jit_text_add(jit->wrappers, "  %%i%u.%u = load %s, ptr %%v%u\n", i,
                         point,
                         LLVMPrintTypeToString(regions->uniform_types[i]), i);
        }
    }
}

/* The call with what is named with the suffix `s`. */
static void
write_call(struct jit *jit, struct jit_kernel *kernel, const char *s,
           unsigned point, bool inside)
{
    const struct jit_regions *regions = kernel->regions;
    struct jit_text *text = jit->wrappers;
    jit_text_add(text,
                 "  %%index%s = add i32 %%base32, %%tid0%s\n"
                 "  %%wide%s = add i64 0, 0\n  %%whole%s = add i1 0, %d\n"
                 "  call void @\"body.%s\"(",
                 s, s, s, s, inside, kernel->name);
    jit_text_arguments(jit, kernel, s);
    jit_text_add(text, ", ptr %%context, i32 %u, ptr %%point", point);
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        char *type = LLVMPrintTypeToString(regions->uniform_types[i]);
        if (regions->uniform_live[i] >> point & 1) {
            jit_text_add(text, ", %s %%i%u.%u, ptr %%v%u", type, i, point, i);
        } else {
            jit_text_add(text, ", %s poison, ptr %%v%u", type, i);
        }
    }
    jit_text_add(text, "), !llvm.access.group !0\n");
}

/* %low.<point> and %high.<point>, from %c.<point>, the limit brought to
 * where it makes a difference. */
static void
write_ends(struct jit *jit, const struct jit_region_bound *bound,
           unsigned point)
{
    struct jit_text *text = jit->wrappers;
    LLVMIntPredicate predicate = bound->predicate;
    bool is_signed = predicate >= LLVMIntSGT && predicate <= LLVMIntSLE;
    bool equal = predicate == LLVMIntEQ;
    bool less = predicate == LLVMIntULT || predicate == LLVMIntSLT ||
                predicate == LLVMIntULE || predicate == LLVMIntSLE;
    bool next = predicate == LLVMIntULE || predicate == LLVMIntSLE ||
                predicate == LLVMIntUGT || predicate == LLVMIntSGT;
    const char *kind = is_signed ? "s" : "u";
    jit_text_add(text,
                 "  %%c0.%u = call i32 @llvm.%smin.i32(i32 %s, i32 2000)\n"
                 "  %%c1.%u = call i32 @llvm.%smax.i32(i32 %%c0.%u, i32 %s)\n"
                 "  %%c2.%u = add nsw i32 %%c1.%u, %d\n"
                 "  %%c3.%u = call i32 @llvm.smax.i32(i32 %%c2.%u, i32 0)\n",
                 point, kind, bound->limit, point, kind, point,
                 is_signed ? "-1" : "0", point, point, next, point, point);
    if (less || equal) {
        jit_text_add(text,
                     "  %%c4.%u = add nuw nsw i32 %%c3.%u, %d\n"
                     "  %%high.%u = call i32 @llvm.umin.i32(i32 %%c4.%u, "
                     "i32 %%ntid%d)\n",
                     point, point, equal, point, point, bound->axis);
    } else {
        jit_text_add(text, "  %%high.%u = add i32 %%ntid%d, 0\n", point,
                     bound->axis);
    }
    jit_text_add(text, "  %%low.%u = add i32 0, %s\n", point,
                 less ? "0" : jit_format("%%c3.%u", point));
}

/* A thread outside the bounds says what the uniform values become and where
 * to go; it does nothing else.  Then those within. */
static void
write_bounds(struct jit *jit, struct jit_kernel *kernel, unsigned point,
             struct jit_nest *nest)
{
    const struct jit_region_bound *bound = &kernel->regions->bounds[point];
    const char *low = jit_format("%%low.%u", point);
    const char *high = jit_format("%%high.%u", point);
    const char *s = jit_format(".o%u", point);
    write_ends(jit, bound, point);
    jit_text_add(jit->wrappers,
                 "  %%tid0%s = add i32 0, 0\n  %%tid1%s = add i32 0, 0\n"
                 "  %%tid2%s = add i32 0, 0\n  %%linear%s = add i32 0, 0\n",
                 s, s, s, s);
    write_call(jit, kernel, s, point, false);
    jit_text_add(jit->wrappers,
                 "  %%some.%u = icmp ult i32 %s, %s\n"
                 "  br i1 %%some.%u, label %%go.%u, label %%after.%u\n"
                 "go.%u:\n",
                 point, low, high, point, point, point, point);
    nest->before = jit_format("go.%u", point);
    if (bound->axis == 0) {
        nest->start = low;
        nest->end = high;
    } else {
        nest->first_row = low;
        nest->last_row = high;
    }
}

/* Where to go after the loop of `point`. */
static void
write_choice(struct jit *jit, const struct jit_regions *regions,
             unsigned point)
{
    struct jit_text *text = jit->wrappers;
    uint64_t follows = regions->follows[point];
    jit_text_add(text, "after.%u:\n", point);
    if (!(follows & ~UINT64_C(1))) {
        jit_text_add(text, "  br label %%next\n");
        return;
    }
    if (!(follows & (follows - 1))) {
        jit_text_add(text, "  br label %%point.%d\n",
                     __builtin_ctzll(follows));
        return;
    }
    int last = 63 - __builtin_clzll(follows);
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

static void
write_point(struct jit *jit, struct jit_kernel *kernel, unsigned point,
            unsigned loop)
{
    struct jit_nest nest = {
        .suffix = jit_format(".%u", point),
        .before = jit_format("point.%u", point),
        .start = "0",
        .end = "%ntid0",
        .after = jit_format("after.%u", point),
    };
    jit_text_add(jit->wrappers, "point.%u:\n", point);
    write_inputs(jit, kernel->regions, point);
    bool bounded = kernel->regions->bounds[point].limit != NULL;
    if (bounded) {
        write_bounds(jit, kernel, point, &nest);
    }
    jit_text_nest_start(jit, &nest);
    write_call(jit, kernel, nest.suffix, point, bounded);
    jit_text_nest_end(jit, &nest, loop);
    write_choice(jit, kernel->regions, point);
}

void
jit_write_region_entry(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_regions *regions = kernel->regions;
    unsigned loop = jit_text_loops(regions->count);
    jit_text_blocks_start(jit, kernel, write_variables(regions));
    jit_text_add(jit->wrappers, "  br label %%point.0\n");
    for (unsigned k = 0; k < regions->count; k++) {
        write_point(jit, kernel, k, loop + k);
    }
    jit_text_blocks_end(jit);
    for (unsigned k = 0; k < regions->count; k++) {
        jit_text_loop_hints(jit, kernel, loop + k);
    }
}
