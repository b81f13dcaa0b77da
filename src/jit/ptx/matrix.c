/* matrix.c - mma.sync of PTX: products of matrices held by a warp.
 *
 * D = A B + C, where A has 8 or 16 rows and B has 8 columns. The lanes 4 g to
 * 4 g + 3 hold row g (and row g + 8) of A and column g of B. In all shapes but
 * m8n8k4 with halves, which is rejected, lane 4 g + j holds the same values of
 * k of a row as of a column. A lane's elements of C and D are those of rows g
 * and g + 8 in the columns 2 j and 2 j + 1. Each lane therefore uses shuffles
 * to read registers of A from the four lanes of its group, and registers of B
 * from eight lanes.
 *
 * The manual does not specify the order or rounding of sums. Products are
 * exact here, and each is added to the float sum with one rounding, in the
 * order of k, starting with C; an accumulator of half precision is rounded
 * once at the end. The functions of mma.h do the same.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/halves.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

enum { MAX_PARTS = 4, GROUP = 4, MAX_ELEMENTS = 8 };

enum element_kind {
    ELEMENT_HALF,
    ELEMENT_BFLOAT,
    ELEMENT_TF32,
    ELEMENT_DOUBLE,
    ELEMENT_SIGNED,
    ELEMENT_UNSIGNED,
    ELEMENT_BITS,
    ELEMENT_E4M3,
    ELEMENT_E5M2
};

static const struct element {
    const char *name;
    enum element_kind kind;
    unsigned bits;
} elements[] = {
    {"f16", ELEMENT_HALF, 16},  {"bf16", ELEMENT_BFLOAT, 16},
    {"tf32", ELEMENT_TF32, 32}, {"f64", ELEMENT_DOUBLE, 64},
    {"s8", ELEMENT_SIGNED, 8},  {"u8", ELEMENT_UNSIGNED, 8},
    {"s4", ELEMENT_SIGNED, 4},  {"u4", ELEMENT_UNSIGNED, 4},
    {"b1", ELEMENT_BITS, 1},    {"e4m3", ELEMENT_E4M3, 8},
    {"e5m2", ELEMENT_E5M2, 8},
};

struct product {
    struct ptx *ptx;
    const struct ptx_statement *statement;
    const struct element *a, *b;
    unsigned bits;   /* width of a register of A and B */
    unsigned halves; /* 2 if A has 16 rows, else 1 */
    unsigned parts;  /* number of registers of B */
    bool half_sum;   /* C and D have half precision */
    LLVMTypeRef sum; /* type in which sums are computed */
    /* registers of A by lane of the group, and of B by column and lane */
    LLVMValueRef of_a[GROUP][2 * MAX_PARTS], of_b[2][GROUP][MAX_PARTS];
};

static bool
refuse(struct ptx *ptx, const struct ptx_statement *statement)
{
    return ptx_fail(ptx, "'%s' does not exist in a supported form",
                    statement->operation);
}

/* ---- the form ---- */

static const struct element *
element_named(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (strcmp(name, elements[i].name) == 0) {
            return &elements[i];
        }
    }
    return NULL;
}

static bool
is_float(const struct element *element)
{
    return element->kind <= ELEMENT_DOUBLE || element->kind >= ELEMENT_E4M3;
}

/* Finds the types of D, A, B and C: the four modifiers before the operation of
 * bits, if there is one. */
static bool
read_types(const struct ptx_statement *statement, const char *types[4])
{
    unsigned n = statement->modifier_count;
    if (n >= 2 && strcmp(statement->modifiers[n - 1], "popc") == 0) {
        n -= 2;
    }
    if (n < 4) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        types[i] = statement->modifiers[n - 4 + i];
    }
    return true;
}

/* Tests whether C and D have the same type, one that fits the elements. */
static bool
fits_sum(const struct product *product, const char *d, const char *c)
{
    bool half = product->a->kind == ELEMENT_HALF;
    if (product->a->kind == ELEMENT_DOUBLE) {
        return strcmp(d, "f64") == 0 && strcmp(c, "f64") == 0;
    }
    if (!is_float(product->a)) {
        return strcmp(d, "s32") == 0 && strcmp(c, "s32") == 0;
    }
    return strcmp(d, c) == 0 &&
           (strcmp(d, "f32") == 0 || (half && strcmp(d, "f16") == 0));
}

static bool
read_shape(struct product *product, unsigned *k)
{
    const struct ptx_statement *statement = product->statement;
    for (unsigned i = 0; i < statement->modifier_count; i++) {
        unsigned m, n;
        int end = 0;
        const char *text = statement->modifiers[i];
        if (sscanf(text, "m%un%uk%u%n", &m, &n, k, &end) == 3 && !text[end]) {
            product->halves = m / 8;
            return n == 8 && (m == 8 || m == 16);
        }
    }
    return false;
}

