/* job.h - one compilation, as compile.c and attempts.c share it.
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
    char headers[PATH_MAX]; /* pycuda/cuda */
    char folder[PATH_MAX];  /* headers given in memory; "": none */
    bool trivial;           /* constructors of shared variables do nothing */
    bool apart;             /* kernels are marked by spaces.c */
    char *marked;           /* the source after nvrtc_job_mark */
    char *source;           /* what rewrite.c made of that, or NULL */
    struct nvrtc_process jit;
    struct nvrtc_timing timing;
    nvrtcResult stopped;      /* a child process could not be used, which no
                               * other attempt can mend; NVRTC_SUCCESS: none */
    struct nvrtc_text reason; /* text that says why, then */
};

/* ---- attempts.c ---- */

/* Makes the changes that every source gets.  false: out of memory. */
bool nvrtc_job_mark(struct nvrtc_job *job);
/* Runs the front end once, unless the job is stopped; `text` asks for the
 * names, as textual IR. */
nvrtcResult nvrtc_job_front(struct nvrtc_job *job, bool text,
                            struct nvrtc_process *process);
/* Runs it in all the ways that may succeed and leaves the bitcode in the
 * program; else what it said first in the log. */
nvrtcResult nvrtc_job_bitcode(struct nvrtc_job *job);
/* Adds what a child said to the log, without clang's closing count. */
void nvrtc_job_log(struct nvrtc_text *log, const struct nvrtc_text *said);

#endif
