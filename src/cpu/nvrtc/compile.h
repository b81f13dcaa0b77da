/* compile.h - compiles a program.
 *
 * compile.c uses two child processes: the front end (frontend.c; clang -cc1)
 * and pycuda-jit, the compiler from LLVM bitcode to an image. An image is the
 * compiled module that the CPU device loads, its equivalent of a cubin. The
 * only global state is the list of live programs (api.c) and the command of
 * the front end (frontend.c); a mutex guards each of them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_COMPILE_H
#define PYCUDA_CPU_NVRTC_COMPILE_H

#include "api/nvrtc_types.h"

struct _nvrtcProgram;

/* Compiles the program and stores the result and the log in it. Returns
 * NVRTC_SUCCESS, or an error that the log describes. */
nvrtcResult nvrtc_compile(struct _nvrtcProgram *program, int count,
                          const char *const *options);
/* Creates program->ptx if it does not exist yet. Returns NVRTC_SUCCESS, an
 * error that the log describes, or OUT_OF_MEMORY. */
nvrtcResult nvrtc_compile_ptx(struct _nvrtcProgram *program);

#endif
