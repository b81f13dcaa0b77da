/* state.h - the global state of the library.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_STATE_H
#define PYCUDA_CPU_DEVICE_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/device/limits.h"

/* Global state of the library. The first cuInit writes it. */
struct cpu_state {
    atomic_bool initialized;
    /* True if this process was created by fork() from a process that had
     * called cuInit. */
    atomic_bool forked;
    /* the fork handlers of fork.c are installed, so cuInit may succeed */
    bool fork_safe;
    int device_count;
    /* For each device ordinal of CUDA, the index of the virtual device;
     * CUDA_VISIBLE_DEVICES selects the devices. */
    int visible[CPU_MAX_DEVICES];
    int threads;           /* number of worker threads */
    uint64_t memory_bytes; /* memory in bytes of one device */
};

extern struct cpu_state cpu_state;
extern pthread_mutex_t cpu_init_lock;
/* Returns CUDA_SUCCESS, or NOT_INITIALIZED before cuInit. */
CUresult cpu_ready(void);
/* Returns CUDA_SUCCESS if the device exists, INVALID_DEVICE if it does not,
 * NOT_INITIALIZED before cuInit. */
CUresult cpu_device_check(CUdevice device);

#endif
