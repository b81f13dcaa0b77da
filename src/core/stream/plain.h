/* plain.h - synchronous calls of the driver that only support the legacy
 * stream.
 *
 * For copies of CUDA arrays and unaligned copies; current.c describes the
 * rules. Both functions need the GIL and release it while they wait.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_PLAIN_H
#define PYCUDA_CORE_STREAM_PLAIN_H

#include "core/private.h"

struct core_plain {
    CUstream stream; /* the current stream; NULL: the legacy stream */
};
/* Waits for the current stream before such a call. LogicError in a capture. */
int core_plain_begin(struct core_plain *plain, const char *routine);
/* Waits for such a call if it was not issued on the current stream; returns
 * `code`, or the error of the wait. */
CUresult core_plain_end(const struct core_plain *plain, CUresult code);

#endif
