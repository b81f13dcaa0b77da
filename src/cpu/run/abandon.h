/* abandon.h - ends launches that take too long, and waits that are
 * interrupted.
 *
 * A launch is abandoned by a signal to each thread that runs it.  The handler
 * leaves the kernel where a fault would, so running kernels pay nothing.
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

/* A thread that runs blocks, and the launch that it runs now. */
struct cpu_runner {
    pthread_t thread;
    bool interruptible;       /* the main thread, which Ctrl-C interrupts */
    _Atomic uint64_t serial;  /* of the launch; 0: none */
    _Atomic uint64_t started; /* ns */
    _Atomic uint64_t context; /* its id */
    _Atomic uint64_t abandon; /* the launch that shall end */
    atomic_int reason;        /* the CUresult of the launch then */
    atomic_bool signalled;    /* the signal is on its way */
    struct cpu_runner *next, *previous; /* in the registry */
};

/* Registers the calling thread, which must call cpu_runner_leave before it
 * ends.  `caller`: it belongs to the program and is no worker. */
void cpu_runner_join(struct cpu_runner *runner, bool caller);
void cpu_runner_leave(struct cpu_runner *runner);

/* Around the blocks of a launch that the runner's thread runs; `now` in ns. */
void cpu_runner_begin(struct cpu_runner *runner, uint64_t serial,
                      uint64_t context, uint64_t now);
void cpu_runner_end(struct cpu_runner *runner);

/* Is the launch that the calling thread runs abandoned?  For functions of the
 * runtime that wait; `reason` gets the code. */
bool cpu_runner_abandoned(int *reason);

/* Starts the thread that ends launches after PYCUDA_CPU_TIMEOUT seconds and
 * sees a Ctrl-C while a caller runs blocks itself.  Called before any launch,
 * until it succeeds.  CUDA_ERROR_INVALID_VALUE: the variable is no number. */
CUresult cpu_watch_start(void);
/* Takes what the workers must not block out of `mask`. */
void cpu_watch_unmask(sigset_t *mask);

/* Returns nonzero if the calling thread's wait is to be given up.  May run the
 * program's code for signals. */
typedef int cpu_interrupt_hook(void);

/* A wait that can be interrupted. */
struct cpu_interrupt {
    uint64_t context; /* id of the context that is waited for */
    uint64_t since;   /* ns, when the wait was interrupted; 0: not yet */
};

/* Does the program interrupt waits?  Programs without a hook do not. */
bool cpu_interrupt_possible(void);

/* Milliseconds until the wait shall call cpu_interrupt_poll; -1: never. */
int cpu_interrupt_milliseconds(const struct cpu_interrupt *interrupt);
/* Asks whether the program interrupts the calling thread's wait.  If so, the
 * context's running launches get 250 ms to end and are then abandoned. After a
 * second, launches of other contexts that ran before the interrupt are
 * abandoned as well, because they may occupy all workers. The wait continues
 * until they have ended. The caller holds no lock. */
void cpu_interrupt_poll(struct cpu_interrupt *interrupt);
/* The same for a wait that can be given up at once. */
bool cpu_interrupt_wanted(void);

#endif
