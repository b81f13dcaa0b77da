/* runtime.c - the smaller functions that kernels call: image/abi.h.
 *
 * Called by kernel code on the thread of a worker.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cpu/cpu.h"

struct image_thread *
__pycuda_self(void)
{
    return cpu_worker_tls->self;
}

void
__pycuda_assert_fail(const char *expression, const char *file, uint32_t line,
                     const char *function)
{
    const struct image_thread *self = cpu_worker_tls->self;
    const uint32_t *block = self->block->ctaid, *thread = self->tid;

    fprintf(stderr,
            "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion "
            "`%s` failed.\n",
            file, line, function, block[0], block[1], block[2], thread[0],
            thread[1], thread[2], expression);
    cpu_fibers_fail(CUDA_ERROR_ASSERT);
}

void
__pycuda_trap(void)
{
    cpu_fibers_fail(CUDA_ERROR_LAUNCH_FAILED);
}

/* A block of the device's heap: its size stands before it, and a mark that
 * only a live block has. */
struct heap_head {
    size_t bytes;
    _Atomic uint64_t mark;
};

_Static_assert(sizeof(struct heap_head) == 16, "malloc's alignment");

static uint64_t
heap_mark(const struct heap_head *head)
{
    return (uint64_t)(uintptr_t)head ^ 0x6865617020626c6bu;
}

void *
__pycuda_malloc(size_t bytes)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_context *ctx = worker->ctx;
    size_t limit = ctx->limits[CU_LIMIT_MALLOC_HEAP_SIZE];

    if (bytes > limit ||
        atomic_fetch_add(&ctx->heap_used, bytes) + bytes > limit) {
        if (bytes <= limit) {
            atomic_fetch_sub(&ctx->heap_used, bytes);
        }
        return NULL;
    }
    worker->in_kernel = 0; /* malloc's own state is not the kernel's */
    size_t gap = cpu_check_flags ? CPU_CHECK_GAP : 0;
    struct heap_head *head = malloc(sizeof *head + bytes + gap);
    worker->in_kernel = 1;
    if (!head) {
        atomic_fetch_sub(&ctx->heap_used, bytes);
        return NULL;
    }
    head->bytes = bytes;
    atomic_store(&head->mark, heap_mark(head));
    if (cpu_check_flags) {
        cpu_check_allocated((uintptr_t)(head + 1), bytes, "malloc", true);
        cpu_check_renewed(head + 1, bytes);
    }
    return head + 1;
}

void
__pycuda_free(void *pointer)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct heap_head *head = (struct heap_head *)pointer - 1;

    if (!pointer) {
        return;
    }
    uint64_t mark = heap_mark(head);
    if ((uintptr_t)pointer % sizeof *head ||
        !atomic_compare_exchange_strong(&head->mark, &mark, 0)) {
        cpu_fibers_fail(CUDA_ERROR_LAUNCH_FAILED); /* no block, or freed */
    }
    atomic_fetch_sub(&worker->ctx->heap_used, head->bytes);
    if (cpu_check_flags) {
        cpu_check_freed((uintptr_t)pointer);
    }
    worker->in_kernel = 0;
    if (!cpu_check_quarantine(head, head->bytes)) {
        free(head);
    }
    worker->in_kernel = 1;
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
__pycuda_smid(void)
{
    return (uint32_t)cpu_worker_tls->index;
}
