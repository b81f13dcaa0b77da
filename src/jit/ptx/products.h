/* products.h - sums of products of the matrix elements of PTX, for mma and
 * wmma.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_PRODUCTS_H
#define PYCUDA_JIT_PTX_PRODUCTS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct ptx;
struct ptx_statement;

enum ptx_element_kind {
    PTX_ELEMENT_HALF,
    PTX_ELEMENT_BFLOAT,
    PTX_ELEMENT_TF32,
    PTX_ELEMENT_DOUBLE,
    PTX_ELEMENT_SIGNED,
    PTX_ELEMENT_UNSIGNED,
    PTX_ELEMENT_BITS,
    PTX_ELEMENT_E4M3,
    PTX_ELEMENT_E5M2
};

/* A type of matrix elements, such as bf16 or s4. */
struct ptx_element {
    const char *name;
    enum ptx_element_kind kind;
    unsigned bits;
};

/* The types of a product D = A B + C. */
struct ptx_product {
    struct ptx *ptx;
    /* the statement, whose modifiers say how sums are rounded or limited */
    const struct ptx_statement *statement;
    const struct ptx_element *a, *b;
    unsigned bits; /* width of a register of A and B: 32, or 64 for doubles */
    bool half_sum; /* D has half precision */
    LLVMTypeRef sum; /* type in which sums are computed */
};

enum {
    /* The lanes of a warp form groups of four, which hold the same rows of A
     * and columns of B. */
    PTX_GROUP_LANES = 4
};

/* The metadata of mma.sp: words that the current lane needs, from its group.
 */
struct ptx_sparsity {
    LLVMValueRef lanes[PTX_GROUP_LANES];
};

/* Returns the type with the given name, or NULL. */
const struct ptx_element *ptx_element_named(const char *name);
/* Returns true if the type of matrix elements is a float type. */
bool ptx_element_is_float(const struct ptx_element *element);
/* Sets the members `bits` and `sum` from the type of A. */
void ptx_product_set_types(struct ptx_product *product);
/* Returns element `i` of a register, converted to the type in which sums are
 * computed. */
LLVMValueRef ptx_product_element(const struct ptx_product *product,
                                 const struct ptx_element *element,
                                 LLVMValueRef value, unsigned i);
/* Returns `sum` plus the products of the elements of two registers. */
LLVMValueRef ptx_product_add(const struct ptx_product *product,
                             LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b);
/* Returns an element of C as the initial value of a sum: a float, double or
 * integer. `value` is the register with the element. If `half` is true, C has
 * half precision, and `i` is the index of the element in the register. */
LLVMValueRef ptx_product_start(const struct ptx_product *product,
                               LLVMValueRef value, bool half, unsigned i);
/* Returns a finished sum as an element of D; .satfinite clamps integers to 32
 * bits. A half is in the low bits of an i32. */
LLVMValueRef ptx_product_finish(const struct ptx_product *product,
                                LLVMValueRef sum);

/* ---- sparse.c ---- */
/* Reads the metadata and the selector of mma.sp, its last two operands, and
 * fetches the metadata from the lanes that have them. `blocks` is the number
 * of registers of A in a row and lane. Returns false on failure. */
bool ptx_sparsity_read(const struct ptx_product *product, unsigned blocks,
                       struct ptx_sparsity *sparsity);
/* Returns the elements of B that a register of A is multiplied by, as one
 * register. The register of A belongs to row g if `half` is 0, and to row
 * g + 8 if it is 1; `index` is its linear index in the row. `b` are the two
 * registers of B with the same elements of K. */
LLVMValueRef ptx_sparsity_select(const struct ptx_product *product,
                                 const struct ptx_sparsity *sparsity,
                                 unsigned half, unsigned index,
                                 const LLVMValueRef b[2]);

/* ---- quads.c ---- */
/* Tests whether mma has the shape m8n8k4 and does not multiply doubles. */
bool ptx_is_quad_product(const struct ptx_statement *statement);
/* Builds mma with halves in the shape m8n8k4. Returns false on failure. */
bool ptx_build_quad_product(struct ptx *ptx,
                            const struct ptx_statement *statement);

#endif
