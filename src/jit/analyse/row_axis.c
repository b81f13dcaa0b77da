/* row_axis.c - chooses the axis of threadIdx along which a kernel's threads
 * are vectorised.
 *
 * Called by main.c before any other pass looks at the geometry of the body.
 * The innermost loop of an entry runs over threads that differ in threadIdx.x.
 * In `a[x * n + y] += ...`, threads that differ in threadIdx.x access elements
 * of a column, so that a vector load needs one cache line for each element. If
 * threads that differ in threadIdx.y access neighbouring elements, the
 * innermost loop should run over threadIdx.y. The threads of a kernel without
 * barriers are independent, so any order is permitted.
 *
 * The pass compares the axes by an estimate of the cost of the body's memory
 * accesses. The "stride" of a value along an axis is its increment from one
 * thread to the next on that axis.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/analyse/row_axis.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/slow_path.h"
#include "jit/planted_faults.h"

enum {
    AXES = 3,
    /* largest number of operand levels that are followed back from an
     * address */
    MAX_STEPS = 16,
    /* largest number of values that are examined for one address */
    MAX_VALUES = 300,
    /* largest stride, in elements, of an access that counts as near */
    NEAR = 4,
    /* Estimated cost of a memory access, in vector instructions. ROW_COST: the
     * threads access consecutive elements or one element; NEAR_COST: elements
     * at most NEAR apart; SCATTERED_COST: all other elements. */
    ROW_COST = 1,
    NEAR_COST = 3,
    SCATTERED_COST = 12,
    /* assumed number of iterations of each loop */
    ITERATIONS = 8,
    /* an axis is chosen instead of x only if the cost along x is at least this
     * many times the cost along that axis */
    GAIN = 2,
};

struct walk {
    struct jit *jit;
    const struct jit_kernel *kernel;
    int axis;
    /* number of values that may still be examined for the address */
    unsigned left;
};

/* Stride of a value along an axis. `known` is false if the stride is not
 * constant. */
struct stride {
    bool known;
    int64_t amount; /* increment (in bytes if the value is a pointer) */
};

static const struct stride unknown = {false, 0};
static const struct stride fixed = {true, 0};

static struct stride stride_of(struct walk *walk, LLVMValueRef value,
                               int steps);

static struct stride
sum_stride(struct stride a, struct stride b, int64_t factor)
{
    enum { MOST = 1 << 30 };
    if (!a.known || !b.known || b.amount > MOST || b.amount < -MOST ||
        a.amount > MOST || a.amount < -MOST) {
        return unknown;
    }
    return (struct stride){true, a.amount + factor * b.amount};
}

static struct stride
product_stride(struct walk *walk, LLVMValueRef value, int steps)
{
    enum { MOST = 1 << 20 };
    struct stride a = stride_of(walk, LLVMGetOperand(value, 0), steps);
    struct stride b = stride_of(walk, LLVMGetOperand(value, 1), steps);
    bool shift = LLVMGetInstructionOpcode(value) == LLVMShl;
    LLVMValueRef number = LLVMGetOperand(value, 1);
    if (!a.known || !b.known || (!a.amount && !b.amount)) {
        return a.known ? b : a;
    }
    if (!LLVMIsAConstantInt(number) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(number)) > 64) {
        return unknown;
    }
    int64_t by = LLVMConstIntGetSExtValue(number);
    if (by < 0 || by > (shift ? 20 : MOST) || a.amount > MOST ||
        a.amount < -MOST) {
        return unknown;
    }
    a.amount *= shift ? INT64_C(1) << by : by;
    return a;
}

static struct stride
address_stride(struct walk *walk, LLVMValueRef value, int steps)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(walk->jit->module);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
    unsigned count = (unsigned)LLVMGetNumOperands(value);
    struct stride sum = stride_of(walk, LLVMGetOperand(value, 0), steps);
    for (unsigned i = 1; i < count && sum.known; i++) {
        if (i > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind) {
            /* the offset of a struct member is the same for all threads */
            return sum;
        }
        type = i > 1 ? LLVMGetElementType(type) : type;
        sum = sum_stride(sum, stride_of(walk, LLVMGetOperand(value, i), steps),
                         (int64_t)LLVMABISizeOfType(layout, type));
    }
    return sum;
}

