/* pch.c - precompiled package headers, cached in a folder.
 *
 * Called by compile.c and frontend_retry.c. A precompiled header saves about
 * half of the front end's time. Its file name is a hash of the front end
 * (path, size, time), the flags and the bytes of the headers, so a file for
 * other headers or flags is never used. cache_file.c rejects damaged files and
 * those of other users. If other users can write to the cache folder, headers
 * are compiled as text. If the file exists, the version of the front end was
 * checked when the file was created, and is not checked again. Thread-safe.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/nvrtc/cache_file.h"
#include "cpu/nvrtc/cccl.h"
#include "cpu/nvrtc/frontend.h"
#include "cpu/nvrtc/headers.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/paths.h"
#include "cpu/nvrtc/pch.h"
#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/text.h"

/* ---- names ---- */

static void
digest_add_word(struct nvrtc_digest *digest, const char *word)
{
    nvrtc_digest_add(digest, word, strlen(word));
}

/* Stores the path of the precompiled header that is named after `digest`.
 * Returns false if there is no cache folder, or if other users can write to
 * it; `log` reports that once per process. */
static bool
path_name(char path[PATH_MAX], const struct nvrtc_digest *digest,
          struct nvrtc_text *log)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool said;
    char folder[PATH_MAX];

    if (!nvrtc_path_cache(folder)) {
        return false;
    }
    if (nvrtc_folder_private(folder)) {
        return nvrtc_cache_file_path(path, folder, digest);
    }
    int error = errno;
    pthread_mutex_lock(&lock);
    if (!said) {
        nvrtc_text_print(log,
                         "nvrtc: warning: headers are not precompiled: %s %s "
                         "or %s a folder above it%s%s; PYCUDA_CACHE_DIR can "
                         "name a private folder\n",
                         error ? "cannot look at" : "other users can write to",
                         folder, error ? "at" : "to", error ? ": " : "",
                         error ? strerror(error) : "");
        said = true;
    }
    pthread_mutex_unlock(&lock);
    return false;
}

/* Stores in pch->path the path of the precompiled header for the given front
 * end, headers and flags. Returns false if there is no such path. */
static bool
pch_name(struct nvrtc_pch *pch, const struct nvrtc_strings *frontend,
         const char *headers, const struct nvrtc_strings *flags,
         struct nvrtc_text *log)
{
    struct nvrtc_digest digest = {0};
    struct stat status;

    if (stat(frontend->word[0], &status)) {
        return false;
    }
    digest_add_word(&digest, frontend->word[0]);
    nvrtc_digest_add(&digest, &status.st_size, sizeof status.st_size);
    nvrtc_digest_add(&digest, &status.st_mtim, sizeof status.st_mtim);
    for (size_t i = 0; i < flags->count; i++) {
        digest_add_word(&digest, flags->word[i]);
    }
    digest_add_word(&digest, pch->includes.bytes);
    return nvrtc_headers_digest(&digest, headers, "cpu", false) &&
           nvrtc_headers_digest(&digest, headers, "std", false) &&
           nvrtc_headers_digest(&digest, headers, ".", false) &&
           path_name(pch->path, &digest, log);
}

/* ---- contents ---- */

/* Finds the file that --pre-include=name means: `name` relative to the working
 * folder, or else in the folders of the -I options. Stores its real path. */
static bool
header_find(char path[PATH_MAX], const char *name,
            const struct nvrtc_strings *preprocess)
{
    char joined[PATH_MAX];

    if (access(name, R_OK) == 0) {
        return realpath(name, path) != NULL;
    }
    for (size_t i = 0; i < preprocess->count; i++) {
        const char *word = preprocess->word[i];
        if (strncmp(word, "-I", 2) != 0 ||
            snprintf(joined, sizeof joined, "%s/%s", word + 2, name) >=
                PATH_MAX) {
            continue;
        }
        if (access(joined, R_OK) == 0) {
            return realpath(joined, path) != NULL;
        }
    }
    return false;
}

/* Divides the pre-includes: pch->includes gets device.h and the headers of the
 * package, which are precompiled, and pch->rest gets the others. The first
 * header that is not of the package and all headers after it go to pch->rest,
 * so that the order is preserved. */
static bool
pch_split(struct nvrtc_pch *pch, const char *headers,
          const struct nvrtc_options *options)
{
    size_t n = strlen(headers);

    nvrtc_text_print(&pch->includes, "#include \"%s/cpu/device.h\"\n",
                     headers);
    for (size_t i = 0; i < options->preincludes.count; i++) {
        const char *name = options->preincludes.word[i];
        char path[PATH_MAX];
        bool ours = pch->rest.count == 0 &&
                    header_find(path, name, &options->preprocess) &&
                    !strncmp(path, headers, n) && path[n] == '/';
        if (ours) {
            nvrtc_text_print(&pch->includes, "#include \"%s\"\n", path);
        } else {
            nvrtc_strings_add(&pch->rest, "%s", name);
        }
    }
    return !pch->includes.failed && !pch->rest.failed;
}

/* ---- creation ---- */

/* Precompiles the #include lines `lines` and stores the result at `path`.
 * Returns false on failure, and also if the front end has printed warnings,
 * since they would not be repeated in later compilations. */
