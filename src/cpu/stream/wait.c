/* wait.c - waits for an operation, a stream or a context.
 *
 * A waiting thread first runs blocks of the launch that it waits for, then
 * spins briefly, then sleeps. While the thread sleeps, it wakes regularly to
 * ask whether the program interrupts the wait (run/watchdog.h). The scheduler
 * lock guards the state.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "cpu/arch/arch.h"
#include "cpu/check/hooks.h"
#include "cpu/device/clock.h"
#include "cpu/device/context.h"
#include "cpu/run/watchdog.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/ready_queue.h"
#include "cpu/stream/scheduler.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/wait.h"
#include "cpu/stream/wait_wake.h"
#include "cpu/stream/worker.h"
#include "cpu/stream/workers.h"

/* longest time in ns that a waiting thread spins before it sleeps */
#define SPIN_NS 20000

/* Spins until the operation has reached the state `least`, or until the
 * counter of queued kernels differs from `seen`. Returns true in both cases.
 * Returns false if neither happens within SPIN_NS. */
static bool
wait_spin(struct cpu_op *op, unsigned least, unsigned seen)
{
    uint64_t until = 0;

    for (unsigned turn = 0;; turn++) {
        if (atomic_load_explicit(&op->state, memory_order_acquire) >= least ||
            atomic_load_explicit(&cpu_ready_queue_counters.puts,
                                 memory_order_relaxed) != seen) {
            return true;
        }
        if (turn % 64 == 63) {
            uint64_t now = cpu_now_ns();
            until = until ? until : now + SPIN_NS;
            if (now >= until) {
                return false;
            }
        }
        cpu_arch_relax();
    }
}

/* Sleeps until the state of an operation may have changed, or until the time
 * of the next check whether the program interrupts the wait. At that time,
 * calls cpu_interrupt_poll. The caller holds the scheduler lock, which is
 * released during the sleep and during the call of cpu_interrupt_poll. */
static void
state_sleep(struct cpu_interrupt *interrupt)
{
    int milliseconds = cpu_interrupt_milliseconds(interrupt);
    uint64_t now = cpu_now_ns();

    if (milliseconds < 0) {
        pthread_cond_wait(&cpu_wait_changed, &cpu_scheduler_lock);
        return;
    }
    if (!interrupt->poll_at) {
        interrupt->poll_at = now + (uint64_t)milliseconds * 1000000u;
    }
    /* An operation that ends may wake the thread before `poll_at`. */
    if (now < interrupt->poll_at) {
        struct timespec until = {(time_t)(interrupt->poll_at / 1000000000u),
                                 (long)(interrupt->poll_at % 1000000000u)};

        if (!pthread_cond_timedwait(&cpu_wait_changed, &cpu_scheduler_lock,
                                    &until)) {
            return;
        }
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
    cpu_interrupt_poll(interrupt);
    interrupt->poll_at = 0;
    pthread_mutex_lock(&cpu_scheduler_lock);
}

static __attribute__((noinline)) void
wait_asleep(struct cpu_op *op, unsigned least)
{
    struct cpu_interrupt interrupt = {.context = op->ctx};

    cpu_wait_prepare();
    pthread_mutex_lock(&cpu_scheduler_lock);
    cpu_wait_sleepers++;
    while (atomic_load(&op->state) < least) {
        state_sleep(&interrupt);
    }
    cpu_wait_sleepers--;
    pthread_mutex_unlock(&cpu_scheduler_lock);
}

/* Waits until the operation has reached at least the state `least`. Before the
 * thread sleeps, it runs blocks of kernels. */
static void
wait_state(struct cpu_op *op, unsigned least)
{
    unsigned seen;

    do {
        seen = atomic_load(&cpu_ready_queue_counters.puts);
        do {
            if (atomic_load_explicit(&op->state, memory_order_acquire) >=
                least) {
                return;
            }
        } while (cpu_worker_help(op));
    } while (wait_spin(op, least, seen));
    wait_asleep(op, least);
}

void
cpu_op_wait(struct cpu_op *op)
{
    wait_state(op, CPU_OP_DONE);
}

void
cpu_op_wait_ready(struct cpu_op *op)
{
    wait_state(op, CPU_OP_RUNNING);
}

struct cpu_op *
cpu_stream_tail(struct cpu_stream *stream)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_op *op = stream->tail;
    if (op) {
        atomic_fetch_add(&op->references, 1);
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
    return op;
}

bool
cpu_stream_idle(struct cpu_stream *stream)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    bool idle = !stream->tail || cpu_op_done(stream->tail);
    if (idle && cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_host_asked(stream->tail);
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
    return idle;
}

void
cpu_stream_wait(struct cpu_stream *stream)
{
    struct cpu_op *op = cpu_stream_tail(stream);

    if (op) {
        cpu_op_wait(op);
        if (cpu_check_flags & CPU_CHECK_STREAMS) {
            cpu_check_host_after(op);
        }
        cpu_op_release(op);
    }
}

/* Waits for all operations of streams that were destroyed. */
static __attribute__((noinline)) void
drain_asleep(struct cpu_context *ctx)
{
    struct cpu_interrupt interrupt = {.context = ctx};

    cpu_wait_prepare();
    pthread_mutex_lock(&cpu_scheduler_lock);
    cpu_wait_sleepers++;
    while (ctx->outstanding) {
        state_sleep(&interrupt);
    }
    cpu_wait_sleepers--;
    pthread_mutex_unlock(&cpu_scheduler_lock);
}

void
cpu_scheduler_drain(struct cpu_context *ctx)
{
    cpu_scheduler_end(ctx);
    if (cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_host_after_all();
    }
}

void
cpu_scheduler_end(struct cpu_context *ctx)
{
    for (;;) {
        struct cpu_op *op = NULL;

        pthread_mutex_lock(&cpu_scheduler_lock);
        for (struct cpu_stream *s = ctx->streams; s && !op; s = s->next) {
            if (s->tail && !cpu_op_done(s->tail)) {
                op = s->tail;
                atomic_fetch_add(&op->references, 1);
            }
        }
        bool busy = ctx->outstanding > 0;
        pthread_mutex_unlock(&cpu_scheduler_lock);
        if (op) {
            cpu_op_wait(op);
            cpu_op_release(op);
        } else if (!busy) {
            return;
        } else {
            drain_asleep(ctx);
        }
    }
}
