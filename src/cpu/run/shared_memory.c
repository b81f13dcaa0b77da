/* shared_memory.c - memory for the shared variables of a worker's blocks.
 *
 * The memory is a separate mapping, so that an out-of-bounds index cannot
 * reach the heap of the process:
 *
 *     guard (no access) | margin | shared variables | margin | upper guard
 *
 * As on a GPU, an access a few bytes out of bounds is not detected: it hits a
 * margin, or bytes that an earlier launch with more shared memory has used. An
 * access that is farther away faults. With PYCUDA_CPU_CHECK=memory, all
 * accesses out of bounds are detected.
 *
 * The upper guard is so large because an unsigned index that wraps around, as
 * in `s[threadIdx.x - 1]`, becomes an index of almost 2^32.
 *
 * The mapping belongs to the worker and is used on its thread only.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "cpu/arch/arch.h"
#include "cpu/check/hooks.h"
#include "cpu/exports/system_errors.h"
#include "cpu/module/module_state.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/shared_memory.h"
#include "cpu/stream/worker.h"
#include "image/image.h"

#define ALIGNMENT 128
/* A GPU reserves this many bytes of shared memory below the variables. */
#define MARGIN 1024
#define GUARD  (256u << 10) /* more than the shared memory of any GPU */
/* 4 Gi elements of 16 bytes each: the range that a 32-bit index can reach. */
#define WRAP ((size_t)64 << 30)

static size_t
round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Returns the number of bytes between the two guards, for `bytes` bytes of
 * shared memory. */
static size_t
inner_bytes(size_t bytes)
{
    return round_up(MARGIN + bytes + MARGIN, CPU_ARCH_PAGE);
}

void
cpu_shared_drop(struct cpu_worker *worker)
{
    if (!worker->shared) {
        return;
    }
    if (cpu_check_flags) {
        cpu_check_forget((uintptr_t)worker->shared, worker->shared_bytes);
    }
    munmap(worker->shared - MARGIN - GUARD,
           GUARD + inner_bytes(worker->shared_bytes) + worker->shared_guard);
    worker->shared = NULL;
    worker->shared_bytes = 0;
}

/* Returns the bytes of shared memory per block, static and dynamic. Dynamic
 * shared memory begins at a multiple of 16 (retarget/shared.c). */
uint64_t
cpu_block_shared(const struct cpu_launch *launch)
{
    uint64_t own = launch->function->kernel->static_shared;

    return launch->dynamic_shared ? round_up(own, 16) + launch->dynamic_shared
                                  : own;
}

/* Returns the size in bytes of the guard above shared memory or stacks. The
 * guard is small unless `large` is true. It is also small if addresses are
 * scarce: under RLIMIT_AS, and on systems with 39 address bits. */
size_t
cpu_guard_bytes(bool large)
{
    struct rlimit limit;
    bool has_room = large && (uintptr_t)&cpu_guard_bytes >> 40 &&
                    !getrlimit(RLIMIT_AS, &limit) &&
                    limit.rlim_cur == RLIM_INFINITY;

    return has_room ? WRAP + GUARD : GUARD;
}

/* Maps `bytes` zeroed bytes between two inaccessible guards; the upper one has
 * `guard` bytes. Returns NULL with errno on failure. */
static char *
shared_map(size_t bytes, size_t guard)
{
    size_t inner = inner_bytes(bytes), all = GUARD + inner + guard;
    char *at = mmap(NULL, all, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) {
        return NULL;
    }
    if (mprotect(at + GUARD, inner, PROT_READ | PROT_WRITE)) {
        int error = errno;
        munmap(at, all);
        errno = error;
        return NULL;
    }
    return at + GUARD + MARGIN;
}

static CUresult __attribute__((noinline))
shared_grow(struct cpu_worker *worker, size_t bytes)
{
    size_t guard = cpu_guard_bytes(true);
    char *shared = shared_map(bytes, guard);

    if (!shared && guard > GUARD) {
        guard = GUARD;
        shared = shared_map(bytes, guard);
    }
    if (!shared) {
        return cpu_memory_error_set(errno, GUARD + inner_bytes(bytes) + GUARD,
                                    "a block's shared memory");
    }
    cpu_shared_drop(worker);
    worker->shared = shared;
    worker->shared_bytes = bytes;
    worker->shared_guard = guard;
    return CUDA_SUCCESS;
}

CUresult
cpu_shared_reserve(struct cpu_worker *worker, const struct cpu_launch *launch)
{
    size_t bytes = round_up(cpu_block_shared(launch) + 1, ALIGNMENT);

    return bytes <= worker->shared_bytes ? CUDA_SUCCESS
                                         : shared_grow(worker, bytes);
}