static bool
pch_make(const char *path, const struct nvrtc_strings *frontend,
         const struct nvrtc_strings *flags, const struct nvrtc_text *lines)
{
    static const char *const last[] = {
        "-fno-pch-timestamp", "-emit-pch", "-o", "-", "-x",
        "cuda-header",        "-"};
    struct nvrtc_process process;
    struct nvrtc_strings argv = {0};
    bool made = false;

    nvrtc_strings_add_all(&argv, frontend);
    nvrtc_strings_add_all(&argv, flags);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        nvrtc_strings_add(&argv, "%s", last[i]);
    }
    if (!argv.failed && !nvrtc_process_start(&process, argv.word)) {
        int code = nvrtc_process_finish(&process, lines->bytes, lines->length);
        made = !code && process.is_status_known && !process.status &&
               process.out.length && !process.err.length &&
               nvrtc_cache_file_put(path, &process.out);
        nvrtc_process_free(&process);
    }
    nvrtc_strings_free(&argv);
    return made;
}

bool
nvrtc_pch_get(struct nvrtc_pch *pch, const struct nvrtc_strings *frontend,
              const char *headers, const struct nvrtc_options *options,
              struct nvrtc_text *log)
{
    struct nvrtc_options plain = *options;
    struct nvrtc_strings flags = {0};
    bool right = true;

    /* The precompiled header that is created here contains only headers of the
     * package, which include no header of CCCL. */
    plain.cccl = NULL;
    nvrtc_frontend_flags(&flags, headers, &plain);
    if (flags.failed || !pch_split(pch, headers, options)) {
        nvrtc_text_print(log, "out of memory\n");
        nvrtc_strings_free(&flags);
        return false;
    }
    if (!pch_name(pch, frontend, headers, &flags, log)) {
        pch->path[0] = 0;
        right = nvrtc_frontend_check(frontend, log);
    } else if (!nvrtc_cache_file_is_valid(pch->path, log)) {
        right = nvrtc_frontend_check(frontend, log);
        if (!right || !pch_make(pch->path, frontend, &flags, &pch->includes)) {
            pch->path[0] = 0;
        }
    }
    nvrtc_strings_free(&flags);
    return right;
}

/* Adds to `flags` the front end's flags that create a precompiled header on
 * top of an existing one, pch->path. */
static void
extension_flags(struct nvrtc_strings *flags, const struct nvrtc_pch *pch,
                const char *headers, const struct nvrtc_options *options)
{
    nvrtc_frontend_flags(flags, headers, options);
    if (nvrtc_headers_among(headers, &options->preprocess)) {
        nvrtc_strings_add(flags, "-I%s", headers);
    }
    nvrtc_strings_add(flags, "-include-pch");
    nvrtc_strings_add(flags, "%s", pch->path);
}

/* Adds CCCL's version and the package's additions to CCCL to the hash, if CCCL
 * is used. Returns false if they cannot be read. */
static bool
cccl_digest(struct nvrtc_digest *digest, const char *headers, const char *cccl)
{
    bool right = cccl == NULL || nvrtc_cccl_digest(digest, cccl);

    for (const char *const *dir = nvrtc_cccl_dirs; cccl && *dir; dir++) {
        right = right && nvrtc_headers_digest(digest, headers, *dir, true);
    }
    return right;
}

void
nvrtc_pch_extend(struct nvrtc_pch *pch, const struct nvrtc_strings *frontend,
                 const char *headers, const struct nvrtc_options *options,
                 const struct nvrtc_text *lines, struct nvrtc_text *log)
{
    struct nvrtc_digest digest = {0};
    struct nvrtc_strings flags = {0};
    char path[PATH_MAX];

    if (pch->path[0] == 0 || lines->length == 0) {
        return;
    }
    extension_flags(&flags, pch, headers, options);
    for (size_t i = 0; i < flags.count; i++) {
        digest_add_word(&digest, flags.word[i]);
    }
    nvrtc_digest_add(&digest, lines->bytes, lines->length);
    if (!flags.failed && cccl_digest(&digest, headers, options->cccl) &&
        nvrtc_headers_digest(&digest, headers, "nvrtc", true) &&
        nvrtc_headers_digest(&digest, headers, "cpu/include", true) &&
        nvrtc_headers_digest(&digest, headers, "pycuda-random", true) &&
        path_name(path, &digest, log) &&
        (nvrtc_cache_file_is_valid(path, log) ||
         pch_make(path, frontend, &flags, lines))) {
        memcpy(pch->base, pch->path, sizeof pch->base);
        memcpy(pch->path, path, sizeof pch->path);
    }
    nvrtc_strings_free(&flags);
}

static bool
is_refused(const char *path, const char *log)
{
    if (path[0] == 0 || log == NULL || strstr(log, path) == NULL) {
        return false;
    }
    unlink(path);
    return true;
}

bool
nvrtc_pch_fall_back(struct nvrtc_pch *pch, const char *log)
{
    bool refused = is_refused(pch->path, log);

    if (pch->base[0]) {
        memcpy(pch->path, pch->base, sizeof pch->path);
        pch->base[0] = 0;
        return true;
    }
    if (refused) {
        pch->path[0] = 0;
    }
    return refused;
}

void
nvrtc_pch_free(struct nvrtc_pch *pch)
{
    nvrtc_text_free(&pch->includes);
    nvrtc_strings_free(&pch->rest);
    pch->path[0] = 0;
    pch->base[0] = 0;
}
