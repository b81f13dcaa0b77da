/* pch.c - our headers in precompiled form, cached in a folder.
 *
 * A precompiled header saves the front end about half its time.  Its name is
 * a hash of the front end (path, size, time), the flags and the headers'
 * bytes, so a wrong one is never found; it is made under a temporary name and
 * renamed, so a torn one neither.  Where no folder can be written, headers
 * are read as text.  That a file is there also says that the front end's
 * version was looked at.  Whenever one is made, those that nobody used for a
 * month go, and what killed processes left.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cpu/nvrtc/nvrtc.h"

/* seconds */
enum {
    TOUCHED_EVERY = 24 * 3600,
    UNUSED_LIFE = 30 * 24 * 3600,
    TEMPORARY_LIFE = 3600,
};
#define NAME_DIGITS 32

/* Two FNV-1a hashes with different starts: 128 bits, no adversary. */
struct digest {
    uint64_t a, b;
};

static void
digest_add(struct digest *digest, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < n; i++) {
        digest->a = (digest->a ^ byte[i]) * 0x100000001b3u;
        digest->b = (digest->b ^ byte[i]) * 0x100000001b3u;
        digest->b ^= digest->b >> 29;
    }
}

static void
digest_add_word(struct digest *digest, const char *word)
{
    digest_add(digest, word, strlen(word) + 1);
}

static bool
digest_add_file(struct digest *digest, const char *path)
{
    char buffer[1 << 14];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    while ((n = read(fd, buffer, sizeof buffer)) > 0) {
        digest_add(digest, buffer, (size_t)n);
    }
    close(fd);
    return n == 0;
}

static int
is_header(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && !strcmp(dot, ".h");
}

/* All headers of a folder, by name. */
static bool
digest_add_folder(struct digest *digest, const char *folder)
{
    struct dirent **entries;
    bool right = true;
    int count = scandir(folder, &entries, is_header, alphasort);

    if (count < 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        int n =
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        right = right && n < PATH_MAX && digest_add_file(digest, path);
        free(entries[i]);
    }
    free(entries);
    return right;
}

/* The name of the precompiled file. */
static bool
pch_name(struct nvrtc_pch *pch, const struct nvrtc_words *frontend,
         const char *headers, const struct nvrtc_words *flags)
{
    struct digest digest = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    struct stat status;
    char folder[PATH_MAX], cpu[PATH_MAX];

    if (!nvrtc_path_cache(folder) || stat(frontend->word[0], &status) ||
        snprintf(cpu, sizeof cpu, "%s/cpu", headers) >= PATH_MAX) {
        return false;
    }
    digest_add_word(&digest, frontend->word[0]);
    digest_add(&digest, &status.st_size, sizeof status.st_size);
    digest_add(&digest, &status.st_mtim, sizeof status.st_mtim);
    for (size_t i = 0; i < flags->count; i++) {
        digest_add_word(&digest, flags->word[i]);
    }
    digest_add_word(&digest, pch->includes.bytes);
    if (!digest_add_folder(&digest, cpu) ||
        !digest_add_folder(&digest, headers)) {
        return false;
    }
    int n =
        snprintf(pch->path, sizeof pch->path, "%s/%016llx%016llx.pch", folder,
                 (unsigned long long)digest.a, (unsigned long long)digest.b);
    return n < PATH_MAX;
}

/* Where #include "name" finds a file: `name` itself, then the -I folders. */
static bool
header_find(char path[PATH_MAX], const char *name,
            const struct nvrtc_words *preprocess)
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

/* device.h first, then the pre-includes that lie in our folder; others go to
 * `rest`.  The order is kept: from the first foreign one on, all do. */
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
            nvrtc_words_add(&pch->rest, "%s", name);
        }
    }
    return !pch->includes.failed && !pch->rest.failed;
}

