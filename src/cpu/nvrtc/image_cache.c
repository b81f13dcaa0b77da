/* image_cache.c - images of pycuda-jit in cache files.
 *
 * Called for full versions of kernels (full_version.c) and for modules in PTX
 * (module/ptx.c). A cache file is named after a hash of all inputs of
 * pycuda-jit, and of the size and time of pycuda-jit. Images are executed, so
 * the cache is not used if other users can write to its folder. Thread-safe,
 * without state.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cpu/nvrtc/cache_file.h"
#include "cpu/nvrtc/headers.h"
#include "cpu/nvrtc/image_cache.h"
#include "cpu/nvrtc/jit_process.h"
#include "cpu/nvrtc/paths.h"
#include "cpu/nvrtc/text.h"

bool
nvrtc_image_compiler(char path[PATH_MAX])
{
    return nvrtc_path_package(path, "PYCUDA_JIT", "bin/pycuda-jit");
}

bool
nvrtc_image_cache_path(struct nvrtc_digest *digest, char path[PATH_MAX])
{
    struct stat status;
    char folder[PATH_MAX];

    if (getenv("PYCUDA_DISABLE_CACHE") || !nvrtc_image_compiler(path) ||
        stat(path, &status) || !nvrtc_path_cache(folder) ||
        !nvrtc_folder_private(folder)) {
        path[0] = 0;
        return false;
    }
    nvrtc_digest_add(digest, &status.st_size, sizeof status.st_size);
    nvrtc_digest_add(digest, &status.st_mtim, sizeof status.st_mtim);
    if (!nvrtc_cache_file_path(path, folder, digest)) {
        path[0] = 0;
    }
    return path[0] != 0;
}

bool
nvrtc_image_cache_find(const char *path, struct nvrtc_text *image)
{
    *image = (struct nvrtc_text){0};
    if (path[0] && nvrtc_cache_file_read(path, image) &&
        nvrtc_jit_image_is_complete(image)) {
        return true;
    }
    nvrtc_text_free(image);
    return false;
}
