/* operations.c - arithmetic of PTX. A table has one row for each operation,
 * such as add; the modifiers and types of an operation are in forms.c.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/ptx/halves.h"
#include "jit/ptx/ptx.h"

LLVMValueRef
ptx_number(const struct ptx_work *work, uint64_t value)
{
    return LLVMConstInt(work->llvm, value, 0);
}

LLVMValueRef
ptx_give_up(struct ptx_work *work, const char *why)
{
    ptx_fail(work->ptx, "%s", why);
    return NULL;
}

/* ---- sums with and without carry ---- */

/* Builds a + b + carry, or a - b - borrow, as an integer of twice the
 * operands' width N. Bit N of the result is the new carry flag. */
static LLVMValueRef
wide_sum(struct ptx_work *work, bool subtract, bool use_carry)
{
    LLVMBuilderRef builder = work->builder;
    LLVMTypeRef wide =
        LLVMIntTypeInContext(work->ptx->jit->context, 2 * work->type.bits);
    if (!use_carry && !ptx_has(work->statement, "cc")) {
        return subtract ? LLVMBuildSub(builder, work->in[0], work->in[1], "")
                        : LLVMBuildAdd(builder, work->in[0], work->in[1], "");
    }
    LLVMValueRef a = LLVMBuildZExt(builder, work->in[0], wide, "");
    LLVMValueRef b = LLVMBuildZExt(builder, work->in[1], wide, "");
    LLVMValueRef sum = subtract ? LLVMBuildSub(builder, a, b, "")
                                : LLVMBuildAdd(builder, a, b, "");
    if (use_carry) {
        if (!work->ptx->carry) {
            return ptx_give_up(work,
                               "no instruction before it sets the carry; "
                               "one from before a label or from another asm "
                               "statement is not seen");
        }
        LLVMValueRef carry =
            LLVMBuildZExt(builder, work->ptx->carry, wide, "");
        sum = subtract ? LLVMBuildSub(builder, sum, carry, "")
                       : LLVMBuildAdd(builder, sum, carry, "");
    }
    if (ptx_has(work->statement, "cc")) {
        LLVMValueRef bit = LLVMBuildLShr(
            builder, sum, LLVMConstInt(wide, work->type.bits, 0), "");
        work->ptx->carry =
            LLVMBuildTrunc(builder, bit, work->ptx->jit->i1, "");
    }
    return LLVMBuildTrunc(builder, sum, work->llvm, "");
}

/* Clamps a float to [0, 1] if the statement has the modifier .sat. */
static LLVMValueRef
clamp_unit(struct ptx_work *work, LLVMValueRef value)
{
    return value && ptx_has(work->statement, "sat")
               ? ptx_saturate(work->ptx, value)
               : value;
}

static LLVMValueRef
build_sum(struct ptx_work *work, bool subtract)
{
    if (work->type.letter == 'f') {
        return subtract
                   ? LLVMBuildFSub(work->builder, work->in[0], work->in[1], "")
                   : LLVMBuildFAdd(work->builder, work->in[0], work->in[1],
                                   "");
    }
    if (ptx_has(work->statement, "sat")) {
        return ptx_intrinsic(work->ptx,
                             subtract ? "llvm.ssub.sat" : "llvm.sadd.sat",
                             work->llvm, work->in, 2);
    }
    return wide_sum(work, subtract, false);
}

static LLVMValueRef
build_add(struct ptx_work *work)
{
    return build_sum(work, false);
}

static LLVMValueRef
build_sub(struct ptx_work *work)
{
    return build_sum(work, true);
}

static LLVMValueRef
build_addc(struct ptx_work *work)
{
    return wide_sum(work, false, !PLANTED_FAULT(ptx_carry_lost));
}

static LLVMValueRef
build_subc(struct ptx_work *work)
{
    return wide_sum(work, true, true);
}

/* ---- products ---- */

/* Builds mul with .lo, .hi or .wide: the low half, the high half or the whole
 * of the product, which has twice the width. */
