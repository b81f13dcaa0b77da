/* vectors.c - warp operations on vectors of 32, as IR text.
 *
 * Called by entries/warp.c between the loops over a warp's lanes.  The
 * operands are loaded from the lanes' arrays; the result goes to one, or is
 * %vote.<point> if all lanes get the same.
 *
 * SPDX-License-Identifier: MIT */
#include "image/abi.h"
#include "jit/plants.h"
#include "jit/warps/warps.h"

/* Vectors of 32: "<i32 f(0), i32 f(1), ...>". */
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
the_lane(const void *data, int lane)
{
    (void)data;
    return lane;
}

static int
lane_bit(const void *data, int lane)
{
    (void)data;
    return (int)(1u << lane);
}

static int
the_number(const void *data, int lane)
{
    (void)lane;
    return *(const int *)data;
}

static int
first_lane(const void *data, int lane)
{
    const struct jit_warp_op *op = data;
    return PLANTED(whole_warp) ? 0 : lane & ~(op->width - 1);
}

static int
end_lane(const void *data, int lane)
{
    const struct jit_warp_op *op = data;
    return first_lane(data, lane) + op->width;
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
    return vector_text(the_number, &number);
}

/* %<name>.<point>: the array's values. */
static void
load_lanes(struct jit_text *text, const char *name, unsigned bits,
           unsigned lanes, unsigned point)
{
    jit_text_add(text, "  %%%s.%u = load <32 x i%u>, ptr %%lane%u, align 64\n",
                 name, point, bits, lanes);
}

static void
store_lanes(struct jit_text *text, const char *name, unsigned bits,
            unsigned lanes, unsigned point)
{
    jit_text_add(text, "  store <32 x i%u> %%%s.%u, ptr %%lane%u, align 64\n",
                 bits, name, point, lanes);
}

/* The first lane's word, %<name>.<point>. */
static void
load_first(struct jit_text *text, const char *name, unsigned lanes,
           unsigned point)
{
    jit_text_add(text, "  %%%s.%u = load i32, ptr %%lane%u, align 64\n", name,
                 point, lanes);
}

/* %m.<point>: the mask that all lanes have. */
static void
shared_mask(struct jit_text *text, const struct jit_warp_op *op,
            unsigned point)
{
    if (op->fixed_mask) {
        jit_text_add(text, "  %%m.%u = add i32 0, %d\n", point, (int)op->mask);
    } else {
        load_first(text, "m", op->mask_lanes, point);
    }
}

static void
vote(struct jit_text *text, const char *name, unsigned bits, unsigned point)
{
    jit_text_add(text, "  %%vote.%u = %s i%u %%%s.%u%s\n", point,
                 bits == 64 ? "add" : "zext", bits, name, point,
                 bits == 64 ? ", 0" : " to i64");
}

/* ---- shuffles ---- */

/* %src.<point>, the lanes' sources before the mask, from %arg.<point>. */
static void
find_sources(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    const char *lanes = vector_text(the_lane, NULL);
    const char *first = vector_text(first_lane, op);
    const char *end = vector_text(end_lane, op);
    if (op->how == IMAGE_SHUFFLE_IDX) {
        jit_text_add(text,
                     "  %%in.%u = and <32 x i32> %%arg.%u, %s\n"
                     "  %%src.%u = add <32 x i32> %%in.%u, %s\n",
                     k, k, splat(op->width - 1), k, k, first);
        return;
    }
    const char *opcode = op->how == IMAGE_SHUFFLE_UP     ? "sub"
                         : op->how == IMAGE_SHUFFLE_DOWN ? "add"
                                                         : "xor";
    jit_text_add(text,
                 "  %%far.%u = %s <32 x i32> %s, %%arg.%u\n"
                 "  %%low.%u = icmp sge <32 x i32> %%far.%u, %s\n"
                 "  %%high.%u = icmp slt <32 x i32> %%far.%u, %s\n"
                 "  %%both.%u = and <32 x i1> %%low.%u, %%high.%u\n",
                 k, opcode, lanes, k, k, k,
                 op->how == IMAGE_SHUFFLE_XOR ? splat(0) : first, k, k, end, k,
                 k, k);
    /* a delta too large for the sum must not wrap round */
    jit_text_add(text,
                 "  %%small.%u = icmp %s <32 x i32> %%arg.%u, %s\n"
                 "  %%ok.%u = and <32 x i1> %%both.%u, %%small.%u\n"
                 "  %%src.%u = select <32 x i1> %%ok.%u, <32 x i32> %%far.%u, "
                 "<32 x i32> %s\n",
                 k, op->how == IMAGE_SHUFFLE_XOR ? "ne" : "ult", k,
                 op->how == IMAGE_SHUFFLE_XOR ? splat(0) : splat(JIT_LANES), k,
                 k, k, k, k, k, lanes);
}

