/* jit_process.h - pycuda-jit as a child process.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_JIT_PROCESS_H
#define PYCUDA_CPU_NVRTC_JIT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "api/cuda_types.h"

struct nvrtc_text;

struct cpu_jit_result {
    void *image; /* compiled image, allocated by malloc */
    size_t image_bytes;
    char *text; /* messages of the compiler, allocated by malloc */
    int status; /* exit status; -1: could not start, or was killed */
};

/* Runs pycuda-jit on the input and waits until it ends. The caller frees the
 * image and the text. If the result is CUDA_SUCCESS, `image` is a complete
 * image. Returns JIT_COMPILER_NOT_FOUND if pycuda-jit could not be started,
 * INVALID_PTX if it failed. */
CUresult cpu_jit_run(const void *input, size_t bytes, char *const options[],
                     struct cpu_jit_result *result);

#define NVRTC_TARGET_WORD 48 /* buffer size for --target=... */
/* Returns true if `text`, the output of pycuda-jit, is exactly one image. */
bool nvrtc_jit_image_is_complete(const struct nvrtc_text *text);
/* Writes pycuda-jit's option --target for this processor to `word` and returns
 * it. Returns NULL if the user sets the target with PYCUDA_CPU_TARGET. */
const char *nvrtc_jit_target(char word[NVRTC_TARGET_WORD]);

#endif
