/* job.h - one compilation; shared by compile.c and attempts.c.
 *
 * A job is used by one thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_JOB_H
#define PYCUDA_CPU_NVRTC_JOB_H

#include "cpu/nvrtc/nvrtc.h"

struct nvrtc_job {
    struct _nvrtcProgram *program;
    struct nvrtc_options options;
    const struct nvrtc_words *frontend;
    struct nvrtc_pch pch;
    char headers[PATH_MAX]; /* folder pycuda/cuda */
    char folder[PATH_MAX];  /* headers given in memory; "": none */
    bool trivial;           /* constructors of shared variables are omitted */
    bool apart;             /* kernels are marked by spaces.c */
    char *marked;           /* source after nvrtc_job_mark */
    char *source;           /* `marked`, rewritten by rewrite.c; or NULL */
    struct nvrtc_process jit;
    struct nvrtc_timing timing;
    nvrtcResult stopped;      /* a child process could not be used, which no
                               * other attempt can mend; NVRTC_SUCCESS: none */
    struct nvrtc_text reason; /* text that says why, then */
};

/* ---- attempts.c ---- */

/* Applies the edits that every source needs. Returns false if out of
 * memory. */
bool nvrtc_job_mark(struct nvrtc_job *job);
/* Runs the front end once, unless the job is stopped. With `text`, it outputs
 * the lowered names as textual IR. */
nvrtcResult nvrtc_job_front(struct nvrtc_job *job, bool text,
                            struct nvrtc_process *process);
/* Runs the front end with all retries, and stores the bitcode in the program.
 * On failure the log has the errors of the first attempt. */
nvrtcResult nvrtc_job_bitcode(struct nvrtc_job *job);
/* Adds a child's messages to the log, without clang's final count. */
void nvrtc_job_log(struct nvrtc_text *log, const struct nvrtc_text *said);

#endif
