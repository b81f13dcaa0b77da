/* abandon.h - ends launches that exceed the time limit, and waits that the
 * program interrupts.
 *
 * A launch is abandoned by a signal to each thread that runs it. The handler
 * leaves the kernel the same way as for a fault, so running kernels have no
 * overhead.
 *
 * Any thread may call these functions; they take only the lock of abandon.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_ABANDON_H
#define PYCUDA_CPU_RUN_ABANDON_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"

/* A thread that runs blocks, and its current launch. Owned by that thread; the
 * watchdog and interrupted waits read it under the registry lock. */
struct cpu_runner {
    pthread_t thread;
    bool interruptible;       /* main thread: receives Ctrl-C */
    _Atomic uint64_t serial;  /* serial number of the launch; 0: none */
    _Atomic uint64_t started; /* start of the launch in ns */
    _Atomic uint64_t context; /* id of the launch's context */
    _Atomic uint64_t abandon; /* serial number of the launch to end */
    atomic_int reason;        /* CUresult of the abandoned launch */
    atomic_bool signalled;    /* a signal is pending */
    struct cpu_runner *next, *previous; /* links of the registry */
};

/* Registers the calling thread, which must call cpu_runner_leave before it
 * ends. `caller` is true for a thread of the program, false for a worker. */
void cpu_runner_join(struct cpu_runner *runner, bool caller);
void cpu_runner_leave(struct cpu_runner *runner);

/* Mark the begin and the end of the blocks that the runner's thread runs for a
 * launch; `now` is in ns. */
void cpu_runner_begin(struct cpu_runner *runner, uint64_t serial,
                      uint64_t context, uint64_t now);
void cpu_runner_end(struct cpu_runner *runner);

/* Returns true if the calling thread's launch is abandoned, and stores its
 * CUresult in `reason`. Runtime functions that wait poll it. */
bool cpu_runner_abandoned(int *reason);

/* Starts the watchdog, which ends launches after PYCUDA_CPU_TIMEOUT seconds
 * and detects a Ctrl-C while a caller runs blocks. Called before each launch
 * until it succeeds. Returns INVALID_VALUE if the variable is not a positive
 * number. */
CUresult cpu_watch_start(void);
/* Removes the signal that workers must not block from `mask`. */
void cpu_watch_unmask(sigset_t *mask);

/* Returns nonzero if the calling thread's wait should end. The hook may run
 * the program's signal handlers. */
typedef int cpu_interrupt_hook(void);

/* State of a wait that can be interrupted. */
struct cpu_interrupt {
    uint64_t context; /* id of the awaited context */
    uint64_t since;   /* time of the interrupt in ns; 0: none so far */
};

/* Returns true if the program has set an interrupt hook. */
bool cpu_interrupt_possible(void);

/* Milliseconds until the wait must call cpu_interrupt_poll; -1: never. */
int cpu_interrupt_milliseconds(const struct cpu_interrupt *interrupt);
/* Asks the program whether the calling thread's wait is interrupted. If so,
 * the context's running launches have 250 ms to end and are then abandoned.
 * After one second, launches of other contexts that began before the interrupt
 * are abandoned as well, because they may occupy all workers. The wait
 * continues until the launches have ended. The caller holds no lock. */
void cpu_interrupt_poll(struct cpu_interrupt *interrupt);
/* Asks the program whether a wait is interrupted that can end immediately,
 * without abandoning launches. The caller holds no lock. */
bool cpu_interrupt_wanted(void);

#endif
