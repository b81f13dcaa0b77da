/* integers.c - integer arithmetic of PTX beyond sums and products.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/ptx.h"

static LLVMValueRef
choose(struct ptx_work *work, LLVMIntPredicate compare, LLVMValueRef a,
       LLVMValueRef b, LLVMValueRef yes, LLVMValueRef no)
{
    LLVMValueRef test = LLVMBuildICmp(work->builder, compare, a, b, "");
    return LLVMBuildSelect(work->builder, test, yes, no, "");
}

/* Builds sad: c + |a - b|. */
LLVMValueRef
ptx_make_sad(struct ptx_work *work)
{
    LLVMValueRef a = work->in[0], b = work->in[1];
    LLVMValueRef distance =
        choose(work, work->type.letter == 's' ? LLVMIntSLT : LLVMIntULT, a, b,
               LLVMBuildSub(work->builder, b, a, ""),
               LLVMBuildSub(work->builder, a, b, ""));
    return LLVMBuildAdd(work->builder, distance, work->in[2], "");
}

/* Extracts `bits` bits of `value`, beginning at bit `from`, and extends them
 * to 32 bits. */
static LLVMValueRef
part(struct ptx_work *work, LLVMValueRef value, unsigned from, unsigned bits,
     bool is_signed)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(work->ptx->jit->context, bits);
    value = LLVMBuildLShr(work->builder, value, ptx_number(work, from), "");
    value = LLVMBuildTrunc(work->builder, value, narrow, "");
    return is_signed ? LLVMBuildSExt(work->builder, value, work->llvm, "")
                     : LLVMBuildZExt(work->builder, value, work->llvm, "");
}

/* Builds dp4a and dp2a. dp4a is c plus the products of the four bytes of a
 * with those of b. dp2a is c plus the products of the two halves of a with the
 * low or high two bytes of b. */
LLVMValueRef
ptx_make_dot(struct ptx_work *work)
{
    const struct ptx_statement *statement = work->statement;
    unsigned n = statement->modifier_count;
    bool four = strcmp(statement->operation, "dp4a") == 0;
    if (n < 2) {
        return ptx_give_up(work, "a dot product needs two types");
    }
    bool signed_a = statement->modifiers[n - 2][0] == 's';
    bool signed_b = statement->modifiers[n - 1][0] == 's';
    unsigned bits = four ? 8 : 16;
    unsigned start = ptx_has(statement, "hi") ? 16 : 0;
    LLVMValueRef sum = work->in[2];
    for (unsigned i = 0; i < 32 / bits; i++) {
        LLVMValueRef a = part(work, work->in[0], i * bits, bits, signed_a);
        LLVMValueRef b = part(work, work->in[1], start + 8 * i, 8, signed_b);
        sum = LLVMBuildAdd(work->builder, sum,
                           LLVMBuildMul(work->builder, a, b, ""), "");
    }
    return sum;
}

/* Builds mul24 and mad24: the low or high 32 bits of the product of numbers
 * of 24 bits, which has 48 bits; mad24.hi.sat limits the sum. */
LLVMValueRef
ptx_make_mul24(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    LLVMTypeRef wide = work->ptx->jit->i64;
    bool is_signed = work->type.letter == 's';
    LLVMValueRef by = LLVMConstInt(wide, 40, 0), in[2];
    for (unsigned i = 0; i < 2; i++) {
        in[i] = LLVMBuildZExt(builder, work->in[i], wide, "");
        in[i] = LLVMBuildShl(builder, in[i], by, "");
        in[i] = is_signed ? LLVMBuildAShr(builder, in[i], by, "")
                          : LLVMBuildLShr(builder, in[i], by, "");
    }
    LLVMValueRef all = LLVMBuildMul(builder, in[0], in[1], "");
    if (ptx_has(work->statement, "hi")) {
        all = LLVMBuildLShr(builder, all, LLVMConstInt(wide, 16, 0), "");
    }
    LLVMValueRef pair[] = {LLVMBuildTrunc(builder, all, work->llvm, ""), NULL};
    if (strcmp(work->statement->operation, "mul24") == 0) {
        return pair[0];
    }
    pair[1] =
        ptx_read(work->ptx, &work->statement->operands[3], work->type, false);
    if (!pair[1]) {
        return NULL;
    }
    return ptx_has(work->statement, "sat")
               ? ptx_intrinsic(work->ptx, "llvm.sadd.sat", work->llvm, pair, 2)
               : LLVMBuildAdd(builder, pair[0], pair[1], "");
}

/* Builds bfind: finds the highest bit that differs from the sign bit (of
 * unsigned numbers, the highest bit that is 1). The result is its index, or
 * all bits set if there is none. */
