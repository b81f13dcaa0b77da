/* arithmetic.c - defines integer operations and conversions whose result is
 * undefined in LLVM: they get the result of PTX.
 *
 * jit_lower_arithmetic runs before any pass that simplifies arithmetic,
 * because LLVM assumes that these cases never occur. The results are those
 * that an H100 gave:
 *
 *   x / 0 and x % 0            all bits set, signed and unsigned; for a 64-bit
 *                              x below 2^32, only the low 32 bits set
 *   INT_MIN / -1, INT_MIN % -1 INT_MIN and 0
 *   float to integer           saturates
 *   NaN to integer             0 for float to 32 bits, else only the top bit
 *   shifts by the width or more 0, or the sign for signed right shifts
 *   abs(INT_MIN)               INT_MIN
 *
 * A constant divisor or shift count within its range costs nothing.
 *
 * A second pass, jit_widen_divisions, runs after the simplifying passes. It
 * replaces 32-bit divisions by divisions of doubles. They have the same
 * quotient and can be vectorised.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/retarget/retarget.h"

static bool
is_integer(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
}

static LLVMValueRef
select_equal(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef to,
             LLVMValueRef yes, LLVMValueRef no)
{
    LLVMValueRef equal = LLVMBuildICmp(builder, LLVMIntEQ, value, to, "");
    return LLVMBuildSelect(builder, equal, yes, no, "");
}

static bool
constant_divisor_is_safe(LLVMValueRef divisor)
{
    return LLVMIsAConstantInt(divisor) && !LLVMIsNull(divisor) &&
           divisor != LLVMConstAllOnes(LLVMTypeOf(divisor));
}

/* Returns the result that a GPU gives for x / 0 and x % 0. For 64 bits, it is
 * 0xffffffff if x fits in 32 bits, since NVIDIA's code then uses a 32-bit
 * division. */
static LLVMValueRef
by_zero(struct jit *jit, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef ones = LLVMConstAllOnes(type);
    if (LLVMGetIntTypeWidth(type) != 64) {
        return ones;
    }
    LLVMValueRef low = LLVMConstInt(type, UINT32_MAX, 0);
    LLVMValueRef fits = LLVMBuildICmp(jit->builder, LLVMIntULE, x, low, "");
    return LLVMBuildSelect(jit->builder, fits, low, ones, "");
}

/* Replaces a division or remainder. If the divisor is 0 or -1, for which
 * LLVM's result can be undefined, divides by 1 instead, and selects the result
 * that a GPU gives. */
static void
lower_division(struct jit *jit, LLVMValueRef at, LLVMOpcode opcode)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef x = LLVMGetOperand(at, 0), y = LLVMGetOperand(at, 1);
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, 0);
    LLVMValueRef ones = LLVMConstAllOnes(type);
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem;
    if (constant_divisor_is_safe(y)) {
        return;
    }
    LLVMPositionBuilderBefore(builder, at);
    LLVMValueRef safe = select_equal(builder, y, zero, one, y);
    if (is_signed) {
        safe = select_equal(builder, y, ones, one, safe);
    }
    LLVMValueRef result = LLVMBuildBinOp(builder, opcode, x, safe, "");
    if (opcode == LLVMSDiv) {
        result = select_equal(builder, y, ones,
                              LLVMBuildSub(builder, zero, x, ""), result);
    }
    jit_replace(at, select_equal(builder, y, zero, by_zero(jit, x), result));
}

/* Tests whether the shift count is certainly below the width: a constant, or
 * `n & mask`. */
static bool
count_is_safe(LLVMValueRef count, unsigned width)
{
    if (LLVMIsAInstruction(count) &&
        LLVMGetInstructionOpcode(count) == LLVMZExt) {
        count = LLVMGetOperand(count, 0);
    }
    if (LLVMIsAInstruction(count) &&
        LLVMGetInstructionOpcode(count) == LLVMAnd) {
        count = LLVMGetOperand(count, 1);
    }
    return LLVMIsAConstantInt(count) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(count)) <= 64 &&
           LLVMConstIntGetZExtValue(count) < width;
}

/* Replaces a shift: selects the result of PTX for shift counts that are not
 * below the width. */
