/* printf.c - printf in kernels.
 *
 * Kernels call __pycuda_vprintf. The text is formatted immediately and stored
 * in the context's buffer until a synchronization writes it to stdout.
 * CU_LIMIT_PRINTF_FIFO_SIZE is the size of the buffer. If the buffer is full,
 * the records of earlier launches are written to stdout (CUDA writes them at
 * each launch). If that does not suffice, the oldest records are dropped. A
 * record that is larger than the buffer is lost. Each buffer has a lock, which
 * is never held while the kernel's memory is read.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/run/fiber.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/printf.h"
#include "cpu/run/printf_format.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

struct cpu_fifo {
    pthread_mutex_t lock;
    char *text;
    size_t used, capacity;
    /* offset in `text` of the oldest record that is still stored; a record is
     * a text that a kernel has printed */
    size_t first;
    /* number of the latest launch that has records, and the offset in `text`
     * of its first record; `begin` is less than `first` if that record was
     * dropped or written */
    uint64_t serial;
    size_t begin;
    atomic_bool filled;
};

struct cpu_fifo *
cpu_fifo_new(void)
{
    struct cpu_fifo *fifo = calloc(1, sizeof *fifo);

    if (fifo) {
        pthread_mutex_init(&fifo->lock, NULL);
    }
    return fifo;
}

void
cpu_fifo_delete(struct cpu_fifo *fifo)
{
    pthread_mutex_destroy(&fifo->lock);
    free(fifo->text);
    free(fifo);
}

/* Writes the oldest records (texts that kernels have printed) to stdout, up to
 * the offset `end` in bytes. A record is the length of a text and the text.
 * The caller holds the buffer's lock. */
static void
fifo_write(struct cpu_fifo *fifo, size_t end)
{
    while (fifo->first < end) {
        uint32_t length;

        memcpy(&length, fifo->text + fifo->first, sizeof length);
        fwrite(fifo->text + fifo->first + sizeof length, 1, length, stdout);
        fifo->first += sizeof length + length;
    }
}

/* Makes space in the buffer for one more record. Writes the records of earlier
 * launches to stdout and, if that does not suffice, drops the oldest records
 * of the current launch. Returns false if the record is larger than `limit` or
 * there is not enough memory. The caller holds the buffer's lock. */
static bool
fifo_reserve(struct cpu_fifo *fifo, size_t bytes, size_t limit)
{
    if (bytes > limit) {
        return false;
    }
    if (fifo->used - fifo->first + bytes > limit) {
        fifo_write(fifo, fifo->begin);
    }
    while (fifo->used - fifo->first + bytes > limit &&
           fifo->first < fifo->used) {
        uint32_t length;

        memcpy(&length, fifo->text + fifo->first, sizeof length);
        fifo->first += sizeof length + length;
    }
    if (fifo->first && fifo->first > fifo->capacity / 2) {
        memmove(fifo->text, fifo->text + fifo->first,
                fifo->used - fifo->first);
        fifo->used -= fifo->first;
        fifo->begin -= fifo->begin < fifo->first ? fifo->begin : fifo->first;
        fifo->first = 0;
    }
    if (fifo->used + bytes > fifo->capacity) {
        size_t capacity = 2 * (fifo->used + bytes);
        char *text = realloc(fifo->text, capacity);

        if (!text) {
            return false;
        }
        fifo->text = text;
        fifo->capacity = capacity;
    }
    return true;
}

/* Adds to the buffer a record with the text that a kernel of launch number
 * `serial` has printed. */
static void
fifo_add(struct cpu_context *ctx, uint64_t serial, const char *text,
         size_t length)
{
    struct cpu_fifo *fifo = ctx->fifo;
    uint32_t stored = (uint32_t)length;

    pthread_mutex_lock(&fifo->lock);
    if (fifo->serial != serial) {
        fifo->serial = serial;
        fifo->begin = fifo->used;
    }
    if (fifo_reserve(fifo, sizeof stored + length,
                     ctx->limits[CU_LIMIT_PRINTF_FIFO_SIZE])) {
        memcpy(fifo->text + fifo->used, &stored, sizeof stored);
        memcpy(fifo->text + fifo->used + sizeof stored, text, length);
        fifo->used += sizeof stored + length;
    }
    pthread_mutex_unlock(&fifo->lock);
    atomic_store(&fifo->filled, true);
}

void
cpu_fifo_flush(struct cpu_context *ctx)
{
    struct cpu_fifo *fifo = ctx->fifo;

    if (!atomic_load_explicit(&fifo->filled, memory_order_acquire)) {
        return;
    }
    pthread_mutex_lock(&fifo->lock);
    atomic_store(&fifo->filled, false);
    fifo_write(fifo, fifo->used);
    fifo->first = fifo->used = fifo->begin = 0;
    fflush(stdout);
    pthread_mutex_unlock(&fifo->lock);
}

/* ---- functions of image/abi.h that kernels call ---- */

struct print {
    struct cpu_worker *worker;
    const char *format;
    const void *args;
    int32_t taken;
};

static void
print_run(void *argument)
{
    struct print *print = argument;
    struct cpu_context *ctx = print->worker->ctx;
    struct cpu_text *text = &print->worker->text;

    cpu_limit_use(ctx, CU_LIMIT_PRINTF_FIFO_SIZE);
    cpu_text_clear(text, ctx->limits[CU_LIMIT_PRINTF_FIFO_SIZE]);
    print->taken = cpu_text_format(text, print->format, print->args);
    if (!text->lost && text->used) {
        fifo_add(ctx, print->worker->launch->serial, text->bytes, text->used);
    }
}

int32_t
__pycuda_vprintf(const char *format, const void *args)
{
    struct print print = {cpu_worker_tls, format, args, -1};

    if (format) {
        cpu_fibers_call_large_stack(print.worker, print_run, &print);
    }
    return print.taken;
}

struct failure {
    struct cpu_worker *worker;
    const char *expression, *file, *function;
    uint32_t line;
};

/* Prints the message of an assertion that failed in a kernel. The kernel's
 * strings are read before stderr is locked, because reading them may fault. */
static void
failure_print(void *argument)
{
    const struct failure *failure = argument;
    const struct image_thread *self = failure->worker->self;
    const uint32_t *block = self->block->ctaid, *thread = self->tid;
    struct cpu_text *text = &failure->worker->text;

    cpu_text_clear(text, SIZE_MAX);
    cpu_text_print(text,
                   "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] "
                   "Assertion `%s` failed.\n",
                   failure->file, failure->line, failure->function, block[0],
                   block[1], block[2], thread[0], thread[1], thread[2],
                   failure->expression);
    if (!text->lost) {
        fwrite(text->bytes, 1, text->used, stderr);
    }
}

void
__pycuda_assert_fail(const char *expression, const char *file, uint32_t line,
                     const char *function)
{
    struct failure failure = {cpu_worker_tls, expression, file, function,
                              line};

    cpu_fibers_call_large_stack(failure.worker, failure_print, &failure);
    cpu_fibers_fail(CUDA_ERROR_ASSERT);
}
