/* state.c - the global state of the library.
 *
 * cuInit (device.c) writes it.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>

#include "cpu/device/state.h"

struct cpu_state cpu_state;

pthread_mutex_t cpu_init_lock = PTHREAD_MUTEX_INITIALIZER;

CUresult
cpu_ready(void)
{
    return atomic_load_explicit(&cpu_state.initialized, memory_order_acquire)
               ? CUDA_SUCCESS
               : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult
cpu_device_check(CUdevice device)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    return device >= 0 && device < cpu_state.device_count
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_DEVICE;
}
