/* thread_worker.c - creates and frees the worker state of a thread.
 *
 * Worker threads (workers.c) create their state when they start, a thread of
 * the program when it first runs blocks itself. The state belongs to its
 * thread; no lock is needed.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cpu/check/hooks.h"
#include "cpu/run/block.h"
#include "cpu/run/watchdog.h"
#include "cpu/stream/thread_worker.h"
#include "cpu/stream/worker.h"

#define SIGNAL_STACK (64u << 10)

static pthread_key_t caller_key;
static bool caller_has_key;
static pthread_once_t caller_once = PTHREAD_ONCE_INIT;

void *
cpu_worker_signal_stack_new(void)
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

/* Installs an alternate signal stack, since a kernel may overflow the stack on
 * which it runs. Does nothing if the program has installed an alternate
 * stack. */
static void
signal_stack_ensure(struct cpu_worker *worker)
{
    stack_t now;

    if (!sigaltstack(NULL, &now) && now.ss_flags & SS_DISABLE) {
        worker->signal_stack = cpu_worker_signal_stack_new();
    }
}

static void
signal_stack_free(struct cpu_worker *worker)
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

void
cpu_worker_free(struct cpu_worker *worker)
{
    struct cpu_worker *next;

    cpu_runner_leave(&worker->runner);
    signal_stack_free(worker);
    free(worker->spare_op);
    for (; worker; worker = next) {
        next = worker->next_block;
        cpu_block_close(worker);
        free(worker->text.bytes);
        free(worker->fibers);
        free(worker->warps);
        free(worker->thread_errors);
        cpu_check_state_free(worker);
        free(worker);
    }
    cpu_worker_tls = NULL;
}

/* Destructor of the thread-local state of a thread of the program. */
static void
caller_leave(void *worker)
{
    cpu_worker_free(worker);
}

static void
caller_key_make(void)
{
    caller_has_key = !pthread_key_create(&caller_key, caller_leave);
}

/* Slow path of cpu_worker_self: creates the worker state of a calling thread
 * at the thread's first call. */
static __attribute__((noinline, cold)) struct cpu_worker *
caller_join(void)
{
    pthread_once(&caller_once, caller_key_make);
    cpu_worker_tls = cpu_worker_new();
    /* if the key could not be created, the state is not freed when the thread
     * ends */
    if (caller_has_key) {
        pthread_setspecific(caller_key, cpu_worker_tls);
    }
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
