/* clock.h - reads the monotonic clock of the system.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_CLOCK_H
#define PYCUDA_CPU_DEVICE_CLOCK_H

#include <stdint.h>

/* Returns the time of the monotonic clock in nanoseconds. */
uint64_t cpu_now_ns(void);

#endif
