/* matrix.c - mma.sync and mma.sp of PTX: products of matrices held by a warp.
 *
 * D = A B + C, where A has 8 or 16 rows and B has 8 columns. The lanes 4 g to
 * 4 g + 3 hold row g (and row g + 8) of A and column g of B. In all shapes but
 * m8n8k4 with halves (quads.c), lane 4 g + j holds elements of row g
 * of A and of column g of B with the same indices k. A lane's elements of C
 * and D are those of rows g and g + 8 in the columns 2 j and 2 j + 1. Each
 * lane therefore uses shuffles to read registers of A from the four lanes of
 * its group, and registers of B from eight lanes.
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
#include "jit/ptx/products.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

enum { MAX_PARTS = 4, GROUP = PTX_GROUP_LANES };

struct product {
    struct ptx_product types;
    unsigned halves; /* 2 if A has 16 rows, else 1 */
    unsigned parts;  /* number of registers of B */
    bool sparse;     /* mma.sp: A has half as many registers as B in a row */
    struct ptx_sparsity sparsity;
    /* of_a: registers of A, by lane of the group; of_b: registers of B, by
     * column and by lane of the group */
    LLVMValueRef of_a[GROUP][2 * MAX_PARTS], of_b[2][GROUP][MAX_PARTS];
};

/* ---- the form ---- */

/* Finds the types of D, A, B and C. They are the last four modifiers, not
 * counting an operation on bits, such as .xor.popc. */
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

/* Tests whether C and D have the same type, and whether PTX allows this type
 * for products of the elements of A and B. */
static bool
fits_sum(const struct product *product, const char *d, const char *c)
{
    bool half = product->types.a->kind == PTX_ELEMENT_HALF ||
                product->types.a->kind >= PTX_ELEMENT_E4M3;
    if (product->types.a->kind == PTX_ELEMENT_DOUBLE) {
        return strcmp(d, "f64") == 0 && strcmp(c, "f64") == 0;
    }
    if (!ptx_element_is_float(product->types.a)) {
        return strcmp(d, "s32") == 0 && strcmp(c, "s32") == 0;
    }
    return strcmp(d, c) == 0 &&
           (strcmp(d, "f32") == 0 || (half && strcmp(d, "f16") == 0));
}

