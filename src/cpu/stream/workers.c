/* workers.c - worker threads, which run kernels, copies and host functions.
 *
 * The first operation that needs workers starts them. They are detached and
 * live until the process ends. cpu_state.threads workers run kernels and
 * calls. One more thread runs calls only, so that copies and host functions
 * proceed while kernels occupy all workers. An idle worker spins for at most
 * 50 us before it sleeps.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/arch/arch.h"
#include "cpu/check/hooks.h"
#include "cpu/device/clock.h"
#include "cpu/device/state.h"
#include "cpu/exports/system_errors.h"
#include "cpu/run/block.h"
#include "cpu/run/chunks.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/watchdog.h"
#include "cpu/stream/host_operation.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/ready_queue.h"
#include "cpu/stream/scheduler.h"
#include "cpu/stream/thread_worker.h"
#include "cpu/stream/worker.h"
#include "cpu/stream/workers.h"

#define SPIN_NS 50000
/* After a launch has run for this time in ns, its worker requests another
 * worker. */
#define REQUEST_NS   20000
#define WORKER_STACK (1u << 20)
/* Maximum expected duration in ns of a launch that a waiting thread joins. */
#define HELP_NS 50000000u

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool started;

/* Requests another worker for a launch that has run for REQUEST_NS. */
static void
worker_request(struct cpu_op *op)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    cpu_ready_queue_request_worker(op);
    cpu_scheduler_unlock();
}

/* Runs the blocks of one chunk, unless the launch has failed. */
static void
chunk_run(struct cpu_worker *worker, struct cpu_launch *launch, uint64_t first,
          uint64_t count)
{
    if (!atomic_load(&launch->error)) {
        CUresult code = cpu_block_run(worker, launch, first, count);

        if (code) {
            atomic_store(&launch->error, (int)code);
        }
    }
}

/* Progress of a thread that it has not yet added to the launch: the number of
 * blocks to subtract from launch->left, and the time since which it has not
 * updated launch->ns. Both are collected here, because writing to a launch
 * that other processors also use is slow. */
struct progress {
    uint64_t blocks, since;
};

/* Subtracts the thread's blocks from the launch's unfinished blocks. Returns
 * true if no blocks are left, which happens in exactly one thread. A thread
 * that has joined the launch without getting a chunk does not delay the
 * launch's end. */
static bool
progress_report(struct progress *progress, struct cpu_launch *launch,
                uint64_t now)
{
    uint64_t blocks = progress->blocks, since = progress->since;

    *progress = (struct progress){.since = now};
    atomic_fetch_add(&launch->ns, now - since);
    return atomic_fetch_sub(&launch->left, blocks) == blocks;
}

/* Runs chunks of the launch until none is left. Returns true only in the
 * thread that completed the launch. */
static bool
chunks_run(struct cpu_worker *worker, struct cpu_op *op)
{
    struct cpu_launch *launch = &op->launch;
    bool requested = launch->total <= launch->least;
    unsigned near = cpu_share_preferred(launch);
    struct progress progress = {.since = cpu_now_ns()};
    uint64_t first, count = cpu_chunk_take(launch, near, &first);

    if (!count) {
        return false;
    }
    cpu_runner_begin(&worker->runner, launch->serial, op->ctx->id,
                     launch->root_started_ns ? launch->root_started_ns
                                             : progress.since);
    atomic_fetch_add(&launch->running, 1);
    do {
        chunk_run(worker, launch, first, count);
        progress.blocks += count;
        uint64_t now = requested ? 0 : cpu_now_ns();
        if (!requested && now - launch->started_ns >= REQUEST_NS) {
            requested = true;
            if (progress_report(&progress, launch, now)) {
                return true;
            }
            /* While this worker waits for the scheduler lock, it does not
             * count as running blocks. So a thread that waits for the launch
             * may run blocks in its place. */
            atomic_fetch_sub(&launch->running, 1);
            worker_request(op);
            atomic_fetch_add(&launch->running, 1);
        }
    } while ((count = cpu_chunk_take(launch, near, &first)));
    atomic_fetch_sub(&launch->running, 1);
    return progress.blocks && progress_report(&progress, launch, cpu_now_ns());
}

