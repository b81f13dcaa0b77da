/* dialect.h - makes keywords of clang that NVRTC lacks an error, before the
 * front end runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_DIALECT_H
#define PYCUDA_CPU_NVRTC_DIALECT_H

#include <stdbool.h>

struct nvrtc_edits;

/* dialect.c: adds edits that make clang keywords an error if NVRTC does not
 * have them. `before_20`: the C++ standard is older than C++20. */
void nvrtc_dialect_mark(struct nvrtc_edits *edits, const char *source,
                        bool before_20);

#endif
