/* vector_extensions.c - splits zero and sign extensions of vectors that LLVM
 * 19 cannot compile.
 *
 * Called by optimise.c after the last pass. For
 *
 *   zext <8 x i32> (bitcast <8 x float> x) to <8 x i64>
 *
 * LLVM's x86 backend fails with `Cannot select: zero_extend_vector_inreg` if
 * the operand is a bitcast of more than 128 bits and only the first half of
 * the result is used. Such vectors are extended in parts of 128 bits.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/output.h"
#include "jit/planted_faults.h"

enum { PIECE_BITS = 128, MAX_LANES = 64 };

static bool
is_vector(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

/* Returns `count` lanes, from lane `first` on, of the concatenation of the
 * vectors a and b. */
static LLVMValueRef
build_lanes(struct jit *jit, LLVMValueRef a, LLVMValueRef b, unsigned first,
            unsigned count)
{
    LLVMValueRef lanes[MAX_LANES];
    for (unsigned i = 0; i < count; i++) {
        lanes[i] = jit_constant(jit, first + i);
    }
    return LLVMBuildShuffleVector(jit->builder, a, b,
                                  LLVMConstVector(lanes, count), "");
}

/* Returns `count` lanes, from lane `first` on, of the result of the vector
 * extension `at`. */
static LLVMValueRef
build_extended(struct jit *jit, LLVMValueRef at, unsigned first,
               unsigned count, unsigned piece)
{
    LLVMValueRef whole = LLVMGetOperand(at, 0);
    if (count > piece) {
        LLVMValueRef low = build_extended(jit, at, first, count / 2, piece);
        unsigned middle =
            PLANTED_FAULT(halves_alike) ? first : first + count / 2;
        LLVMValueRef high = build_extended(jit, at, middle, count / 2, piece);
        return build_lanes(jit, low, high, 0, count);
    }
    LLVMValueRef part = build_lanes(
        jit, whole, LLVMGetPoison(LLVMTypeOf(whole)), first, count);
    LLVMTypeRef type =
        LLVMVectorType(LLVMGetElementType(LLVMTypeOf(at)), count);
    return LLVMBuildCast(jit->builder, LLVMGetInstructionOpcode(at), part,
                         type, "");
}

static void
split_extension(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)data;
    if ((!LLVMIsAZExtInst(at) && !LLVMIsASExtInst(at)) || !is_vector(at) ||
        !LLVMIsABitCastInst(LLVMGetOperand(at, 0))) {
        return;
    }
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(at, 0));
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(type));
    unsigned count = LLVMGetVectorSize(type);
    if (bits < 8 || PIECE_BITS % bits || count & (count - 1) ||
        count > MAX_LANES || count * bits <= PIECE_BITS) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    jit_replace(at, build_extended(jit, at, 0, count, PIECE_BITS / bits));
}

void
jit_split_extensions(struct jit *jit)
{
    jit_each_instruction_of_module(jit, split_extension, NULL);
}
