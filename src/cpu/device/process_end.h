/* process_end.h - whether another process has ended.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_PROCESS_END_H
#define PYCUDA_CPU_DEVICE_PROCESS_END_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns true if the process `pid` has ended, even if it is still a zombie
 * (kill() succeeds for a zombie). The caller sets `*descriptor` to -1 before
 * the first call. The function stores a pidfd there if it can open one. Later
 * calls use this pidfd, and the caller closes it. */
bool cpu_process_ended(pid_t pid, int *descriptor);

#endif
