/* vectors.c - writes warp operations on vectors of 32 elements, as IR text.
 *
 * A warp operation is a shuffle, vote or reduction. A kernel is cut at each
 * warp operation: the entry runs the code before the operation in a loop over
 * the lanes of the warp, then the code that this file writes, then the code
 * after the operation in a second loop. Called by entries/warp.c. Operands are
 * loaded from lane arrays (one element per lane). The result is stored in a
 * lane array; if it is the same in all lanes, it is the IR value %vote.<point>
 * instead. <point> is the number of the operation in the kernel (the start
 * point after it, struct jit_regions); functions get it as `point` or `k`.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/text.h"
#include "jit/warps/ops.h"
#include "jit/warps/vectors.h"

/* Returns the text of a vector of 32 constants, f(data, lane) for each lane:
 * "<i32 f(0), i32 f(1), ...>". */
static char *
vector_text(int (*f)(const void *data, int lane), const void *data)
{
    struct jit_text text = {NULL, 0, 0};
    for (int lane = 0; lane < JIT_LANES; lane++) {
        jit_text_add(&text, "%si32 %d", lane ? ", " : "<", f(data, lane));
    }
    jit_text_add(&text, ">");
    return text.bytes;
}

static int
identity_lane(const void *data, int lane)
{
    (void)data;
    return lane;
}

static int
constant_lane(const void *data, int lane)
{
    (void)lane;
    return *(const int *)data;
}

static int
first_lane(const void *data, int lane)
{
    const struct jit_warp_op *op = data;
    return PLANTED_FAULT(whole_warp) ? 0 : lane & op->segment;
}

static int
last_lane(const void *data, int lane)
{
    const struct jit_warp_op *op = data;
    return first_lane(data, lane) | (~op->segment & (JIT_LANES - 1));
}

static int
fixed_source(const void *data, int lane)
{
    const struct jit_warp_op *op = data;
    return jit_shuffle_source(op, lane, op->argument);
}

static char *
splat(int number)
{
    return vector_text(constant_lane, &number);
}

/* Writes the load of a whole lane array, %lane<lanes>, into the vector
 * %<name>.<point>. */
static void
load_lanes(struct jit_text *text, const char *name, unsigned bits,
           unsigned lanes, unsigned point)
{
    jit_text_add(text, "  %%%s.%u = load <32 x i%u>, ptr %%lane%u, align 64\n",
                 name, point, bits, lanes);
}

/* Writes the store of the vector %<name>.<point> into the lane array
 * %lane<lanes>. */
static void
store_lanes(struct jit_text *text, const char *name, unsigned bits,
            unsigned lanes, unsigned point)
{
    jit_text_add(text, "  store <32 x i%u> %%%s.%u, ptr %%lane%u, align 64\n",
                 bits, name, point, lanes);
}

/* Writes the load of lane 0's element of the lane array %lane<lanes>, which
 * has 32-bit elements, into the scalar %<name>.<point>. */
static void
load_first(struct jit_text *text, const char *name, unsigned lanes,
           unsigned point)
{
    jit_text_add(text, "  %%%s.%u = load i32, ptr %%lane%u, align 64\n", name,
                 point, lanes);
}

/* Appends the text `form` to the IR, with each ~ replaced by .<point>, the
 * number of the warp operation. */
static void
add_at(struct jit_text *text, unsigned point, const char *form)
{
    for (; *form; form++) {
        if (*form == '~') {
            jit_text_add(text, ".%u", point);
        } else {
            jit_text_add(text, "%c", *form);
        }
    }
}

/* Writes code that extends the scalar %<name>.<point> to 64 bits and names it
 * %vote.<point>: the result of a warp operation that is the same in all lanes,
 * such as that of __ballot_sync. */
static void
vote(struct jit_text *text, const char *name, unsigned bits, unsigned point)
{
    jit_text_add(text, "  %%vote.%u = %s i%u %%%s.%u%s\n", point,
                 bits == 64 ? "add" : "zext", bits, name, point,
                 bits == 64 ? ", 0" : " to i64");
}

/* ---- masks ---- */

/* Writes code that sets %even.<point>: true if the lanes' masks divide the
 * warp into groups of consecutive lanes, and all groups have the same size, a
 * power of two. */
