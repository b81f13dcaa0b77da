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

static _Thread_local struct {
    struct nvrtc_flow flow;
    bool cancelled;
} current;

void
nvrtc_flow_begin(const struct nvrtc_flow *flow)
{
    current.flow = *flow;
    current.cancelled = false;
}

bool
nvrtc_flow_end(void)
{
    current.flow.callback = NULL;
    return current.cancelled;
}

bool
nvrtc_flow_given(void)
{
    return current.flow.callback != NULL;
}

bool
nvrtc_flow_cancelled(void)
{
    if (current.flow.callback && !current.cancelled) {
        current.cancelled =
            current.flow.callback(current.flow.payload, NULL) != 0;
    }
    return current.cancelled;
}
