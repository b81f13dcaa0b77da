/* paths.c - paths of the package's files and of the user's cache.
 *
 * The library is in <package>/lib. Other files are found relative to it, or
 * through environment variables. Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/nvrtc/paths.h"

static bool
path_print(char path[PATH_MAX], const char *folder, const char *name)
{
    int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);

    if (n <= 0 || n >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

/* Stores the package's folder, the parent of the library's folder, in `path`.
 * Returns false if it cannot be found. */
static bool
package_folder(char path[PATH_MAX])
{
    /* dladdr finds the library by the address of this object */
    static const char here;
    Dl_info info;
    char real[PATH_MAX];

    errno = ENOENT;
    if (!dladdr(&here, &info) || !info.dli_fname ||
        !realpath(info.dli_fname, real)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(real, '/');
        if (slash == NULL || slash == real) {
            return false;
        }
        *slash = 0;
    }
    memcpy(path, real, strlen(real) + 1);
    return true;
}

bool
nvrtc_path_package(char path[PATH_MAX], const char *variable, const char *name)
{
    const char *given = getenv(variable);
    char folder[PATH_MAX];

    if (given && *given) {
        return realpath(given, path) != NULL;
    }
    return package_folder(folder) && path_print(path, folder, name);
}

static bool
folder_usable(const char *path)
{
    return (mkdir(path, 0700) == 0 || errno == EEXIST) &&
           access(path, W_OK | X_OK) == 0;
}

/* Creates `path` and the folders above it. */
static bool
folder_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int code = mkdir(path, 0700);
        *slash = '/';
        if (code && errno != EEXIST && errno != EROFS && errno != EACCES) {
            return false;
        }
    }
    return folder_usable(path);
}

bool
nvrtc_path_cache(char path[PATH_MAX])
{
    static const struct {
        const char *variable, *below;
    } places[] = {
        {"PYCUDA_CACHE_DIR", "front"},
        {"XDG_CACHE_HOME", "pycuda-c/front"},
        {"HOME", ".cache/pycuda-c/front"},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *folder = getenv(places[i].variable);
        if (folder && folder[0] == '/') {
            return path_print(path, folder, places[i].below) &&
                   folder_make(path);
        }
    }
    return false;
}
