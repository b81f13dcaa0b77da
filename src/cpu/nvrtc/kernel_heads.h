/* kernel_heads.h - reports kernels that NVRTC refuses and clang accepts.
 * Thread-safe.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_KERNEL_HEADS_H
#define PYCUDA_CPU_NVRTC_KERNEL_HEADS_H

struct nvrtc_edits;

/* Adds a pragma that makes the front end report an error before each kernel
 * that NVRTC refuses. The caller has used nvrtc_attributes_mark, so that
 * memory and execution spaces are written as __shared__ etc. in `source`. */
void nvrtc_kernel_heads_mark(struct nvrtc_edits *edits, const char *source);

#endif
