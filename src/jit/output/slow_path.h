/* slow_path.h - slow-path calls of mathematical functions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_OUTPUT_SLOW_PATH_H
#define PYCUDA_JIT_OUTPUT_SLOW_PATH_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct jit;

/* Declares the vector variants of the slow-path calls (__pycuda_rare_*) of
 * mathematical functions, before vectorisation. Returns false if the module
 * has no such calls. */
bool jit_declare_slow_paths(struct jit *jit);
/* Defines the slow paths of mathematical functions, with their vector
 * variants. A slow path is a function for the rare arguments that the inline
 * code does not handle. Called after vectorisation. */
void jit_define_slow_paths(struct jit *jit);
/* Returns the name of the C library function for the name `__pycuda_rare_...`,
 * NULL for other names. */
const char *jit_slow_path_function(const char *name);
/* Returns the declaration of the vector variant of the slow-path function
 * `function` that handles `width` threads. */
LLVMValueRef jit_slow_path_variant(struct jit *jit, LLVMValueRef function,
                                   unsigned width);

#endif
