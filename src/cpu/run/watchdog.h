/* watchdog.h - ends launches that exceed the time limit, and waits that the
 * program interrupts.
 *
 * To abandon a launch, a signal is sent to each thread that runs it. The
 * signal handler leaves the kernel as the handler for faults does. So kernels
 * need not test whether they must end.
 *
 * Any thread may call these functions; they take only the lock of watchdog.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_WATCHDOG_H
#define PYCUDA_CPU_RUN_WATCHDOG_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/run/runner.h"

/* Adds the calling thread to the list of threads that run blocks. It must call
 * cpu_runner_leave before it ends. `caller` is true for a thread of the
 * program, false for a worker. */
void cpu_runner_join(struct cpu_runner *runner, bool caller);
void cpu_runner_leave(struct cpu_runner *runner);

/* Called by the runner's thread before and after it runs blocks of a launch.
 * `serial` is the launch's number, `context` the id of its context, `now` the
 * time in ns. */
void cpu_runner_begin(struct cpu_runner *runner, uint64_t serial,
                      uint64_t context, uint64_t now);
void cpu_runner_end(struct cpu_runner *runner);

/* Returns true if the calling thread's launch has been abandoned, and stores
 * its CUresult in `reason`. Runtime functions in which a kernel waits call it
 * repeatedly. */
bool cpu_runner_abandoned(int *reason);

/* Reads the time limit of launches from PYCUDA_CPU_TIMEOUT. Called by cuInit.
 * Returns INVALID_VALUE with a text if the variable is not a positive
 * number. */
CUresult cpu_watchdog_configure(void);
/* Starts the watchdog thread. The thread ends launches that run longer than
 * the time limit, and detects a Ctrl-C while a thread of the program runs
 * blocks itself. Called before each launch until a call has succeeded. Returns
 * the error of the system, with a text, if the thread cannot be created. */
CUresult cpu_watchdog_start(void);
/* Returns true if work that began at the time `started`, in ns, has exceeded
 * the time limit. */
bool cpu_watchdog_expired(uint64_t started);
/* Removes from `mask` the signal that abandons launches; workers must not
 * block it. */
void cpu_watchdog_unmask(sigset_t *mask);

/* Function of the program that returns nonzero if the calling thread's wait
 * should end. It may run the program's signal handlers. */
typedef int cpu_interrupt_hook(void);

/* TICK: time in ns between two calls of the interrupt hook. GRACE: time in ns
 * after an interrupt in which running work can still end normally. */
#define CPU_INTERRUPT_TICK_NS  50000000ull
#define CPU_INTERRUPT_GRACE_NS 250000000ull

struct cpu_context;

/* State of a wait that a program can interrupt, for example by Ctrl-C. */
struct cpu_interrupt {
    /* context for whose work the program waits, or NULL */
    struct cpu_context *context;
    uint64_t since; /* time of the interrupt in ns; 0: none so far */
    /* time of the next cpu_interrupt_poll in ns; 0: not set */
    uint64_t poll_at;
};

/* Returns true if the program has set an interrupt hook. */
bool cpu_interrupt_possible(void);

/* Returns the time in milliseconds until the next call of cpu_interrupt_poll
 * is due. Returns -1 if the wait need not call that function. */
int cpu_interrupt_milliseconds(const struct cpu_interrupt *interrupt);
/* Asks the program whether the calling thread's wait is interrupted. If so,
 * the context's running launches have 250 ms to end and are then abandoned.
 * The context gets a sticky error, so that pending copies are skipped.
 * After one second, launches of other contexts that began before the interrupt
 * are abandoned as well, because they may occupy all workers. The wait
 * continues until the launches have ended. The caller holds no lock. */
void cpu_interrupt_poll(struct cpu_interrupt *interrupt);
/* Asks the program whether a wait is interrupted, and returns its answer. Used
 * by waits that can end immediately, without abandoning launches. The caller
 * holds no lock. */
bool cpu_interrupt_wanted(void);

#endif