/* Runs chunks of a launch that the worker has joined. Finishes the launch if
 * it ran the last block. */
static void
launch_work(struct cpu_worker *worker, struct cpu_op *op)
{
    bool last = chunks_run(worker, op);

    cpu_runner_end(&worker->runner);
    if (last) {
        pthread_mutex_lock(&cpu_scheduler_lock);
        cpu_ready_queue_finish_kernel(op);
        cpu_scheduler_unlock();
    }
    cpu_op_release(op);
}

bool
cpu_worker_help(const struct cpu_op *op)
{
    struct cpu_worker *worker = cpu_worker_self();
    uint64_t limit = cpu_interrupt_possible()
                         ? HELP_NS / (unsigned)cpu_state.threads
                         : UINT64_MAX;

    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_op *found =
        worker ? cpu_ready_queue_take_for_waiter(op, limit) : NULL;
    cpu_scheduler_unlock();
    if (found) {
        launch_work(worker, found);
    }
    return found != NULL;
}

/* Makes a worker begin to spin, so that it can receive operations. Returns
 * false if all other workers spin already: one processor must be free for the
 * thread that launches kernels. */
static bool
spin_begin(struct cpu_handoff *handoff)
{
    unsigned limit = (unsigned)cpu_state.threads;
    unsigned before = atomic_fetch_add(&cpu_ready_queue_counters.spinning, 1);

    if (before && before + 1 >= limit) {
        atomic_fetch_sub(&cpu_ready_queue_counters.spinning, 1);
        return false;
    }
    atomic_store(&handoff->op, CPU_HANDOFF_FREE);
    return true;
}

/* Makes a worker stop spinning. Returns the operation that it has received, or
 * NULL. */
static struct cpu_op *
spin_end(struct cpu_handoff *handoff)
{
    struct cpu_op *op = CPU_HANDOFF_FREE;

    if (atomic_compare_exchange_strong(&handoff->op, &op, NULL)) {
        atomic_fetch_sub(&cpu_ready_queue_counters.spinning, 1);
        return NULL;
    }
    while ((op = atomic_load(&handoff->op)) == CPU_HANDOFF_RESERVED) {
        cpu_arch_relax();
    }
    atomic_store(&handoff->op, NULL);
    return op;
}

/* Spins until the worker receives an operation. Returns NULL after SPIN_NS, or
 * if an operation was queued before the spinning began. Yields the processor
 * regularly, since the launching thread may need it. */
static struct cpu_op *
work_spin(struct cpu_handoff *handoff)
{
    uint64_t until = cpu_now_ns() + SPIN_NS;

    if (!spin_begin(handoff)) {
        return NULL;
    }
    if (atomic_load(&cpu_ready_queue_counters.ready)) {
        return spin_end(handoff);
    }
    do {
        for (int i = 0; i < 50; i++) {
            if (atomic_load_explicit(&handoff->op, memory_order_relaxed) !=
                CPU_HANDOFF_FREE) {
                return spin_end(handoff);
            }
            cpu_arch_relax();
        }
        sched_yield();
    } while (cpu_now_ns() < until);
    return spin_end(handoff);
}

static struct cpu_op *
work_take(void)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_op *op = cpu_ready_queue_take(true);
    cpu_scheduler_unlock();
    return op;
}

/* Sleeps until there is an operation for the thread, and returns it. The
 * thread takes kernels only if `kernels` is true. */
static struct cpu_op *
work_wait(bool kernels, pthread_cond_t *wake)
{
    struct cpu_op *op;

    pthread_mutex_lock(&cpu_scheduler_lock);
    while (!(op = cpu_ready_queue_take(kernels))) {
        cpu_ready_queue_sleeping += kernels;
        pthread_cond_wait(wake, &cpu_scheduler_lock);
        cpu_ready_queue_sleeping -= kernels;
    }
    cpu_scheduler_unlock();
    return op;
}

/* Returns the next operation for a worker: takes a queued one, or spins until
 * it gets one, or sleeps until there is one. */