static void
find_rows(struct jit_text *text, unsigned k)
{
    add_at(text, k,
           "  %size~ = call i32 @llvm.ctpop.i32(i32 %first~)\n"
           "  %less~ = sub i32 0, %size~\n"
           "  %less1~ = insertelement <32 x i32> poison, i32 %less~, i32 0\n"
           "  %less32~ = shufflevector <32 x i32> %less1~, <32 x i32> poison, "
           "<32 x i32> zeroinitializer\n"
           "  %row1~ = insertelement <32 x i32> poison, i32 %first~, i32 0\n"
           "  %row32~ = shufflevector <32 x i32> %row1~, <32 x i32> poison, "
           "<32 x i32> zeroinitializer\n");
    add_at(text, k,
           jit_format("  %%begin~ = and <32 x i32> %%less32~, %s\n",
                      vector_text(identity_lane, NULL)));
    add_at(text, k,
           "  %like~ = shl <32 x i32> %row32~, %begin~\n"
           "  %off~ = icmp ne <32 x i32> %like~, %mask~\n"
           "  %offs~ = bitcast <32 x i1> %off~ to i32\n"
           "  %more~ = add i32 %first~, 1\n"
           "  %gap~ = and i32 %more~, %first~\n"
           "  %rest~ = add i32 %size~, -1\n"
           "  %odd~ = and i32 %rest~, %size~\n"
           "  %low~ = and i32 %more~, 1\n"
           "  %bad1~ = or i32 %offs~, %gap~\n"
           "  %bad2~ = or i32 %odd~, %low~\n"
           "  %bad~ = or i32 %bad1~, %bad2~\n"
           "  %even~ = icmp eq i32 %bad~, 0\n");
}

static void
load_rows(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    load_lanes(text, "mask", 32, op->mask_lanes, k);
    load_first(text, "first", op->mask_lanes, k);
    find_rows(text, k);
}

/* Writes code that sets %asked.<point> to a vector with a mask for each lane:
 * the group of lanes with which the lane performs the operation. The code
 * calls the runtime, which derives these groups from the masks that the lanes
 * pass. */
static void
write_group_query(struct jit_text *text, const struct jit_warp_op *op,
                  unsigned k)
{
    add_at(
        text, k,
        jit_format("ask~:\n  store <32 x i32> %%mask~, ptr %%groups\n"
                   "  call void @__pycuda_warp_groups(ptr %%groups, i32 %d)\n"
                   "  %%asked~ = load <32 x i32>, ptr %%groups\n",
                   op->kind == JIT_WARP_SHUFFLE));
}

/* Writes code that sets %group.<point> to a vector with one mask for each
 * lane. In a shuffle, the mask names the lanes from which the lane may read.
 * In other operations, it names the lanes with which the lane performs the
 * operation. If %even.<point> is true, no search is needed: the masks are
 * those that the lanes pass or, in a shuffle, all lanes. If %even.<point> is
 * false, a call of the runtime finds the masks. */
static void
find_groups(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    load_rows(text, op, k);
    add_at(text, k,
           "  br label %try~\ntry~:\n"
           "  br i1 %even~, label %met~, label %ask~\n");
    write_group_query(text, op, k);
    add_at(text, k,
           jit_format("  br label %%met~\n"
                      "met~:\n"
                      "  %%group~ = phi <32 x i32> [%s, %%try~], [%%asked~, "
                      "%%ask~]\n",
                      op->kind == JIT_WARP_SHUFFLE ? splat(-1) : "%mask~"));
}

/* Writes code that tests whether the mask of a warp operation names all 32
 * lanes. Any other mask is an error, since all lanes reach the operation
 * together. In that case the code calls the runtime, which reports the error.
 */
static void
check_shared(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    load_first(text, "mask", op->mask_lanes, k);
    add_at(
        text, k,
        jit_format("  %%every~ = icmp eq i32 %%mask~, -1\n"
                   "  br i1 %%every~, label %%met~, label %%ask~\n"
                   "ask~:\n"
                   "  call void @__pycuda_warp_groups(ptr %%lane%u, i32 0)\n"
                   "  unreachable\n"
                   "met~:\n",
                   op->mask_lanes));
}

/* ---- shuffles ---- */

/* Writes code that sets %src.<point> to the lane from which each lane reads in
 * a shuffle. The code computes it from the shuffle's lane or delta arguments,
 * %arg.<point>. Masks are not applied. */
