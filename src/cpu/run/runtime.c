/* runtime.c - small functions of image/abi.h that kernels call.
 *
 * Called by kernel code on a worker's thread. The functions have no state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <time.h>

#include "cpu/device/clock.h"
#include "cpu/device/state.h"
#include "cpu/run/fiber.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

struct image_thread *
__pycuda_self(void)
{
    return cpu_worker_tls->self;
}

void
__pycuda_trap(void)
{
    cpu_fibers_fail(CUDA_ERROR_LAUNCH_FAILED);
}

uint64_t
__pycuda_clock64(void)
{
    return cpu_now_ns();
}

uint64_t
__pycuda_globaltimer(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t
__pycuda_multiprocessors(void)
{
    return (uint32_t)cpu_state.threads;
}
