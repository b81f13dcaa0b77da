/* fault.c - a fault in a kernel ends the launch instead of the process.
 *
 * Our signal handler acts only on faults of a thread whose in_kernel is set.
 * All other signals have the effect that they would have without our handler:
 * the program's handler runs with its signal mask and flags, or the default
 * action is taken, or the signal is ignored. Programs install handlers at any
 * time (for example Python's faulthandler), so calls of sigaction() and
 * signal() are diverted to program_handlers.c. cpu_fault_check finds handlers
 * that were installed by other means.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/arch/arch.h"
#include "cpu/device/clock.h"
#include "cpu/run/fault.h"
#include "cpu/run/fiber.h"
#include "cpu/run/program_handlers.h"
#include "cpu/stream/run_function.h"
#include "cpu/stream/thread_worker.h"
#include "cpu/stream/worker.h"

/* Time in ns between two checks that our signal handlers are still
 * installed. */
#define CHECK_NS 1000000u

_Atomic uint64_t cpu_fault_checked_until;
/* Lock for the installation of our signal handlers. If another thread holds
 * the lock, a launch does not wait: it continues without installing the
 * handlers. */
static atomic_bool installing;

static bool
in_mapping(uintptr_t address, const char *start, size_t bytes)
{
    return start && address - (uintptr_t)start < bytes;
}

static CUresult
fault_code(const struct cpu_worker *worker, int number, uintptr_t address)
{
    if (number == SIGILL || number == SIGTRAP) {
        return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    }
    if (number == SIGFPE) {
        return CUDA_ERROR_LAUNCH_FAILED;
    }
    if (in_mapping(address, worker->stacks, worker->stacks_bytes) ||
        in_mapping(address, worker->deep, worker->deep_bytes)) {
        return CUDA_ERROR_HARDWARE_STACK_ERROR;
    }
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}

/* Performs the default action of a signal. If a fault caused the signal, the
 * faulting instruction is executed again, which ends the process. If a process
 * sent the signal (`sent`), the signal is sent again. */
static void
act_by_default(int number, bool sent)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};

    cpu_program_sigaction(number, &plain);
    if (sent) {
        raise(number);
    }
}

/* Calls the program's handler of a signal as the system would. The handler may
 * never return (siglongjmp), so this call must be the last action of our
 * handler. The system restores the signal mask when our handler returns. */
CPU_ON_FIBER static void
pass_on(int number, siginfo_t *info, void *state)
{
    bool sent = info->si_code <= 0;
    struct sigaction program = cpu_program_handler(number);

    if (!(program.sa_flags & SA_SIGINFO)) {
        if (program.sa_handler == SIG_IGN && sent) {
            return;
        }
        if (program.sa_handler == SIG_DFL || program.sa_handler == SIG_IGN) {
            act_by_default(number, sent);
            return;
        }
    }
    if (program.sa_flags & SA_RESETHAND) {
        cpu_program_handler_reset(number);
    }
    if (!(program.sa_flags & SA_NODEFER)) {
        sigaddset(&program.sa_mask, number);
    }
    pthread_sigmask(SIG_BLOCK, &program.sa_mask, NULL);
    if (program.sa_flags & SA_SIGINFO) {
        program.sa_sigaction(number, info, state);
    } else {
        program.sa_handler(number);
    }
}

CPU_ON_FIBER static void
fault_handle(int number, siginfo_t *info, void *state)
{
    struct cpu_worker *worker = cpu_worker_tls;

    if (!worker || !worker->in_kernel || info->si_code <= 0) {
        pass_on(number, info, state);
        return;
    }
    worker->in_kernel = 0;
    worker->fault_address = (uintptr_t)info->si_addr;
    cpu_fiber_unwind(worker->guard,
                     (int)fault_code(worker, number, worker->fault_address));
}

static void
install_locked(void)
{
    for (size_t i = 0; i < CPU_FAULTS; i++) {
        struct sigaction now;
        struct sigaction ours = {.sa_sigaction = fault_handle,
                                 .sa_flags =
                                     SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
        int number = cpu_fault_signals[i];

        if (!sigaction(number, NULL, &now) &&
            now.sa_sigaction != fault_handle) {
            cpu_program_handler_set(number, &now);
            sigaction(number, &ours, NULL);
        }
    }
    atomic_store(&cpu_fault_checked_until, cpu_now_ns() + CHECK_NS);
}

void
cpu_fault_install(void)
{
    while (atomic_exchange(&installing, true)) {
        sched_yield();
    }
    install_locked();
    cpu_program_calls_divert(fault_handle);
    atomic_store(&installing, false);
}

void
cpu_fault_check(void)
{
    if (atomic_exchange(&installing, true)) {
        /* The thread that holds `installing` may be waiting for the loader's
         * lock, which the caller may hold: do not wait for that thread. */
        return;
    }
    install_locked();
    atomic_store(&installing, false);
}

struct guarded {
    cpu_run *run;
    void *argument;
    CUresult code;
};

static void
guarded_run(void *argument)
{
    struct guarded *guarded = argument;

    guarded->code = guarded->run(guarded->argument);
}

CUresult
cpu_fault_guard(cpu_run *run, void *argument)
{
    struct cpu_worker *worker = cpu_worker_self();
    struct guarded guarded = {.run = run, .argument = argument};

    if (!worker) {
        return run(argument);
    }
    worker->in_kernel = 1;
    int fault = cpu_fiber_guard(&worker->guard, guarded_run, &guarded, NULL);
    worker->in_kernel = 0;
    return fault ? CUDA_ERROR_INVALID_VALUE : guarded.code;
}
