/* clock.c - reads the monotonic clock of the system.
 *
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <time.h>

#include "cpu/device/clock.h"

uint64_t
cpu_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
