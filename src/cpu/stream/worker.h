/* worker.h - the state of threads that run kernels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_WORKER_H
#define PYCUDA_CPU_STREAM_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/device/limits.h"
#include "cpu/run/named_barrier_state.h"
#include "cpu/run/printf_format.h"
#include "cpu/run/runner.h"
#include "image/abi.h"

struct cpu_check;
struct cpu_context;
struct cpu_fiber;
struct cpu_launch;
struct cpu_op;
struct cpu_thread_errors;
struct cpu_version;
struct cpu_warp;

/* State of a thread that runs kernels: a worker thread, or a thread of the
 * program that ran a small launch itself. Only that thread uses it, except for
 * `handoff`. */
struct cpu_worker {
    /* Slot through which the thread receives operations; NULL: it receives
     * none. */
    struct cpu_handoff *handoff;
    /* 1: a fault at this time is a fault of the kernel */
    volatile int in_kernel;
    volatile int faulting;
    void *guard; /* stack pointer to which cpu_fiber_unwind returns */
    struct cpu_launch *launch;
    /* version of the launch's function that the current chunk runs */
    const struct cpu_version *version;
    /* Context of the operation that the thread runs, or has run last. */
    struct cpu_context *ctx;
    struct image_thread *self;
    struct image_thread loop_thread;
    struct image_block block;
    char *shared;
    size_t shared_bytes;
    size_t shared_guard; /* bytes of the guard region above `shared` */
    uintptr_t fault_address;
    /* text that a printf of the kernel is building; incomplete if that printf
     * has faulted */
    struct cpu_text text;
    /* State of the fibers of the running block. */
    char *stacks;
    size_t stacks_bytes;
    size_t stacks_guard; /* bytes of the guard region above `stacks` */
    size_t stride;
    /* number of inaccessible bytes below each fiber's stack; 0: none */
    size_t guard_bytes;
    unsigned current;
    unsigned threads;
    unsigned live;
    unsigned arrived;
    /* Number of threads that passed a true predicate to the block's
     * barrier. */
    int barrier_count;
    /* Results of the last two barriers of the block; the result of barrier
     * number n is at index n % 2. Bits 0 to 15: number of threads that passed
     * a true predicate; bit 16: all threads passed one. */
    int barrier_results[2];
    unsigned barrier_phase; /* number of barriers that the block has passed */
    unsigned yields;
    /* number of threads of the block that wait at named barriers */
    unsigned waiting;
    bool named_used;
    struct cpu_named_barrier named[CPU_NAMED_BARRIERS];
    void *main_sp;
    uint64_t ready[CPU_MAX_THREADS / 64];
    struct cpu_fiber *fibers;
    struct cpu_warp *warps;
    /* Extra stack for kernels without fibers that recurse or have a large
     * stack frame. */
    char *deep;
    size_t deep_bytes;
    size_t deep_guard;       /* bytes of the guard region above `deep` */
    struct cpu_check *check; /* state of the kernel checks, or NULL */
    /* last errors of the threads of the block (run/device_runtime.c), or
     * NULL */
    struct cpu_thread_errors *thread_errors;
    /* The block takes turns with other blocks of the same thread
     * (run/cooperative.c). */
    bool cooperative;
    /* State of the next cooperative block of the same thread. */
    struct cpu_worker *next_block;
    /* The thread's entry in the list of watchdog.h. */
    struct cpu_runner runner;
    void *signal_stack; /* alternate signal stack, if this library made it */
    /* Unused operation for the thread's next submission, or NULL. */
    struct cpu_op *spare_op;
};

/* Allocates a worker state. Returns NULL if there is not enough memory. */
struct cpu_worker *cpu_worker_new(void);
/* The worker state of the calling thread, or NULL if it has none yet. If the
 * thread runs several cooperative blocks, this is the state of the current
 * block. */
extern _Thread_local struct cpu_worker *cpu_worker_tls
    __attribute__((tls_model("initial-exec")));

#endif
