/* fault.h - a fault in a kernel ends the launch instead of the process.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_FAULT_H
#define PYCUDA_CPU_RUN_FAULT_H

#include "cpu/cpu.h"

/* Installs our handlers of fault signals in front of the program's current and
 * future handlers. Called at each module load, by any thread. */
void cpu_fault_install(void);

/* Time in cpu_now_ns() at which cpu_fault_check is due. */
extern _Atomic uint64_t cpu_fault_checked_until;
/* Installs our handlers again if a call that was not diverted has replaced
 * them. Any thread may call it, holding any lock except the loader's. */
void cpu_fault_check(void);

/* Calls run(argument); a fault inside ends the call with INVALID_VALUE. */
CUresult cpu_fault_guard(cpu_run *run, void *argument);

#endif
