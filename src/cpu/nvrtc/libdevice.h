/* libdevice.h - functions of NVIDIA's bitcode library that a source names.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_LIBDEVICE_H
#define PYCUDA_CPU_NVRTC_LIBDEVICE_H

struct nvrtc_text;

/* Writes definitions of the functions such as __nv_sinf that `source` names;
 * nothing if there are none. `headers` is the folder of the package's headers.
 * Thread-safe. */
void nvrtc_libdevice_write(struct nvrtc_text *text, const char *source,
                           const char *headers);

#endif
