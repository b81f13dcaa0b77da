/* device_heap.c - malloc and free in kernels.
 *
 * Called by kernel code on a worker's thread, and by context.c when the heap's
 * context ends. The memory comes from malloc of the C library. Each context
 * has a list of the blocks that its kernels have allocated, so that it can
 * free the leaked ones. One lock per context guards the list. The memory at a
 * pointer that a kernel passes to free() is checked before the lock is
 * acquired, since the access may fault.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/run/device_heap.h"
#include "cpu/run/fiber.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"

/* Header in front of each block of heap memory. A write past the end of the
 * preceding block overwrites `mark` first, which free() detects. */
struct cpu_heap_block {
    /* The result of block_mark_of while the block is allocated. Any other
     * value means that the header was overwritten, or that the block was
     * freed. */
    _Atomic uint64_t mark;
    size_t bytes;
    struct cpu_heap_block *next, *previous;
    /* pointer that malloc returned, to be passed to free */
    void *whole;
    void *unused;
};

enum { HEAP_ALIGNMENT = 16 };
_Static_assert(sizeof(struct cpu_heap_block) % HEAP_ALIGNMENT == 0,
               "malloc's alignment");

/* Returns the mark of an allocated block, which depends on the context and on
 * the address of the block's header. */
static uint64_t
block_mark_of(const struct cpu_context *ctx, const struct cpu_heap_block *head)
{
    return (uint64_t)(uintptr_t)head ^ ctx->id << 48 ^ 0x6865617020626c6bu;
}

static void
heap_link(struct cpu_context *ctx, struct cpu_heap_block *head)
{
    pthread_mutex_lock(&ctx->heap_lock);
    head->previous = NULL;
    head->next = ctx->heap;
    if (head->next) {
        head->next->previous = head;
    }
    ctx->heap = head;
    pthread_mutex_unlock(&ctx->heap_lock);
}

static void
heap_unlink(struct cpu_context *ctx, struct cpu_heap_block *head)
{
    pthread_mutex_lock(&ctx->heap_lock);
    if (head->next) {
        head->next->previous = head->previous;
    }
    if (head->previous) {
        head->previous->next = head->next;
    } else {
        ctx->heap = head->next;
    }
    pthread_mutex_unlock(&ctx->heap_lock);
}

/* Allocates a header followed by `bytes` bytes of aligned memory. Returns NULL
 * if there is not enough memory. */
static struct cpu_heap_block *
heap_block(size_t bytes, size_t alignment)
{
    struct cpu_heap_block *head = NULL;
    char *whole = malloc(sizeof *head + bytes + alignment - HEAP_ALIGNMENT);

    if (whole) {
        uintptr_t first = (uintptr_t)(whole + sizeof *head);
        uintptr_t aligned = (first + alignment - 1) & ~(alignment - 1);
        head = (struct cpu_heap_block *)aligned - 1;
        head->whole = whole;
    }
    return head;
}

void *
__pycuda_malloc(size_t bytes)
{
    return __pycuda_malloc_aligned(bytes, HEAP_ALIGNMENT);
}

void *
__pycuda_malloc_aligned(size_t bytes, size_t alignment)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_context *ctx = worker->ctx;
    size_t limit = ctx->limits[CU_LIMIT_MALLOC_HEAP_SIZE];

    cpu_limit_use(ctx, CU_LIMIT_MALLOC_HEAP_SIZE);
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 ||
        alignment > limit) {
        return NULL;
    }
    if (alignment < HEAP_ALIGNMENT) {
        alignment = HEAP_ALIGNMENT;
    }
    if (bytes > limit ||
        atomic_fetch_add(&ctx->heap_used, bytes) + bytes > limit) {
        if (bytes <= limit) {
            atomic_fetch_sub(&ctx->heap_used, bytes);
        }
        return NULL;
    }
    /* A fault inside malloc is not a fault of the kernel. */
    worker->in_kernel = 0;
    size_t gap = cpu_check_flags ? CPU_CHECK_GAP : 0;
    struct cpu_heap_block *head = heap_block(bytes + gap, alignment);
    if (head) {
        head->bytes = bytes;
        atomic_store(&head->mark, block_mark_of(ctx, head));
        heap_link(ctx, head);
    }
    worker->in_kernel = 1;
    if (!head) {
        atomic_fetch_sub(&ctx->heap_used, bytes);
        return NULL;
    }
    if (cpu_check_flags) {
        cpu_check_allocated((uintptr_t)(head + 1), bytes, "malloc", true);
        cpu_check_heap_allocated(head + 1, bytes);
    }
    return head + 1;
}

void
__pycuda_free(void *pointer)
{
    struct cpu_worker *worker = cpu_worker_tls;

    if (!pointer) {
        return;
    }
    /* A kernel may pass any value as the pointer; `mark` shows whether the
     * value is the address of a block of this heap. */
    struct cpu_heap_block *head =
        (struct cpu_heap_block *)((uintptr_t)pointer - sizeof *head);
    uint64_t mark = block_mark_of(worker->ctx, head);
    if ((uintptr_t)pointer % 16 ||
        !atomic_compare_exchange_strong(&head->mark, &mark, 0)) {
        cpu_fibers_fail(
            CUDA_ERROR_LAUNCH_FAILED); /* the pointer is no heap block, or was
                                          freed before */
    }
    atomic_fetch_sub(&worker->ctx->heap_used, head->bytes);
    if (cpu_check_flags) {
        cpu_check_freed((uintptr_t)pointer);
    }
    worker->in_kernel = 0;
    if (cpu_check_flags) {
        cpu_check_forget((uintptr_t)pointer, head->bytes);
    }
    heap_unlink(worker->ctx, head);
    if (!cpu_check_quarantine(head->whole, head->bytes)) {
        free(head->whole);
    }
    worker->in_kernel = 1;
}

void
cpu_heap_close(struct cpu_context *ctx)
{
    while (ctx->heap) {
        struct cpu_heap_block *head = ctx->heap;

        ctx->heap = head->next;
        if (cpu_check_flags) {
            cpu_check_freed((uintptr_t)(head + 1));
            cpu_check_forget((uintptr_t)(head + 1), head->bytes);
        }
        atomic_store(&head->mark, 0);
        free(head->whole);
    }
    pthread_mutex_destroy(&ctx->heap_lock);
}
