/* warp.c - entry of a kernel that runs by warps.
 *
 * Called by entries.c. As in region.c, there is code for each start point: the
 * kernel's start and the code after each barrier or warp operation. If no warp
 * operation can come before the next barrier, one loop runs all threads of the
 * block, as in region.c. Otherwise the warps run one after the other from
 * barrier B (or the start) to the next barrier, through the warp operations
 * W on the way. These are the labels of the generated code:
 *
 *     point.B   save the uniform values that are live across barrier B, since
 *               every warp overwrites them
 *     resume.B  start of a warp: restore these values
 *     lanes.B   loop over the lanes, from barrier B to the next barrier or
 *               warp operation
 *     after.B   branch to what the lanes reached: op.W for a warp operation,
 *               warp.end for a barrier or the kernel's end
 *     op.W      perform warp operation W; lanes.W and after.W follow, which do
 *               the same as lanes.B and after.B for the code after W
 *     warp.end  next warp: resume.B; after the last warp: point of the barrier
 *               that was reached
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/entries/entries.h"
#include "jit/entries/nest.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/text.h"
#include "jit/warps/ops.h"
#include "jit/warps/vectors.h"

/* Returns the start points that belong to the whole thread block: the kernel's
 * start and the code after barriers. The other start points follow warp
 * operations. */
static jit_point_set
block_points(const struct jit_regions *regions)
{
    return ~regions->warp_points;
}

/* Tests whether the warps run one after the other from this start point on.
 * This is the case if the start point is the kernel's start or the code after
 * a barrier, and the next stop may be a warp operation. */
static bool
parts_warps(const struct jit_regions *regions, unsigned point)
{
    return !(regions->warp_points >> point & 1) &&
           (regions->follows[point] & regions->warp_points) != 0;
}

/* Tests whether the entry runs the code from the start point to the next
 * barrier or warp operation as a loop over the 32 lanes of one warp, rather
 * than over all threads of the thread block. */
static bool
by_lanes(const struct jit_regions *regions, unsigned point)
{
    return parts_warps(regions, point) || regions->warp_points >> point & 1;
}

/* Returns IR text that declares the entry's variables: the start point %from
 * and the position of the current warp, lane arrays (one element per lane),
 * and saved uniform values (%k<number>). */
static char *
write_variables(const struct jit_regions *regions)
{
    struct jit_text text = {NULL, 0, 0};
    jit_text_add(&text, "%s", jit_region_variables(regions));
    jit_text_add(&text, "  %%from = alloca i32\n  %%warp.x = alloca i32\n"
                        "  %%warp.y = alloca i32\n  %%warp.z = alloca i32\n"
                        "  %%warp.l = alloca i32\n"
                        "  %%groups = alloca [32 x i32], align 64\n"
                        "  %%rows = mul nuw nsw i32 %%ntid1, %%ntid2\n"
                        "  %%threads = mul nuw nsw i32 %%ntid0, %%rows\n");
    for (unsigned i = 0; i < regions->lane_count; i++) {
        jit_text_add(&text, "  %%lane%u = alloca [%d x %s], align 64\n", i,
                     JIT_LANES, LLVMPrintTypeToString(regions->lane_types[i]));
    }
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        jit_text_add(&text, "  %%k%u = alloca %s\n", i,
                     LLVMPrintTypeToString(regions->uniform_types[i]));
    }
    return text.bytes;
}

/* Writes copies of the uniform values that are live at the start point (the
 * code after a barrier or warp operation): from the entry's variables
 * %<from><number> to %<to><number>. */
static void
copy_uniform(struct jit *jit, const struct jit_regions *regions,
             unsigned point, const char *from, const char *to)
{
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        char *type = LLVMPrintTypeToString(regions->uniform_types[i]);
        if (regions->uniform_live[i] >> point & 1) {
            jit_text_add(jit->wrappers,
                         "  %%%s.%u.%u = load %s, ptr %%%s%u\n"
                         "  store %s %%%s.%u.%u, ptr %%%s%u\n",
                         to, i, point, type, from, i, type, to, i, point, to,
                         i);
        }
    }
}

/* Writes the code at the labels point.B and resume.B for start point B, the
 * code after a barrier: saves the uniform values, starts at the first warp,
 * and restores the values for each warp. */