static bool
read_form(struct product *product)
{
    const char *types[4];
    unsigned k;
    const struct ptx_operand *operands = product->statement->operands;
    if (!read_types(product->statement, types) || !read_shape(product, &k) ||
        product->statement->operand_count != 4) {
        return false;
    }
    product->a = element_named(types[1]);
    product->b = element_named(types[2]);
    if (!product->a || !product->b || product->a->bits != product->b->bits ||
        !fits_sum(product, types[0], types[3])) {
        return false;
    }
    struct jit *jit = product->ptx->jit;
    bool wide = product->a->kind == ELEMENT_DOUBLE;
    product->bits = wide ? 64 : 32;
    product->parts = k * product->a->bits / product->bits / GROUP;
    product->half_sum = strcmp(types[0], "f16") == 0;
    product->sum = wide ? LLVMDoubleTypeInContext(jit->context)
                   : is_float(product->a)
                       ? LLVMFloatTypeInContext(jit->context)
                       : jit->i64;
    unsigned results = product->halves * (product->half_sum ? 1 : 2);
    return product->parts && product->parts <= MAX_PARTS &&
           ptx_elements(&operands[0]) == results &&
           ptx_elements(&operands[1]) == product->halves * product->parts &&
           ptx_elements(&operands[2]) == product->parts &&
           ptx_elements(&operands[3]) == results;
}

/* ---- shuffles ---- */

/* Reads the lane's own registers of a factor. */
static bool
read_registers(struct product *product, unsigned operand, unsigned count,
               LLVMValueRef *registers)
{
    for (unsigned i = 0; i < count; i++) {
        registers[i] = ptx_read_element(product->ptx,
                                        &product->statement->operands[operand],
                                        i, product->bits);
        if (!registers[i]) {
            return false;
        }
    }
    return true;
}

/* Fetches the registers of another lane. Two registers of 32 bits share a
 * shuffle. `width` is that of the shuffle's segments. */
static void
fetch(struct product *product, const LLVMValueRef *own, unsigned count,
      LLVMValueRef lane, unsigned width, LLVMValueRef *fetched)
{
    struct jit *jit = product->ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef by = LLVMConstInt(jit->i64, 32, 0);
    for (unsigned i = 0; i < count; i++) {
        if (product->bits == 64 || i + 1 == count) {
            fetched[i] = ptx_shuffle(product->ptx, IMAGE_SHUFFLE_IDX, own[i],
                                     lane, width);
            continue;
        }
        LLVMValueRef low = LLVMBuildZExt(builder, own[i], jit->i64, "");
        LLVMValueRef high = LLVMBuildZExt(builder, own[i + 1], jit->i64, "");
        high = LLVMBuildShl(builder, high, by, "");
        LLVMValueRef both =
            ptx_shuffle(product->ptx, IMAGE_SHUFFLE_IDX,
                        LLVMBuildOr(builder, low, high, ""), lane, width);
        fetched[i++] = LLVMBuildTrunc(builder, both, jit->i32, "");
        fetched[i] = LLVMBuildTrunc(
            builder, LLVMBuildLShr(builder, both, by, ""), jit->i32, "");
    }
}

/* Fetches all registers of A and B that the lane's sums need. */
static bool
fetch_factors(struct product *product)
{
    struct jit *jit = product->ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef a[2 * MAX_PARTS], b[MAX_PARTS];
    unsigned count = product->halves * product->parts;
    if (!read_registers(product, 1, count, a) ||
        !read_registers(product, 2, product->parts, b)) {
        return false;
    }
    for (unsigned j = 0; j < GROUP; j++) {
        fetch(product, a, count, jit_constant(jit, j), GROUP,
              product->of_a[j]);
    }
    /* Lane 4 g + j has the columns 2 j and 2 j + 1, and lane 4 c + i has
     * column c of B. */
    LLVMValueRef place = LLVMBuildAnd(builder, ptx_lane(product->ptx),
                                      jit_constant(jit, 3), "");
    place = LLVMBuildShl(builder, place, jit_constant(jit, 3), "");
    for (unsigned column = 0; column < 2; column++) {
        for (unsigned j = 0; j < GROUP; j++) {
            LLVMValueRef lane = LLVMBuildOr(
                builder, place, jit_constant(jit, GROUP * column + j), "");
            fetch(product, b, product->parts, lane, 32,
                  product->of_b[column][j]);
        }
    }
    return true;
}

/* ---- elements ---- */

/* Extracts element `i` of a register, as a value of the type of sums. */
static LLVMValueRef
extract(struct product *product, const struct element *element,
        LLVMValueRef value, unsigned i)
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
    case ELEMENT_DOUBLE:
        return LLVMBuildBitCast(builder, value, product->sum, "");
    case ELEMENT_HALF:
        value = LLVMBuildTrunc(builder, down, i16, "");
        value = LLVMBuildBitCast(builder, value, half, "");
        return LLVMBuildFPExt(builder, value, real, "");
    case ELEMENT_BFLOAT:
        value = LLVMBuildShl(builder, down, jit_constant(jit, 16), "");
        return LLVMBuildBitCast(builder, value, real, "");
    case ELEMENT_TF32:
        value =
            LLVMBuildAnd(builder, value, jit_constant(jit, 0xffffe000), "");
        return LLVMBuildBitCast(builder, value, real, "");
    case ELEMENT_E4M3:
    case ELEMENT_E5M2:
        return ptx_half_from_byte(product->ptx, down,
                                  element->kind == ELEMENT_E4M3);
    default:
        break;
    }
    LLVMTypeRef narrow = LLVMIntTypeInContext(jit->context, element->bits);
    down = LLVMBuildTrunc(builder, down, narrow, "");
    return element->kind == ELEMENT_SIGNED
               ? LLVMBuildSExt(builder, down, product->sum, "")
               : LLVMBuildZExt(builder, down, product->sum, "");
}

