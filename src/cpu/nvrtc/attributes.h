/* attributes.h - gives all space attributes of a source the same spelling, and
 * finds macros that contain a given word. Thread-safe.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_ATTRIBUTES_H
#define PYCUDA_CPU_NVRTC_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/nvrtc/tokens.h"

struct nvrtc_edits;

enum { NVRTC_MACROS_MOST = 64 };

/* Names of macros that nvrtc_macros_find has found. The tokens point into the
 * source. */
struct nvrtc_macros {
    struct nvrtc_token names[NVRTC_MACROS_MOST];
    size_t count;
};

/* Adds edits that rewrite CUDA's memory and execution spaces if they are
 * written as GNU attributes: __attribute__((shared)) becomes __shared__. Also
 * rewrites spaces in a list of several attributes and in the text of a
 * macro. */
void nvrtc_attributes_mark(struct nvrtc_edits *edits, const char *source);
/* Finds the macros without parameters whose text contains `word`, or the name
 * of a macro that was found before it, and adds their names to `macros`. Stops
 * when `macros` has NVRTC_MACROS_MOST names. */
void nvrtc_macros_find(struct nvrtc_macros *macros, const char *source,
                       const char *word);
/* Returns true if the list `macros` contains the name. */
bool nvrtc_macros_have(const struct nvrtc_macros *macros,
                       struct nvrtc_token name);

#endif
