/* paths.h - paths of the package's files.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_PATHS_H
#define PYCUDA_CPU_NVRTC_PATHS_H

#include <limits.h>
#include <stdbool.h>

/* Stores in `path` the path ../name relative to the library or, if the
 * environment variable `variable` is set, the variable's value. Returns false,
 * with errno, if the path is too long or the library's folder is not found. */
bool nvrtc_path_package(char path[PATH_MAX], const char *variable,
                        const char *name);
/* Stores the path of the cache folder for precompiled headers and images, and
 * creates the folder if necessary. Returns false if there is none. */
bool nvrtc_path_cache(char path[PATH_MAX]);

#endif
