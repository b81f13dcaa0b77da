/* execution_spaces.h - excludes kernels from the pragma that makes all
 * functions device functions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_EXECUTION_SPACES_H
#define PYCUDA_CPU_NVRTC_EXECUTION_SPACES_H

struct nvrtc_edits;

/* execution_spaces.c: adds edits that exclude kernels from the pragma that
 * makes all functions device functions. */
void nvrtc_kernels_mark(struct nvrtc_edits *edits, const char *source);

#endif
