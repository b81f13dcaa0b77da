/* ptx.h - PTX as the input of modules, libraries and links.
 *
 * Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_PTX_H
#define PYCUDA_CPU_PTX_H

#include <stddef.h>

#include "api/cuda_types.h"

struct cpu_jit_result;

/* Returns the text of a module in PTX: `bytes` itself, or uncompressed PTX in
 * a fatbin, and stores its length. Returns NULL for other bytes. Reads at most
 * `most` bytes; SIZE_MAX means that a text ends with a zero byte and a fatbin
 * is as long as its header says. */
const char *cpu_ptx_find(const void *bytes, size_t most, size_t *length);
/* Translates PTX to an image with bitcode if `linkable` is true, otherwise
 * with machine code, which is cached on disk. The caller frees the image and
 * the text of the result. Returns INVALID_PTX for errors of the PTX, which
 * result->text lists, or an error of cpu_jit_run. */
CUresult cpu_ptx_translate(const char *text, size_t length, int linkable,
                           struct cpu_jit_result *result);

#endif