static bool
write_whole(const char *path, const struct nvrtc_text *text)
{
    size_t done = 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0) {
        return false;
    }
    while (done < text->length) {
        ssize_t n = write(fd, text->bytes + done, text->length - done);
        if (n < 0 && errno != EINTR) {
            break;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return close(fd) == 0 && done == text->length;
}

/* Whether the file is there; its date says when it was used. */
static bool
pch_find(const char *path)
{
    struct stat status;

    if (access(path, R_OK) != 0 || stat(path, &status) != 0) {
        return false;
    }
    if (time(NULL) - status.st_mtime > TOUCHED_EVERY) {
        utimensat(AT_FDCWD, path, NULL, 0);
    }
    return true;
}

static bool
is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           strncmp(name + NAME_DIGITS, ".pch", 4) == 0;
}

/* Removes what is old from the folder of `path`. */
static void
folder_trim(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    struct dirent *entry;
    struct stat status;

    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL) {
        return;
    }
    while ((entry = readdir(open_folder)) != NULL) {
        int fd = dirfd(open_folder);
        if (!is_ours(entry->d_name) ||
            fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        bool whole = entry->d_name[NAME_DIGITS + 4] == 0;
        if (time(NULL) - status.st_mtime >
            (whole ? UNUSED_LIFE : TEMPORARY_LIFE)) {
            unlinkat(fd, entry->d_name, 0);
        }
    }
    closedir(open_folder);
}

/* Compiles the headers and puts the result at pch->path; on failure path
 * becomes "". */
static void
pch_make(struct nvrtc_pch *pch, const struct nvrtc_words *frontend,
         const struct nvrtc_words *flags)
{
    struct nvrtc_process process;
    struct nvrtc_words argv = {0};
    char temporary[PATH_MAX + 32];

    nvrtc_words_add_all(&argv, frontend);
    nvrtc_words_add_all(&argv, flags);
    nvrtc_words_add(&argv, "-fno-pch-timestamp");
    nvrtc_words_add(&argv, "-emit-pch");
    nvrtc_words_add(&argv, "-o");
    nvrtc_words_add(&argv, "-");
    nvrtc_words_add(&argv, "-x");
    nvrtc_words_add(&argv, "cuda-header");
    nvrtc_words_add(&argv, "-");
    snprintf(temporary, sizeof temporary, "%s.%ld.%p", pch->path,
             (long)getpid(), (void *)pch);
    if (argv.failed || nvrtc_process_start(&process, argv.word)) {
        pch->path[0] = 0;
        nvrtc_words_free(&argv);
        return;
    }
    int code = nvrtc_process_finish(&process, pch->includes.bytes,
                                    pch->includes.length);
    if (code || process.status || !process.out.length ||
        !write_whole(temporary, &process.out) ||
        rename(temporary, pch->path)) {
        unlink(temporary);
        pch->path[0] = 0;
    } else {
        folder_trim(pch->path);
    }
    nvrtc_process_free(&process);
    nvrtc_words_free(&argv);
}

bool
nvrtc_pch_get(struct nvrtc_pch *pch, const struct nvrtc_words *frontend,
              const char *headers, const struct nvrtc_options *options,
              struct nvrtc_text *log)
{
    struct nvrtc_words flags = {0};
    bool right = true;

    nvrtc_frontend_flags(&flags, headers, options);
    if (flags.failed || !pch_split(pch, headers, options)) {
        nvrtc_text_print(log, "out of memory\n");
        nvrtc_words_free(&flags);
        return false;
    }
    if (!pch_name(pch, frontend, headers, &flags)) {
        pch->path[0] = 0;
        right = nvrtc_frontend_check(frontend, log);
    } else if (!pch_find(pch->path)) {
        right = nvrtc_frontend_check(frontend, log);
        if (right) {
            pch_make(pch, frontend, &flags);
        }
    }
    nvrtc_words_free(&flags);
    return right;
}

void
nvrtc_pch_free(struct nvrtc_pch *pch)
{
    nvrtc_text_free(&pch->includes);
    nvrtc_words_free(&pch->rest);
    pch->path[0] = 0;
}