static void
lower_shift(struct jit *jit, LLVMValueRef at, LLVMOpcode opcode)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef x = LLVMGetOperand(at, 0), count = LLVMGetOperand(at, 1);
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned width = LLVMGetIntTypeWidth(type);
    if (count_is_safe(count, width)) {
        return;
    }
    LLVMPositionBuilderBefore(builder, at);
    LLVMValueRef in_range = LLVMBuildICmp(builder, LLVMIntULT, count,
                                          LLVMConstInt(type, width, 0), "");
    if (opcode == LLVMAShr) {
        LLVMValueRef last = LLVMConstInt(type, width - 1, 0);
        count = LLVMBuildSelect(builder, in_range, count, last, "");
        jit_replace(at, LLVMBuildAShr(builder, x, count, ""));
        return;
    }
    LLVMValueRef shifted = LLVMBuildBinOp(builder, opcode, x, count, "");
    jit_replace(at, LLVMBuildSelect(builder, in_range, shifted,
                                    LLVMConstNull(type), ""));
}

/* Returns true if, on a GPU, the conversion of a NaN from the float type
 * `from` to the integer type `to` gives the integer with only the top bit set.
 * Otherwise the GPU gives 0. */
static bool
nan_is_top_bit(LLVMTypeRef from, LLVMTypeRef to)
{
    return LLVMGetTypeKind(from) == LLVMDoubleTypeKind ||
           LLVMGetIntTypeWidth(to) == 64;
}

static LLVMValueRef
select_ordered(struct jit *jit, LLVMRealPredicate predicate, LLVMValueRef x,
               LLVMValueRef limit, LLVMValueRef yes, LLVMValueRef no)
{
    LLVMValueRef holds = LLVMBuildFCmp(jit->builder, predicate, x, limit, "");
    return LLVMBuildSelect(jit->builder, holds, yes, no, "");
}

/* Builds a saturating conversion from float to integer. The intrinsic
 * llvm.fptosi.sat has the same result, but LLVM does not vectorise it. `x` is
 * first clamped to values for which the plain conversion is defined; a NaN
 * becomes the lower limit. If a float has too few digits for the integer's
 * greatest value, that value is selected after the conversion. */
static LLVMValueRef
convert(struct jit *jit, LLVMValueRef x, LLVMTypeRef to, bool is_signed)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef from = LLVMTypeOf(x);
    unsigned width = LLVMGetIntTypeWidth(to);
    int bits = LLVMGetTypeKind(from) == LLVMDoubleTypeKind ? 53 : 24;
    int top = (int)width - is_signed;
    uint64_t most =
        is_signed ? (1ull << (width - 1)) - 1 : UINT64_MAX >> (64 - width);
    /* the greatest float below 2^top is 2^top - 2^lost, where `lost` is the
     * number of low bits of the integer that the mantissa of a float has no
     * place for */
    int lost = top > bits ? top - bits : 0;
    double high = ldexp(1, top) - ldexp(1, lost);
    LLVMValueRef low = LLVMConstReal(from, is_signed ? -ldexp(1, top) : 0.0);
    LLVMValueRef high_value = LLVMConstReal(from, high);
    LLVMValueRef clamped = select_ordered(jit, LLVMRealOGT, x, low, x, low);
    clamped = select_ordered(jit, LLVMRealOLT, clamped, high_value, clamped,
                             high_value);
    LLVMValueRef made = is_signed ? LLVMBuildFPToSI(builder, clamped, to, "")
                                  : LLVMBuildFPToUI(builder, clamped, to, "");
    if (lost) {
        made = select_ordered(jit, LLVMRealOGE, x,
                              LLVMConstReal(from, ldexp(1, top)),
                              LLVMConstInt(to, most, 0), made);
    }
    uint64_t least = is_signed ? 1ull << (width - 1) : 0;
    uint64_t nan = nan_is_top_bit(from, to) ? 1ull << (width - 1) : 0;
    return nan == least ? made
                        : select_ordered(jit, LLVMRealUNO, x, x,
                                         LLVMConstInt(to, nan, 0), made);
}

/* Lowers a conversion. Conversions to 8 and 16 bits go through 32 bits, like
 * those of NVIDIA's compiler: (unsigned char)300.0f is 44, not 255. */
