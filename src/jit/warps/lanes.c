/* lanes.c - finds values that are the same in all lanes of a warp, although
 * they are computed from the lanes' indices.
 *
 * Called by analyse/uniform.c and regions.c. The x index of a warp's first
 * thread is a multiple of 32, and so is the width of the block (warps.h).
 * Hence threadIdx.x, the linear thread index and blockIdx.x * blockDim.x +
 * threadIdx.x are each a uniform multiple of 32 plus the lane index. The
 * following results are then the same in all lanes of a warp: such a value
 * shifted right by 5 or more, divided by a multiple of 32, with its low 5 bits
 * cleared, or compared with a multiple of 32.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/regions/split.h"
#include "jit/warps/lanes.h"
#include "jit/warps/ops.h"

enum {
    /* maximum number of nested operations of an index that are examined */
    DEPTH = 8,
    LANE_BITS = 5,
    /* limit on gridDim.x for kernels that run one warp after the other
     * (src/cpu/run/block.c) */
    MAX_BLOCKS = 1 << 21,
};

#define TOO_MUCH (UINT64_C(1) << 31)

static bool
is_widening(LLVMValueRef value)
{
    return jit_has_opcode(value, LLVMZExt) || jit_has_opcode(value, LLVMSExt);
}

/* Returns the value of an integer constant, or -1 if the value is not a
 * constant. */
static int64_t
constant_of(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) &&
                   LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64
               ? LLVMConstIntGetSExtValue(value)
               : -1;
}

/* Tests whether the value is a multiple of 32. */
static bool
is_multiple(const struct jit_kernel *kernel, LLVMValueRef value, int depth)
{
    if (LLVMIsAConstantInt(value)) {
        return constant_of(value) % JIT_LANES == 0;
    }
    if (value == jit_body_argument(kernel, JIT_NTID)) {
        return true;
    }
    if (!LLVMIsAInstruction(value) || depth == 0) {
        return false;
    }
    LLVMValueRef first =
        LLVMGetNumOperands(value) > 0 ? LLVMGetOperand(value, 0) : NULL;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMZExt:
    case LLVMSExt:
        return is_multiple(kernel, first, depth - 1);
    case LLVMAdd:
    case LLVMSub:
        return is_multiple(kernel, first, depth - 1) &&
               is_multiple(kernel, LLVMGetOperand(value, 1), depth - 1);
    case LLVMMul:
    case LLVMAnd:
        return is_multiple(kernel, first, depth - 1) ||
               is_multiple(kernel, LLVMGetOperand(value, 1), depth - 1);
    case LLVMShl:
        return constant_of(LLVMGetOperand(value, 1)) >= LANE_BITS ||
               (constant_of(LLVMGetOperand(value, 1)) >= 0 &&
                is_multiple(kernel, first, depth - 1));
    default:
        return false;
    }
}

/* Examines a sum of two operands. If one operand is a uniform multiple of 32
 * plus the lane index, and the other one is a uniform multiple of 32, returns
 * the index (0 or 1) of the first of these operands. Otherwise returns -1. */
static int aligned_term(const struct jit_kernel *kernel,
                        const struct jit_map *differs, LLVMValueRef sum,
                        int depth);

/* Tests whether the value is a multiple of 32 that is the same in all lanes of
 * a warp, plus the lane index. */
static bool
is_aligned(const struct jit_kernel *kernel, const struct jit_map *differs,
           LLVMValueRef value, int depth)
{
    if (value == jit_body_argument(kernel, JIT_TID) ||
        value == jit_body_argument(kernel, JIT_LINEAR)) {
        return true;
    }
    if (depth == 0) {
        return false;
    }
    if (is_widening(value)) {
        return is_aligned(kernel, differs, LLVMGetOperand(value, 0),
                          depth - 1);
    }
    return aligned_term(kernel, differs, value, depth) >= 0;
}

static int
aligned_term(const struct jit_kernel *kernel, const struct jit_map *differs,
             LLVMValueRef sum, int depth)
{
    if (!jit_has_opcode(sum, LLVMAdd)) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        LLVMValueRef other = LLVMGetOperand(sum, (unsigned)(1 - i));
        if (!jit_map_get(differs, other) &&
            is_multiple(kernel, other, DEPTH) &&
            is_aligned(kernel, differs, LLVMGetOperand(sum, (unsigned)i),
                       depth - 1)) {
            return i;
        }
    }
    return -1;
}

static bool
is_index_of(const struct jit_kernel *kernel, LLVMValueRef value, int argument)
{
    return value == jit_body_argument(kernel, argument);
}

/* Returns an upper bound of a value that is computed from thread and block
 * indices, block dimensions and constants without wrapping. Returns TOO_MUCH
 * if no bound is known. */
