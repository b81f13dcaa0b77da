/* quick.h - quick versions: images that are optimised little, for the first
 * launches of kernels whose full compilation takes long.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_QUICK_H
#define PYCUDA_JIT_QUICK_H

struct jit_options;
struct jit_text;

/* Starts the timer after which the process restarts itself with --quick-now,
 * if the options allow a quick version. Sets options->quick to JIT_QUICK_NEVER
 * if no quick version is possible. `arguments` are those of main, and `text`
 * is the whole input; both must stay valid. */
void jit_quick_arm(struct jit_options *options, int count, char **arguments,
                   const struct jit_text *text);

#endif
