/* iterations.c - finds loads by which each lane reads consecutive elements in
 * the iterations of a loop.
 *
 * Called by pack.c, after shapes.c. The lanes of a pack read different rows of
 * a matrix in `for (k...) sum += a[i * n + k]`, where i is the thread: in one
 * iteration, the elements of the lanes are far from each other, but each lane
 * reads the next element of its row in the next iteration. The function for a
 * pack loads several elements of each row at once and keeps them in a buffer
 * on the stack (buffered.c), so such a load is called buffered.
 *
 * If lanes leave the loop in different iterations, the elements that are read
 * for a lane that has left would be wasted: such loops have no buffered loads.
 *
 * Elements of later iterations are read early. Therefore a loop with
 * synchronisation has no buffered loads. Neither has a loop with a store whose
 * address changes from iteration to iteration, since buffered.c must be able
 * to test whether stores overlap with the elements.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/slow_path.h"
#include "jit/pack/pack.h"
#include "jit/text.h"

/* Change of a value from one iteration of a loop to the next. */
struct step {
    bool known;
    int64_t amount; /* increment (in bytes if the value is a pointer) */
    /* The value does not wrap as a signed number, so its sign extension to
     * more bits also changes by `amount` in each iteration. */
    bool is_signed;
    /* The value does not wrap as an unsigned number, so its zero extension to
     * more bits also changes by `amount` in each iteration. */
    bool is_unsigned;
    /* sign or zero extension for which `amount` is right only if its operand
     * does not wrap; a run-time test of this is needed. NULL: no test is
     * needed */
    LLVMValueRef unsure;
};

static const struct step unknown = {false, 0, false, false, NULL};
static const struct step constant = {true, 0, true, true, NULL};

/* Tests whether `amount`, a change per iteration, is so large that its product
 * with the size of an element might overflow. */
static bool
is_too_large(int64_t amount)
{
    enum { MOST = 1 << 30 };
    return amount > MOST || amount < -MOST;
}

static struct step step_of(const struct jit_pack_body *body, unsigned loop,
                           LLVMValueRef value, int depth);

static bool
is_inside(const struct jit_pack_body *body, unsigned loop, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) &&
           body->loops[loop].inside[jit_cfg_index(
               &body->cfg, LLVMGetInstructionParent(value))];
}

/* Returns the step (change per iteration) of a phi of the loop's head, such as
 * a counter or a pointer. */
static struct step
phi_step(const struct jit_pack_body *body, unsigned loop, LLVMValueRef phi)
{
    const struct jit_pack_loop *row = &body->loops[loop];
    LLVMBasicBlockRef latch = body->cfg.blocks[row->latch].block;
    struct step step = constant;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (LLVMGetIncomingBlock(phi, i) != latch) {
            continue;
        }
        if (!LLVMIsAInstruction(next) || LLVMGetNumOperands(next) != 2 ||
            LLVMGetOperand(next, 0) != phi ||
            !LLVMIsAConstantInt(LLVMGetOperand(next, 1))) {
            return unknown;
        }
        step.amount = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
        if (is_too_large(step.amount)) {
            return unknown;
        }
        if (LLVMIsAGetElementPtrInst(next)) {
            LLVMTargetDataRef layout =
                LLVMGetModuleDataLayout(body->jit->module);
            step.amount *= (int64_t)LLVMABISizeOfType(
                layout, LLVMGetGEPSourceElementType(next));
            return step;
        }
        if (LLVMGetInstructionOpcode(next) != LLVMAdd) {
            return unknown;
        }
        step.is_signed = LLVMGetNSW(next);
        step.is_unsigned = LLVMGetNUW(next);
    }
    return step;
}

static struct step
sum_step(struct step a, struct step b, LLVMValueRef at)
{
    bool less = LLVMGetInstructionOpcode(at) == LLVMSub;
    bool or = LLVMGetInstructionOpcode(at) == LLVMOr;
    if (!a.known || !b.known || (a.unsure && b.unsure) ||
        is_too_large(a.amount) || is_too_large(b.amount) ||
        (or &&!LLVMGetIsDisjoint(at))) {
        return unknown;
    }
    a.amount += less ? -b.amount : b.amount;
    a.is_signed &= b.is_signed && (or || LLVMGetNSW(at));
    a.is_unsigned &= b.is_unsigned && !less && (or || LLVMGetNUW(at));
    a.unsure = a.unsure ? a.unsure : b.unsure;
    return a;
}

static struct step
product_step(struct step a, LLVMValueRef at)
{
    enum { MOST = 1 << 20 };
    LLVMValueRef number = LLVMGetOperand(at, 1);
    bool shift = LLVMGetInstructionOpcode(at) == LLVMShl;
    if (!a.known || !LLVMIsAConstantInt(number) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(number)) > 64) {
        return unknown;
    }
    int64_t by = LLVMConstIntGetSExtValue(number);
    if (by < 0 || by > (shift ? 20 : MOST) || a.amount > MOST ||
        a.amount < -MOST) {
        return unknown;
    }
    a.amount *= shift ? INT64_C(1) << by : by;
    a.is_signed &= LLVMGetNSW(at) != 0;
    a.is_unsigned &= LLVMGetNUW(at) != 0;
    return a;
}