static void
find_sources(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    const char *lanes = vector_text(identity_lane, NULL);
    const char *first = vector_text(first_lane, op);
    bool up = op->how == IMAGE_SHUFFLE_UP;
    if (op->how == IMAGE_SHUFFLE_IDX) {
        jit_text_add(text,
                     "  %%in.%u = and <32 x i32> %%arg.%u, %s\n"
                     "  %%src.%u = or <32 x i32> %%in.%u, %s\n",
                     k, k, splat(~op->segment & (JIT_LANES - 1)), k, k, first);
        return;
    }
    jit_text_add(text,
                 "  %%by.%u = and <32 x i32> %%arg.%u, %s\n"
                 "  %%far.%u = %s <32 x i32> %s, %%by.%u\n"
                 "  %%ok.%u = icmp %s <32 x i32> %%far.%u, %s\n"
                 "  %%src.%u = select <32 x i1> %%ok.%u, <32 x i32> %%far.%u, "
                 "<32 x i32> %s\n",
                 k, k, splat(JIT_LANES - 1), k,
                 up                              ? "sub"
                 : op->how == IMAGE_SHUFFLE_DOWN ? "add"
                                                 : "xor",
                 lanes, k, k, up ? "sge" : "sle", k,
                 up ? first : vector_text(last_lane, op), k, k, k, lanes);
}

/* Writes code that loads for each lane the value of its source lane. A lane
 * gets 0 if its source lane is not in the group of lanes that it may read. */
static void
gather(struct jit_text *text, const struct jit_warp_op *op, const char *name,
       unsigned k)
{
    static const int one = 1;
    if (op->shared_mask) {
        jit_text_add(text,
                     "  %%there.%u = icmp ne <32 x i32> %s, "
                     "zeroinitializer\n",
                     k, vector_text(constant_lane, &one));
    } else {
        jit_text_add(text,
                     "  %%bits.%u = lshr <32 x i32> %%group.%u, %%src.%u\n"
                     "  %%there.%u = trunc <32 x i32> %%bits.%u to "
                     "<32 x i1>\n",
                     k, k, k, k, k);
    }
    jit_text_add(text,
                 "  %%at.%u = getelementptr inbounds i%u, ptr %%lane%u, "
                 "<32 x i32> %%src.%u\n"
                 "  %%%s.%u = call <32 x i%u> "
                 "@llvm.masked.gather.v32i%u.v32p0(<32 x ptr> %%at.%u, i32 4, "
                 "<32 x i1> %%there.%u, <32 x i%u> zeroinitializer)\n",
                 k, op->bits, op->value_lanes, k, name, k, op->bits, op->bits,
                 k, k, op->bits);
    store_lanes(text, name, op->bits, op->result_lanes, k);
}

static void
write_broadcast(struct jit_text *text, const struct jit_warp_op *op,
                unsigned k)
{
    if (op->fixed_argument) {
        jit_text_add(text, "  %%lane.%u = add i32 0, %d\n", k,
                     op->argument & 31);
    } else {
        load_first(text, "arg", op->argument_lanes, k);
        jit_text_add(text, "  %%lane.%u = and i32 %%arg.%u, 31\n", k, k);
    }
    jit_text_add(text,
                 "  %%at.%u = getelementptr inbounds i%u, ptr %%lane%u, i32 "
                 "%%lane.%u\n"
                 "  %%one.%u = load i%u, ptr %%at.%u\n",
                 k, op->bits, op->value_lanes, k, k, op->bits, k);
    vote(text, "one", op->bits, k);
}

/* Writes a shuffle for which the source lanes are constant and the mask is
 * full. */
static void
write_fixed(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    load_lanes(text, "value", op->bits, op->value_lanes, k);
    jit_text_add(text,
                 "  %%result.%u = shufflevector <32 x i%u> %%value.%u, "
                 "<32 x i%u> zeroinitializer, <32 x i32> %s\n",
                 k, op->bits, k, op->bits, vector_text(fixed_source, op));
    store_lanes(text, "result", op->bits, op->result_lanes, k);
}

/* Writes a shuffle for which the source lanes are constant and masks may
 * differ between lanes. If the masks divide the warp into equal groups of
 * consecutive lanes, a vector shuffle is enough. Otherwise the runtime finds
 * the groups. */
