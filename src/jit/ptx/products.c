/* products.c - the multiply-accumulate of PTX's mma and wmma.
 *
 * The PTX manual does not specify the order or rounding of sums. Products are
 * exact here, and each is added to the float sum with one rounding, in the
 * order of k, starting with C; an accumulator of half precision is rounded
 * once at the end. The functions of mma.h do the same.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/halves.h"
#include "jit/ptx/products.h"
#include "jit/ptx/ptx.h"

static const struct ptx_element elements[] = {
    {"f16", PTX_ELEMENT_HALF, 16},  {"bf16", PTX_ELEMENT_BFLOAT, 16},
    {"tf32", PTX_ELEMENT_TF32, 32}, {"f64", PTX_ELEMENT_DOUBLE, 64},
    {"s8", PTX_ELEMENT_SIGNED, 8},  {"u8", PTX_ELEMENT_UNSIGNED, 8},
    {"s4", PTX_ELEMENT_SIGNED, 4},  {"u4", PTX_ELEMENT_UNSIGNED, 4},
    {"b1", PTX_ELEMENT_BITS, 1},    {"e4m3", PTX_ELEMENT_E4M3, 8},
    {"e5m2", PTX_ELEMENT_E5M2, 8},
};

const struct ptx_element *
ptx_element_named(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (strcmp(name, elements[i].name) == 0) {
            return &elements[i];
        }
    }
    return NULL;
}

bool
ptx_element_is_float(const struct ptx_element *element)
{
    return element->kind <= PTX_ELEMENT_DOUBLE ||
           element->kind >= PTX_ELEMENT_E4M3;
}

/* ---- elements ---- */

/* Extracts element `i` of a register, and converts it to the type in which
 * sums are computed. */
LLVMValueRef
ptx_product_element(const struct ptx_product *product,
                    const struct ptx_element *element, LLVMValueRef value,
                    unsigned i)
{
    struct jit *jit = product->ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef real = LLVMFloatTypeInContext(jit->context);
    LLVMTypeRef half = LLVMHalfTypeInContext(jit->context);
    LLVMTypeRef i16 = LLVMInt16TypeInContext(jit->context);
    LLVMValueRef down = LLVMBuildLShr(
        builder, value, LLVMConstInt(LLVMTypeOf(value), i * element->bits, 0),
        "");
    switch (element->kind) {
    case PTX_ELEMENT_DOUBLE:
        return LLVMBuildBitCast(builder, value, product->sum, "");
    case PTX_ELEMENT_HALF:
        value = LLVMBuildTrunc(builder, down, i16, "");
        value = LLVMBuildBitCast(builder, value, half, "");
        return LLVMBuildFPExt(builder, value, real, "");
    case PTX_ELEMENT_BFLOAT:
        value = LLVMBuildShl(builder, down, jit_constant(jit, 16), "");
        return LLVMBuildBitCast(builder, value, real, "");
    case PTX_ELEMENT_TF32:
        value =
            LLVMBuildAnd(builder, value, jit_constant(jit, 0xffffe000), "");
        return LLVMBuildBitCast(builder, value, real, "");
    case PTX_ELEMENT_E4M3:
    case PTX_ELEMENT_E5M2:
        return ptx_half_from_byte(product->ptx, down,
                                  element->kind == PTX_ELEMENT_E4M3);
    default:
        break;
    }
    LLVMTypeRef narrow = LLVMIntTypeInContext(jit->context, element->bits);
    down = LLVMBuildTrunc(builder, down, narrow, "");
    return element->kind == PTX_ELEMENT_SIGNED
               ? LLVMBuildSExt(builder, down, product->sum, "")
               : LLVMBuildZExt(builder, down, product->sum, "");
}

/* ---- sums ---- */

void
ptx_product_set_types(struct ptx_product *product)
{
    struct jit *jit = product->ptx->jit;
    bool wide = product->a->kind == PTX_ELEMENT_DOUBLE;
    product->bits = wide ? 64 : 32;
    product->sum = wide ? LLVMDoubleTypeInContext(jit->context)
                   : ptx_element_is_float(product->a)
                       ? LLVMFloatTypeInContext(jit->context)
                       : jit->i64;
}

