/* fault.h - a fault in a kernel ends the launch instead of the process.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_FAULT_H
#define PYCUDA_CPU_RUN_FAULT_H

#include <stdatomic.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/stream/run_function.h"

/* Installs our handlers of fault signals. For faults outside kernels they call
 * the handler that the program has set for the signal, before or after this
 * call. Called by any thread at each module load. */
void cpu_fault_install(void);

/* The time, as returned by cpu_now_ns(), after which cpu_fault_check must be
 * called. */
extern _Atomic uint64_t cpu_fault_checked_until;
/* Installs our handlers again if the program has replaced them by a call that
 * we do not intercept. Any thread may call it, holding any lock except the
 * loader's. */
void cpu_fault_check(void);

/* Calls run(argument). If a fault occurs in it, the call ends and
 * INVALID_VALUE is returned. */
CUresult cpu_fault_guard(cpu_run *run, void *argument);

#endif
