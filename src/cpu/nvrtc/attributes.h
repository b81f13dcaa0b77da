/* attributes.h - CUDA's attributes in one spelling. Thread-safe.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_ATTRIBUTES_H
#define PYCUDA_CPU_NVRTC_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/nvrtc/tokens.h"

struct nvrtc_edits;

enum { NVRTC_MACROS_MOST = 64 };

/* Names of macros, in the source that they are defined in. */
struct nvrtc_macros {
    struct nvrtc_token names[NVRTC_MACROS_MOST];
    size_t count;
};

/* Adds edits that turn __attribute__((shared)) and the other spaces of CUDA,
 * also in lists and in macros, into __shared__ and so on. */
void nvrtc_attributes_mark(struct nvrtc_edits *edits, const char *source);
/* Adds the macros without parameters whose text has the word, or such a macro.
 * More than NVRTC_MACROS_MOST are ignored. */
void nvrtc_macros_find(struct nvrtc_macros *macros, const char *source,
                       const char *word);
/* Returns true if `name` is one of the macros. */
bool nvrtc_macros_have(const struct nvrtc_macros *macros,
                       struct nvrtc_token name);

#endif
