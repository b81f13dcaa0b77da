/* program_handlers.h - the program's handlers of fault signals.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_PROGRAM_HANDLERS_H
#define PYCUDA_CPU_RUN_PROGRAM_HANDLERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Maximum number of fault signals of a processor architecture. */
#define CPU_FAULT_SIGNALS_MAX 8
extern const int cpu_fault_signals[];
extern const size_t cpu_fault_signal_count;
#define CPU_FAULTS cpu_fault_signal_count

/* Returns the handler that the program has set for a signal. Any thread may
 * call it, also in a signal handler. */
struct sigaction cpu_program_handler(int number);
/* Stores the program's handler of a signal. Our handler stays installed in the
 * system. */
void cpu_program_handler_set(int number, const struct sigaction *handler);
/* Stores the default action as the program's handler of a signal, as
 * SA_RESETHAND does. Safe in signal handlers. */
void cpu_program_handler_reset(int number);
/* Sets the handler of a signal in the system, by a call of sigaction() that is
 * not diverted. Returns -1 with errno on failure. */
int cpu_program_sigaction(int number, const struct sigaction *handler);

/* Lets the system ignore the signals that the program ignores. Called in a
 * child of fork(), so that programs which it executes ignore them too. */
void cpu_program_handlers_pass_on(void);

typedef void cpu_fault_function(int number, siginfo_t *info, void *state);
/* Replaces the calls of sigaction() and signal() in each loaded object that
 * was not visited before. The calls then go to functions of
 * program_handlers.c. For fault signals, these functions store and return the
 * program's handlers, and do not change the system's handlers. In child
 * processes the functions set the system's handlers. `ours` is this library's
 * handler, which stays installed in the system. Called by one thread at a
 * time. */
void cpu_program_calls_divert(cpu_fault_function *ours);

#endif
