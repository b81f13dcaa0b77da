/* preempted_workers.c - workers preempted at the worst moments, and launches
 * that must end.
 *
 * The library unlocks its mutexes through pthread_mutex_unlock, which this
 * program defines: it can hold a worker immediately after the n-th unlock, as
 * if the machine had no processor for it. A launch may wait for blocks that
 * run, but never for a worker that has none, so every launch here must end
 * while the workers are held.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "native.h"

#define BLOCKS   64
#define WIDTH    128
#define SPENT    2000 /* same value as in the kernels */
#define TIMES    4    /* number of unlock counts at which a worker is held */
#define PATIENCE 60
#define MOMENT   3000 /* microseconds until workers sleep */
#define STEP     100
#define STEPS    200 /* limit, until workers have arrived */

/* Long enough that the caller alone does not run a whole launch. */
static const char source[] =
    "__device__ unsigned spend(unsigned x)\n"
    "{\n"
    "    for (int i = 0; i < 2000; ++i) x = x * 1664525u + 1013904223u;\n"
    "    return x;\n"
    "}\n"
    "extern \"C\" __global__ void add(unsigned *x)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    x[i] = spend(x[i]);\n"
    "}\n"
    "extern \"C\" __global__ void add_on_fibers(unsigned *x)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (threadIdx.x % 2) __syncwarp(0xaaaaaaaa);\n"
    "    x[i] = spend(x[i]);\n"
    "}\n";

static int (*real_unlock)(pthread_mutex_t *);
/* Unlocks of this thread since the last arming. */
static _Thread_local int unlocks;
static _Thread_local unsigned armed_seen;
static atomic_uint armed;   /* incremented by each arming */
static atomic_int hold_at;  /* 0: no worker is held */
static atomic_int may_hold; /* number of threads that may still be held */
static atomic_int held;
/* Set in the program's thread, which is never held. */
static _Thread_local int never;
static sem_t go;

static void
hold_perhaps(void)
{
    unsigned now = atomic_load(&armed);
    int at = atomic_load(&hold_at);

    if (never || !at) {
        return;
    }
    if (armed_seen != now) {
        armed_seen = now;
        unlocks = 0;
    }
    if (++unlocks == at && atomic_fetch_sub(&may_hold, 1) > 0) {
        atomic_fetch_add(&held, 1);
        while (sem_wait(&go)) {
        }
    }
}

int
pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int result = real_unlock(mutex);

    hold_perhaps();
    return result;
}

__attribute__((constructor)) static void
unlock_find(void)
{
    *(void **)&real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

static void
release(void)
{
    for (int i = atomic_exchange(&held, 0); i > 0; i--) {
        sem_post(&go);
    }
}

/* Launches, lets workers arrive and be held, or ends the launch without the
 * caller, and waits for the end. */
static void
run_held(CUfunction function, CUdeviceptr x, int at, int most)
{
    void *parameters[] = {&x};

    usleep(MOMENT);
    atomic_store(&may_hold, most);
    atomic_fetch_add(&armed, 1);
    atomic_store(&hold_at, at);
    OK(native_launch(function, BLOCKS, WIDTH, NULL, parameters));
    for (int i = 0; i < STEPS && atomic_load(&held) < most &&
                    cu.cuStreamQuery(NULL) == CUDA_ERROR_NOT_READY;
         i++) {
        usleep(STEP);
    }
    /* A worker held later might be the one that ran the last block. */
    atomic_store(&hold_at, 0);
    usleep(STEP);
    OK(cu.cuCtxSynchronize());
    release();
}

static int
held_launches(CUmodule module, const char *name, CUdeviceptr x, int most)
{
    int launches = 0;

    for (int at = 1; at <= TIMES; at++) {
        for (int repeated = 0; repeated < 5; repeated++, launches++) {
            run_held(native_function(module, name), x, at, most);
        }
    }
    return launches;
}

int
main(int argc, char **argv)
{
    static unsigned host[BLOCKS * WIDTH];
    unsigned expected = 0;
    int launches, workers = 0, wrong = 0;
    CUmodule module;
    CUdeviceptr x;

    never = 1;
    sem_init(&go, 0, 0);
    native_start(argc, argv);
    native_context();
    OK(cu.cuDeviceGetAttribute(&workers,
                               CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    OK(cu.cuModuleLoadData(&module, native_compile(source, 0, NULL)));
    OK(cu.cuMemAlloc(&x, sizeof host));
    OK(cu.cuMemcpyHtoD(x, host, sizeof host));
    alarm(PATIENCE);
    launches = held_launches(module, "add", x, workers);
    /* Only workers run fibers, so one of them must not be held. */
    launches += held_launches(module, "add_on_fibers", x, workers - 1);
    OK(cu.cuMemcpyDtoH(host, x, sizeof host));
    for (int i = 0; i < launches * SPENT; i++) {
        expected = expected * 1664525u + 1013904223u;
    }
    for (int i = 0; i < BLOCKS * WIDTH; i++) {
        wrong += host[i] != expected;
    }
    CHECK(wrong == 0);
    return native_end("preempted_workers");
}
