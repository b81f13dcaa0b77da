/* timing.c - measures the parts of a compilation, for --time and
 * --fdevice-time-trace.
 *
 * Called by compile.c at the start and end of each part. The table has the
 * format of NVRTC's --time, the trace that of chrome://tracing. All state is
 * in the job, which one thread uses.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/text.h"
#include "cpu/nvrtc/timing.h"

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

void
nvrtc_timing_begin(struct nvrtc_timing *timing, const char *name)
{
    if (timing->count < NVRTC_TIMED_PARTS) {
        timing->part[timing->count].name = name;
        timing->part[timing->count++].begin = now();
    }
}

void
nvrtc_timing_end(struct nvrtc_timing *timing)
{
    for (size_t i = 0; i < timing->count; i++) {
        if (timing->part[i].end == 0) {
            timing->part[i].end = now();
        }
    }
}

/* Appends the times of all parts of a compilation to the table in the file
 * `path`, one row per part. Writes a heading first if the file is new. */
static bool
table_write(const struct nvrtc_timing *timing, const char *program,
            const char *path, struct nvrtc_text *log)
{
    struct nvrtc_text text = {0};
    bool to_log = !strcmp(path, "-");
    FILE *file = to_log ? NULL : fopen(path, "a");
    bool written = true;

    if (!to_log && !file) {
        nvrtc_text_print(log,
                         "nvrtc: error: failed to open file %s for writing! "
                         "(%s)\n",
                         path, strerror(errno));
        return false;
    }
    if (to_log || ftell(file) == 0) {
        nvrtc_text_print(&text, "File name, phase name, metric, unit\n");
    }
    for (size_t i = 0; i < timing->count; i++) {
        nvrtc_text_print(&text, "%s, %s, %.0f, ms\n", program,
                         timing->part[i].name,
                         timing->part[i].end - timing->part[i].begin);
    }
    if (text.failed) {
        errno = ENOMEM;
        written = false;
        if (file) {
            fclose(file);
        }
    } else if (to_log) {
        nvrtc_text_add(log, text.bytes, text.length);
    } else {
        written = fwrite(text.bytes, 1, text.length, file) == text.length;
        written &= !fclose(file);
    }
    if (!written) {
        nvrtc_text_print(log,
                         "nvrtc: error: failed to write %zu bytes of times "
                         "to %s! (%s)\n",
                         text.length, path, strerror(errno));
    }
    nvrtc_text_free(&text);
    return written;
}

/* Writes the trace to `path`.json. NVRTC adds ".json" to the name in the
 * option, too. */
static bool
trace_write(const struct nvrtc_timing *timing, const char *path,
            struct nvrtc_text *log)
{
    char name[PATH_MAX];
    FILE *file = NULL;

    if (snprintf(name, sizeof name, "%s.json", path) < PATH_MAX) {
        file = fopen(name, "w");
    }
    if (!file) {
        nvrtc_text_print(log, "Time trace file opening error: %s: %s\n", name,
                         strerror(errno));
        return false;
    }
    fprintf(file, "{\"traceEvents\": [");
    for (size_t i = 0; i < timing->count; i++) {
        fprintf(file,
                "%s\n{\"name\": \"%s\", \"ph\": \"X\", \"pid\": %d, "
                "\"tid\": 0, \"ts\": %.0f, \"dur\": %.0f}",
                i ? "," : "", timing->part[i].name, (int)getpid(),
                timing->part[i].begin * 1e3,
                (timing->part[i].end - timing->part[i].begin) * 1e3);
    }
    fprintf(file, "\n]}\n");
    bool failed = ferror(file);
    if (fclose(file) || failed) {
        nvrtc_text_print(log, "Time trace file writing error: %s: %s\n", name,
                         strerror(errno));
        return false;
    }
    return true;
}

nvrtcResult
nvrtc_timing_write(const struct nvrtc_timing *timing, const char *program,
                   const struct nvrtc_options *options, struct nvrtc_text *log)
{
    if (options->times && !table_write(timing, program, options->times, log)) {
        return NVRTC_ERROR_TIME_FILE_WRITE_FAILED;
    }
    if (options->trace && !trace_write(timing, options->trace, log)) {
        return NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED;
    }
    return NVRTC_SUCCESS;
}
