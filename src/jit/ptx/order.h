/* order.h - comparisons `left < right` of integers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_ORDER_H
#define PYCUDA_JIT_PTX_ORDER_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* The comparison `left < right`. */
struct ptx_order {
    LLVMValueRef left, right;
    bool is_signed;
};

/* Expresses that the comparison `compare` has the result `holds` as `left <
 * right`. Returns false if that is not possible. */
bool ptx_order_read(LLVMValueRef compare, bool holds, struct ptx_order *order);
/* Tests whether `left < right` for two constants. */
bool ptx_order_is_known(const struct ptx_order *order);
/* Tests whether `wanted` follows from the condition, which is known to be
 * `holds`. Sets *exact if the condition is nothing else. *budget is the number
 * of conditions that may still be inspected, and is counted down. */
bool ptx_order_follows(LLVMValueRef condition, bool holds,
                       const struct ptx_order *wanted, unsigned *budget,
                       bool *exact);
/* Removes negations from a condition, which is `*holds`: returns the condition
 * without them, and inverts *holds for each. */
LLVMValueRef ptx_without_not(LLVMValueRef condition, bool *holds);

#endif
