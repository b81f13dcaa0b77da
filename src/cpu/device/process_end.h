/* process_end.h - whether another process has ended.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_PROCESS_END_H
#define PYCUDA_CPU_DEVICE_PROCESS_END_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns true if the process `pid` has ended, also while it is a zombie, for
 * which kill() still succeeds. `*descriptor` is -1 in the first call; the
 * function stores a pidfd in it, if it can open one, which later calls use and
 * which the caller closes. */
bool cpu_process_ended(pid_t pid, int *descriptor);

#endif