/* ---- sums ---- */

/* Adds to `sum` the products of the elements of two registers. */
static LLVMValueRef
add_products(struct product *product, LLVMValueRef sum, LLVMValueRef a,
             LLVMValueRef b)
{
    LLVMBuilderRef builder = product->ptx->jit->builder;
    struct ptx *ptx = product->ptx;
    if (product->a->kind == ELEMENT_BITS) {
        bool both = ptx_has(product->statement, "and");
        a = both ? LLVMBuildAnd(builder, a, b, "")
                 : LLVMBuildXor(builder, a, b, "");
        a = ptx_intrinsic(ptx, "llvm.ctpop", LLVMTypeOf(a), &a, 1);
        return LLVMBuildAdd(builder, sum,
                            LLVMBuildZExt(builder, a, product->sum, ""), "");
    }
    for (unsigned i = 0; i < product->bits / product->a->bits; i++) {
        LLVMValueRef in[] = {extract(product, product->a, a, i),
                             extract(product, product->b, b, i), sum};
        if (product->a->kind == ELEMENT_DOUBLE) {
            sum = ptx_intrinsic(ptx, "llvm.fma", product->sum, in, 3);
        } else if (is_float(product->a)) {
            in[0] = LLVMBuildFMul(builder, in[0], in[1], "");
            sum = LLVMBuildFAdd(builder, sum, in[0], "");
        } else {
            in[0] = LLVMBuildMul(builder, in[0], in[1], "");
            sum = LLVMBuildAdd(builder, sum, in[0], "");
        }
    }
    return sum;
}

/* Returns the lane's element of C in the column and in half `h` of the rows,
 * as a value of the type of sums. */
static LLVMValueRef
start_of_sum(struct product *product, unsigned h, unsigned column)
{
    struct jit *jit = product->ptx->jit;
    const struct ptx_operand *from = &product->statement->operands[3];
    static const struct element half = {"f16", ELEMENT_HALF, 16};
    unsigned index = product->half_sum ? h : 2 * h + column;
    LLVMValueRef value =
        ptx_read_element(product->ptx, from, index, product->bits);
    if (!value) {
        return NULL;
    }
    if (product->half_sum) {
        return extract(product, &half, value, column);
    }
    return product->sum == jit->i64
               ? LLVMBuildSExt(jit->builder, value, jit->i64, "")
               : LLVMBuildBitCast(jit->builder, value, product->sum, "");
}

/* Converts a sum to bits of D; .satfinite limits integers. */
static LLVMValueRef
end_of_sum(struct product *product, LLVMValueRef sum)
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

/* Computes the two elements of D in half `h` of the rows. */
static bool
build_row(struct product *product, unsigned h, LLVMValueRef sums[2])
{
    for (unsigned column = 0; column < 2; column++) {
        LLVMValueRef sum = start_of_sum(product, h, column);
        if (!sum) {
            return false;
        }
        for (unsigned p = 0; p < product->parts; p++) {
            for (unsigned j = 0; j < GROUP; j++) {
                unsigned index = p * product->halves + h;
                sum = add_products(product, sum, product->of_a[j][index],
                                   product->of_b[column][j][p]);
            }
        }
        sums[column] = end_of_sum(product, sum);
    }
    return true;
}

static bool
write_row(struct product *product, unsigned h, const LLVMValueRef sums[2])
{
    struct jit *jit = product->ptx->jit;
    struct ptx_type type = {'b', product->bits};
    const struct ptx_operand *to = &product->statement->operands[0];
    if (product->half_sum) {
        LLVMValueRef high =
            LLVMBuildShl(jit->builder, sums[1], jit_constant(jit, 16), "");
        return ptx_write(product->ptx, to->names[h], type,
                         LLVMBuildOr(jit->builder, sums[0], high, ""), false);
    }
    return ptx_write(product->ptx, to->names[2 * h], type, sums[0], false) &&
           ptx_write(product->ptx, to->names[2 * h + 1], type, sums[1], false);
}

bool
ptx_build_product(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct product product = {.ptx = ptx, .statement = statement};
    LLVMValueRef sums[2][2];
    if (!read_form(&product)) {
        return refuse(ptx, statement);
    }
    if (!fetch_factors(&product)) {
        return false;
    }
    /* All sums come first: registers of D may be registers of C. */
    for (unsigned h = 0; h < product.halves; h++) {
        if (!build_row(&product, h, sums[h])) {
            return false;
        }
    }
    for (unsigned h = 0; h < product.halves; h++) {
        if (!write_row(&product, h, sums[h])) {
            return false;
        }
    }
    return true;
}
