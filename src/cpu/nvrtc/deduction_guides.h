/* deduction_guides.h - declares the deduction guides of a source __device__
 * before the front end runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_DEDUCTION_GUIDES_H
#define PYCUDA_CPU_NVRTC_DEDUCTION_GUIDES_H

struct nvrtc_edits;

/* deduction_guides.c: adds edits that declare deduction guides __device__. */
void nvrtc_deduction_guides_mark(struct nvrtc_edits *edits,
                                 const char *source);

#endif
