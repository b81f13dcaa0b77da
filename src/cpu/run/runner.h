/* runner.h - the state of a thread that runs blocks, for the watchdog.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_RUNNER_H
#define PYCUDA_CPU_RUN_RUNNER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A thread that runs blocks, and the launch that it runs now. Owned by
 * that thread; the watchdog and interrupted waits access it under the registry
 * lock. */
struct cpu_runner {
    pthread_t thread;
    /* the thread is the program's main thread, which receives Ctrl-C */
    bool interruptible;
    /* Serial number of the current launch; 0: none. */
    _Atomic uint64_t serial;
    _Atomic uint64_t started; /* start time of the current launch in ns */
    _Atomic uint64_t context; /* id of the current launch's context */
    /* serial number of the launch that this thread must leave; 0: none */
    _Atomic uint64_t abandon;
    /* CUresult of the launch that this thread must leave */
    atomic_int reason;
    /* an abandon signal was sent and is not handled yet */
    atomic_bool signalled;
    /* neighbours in the list of all runners */
    struct cpu_runner *next, *previous;
};

#endif
