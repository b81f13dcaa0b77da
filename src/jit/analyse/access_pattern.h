/* access_pattern.h - test for code in which neighbouring threads access memory
 * locations that are far apart.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ANALYSE_ACCESS_PATTERN_H
#define PYCUDA_JIT_ANALYSE_ACCESS_PATTERN_H

#include <stdbool.h>

struct jit;
struct jit_split;

/* Tests whether the code of the basic blocks `blocks` consists mostly of
 * scattered memory accesses: threads with consecutive threadIdx.x do not
 * access consecutive addresses. */
bool jit_is_scattered(struct jit *jit, const struct jit_split *split,
                      const bool *blocks);

#endif
