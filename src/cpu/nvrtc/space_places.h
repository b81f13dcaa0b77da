/* space_places.h - corrects memory spaces (__shared__, ...) that clang would
 * apply to a type.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_SPACE_PLACES_H
#define PYCUDA_CPU_NVRTC_SPACE_PLACES_H

struct nvrtc_edits;

/* Adds edits so that a memory space after the closing brace of a class applies
 * to the declared variables, and removes memory spaces in typedefs.
 * Thread-safe. */
void nvrtc_space_places_mark(struct nvrtc_edits *edits, const char *source);

#endif
