/* job.h - one compilation; shared by compile.c and frontend_retry.c.
 *
 * A job is used by one thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_JOB_H
#define PYCUDA_CPU_NVRTC_JOB_H

#include <limits.h>
#include <stdbool.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/pch.h"
#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/text.h"
#include "cpu/nvrtc/timing.h"

struct _nvrtcProgram;

struct nvrtc_job {
    struct _nvrtcProgram *program;
    struct nvrtc_options options;
    const struct nvrtc_strings *frontend;
    struct nvrtc_pch pch;
    /* path of the package's headers, the folder pycuda/cuda */
    char headers[PATH_MAX];
    /* temporary folder of the headers that the caller passed to
     * nvrtcCreateProgram; "" without such headers */
    char folder[PATH_MAX];
    /* folder of CCCL's headers, to which options.cccl points; "" if CCCL was
     * not looked for or not found */
    char cccl[PATH_MAX];
    bool trivial; /* pycuda::complex gets a trivial constructor */
    /* kernels are excluded from the pragma that makes all functions device
     * functions: `marked` has the edits of execution_spaces.c */
    bool apart;
    /* the source uses the runtime API for kernels (device_runtime.h) */
    bool device_runtime;
    /* kernels launch kernels: kernels are declared as device functions, and
     * `marked` has the edits of launches.c */
    bool launches;
    /* `marked` is the output of the preprocessor */
    bool preprocessed;
    char *marked; /* program's source with the edits of nvrtc_job_mark */
    /* the text in `marked` after the edits of rewrite.c; NULL if rewrite.c has
     * not edited it */
    char *source;
    struct nvrtc_process jit;
    struct nvrtc_timing timing;
    /* Error code if a child process failed to start or was killed, so that no
     * retry is useful; otherwise NVRTC_SUCCESS. `reason` is its message. */
    nvrtcResult stopped;
    struct nvrtc_text reason;
};

/* ---- frontend_retry.c ---- */

/* Sets job->marked to the source with the edits that every source gets, such
 * as those of dialect.c. Returns false if out of memory. */
bool nvrtc_job_mark(struct nvrtc_job *job);
/* Lets the front end use CCCL's headers from now on. Returns false if CCCL is
 * in use already or is not installed. */
bool nvrtc_job_use_cccl(struct nvrtc_job *job);
/* Runs the front end once, unless job->stopped is set. The front end outputs
 * bitcode; if `text` is true, it outputs textual IR that has the lowered names
 * of the program's name expressions. */
nvrtcResult nvrtc_job_front(struct nvrtc_job *job, bool text,
                            struct nvrtc_process *process);
/* Runs the front end with all retries, and stores the bitcode in the program.
 * On failure the log has the errors of the first attempt. */
nvrtcResult nvrtc_job_bitcode(struct nvrtc_job *job);
/* Runs the front end on `source` instead of the program's source, without
 * generating code. Stores its messages in `said`. */
void nvrtc_job_syntax(struct nvrtc_job *job, const char *source,
                      struct nvrtc_text *said);

#endif