LLVMValueRef
ptx_product_start(const struct ptx_product *product, LLVMValueRef value,
                  bool half, unsigned i)
{
    struct jit *jit = product->ptx->jit;
    static const struct ptx_element narrow = {"f16", PTX_ELEMENT_HALF, 16};
    if (half) {
        return ptx_product_element(product, &narrow, value, i);
    }
    return product->sum == jit->i64
               ? LLVMBuildSExt(jit->builder, value, jit->i64, "")
               : LLVMBuildBitCast(jit->builder, value, product->sum, "");
}

/* Computes a * b + sum for doubles, with the rounding mode of the
 * statement. */
static LLVMValueRef
add_double(const struct ptx_product *product, LLVMValueRef *in)
{
    struct ptx *ptx = product->ptx;
    struct ptx_statement rounding = {.operation = "fma"};
    static const char *const names[] = {"rz", "rm", "rp"};
    for (unsigned i = 0; i < 3; i++) {
        if (ptx_has(product->statement, names[i])) {
            rounding.modifiers[rounding.modifier_count++] = names[i];
        }
    }
    struct ptx_type type = {'f', 64};
    struct ptx_work work = {.ptx = ptx,
                            .builder = ptx->jit->builder,
                            .statement = &rounding,
                            .type = type,
                            .result = type,
                            .llvm = product->sum,
                            .in = {in[0], in[1], in[2]}};
    LLVMValueRef sum =
        ptx_intrinsic(ptx, "llvm.fma", product->sum, work.in, 3);
    return ptx_round_result(&work, sum);
}

/* Adds to `sum` the products of the elements of two registers. */
LLVMValueRef
ptx_product_add(const struct ptx_product *product, LLVMValueRef sum,
                LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef builder = product->ptx->jit->builder;
    struct ptx *ptx = product->ptx;
    if (product->a->kind == PTX_ELEMENT_BITS) {
        bool both = ptx_has(product->statement, "and");
        a = both ? LLVMBuildAnd(builder, a, b, "")
                 : LLVMBuildXor(builder, a, b, "");
        a = ptx_intrinsic(ptx, "llvm.ctpop", LLVMTypeOf(a), &a, 1);
        return LLVMBuildAdd(builder, sum,
                            LLVMBuildZExt(builder, a, product->sum, ""), "");
    }
    for (unsigned i = 0; i < product->bits / product->a->bits; i++) {
        LLVMValueRef in[] = {ptx_product_element(product, product->a, a, i),
                             ptx_product_element(product, product->b, b, i),
                             sum};
        if (product->a->kind == PTX_ELEMENT_DOUBLE) {
            sum = add_double(product, in);
        } else if (ptx_element_is_float(product->a)) {
            in[0] = LLVMBuildFMul(builder, in[0], in[1], "");
            sum = LLVMBuildFAdd(builder, sum, in[0], "");
        } else {
            in[0] = LLVMBuildMul(builder, in[0], in[1], "");
            sum = LLVMBuildAdd(builder, sum, in[0], "");
        }
    }
    return sum;
}

/* Converts a sum to the bits of an element of D; .satfinite clamps integers to
 * 32 bits. */
LLVMValueRef
ptx_product_finish(const struct ptx_product *product, LLVMValueRef sum)
{
    struct jit *jit = product->ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    if (product->half_sum) {
        sum = LLVMBuildFPTrunc(builder, sum,
                               LLVMHalfTypeInContext(jit->context), "");
        sum = LLVMBuildBitCast(builder, sum,
                               LLVMInt16TypeInContext(jit->context), "");
        return LLVMBuildZExt(builder, sum, jit->i32, "");
    }
    if (product->sum != jit->i64) {
        return sum;
    }
    if (ptx_has(product->statement, "satfinite")) {
        LLVMValueRef pair[] = {
            sum, LLVMConstInt(jit->i64, (uint64_t)(int64_t)INT32_MIN, 1)};
        pair[0] = ptx_intrinsic(product->ptx, "llvm.smax", jit->i64, pair, 2);
        pair[1] = LLVMConstInt(jit->i64, INT32_MAX, 0);
        sum = ptx_intrinsic(product->ptx, "llvm.smin", jit->i64, pair, 2);
    }
    return LLVMBuildTrunc(builder, sum, jit->i32, "");
}