/* Returns the step (change per iteration) of a sign or zero extension to 64
 * bits. If the operand grows by 1 but might wrap, the step has the extension
 * as `unsure`, for a run-time test. */
static struct step
extension_step(struct step a, LLVMValueRef at)
{
    bool zero = LLVMIsAZExtInst(at) != NULL;
    bool certain =
        zero ? a.is_unsigned || (a.is_signed && LLVMGetNNeg(at)) : a.is_signed;
    if (!a.known || (!certain && (a.amount != 1 || a.unsure))) {
        return unknown;
    }
    a.unsure = certain ? a.unsure : at;
    a.is_signed = true;
    /* A sign-extended value may change from -1 to 0. This change wraps for an
     * unsigned number. */
    a.is_unsigned = zero;
    return a;
}

static struct step
address_step(const struct jit_pack_body *body, unsigned loop, LLVMValueRef at,
             int depth)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(body->jit->module);
    struct step base = step_of(body, loop, LLVMGetOperand(at, 0), depth);
    if (!base.known || LLVMGetNumOperands(at) != 2) {
        return unknown;
    }
    struct step index = step_of(body, loop, LLVMGetOperand(at, 1), depth);
    if (!index.known || (base.unsure && index.unsure) ||
        is_too_large(index.amount) || is_too_large(base.amount) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(at, 1))) != 64) {
        return unknown;
    }
    base.amount += index.amount * (int64_t)LLVMABISizeOfType(
                                      layout, LLVMGetGEPSourceElementType(at));
    base.unsure = base.unsure ? base.unsure : index.unsure;
    return base;
}

/* Returns the step (change per iteration) of an arithmetic instruction's
 * result: 0 if the operands are the same in all iterations, else unknown. */
static struct step
fixed_step(const struct jit_pack_body *body, unsigned loop, LLVMValueRef at,
           int depth)
{
    unsigned count = (unsigned)LLVMGetNumOperands(at);
    for (unsigned i = 0; i < count; i++) {
        struct step one = step_of(body, loop, LLVMGetOperand(at, i), depth);
        if (!one.known || one.amount || one.unsure) {
            return unknown;
        }
    }
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    bool divides = opcode == LLVMUDiv || opcode == LLVMSDiv ||
                   opcode == LLVMURem || opcode == LLVMSRem;
    return divides || jit_is_arithmetic(at) ? constant : unknown;
}

static struct step
step_of(const struct jit_pack_body *body, unsigned loop, LLVMValueRef value,
        int depth)
{
    if (!is_inside(body, loop, value)) {
        return constant;
    }
    if (depth == 0) {
        return unknown;
    }
    LLVMValueRef first = LLVMGetOperand(value, 0);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMPHI:
        return LLVMGetInstructionParent(value) ==
                       body->cfg.blocks[body->loops[loop].head].block
                   ? phi_step(body, loop, value)
                   : unknown;
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
        return sum_step(
            step_of(body, loop, first, depth - 1),
            step_of(body, loop, LLVMGetOperand(value, 1), depth - 1), value);
    case LLVMMul:
    case LLVMShl: {
        struct step a = step_of(body, loop, first, depth - 1);
        struct step b =
            step_of(body, loop, LLVMGetOperand(value, 1), depth - 1);
        bool fixed = a.known && b.known && !a.amount && !b.amount &&
                     !a.unsure && !b.unsure;
        return fixed ? constant : product_step(a, value);
    }
    case LLVMZExt:
    case LLVMSExt:
        return extension_step(step_of(body, loop, first, depth - 1), value);
    case LLVMTrunc: {
        struct step a = step_of(body, loop, first, depth - 1);
        a.is_signed &= LLVMGetNSW(value) != 0;
        a.is_unsigned &= LLVMGetNUW(value) != 0;
        return a;
    }
    case LLVMGetElementPtr:
        return address_step(body, loop, value, depth - 1);
    default:
        return fixed_step(body, loop, value, depth - 1);
    }
}

/* Tests whether the address belongs to memory whose size LLVM does not know.
 * Only such memory may be read beyond the last element, as a buffered load
 * does up to the end of a page. */
static bool
is_unsized(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address)) {
        address = LLVMGetOperand(address, 0);
    }
    if (LLVMIsAPHINode(address)) {
        address = LLVMGetIncomingValue(address, 0);
        while (LLVMIsAGetElementPtrInst(address)) {
            address = LLVMGetOperand(address, 0);
        }
    }
    return LLVMIsAArgument(address) || LLVMIsALoadInst(address);
}

