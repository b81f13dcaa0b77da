/* fragments.c - wmma of PTX: loads, stores and products of matrices that a
 * warp holds.
 *
 * PTX does not specify which lane holds which element of a matrix. This file
 * numbers the elements by rows for A, C and D, and by columns for B. Each lane
 * holds the same number of consecutive elements; lane 0 holds the first ones.
 * PTX prescribes 8 registers per lane for a matrix A or B of halves; registers
 * that the elements do not fill are 0.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/products.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

enum { LANES = 32, HALF_REGISTERS = 8, MAX_WORDS = 32, MAX_REGISTERS = 8 };

/* A matrix that a warp holds: `lines` rows or columns of `length` elements. */
struct fragment {
    struct ptx *ptx;
    const struct ptx_statement *statement;
    unsigned lines, length;
    unsigned element_bits, register_bits;
    unsigned count;     /* number of elements of a lane */
    unsigned registers; /* number of registers that contain elements */
};

/* ---- forms ---- */

/* The shapes of products: A has m rows and k columns, B has k rows and n
 * columns. `types` lists the types of A and B that PTX allows for the
 * shape. */
static const struct shape {
    const char *name, *types;
    unsigned m, n, k;
} shapes[] = {
    {"m16n16k16", " f16 bf16 s8 u8 ", 16, 16, 16},
    {"m8n32k16", " f16 bf16 s8 u8 ", 8, 32, 16},
    {"m32n8k16", " f16 bf16 s8 u8 ", 32, 8, 16},
    {"m16n16k8", " tf32 ", 16, 16, 8},
    {"m8n8k4", " f64 ", 8, 8, 4},
    {"m8n8k32", " s4 u4 ", 8, 8, 32},
    {"m8n8k128", " b1 ", 8, 8, 128},
};

static const struct shape *
find_shape(const struct ptx_statement *statement)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (ptx_has(statement, shapes[i].name)) {
            return &shapes[i];
        }
    }
    return NULL;
}

static bool
has_type(const struct shape *shape, const char *type)
{
    return ptx_is_word(shape->types, type);
}

/* Returns the width of an element of C or D in bits, or 0 if the shape does
 * not allow the type. */
static unsigned
sum_bits(const struct shape *shape, const char *type)
{
    static const struct {
        const char *name, *factors; /* a type of A and B for which C and D may
                                     * have type `name` */
        unsigned bits;
    } rows[] = {{"f16", "f16", 16}, {"f32", "f16", 32}, {"f32", "tf32", 32},
                {"s32", "s8", 32},  {"s32", "s4", 32},  {"s32", "b1", 32},
                {"f64", "f64", 64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(type, rows[i].name) == 0 &&
            has_type(shape, rows[i].factors)) {
            return rows[i].bits;
        }
    }
    return 0;
}

/* Completes the description of a matrix. Returns the number of registers that
 * contain the lane's elements of the matrix. */
static unsigned
describe(struct fragment *fragment, const struct shape *shape, char matrix,
         unsigned bits)
{
    fragment->lines = matrix == 'b' ? shape->n : shape->m;
    fragment->length = matrix == 'a' || matrix == 'b' ? shape->k : shape->n;
    fragment->element_bits = bits;
    fragment->register_bits = bits == 64 ? 64 : 32;
    fragment->count = fragment->lines * fragment->length / LANES;
    fragment->registers = fragment->count * bits / fragment->register_bits;
    return fragment->registers;
}

/* ---- memory ---- */

/* Location in memory of the elements of a lane. */
struct place {
    LLVMValueRef first; /* address of the first element, an i64 */
    /* bytes from one element to the next, an i64; NULL: they are adjacent */
    LLVMValueRef step;
};

static LLVMValueRef
wide(struct ptx *ptx, uint64_t value)
{
    return LLVMConstInt(ptx->jit->i64, value, 0);
}

/* Computes where the lane's elements are in memory. `stride`, an i64, is the
 * number of elements from the start of one line (a row or column) to the next;
 * `along` is true if the elements of a line are adjacent. */
static struct place
find_place(const struct fragment *fragment, LLVMValueRef base,
           LLVMValueRef stride, bool along)
{
    struct ptx *ptx = fragment->ptx;
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMValueRef index =
        LLVMBuildZExt(builder, ptx_lane(ptx), ptx->jit->i64, "");
    index = LLVMBuildMul(builder, index, wide(ptx, fragment->count), "");
    LLVMValueRef length = wide(ptx, fragment->length);
    LLVMValueRef line = LLVMBuildUDiv(builder, index, length, "");
    LLVMValueRef at = LLVMBuildURem(builder, index, length, "");
    LLVMValueRef far = LLVMBuildMul(builder, along ? line : at, stride, "");
    far = LLVMBuildAdd(builder, far, along ? at : line, "");
    far = LLVMBuildMul(builder, far, wide(ptx, fragment->element_bits), "");
    far = LLVMBuildLShr(builder, far, wide(ptx, 3), "");
    struct place place = {LLVMBuildAdd(builder, base, far, ""), NULL};
    if (!along) {
        place.step = LLVMBuildMul(builder, stride,
                                  wide(ptx, fragment->element_bits / 8), "");
    }
    return place;
}

