/* plain.h - plain calls of the driver that know the legacy stream only.
 *
 * For copies with CUDA arrays and unaligned ones; current.c has the rules.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_PLAIN_H
#define PYCUDA_CORE_STREAM_PLAIN_H

#include "core/private.h"

struct core_plain {
    CUstream stream; /* the current one; NULL: the legacy stream */
};
/* Waits for the current stream before such a call.  LogicError in a
 * capture. */
int core_plain_begin(struct core_plain *plain, const char *routine);
/* Waits for such a call if it was not issued on the current stream; gives
 * `code` unless that fails. */
CUresult core_plain_end(const struct core_plain *plain, CUresult code);

#endif
