/* program_handlers.h - the program's handlers of fault signals.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_PROGRAM_HANDLERS_H
#define PYCUDA_CPU_RUN_PROGRAM_HANDLERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* The fault signals of the architecture, at most CPU_FAULTS_MOST. */
#define CPU_FAULTS_MOST 8
extern const int cpu_fault_signals[];
extern const size_t cpu_fault_signal_count;
#define CPU_FAULTS cpu_fault_signal_count

/* Returns the handler that the program has set. Any thread may call it, also
 * in a signal handler. */
struct sigaction cpu_program_handler(int number);
/* Records the program's handler; our handler stays installed in the system. */
void cpu_program_handler_set(int number, const struct sigaction *handler);
/* Sets the program's handler to the default action, as SA_RESETHAND does. Safe
 * in signal handlers. */
void cpu_program_handler_reset(int number);
/* Sets the system's handler, bypassing the diverted calls. Returns -1 with
 * errno on failure. */
int cpu_program_sigaction(int number, const struct sigaction *handler);

/* Diverts the calls of sigaction() and signal() in every loaded object that
 * has not been visited yet: for fault signals they set and return the
 * program's handlers that are recorded here. One thread at a time. */
void cpu_program_calls_divert(void);

#endif