static void
write_start(struct jit *jit, const struct jit_regions *regions, unsigned point)
{
    struct jit_text *text = jit->wrappers;
    jit_text_add(text, "point.%u:\n", point);
    copy_uniform(jit, regions, point, "v", "k");
    jit_text_add(text,
                 "  store i32 %u, ptr %%from\n  store i32 0, ptr %%warp.x\n"
                 "  store i32 0, ptr %%warp.y\n  store i32 0, ptr %%warp.z\n"
                 "  store i32 0, ptr %%warp.l\n"
                 "  br label %%resume.%u\nresume.%u:\n",
                 point, point, point);
    if (!PLANTED_FAULT(stale_uniform)) {
        copy_uniform(jit, regions, point, "k", "v");
    }
    jit_text_add(text,
                 "  %%vote.%u = add i64 0, 0\n"
                 "  br label %%lanes.%u\n",
                 point, point);
}

/* Writes the loop over the 32 lanes of a warp that runs the code from start
 * point `k` to the next barrier or warp operation. */
static void
write_lanes(struct jit *jit, struct jit_kernel *kernel, unsigned k,
            unsigned loop)
{
    struct jit_text *text = jit->wrappers;
    const char *s = jit_format(".%u", k);
    jit_text_add(text,
                 "lanes%s:\n"
                 "  %%warpx%s = load i32, ptr %%warp.x\n"
                 "  %%tid1%s = load i32, ptr %%warp.y\n"
                 "  %%tid2%s = load i32, ptr %%warp.z\n"
                 "  %%warpl%s = load i32, ptr %%warp.l\n",
                 s, s, s, s, s);
    jit_region_inputs(jit, kernel->regions, k);
    jit_text_add(text,
                 "  br label %%x%s\nx%s:\n"
                 "  %%x%s.i = phi i32 [0, %%lanes%s], [%%x.next%s, "
                 "%%x.end%s]\n"
                 "  %%tid0%s = add nuw nsw i32 %%warpx%s, %%x%s.i\n"
                 "  %%linear%s = add nuw nsw i32 %%warpl%s, %%x%s.i\n",
                 s, s, s, s, s, s, s, s, s, s, s, s);
    jit_region_call(jit, kernel, s, k, false);
    jit_text_add(text,
                 "  br label %%x.end%s\nx.end%s:\n"
                 "  %%x.next%s = add nuw nsw i32 %%x%s.i, 1\n"
                 "  %%x.more%s = icmp ult i32 %%x.next%s, %d\n"
                 "  br i1 %%x.more%s, label %%x%s, label %%after%s, "
                 "!llvm.loop !%u\n",
                 s, s, s, s, s, s, JIT_LANES, s, s, s, loop);
}

/* Writes the branch after the loop over the lanes that begins at start point
 * `k`. The branch leads to the warp operation that the lanes reached or, at a
 * barrier or the kernel's end, to the label warp.end. */
static void
write_choice(struct jit *jit, const struct jit_regions *regions, unsigned k)
{
    struct jit_text *text = jit->wrappers;
    jit_point_set warp = regions->follows[k] & regions->warp_points;
    jit_point_set block = regions->follows[k] & block_points(regions);
    jit_text_add(text, "after.%u:\n", k);
    if (!warp) {
        jit_text_add(text, "  br label %%warp.end\n");
        return;
    }
    if (!block && !(warp & (warp - 1))) {
        jit_text_add(text, "  br label %%op.%d\n", jit_first_point(warp));
        return;
    }
    int last = jit_last_point(warp);
    jit_text_add(text,
                 "  %%to.%u = load i32, ptr %%point\n"
                 "  switch i32 %%to.%u, label %%",
                 k, k);
    jit_text_add(text, block ? "warp.end [" : "op.%d [", last);
    for (int i = 1; i <= (block ? last : last - 1); i++) {
        if (warp >> i & 1) {
            jit_text_add(text, " i32 %d, label %%op.%d", i, i);
        }
    }
    jit_text_add(text, " ]\n");
}

static void
write_point(struct jit *jit, struct jit_kernel *kernel, unsigned k,
            unsigned loop)
{
    const struct jit_regions *regions = kernel->regions;
    if (regions->warp_points >> k & 1) {
        jit_text_add(jit->wrappers, "op.%u:\n", k);
        jit_text_warp_op(jit, regions->warp_ops[k], k);
        jit_text_add(jit->wrappers, "  br label %%lanes.%u\n", k);
    } else if (parts_warps(regions, k)) {
        write_start(jit, regions, k);
    } else {
        jit_region_point(jit, kernel, k, loop);
        return;
    }
    write_lanes(jit, kernel, k, loop);
    write_choice(jit, regions, k);
}

/* Writes a switch that jumps to <label>.<n>, where n is the value of the
 * variable. `set` has a bit for each possible value. */