/* %from.<point>: the sources, those that the masks name. */
static void
mask_sources(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    const char *lanes = vector_text(the_lane, NULL);
    if (op->fixed_mask) {
        jit_text_add(text, "  %%mask.%u = add <32 x i32> %s, %s\n", k,
                     splat((int)op->mask), splat(0));
    } else {
        load_lanes(text, "mask", 32, op->mask_lanes, k);
    }
    jit_text_add(text,
                 "  %%bits.%u = lshr <32 x i32> %%mask.%u, %%src.%u\n"
                 "  %%there.%u = trunc <32 x i32> %%bits.%u to <32 x i1>\n"
                 "  %%from.%u = select <32 x i1> %%there.%u, <32 x i32> "
                 "%%src.%u, <32 x i32> %s\n",
                 k, k, k, k, k, k, k, k, lanes);
}

static void
gather(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    static const int one = 1;
    jit_text_add(text,
                 "  %%all.%u = icmp ne <32 x i32> %s, zeroinitializer\n"
                 "  %%at.%u = getelementptr inbounds i%u, ptr %%lane%u, "
                 "<32 x i32> %%from.%u\n"
                 "  %%result.%u = call <32 x i%u> "
                 "@llvm.masked.gather.v32i%u.v32p0(<32 x ptr> %%at.%u, i32 4, "
                 "<32 x i1> %%all.%u, <32 x i%u> poison)\n",
                 k, vector_text(the_number, &one), k, op->bits,
                 op->value_lanes, k, k, op->bits, op->bits, k, k, op->bits);
    store_lanes(text, "result", op->bits, op->result_lanes, k);
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

static void
write_shuffle(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    if (op->uniform) {
        write_broadcast(text, op, k);
        return;
    }
    if (op->fixed_argument && op->fixed_mask) {
        load_lanes(text, "value", op->bits, op->value_lanes, k);
        jit_text_add(text,
                     "  %%result.%u = shufflevector <32 x i%u> %%value.%u, "
                     "<32 x i%u> poison, <32 x i32> %s\n",
                     k, op->bits, k, op->bits, vector_text(fixed_source, op));
        store_lanes(text, "result", op->bits, op->result_lanes, k);
        return;
    }
    if (op->fixed_argument) {
        jit_text_add(text, "  %%arg.%u = add <32 x i32> %s, %s\n", k,
                     splat(op->argument), splat(0));
    } else {
        load_lanes(text, "arg", 32, op->argument_lanes, k);
    }
    find_sources(text, op, k);
    mask_sources(text, op, k);
    gather(text, op, k);
}

/* ---- the others ---- */

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
        shared_mask(text, op, k);
        jit_text_add(text, "  %%own.%u = and i32 %%votes.%u, %%m.%u\n", k, k,
                     k);
        vote(text, "own", 32, k);
        return;
    }
    if (PLANTED(mask_forgotten)) {
        jit_text_add(text, "  %%mask.%u = add <32 x i32> %s, %s\n", k,
                     splat(-1), splat(0));
    } else {
        load_lanes(text, "mask", 32, op->mask_lanes, k);
    }
    jit_text_add(text,
                 "  %%v1.%u = insertelement <32 x i32> poison, i32 "
                 "%%votes.%u, i32 0\n"
                 "  %%v32.%u = shufflevector <32 x i32> %%v1.%u, <32 x i32> "
                 "poison, <32 x i32> zeroinitializer\n"
                 "  %%named.%u = or <32 x i32> %%mask.%u, %s\n"
                 "  %%result.%u = and <32 x i32> %%v32.%u, %%named.%u\n",
                 k, k, k, k, k, k, vector_text(lane_bit, NULL), k, k, k);
    store_lanes(text, "result", 32, op->result_lanes, k);
}

