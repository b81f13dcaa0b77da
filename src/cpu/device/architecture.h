/* architecture.h - compute capability of the CPU device and the limits of the
 * GPU that has it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_ARCHITECTURE_H
#define PYCUDA_CPU_DEVICE_ARCHITECTURE_H

#include "api/cuda_types.h"

/* A compute capability and the limits of a multiprocessor of a GPU with this
 * capability. Sizes are in bytes. */
struct cpu_architecture {
    int number;   /* 10 * major + minor: 80 means 8.0 */
    int threads;  /* maximum number of resident threads */
    int blocks;   /* maximum number of resident blocks */
    int shared;   /* shared memory of all resident blocks */
    int opt_in;   /* maximum shared memory of a block, which it requests by
                   * CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    int reserved; /* shared memory that CUDA keeps for itself in each block */
};

/* Returns the device's architecture. Before a call of
 * cpu_architecture_configure it is sm_80. Needs no lock after cuInit. */
const struct cpu_architecture *cpu_architecture(void);
/* Selects the architecture that PYCUDA_CPU_ARCH names, or sm_80 if the
 * variable is unset or empty. Returns INVALID_VALUE with a text if its value
 * is invalid. Called by cuInit, which holds cpu_init_lock. */
CUresult cpu_architecture_configure(void);

#endif
