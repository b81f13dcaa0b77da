/* fault.c - a fault in a kernel ends the launch, not the process.
 *
 * cpu_fault_install puts our handler in front of whatever is there; it is
 * called at each module load, since programs install handlers late (Python's
 * faulthandler).  The handler acts only while the thread's in_kernel is set,
 * and passes everything else on.
 *
 * SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>

#include "cpu/cpu.h"

static const int fault_signals[] = {CPU_ARCH_FAULT_SIGNALS};

#define FAULTS (sizeof fault_signals / sizeof *fault_signals)

static struct sigaction fault_previous[FAULTS];
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local volatile sig_atomic_t passing
    __attribute__((tls_model("initial-exec")));

static size_t
signal_index(int number)
{
    for (size_t i = 0; i < FAULTS; i++) {
        if (fault_signals[i] == number) {
            return i;
        }
    }
    return 0;
}

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

/* The handler that was there before, or death by the default action. */
CPU_ON_FIBER static void
pass_on(int number, siginfo_t *info, void *state)
{
    struct sigaction *previous = &fault_previous[signal_index(number)];

    if (passing || (!(previous->sa_flags & SA_SIGINFO) &&
                    (previous->sa_handler == SIG_DFL ||
                     previous->sa_handler == SIG_IGN))) {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(number, &plain, NULL);
        if (info->si_code <= 0) {
            raise(number); /* it was sent, not caused */
        }
        return; /* the instruction is run again, and ends the process */
    }
    passing = 1;
    if (previous->sa_flags & SA_SIGINFO) {
        previous->sa_sigaction(number, info, state);
    } else {
        previous->sa_handler(number);
    }
    passing = 0;
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

void
cpu_fault_install(void)
{
    pthread_mutex_lock(&install_lock);
    for (size_t i = 0; i < FAULTS; i++) {
        struct sigaction now;
        struct sigaction ours = {.sa_sigaction = fault_handle,
                                 .sa_flags =
                                     SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

        if (!sigaction(fault_signals[i], NULL, &now) &&
            now.sa_sigaction != fault_handle) {
            fault_previous[i] = now;
            sigaction(fault_signals[i], &ours, NULL);
        }
    }
    pthread_mutex_unlock(&install_lock);
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
