/* memory_headers.h - headers that the caller passes to nvrtcCreateProgram.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_MEMORY_HEADERS_H
#define PYCUDA_CPU_NVRTC_MEMORY_HEADERS_H

#include <limits.h>
#include <stdbool.h>

struct _nvrtcProgram;
struct nvrtc_text;

/* Writes the program's headers to a new temporary folder and stores the
 * folder's path in `path`, or "" if there are no headers. Returns false, with
 * an error in `log`, on failure. */
bool nvrtc_memory_headers_write(const struct _nvrtcProgram *program,
                                char path[PATH_MAX], struct nvrtc_text *log);
/* Removes the folder that nvrtc_memory_headers_write has created. */
void nvrtc_memory_headers_remove(const struct _nvrtcProgram *program,
                                 const char *path);

#endif
