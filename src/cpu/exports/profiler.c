/* profiler.c - the profiler's calls: there is none to start or stop.
 *
 * Called by users of the library.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

CPU_API CUresult
cuProfilerStart(void)
{
    struct cpu_context *ctx;

    return cpu_context_current(&ctx);
}

CPU_API CUresult
cuProfilerStop(void)
{
    struct cpu_context *ctx;

    return cpu_context_current(&ctx);
}