LLVMValueRef
ptx_make_bfind(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    LLVMTypeRef i32 = work->ptx->jit->i32;
    LLVMValueRef value = work->in[0];
    if (work->type.letter == 's') {
        LLVMValueRef sign = LLVMBuildAShr(
            builder, value, ptx_number(work, work->type.bits - 1), "");
        value = LLVMBuildXor(builder, value, sign, "");
    }
    LLVMValueRef arguments[] = {value, LLVMConstInt(work->ptx->jit->i1, 0, 0)};
    LLVMValueRef zeros =
        ptx_intrinsic(work->ptx, "llvm.ctlz", work->llvm, arguments, 2);
    LLVMValueRef result = zeros;
    if (!ptx_has(work->statement, "shiftamt")) {
        result = LLVMBuildSub(builder, ptx_number(work, work->type.bits - 1),
                              zeros, "");
    }
    result = choose(work, LLVMIntEQ, value, ptx_number(work, 0),
                    LLVMConstAllOnes(work->llvm), result);
    work->result = (struct ptx_type){'u', 32};
    return LLVMBuildIntCast2(builder, result, i32, 0, "");
}

/* Builds fns d, mask, base, n: the index of the n-th set bit from `base` on,
 * downwards if n is negative; for n = 0 the base, if its bit is set; for
 * n = -2^31 zero, as GPUs give. */
LLVMValueRef
ptx_make_fns(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    LLVMValueRef zero = ptx_number(work, 0), one = ptx_number(work, 1);
    LLVMValueRef base = work->in[1], n = work->in[2];
    LLVMValueRef step =
        choose(work, LLVMIntSLT, n, zero, LLVMConstAllOnes(work->llvm), one);
    LLVMValueRef left =
        choose(work, LLVMIntSLT, n, zero, LLVMBuildNeg(builder, n, ""), n);
    LLVMValueRef most =
        choose(work, LLVMIntEQ, n, zero, one, ptx_number(work, 32));
    left = choose(work, LLVMIntEQ, n, zero, one, left);
    LLVMValueRef result = LLVMConstAllOnes(work->llvm), at = base;
    for (unsigned i = 0; i < 32; i++) {
        LLVMValueRef inside =
            LLVMBuildICmp(builder, LLVMIntULT, at, ptx_number(work, 32), "");
        LLVMValueRef by = LLVMBuildAnd(builder, at, ptx_number(work, 31), "");
        LLVMValueRef bit = LLVMBuildTrunc(
            builder, LLVMBuildLShr(builder, work->in[0], by, ""),
            work->ptx->jit->i1, "");
        LLVMValueRef within =
            LLVMBuildICmp(builder, LLVMIntUGT, most, ptx_number(work, i), "");
        bit = LLVMBuildAnd(builder, bit,
                           LLVMBuildAnd(builder, inside, within, ""), "");
        LLVMValueRef down = LLVMBuildSub(
            builder, left, LLVMBuildZExt(builder, bit, work->llvm, ""), "");
        LLVMValueRef found =
            LLVMBuildAnd(builder, bit,
                         LLVMBuildICmp(builder, LLVMIntEQ, left, one, ""), "");
        result = LLVMBuildSelect(builder, found, at, result, "");
        left = down;
        at = LLVMBuildAdd(builder, at, step, "");
    }
    return choose(work, LLVMIntEQ, n, ptx_number(work, INT32_MIN), zero,
                  result);
}

/* Limits a bit count to 32 (.clamp), or takes it modulo 32 (.wrap); returns
 * an i64. */
static LLVMValueRef
bit_count(struct ptx_work *work, LLVMValueRef count)
{
    LLVMValueRef pair[] = {count, ptx_number(work, 32)};
    count = ptx_has(work->statement, "wrap")
                ? LLVMBuildAnd(work->builder, count, ptx_number(work, 31), "")
                : ptx_intrinsic(work->ptx, "llvm.umin", work->llvm, pair, 2);
    return LLVMBuildZExt(work->builder, count, work->ptx->jit->i64, "");
}

/* Builds szext: extends the low b bits of a, with their sign or with zeros. */
LLVMValueRef
ptx_make_szext(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    struct ptx_type word = {'u', 32};
    LLVMTypeRef wide = work->ptx->jit->i64;
    LLVMValueRef count =
        ptx_read(work->ptx, &work->statement->operands[2], word, false);
    if (!count) {
        return NULL;
    }
    LLVMValueRef up = LLVMBuildSub(builder, LLVMConstInt(wide, 63, 0),
                                   bit_count(work, count), "");
    LLVMValueRef one = LLVMConstInt(wide, 1, 0);
    LLVMValueRef value = LLVMBuildZExt(builder, work->in[0], wide, "");
    LLVMOpcode down = work->type.letter == 's' ? LLVMAShr : LLVMLShr;
    value =
        LLVMBuildShl(builder, LLVMBuildShl(builder, value, up, ""), one, "");
    value = LLVMBuildBinOp(builder, down, value, up, "");
    value = LLVMBuildBinOp(builder, down, value, one, "");
    return LLVMBuildTrunc(builder, value, work->llvm, "");
}