static void
lower_conversion(struct jit *jit, LLVMValueRef at, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(at);
    LLVMValueRef from = LLVMGetOperand(at, 0);
    bool narrow = LLVMGetIntTypeWidth(type) < 32;
    if (LLVMGetIntTypeWidth(type) > 64) {
        /* integers of more than 64 bits: the code generator calls a function
         * of libgcc, which saturates */
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    if (LLVMGetTypeKind(LLVMTypeOf(from)) != LLVMDoubleTypeKind) {
        from = LLVMBuildFPExt(jit->builder, from,
                              LLVMFloatTypeInContext(jit->context), "");
    }
    LLVMValueRef made =
        convert(jit, from, narrow ? jit->i32 : type, is_signed);
    if (narrow) {
        made = LLVMBuildTrunc(jit->builder, made, type, "");
    }
    jit_replace(at, made);
}

/* Removes nsw ("does not overflow") from the negation in `x < 0 ? -x : x`, the
 * usual form of abs(), so that the result for INT_MIN is defined. */
static void
lower_negation(LLVMValueRef at)
{
    LLVMValueRef x = LLVMGetOperand(at, 1);
    LLVMUseRef use = LLVMGetFirstUse(at);

    for (; use && LLVMIsNull(LLVMGetOperand(at, 0));
         use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        int count = LLVMGetNumOperands(user);
        for (int i = 0;
             (LLVMIsASelectInst(user) || LLVMIsAPHINode(user)) && i < count;
             i++) {
            if (LLVMGetOperand(user, (unsigned)i) == x) {
                LLVMSetNSW(at, false);
            }
        }
    }
}

static void
lower_instruction(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)data;
    if (!is_integer(at)) {
        return;
    }
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    switch (opcode) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        lower_division(jit, at, opcode);
        break;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        lower_shift(jit, at, opcode);
        break;
    case LLVMFPToSI:
    case LLVMFPToUI:
        lower_conversion(jit, at, opcode == LLVMFPToSI);
        break;
    case LLVMCall:
        if (jit_is_call(at, "llvm.fptosi.sat.") ||
            jit_is_call(at, "llvm.fptoui.sat.")) {
            lower_conversion(jit, at, jit_is_call(at, "llvm.fptosi"));
        } else if (jit_is_call(at, "llvm.abs.")) {
            LLVMSetOperand(at, 1, LLVMConstNull(jit->i1));
        }
        break;
    case LLVMSub:
        lower_negation(at);
        break;
    default:
        break;
    }
}

void
jit_lower_arithmetic(struct jit *jit)
{
    jit_each_instruction_of_module(jit, lower_instruction, NULL);
}

/* Divides the 32-bit integer x by y, both as doubles. If the exact quotient is
 * not an integer, it is at least 1 / y below the next integer k. The rounding
 * error of the double quotient is smaller than 1 / y, so the quotient is never
 * rounded up to k. */
static LLVMValueRef
divide_doubles(struct jit *jit, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMTypeRef wide = PLANTED_FAULT(float_division)
                           ? LLVMFloatTypeInContext(jit->context)
                           : LLVMDoubleTypeInContext(jit->context);
    if (is_signed) {
        LLVMValueRef quotient =
            LLVMBuildFDiv(builder, LLVMBuildSIToFP(builder, x, wide, ""),
                          LLVMBuildSIToFP(builder, y, wide, ""), "");
        return LLVMBuildFPToSI(builder, quotient, type, "");
    }
    LLVMValueRef quotient =
        LLVMBuildFDiv(builder, LLVMBuildUIToFP(builder, x, wide, ""),
                      LLVMBuildUIToFP(builder, y, wide, ""), "");
    return LLVMBuildFPToUI(builder, quotient, type, "");
}

/* Replaces a 32-bit division or remainder by a division of doubles. Divisions
 * by a constant are not changed, since LLVM turns them into
 * multiplications. */
static void
widen_division(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem;
    (void)data;
    if (!(is_signed || opcode == LLVMUDiv || opcode == LLVMURem) ||
        !is_integer(at) || LLVMGetIntTypeWidth(LLVMTypeOf(at)) > 32 ||
        LLVMIsAConstantInt(LLVMGetOperand(at, 1))) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMValueRef x = LLVMGetOperand(at, 0), y = LLVMGetOperand(at, 1);
    LLVMValueRef result = divide_doubles(jit, x, y, is_signed);
    if (opcode == LLVMURem || opcode == LLVMSRem) {
        result = LLVMBuildSub(jit->builder, x,
                              LLVMBuildMul(jit->builder, result, y, ""), "");
    }
    jit_replace(at, result);
}

/* Replaces 32-bit divisions by divisions of doubles. This also avoids a bug of
 * LLVM 19's vectoriser. The bug occurs for a conditional division whose
 * operands are equal for all threads and whose result is used as an index: the
 * vectoriser performs the division only if the condition holds for the first
 * thread of a vector. */
void
jit_widen_divisions(struct jit *jit)
{
    jit_each_instruction_of_module(jit, widen_division, NULL);
}
