/* launch_accounting.h - accounting at the beginning and end of a launch: its
 * duration, its error and its kernel checks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_LAUNCH_ACCOUNTING_H
#define PYCUDA_CPU_RUN_LAUNCH_ACCOUNTING_H

struct cpu_launch;

/* Called once after the last block of the launch. Stores the duration of the
 * launch, ends its kernel checks, and makes its error (if any) the sticky
 * error of its context. */
void cpu_launch_finish(struct cpu_launch *launch);
/* Called once, before the first block of the launch runs. No other thread may
 * run blocks of the launch during the call. */
void cpu_launch_start(struct cpu_launch *launch);

#endif