/* Builds bmsk: b set bits from bit a on. */
LLVMValueRef
ptx_make_bmsk(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    LLVMValueRef one = LLVMConstInt(work->ptx->jit->i64, 1, 0);
    LLVMValueRef from = bit_count(work, work->in[0]);
    LLVMValueRef mask =
        LLVMBuildShl(builder, one, bit_count(work, work->in[1]), "");
    mask = LLVMBuildSub(builder, mask, one, "");
    mask = LLVMBuildShl(builder, mask, from, "");
    return LLVMBuildTrunc(builder, mask, work->llvm, "");
}

/* Builds slct d, a, b, c: the result is a if c >= 0, and b otherwise. The last
 * modifier is the type of c; the modifier before it is the type of a and b. */
bool
ptx_build_slct(struct ptx *ptx, const struct ptx_statement *statement)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    const struct ptx_operand *operands = statement->operands;
    struct ptx_type type, test;
    unsigned n = statement->modifier_count;
    if (n < 2 || statement->operand_count != 4 ||
        !ptx_parse_type(statement->modifiers[n - 2], &type) ||
        !ptx_parse_type(statement->modifiers[n - 1], &test) ||
        !ptx_only(statement, " ftz ")) {
        return ptx_form_refuse(ptx, "slct");
    }
    LLVMValueRef a = ptx_read(ptx, &operands[1], type, false);
    LLVMValueRef b = a ? ptx_read(ptx, &operands[2], type, false) : NULL;
    LLVMValueRef c = b ? ptx_read(ptx, &operands[3], test, false) : NULL;
    if (!c) {
        return false;
    }
    if (ptx_has(statement, "ftz")) {
        if (test.letter != 'f' || test.bits != 32) {
            return ptx_fail(ptx, "'slct.ftz' is supported for f32 only");
        }
        c = ptx_flush(ptx, c);
    }
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(c));
    LLVMValueRef first = test.letter == 'f'
                             ? LLVMBuildFCmp(builder, LLVMRealOGE, c, zero, "")
                             : LLVMBuildICmp(builder, LLVMIntSGE, c, zero, "");
    return ptx_write(ptx, operands[0].names[0], type,
                     LLVMBuildSelect(builder, first, a, b, ""), false);
}

/* ---- pairs of 16-bit integers ---- */

/* Computes one element of add, min or max. */
static LLVMValueRef
pair_element(struct ptx *ptx, const struct ptx_statement *statement,
             bool is_signed, LLVMValueRef a, LLVMValueRef b)
{
    bool larger = strcmp(statement->operation, "max") == 0;
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef pair[] = {a, b};
    if (strcmp(statement->operation, "add") == 0) {
        return LLVMBuildAdd(ptx->jit->builder, a, b, "");
    }
    if (!larger && strcmp(statement->operation, "min") != 0) {
        return NULL;
    }
    pair[0] = ptx_intrinsic(ptx,
                            is_signed ? larger ? "llvm.smax" : "llvm.smin"
                            : larger  ? "llvm.umax"
                                      : "llvm.umin",
                            type, pair, 2);
    pair[1] = LLVMConstNull(type);
    return ptx_has(statement, "relu")
               ? ptx_intrinsic(ptx, "llvm.smax", type, pair, 2)
               : pair[0];
}

bool
ptx_build_pair(struct ptx *ptx, const struct ptx_statement *statement)
{
    static const struct ptx_type word = {'b', 32};
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef i16 = LLVMInt16TypeInContext(ptx->jit->context);
    bool is_signed = ptx_has(statement, "s16x2");
    LLVMValueRef in[2], all = jit_constant(ptx->jit, 0);
    if (statement->operand_count != 3 ||
        !ptx_only(statement, is_signed ? " s16x2 relu " : " u16x2 ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    for (unsigned k = 0; k < 2; k++) {
        in[k] = ptx_read(ptx, &statement->operands[k + 1], word, false);
        if (!in[k]) {
            return false;
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef by = jit_constant(ptx->jit, 16ull * i), part[2];
        for (unsigned k = 0; k < 2; k++) {
            part[k] = LLVMBuildLShr(builder, in[k], by, "");
            part[k] = LLVMBuildTrunc(builder, part[k], i16, "");
        }
        part[0] = pair_element(ptx, statement, is_signed, part[0], part[1]);
        if (!part[0]) {
            return ptx_fail(ptx, "'%s' has no pairs of integers",
                            statement->operation);
        }
        part[0] = LLVMBuildZExt(builder, part[0], ptx->jit->i32, "");
        part[0] = LLVMBuildShl(builder, part[0], by, "");
        all = LLVMBuildOr(builder, all, part[0], "");
    }
    return ptx_write(ptx, statement->operands[0].names[0], word, all, false);
}