/* Returns the pointer to element `i` of the lane. */
static LLVMValueRef
element_pointer(const struct fragment *fragment, const struct place *place,
                unsigned i)
{
    struct ptx *ptx = fragment->ptx;
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMValueRef bytes =
        place->step ? LLVMBuildMul(builder, place->step, wide(ptx, i), "")
                    : wide(ptx, (uint64_t)i * fragment->element_bits / 8);
    bytes = LLVMBuildAdd(builder, place->first, bytes, "");
    return LLVMBuildIntToPtr(builder, bytes, ptx->jit->pointer, "");
}

/* Loads register `r` of the lane from the matrix in memory. */
static LLVMValueRef
load_register(const struct fragment *fragment, const struct place *place,
              unsigned r)
{
    struct jit *jit = fragment->ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    unsigned bits = fragment->element_bits;
    unsigned each = fragment->register_bits / bits;
    LLVMTypeRef whole =
        LLVMIntTypeInContext(jit->context, fragment->register_bits);
    if (!place->step) {
        LLVMValueRef value = LLVMBuildLoad2(
            builder, whole, element_pointer(fragment, place, r * each), "");
        LLVMSetAlignment(value, bits < 8 ? 1 : bits / 8);
        return value;
    }
    LLVMValueRef all = LLVMConstInt(whole, 0, 0);
    for (unsigned i = 0; i < each; i++) {
        LLVMValueRef value =
            LLVMBuildLoad2(builder, LLVMIntTypeInContext(jit->context, bits),
                           element_pointer(fragment, place, r * each + i), "");
        LLVMSetAlignment(value, bits / 8);
        value = LLVMBuildZExt(builder, value, whole, "");
        value = LLVMBuildShl(builder, value,
                             LLVMConstInt(whole, (uint64_t)i * bits, 0), "");
        all = LLVMBuildOr(builder, all, value, "");
    }
    return all;
}

/* Stores register `r` of the lane to the matrix in memory. */
static void
store_register(const struct fragment *fragment, const struct place *place,
               unsigned r, LLVMValueRef value)
{
    struct jit *jit = fragment->ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    unsigned bits = fragment->element_bits;
    unsigned each = fragment->register_bits / bits;
    LLVMTypeRef narrow = LLVMIntTypeInContext(jit->context, bits);
    for (unsigned i = 0; i < each; i++) {
        LLVMValueRef by =
            LLVMConstInt(LLVMTypeOf(value), (uint64_t)i * bits, 0);
        LLVMValueRef part = LLVMBuildLShr(builder, value, by, "");
        part = each > 1 ? LLVMBuildTrunc(builder, part, narrow, "") : part;
        LLVMValueRef store = LLVMBuildStore(
            builder, part, element_pointer(fragment, place, r * each + i));
        LLVMSetAlignment(store, bits / 8);
    }
}

/* Reads the operands and modifiers of a load or store: the matrix, its element
 * type and its place in memory. Operand `at` is the address; the optional
 * operand 2 is the stride. */
