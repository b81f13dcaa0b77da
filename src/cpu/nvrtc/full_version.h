/* full_version.h - full versions of kernels whose image is a quick version
 * (full_input of struct image_header).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_FULL_VERSION_H
#define PYCUDA_CPU_NVRTC_FULL_VERSION_H

#include <limits.h>
#include <stdbool.h>

struct image_header;
struct nvrtc_text;

/* Returns the option of pycuda-jit that allows a quick version, or NULL if
 * PYCUDA_CPU_QUICK=0 forbids it. PYCUDA_CPU_QUICK=always, for tests, makes all
 * images quick versions for which this is possible. */
const char *nvrtc_quick_option(void);
/* Returns true if the image is a quick version. */
bool nvrtc_image_is_quick(const struct image_header *image);
/* Stores the path of the cache file for the full version of `quick`, an image
 * that the caller has validated. Returns false, with an empty path, if there
 * is no cache. The path depends on environment variables, which a program may
 * change, so callers determine it once, when the module is loaded. */
bool nvrtc_full_version_path(const struct image_header *quick,
                             char path[PATH_MAX]);
/* Compiles the full version of `quick`, a valid image, in a child process,
 * waits for it, and stores it in the cache file `path`, unless the path is
 * empty. Returns false if the child failed; a failed write to the cache is
 * ignored. */
bool nvrtc_full_version_build(const struct image_header *quick,
                              const char *path, struct nvrtc_text *full);

#endif