static uint64_t
most_of(const struct jit_kernel *kernel, LLVMValueRef value, int depth)
{
    static const struct {
        int argument;
        uint64_t most;
    } known[] = {{JIT_TID, 1023},      {JIT_TID + 1, 1023},
                 {JIT_TID + 2, 63},    {JIT_NTID, 1024},
                 {JIT_NTID + 1, 1024}, {JIT_NTID + 2, 64},
                 {JIT_LINEAR, 1023},   {JIT_CTAID, MAX_BLOCKS - 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (value == jit_body_argument(kernel, known[i].argument)) {
            return known[i].most;
        }
    }
    if (LLVMIsAConstantInt(value)) {
        int64_t number = constant_of(value);
        return number >= 0 && number < (int64_t)TOO_MUCH ? (uint64_t)number
                                                         : TOO_MUCH;
    }
    if (jit_has_opcode(value, LLVMZExt) || jit_has_opcode(value, LLVMSExt)) {
        return most_of(kernel, LLVMGetOperand(value, 0), depth);
    }
    bool sum = jit_has_opcode(value, LLVMAdd),
         shift = jit_has_opcode(value, LLVMShl);
    if (depth == 0 || (!sum && !shift && !jit_has_opcode(value, LLVMMul))) {
        return TOO_MUCH;
    }
    uint64_t a = most_of(kernel, LLVMGetOperand(value, 0), depth - 1);
    uint64_t b = most_of(kernel, LLVMGetOperand(value, 1), depth - 1);
    if (a == TOO_MUCH || b == TOO_MUCH || (shift && b > 31)) {
        return TOO_MUCH;
    }
    uint64_t most = sum ? a + b : shift ? a << b : a * b;
    return most < TOO_MUCH ? most : TOO_MUCH;
}

/* Tests whether it is known that the value is never negative as a signed
 * number, and that its computation never wraps. */
static bool
is_natural(const struct jit_kernel *kernel, LLVMValueRef value)
{
    return most_of(kernel, value, DEPTH) != TOO_MUCH;
}

/* An index that is a multiple of 32 plus the lane index is compared with a
 * limit. Tests whether the result is the same in all lanes. */
static bool
limit_fits(const struct jit_kernel *kernel, const struct jit_map *differs,
           LLVMValueRef test)
{
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    LLVMValueRef limit = LLVMGetOperand(test, 1);
    bool below = predicate >= LLVMIntSGT && LLVMIsAConstantInt(limit) &&
                 constant_of(limit) < 0;
    if (below && is_natural(kernel, LLVMGetOperand(test, 0))) {
        return true;
    }
    switch (predicate) {
    case LLVMIntULT:
    case LLVMIntUGE:
    case LLVMIntSLT:
    case LLVMIntSGE:
        return !jit_map_get(differs, limit) &&
               is_multiple(kernel, limit, DEPTH);
    case LLVMIntUGT:
    case LLVMIntULE:
    case LLVMIntSGT:
    case LLVMIntSLE:
        return LLVMIsAConstantInt(limit) &&
               (constant_of(limit) & (JIT_LANES - 1)) == JIT_LANES - 1;
    default:
        return false;
    }
}

/* Matches `index + number < limit`, to which LLVM converts the signed
 * comparison `index / 32 == 0`. Returns the index if the result is the same in
 * all lanes of a warp, else NULL. */
static LLVMValueRef
offset_index(const struct jit_kernel *kernel, const struct jit_map *differs,
             LLVMValueRef test)
{
    LLVMValueRef sum = LLVMIsAICmpInst(test) ? LLVMGetOperand(test, 0) : NULL;
    if (!sum || !jit_has_opcode(sum, LLVMAdd)) {
        return NULL;
    }
    LLVMValueRef index = LLVMGetOperand(sum, 0);
    int64_t number = constant_of(LLVMGetOperand(sum, 1));
    int64_t limit = constant_of(LLVMGetOperand(test, 1)) - number;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    bool fits =
        number > 0 && limit > 0 && number < 1024 &&
        ((predicate == LLVMIntULT && limit % JIT_LANES == 0) ||
         (predicate == LLVMIntUGT && limit % JIT_LANES == JIT_LANES - 1));
    return fits && is_natural(kernel, index) &&
                   is_aligned(kernel, differs, index, DEPTH)
               ? index
               : NULL;
}

static bool
forgets_lane(const struct jit_kernel *kernel, LLVMValueRef at)
{
    LLVMValueRef by = LLVMGetNumOperands(at) > 1 ? LLVMGetOperand(at, 1) : at;
    int64_t number = constant_of(by);
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLShr:
    case LLVMAShr:
        return number >= LANE_BITS - PLANTED_FAULT(lanes_agree);
    case LLVMUDiv:
        return number > 0 && number % JIT_LANES == 0;
    case LLVMSDiv:
        return number > 0 && number % JIT_LANES == 0 &&
               is_natural(kernel, LLVMGetOperand(at, 0));
    case LLVMAnd:
        return LLVMIsAConstantInt(by) && number % JIT_LANES == 0;
    default:
        return false;
    }
}

bool
jit_lanes_agree(const struct jit_kernel *kernel, const struct jit_map *differs,
                LLVMValueRef at)
{
    struct jit_warp_op op;
    const char *why;
    if (jit_is_warp_op(at)) {
        return jit_read_warp_op(differs, at, &op, &why) && op.uniform;
    }
    if (offset_index(kernel, differs, at)) {
        return true;
    }
    bool known = LLVMIsAICmpInst(at) ? limit_fits(kernel, differs, at)
                                     : forgets_lane(kernel, at);
    return known && is_aligned(kernel, differs, LLVMGetOperand(at, 0), DEPTH);
}