static void
write_fixed_shuffle(struct jit_text *text, const struct jit_warp_op *op,
                    unsigned k)
{
    load_rows(text, op, k);
    add_at(text, k,
           "  br i1 %even~, label %quick~, label %ask~\n"
           "quick~:\n");
    write_fixed(text, op, k);
    add_at(text, k, "  br label %shuffled~\n");
    write_group_query(text, op, k);
    jit_text_add(text,
                 "  %%arg.%u = add <32 x i32> %s, %s\n"
                 "  %%group.%u = add <32 x i32> %%asked.%u, %s\n",
                 k, splat(op->argument), splat(0), k, k, splat(0));
    find_sources(text, op, k);
    gather(text, op, "slow", k);
    add_at(text, k, "  br label %shuffled~\nshuffled~:\n");
}

static void
write_shuffle(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    if (op->uniform) {
        write_broadcast(text, op, k);
    } else if (op->fixed_argument && op->shared_mask) {
        write_fixed(text, op, k);
    } else if (op->fixed_argument) {
        write_fixed_shuffle(text, op, k);
    } else {
        if (!op->shared_mask) {
            find_groups(text, op, k);
        }
        load_lanes(text, "arg", 32, op->argument_lanes, k);
        find_sources(text, op, k);
        gather(text, op, "result", k);
    }
}

/* ---- other operations ---- */

static void
write_ballot(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    load_lanes(text, "value", 32, op->value_lanes, k);
    jit_text_add(text,
                 "  %%set.%u = icmp ne <32 x i32> %%value.%u, "
                 "zeroinitializer\n"
                 "  %%votes.%u = bitcast <32 x i1> %%set.%u to i32\n",
                 k, k, k, k);
    if (op->uniform) {
        vote(text, "votes", 32, k);
        return;
    }
    jit_text_add(text,
                 "  %%v1.%u = insertelement <32 x i32> poison, i32 "
                 "%%votes.%u, i32 0\n"
                 "  %%v32.%u = shufflevector <32 x i32> %%v1.%u, <32 x i32> "
                 "poison, <32 x i32> zeroinitializer\n"
                 "  %%result.%u = and <32 x i32> %%v32.%u, ",
                 k, k, k, k, k, k);
    if (PLANTED_FAULT(mask_forgotten)) {
        jit_text_add(text, "%s\n", splat(-1));
    } else {
        jit_text_add(text, "%%group.%u\n", k);
    }
    store_lanes(text, "result", 32, op->result_lanes, k);
}

static const char *const reductions[] = {
    [IMAGE_REDUCE_ADD] = "add",      [IMAGE_REDUCE_MIN_S32] = "smin",
    [IMAGE_REDUCE_MAX_S32] = "smax", [IMAGE_REDUCE_MIN_U32] = "umin",
    [IMAGE_REDUCE_MAX_U32] = "umax", [IMAGE_REDUCE_AND] = "and",
    [IMAGE_REDUCE_OR] = "or",        [IMAGE_REDUCE_XOR] = "xor",
};

static void
write_reduce(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    load_lanes(text, "value", 32, op->value_lanes, k);
    jit_text_add(text,
                 "  %%one.%u = call i32 @llvm.vector.reduce.%s.v32i32(<32 x "
                 "i32> %%value.%u)\n",
                 k, reductions[op->how], k);
    vote(text, "one", 32, k);
}

/* Writes __match_all_sync for operations in which all 32 lanes take part. The
 * result is the mask of all lanes if their values are equal, else 0. */
static void
write_match_all(struct jit_text *text, const struct jit_warp_op *op,
                unsigned k)
{
    unsigned bits = op->bits;
    load_lanes(text, "value", bits, op->value_lanes, k);
    jit_text_add(text,
                 "  %%v32.%u = shufflevector <32 x i%u> %%value.%u, "
                 "<32 x i%u> poison, <32 x i32> zeroinitializer\n"
                 "  %%same.%u = icmp eq <32 x i%u> %%value.%u, %%v32.%u\n"
                 "  %%set.%u = bitcast <32 x i1> %%same.%u to i32\n"
                 "  %%ok.%u = icmp eq i32 %%set.%u, -1\n"
                 "  %%own.%u = sext i1 %%ok.%u to i32\n",
                 k, bits, k, bits, k, bits, k, k, k, k, k, k, k, k);
    vote(text, "own", 32, k);
}

/* Writes __match_any_sync, and __match_all_sync for operations whose mask may
 * leave out lanes: a loop over the lanes compares the value of each lane with
 * the values of all lanes. */
