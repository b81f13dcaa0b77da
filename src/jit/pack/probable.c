/* probable.c - finds addresses that are consecutive in most packs.
 *
 * Called by pack.c, memory.c and iterations.c. A pack is a group of
 * neighbouring threads (lanes) that one function runs. An index that is
 * clamped to the ends of an array, or that may wrap, grows by a constant from
 * lane to lane in nearly all packs, but not in all. This pass finds the
 * constant; memory.c writes the run-time test of whether the constant is right
 * for a pack.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/pack.h"

bool
jit_pack_is_choice(LLVMValueRef at)
{
    return LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMIntegerTypeKind &&
           (LLVMIsASelectInst(at) || LLVMIsAPHINode(at) || jit_is_extreme(at));
}

bool
jit_pack_is_low_half(LLVMValueRef at)
{
    if (!LLVMIsAInstruction(at) || LLVMGetInstructionOpcode(at) != LLVMAnd) {
        return false;
    }
    LLVMValueRef mask = LLVMGetOperand(at, 1);
    return LLVMIsAConstantInt(mask) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(mask)) == 64 &&
           LLVMConstIntGetZExtValue(mask) == UINT32_MAX;
}

static bool find_stride(const struct jit_pack_body *body, LLVMValueRef value,
                        int depth, LLVMValueRef phi, int64_t *stride);

/* Finds the probable stride (increment from lane to lane) of a value that is
 * chosen from several operands: a select, phi, min or max. Only the operands
 * from number `first` on count. Returns false if two of them have different
 * strides. Stride 0, as that of the bound of a clamped index, counts as equal
 * to any other. */
static bool
find_choice(const struct jit_pack_body *body, LLVMValueRef value,
            unsigned first, int depth, LLVMValueRef phi, int64_t *stride)
{
    unsigned count = LLVMIsACallInst(value)
                         ? LLVMGetNumArgOperands(value)
                         : (unsigned)LLVMGetNumOperands(value);
    *stride = 0;
    for (unsigned i = first; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, i);
        int64_t one = 0;
        if (operand == phi) {
            continue;
        }
        if (!find_stride(body, operand, depth - 1, phi, &one) ||
            (one && *stride && one != *stride)) {
            return false;
        }
        *stride = one ? one : *stride;
    }
    return true;
}

/* Finds the constant by which the value grows from lane to lane in most packs,
 * and stores it in *stride. For example, an index that is clamped to a range
 * is linear in all packs within the range. Returns false if the value is not
 * computed from linear values, or if operands have different strides. `phi` is
 * the phi whose incoming values are examined, or NULL; an operand that is
 * `phi` itself is skipped. */
static bool
find_stride(const struct jit_pack_body *body, LLVMValueRef value, int depth,
            LLVMValueRef phi, int64_t *stride)
{
    int64_t second = 0;
    if (jit_pack_is_linear(body, value)) {
        *stride = jit_pack_shape(body, value).stride;
        return true;
    }
    if (!LLVMIsAInstruction(value) || depth == 0) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMSelect:
        return find_choice(body, value, 1, depth, phi, stride);
    case LLVMCall:
        return jit_is_extreme(value) &&
               find_choice(body, value, 0, depth, phi, stride);
    case LLVMPHI:
        return find_choice(body, value, 0, depth, value, stride);
    case LLVMAdd:
    case LLVMOr:
    case LLVMSub:
        if (LLVMGetOperand(value, 0) != phi &&
            !find_stride(body, LLVMGetOperand(value, 0), depth - 1, phi,
                         stride)) {
            return false;
        }
        if (!find_stride(body, LLVMGetOperand(value, 1), depth - 1, phi,
                         &second)) {
            return false;
        }
        *stride +=
            LLVMGetInstructionOpcode(value) == LLVMSub ? -second : second;
        return true;
    case LLVMAnd:
        if (!jit_pack_is_low_half(value)) {
            return false;
        }
        /* fall through */
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFreeze:
        return find_stride(body, LLVMGetOperand(value, 0), depth - 1, phi,
                           stride);
    default:
        return false;
    }
}

/* Tests whether the address has the form base[index] with elements of the size
 * of `type`: all operands but the last index are uniform. */
static bool
is_row_address(const struct jit_pack_body *body, LLVMValueRef address,
               LLVMTypeRef type)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(body->jit->module);
    if (!LLVMIsAGetElementPtrInst(address)) {
        return false;
    }
    unsigned count = (unsigned)LLVMGetNumOperands(address);
    LLVMTypeRef element = LLVMGetGEPSourceElementType(address);
    for (unsigned i = 0; i + 1 < count; i++) {
        if (!jit_pack_is_uniform(body, LLVMGetOperand(address, i))) {
            return false;
        }
        if (i > 0) {
            if (LLVMGetTypeKind(element) != LLVMArrayTypeKind) {
                return false;
            }
            element = LLVMGetElementType(element);
        }
    }
    return LLVMABISizeOfType(layout, element) ==
           LLVMABISizeOfType(layout, type);
}

static LLVMValueRef
last_index(LLVMValueRef address)
{
    return LLVMGetOperand(address, (unsigned)LLVMGetNumOperands(address) - 1);
}

bool
jit_pack_probable_stride(const struct jit_pack_body *body,
                         LLVMValueRef address, LLVMTypeRef type,
                         int64_t *stride)
{
    enum { DEPTH = 6 };
    return is_row_address(body, address, type) &&
           find_stride(body, last_index(address), DEPTH, NULL, stride);
}

LLVMValueRef
jit_pack_row_index(const struct jit_pack_body *body, LLVMValueRef address,
                   LLVMTypeRef type)
{
    int64_t stride = 0;
    if (!jit_pack_probable_stride(body, address, type, &stride) ||
        stride != 1) {
        return NULL;
    }
    LLVMValueRef index = last_index(address);
    return jit_pack_is_linear(body, index) ? NULL : index;
}

LLVMValueRef
jit_pack_unwrapped(const struct jit_pack_body *body, LLVMValueRef index)
{
    bool extends = LLVMIsAZExtInst(index) || LLVMIsASExtInst(index) ||
                   jit_pack_is_low_half(index);
    LLVMValueRef operand = extends ? LLVMGetOperand(index, 0) : NULL;
    return operand && jit_pack_is_linear(body, operand) ? operand : NULL;
}

/* Tests whether the value is computed from a select, phi, min or max that is
 * not linear, such as a clamped index. */
static bool
has_choice(const struct jit_pack_body *body, LLVMValueRef value, int depth)
{
    if (!LLVMIsAInstruction(value) || jit_pack_is_linear(body, value) ||
        depth == 0) {
        return false;
    }
    if (jit_pack_is_choice(value)) {
        return true;
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        if (has_choice(body, LLVMGetOperand(value, (unsigned)i), depth - 1)) {
            return true;
        }
    }
    return false;
}

bool
jit_pack_is_clamped(const struct jit_pack_body *body, LLVMValueRef address,
                    LLVMTypeRef type)
{
    enum { DEPTH = 6 };
    LLVMValueRef index = jit_pack_row_index(body, address, type);
    return index && has_choice(body, index, DEPTH);
}
