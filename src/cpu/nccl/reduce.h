/* reduce.h - reductions of NCCL's element types.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NCCL_REDUCE_H
#define PYCUDA_CPU_NCCL_REDUCE_H

#include <stddef.h>

#include "api/nccl_rows.h"

/* A reduction. For a scaled sum, `op` is ncclNumOps and each rank multiplies
 * its own elements before the sum. */
struct nccl_reduction {
    ncclDataType_t type;
    ncclRedOp_t op;
};

/* Returns the size of an element; 0 for an unknown type. */
size_t nccl_type_bytes(ncclDataType_t type);
/* Combines `ranks` arrays of `count` elements, in the order of the ranks, and
 * stores the result in `to`, which may be one of them. Elements of 8 and 16
 * bit floats are combined as float32 and rounded once. */
void nccl_reduce(const struct nccl_reduction *reduction, void *to,
                 const void *const *from, int ranks, size_t count);
/* Copies `count` elements, multiplied by the element at `scalar`. */
void nccl_scale(ncclDataType_t type, void *to, const void *from,
                const void *scalar, size_t count);

#endif
