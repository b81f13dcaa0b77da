/* legacy_stream.h - makes driver calls that always use the legacy default
 * stream act as if they used the current stream.
 *
 * Used for synchronous copies of CUDA arrays and for unaligned copies: their
 * driver functions have no stream argument. current_stream.c describes the
 * rules. Both functions need the GIL and release it while they wait.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_LEGACY_STREAM_H
#define PYCUDA_CORE_STREAM_LEGACY_STREAM_H

#include "core/core.h"

struct core_legacy_stream_call {
    /* the thread's current stream; NULL if that is the legacy stream */
    CUstream stream;
};
/* Called before the driver call: waits for the current stream. Raises
 * LogicError if the current stream is being captured. Stores the current
 * stream in `plain` for core_legacy_stream_end. Returns 0, or -1 with an
 * exception. Releases the GIL to wait. */
int core_legacy_stream_begin(struct core_legacy_stream_call *plain,
                             const char *routine);
/* Called after the driver call, whose result is `code`. If the current stream
 * is not the legacy stream, the host waits for the legacy stream. Returns
 * `code`, or the error of the wait. */
CUresult core_legacy_stream_end(const struct core_legacy_stream_call *plain,
                                CUresult code);

#endif
