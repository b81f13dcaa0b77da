/* cache_file.h - cache files that processes share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_CACHE_FILE_H
#define PYCUDA_CPU_NVRTC_CACHE_FILE_H

#include <limits.h>
#include <stdbool.h>

struct nvrtc_digest;
struct nvrtc_text;

/* Returns true if only the user and root can write to or replace `folder` and
 * the folders above it. A folder with the sticky bit may be writable by
 * others, since they cannot replace its entries. If the result is false, errno
 * is 0, or the reason why a folder could not be examined. */
bool nvrtc_folder_private(const char *folder);
/* Stores in `path` the path of the cache file in `folder` that is named after
 * `digest`. Returns false if the path is too long. */
bool nvrtc_cache_file_path(char path[PATH_MAX], const char *folder,
                           const struct nvrtc_digest *digest);
/* Returns true if `path` is a regular file that the user or root owns, with
 * the correct checksum. Renews the file's modification time, so that it is not
 * removed as unused. The first file per process that another user owns or can
 * write is reported in `log`. */
bool nvrtc_cache_file_is_valid(const char *path, struct nvrtc_text *log);
/* Reads a cache file into `text`, which the caller frees, under the conditions
 * of nvrtc_cache_file_is_valid. Returns false if it is not valid or memory is
 * exhausted. */
bool nvrtc_cache_file_read(const char *path, struct nvrtc_text *text);
/* Writes `text` and its checksum to `path` atomically, and removes unused
 * files from the folder. Returns false on failure, with no file left. */
bool nvrtc_cache_file_put(const char *path, const struct nvrtc_text *text);

#endif