/* Returns the stride of a value that is chosen from several operands, such as
 * a phi or a clamped index. Operands before number `first` do not count.
 * Operands with stride 0 do not count either; the stride is unknown if the
 * other operands have different strides. */
static struct stride
choice_stride(struct walk *walk, LLVMValueRef value, unsigned first,
              unsigned count, int steps)
{
    struct stride sum = fixed;
    for (unsigned i = first; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, i);
        struct stride one = stride_of(walk, operand, steps);
        if (!one.known ||
            (one.amount && sum.amount && one.amount != sum.amount)) {
            return unknown;
        }
        sum = one.amount ? one : sum;
    }
    return sum;
}

/* Returns the stride of a phi. The stride of a loop's counter or pointer is
 * the stride of its initial value, or unknown if its increment per iteration
 * differs between threads. */
static struct stride
phi_stride(struct walk *walk, LLVMValueRef phi, int steps)
{
    struct stride sum = fixed;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        bool adds = LLVMIsAInstruction(value) &&
                    (LLVMIsAGetElementPtrInst(value) ||
                     LLVMGetInstructionOpcode(value) == LLVMAdd) &&
                    LLVMGetNumOperands(value) == 2;
        struct stride one;
        if (value == phi) {
            continue;
        }
        if (adds && (LLVMGetOperand(value, 0) == phi ||
                     LLVMGetOperand(value, 1) == phi)) {
            unsigned own = LLVMGetOperand(value, 0) == phi ? 0 : 1;
            one = stride_of(walk, LLVMGetOperand(value, 1 - own), steps);
            if (!one.known || one.amount) {
                return unknown;
            }
            continue;
        }
        one = stride_of(walk, value, steps);
        if (!one.known ||
            (one.amount && sum.amount && one.amount != sum.amount)) {
            return unknown;
        }
        sum = one.amount ? one : sum;
    }
    return sum;
}

/* Default rule for operations: returns stride 0 for the result if no operand
 * changes along the axis, else an unknown stride. */
static struct stride
other_stride(struct walk *walk, LLVMValueRef value, int steps)
{
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
        struct stride one =
            LLVMIsAFunction(operand) ? fixed : stride_of(walk, operand, steps);
        if (!one.known || one.amount) {
            return unknown;
        }
    }
    return fixed;
}

static struct stride
stride_of(struct walk *walk, LLVMValueRef value, int steps)
{
    if (value == jit_body_argument(walk->kernel, JIT_TID + walk->axis)) {
        return (struct stride){true, 1};
    }
    if (!LLVMIsAInstruction(value)) {
        return fixed;
    }
    if (steps-- == 0 || walk->left == 0) {
        return unknown;
    }
    walk->left--;
    LLVMValueRef first = LLVMGetOperand(value, 0);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMOr:
        return sum_stride(stride_of(walk, first, steps),
                          stride_of(walk, LLVMGetOperand(value, 1), steps), 1);
    case LLVMSub:
        return sum_stride(stride_of(walk, first, steps),
                          stride_of(walk, LLVMGetOperand(value, 1), steps),
                          -1);
    case LLVMMul:
    case LLVMShl:
        return product_stride(walk, value, steps);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFreeze:
        return stride_of(walk, first, steps);
    case LLVMGetElementPtr:
        return address_stride(walk, value, steps);
    case LLVMPHI:
        return phi_stride(walk, value, steps);
    case LLVMSelect:
        return choice_stride(walk, value, 1, 3, steps);
    case LLVMCall:
        return jit_is_extreme(value) ? choice_stride(walk, value, 0, 2, steps)
                                     : other_stride(walk, value, steps);
    default:
        return other_stride(walk, value, steps);
    }
}

/* Estimates the cost of a load or store if the innermost loop runs over the
 * threads of walk->axis. Sets *row if those threads access consecutive
 * elements. */
static unsigned
access_cost(struct walk *walk, LLVMValueRef at, bool *row)
{
    bool store = LLVMIsAStoreInst(at) != NULL;
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(at, 0) : at);
    int64_t size = (int64_t)LLVMABISizeOfType(
        LLVMGetModuleDataLayout(walk->jit->module), type);
    walk->left = MAX_VALUES;
    struct stride stride =
        stride_of(walk, LLVMGetOperand(at, store), MAX_STEPS);
    int64_t distance = stride.amount < 0 ? -stride.amount : stride.amount;
    if (!stride.known || distance > NEAR * size) {
        return SCATTERED_COST;
    }
    *row |= distance == size;
    return distance <= size ? ROW_COST : NEAR_COST;
}

