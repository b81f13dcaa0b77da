/* slow_calls.c - the CPU device's driver with slow calls that detect early
 * exits.
 *
 * The calls abort the process if the library is unloaded, or if the context is
 * destroyed, before they return. Threads that called the driver check the same
 * while they end.
 *
 * test_unfinished_calls.py builds it and sets PYCUDA_CPU_LIBRARY to it.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "api/cuda_types.h"
#include "real.h"

enum { STEPS = 300, GONE_FOR = 600 }; /* milliseconds */

/* Number of calls begun; the test ends the program then. */
atomic_int slow_calls;

static atomic_int working; /* calls that have not returned */
static atomic_bool gone;

static void
sleep_for(int milliseconds)
{
    const struct timespec step = {.tv_nsec = 1000000};
    for (int i = 0; i < milliseconds; i++) {
        nanosleep(&step, NULL);
    }
}

/* Imitates the driver's destructor, which frees data that calls use. */
static __attribute__((destructor)) void
library_ends(void)
{
    gone = true;
    sleep_for(GONE_FOR);
}

/* Imitates the driver's thread destructors, which take a while. */
static void
thread_ends(void *unused)
{
    (void)unused;
    for (int i = 0; i < STEPS; i++) {
        sleep_for(1);
        if (gone) {
            abort();
        }
    }
}

static pthread_key_t key;

static void
key_make(void)
{
    if (pthread_key_create(&key, thread_ends) != 0) {
        abort();
    }
}

static void
thread_begins(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, key_make);
    pthread_setspecific(key, &key);
}

static void
call_slowly(void)
{
    thread_begins();
    working++;
    slow_calls++;
    for (int i = 0; i < STEPS; i++) {
        sleep_for(1);
        if (gone) {
            abort();
        }
    }
    working--;
}

/* A thread without Python state: it calls `work`, and ends when joined. */
struct slow_thread {
    pthread_t thread;
    void (*work)(void);
    atomic_bool worked, joined;
};

static void *
slow_thread_run(void *argument)
{
    struct slow_thread *self = argument;
    self->work();
    self->worked = true;
    while (!self->joined) {
        sleep_for(1);
    }
    return NULL;
}

void *
slow_thread_begin(void (*work)(void))
{
    struct slow_thread *self = calloc(1, sizeof *self);
    if (self == NULL) {
        abort();
    }
    self->work = work;
    if (pthread_create(&self->thread, NULL, slow_thread_run, self) != 0) {
        abort();
    }
    while (!self->worked) {
        sleep_for(1);
    }
    return self;
}

void
slow_thread_join(void *thread)
{
    struct slow_thread *self = thread;
    self->joined = true;
    if (pthread_join(self->thread, NULL) != 0) {
        abort();
    }
    free(self);
}

CUresult
cuStreamSynchronize(CUstream stream)
{
    CUresult (*call)(CUstream) = real(__func__);
    call_slowly();
    return call(stream);
}

CUresult
cuCtxSynchronize(void)
{
    CUresult (*call)(void) = real(__func__);
    call_slowly();
    return call();
}

CUresult
cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t bytes)
{
    CUresult (*call)(CUdeviceptr, const void *, size_t) = real(__func__);
    call_slowly();
    return call(target, source, bytes);
}

/* Returns immediately, but gives the thread a slow destructor. */
CUresult
cuEventQuery(CUevent event)
{
    CUresult (*call)(CUevent) = real(__func__);
    thread_begins();
    return call(event);
}

/* Waits forever. */
CUresult
cuEventSynchronize(CUevent event)
{
    (void)event;
    slow_calls++;
    for (;;) {
        sleep_for(1000);
    }
}

CUresult
cuCtxDestroy_v2(CUcontext context)
{
    CUresult (*call)(CUcontext) = real(__func__);
    if (working > 0) {
        abort();
    }
    return call(context);
}
