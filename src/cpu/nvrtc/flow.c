/* flow.c - lets the caller of NVRTC cancel a compilation.
 *
 * Called by compile.c, which begins and ends a compilation, and by process.c
 * while it waits for a child process. The state belongs to the thread that
 * compiles.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include "cpu/nvrtc/flow.h"

/* The callback of the thread's compilation, or NULL. */
static _Thread_local const struct nvrtc_flow *current;
static _Thread_local bool cancelled;

void
nvrtc_flow_begin(const struct nvrtc_flow *flow)
{
    current = flow;
    cancelled = false;
}

bool
nvrtc_flow_end(void)
{
    current = NULL;
    return cancelled;
}

bool
nvrtc_flow_given(void)
{
    return current != NULL && current->callback != NULL;
}

bool
nvrtc_flow_cancelled(void)
{
    if (current && current->callback && !cancelled) {
        cancelled = current->callback(current->payload, NULL) != 0;
    }
    return cancelled;
}