static struct cpu_op *
work_find(struct cpu_worker *worker)
{
    struct cpu_op *op =
        atomic_load(&cpu_ready_queue_counters.ready) ? work_take() : NULL;

    op = op ? op : work_spin(worker->handoff);
    return op ? op : work_wait(true, &cpu_ready_queue_work_added);
}

/* Selects the scheduling policy SCHED_BATCH. A woken worker then does not
 * preempt the thread that woke it, which is about to run blocks itself. */
static void
batch_policy_set(void)
{
    struct sched_param none = {0};

    if (sched_getscheduler(0) == SCHED_OTHER) {
        sched_setscheduler(0, SCHED_BATCH, &none);
    }
}

/* Main function of a worker thread. */
static void *
worker_main(void *argument)
{
    struct cpu_worker *worker = argument;

    cpu_worker_tls = worker;
    cpu_runner_join(&worker->runner, false);
    cpu_worker_signal_stack_new();
    batch_policy_set();
    for (;;) {
        struct cpu_op *op = work_find(worker);

        if (op->kind == CPU_OP_CALL) {
            cpu_op_call(op);
            continue;
        }
        launch_work(worker, op);
    }
    return NULL;
}

/* Main function of the thread that runs only CALL operations. */
static void *
calls_main(void *argument)
{
    cpu_worker_tls = argument;
    cpu_worker_signal_stack_new();
    for (;;) {
        cpu_op_call(work_wait(false, &cpu_ready_queue_calls_added));
    }
    return NULL;
}

/* Starts a detached thread in which all signals are blocked, except faults and
 * the signal of the watchdog. */
static CUresult
thread_start(void *(*run)(void *), struct cpu_handoff *handoff)
{
    struct cpu_worker *worker = cpu_worker_new();
    pthread_attr_t attributes;
    sigset_t block, old;
    pthread_t thread;

    if (!worker) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    worker->handoff = handoff;
    sigfillset(&block);
    sigdelset(&block, SIGSEGV);
    sigdelset(&block, SIGBUS);
    sigdelset(&block, SIGFPE);
    sigdelset(&block, SIGILL);
    cpu_watchdog_unmask(&block);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WORKER_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &block, &old);
    int failed = pthread_create(&thread, &attributes, run, worker);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (failed) {
        cpu_worker_free(worker);
        return cpu_system_error_set(
            failed, "a thread for kernels, with a stack of %u KiB",
            (unsigned)(WORKER_STACK >> 10));
    }
    return CUDA_SUCCESS;
}

/* Allocates an empty hand-off slot for each worker. Returns false if there is
 * not enough memory. */
static bool
handoffs_make(void)
{
    size_t bytes = (size_t)cpu_state.threads * sizeof *cpu_handoffs;

    if (!cpu_handoffs && (cpu_handoffs = aligned_alloc(64, bytes))) {
        memset(cpu_handoffs, 0, bytes);
    }
    return cpu_handoffs != NULL;
}

/* Starts the watchdog thread and the thread for CALL operations, unless an
 * earlier attempt to start the workers has started them. */
static CUresult
services_start(void)
{
    static bool watchdog_started, calls_started; /* guarded by start_lock */
    CUresult code = watchdog_started ? CUDA_SUCCESS : cpu_watchdog_start();

    watchdog_started = !code;
    if (!code && !calls_started) {
        code = handoffs_make() ? thread_start(calls_main, NULL)
                               : CUDA_ERROR_OUT_OF_MEMORY;
        calls_started = !code;
    }
    return code;
}

CUresult
cpu_workers_start(void)
{
    CUresult code = CUDA_SUCCESS;

    if (atomic_load_explicit(&started, memory_order_acquire)) {
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&start_lock);
    if (!atomic_load(&started)) {
        code = services_start();
        for (int i = 0; !code && i < cpu_state.threads; i++) {
            CUresult failed = thread_start(worker_main, &cpu_handoffs[i]);
            /* a failure after the first worker is no error: one worker is
             * enough to run all operations */
            code = i ? CUDA_SUCCESS : failed;
        }
        atomic_store_explicit(&started, !code, memory_order_release);
    }
    pthread_mutex_unlock(&start_lock);
    return code;
}
