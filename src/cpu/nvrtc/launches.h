/* launches.h - launches of kernels by kernels, in a source.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_LAUNCHES_H
#define PYCUDA_CPU_NVRTC_LAUNCHES_H

#include <stddef.h>

struct nvrtc_edits;
struct nvrtc_text;

/* Adds edits that turn each launch, k<<<config>>>(arguments), into a form that
 * clang compiles in device code. Returns the number of launches. If there is
 * not enough memory, edits->failed is true. */
size_t nvrtc_launches_mark(struct nvrtc_edits *edits, const char *source);
/* Replaces clang's errors about launches in device code by NVRTC's error about
 * code that is not relocatable. */
void nvrtc_launches_explain(struct nvrtc_text *log);

#endif
