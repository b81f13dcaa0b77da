/* seconds.h - the clock of the C twins.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <time.h>

/* Seconds since some moment in the past. */
static inline double
seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
