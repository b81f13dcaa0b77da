/* reduce.h - reductions of NCCL's element types.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NCCL_REDUCE_H
#define PYCUDA_CPU_NCCL_REDUCE_H

#include <stddef.h>

#include "api/nccl_rows.h"

/* Element type and operation of a reduction. If `op` is ncclNumOps, it is a
 * scaled sum: each rank has multiplied its elements by the factor before
 * (nccl_scale), so they are only added. */
struct nccl_reduction {
    ncclDataType_t type;
    ncclRedOp_t op;
};

/* Returns the size of an element; 0 for an unknown type. */
size_t nccl_type_bytes(ncclDataType_t type);
/* Reduces `ranks` arrays of `count` elements, in the order of the ranks, and
 * stores the result in `to`, which may be one of the arrays. Floats of 8 and
 * 16 bits are combined as float32 and rounded once, at the end. */
void nccl_reduce(const struct nccl_reduction *reduction, void *to,
                 const void *const *from, int ranks, size_t count);
/* Copies `count` elements, multiplied by the element at `scalar`. */
void nccl_scale(ncclDataType_t type, void *to, const void *from,
                const void *scalar, size_t count);

#endif