static LLVMValueRef
product(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    if (work->type.letter == 'f') {
        return LLVMBuildFMul(builder, work->in[0], work->in[1], "");
    }
    if (ptx_has(work->statement, "lo")) {
        return LLVMBuildMul(builder, work->in[0], work->in[1], "");
    }
    bool wide = ptx_has(work->statement, "wide");
    LLVMTypeRef type =
        LLVMIntTypeInContext(work->ptx->jit->context, 2 * work->type.bits);
    LLVMValueRef a, b;
    if (work->type.letter == 's' &&
        (wide || !PLANTED_FAULT(ptx_high_unsigned))) {
        a = LLVMBuildSExt(builder, work->in[0], type, "");
        b = LLVMBuildSExt(builder, work->in[1], type, "");
    } else {
        a = LLVMBuildZExt(builder, work->in[0], type, "");
        b = LLVMBuildZExt(builder, work->in[1], type, "");
    }
    LLVMValueRef all = LLVMBuildMul(builder, a, b, "");
    if (wide) {
        work->result.bits = 2 * work->type.bits;
        return all;
    }
    all = LLVMBuildLShr(builder, all, LLVMConstInt(type, work->type.bits, 0),
                        "");
    return LLVMBuildTrunc(builder, all, work->llvm, "");
}

/* Builds mad and madc (a * b + c, with carry). With .wide, c has twice the
 * width of a and b. With .sat, the sum is limited instead of wrapping. */
static LLVMValueRef
multiply_add(struct ptx_work *work, bool use_carry)
{
    if (work->half) {
        return ptx_half_fma(work->ptx, work->in);
    }
    if (work->type.letter == 'f') {
        return ptx_intrinsic(work->ptx, "llvm.fma", work->llvm, work->in, 3);
    }
    struct ptx_work sum = *work;
    sum.in[0] = product(work);
    sum.type.bits = work->result.bits;
    sum.llvm = ptx_llvm_type(work->ptx, sum.type);
    sum.in[1] = sum.in[0] ? ptx_read(work->ptx, &work->statement->operands[3],
                                     sum.type, false)
                          : NULL;
    if (!sum.in[1]) {
        return NULL;
    }
    return ptx_has(work->statement, "sat") ? build_add(&sum)
                                           : wide_sum(&sum, false, use_carry);
}

static LLVMValueRef
build_mad(struct ptx_work *work)
{
    return multiply_add(work, false);
}

static LLVMValueRef
build_madc(struct ptx_work *work)
{
    return multiply_add(work, !PLANTED_FAULT(ptx_carry_lost));
}

/* ---- quotients and functions ---- */

static LLVMValueRef
build_div(struct ptx_work *work)
{
    LLVMOpcode code = work->type.letter == 'f'   ? LLVMFDiv
                      : work->type.letter == 's' ? LLVMSDiv
                                                 : LLVMUDiv;
    return LLVMBuildBinOp(work->builder, code, work->in[0], work->in[1], "");
}

static LLVMValueRef
build_rem(struct ptx_work *work)
{
    return LLVMBuildBinOp(work->builder,
                          work->type.letter == 's' ? LLVMSRem : LLVMURem,
                          work->in[0], work->in[1], "");
}

static LLVMValueRef
build_neg(struct ptx_work *work)
{
    return work->type.letter == 'f'
               ? LLVMBuildFNeg(work->builder, work->in[0], "")
               : LLVMBuildNeg(work->builder, work->in[0], "");
}

static LLVMValueRef
build_abs(struct ptx_work *work)
{
    if (work->type.letter == 'f') {
        return ptx_intrinsic(work->ptx, "llvm.fabs", work->llvm, work->in, 1);
    }
    LLVMValueRef negative = LLVMBuildICmp(
        work->builder, LLVMIntSLT, work->in[0], ptx_number(work, 0), "");
    return LLVMBuildSelect(work->builder, negative, build_neg(work),
                           work->in[0], "");
}

static LLVMValueRef
build_sqrt(struct ptx_work *work)
{
    return ptx_intrinsic(work->ptx, "llvm.sqrt", work->llvm, work->in, 1);
}

