/* allocation.h - the properties of an allocation of memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MEMORY_ALLOCATION_H
#define PYCUDA_CPU_MEMORY_ALLOCATION_H

#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_graph_memory;

enum cpu_memory_kind {
    CPU_MEMORY_FREE,
    CPU_MEMORY_DEVICE,
    CPU_MEMORY_MANAGED,
    CPU_MEMORY_HOST, /* allocated by cuMemHostAlloc */
    /* Host memory of the program that cuMemHostRegister registered. */
    CPU_MEMORY_REGISTERED,
    CPU_MEMORY_GLOBAL, /* variable of a module */
    CPU_MEMORY_IPC,
    CPU_MEMORY_GRAPH,       /* allocated by an allocation node of a graph */
    CPU_MEMORY_RESERVED,    /* address range of cuMemAddressReserve */
    CPU_MEMORY_MAPPED,      /* mapped to a reservation by cuMemMap */
    CPU_MEMORY_QUARANTINED, /* freed, in quarantine for the kernel checks */
};

struct cpu_allocation {
    uintptr_t base;
    size_t bytes;
    enum cpu_memory_kind kind;
    unsigned flags;
    int device;
    uint64_t context_id;
    uint64_t id;
    /* memory pool from which cuMemAllocAsync allocated; NULL for other
     * memory */
    CUmemoryPool pool;
    /* For memory of kind CPU_MEMORY_GRAPH: the state of the graph's allocation
     * node. NULL for other memory. */
    struct cpu_graph_memory *graph;
};

#endif
