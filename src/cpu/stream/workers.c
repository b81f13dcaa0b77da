/* workers.c - the threads that run kernels, copies and host functions.
 *
 * Started by the first operation that needs them; detached, they live until
 * the process ends.  `threads` workers take kernels and calls; one more takes
 * calls only, so that a copy or a host function goes on while kernels fill
 * the machine.  A worker spins for at most 50 us after its last work.
 *
 * SPDX-License-Identifier: MIT */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/exports/refusal.h"
#include "cpu/stream/queue.h"

#define SPIN_NS      50000
#define ASK_NS       20000 /* a launch's age when one more worker is woken */
#define WORKER_STACK (1u << 20)
#define SIGNAL_STACK (64u << 10)
#define HELP_NS      50000000u /* longest launch that a waiting thread joins */

_Thread_local struct cpu_worker *cpu_worker_tls
    __attribute__((tls_model("initial-exec")));

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool started;
static pthread_key_t caller_key;
static pthread_once_t caller_once = PTHREAD_ONCE_INIT;

static void *
signal_stack_new(void)
{
    stack_t stack = {.ss_sp = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                     .ss_size = SIGNAL_STACK};

    if (stack.ss_sp == MAP_FAILED) {
        return NULL;
    }
    sigaltstack(&stack, NULL);
    return stack.ss_sp;
}

/* A kernel may overflow the stack that it runs on, so that the handler needs
 * another one.  A program's own is used if there is one. */
static void
signal_stack_ensure(struct cpu_worker *worker)
{
    stack_t now;

    if (!sigaltstack(NULL, &now) && now.ss_flags & SS_DISABLE) {
        worker->signal_stack = signal_stack_new();
    }
}

static void
signal_stack_drop(struct cpu_worker *worker)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};

    if (!worker->signal_stack) {
        return;
    }
    if (!sigaltstack(NULL, &now) && now.ss_sp == worker->signal_stack) {
        sigaltstack(&none, NULL);
    }
    munmap(worker->signal_stack, SIGNAL_STACK);
}

static void
worker_free(void *argument)
{
    struct cpu_worker *worker = argument, *next;

    cpu_runner_leave(&worker->runner);
    signal_stack_drop(worker);
    free(worker->spare_op);
    for (; worker; worker = next) {
        next = worker->beside;
        cpu_block_close(worker);
        free(worker->text.bytes);
        free(worker->fibers);
        free(worker->warps);
        cpu_check_state_free(worker);
        free(worker);
    }
    cpu_worker_tls = NULL;
}

static void
caller_key_make(void)
{
    pthread_key_create(&caller_key, worker_free);
}

struct cpu_worker *
cpu_worker_new(void)
{
    struct cpu_worker *worker =
        aligned_alloc(64, (sizeof *worker + 63) & ~63ul);

    if (worker) {
        *worker = (struct cpu_worker){0};
        worker->loop_thread.block = &worker->block;
    }
    return worker;
}

/* The same of a thread's first call. */
static __attribute__((noinline, cold)) struct cpu_worker *
caller_join(void)
{
    pthread_once(&caller_once, caller_key_make);
    cpu_worker_tls = cpu_worker_new();
    pthread_setspecific(caller_key, cpu_worker_tls);
    if (cpu_worker_tls) {
        cpu_runner_join(&cpu_worker_tls->runner, true);
        signal_stack_ensure(cpu_worker_tls);
    }
    return cpu_worker_tls;
}

struct cpu_worker *
cpu_worker_self(void)
{
    return cpu_worker_tls ? cpu_worker_tls : caller_join();
}

/* The launch goes on for long enough that one more is worth waking. */
static void
more_ask(struct cpu_op *op)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    cpu_queue_more(op);
    cpu_scheduler_unlock();
}

/* One piece, as far as the launch has not failed. */
static void
piece_run(struct cpu_worker *worker, struct cpu_launch *launch, uint64_t first,
          uint64_t count)
{
    if (!atomic_load(&launch->error)) {
        CUresult code = cpu_block_run(worker, launch, first, count);

        if (code) {
            atomic_store(&launch->error, (int)code);
        }
    }
}

