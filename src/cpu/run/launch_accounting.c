/* launch_accounting.c - accounting at the beginning and end of a launch: its
 * duration, its error and its kernel checks.
 *
 * The scheduler calls these functions if worker threads run the blocks of the
 * kernel. launch.c calls them if the thread that launches the kernel also runs
 * its blocks.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdint.h>

#include "cpu/check/hooks.h"
#include "cpu/device/clock.h"
#include "cpu/device/context.h"
#include "cpu/module/module_state.h"
#include "cpu/run/fault.h"
#include "cpu/run/launch_accounting.h"
#include "cpu/run/launch_state.h"

void
cpu_launch_start(struct cpu_launch *launch)
{
    launch->started_ns = cpu_now_ns();
    launch->before = cpu_check_interval_last();
    if (launch->started_ns >=
        atomic_load_explicit(&cpu_fault_checked_until, memory_order_relaxed)) {
        cpu_fault_check();
    }
}

void
cpu_launch_finish(struct cpu_launch *launch)
{
    struct cpu_function *function = launch->function;
    uint64_t ns = atomic_load(&launch->ns);
    int error = atomic_load(&launch->error);

    if (cpu_check_flags) {
        cpu_check_launch_end(launch);
    }
    if (error) {
        cpu_context_fail(function->module->ctx, (CUresult)error);
    }
    atomic_store_explicit(&function->ns_per_launch,
                          ns < UINT32_MAX ? ns : UINT32_MAX,
                          memory_order_relaxed);
    atomic_store_explicit(&function->threads_per_launch,
                          launch->total * launch->threads,
                          memory_order_relaxed);
}