/* ---- rewriting ---- */

/* Records that a new value may differ between the threads of a block;
 * `differs` says whether it may differ between the lanes of a warp too. */
static LLVMValueRef
note_new(struct jit_split *split, LLVMValueRef value, bool differs)
{
    *jit_map_slot(&split->differs, value) = 1;
    *jit_map_slot(&split->lanes_differ, value) = differs;
    return value;
}

/* Builds, at the builder's position, the value that the warp's first lane has
 * for `value`. */
static LLVMValueRef
first_of(struct jit *jit, struct jit_split *split, LLVMValueRef value)
{
    const struct jit_kernel *kernel = split->kernel;
    if (is_index_of(kernel, value, JIT_TID)) {
        return jit_body_argument(kernel, JIT_WARP_X);
    }
    if (is_index_of(kernel, value, JIT_LINEAR)) {
        return jit_body_argument(kernel, JIT_WARP_LINEAR);
    }
    if (is_widening(value)) {
        LLVMValueRef inner = first_of(jit, split, LLVMGetOperand(value, 0));
        return note_new(split,
                        LLVMBuildCast(jit->builder,
                                      LLVMGetInstructionOpcode(value), inner,
                                      LLVMTypeOf(value), ""),
                        false);
    }
    int term = aligned_term(kernel, &split->lanes_differ, value, DEPTH);
    LLVMValueRef other = LLVMGetOperand(value, (unsigned)(1 - term));
    LLVMValueRef first =
        first_of(jit, split, LLVMGetOperand(value, (unsigned)term));
    return note_new(split, LLVMBuildAdd(jit->builder, first, other, ""),
                    false);
}

/* Tests whether the instruction computes an index modulo 32, which is the lane
 * index. The instruction may also be an `and` with a mask of the sign bit and
 * the low 5 bits: LLVM makes it from a comparison of a signed modulus with a
 * constant. */
static bool
is_lane(const struct jit_split *split, LLVMValueRef at)
{
    static const int64_t sign_and_lane = INT32_MIN + JIT_LANES - 1;
    if (!LLVMIsAInstruction(at) || LLVMGetNumOperands(at) < 2) {
        return false;
    }
    int64_t number = constant_of(LLVMGetOperand(at, 1));
    LLVMValueRef index = LLVMGetOperand(at, 0);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    bool natural = is_natural(split->kernel, index);
    bool rest = (opcode == LLVMAnd && number == JIT_LANES - 1) ||
                (opcode == LLVMURem && number == JIT_LANES) ||
                (opcode == LLVMSRem && number == JIT_LANES && natural) ||
                (opcode == LLVMAnd && number == sign_and_lane && natural);
    return rest &&
           is_aligned(split->kernel, &split->lanes_differ, index, DEPTH);
}

LLVMValueRef
jit_build_lane(struct jit *jit, struct jit_split *split, LLVMTypeRef type)
{
    LLVMValueRef lane =
        LLVMBuildSub(jit->builder, jit_body_argument(split->kernel, JIT_TID),
                     jit_body_argument(split->kernel, JIT_WARP_X), "");
    note_new(split, lane, true);
    return note_new(split, LLVMBuildIntCast2(jit->builder, lane, type, 0, ""),
                    true);
}

static void
use_base(struct jit *jit, LLVMValueRef at, void *data)
{
    struct jit_split *split = data;
    LLVMPositionBuilderBefore(jit->builder, at);
    if (jit_has_opcode(at, LLVMAdd) && is_natural(split->kernel, at)) {
        LLVMSetNSW(at, 1);
        LLVMSetNUW(at, 1);
        return;
    }
    if (is_lane(split, at)) {
        jit_replace(at, jit_build_lane(jit, split, LLVMTypeOf(at)));
        return;
    }
    LLVMValueRef index = offset_index(split->kernel, &split->lanes_differ, at);
    if (index) {
        LLVMValueRef number = LLVMGetOperand(LLVMGetOperand(at, 0), 1);
        LLVMValueRef sum = LLVMBuildAdd(
            jit->builder, first_of(jit, split, index), number, "");
        LLVMSetOperand(at, 0, note_new(split, sum, false));
        return;
    }
    bool looks = !jit_is_warp_op(at) && !LLVMIsAPHINode(at) &&
                 LLVMGetNumOperands(at) == 2 &&
                 (LLVMIsAICmpInst(at) || forgets_lane(split->kernel, at));
    if (looks && jit_lanes_agree(split->kernel, &split->lanes_differ, at)) {
        LLVMSetOperand(at, 0, first_of(jit, split, LLVMGetOperand(at, 0)));
    }
}

void
jit_use_warp_base(struct jit *jit, struct jit_split *split)
{
    jit_each_instruction(jit, split->kernel->body, use_base, split);
}
