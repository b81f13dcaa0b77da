/* mempool.h - memory pools.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MEMORY_MEMPOOL_H
#define PYCUDA_CPU_MEMORY_MEMPOOL_H

#include <stddef.h>

#include "api/cuda_types.h"

/* memory/mempool.c: subtracts `bytes` from the usage of a pool, because memory
 * of this size is about to be freed. */
void cpu_pool_return(CUmemoryPool pool, size_t bytes);

#endif
