/* fault.h - a fault in a kernel ends the launch, not the process.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_FAULT_H
#define PYCUDA_CPU_RUN_FAULT_H

#include "cpu/cpu.h"

/* Puts our handlers of fault signals in front of the program's, now and for
 * handlers that it installs later.  Called at each module load; any thread. */
void cpu_fault_install(void);

/* When cpu_fault_check is due, in cpu_now_ns(). */
extern _Atomic uint64_t cpu_fault_checked_until;
/* Puts our handlers in front again, if a call that could not be diverted
 * installed another one.  Any thread and lock but the loader's. */
void cpu_fault_check(void);

/* Like run(argument), but a fault ends it with CUDA_ERROR_INVALID_VALUE. */
CUresult cpu_fault_guard(cpu_run *run, void *argument);

#endif
