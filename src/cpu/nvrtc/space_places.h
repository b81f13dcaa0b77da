/* space_places.h - CUDA's memory spaces after classes and in typedefs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_SPACE_PLACES_H
#define PYCUDA_CPU_NVRTC_SPACE_PLACES_H

struct nvrtc_edits;

/* Adds edits that make the spaces after a class's closing brace apply to the
 * declared variables, and remove the spaces in typedefs. Thread-safe. */
void nvrtc_space_places_mark(struct nvrtc_edits *edits, const char *source);

#endif