/* Adds the store to row->stores, whose addresses are compared with those of
 * the buffered load at run time. Returns false if such a comparison is
 * impossible: the store's address changes in the loop, or the lanes do not
 * write elements near each other. */
static bool
add_store(const struct jit_pack_body *body, struct jit_pack_buffered *row,
          LLVMValueRef at)
{
    LLVMValueRef address = LLVMGetOperand(at, 1);
    struct jit_shape shape = jit_pack_shape(body, address);
    /* greatest distance between the elements of neighbouring lanes, in
     * bytes */
    enum { NEAR = 64 };
    if (LLVMGetVolatile(at) || is_inside(body, row->loop, address) ||
        shape.kind != JIT_SHAPE_LINEAR || shape.stride > NEAR ||
        shape.stride < -NEAR) {
        return false;
    }
    for (unsigned i = 0; i < row->store_count; i++) {
        if (LLVMGetOperand(row->stores[i], 1) == address &&
            LLVMTypeOf(LLVMGetOperand(row->stores[i], 0)) ==
                LLVMTypeOf(LLVMGetOperand(at, 0))) {
            return true;
        }
    }
    if (row->store_count == JIT_PACK_STORES) {
        return false;
    }
    row->stores[row->store_count++] = at;
    return true;
}

/* Tests whether loads of later iterations may be executed before the
 * instruction. */
static bool
allows_early_loads(const struct jit_pack_body *body,
                   struct jit_pack_buffered *row, LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad:
        return jit_sight(at) == JIT_SIGHT_NONE;
    case LLVMStore:
        return add_store(body, row, at);
    case LLVMCall:
        return jit_pack_ignores(at) ||
               (jit_is_call(at, "llvm.") && !jit_is_call(at, "llvm.mem")) ||
               jit_slow_path_function(jit_name(jit_callee(at)));
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return false;
    default:
        return true;
    }
}

/* Collects the stores of the buffered load's loop in row->stores. Returns
 * false if the loop contains an instruction over which loads must not be
 * moved. */
static bool
read_loop(const struct jit_pack_body *body, struct jit_pack_buffered *row)
{
    const struct jit_pack_loop *loop = &body->loops[row->loop];
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[b].block);
        if (loop->inside[b] && body->loop_of[b] != row->loop) {
            return false; /* the loop contains an inner loop */
        }
        for (; at && loop->inside[b]; at = LLVMGetNextInstruction(at)) {
            if (!allows_early_loads(body, row, at)) {
                return false;
            }
        }
    }
    return true;
}

/* Tests whether the lanes read elements that are far from each other. */
static bool
is_far(const struct jit_pack_body *body, LLVMValueRef at, int64_t size)
{
    LLVMValueRef address = LLVMGetOperand(at, 0);
    struct jit_shape shape = jit_pack_shape(body, address);
    int64_t stride = 0;
    if (shape.kind == JIT_SHAPE_VECTOR) {
        return !jit_pack_probable_stride(body, address, LLVMTypeOf(at),
                                         &stride) ||
               stride > 2 || stride < -2;
    }
    return shape.stride > 2 * size || shape.stride < -2 * size;
}

static bool
read_load(const struct jit_pack_body *body, LLVMValueRef at,
          struct jit_pack_buffered *row)
{
    enum { DEPTH = 8 };
    unsigned block = jit_cfg_index(&body->cfg, LLVMGetInstructionParent(at));
    unsigned loop = body->loop_of[block];
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(body->jit->module);
    if (loop == JIT_NO_LOOP || body->loops[loop].parts ||
        jit_sight(at) != JIT_SIGHT_NONE ||
        LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMPointerTypeKind) {
        return false;
    }
    int64_t size = (int64_t)LLVMABISizeOfType(layout, LLVMTypeOf(at));
    LLVMValueRef address = LLVMGetOperand(at, 0);
    if ((size != 4 && size != 8) || !is_far(body, at, size) ||
        !is_unsized(address) ||
        !jit_pack_equivalent(body, body->loops[loop].head, block)) {
        return false;
    }
    struct step step = step_of(body, loop, address, DEPTH);
    *row = (struct jit_pack_buffered){
        .load = at, .loop = loop, .unsure = step.unsure};
    return step.known && step.amount == size && read_loop(body, row);
}

void
jit_pack_find_buffered(struct jit_pack_body *body)
{
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[b].block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            struct jit_pack_buffered row;
            if (!LLVMIsALoadInst(at) || !read_load(body, at, &row)) {
                continue;
            }
            if (body->buffered_count == JIT_PACK_BUFFERS) {
                return;
            }
            body->buffered[body->buffered_count++] = row;
        }
    }
}

const struct jit_pack_buffered *
jit_pack_buffered(const struct jit_pack_body *body, LLVMValueRef at)
{
    for (unsigned i = 0; i < body->buffered_count; i++) {
        if (body->buffered[i].load == at) {
            return &body->buffered[i];
        }
    }
    return NULL;
}
