/* profiler.c - profiler calls, which have no effect.
 *
 * Called by users of the library.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/device/context.h"
#include "cpu/exports/visibility.h"

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