static bool
read_matrix(struct fragment *fragment, unsigned at, struct place *place,
            unsigned *registers)
{
    struct ptx *ptx = fragment->ptx;
    const struct ptx_statement *statement = fragment->statement;
    unsigned n = statement->modifier_count, count = statement->operand_count;
    const char *type = n ? statement->modifiers[n - 1] : "";
    const struct shape *shape = find_shape(statement);
    bool a = ptx_has(statement, "a"), b = ptx_has(statement, "b");
    const struct ptx_element *element =
        a || b ? ptx_element_named(type) : NULL;
    if (!shape || count < 2 || count > 3 ||
        ((a || b) && (!element || !has_type(shape, type)))) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    unsigned bits = element ? element->bits : sum_bits(shape, type);
    bool row = ptx_has(statement, "row");
    bool along = b ? !row : row;
    if (!bits || row == ptx_has(statement, "col") || (bits < 8 && !along)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    *registers = describe(fragment, shape, a ? 'a' : b ? 'b' : 'c', bits);
    if ((a || b) && strcmp(type, "f16") == 0) {
        *registers = HALF_REGISTERS;
    }
    LLVMValueRef pointer =
        ptx_address(ptx, &statement->operands[at], ptx_space_of(statement));
    LLVMValueRef stride =
        wide(ptx, along ? fragment->length : fragment->lines);
    struct ptx_type word = {'u', 32};
    if (pointer && count == 3) {
        stride = ptx_read(ptx, &statement->operands[2], word, false);
        stride = stride ? LLVMBuildZExt(ptx->jit->builder, stride,
                                        ptx->jit->i64, "")
                        : NULL;
    }
    if (!pointer || !stride) {
        return false;
    }
    *place = find_place(
        fragment,
        LLVMBuildPtrToInt(ptx->jit->builder, pointer, ptx->jit->i64, ""),
        stride, along);
    return true;
}

static bool
build_load(struct fragment *fragment)
{
    struct ptx *ptx = fragment->ptx;
    const struct ptx_operand *to = &fragment->statement->operands[0];
    struct place place;
    unsigned registers;
    LLVMValueRef values[MAX_REGISTERS];
    if (!read_matrix(fragment, 1, &place, &registers)) {
        return false;
    }
    if (ptx_elements(to) != registers) {
        return ptx_form_refuse(ptx, fragment->statement->operation);
    }
    for (unsigned i = 0; i < registers; i++) {
        values[i] = i < fragment->registers
                        ? load_register(fragment, &place, i)
                        : jit_constant(ptx->jit, 0);
    }
    struct ptx_type type = {'b', fragment->register_bits};
    for (unsigned i = 0; i < registers; i++) {
        if (!ptx_write(ptx, to->names[i], type, values[i], false)) {
            return false;
        }
    }
    return true;
}

static bool
build_store(struct fragment *fragment)
{
    struct ptx *ptx = fragment->ptx;
    const struct ptx_operand *from = &fragment->statement->operands[1];
    struct place place;
    unsigned registers;
    if (!read_matrix(fragment, 0, &place, &registers)) {
        return false;
    }
    if (ptx_elements(from) != registers) {
        return ptx_form_refuse(ptx, fragment->statement->operation);
    }
    for (unsigned i = 0; i < registers; i++) {
        LLVMValueRef value =
            ptx_read_element(ptx, from, i, fragment->register_bits);
        if (!value) {
            return false;
        }
        store_register(fragment, &place, i, value);
    }
    return true;
}

/* ---- products ---- */

/* The matrices of a product. */
struct multiplication {
    struct ptx_product types;
    struct fragment a, b, c, d;
};

/* Finds the types of the matrices. The statement names all four types, or only
 * the types of D and C; in this case, A and B are f16. */
static bool
read_types(struct multiplication *all)
{
    struct ptx_product *types = &all->types;
    const struct ptx_statement *statement = types->statement;
    const struct shape *shape = find_shape(statement);
    unsigned first = 0, n = statement->modifier_count;
    n -= n && strcmp(statement->modifiers[n - 1], "satfinite") == 0;
    while (first < n &&
           (!shape || strcmp(statement->modifiers[first], shape->name) != 0)) {
        first++;
    }
    first += first + 1 < n && statement->modifiers[first + 1][0] == 'r';
    const char *const *names = &statement->modifiers[first + 1];
    if (!shape || statement->operand_count != 4 ||
        (n != first + 3 && n != first + 5)) {
        return false;
    }
    bool full = n == first + 5;
    const char *a = full ? names[1] : "f16", *c = names[full ? 3 : 1];
    types->a = types->b = ptx_element_named(a);
    if (!types->a || !has_type(shape, a) ||
        (types->a->bits < 8 && !ptx_has_row_col(statement)) ||
        (full && (strcmp(names[1], names[2]) != 0 || strcmp(a, "f16") == 0))) {
        return false;
    }
    unsigned c_bits = sum_bits(shape, c), d_bits = sum_bits(shape, names[0]);
    if (!c_bits || !d_bits || (full && strcmp(names[0], c) != 0) ||
        (full &&
         (c_bits == 16 || ptx_element_is_float(types->a) != (c[0] == 'f')))) {
        return false;
    }
    ptx_product_set_types(types);
    types->half_sum = d_bits == 16;
    const struct ptx_operand *operands = statement->operands;
    bool halves = types->a->kind == PTX_ELEMENT_HALF;
    unsigned of_a = describe(&all->a, shape, 'a', types->a->bits);
    unsigned of_b = describe(&all->b, shape, 'b', types->a->bits);
    return describe(&all->d, shape, 'd', d_bits) ==
               ptx_elements(&operands[0]) &&
           (halves ? HALF_REGISTERS : of_a) == ptx_elements(&operands[1]) &&
           (halves ? HALF_REGISTERS : of_b) == ptx_elements(&operands[2]) &&
           describe(&all->c, shape, 'c', c_bits) == ptx_elements(&operands[3]);
}

/* Fetches all registers of one line of a factor (a row of A or a column of B)
 * from the lanes that hold it. */
static bool
fetch_line(const struct fragment *factor, const struct ptx_operand *from,
           LLVMValueRef line, LLVMValueRef *words)
{
    struct ptx *ptx = factor->ptx;
    LLVMBuilderRef builder = ptx->jit->builder;
    unsigned lanes = LANES / factor->lines;
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef lane =
            LLVMBuildMul(builder, line, jit_constant(ptx->jit, lanes), "");
        lane = LLVMBuildAdd(builder, lane, jit_constant(ptx->jit, i), "");
        for (unsigned r = 0; r < factor->registers; r++) {
            LLVMValueRef own =
                ptx_read_element(ptx, from, r, factor->register_bits);
            if (!own) {
                return false;
            }
            words[i * factor->registers + r] =
                ptx_shuffle(ptx, IMAGE_SHUFFLE_IDX, own, lane, LANES);
        }
    }
    return true;
}

