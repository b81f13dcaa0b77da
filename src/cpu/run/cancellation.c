/* cancellation.c - cancellation points of operations that the library itself
 * executes.
 *
 * If the program interrupts a wait for an operation that a worker runs,
 * watchdog.c sets the sticky error of the context, and the operation ends
 * early because of this error. A thread of the program may also run an
 * operation itself, such as a synchronous copy. The cancellation points then
 * call the program's interrupt hook, and the operation ends early if the hook
 * reports an interrupt. In this case the context gets no error: only the API
 * function returns an error, and a part of the target is not written.
 *
 * SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "cpu/device/clock.h"
#include "cpu/device/context.h"
#include "cpu/run/cancellation.h"
#include "cpu/stream/worker.h"

CUresult
cpu_cancellation_point(struct cpu_interrupt *interrupt)
{
    const struct cpu_worker *worker = cpu_worker_tls;
    CUresult code =
        worker && worker->ctx ? cpu_context_status(worker->ctx) : CUDA_SUCCESS;

    if (code || !cpu_interrupt_possible()) {
        return code;
    }
    uint64_t now = cpu_now_ns();
    if (!interrupt->poll_at) {
        interrupt->poll_at = now + CPU_INTERRUPT_TICK_NS;
    }
    if (now < interrupt->poll_at) {
        return CUDA_SUCCESS;
    }
    interrupt->poll_at = now + CPU_INTERRUPT_TICK_NS;
    if (!interrupt->since) {
        interrupt->since = cpu_interrupt_wanted() ? now : 0;
    }
    return interrupt->since && now - interrupt->since > CPU_INTERRUPT_GRACE_NS
               ? CUDA_ERROR_LAUNCH_FAILED
               : CUDA_SUCCESS;
}