struct reduction {
    const char *name; /* of the intrinsic */
    int identity;
};

static const struct reduction reductions[] = {
    [IMAGE_REDUCE_ADD] = {"add", 0},
    [IMAGE_REDUCE_MIN_S32] = {"smin", INT32_MAX},
    [IMAGE_REDUCE_MAX_S32] = {"smax", INT32_MIN},
    [IMAGE_REDUCE_MIN_U32] = {"umin", -1},
    [IMAGE_REDUCE_MAX_U32] = {"umax", 0},
    [IMAGE_REDUCE_AND] = {"and", -1},
    [IMAGE_REDUCE_OR] = {"or", 0},
    [IMAGE_REDUCE_XOR] = {"xor", 0},
};

static void
write_reduce(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    const struct reduction *row = &reductions[op->how];
    load_lanes(text, "value", 32, op->value_lanes, k);
    shared_mask(text, op, k);
    jit_text_add(text,
                 "  %%set.%u = bitcast i32 %%m.%u to <32 x i1>\n"
                 "  %%those.%u = select <32 x i1> %%set.%u, <32 x i32> "
                 "%%value.%u, <32 x i32> %s\n"
                 "  %%one.%u = call i32 @llvm.vector.reduce.%s.v32i32(<32 x "
                 "i32> %%those.%u)\n",
                 k, k, k, k, k, splat(row->identity), k, row->name, k);
    vote(text, "one", 32, k);
}

/* A loop over the lanes: each one's value against all. */
static void
write_match(struct jit_text *text, const struct jit_warp_op *op, unsigned k)
{
    unsigned bits = op->bits;
    load_lanes(text, "value", bits, op->value_lanes, k);
    jit_text_add(text,
                 "  br label %%match.%u\nmatch.%u:\n"
                 "  %%l.%u = phi i32 [0, %%op.%u], [%%l.next.%u, %%match.%u]\n"
                 "  %%vp.%u = getelementptr inbounds i%u, ptr %%lane%u, i32 "
                 "%%l.%u\n"
                 "  %%v0.%u = load i%u, ptr %%vp.%u\n",
                 k, k, k, k, k, k, k, bits, op->value_lanes, k, k, bits, k);
    jit_text_add(text,
                 "  %%v1.%u = insertelement <32 x i%u> poison, i%u %%v0.%u, "
                 "i32 0\n"
                 "  %%v32.%u = shufflevector <32 x i%u> %%v1.%u, <32 x i%u> "
                 "poison, <32 x i32> zeroinitializer\n"
                 "  %%same.%u = icmp %s <32 x i%u> %%value.%u, %%v32.%u\n"
                 "  %%set.%u = bitcast <32 x i1> %%same.%u to i32\n",
                 k, bits, bits, k, k, bits, k, bits, k,
                 PLANTED(match_self) ? "uge" : "eq", bits, k, k, k, k);
    if (op->fixed_mask) {
        jit_text_add(text, "  %%m.%u = add i32 0, %d\n", k, (int)op->mask);
    } else {
        jit_text_add(text,
                     "  %%mp.%u = getelementptr inbounds i32, ptr %%lane%u, "
                     "i32 %%l.%u\n  %%m.%u = load i32, ptr %%mp.%u\n",
                     k, op->mask_lanes, k, k, k);
    }
    jit_text_add(text,
                 "  %%bit.%u = shl i32 1, %%l.%u\n"
                 "  %%named.%u = or i32 %%m.%u, %%bit.%u\n"
                 "  %%own.%u = and i32 %%set.%u, %%named.%u\n"
                 "  %%rp.%u = getelementptr inbounds i32, ptr %%lane%u, i32 "
                 "%%l.%u\n  store i32 %%own.%u, ptr %%rp.%u\n",
                 k, k, k, k, k, k, k, k, k, op->result_lanes, k, k, k);
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