static LLVMValueRef
build_rcp(struct ptx_work *work)
{
    return LLVMBuildFDiv(work->builder, LLVMConstReal(work->llvm, 1.0),
                         work->in[0], "");
}

static LLVMValueRef
build_rsqrt(struct ptx_work *work)
{
    work->in[0] = build_sqrt(work);
    return build_rcp(work);
}

/* Builds ex2, lg2, sin, cos and tanh as calls of the C library; floats only.
 */
static LLVMValueRef
build_library(struct ptx_work *work)
{
    static const char *const names[][2] = {{"ex2", "exp2f"},
                                           {"lg2", "log2f"},
                                           {"sin", "sinf"},
                                           {"cos", "cosf"},
                                           {"tanh", "tanhf"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (work->type.bits == 32 &&
            strcmp(work->statement->operation, names[i][0]) == 0) {
            LLVMValueRef function = jit_declare(work->ptx->jit, names[i][1],
                                                work->llvm, &work->llvm, 1);
            return LLVMBuildCall2(work->builder,
                                  LLVMGlobalGetValueType(function), function,
                                  work->in, 1, "");
        }
    }
    return ptx_give_up(work, "this operation supports .f32 only");
}

/* ---- comparisons ---- */

static LLVMValueRef
smaller(struct ptx_work *work, bool larger)
{
    if (work->type.letter == 'f') {
        return ptx_make_extreme(work);
    }
    const char *name = work->type.letter == 's'
                           ? (larger ? "llvm.smax" : "llvm.smin")
                           : (larger ? "llvm.umax" : "llvm.umin");
    LLVMValueRef pair[] = {
        ptx_intrinsic(work->ptx, name, work->llvm, work->in, 2),
        ptx_number(work, 0)};
    return ptx_has(work->statement, "relu")
               ? ptx_intrinsic(work->ptx, "llvm.smax", work->llvm, pair, 2)
               : pair[0];
}

static LLVMValueRef
build_min(struct ptx_work *work)
{
    return smaller(work, false);
}

static LLVMValueRef
build_max(struct ptx_work *work)
{
    return smaller(work, true);
}

static LLVMValueRef
build_selp(struct ptx_work *work)
{
    struct ptx_type predicate = {'p', 1};
    LLVMValueRef which =
        ptx_read(work->ptx, &work->statement->operands[3], predicate, false);
    return which ? LLVMBuildSelect(work->builder, which, work->in[0],
                                   work->in[1], "")
                 : NULL;
}

/* ---- the table ---- */

static const struct operation {
    const char *name;
    ptx_make *make;
    unsigned inputs; /* number of operands that have the operation's type */
    unsigned operands;
} operations[] = {
    {"abs", build_abs, 1, 2},         {"add", build_add, 2, 3},
    {"addc", build_addc, 2, 3},       {"and", ptx_make_bits, 2, 3},
    {"bfe", ptx_make_extract, 1, 4},  {"bfi", ptx_make_insert, 2, 5},
    {"bfind", ptx_make_bfind, 1, 2},  {"bmsk", ptx_make_bmsk, 2, 3},
    {"brev", ptx_make_brev, 1, 2},    {"clz", ptx_make_count, 1, 2},
    {"cnot", ptx_make_cnot, 1, 2},    {"copysign", ptx_make_copysign, 2, 3},
    {"cos", build_library, 1, 2},     {"div", build_div, 2, 3},
    {"dp2a", ptx_make_dot, 3, 4},     {"dp4a", ptx_make_dot, 3, 4},
    {"ex2", build_library, 1, 2},     {"fma", build_mad, 3, 4},
    {"fns", ptx_make_fns, 3, 4},      {"lg2", build_library, 1, 2},
    {"lop3", ptx_make_lop3, 3, 5},    {"mad", build_mad, 2, 4},
    {"mad24", ptx_make_mul24, 2, 4},  {"madc", build_madc, 2, 4},
    {"max", build_max, 2, 3},         {"min", build_min, 2, 3},
    {"mul", product, 2, 3},           {"mul24", ptx_make_mul24, 2, 3},
    {"neg", build_neg, 1, 2},         {"not", ptx_make_not, 1, 2},
    {"or", ptx_make_bits, 2, 3},      {"popc", ptx_make_count, 1, 2},
    {"prmt", ptx_make_permute, 3, 4}, {"rcp", build_rcp, 1, 2},
    {"rem", build_rem, 2, 3},         {"rsqrt", build_rsqrt, 1, 2},
    {"sad", ptx_make_sad, 3, 4},      {"selp", build_selp, 2, 4},
    {"shf", ptx_make_funnel, 3, 4},   {"shl", ptx_make_shift, 1, 3},
    {"shr", ptx_make_shift, 1, 3},    {"sin", build_library, 1, 2},
    {"sqrt", build_sqrt, 1, 2},       {"sub", build_sub, 2, 3},
    {"subc", build_subc, 2, 3},       {"szext", ptx_make_szext, 1, 3},
    {"tanh", build_library, 1, 2},    {"testp", ptx_make_testp, 1, 2},
    {"xor", ptx_make_bits, 2, 3},
};

/* Applies .ftz to an operand or a result. A subnormal float becomes a zero of
 * the same sign. The operations on doubles with .ftz, rcp.approx.ftz.f64 and
 * rsqrt.approx.ftz.f64, also ignore the low 32 bits of the operand, and those
 * of the result are 0. */
static LLVMValueRef
flush(struct ptx_work *work, LLVMValueRef value)
{
    if (work->type.bits == 32) {
        return ptx_flush(work->ptx, value);
    }
    LLVMBuilderRef builder = work->builder;
    LLVMTypeRef i64 = work->ptx->jit->i64;
    LLVMValueRef exponent = LLVMConstInt(i64, 0x7ffull << 52, 0);
    LLVMValueRef sign = LLVMConstInt(i64, 1ull << 63, 0);
    LLVMValueRef high = LLVMConstInt(i64, ~(uint64_t)UINT32_MAX, 0);
    LLVMValueRef bits = LLVMBuildBitCast(builder, value, i64, "");
    LLVMValueRef small = LLVMBuildICmp(
        builder, LLVMIntEQ, LLVMBuildAnd(builder, bits, exponent, ""),
        LLVMConstNull(i64), "");
    /* A NaN may have its payload in the low bits only. */
    LLVMValueRef nan = LLVMBuildFCmp(builder, LLVMRealUNO, value, value, "");
    LLVMValueRef kept = LLVMBuildSelect(builder, small, sign, high, "");
    bits = LLVMBuildAnd(builder, bits, kept, "");
    bits = LLVMBuildSelect(builder, nan, LLVMConstInt(i64, 0x7ff8ull << 48, 0),
                           bits, "");
    return LLVMBuildBitCast(builder, bits, work->llvm, "");
}

/* Applies .ftz, directed rounding and .sat to the result of a float
 * operation. */
static LLVMValueRef
finish_float(struct ptx_work *work, LLVMValueRef value)
{
    if (!value || work->result.letter != 'f') {
        return value;
    }
    value = ptx_round_result(work, value);
    if (value && ptx_has(work->statement, "ftz")) {
        value = flush(work, value);
    }
    return clamp_unit(work, value);
}

/* Returns the number of operands that have the operation's type. */
static unsigned
input_count(const struct operation *row, bool real)
{
    return row->inputs + (real && row->make == build_mad && row->inputs == 2);
}

/* Builds the PTX statement with the operation of the table row. Fails if the
 * number of operands, the type or a modifier does not fit. */
static bool
build_row(struct ptx *ptx, const struct ptx_statement *statement,
          const struct operation *row, struct ptx_type type)
{
    struct ptx_work work = {.ptx = ptx,
                            .builder = ptx->jit->builder,
                            .statement = statement,
                            .type = type,
                            .result = type,
                            .llvm = ptx_llvm_type(ptx, type)};
    bool real = type.letter == 'f';
    if (statement->operand_count != row->operands) {
        return ptx_form_refuse(ptx, row->name);
    }
    for (unsigned i = 0; i < input_count(row, real); i++) {
        work.in[i] = ptx_read(ptx, &statement->operands[i + 1], type, false);
        if (!work.in[i]) {
            return false;
        }
        if (real && ptx_has(statement, "ftz")) {
            work.in[i] = flush(&work, work.in[i]);
        }
    }
    LLVMValueRef value = row->make(&work);
    value = real ? finish_float(&work, value) : value;
    if (!value || statement->operands[0].kind != PTX_REGISTER) {
        return ptx_fail(ptx, "it has no operand for the result");
    }
    return ptx_write(ptx, statement->operands[0].names[0], work.result, value,
                     false);
}

/* Builds one element of an operation on floats of 16 bits. */
static LLVMValueRef
build_half(struct ptx *ptx, const struct ptx_statement *statement,
           const struct operation *row, struct ptx_half half, unsigned element)
{
    struct ptx_type type = {'f', 32};
    struct ptx_work work = {.ptx = ptx,
                            .builder = ptx->jit->builder,
                            .statement = statement,
                            .type = type,
                            .result = type,
                            .llvm = ptx_llvm_type(ptx, type),
                            .half = true};
    for (unsigned i = 0; i < input_count(row, true); i++) {
        work.in[i] =
            ptx_half_read(ptx, half, &statement->operands[i + 1], element);
        if (!work.in[i]) {
            return NULL;
        }
        if (ptx_has(statement, "ftz")) {
            work.in[i] = ptx_half_flush(ptx, half, work.in[i]);
        }
    }
    LLVMValueRef value = clamp_unit(&work, row->make(&work));
    if (value && ptx_has(statement, "relu")) {
        LLVMValueRef pair[] = {value, LLVMConstReal(work.llvm, 0.0)};
        LLVMValueRef nan =
            LLVMBuildFCmp(work.builder, LLVMRealUNO, value, value, "");
        pair[1] = ptx_intrinsic(ptx, "llvm.maximum", work.llvm, pair, 2);
        value = LLVMBuildSelect(work.builder, nan, value, pair[1], "");
    }
    if (value && ptx_has(statement, "ftz")) {
        LLVMValueRef bits = ptx_half_round(ptx, half, value);
        value = ptx_half_flush(ptx, half, ptx_half_extend(ptx, half, bits));
    }
    return value ? ptx_half_round(ptx, half, value) : NULL;
}

static bool
build_halves(struct ptx *ptx, const struct ptx_statement *statement,
             const struct operation *row, struct ptx_half half)
{
    LLVMValueRef values[2];
    if (statement->operand_count != row->operands) {
        return ptx_form_refuse(ptx, row->name);
    }
    for (unsigned i = 0; i < half.count; i++) {
        values[i] = build_half(ptx, statement, row, half, i);
        if (!values[i]) {
            return false;
        }
    }
    return ptx_half_write(ptx, half, statement->operands[0].names[0], values);
}

bool
ptx_build(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type;
    struct ptx_half half;
    unsigned n = statement->modifier_count;
    /* The type is the last modifier. In prmt, a mode may follow the type. */
    bool permutes = n == 2 && strcmp(statement->operation, "prmt") == 0;
    const char *last = n ? statement->modifiers[n - 1 - permutes] : "";
    bool halves = ptx_half_parse(last, &half);
    if (strcmp(last, "u16x2") == 0 || strcmp(last, "s16x2") == 0) {
        return ptx_build_pair(ptx, statement);
    }
    if (strcmp(statement->operation, "lop3") == 0 && n > 1) {
        return ptx_build_lop3(ptx, statement);
    }
    for (size_t i = 0; n && i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(statement->operation, operations[i].name) != 0) {
            continue;
        }
        if (halves) {
            return build_halves(ptx, statement, &operations[i], half);
        }
        return ptx_parse_type(last, &type)
                   ? build_row(ptx, statement, &operations[i], type)
                   : ptx_form_refuse(ptx, statement->operation);
    }
    return ptx_fail(ptx, "'%s' is not supported", statement->operation);
}
