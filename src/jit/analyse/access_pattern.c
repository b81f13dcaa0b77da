/* access_pattern.c - finds scattered memory accesses: those for which a vector
 * instruction must access its elements one by one.
 *
 * Called by split_points.c before it turns a loop that each thread runs
 * separately into one that all threads run in lockstep. In lockstep, a vector
 * instruction accesses memory for neighbouring threads at once. This is cheap
 * if the threads access neighbouring elements or the same element. It is
 * costly if the addresses of neighbouring threads are far apart, even if
 * consecutive accesses of one thread are near each other.
 *
 * The "factor" of a value is its increment from one thread to the next in
 * threadIdx.x. A row is the threads of a block with the same threadIdx.y.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/analyse/access_pattern.h"
#include "jit/analyse/cfg.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/regions/split.h"

enum {
    /* largest number of operand levels that are followed back from an
     * address */
    MAX_STEPS = 16,
    /* largest distance between the accesses of neighbouring threads, in
     * elements, that counts as cheap */
    NEAR = 4,
    WORTH = 12, /* assumed cost of a scattered access, in instructions */
};

struct walk {
    struct jit *jit;
    const struct jit_split *split;
};

static bool find_factor(const struct walk *walk, LLVMValueRef value, int steps,
                        int64_t *factor);

static uint64_t
size_of(const struct walk *walk, LLVMTypeRef type)
{
    return LLVMABISizeOfType(LLVMGetModuleDataLayout(walk->jit->module), type);
}

/* For a sum a + sign * b, where a and b are the value's operands: sets *factor
 * to the increment of the sum from one thread to the next in threadIdx.x.
 * Returns false if the increment is unknown. */
static bool
sum_factor(const struct walk *walk, LLVMValueRef value, int sign, int steps,
           int64_t *factor)
{
    int64_t other;
    if (!find_factor(walk, LLVMGetOperand(value, 0), steps, factor) ||
        !find_factor(walk, LLVMGetOperand(value, 1), steps, &other)) {
        return false;
    }
    *factor += sign * other;
    return true;
}

/* For a product with a constant, or a left shift by a constant: sets *factor
 * to the increment of the result from one thread to the next in threadIdx.x.
 * Returns false if the increment is unknown. */
static bool
product_factor(const struct walk *walk, LLVMValueRef value, int steps,
               int64_t *factor)
{
    LLVMValueRef number = LLVMGetOperand(value, 1);
    bool shift = LLVMGetInstructionOpcode(value) == LLVMShl;
    if (!LLVMIsAConstantInt(number) ||
        !find_factor(walk, LLVMGetOperand(value, 0), steps, factor)) {
        return false;
    }
    int64_t by = LLVMConstIntGetSExtValue(number);
    if (by < 0 || by > (shift ? 20 : 1 << 20)) {
        return false;
    }
    *factor *= shift ? INT64_C(1) << by : by;
    return true;
}

/* For a getelementptr instruction: sets *factor to the distance in bytes
 * between the addresses that neighbouring threads compute. Returns false if
 * the distance is unknown. */
static bool
address_factor(const struct walk *walk, LLVMValueRef value, int steps,
               int64_t *factor)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
    unsigned count = (unsigned)LLVMGetNumOperands(value);
    if (!find_factor(walk, LLVMGetOperand(value, 0), steps, factor)) {
        return false;
    }
    for (unsigned i = 1; i < count; i++) {
        int64_t index;
        if (i > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind) {
            /* the offset of a struct member is the same for all threads */
            return true;
        }
        type = i > 1 ? LLVMGetElementType(type) : type;
        if (!find_factor(walk, LLVMGetOperand(value, i), steps, &index)) {
            return false;
        }
        *factor += index * (int64_t)size_of(walk, type);
    }
    return true;
}

/* Sets *factor to the increment of the value from one thread to the next in
 * threadIdx.x. Returns false if the increment is unknown or not constant. */
static bool
find_factor(const struct walk *walk, LLVMValueRef value, int steps,
            int64_t *factor)
{
    const struct jit_kernel *kernel = walk->split->kernel;
    static const int row[] = {JIT_TID, JIT_LINEAR, JIT_GLOBAL_INDEX,
                              JIT_WIDE_INDEX};
    *factor = 0;
    if (!jit_map_get(&walk->split->differs, value)) {
        return true;
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (value == jit_body_argument(kernel, row[i])) {
            *factor = 1;
            return true;
        }
    }
    if (!LLVMIsAInstruction(value)) {
        /* constants, and arguments such as threadIdx.y, are the same for all
         * values of threadIdx.x */
        return true;
    }
    if (steps-- == 0) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMOr:
        return sum_factor(walk, value, 1, steps, factor);
    case LLVMSub:
        return sum_factor(walk, value, -1, steps, factor);
    case LLVMMul:
    case LLVMShl:
        return product_factor(walk, value, steps, factor);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return find_factor(walk, LLVMGetOperand(value, 0), steps, factor);
    case LLVMGetElementPtr:
        return address_factor(walk, value, steps, factor);
    case LLVMCall:
        return jit_calls(value, "__pycuda_check") &&
               find_factor(walk, LLVMGetOperand(value, 0), steps, factor);
    default:
        return false;
    }
}

/* Tests whether a load or store is scattered: neighbouring threads access
 * elements that are far apart or at an unknown distance. */
static bool
is_scattered(const struct walk *walk, LLVMValueRef at)
{
    int64_t factor;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    if (opcode != LLVMLoad && opcode != LLVMStore) {
        return false;
    }
    bool store = opcode == LLVMStore;
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(at, 0) : at);
    int64_t near = NEAR * (int64_t)size_of(walk, type);
    return !find_factor(walk, LLVMGetOperand(at, store), MAX_STEPS, &factor) ||
           factor > near || factor < -near;
}

bool
jit_is_scattered(struct jit *jit, const struct jit_split *split,
                 const bool *blocks)
{
    struct walk walk = {jit, split};
    unsigned size = 0, scattered = 0;
    for (unsigned b = 0; b < split->cfg.count; b++) {
        LLVMValueRef at =
            blocks[b] ? LLVMGetFirstInstruction(split->cfg.blocks[b].block)
                      : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            size++;
            scattered += is_scattered(&walk, at);
        }
    }
    return scattered * WORTH > size;
}