static void
write_switch(struct jit_text *text, const char *variable, jit_point_set set,
             const char *label)
{
    int last = jit_last_point(set);
    jit_text_add(text,
                 "  %%%s.to = load i32, ptr %%%s\n"
                 "  switch i32 %%%s.to, label %%%s.%d [",
                 variable, variable, variable, label, last);
    for (int i = 0; i < last; i++) {
        if (set >> i & 1) {
            jit_text_add(text, " i32 %d, label %%%s.%d", i, label, i);
        }
    }
    jit_text_add(text, " ]\n");
}

/* Writes the code at the label warp.end, which continues with the next warp.
 * After the last warp, it continues with the code after the barrier that all
 * warps have reached. */
static void
write_warp_end(struct jit *jit, const struct jit_regions *regions)
{
    struct jit_text *text = jit->wrappers;
    jit_point_set starts = 0, ends = 0;
    for (unsigned k = 0; k < regions->count; k++) {
        starts |= parts_warps(regions, k) ? JIT_POINT(k) : 0;
        if (by_lanes(regions, k)) {
            ends |= regions->follows[k] & block_points(regions);
        }
    }
    jit_text_add(text,
                 "warp.end:\n"
                 "  %%wx = load i32, ptr %%warp.x\n"
                 "  %%wx.more = add nuw nsw i32 %%wx, 32\n"
                 "  %%wx.end = icmp eq i32 %%wx.more, %%ntid0\n"
                 "  %%wx.next = select i1 %%wx.end, i32 0, i32 %%wx.more\n"
                 "  store i32 %%wx.next, ptr %%warp.x\n"
                 "  %%wx.carry = zext i1 %%wx.end to i32\n"
                 "  %%wy = load i32, ptr %%warp.y\n"
                 "  %%wy.more = add nuw nsw i32 %%wy, %%wx.carry\n"
                 "  %%wy.end = icmp eq i32 %%wy.more, %%ntid1\n"
                 "  %%wy.next = select i1 %%wy.end, i32 0, i32 %%wy.more\n"
                 "  store i32 %%wy.next, ptr %%warp.y\n");
    jit_text_add(text,
                 "  %%wy.carry = zext i1 %%wy.end to i32\n"
                 "  %%wz = load i32, ptr %%warp.z\n"
                 "  %%wz.next = add nuw nsw i32 %%wz, %%wy.carry\n"
                 "  store i32 %%wz.next, ptr %%warp.z\n"
                 "  %%wl = load i32, ptr %%warp.l\n"
                 "  %%wl.next = add nuw nsw i32 %%wl, 32\n"
                 "  store i32 %%wl.next, ptr %%warp.l\n"
                 "  %%wl.more = icmp ult i32 %%wl.next, %%threads\n"
                 "  br i1 %%wl.more, label %%warp.next, label %%warp.last\n"
                 "warp.next:\n");
    write_switch(text, "from", starts, "resume");
    jit_text_add(text, "warp.last:\n");
    /* At the label warp.last, all warps of the block have reached the same
     * barrier, or all have ended (%point is 0). If the warps may have ended,
     * the code tests this first. */
    if (ends & 1) {
        jit_text_add(text, "  %%ended = load i32, ptr %%point\n"
                           "  %%all = icmp eq i32 %%ended, 0\n"
                           "  br i1 %%all, label %%next, label %%warp.on\n"
                           "warp.on:\n");
    }
    if (ends & ~JIT_POINT(0)) {
        write_switch(text, "point", ends & ~JIT_POINT(0), "point");
    } else {
        jit_text_add(text, "  unreachable\n");
    }
}

char *
jit_warp_symbol(const struct jit_kernel *kernel)
{
    return jit_format("warps.%s", kernel->symbol);
}

void
jit_write_warp_entry(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_regions *regions = kernel->regions;
    struct jit_frame frame = {.name = jit_warp_symbol(kernel),
                              .variables = write_variables(regions)};
    unsigned loop = jit_text_loops(regions->count);
    jit_text_blocks_start(jit, kernel, &frame);
    jit_text_add(jit->wrappers, "  br label %%point.0\n");
    for (unsigned k = 0; k < regions->count; k++) {
        write_point(jit, kernel, k, loop + k);
    }
    write_warp_end(jit, regions);
    jit_text_blocks_end(jit, kernel);
    for (unsigned k = 0; k < regions->count; k++) {
        if (by_lanes(regions, k)) {
            jit_text_add(jit->wrappers, "!%u = distinct !{!%u, !5, !1%s}\n",
                         loop + k, loop + k,
                         regions->short_points >> k & 1 ? ", !7" : "");
        } else {
            jit_text_loop_hints(jit, kernel, loop + k, 0);
        }
    }
}