/* Estimates the cost of all accesses for each axis, and sets rows[axis] if in
 * some access the threads along that axis access consecutive elements. */
static void
find_costs(struct jit *jit, const struct jit_kernel *kernel, unsigned *costs,
           bool *rows)
{
    struct jit_cfg cfg;
    jit_cfg_read(&cfg, kernel->body);
    for (unsigned b = 0; b < cfg.count; b++) {
        LLVMValueRef at = LLVMGetFirstInstruction(cfg.blocks[b].block);
        unsigned weight = jit_cfg_is_cyclic(&cfg, b) ? ITERATIONS : 1;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (!LLVMIsALoadInst(at) && !LLVMIsAStoreInst(at)) {
                continue;
            }
            for (int axis = 0; axis < AXES; axis++) {
                struct walk walk = {jit, kernel, axis, 0};
                costs[axis] += weight * access_cost(&walk, at, &rows[axis]);
            }
        }
    }
}

/* Tests whether the threads of the kernel may run in any order. Also returns
 * false if the body uses its argument for the linear thread index, for shared
 * memory, for the size of dynamic shared memory or for struct image_thread. */
static bool
may_exchange(const struct jit_kernel *kernel)
{
    static const int needed[] = {JIT_LINEAR, JIT_SHARED, JIT_THREAD,
                                 JIT_DYNAMIC_BYTES};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (LLVMGetFirstUse(jit_body_argument(kernel, needed[i]))) {
            return false;
        }
    }
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel->body);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            bool calls = LLVMIsACallInst(at) && !jit_is_call(at, "llvm.") &&
                         !(jit_callee(at) &&
                           jit_slow_path_function(jit_name(jit_callee(at))));
            bool is_volatile = (LLVMIsALoadInst(at) || LLVMIsAStoreInst(at)) &&
                               LLVMGetVolatile(at);
            if (calls || is_volatile || LLVMIsAAllocaInst(at) ||
                LLVMIsAAtomicRMWInst(at) || LLVMIsAAtomicCmpXchgInst(at) ||
                LLVMIsAFenceInst(at)) {
                return false;
            }
        }
    }
    return true;
}

/* Exchanges two arguments of the body: each use of one becomes a use of the
 * other. */
static void
exchange(struct jit *jit, const struct jit_kernel *kernel, int a, int b)
{
    LLVMValueRef first = jit_body_argument(kernel, a);
    LLVMValueRef second = jit_body_argument(kernel, b);
    LLVMPositionBuilderBefore(
        jit->builder,
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel->body)));
    LLVMValueRef mark =
        LLVMBuildFreeze(jit->builder, LLVMGetPoison(jit->i32), "");
    LLVMReplaceAllUsesWith(first, mark);
    LLVMReplaceAllUsesWith(second, first);
    LLVMReplaceAllUsesWith(mark, second);
    LLVMInstructionEraseFromParent(mark);
}

void
jit_choose_row_axis(struct jit *jit, struct jit_kernel *kernel)
{
    static const int groups[] = {JIT_TID, JIT_CTAID, JIT_NTID, JIT_NCTAID};
    const struct jit_options *options = &jit->options;
    unsigned costs[AXES] = {0, 0, 0};
    bool rows[AXES] = {false, false, false};
    int best = 0;
    if (!options->level || options->checks || options->debug ||
        !options->regions || kernel->calls_functions || kernel->recursive ||
        !may_exchange(kernel)) {
        return;
    }
    find_costs(jit, kernel, costs, rows);
    for (int axis = 1; axis < AXES; axis++) {
        if (rows[axis] && GAIN * costs[axis] <= costs[0] &&
            costs[axis] < costs[best]) {
            best = axis;
        }
    }
    if (best == 0) {
        return;
    }
    kernel->row_axis = (unsigned)best;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (!PLANTED_FAULT(row_axis) || groups[i] != JIT_CTAID) {
            exchange(jit, kernel, groups[i], groups[i] + best);
        }
    }
}
