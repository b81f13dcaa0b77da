/* vector_slices.c - simplifies reads of a part of a vector.
 *
 * Called by optimise.c after shared memory was promoted to registers. If a
 * load reads a part of a stored vector, LLVM extracts that part by a shift of
 * an integer with the vector's size:
 *
 *   trunc (lshr (bitcast <16 x float> to i512), 256) to i256
 *
 * This compiles to a dozen moves between registers. The pass replaces it by a
 * shuffle of the vector, a single instruction.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/output.h"

static unsigned
bits_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type) * bits_of(LLVMGetElementType(type));
    default:
        return 0;
    }
}

/* If the integer `number` is a part of a vector, returns the vector, and sets
 * *first to the number of the part's first bit. Otherwise returns NULL. */
static LLVMValueRef
find_source_vector(LLVMValueRef number, uint64_t *first)
{
    *first = 0;
    if (jit_has_opcode(number, LLVMLShr) &&
        LLVMIsAConstantInt(LLVMGetOperand(number, 1)) &&
        LLVMGetIntTypeWidth(LLVMTypeOf(number)) <= 512) {
        LLVMValueRef count = LLVMGetOperand(number, 1);
        LLVMTypeRef type = LLVMTypeOf(count);
        if (LLVMGetIntTypeWidth(type) > 64) {
            count = LLVMConstTrunc(
                count, LLVMInt64TypeInContext(LLVMGetTypeContext(type)));
        }
        *first = LLVMConstIntGetZExtValue(count);
        number = LLVMGetOperand(number, 0);
    }
    if (!jit_has_opcode(number, LLVMBitCast)) {
        return NULL;
    }
    LLVMValueRef whole = LLVMGetOperand(number, 0);
    bool vector = LLVMGetTypeKind(LLVMTypeOf(whole)) == LLVMVectorTypeKind;
    return vector ? whole : NULL;
}

static LLVMValueRef
extract_slice(struct jit *jit, LLVMValueRef whole, unsigned first,
              LLVMTypeRef type)
{
    LLVMValueRef lanes[64];
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        return LLVMBuildExtractElement(jit->builder, whole,
                                       jit_constant(jit, first), "");
    }
    unsigned count = LLVMGetVectorSize(type);
    for (unsigned i = 0; i < count; i++) {
        lanes[i] = jit_constant(jit, first + i);
    }
    return LLVMBuildShuffleVector(jit->builder, whole,
                                  LLVMGetPoison(LLVMTypeOf(whole)),
                                  LLVMConstVector(lanes, count), "");
}

/* Replaces an integer that was truncated from a vector's bits, or a bitcast of
 * it, by a shuffle of the vector. */
static void
join_slice(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMValueRef cut =
        jit_has_opcode(at, LLVMBitCast) ? LLVMGetOperand(at, 0) : at;
    uint64_t first;
    (void)data;
    if (!jit_has_opcode(cut, LLVMTrunc) ||
        LLVMGetTypeKind(LLVMTypeOf(cut)) != LLVMIntegerTypeKind) {
        return;
    }
    LLVMValueRef whole = find_source_vector(LLVMGetOperand(cut, 0), &first);
    LLVMTypeRef type = LLVMTypeOf(at);
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef element = vector ? LLVMGetElementType(type) : type;
    unsigned bits = bits_of(element);
    if (!whole || LLVMGetElementType(LLVMTypeOf(whole)) != element ||
        bits == 0 || first % bits != 0 ||
        (vector && LLVMGetVectorSize(type) > 64) ||
        first + bits_of(type) > bits_of(LLVMTypeOf(whole))) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    jit_replace(at, extract_slice(jit, whole, (unsigned)(first / bits), type));
}

void
jit_join_slices(struct jit *jit)
{
    jit_each_instruction_of_module(jit, join_slice, NULL);
}

static void
drop_unaliased(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)data;
    if (jit_calls(at, JIT_UNALIASED)) {
        jit_replace(at, LLVMGetOperand(at, 0));
    }
}

void
jit_drop_unaliased(struct jit *jit)
{
    jit_each_instruction_of_module(jit, drop_unaliased, NULL);
}
