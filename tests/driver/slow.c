/* slow.c - the CPU device's driver, in which some calls take long and say so
 * where the library, or the context that they work on, goes meanwhile.  So
 * do the threads that called, where they end as the library does.
 *
 * Built and named in PYCUDA_CPU_LIBRARY by test_unfinished_calls.py.
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

/* Calls that have begun, for the test: it ends the program then. */
atomic_int slow_calls;

static atomic_int working; /* those that end */
static atomic_bool gone;

static void
sleep_for(int milliseconds)
{
    const struct timespec step = {.tv_nsec = 1000000};
    for (int i = 0; i < milliseconds; i++) {
        nanosleep(&step, NULL);
    }
}

/* As the driver's own: what calls need is taken down. */
static __attribute__((destructor)) void
library_ends(void)
{
    gone = true;
    sleep_for(GONE_FOR);
}

/* As those of the driver's threads: what they free takes a while. */
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

/* A thread that is not Python's: it calls `work`, and ends when joined. */
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

/* At once, and yet the thread has what ends slowly. */
CUresult
cuEventQuery(CUevent event)
{
    CUresult (*call)(CUevent) = real(__func__);
    thread_begins();
    return call(event);
}

/* A wait for what never comes. */
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