/* What a thread has done for a launch and not told yet: other processors look
 * at the launch as well, so that it is written to as seldom as may be. */
struct work_done {
    uint64_t blocks, then;
};

/* Tells it.  True for who ends the launch with the last of its blocks: a
 * thread that has joined and has no piece is not waited for. */
static bool
done_tell(struct work_done *done, struct cpu_launch *launch, uint64_t now)
{
    uint64_t blocks = done->blocks, then = done->then;

    *done = (struct work_done){.then = now};
    atomic_fetch_add(&launch->ns, now - then);
    return atomic_fetch_sub(&launch->left, blocks) == blocks;
}

/* Runs pieces of the launch until none is left; true for who ends it. */
static bool
pieces_run(struct cpu_worker *worker, struct cpu_op *op)
{
    struct cpu_launch *launch = &op->launch;
    bool asked = launch->total <= launch->least;
    unsigned near = cpu_share_near(launch);
    struct work_done done = {.then = cpu_now_ns()};
    uint64_t first, count = cpu_piece_take(launch, near, &first);

    if (!count) {
        return false;
    }
    cpu_runner_begin(&worker->runner, launch->serial, op->ctx->id, done.then);
    atomic_fetch_add(&launch->running, 1);
    do {
        piece_run(worker, launch, first, count);
        done.blocks += count;
        uint64_t now = asked ? 0 : cpu_now_ns();
        if (!asked && now - launch->started_ns >= ASK_NS) {
            asked = true;
            if (done_tell(&done, launch, now)) {
                return true;
            }
            more_ask(op);
        }
    } while ((count = cpu_piece_take(launch, near, &first)));
    atomic_fetch_sub(&launch->running, 1);
    return done.blocks && done_tell(&done, launch, cpu_now_ns());
}

static void
launch_work(struct cpu_worker *worker, struct cpu_op *op)
{
    bool last = pieces_run(worker, op);

    cpu_runner_end(&worker->runner);
    if (last) {
        pthread_mutex_lock(&cpu_scheduler_lock);
        cpu_queue_end(op);
        cpu_scheduler_unlock();
    }
    cpu_op_release(op);
}

bool
cpu_worker_help(const struct cpu_op *op)
{
    struct cpu_worker *worker = cpu_worker_self();
    uint64_t most = cpu_interrupt_possible()
                        ? HELP_NS / (unsigned)cpu_state.threads
                        : UINT64_MAX;

    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_op *found = worker ? cpu_queue_help(op, most) : NULL;
    cpu_scheduler_unlock();
    if (found) {
        launch_work(worker, found);
    }
    return found != NULL;
}

/* Counts one worker more that spins.  Not the last of all: who launches needs
 * a processor. */
static bool
spin_begin(struct cpu_seat *seat)
{
    unsigned most = (unsigned)cpu_state.threads;
    unsigned before = atomic_fetch_add(&cpu_queue_signs.spinning, 1);

    if (before && before + 1 >= most) {
        atomic_fetch_sub(&cpu_queue_signs.spinning, 1);
        return false;
    }
    atomic_store(&seat->op, CPU_SEAT_FREE);
    return true;
}

/* What the worker was given, or NULL once it has left its seat. */
static struct cpu_op *
spin_end(struct cpu_seat *seat)
{
    struct cpu_op *op = CPU_SEAT_FREE;

    if (atomic_compare_exchange_strong(&seat->op, &op, NULL)) {
        atomic_fetch_sub(&cpu_queue_signs.spinning, 1);
        return NULL;
    }
    while ((op = atomic_load(&seat->op)) == CPU_SEAT_KEPT) {
        cpu_arch_relax();
    }
    atomic_store(&seat->op, NULL);
    return op;
}

/* Spins until it is given an operation; NULL if that takes too long, or if
 * something was queued just before, which nobody is given any more.  Gives way
 * meanwhile: whoever launches, or anybody else, may have been left with the
 * same processor. */
