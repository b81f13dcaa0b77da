/* flow.h - cancellation of a compilation by the caller.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_FLOW_H
#define PYCUDA_CPU_NVRTC_FLOW_H

#include <stdbool.h>

/* The callback of nvrtcSetFlowCallback; NULL: none. It is called with
 * (payload, NULL); a result other than 0 cancels the compilation. */
struct nvrtc_flow {
    int (*callback)(void *, void *);
    void *payload;
};

/* Milliseconds between calls of the callback while a child process works. */
#define NVRTC_FLOW_MS 20

/* nvrtc_flow_begin begins a compilation in this thread. The callback in `flow`
 * can cancel the compilation. The caller keeps `flow` until nvrtc_flow_end,
 * which ends the compilation and returns true if the callback has cancelled
 * it. */
void nvrtc_flow_begin(const struct nvrtc_flow *flow);
bool nvrtc_flow_end(void);
/* Returns true if this thread's compilation has a callback. */
bool nvrtc_flow_given(void);
/* Calls the callback, unless it has cancelled the compilation already. Returns
 * true if the compilation is cancelled. */
bool nvrtc_flow_cancelled(void);

#endif
