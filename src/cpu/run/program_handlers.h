/* program_handlers.h - the program's own handlers of fault signals.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_PROGRAM_HANDLERS_H
#define PYCUDA_CPU_RUN_PROGRAM_HANDLERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define CPU_FAULTS_MOST 8
extern const int cpu_fault_signals[];
extern const size_t cpu_fault_signal_count;
#define CPU_FAULTS cpu_fault_signal_count

/* What the program asked for.  From any thread, in handlers, too. */
struct sigaction cpu_program_handler(int number);
/* Notes what the program asks for; the system's handler stays ours. */
void cpu_program_handler_set(int number, const struct sigaction *handler);
/* Sets the default action, as SA_RESETHAND does.  In handlers. */
void cpu_program_handler_reset(int number);
/* Sets the system's own handler, past the diverted calls. */
int cpu_program_sigaction(int number, const struct sigaction *handler);

/* Diverts the calls of sigaction() and signal() of every object that is loaded
 * in the process and was not seen yet: those for fault signals set and tell
 * the program's handlers here.  One thread at a time. */
void cpu_program_calls_divert(void);

#endif