/* Computes the lane's elements of D, which are in one row. */
static bool
build_sums(struct multiplication *all, LLVMValueRef *sums)
{
    const struct ptx_product *types = &all->types;
    struct ptx *ptx = types->ptx;
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    const struct ptx_operand *operands = types->statement->operands;
    LLVMValueRef a[MAX_WORDS], b[MAX_WORDS];
    LLVMValueRef first = LLVMBuildMul(builder, ptx_lane(ptx),
                                      jit_constant(jit, all->d.count), "");
    LLVMValueRef width = jit_constant(jit, all->d.length);
    LLVMValueRef row = LLVMBuildUDiv(builder, first, width, "");
    LLVMValueRef column = LLVMBuildURem(builder, first, width, "");
    unsigned words = all->a.length * types->a->bits / types->bits;
    bool half = all->c.element_bits == 16;
    if (!fetch_line(&all->a, &operands[1], row, a)) {
        return false;
    }
    for (unsigned i = 0; i < all->d.count; i++) {
        LLVMValueRef own =
            LLVMBuildAdd(builder, column, jit_constant(jit, i), "");
        LLVMValueRef sum =
            ptx_read_element(ptx, &operands[3], half ? i / 2 : i, types->bits);
        if (!sum || !fetch_line(&all->b, &operands[2], own, b)) {
            return false;
        }
        sum = ptx_product_start(types, sum, half, i % 2);
        for (unsigned w = 0; w < words; w++) {
            sum = ptx_product_add(types, sum, a[w], b[w]);
        }
        sums[i] = ptx_product_finish(types, sum);
    }
    return true;
}

static bool
build_product(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct fragment none = {.ptx = ptx, .statement = statement};
    struct multiplication all = {.types = {.ptx = ptx, .statement = statement},
                                 .a = none,
                                 .b = none,
                                 .c = none,
                                 .d = none};
    LLVMValueRef sums[MAX_REGISTERS];
    struct jit *jit = ptx->jit;
    const struct ptx_operand *to = &statement->operands[0];
    if (!read_types(&all)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (!build_sums(&all, sums)) {
        return false;
    }
    struct ptx_type type = {'b', all.types.bits};
    for (unsigned r = 0; r < all.d.registers; r++) {
        LLVMValueRef value = sums[r];
        if (all.types.half_sum) {
            value = LLVMBuildShl(jit->builder, sums[2 * r + 1],
                                 jit_constant(jit, 16), "");
            value = LLVMBuildOr(jit->builder, sums[2 * r], value, "");
        }
        if (!ptx_write(ptx, to->names[r], type, value, false)) {
            return false;
        }
    }
    return true;
}

bool
ptx_build_fragment(struct ptx *ptx, const struct ptx_statement *statement)
{
    static const char modifiers[] =
        " load store mma a b c d sync aligned row col m16n16k16 m8n32k16 "
        "m32n8k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128 global shared shared::cta "
        "f16 bf16 tf32 s4 u4 b1 rn rz rm rp satfinite xor and popc ";
    struct fragment fragment = {.ptx = ptx, .statement = statement};
    const char *kind =
        statement->modifier_count ? statement->modifiers[0] : "";
    if (!ptx_only(statement, modifiers)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (strcmp(kind, "load") == 0) {
        return build_load(&fragment);
    }
    if (strcmp(kind, "store") == 0) {
        return build_store(&fragment);
    }
    return strcmp(kind, "mma") == 0
               ? build_product(ptx, statement)
               : ptx_form_refuse(ptx, statement->operation);
}
