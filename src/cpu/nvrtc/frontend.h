/* frontend.h - the front end, clang -cc1.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_FRONTEND_H
#define PYCUDA_CPU_NVRTC_FRONTEND_H

#include <stdbool.h>

struct nvrtc_options;
struct nvrtc_strings;
struct nvrtc_text;

/* Returns the command of clang's cc1, which is searched for once per process.
 * Returns NULL if there is none; `log` then says what to install. */
const struct nvrtc_strings *nvrtc_frontend_find(struct nvrtc_text *log);
/* Runs the front end with --version. Returns false, with an error in `log`, if
 * it cannot be run or has another major version than the required one. Only
 * called while no precompiled header of this front end exists. */
bool nvrtc_frontend_check(const struct nvrtc_strings *frontend,
                          struct nvrtc_text *log);
/* Subfolders of pycuda/cuda that are searched for `#include <name>`, in this
 * order; NULL ends the array. */
extern const char *const nvrtc_header_dirs[];
/* Subfolders of pycuda/cuda with the package's additions to CCCL. They are
 * searched before CCCL's folder; NULL ends the array. */
extern const char *const nvrtc_cccl_dirs[];
/* Adds the cc1 flags that every run of the front end gets: target, language,
 * header folders (with CCCL's if options->cccl is set). */
void nvrtc_frontend_flags(struct nvrtc_strings *argv, const char *headers,
                          const struct nvrtc_options *options);
/* Adds the cc1 flags that only some sources need. */
void nvrtc_source_flags(struct nvrtc_strings *argv, const char *source);

#endif
