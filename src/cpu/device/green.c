/* green.c - green contexts, and the context handles to which cuCtxFromGreenCtx
 * converts them.
 *
 * Such a handle denotes the primary context, so that every function accepts
 * it. A list maps such a handle to its green context. green_api.c has the
 * functions of the driver API.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/context_stack.h"
#include "cpu/device/green.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/stream/operation.h"

static pthread_mutex_t green_lock = PTHREAD_MUTEX_INITIALIZER;
/* List of all green contexts of the process; guarded by green_lock. */
static struct cpu_green *greens;
static atomic_uint green_count;

struct cpu_green *
cpu_green_of_context(CUcontext handle)
{
    if (!handle || !atomic_load(&green_count)) {
        return NULL;
    }
    pthread_mutex_lock(&green_lock);
    struct cpu_green *green = greens;
    while (green && green->context != handle) {
        green = green->next;
    }
    pthread_mutex_unlock(&green_lock);
    return green;
}

struct cpu_green *
cpu_green_current(void)
{
    return atomic_load(&green_count) && !cpu_ready()
               ? cpu_green_of_context(context_stack.current)
               : NULL;
}

static void
green_unlink(struct cpu_green *green)
{
    struct cpu_green **link = &greens;

    while (*link != green) {
        link = &(*link)->next;
    }
    *link = green->next;
    atomic_fetch_sub(&green_count, 1);
}

static void
green_free(struct cpu_green *green)
{
    if (green->handle) {
        cpu_handle_delete(green->handle);
    }
    if (green->context) {
        cpu_handle_delete(green->context);
    }
    cpu_op_release(green->gate);
    free(green);
}

void
cpu_greens_close(struct cpu_context *ctx)
{
    struct cpu_green *green, *next, *ended = NULL;

    pthread_mutex_lock(&green_lock);
    for (green = greens; green; green = next) {
        next = green->next;
        if (green->ctx == ctx) {
            green_unlink(green);
            green->next = ended;
            ended = green;
        }
    }
    pthread_mutex_unlock(&green_lock);
    for (; ended; ended = next) {
        next = ended->next;
        green_free(ended);
    }
}

/* Allocates a green context of the primary context. Returns NULL if there is
 * not enough memory. */
struct cpu_green *
cpu_green_new(struct cpu_context *ctx, unsigned sm_count)
{
    struct cpu_green *green = calloc(1, sizeof *green);

    if (!green) {
        return NULL;
    }
    green->ctx = ctx;
    green->sm_count = sm_count;
    green->id = cpu_context_next_id();
    green->handle = cpu_handle_new(CPU_GREEN, green, 0);
    green->context = cpu_handle_new(CPU_CONTEXT, ctx, 0);
    if (!green->handle || !green->context) {
        green_free(green);
        return NULL;
    }
    pthread_mutex_lock(&green_lock);
    green->next = greens;
    greens = green;
    atomic_fetch_add(&green_count, 1);
    pthread_mutex_unlock(&green_lock);
    return green;
}

void
cpu_green_destroy(struct cpu_green *green)
{
    pthread_mutex_lock(&green_lock);
    green_unlink(green);
    pthread_mutex_unlock(&green_lock);
    green_free(green);
}