static struct cpu_op *
work_spin(struct cpu_seat *seat)
{
    uint64_t until = cpu_now_ns() + SPIN_NS;

    if (!spin_begin(seat)) {
        return NULL;
    }
    if (atomic_load(&cpu_queue_signs.ready)) {
        return spin_end(seat);
    }
    do {
        for (int i = 0; i < 50; i++) {
            if (atomic_load_explicit(&seat->op, memory_order_relaxed) !=
                CPU_SEAT_FREE) {
                return spin_end(seat);
            }
            cpu_arch_relax();
        }
        sched_yield();
    } while (cpu_now_ns() < until);
    return spin_end(seat);
}

static struct cpu_op *
work_take(void)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_op *op = cpu_queue_take(true);
    cpu_scheduler_unlock();
    return op;
}

/* Waits for work, asleep. */
static struct cpu_op *
work_wait(bool kernels, pthread_cond_t *wake)
{
    struct cpu_op *op;

    pthread_mutex_lock(&cpu_scheduler_lock);
    while (!(op = cpu_queue_take(kernels))) {
        cpu_queue_sleeping += kernels;
        pthread_cond_wait(wake, &cpu_scheduler_lock);
        cpu_queue_sleeping -= kernels;
    }
    cpu_scheduler_unlock();
    return op;
}

/* Workers spin before they sleep. */
static struct cpu_op *
work_find(struct cpu_worker *worker)
{
    struct cpu_op *op =
        atomic_load(&cpu_queue_signs.ready) ? work_take() : NULL;

    op = op ? op : work_spin(worker->seat);
    return op ? op : work_wait(true, &cpu_queue_work);
}

/* A worker that is woken must not take the processor of the thread that woke
 * it, which is about to run blocks itself. */
static void
manners_learn(void)
{
    struct sched_param none = {0};

    if (sched_getscheduler(0) == SCHED_OTHER) {
        sched_setscheduler(0, SCHED_BATCH, &none);
    }
}

static void *
worker_main(void *argument)
{
    struct cpu_worker *worker = argument;

    cpu_worker_tls = worker;
    cpu_runner_join(&worker->runner, false);
    signal_stack_new();
    manners_learn();
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

static void *
calls_main(void *argument)
{
    cpu_worker_tls = argument;
    signal_stack_new();
    for (;;) {
        cpu_op_call(work_wait(false, &cpu_queue_calls));
    }
    return NULL;
}

/* A detached thread that takes no signal but faults. */
static CUresult
thread_start(void *(*run)(void *), struct cpu_seat *seat)
{
    struct cpu_worker *worker = cpu_worker_new();
    pthread_attr_t attributes;
    sigset_t block, old;
    pthread_t thread;

    if (!worker) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    worker->seat = seat;
    sigfillset(&block);
    sigdelset(&block, SIGSEGV);
    sigdelset(&block, SIGBUS);
    sigdelset(&block, SIGFPE);
    sigdelset(&block, SIGILL);
    cpu_watch_unmask(&block);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WORKER_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &block, &old);
    int failed = pthread_create(&thread, &attributes, run, worker);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (failed) {
        worker_free(worker);
        return cpu_os_refuse(failed,
                             "a thread for kernels, with a stack of %u KiB",
                             (unsigned)(WORKER_STACK >> 10));
    }
    return CUDA_SUCCESS;
}

/* One for each worker, empty. */
static bool
seats_make(void)
{
    size_t bytes = (size_t)cpu_state.threads * sizeof *cpu_seats;

    if (!cpu_seats && (cpu_seats = aligned_alloc(64, bytes))) {
        memset(cpu_seats, 0, bytes);
    }
    return cpu_seats != NULL;
}

/* What is there once, also if a worker cannot be started at first. */
static CUresult
parts_start(void)
{
    static bool watched, called; /* under start_lock */
    CUresult code = watched ? CUDA_SUCCESS : cpu_watch_start();

    watched = !code;
    if (!code && !called) {
        code = seats_make() ? thread_start(calls_main, NULL)
                            : CUDA_ERROR_OUT_OF_MEMORY;
        called = !code;
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
        code = parts_start();
        for (int i = 0; !code && i < cpu_state.threads; i++) {
            CUresult failed = thread_start(worker_main, &cpu_seats[i]);
            code = i ? CUDA_SUCCESS : failed; /* one worker is enough */
        }
        atomic_store_explicit(&started, !code, memory_order_release);
    }
    pthread_mutex_unlock(&start_lock);
    return code;
}
