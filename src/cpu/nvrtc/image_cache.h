/* image_cache.h - images of pycuda-jit in cache files.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_IMAGE_CACHE_H
#define PYCUDA_CPU_NVRTC_IMAGE_CACHE_H

#include <limits.h>
#include <stdbool.h>

struct nvrtc_digest;
struct nvrtc_text;

/* Stores the path of pycuda-jit. Returns false, with errno set, if it was not
 * found. */
bool nvrtc_image_compiler(char path[PATH_MAX]);
/* Stores the path of the cache file for an image. `digest` is the hash of all
 * inputs of pycuda-jit; the size and time of pycuda-jit are added to it.
 * Returns false, with an empty path, if there is no cache:
 * PYCUDA_DISABLE_CACHE disables it, and so does a folder that other users can
 * write to. */
bool nvrtc_image_cache_path(struct nvrtc_digest *digest, char path[PATH_MAX]);
/* Reads an image from the cache file `path`. Returns false, with an empty
 * text, if the path is empty, or if the file does not exist, is damaged or may
 * have been written by another user (cache_file.h). The caller frees the
 * text. */
bool nvrtc_image_cache_find(const char *path, struct nvrtc_text *image);

#endif