static bool
read_shape(struct product *product, unsigned *k)
{
    const struct ptx_statement *statement = product->types.statement;
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

/* The layouts are fixed: A has rows and B columns. */
static const char modifiers[] =
    " sync aligned m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 "
    "m16n8k32 m16n8k64 m16n8k128 m16n8k256 row col rn rz rm rp satfinite xor "
    "and popc f16 bf16 tf32 e4m3 e5m2 s4 u4 b1 sp sp::ordered_metadata ";

/* Returns the number of registers of A in a row. */
static unsigned
parts_of_a(const struct product *product)
{
    return product->sparse ? product->parts / 2 : product->parts;
}

/* Tests whether mma.sp exists for the types and the shape. */
static bool
fits_sparse(const struct product *product)
{
    enum ptx_element_kind kind = product->types.a->kind;
    bool bytes = kind >= PTX_ELEMENT_E4M3;
    return product->halves == 2 && kind != PTX_ELEMENT_DOUBLE &&
           kind != PTX_ELEMENT_BITS &&
           (product->parts == 4 || (product->parts == 2 && !bytes)) &&
           !(bytes && product->types.half_sum);
}

static bool
read_form(struct product *product)
{
    const char *types[4];
    unsigned k;
    const struct ptx_operand *operands = product->types.statement->operands;
    if (!ptx_only(product->types.statement, modifiers) ||
        !ptx_has_row_col(product->types.statement) ||
        !read_types(product->types.statement, types) ||
        !read_shape(product, &k) ||
        product->types.statement->operand_count != (product->sparse ? 6 : 4)) {
        return false;
    }
    product->types.a = ptx_element_named(types[1]);
    product->types.b = ptx_element_named(types[2]);
    if (!product->types.a || !product->types.b ||
        product->types.a->bits != product->types.b->bits ||
        !fits_sum(product, types[0], types[3])) {
        return false;
    }
    ptx_product_set_types(&product->types);
    product->parts = k * product->types.a->bits / product->types.bits / GROUP;
    product->types.half_sum = strcmp(types[0], "f16") == 0;
    unsigned results = product->halves * (product->types.half_sum ? 1 : 2);
    return product->parts && product->parts <= MAX_PARTS &&
           ptx_elements(&operands[0]) == results &&
           (!product->sparse || fits_sparse(product)) &&
           ptx_elements(&operands[1]) ==
               product->halves * parts_of_a(product) &&
           ptx_elements(&operands[2]) == product->parts &&
           ptx_elements(&operands[3]) == results;
}

/* ---- shuffles ---- */

/* Reads the lane's own registers of A or B. */
static bool
read_registers(struct product *product, unsigned operand, unsigned count,
               LLVMValueRef *registers)
{
    for (unsigned i = 0; i < count; i++) {
        registers[i] = ptx_read_element(
            product->types.ptx, &product->types.statement->operands[operand],
            i, product->types.bits);
        if (!registers[i]) {
            return false;
        }
    }
    return true;
}

/* Reads the registers of another lane by shuffles; two registers of 32 bits
 * share a shuffle. `width` is the number of lanes in a segment of the
 * shuffle. */
static void
fetch(struct product *product, const LLVMValueRef *own, unsigned count,
      LLVMValueRef lane, unsigned width, LLVMValueRef *fetched)
{
    struct jit *jit = product->types.ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef by = LLVMConstInt(jit->i64, 32, 0);
    for (unsigned i = 0; i < count; i++) {
        if (product->types.bits == 64 || i + 1 == count) {
            fetched[i] = ptx_shuffle(product->types.ptx, IMAGE_SHUFFLE_IDX,
                                     own[i], lane, width);
            continue;
        }
        LLVMValueRef low = LLVMBuildZExt(builder, own[i], jit->i64, "");
        LLVMValueRef high = LLVMBuildZExt(builder, own[i + 1], jit->i64, "");
        high = LLVMBuildShl(builder, high, by, "");
        LLVMValueRef both =
            ptx_shuffle(product->types.ptx, IMAGE_SHUFFLE_IDX,
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
    struct jit *jit = product->types.ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef a[2 * MAX_PARTS], b[MAX_PARTS];
    unsigned count = product->halves * parts_of_a(product);
    if (!read_registers(product, 1, count, a) ||
        !read_registers(product, 2, product->parts, b)) {
        return false;
    }
    for (unsigned j = 0; j < GROUP; j++) {
        fetch(product, a, count, jit_constant(jit, j), GROUP,
              product->of_a[j]);
    }
    /* Lane 4 g + j computes the columns 2 j and 2 j + 1 of D. Column c of B is
     * in the lanes 4 c to 4 c + 3. */
    LLVMValueRef place = LLVMBuildAnd(builder, ptx_lane(product->types.ptx),
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

/* ---- sums ---- */

/* Returns one of the lane's elements of C, converted to the type in which sums
 * are computed. The row is lane / 4, plus 8 if `h` is 1. The column is 2 *
 * (lane % 4) + `column`; `column` is 0 or 1. */
static LLVMValueRef
start_of_sum(struct product *product, unsigned h, unsigned column)
{
    const struct ptx_product *types = &product->types;
    const struct ptx_operand *from = &types->statement->operands[3];
    unsigned index = types->half_sum ? h : 2 * h + column;
    LLVMValueRef value =
        ptx_read_element(types->ptx, from, index, types->bits);
    return value ? ptx_product_start(types, value, types->half_sum, column)
                 : NULL;
}

/* Returns the register of B that register `p` of A in lane `j` of the group is
 * multiplied by. */
static LLVMValueRef
factor_of_b(struct product *product, unsigned h, unsigned column, unsigned p,
            unsigned j)
{
    unsigned index = p * GROUP + j;
    LLVMValueRef b[2];
    if (!product->sparse) {
        return product->of_b[column][j][p];
    }
    for (unsigned i = 0; i < 2; i++) {
        unsigned of_b = 2 * index + i;
        b[i] = product->of_b[column][of_b % GROUP][of_b / GROUP];
    }
    return ptx_sparsity_select(&product->types, &product->sparsity, h, index,
                               b);
}

/* Computes the lane's two elements of D: in row g (lane / 4) if `h` is 0, and
 * in row g + 8 if `h` is 1. */
static bool
build_row(struct product *product, unsigned h, LLVMValueRef sums[2])
{
    for (unsigned column = 0; column < 2; column++) {
        LLVMValueRef sum = start_of_sum(product, h, column);
        if (!sum) {
            return false;
        }
        for (unsigned p = 0; p < parts_of_a(product); p++) {
            for (unsigned j = 0; j < GROUP; j++) {
                unsigned index = p * product->halves + h;
                sum = ptx_product_add(&product->types, sum,
                                      product->of_a[j][index],
                                      factor_of_b(product, h, column, p, j));
            }
        }
        sums[column] = ptx_product_finish(&product->types, sum);
    }
    return true;
}

static bool
write_row(struct product *product, unsigned h, const LLVMValueRef sums[2])
{
    struct jit *jit = product->types.ptx->jit;
    struct ptx_type type = {'b', product->types.bits};
    const struct ptx_operand *to = &product->types.statement->operands[0];
    if (product->types.half_sum) {
        LLVMValueRef high =
            LLVMBuildShl(jit->builder, sums[1], jit_constant(jit, 16), "");
        return ptx_write(product->types.ptx, to->names[h], type,
                         LLVMBuildOr(jit->builder, sums[0], high, ""), false);
    }
    return ptx_write(product->types.ptx, to->names[2 * h], type, sums[0],
                     false) &&
           ptx_write(product->types.ptx, to->names[2 * h + 1], type, sums[1],
                     false);
}

bool
ptx_build_product(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct product product = {.types = {.ptx = ptx, .statement = statement}};
    LLVMValueRef sums[2][2];
    if (ptx_is_quad_product(statement)) {
        return ptx_build_quad_product(ptx, statement);
    }
    product.sparse =
        ptx_has(statement, "sp") || ptx_has(statement, "sp::ordered_metadata");
    if (!read_form(&product)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (!fetch_factors(&product) ||
        (product.sparse &&
         !ptx_sparsity_read(&product.types, parts_of_a(&product),
                            &product.sparsity))) {
        return false;
    }
    /* All sums are computed before a result is written, since a register of D
     * may also be one of C. */
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