static void
write_match(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    unsigned bits = op->bits;
    load_lanes(text, "value", bits, op->value_lanes, k);
    if (!op->shared_mask) {
        jit_text_add(text, "  store <32 x i32> %%group.%u, ptr %%groups\n", k);
    }
    jit_text_add(text,
                 "  br label %%before.%u\nbefore.%u:\n"
                 "  br label %%match.%u\nmatch.%u:\n"
                 "  %%l.%u = phi i32 [0, %%before.%u], [%%l.next.%u, "
                 "%%match.%u]\n"
                 "  %%vp.%u = getelementptr inbounds i%u, ptr %%lane%u, i32 "
                 "%%l.%u\n"
                 "  %%v0.%u = load i%u, ptr %%vp.%u\n",
                 k, k, k, k, k, k, k, k, k, bits, op->value_lanes, k, k, bits,
                 k);
    jit_text_add(text,
                 "  %%v1.%u = insertelement <32 x i%u> poison, i%u %%v0.%u, "
                 "i32 0\n"
                 "  %%v32.%u = shufflevector <32 x i%u> %%v1.%u, <32 x i%u> "
                 "poison, <32 x i32> zeroinitializer\n"
                 "  %%same.%u = icmp %s <32 x i%u> %%value.%u, %%v32.%u\n"
                 "  %%set.%u = bitcast <32 x i1> %%same.%u to i32\n",
                 k, bits, bits, k, k, bits, k, bits, k,
                 PLANTED_FAULT(match_self) ? "uge" : "eq", bits, k, k, k, k);
    if (op->shared_mask) {
        jit_text_add(text, "  %%m.%u = add i32 0, -1\n", k);
    } else {
        jit_text_add(text,
                     "  %%mp.%u = getelementptr inbounds i32, ptr %%groups, "
                     "i32 %%l.%u\n  %%m.%u = load i32, ptr %%mp.%u\n",
                     k, k, k, k);
    }
    jit_text_add(text,
                 "  %%both.%u = and i32 %%set.%u, %%m.%u\n"
                 "  %%keep.%u = icmp eq i32 %%both.%u, %%%s.%u\n"
                 "  %%own.%u = select i1 %%keep.%u, i32 %%both.%u, i32 0\n"
                 "  %%rp.%u = getelementptr inbounds i32, ptr %%lane%u, i32 "
                 "%%l.%u\n  store i32 %%own.%u, ptr %%rp.%u\n",
                 k, k, k, k, k, op->kind == JIT_WARP_MATCH_ALL ? "m" : "both",
                 k, k, k, k, k, op->result_lanes, k, k, k);
    jit_text_add(text,
                 "  %%l.next.%u = add nuw nsw i32 %%l.%u, 1\n"
                 "  %%l.more.%u = icmp ult i32 %%l.next.%u, 32\n"
                 "  br i1 %%l.more.%u, label %%match.%u, label %%matched.%u\n"
                 "matched.%u:\n",
                 k, k, k, k, k, k, k, k);
}

void
jit_text_warp_op(struct jit *jit, const struct jit_warp_op *op, unsigned point)
{
    struct jit_text *text = jit->wrappers;
    if (!op->shared_mask && op->kind != JIT_WARP_SHUFFLE) {
        find_groups(text, op, point);
    } else if (op->shared_mask && !op->fixed_mask) {
        check_shared(text, op, point);
    }
    switch (op->kind) {
    case JIT_WARP_BARRIER:
        break;
    case JIT_WARP_ACTIVE:
        jit_text_add(text, "  %%vote.%u = add i64 0, %lld\n", point,
                     (long long)UINT32_MAX);
        return;
    case JIT_WARP_SHUFFLE:
        write_shuffle(text, op, point);
        break;
    case JIT_WARP_BALLOT:
        write_ballot(text, op, point);
        break;
    case JIT_WARP_MATCH_ALL:
        if (op->uniform) {
            write_match_all(text, op, point);
            break;
        }
        /* fall through */
    case JIT_WARP_MATCH:
        write_match(text, op, point);
        break;
    case JIT_WARP_REDUCE:
        write_reduce(text, op, point);
        break;
    }
    if (!op->uniform) {
        jit_text_add(text, "  %%vote.%u = add i64 0, 0\n", point);
    }
}
