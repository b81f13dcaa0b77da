/* fault.h - a fault in a kernel ends the launch instead of the process.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_FAULT_H
#define PYCUDA_CPU_RUN_FAULT_H

#include <stdatomic.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/stream/run_function.h"

/* Installs our handlers of fault signals. For a fault outside kernels, our
 * handler calls the program's handler of the signal, even one that the program
 * sets later. Called by any thread at each module load. */
void cpu_fault_install(void);

/* The time, as returned by cpu_now_ns(), after which cpu_fault_check must be
 * called. */
extern _Atomic uint64_t cpu_fault_checked_until;
/* Installs our handlers again if the program has replaced them by a call that
 * we do not intercept. Any thread may call it, holding any lock except the
 * loader's. */
void cpu_fault_check(void);

/* Calls run(argument) and returns its result. If a fault occurs in `run`, ends
 * `run` and returns INVALID_VALUE. */
CUresult cpu_fault_guard(cpu_run *run, void *argument);

#endif
