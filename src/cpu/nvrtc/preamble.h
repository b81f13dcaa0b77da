/* preamble.h - leading #include lines of a source.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_PREAMBLE_H
#define PYCUDA_CPU_NVRTC_PREAMBLE_H

struct nvrtc_options;
struct nvrtc_text;

/* Stores in `lines` the leading #include lines of the source, which pch.c
 * precompiles. `lines` stays empty if precompiling saves no time, or if an
 * option could change the meaning of the headers. `folder` is the folder of
 * the headers that the caller passed in memory; "" if there are none. */
void nvrtc_preamble_read(struct nvrtc_text *lines, const char *source,
                         const char *headers,
                         const struct nvrtc_options *options,
                         const char *folder);

#endif
