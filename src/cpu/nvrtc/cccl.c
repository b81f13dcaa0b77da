/* cccl.c - finds CCCL (CUB, libcu++, Thrust) and decides when it is used.
 *
 * Called by compile.c, frontend.c, frontend_retry.c, pch.c and preamble.c. The
 * package has its own versions of CCCL's most common headers. They need no
 * installation and compile faster, but cannot be mixed with CCCL's in one
 * source. So a compilation uses either the package's headers or CCCL's.
 * Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "cpu/nvrtc/cccl.h"
#include "cpu/nvrtc/frontend.h"
#include "cpu/nvrtc/headers.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/paths.h"
#include "cpu/nvrtc/text.h"

/* ---- the folder ---- */

/* A header that every version of CCCL has and that defines its version. */
static const char version_header[] = "cub/version.cuh";

bool
nvrtc_cccl_contains(const char *cccl, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", cccl, name);

    return n < PATH_MAX && access(path, R_OK) == 0;
}

/* Stores in `path` the real path of `folder`/`below`, a possible folder of
 * CCCL. Returns false if the folder has no headers of CCCL, or if it also has
 * headers of a CUDA toolkit (cuda_runtime.h), which the CPU device cannot
 * use. */
static bool
folder_take(char path[PATH_MAX], const char *folder, const char *below)
{
    char joined[PATH_MAX];
    int n = snprintf(joined, sizeof joined, "%s/%s", folder, below);

    return n < PATH_MAX && nvrtc_cccl_contains(joined, version_header) &&
           !nvrtc_cccl_contains(joined, "cuda_runtime.h") &&
           realpath(joined, path);
}

/* Finds CCCL in a wheel that is installed next to the package. */
static bool
find_wheel(char path[PATH_MAX])
{
    static const char *const wheels[] = {"nvidia/cu13/include/cccl",
                                         "nvidia/cuda_cccl/include"};
    char site[PATH_MAX];

    if (!nvrtc_path_package(site, "PYCUDA_NO_SUCH", "..")) {
        return false;
    }
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++) {
        if (folder_take(path, site, wheels[i])) {
            return true;
        }
    }
    return false;
}

static bool
find_toolkit(char path[PATH_MAX])
{
    static const char *const variables[] = {"CUDA_PATH", "CUDA_HOME",
                                            "CUDA_ROOT", "CONDA_PREFIX"};

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *root = getenv(variables[i]);
        if (root && *root &&
            (folder_take(path, root, "include/cccl") ||
             folder_take(path, root, "targets/x86_64-linux/include/cccl"))) {
            return true;
        }
    }
    return folder_take(path, "/usr/local/cuda", "include/cccl");
}

/* Returns the folder that a -I or -idirafter option names, or NULL for other
 * options. (options.c turns --include-path into such an option.) */
static const char *
include_folder(const char *word)
{
    static const char *const flags[] = {"-idirafter", "-I"};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!strncmp(word, flags[i], strlen(flags[i]))) {
            return word + strlen(flags[i]);
        }
    }
    return NULL;
}

bool
nvrtc_cccl_is_include(const char *word)
{
    const char *folder = include_folder(word);

    return folder && nvrtc_cccl_contains(folder, version_header);
}

bool
nvrtc_cccl_find(char path[PATH_MAX], const struct nvrtc_strings *preprocess)
{
    const char *given = getenv("PYCUDA_CCCL");

    for (size_t i = 0; i < preprocess->count; i++) {
        const char *word = preprocess->word[i];
        if (nvrtc_cccl_is_include(word) &&
            folder_take(path, include_folder(word), ".")) {
            return true;
        }
    }
    if (given && *given) {
        return folder_take(path, given, ".");
    }
    return find_wheel(path) || find_toolkit(path);
}

