/* timing.h - times of the parts of a compilation.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_TIMING_H
#define PYCUDA_CPU_NVRTC_TIMING_H

#include <stddef.h>

#include "api/nvrtc_types.h"

struct nvrtc_options;
struct nvrtc_text;

#define NVRTC_TIMED_PARTS 4

struct nvrtc_timing {
    struct {
        const char *name;
        /* start and end time of the part, in milliseconds of
         * CLOCK_MONOTONIC */
        double begin, end;
    } part[NVRTC_TIMED_PARTS];
    size_t count;
};

/* Begins a part of the compilation. The string `name` is not copied: the
 * caller keeps it until nvrtc_timing_write has returned. */
void nvrtc_timing_begin(struct nvrtc_timing *timing, const char *name);
/* Stores the end time of all parts that have begun and not ended. */
void nvrtc_timing_end(struct nvrtc_timing *timing);
/* Writes the files that the options request. Returns
 * TIME_FILE_WRITE_FAILED or TIME_TRACE_FILE_WRITE_FAILED if a file cannot be
 * written; the log then says why. */
nvrtcResult nvrtc_timing_write(const struct nvrtc_timing *timing,
                               const char *program,
                               const struct nvrtc_options *options,
                               struct nvrtc_text *log);

#endif
