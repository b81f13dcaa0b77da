/* diagnostics.h - turns clang's warnings into errors, or drops them, as NVRTC
 * does for the same code. Without state.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_DIAGNOSTICS_H
#define PYCUDA_CPU_NVRTC_DIAGNOSTICS_H

#include <stdbool.h>

struct nvrtc_text;

/* Adds the messages `said` of a child process to the log. Leaves out clang's
 * last line, such as "2 errors generated", and warnings about code that NVRTC
 * accepts without a warning. A warning about code that NVRTC refuses becomes
 * an error, unless it is in a header of the folder `own`. Returns true if a
 * warning has become an error. */
bool nvrtc_diagnostics_add(struct nvrtc_text *log,
                           const struct nvrtc_text *said, const char *own);

#endif