bool
nvrtc_cccl_digest(struct nvrtc_digest *digest, const char *cccl)
{
    char path[PATH_MAX], buffer[1 << 13];
    struct stat status;

    if (snprintf(path, sizeof path, "%s/%s", cccl, version_header) >=
        PATH_MAX) {
        return false;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t n = read(fd, buffer, sizeof buffer);
    bool right = n > 0 && fstat(fd, &status) == 0;
    close(fd);
    if (right) {
        nvrtc_digest_add(digest, buffer, (size_t)n);
        nvrtc_digest_add(digest, &status.st_mtim, sizeof status.st_mtim);
    }
    return right;
}

/* ---- whether the source uses CCCL ---- */

static const char *const prefixes[] = {"cub/", "cuda/", "nv/", "thrust/"};

static bool
is_cccl_name(const char *name)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) {
            return true;
        }
    }
    return false;
}

/* Returns true if the header `name` requires CCCL. If `any` is true, every
 * header of CCCL does; otherwise only a header of CCCL that the package
 * lacks. */
static bool
name_wants(const char *name, const char *headers, bool any)
{
    if (!is_cccl_name(name)) {
        return false;
    }
    for (const char *const *dir = nvrtc_header_dirs; !any && *dir; dir++) {
        if (nvrtc_headers_contain(headers, *dir, name)) {
            return false;
        }
    }
    return true;
}

/* Reads the file name of an #include directive. `at` is the position after the
 * directive's '#'. Returns false if this is no #include with a file name. */
static bool
name_read(char name[PATH_MAX], const char *at)
{
    static const char word[] = "include";

    at += strspn(at, " \t");
    if (strncmp(at, word, sizeof word - 1) != 0) {
        return false;
    }
    at += sizeof word - 1;
    at += strspn(at, " \t");
    if (*at != '<' && *at != '"') {
        return false;
    }
    const char *end = *at == '<' ? ">\n" : "\"\n";
    size_t n = strcspn(++at, end);
    return at[n] == end[0] &&
           snprintf(name, PATH_MAX, "%.*s", (int)n, at) < PATH_MAX;
}

bool
nvrtc_cccl_is_wanted(const char *source, const char *headers,
                     const struct nvrtc_options *options)
{
    char name[PATH_MAX];
    bool any = false;

    for (size_t i = 0; i < options->preprocess.count; i++) {
        any = any || nvrtc_cccl_is_include(options->preprocess.word[i]);
    }
    for (size_t i = 0; i < options->preincludes.count; i++) {
        if (name_wants(options->preincludes.word[i], headers, any)) {
            return true;
        }
    }
    for (const char *at = strchr(source, '#'); at; at = strchr(at, '#')) {
        at++;
        if (name_read(name, at) && name_wants(name, headers, any)) {
            return true;
        }
    }
    return false;
}

const char nvrtc_cccl_advice[] =
    "note: headers of CUB, Thrust and libcu++ come with \"pip install "
    "nvidia-cuda-cccl\" or a CUDA 13 toolkit; PYCUDA_CCCL can name their "
    "folder\n";

bool
nvrtc_cccl_is_mentioned(const char *log)
{
    static const char *const signs[] = {
        "'cub/",     "'cuda/",          "'nv/",
        "'thrust/",  "'cub'",           "'cuda'",
        "'thrust'",  "'cub::",          "'cuda::",
        "'thrust::", "identifier 'cub", "identifier 'thrust",
    };

    for (size_t i = 0; log && i < sizeof signs / sizeof *signs; i++) {
        if (strstr(log, signs[i])) {
            return true;
        }
    }
    return false;
}

bool
nvrtc_cccl_undefined(const struct nvrtc_strings *preprocess)
{
    static const char *const tested[] = {"CCCL_",       "CUB_",   "CUDA_",
                                         "LIBCUDACXX_", "NV_",    "DEBUG",
                                         "THRUST_",     "NDEBUG", "_"};

    for (size_t i = 0; i < preprocess->count; i++) {
        const char *word = preprocess->word[i];
        bool macro = !strncmp(word, "-D", 2) || !strncmp(word, "-U", 2);
        for (size_t j = 0; macro && j < sizeof tested / sizeof *tested; j++) {
            if (!strncmp(word + 2, tested[j], strlen(tested[j]))) {
                return false;
            }
        }
    }
    return true;
}
