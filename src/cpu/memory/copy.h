/* copy.h - copies of one- to three-dimensional boxes of bytes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MEMORY_COPY_H
#define PYCUDA_CPU_MEMORY_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "api/cuda_types.h"

struct cpu_stream;

struct cpu_rows {
    char *to;
    const char *from;
    /* Size of the copied box: width in bytes, height in rows, depth in
     * slices. */
    size_t width, height, depth;
    size_t to_pitch, to_slice;
    size_t from_pitch, from_slice;
};

/* Performs the copy that `rows`, a struct cpu_rows, describes. Operations call
 * this function. Returns INVALID_VALUE if an address is invalid. */
CUresult cpu_rows_run(void *rows);
/* Submits a copy in stream order. If `wait`, returns after the copy is done.
 * The caller has checked the addresses. Returns the context's sticky error if
 * there is one. */
CUresult cpu_rows_submit(const struct cpu_rows *rows,
                         struct cpu_stream *stream, bool wait);

#endif
