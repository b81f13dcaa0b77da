/* host_operation.c - runs operations that are host functions: copies, fills,
 * callbacks.
 *
 * Called by workers.c, and by threads that wait for such an operation or run
 * it themselves (host_function.c).
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/stream/host_operation.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/run_function.h"
#include "cpu/stream/worker.h"

/* Runs the function of an operation if the check `streams` is selected. `code`
 * is the status of the operation's context. Returns the function's result, or
 * `code` if the function is not run. */
static __attribute__((noinline)) CUresult
run_checked(struct cpu_op *op, CUresult code)
{
    bool counted = cpu_check_run_begin(op);

    if (!code || op->runs_after_failure) {
        code = op->run(op->argument);
    }
    /* `op` must not be used here: if op->finishes_later was set, another
     * thread may have freed it. */
    cpu_check_run_end(counted);
    return code;
}

CUresult
cpu_op_run(struct cpu_op *op)
{
    CUresult code = cpu_context_status(op->ctx);
    struct cpu_worker *worker = cpu_worker_tls;

    if (worker) {
        /* cpu_cancellation_point returns the error of this context */
        worker->ctx = op->ctx;
    }
    if (cpu_check_flags & CPU_CHECK_STREAMS) {
        return run_checked(op, code);
    }
    return code && !op->runs_after_failure ? code : op->run(op->argument);
}

/* Runs the function of a CALL operation on a worker. If it fails, the error
 * becomes the context's sticky error. */
void
cpu_op_call(struct cpu_op *op)
{
    /* Read the flag before the call of cpu_op_run: if the flag is set, the
     * operation may be freed during the call. */
    bool finishes_later = op->finishes_later;
    CUresult code = cpu_op_run(op);

    if (code) {
        cpu_context_fail(op->ctx, code);
    }
    if (!finishes_later) {
        cpu_op_finish(op);
    }
}
