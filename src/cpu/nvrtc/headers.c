/* headers.c - examines the CUDA headers of the package (folder pycuda/cuda).
 *
 * Called by pch.c and preamble.c. A hash of all headers identifies a
 * precompiled header. Other functions search the headers for macro names and
 * file names, to find options that would change the meaning of the headers.
 * Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "cpu/nvrtc/frontend.h"
#include "cpu/nvrtc/headers.h"
#include "cpu/nvrtc/text.h"

/* ---- hashes ---- */

/* Adds a word to two 64-bit hashes with different factors. They are not secure
 * against deliberate collisions. */
static void
digest_step(struct nvrtc_digest *digest, uint64_t word)
{
    digest->a = (digest->a ^ word) * 0x9e3779b97f4a7c15u;
    digest->a ^= digest->a >> 32;
    digest->b = (digest->b ^ word) * 0xc2b2ae3d27d4eb4fu;
    digest->b ^= digest->b >> 29;
}

void
nvrtc_digest_add(struct nvrtc_digest *digest, const void *bytes, size_t n)
{
    const char *byte = bytes;
    uint64_t word;

    digest_step(digest, n);
    for (; n >= sizeof word; n -= sizeof word, byte += sizeof word) {
        memcpy(&word, byte, sizeof word);
        digest_step(digest, word);
    }
    word = 0;
    memcpy(&word, byte, n);
    digest_step(digest, word);
}

/* ---- iteration over files ---- */

/* Function that folder_visit calls for each file; `text` has the file's
 * contents. Returns false to end the iteration. */
typedef bool visitor(void *state, const char *name,
                     const struct nvrtc_text *text);

static bool
file_read(int folder, const char *name, struct nvrtc_text *text)
{
    char buffer[1 << 15];
    ssize_t n;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    text->length = 0;
    nvrtc_text_add(text, "", 0);
    while ((n = read(fd, buffer, sizeof buffer)) > 0) {
        nvrtc_text_add(text, buffer, (size_t)n);
    }
    close(fd);
    return n == 0 && !text->failed;
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int
is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool
is_folder(int parent, const struct dirent *entry)
{
    struct stat status;

    if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK) {
        return entry->d_type == DT_DIR;
    }
    return fstatat(parent, entry->d_name, &status, 0) == 0 &&
           S_ISDIR(status.st_mode);
}

struct visit {
    visitor *visit;
    void *state;
    bool deep;              /* files in subfolders are visited, too */
    struct nvrtc_text text; /* buffer for the contents of one file */
};

/* Calls visit->visit for every file of the folder, sorted by name. Returns
 * false if a call returns false or a file cannot be read. */
static bool
folder_visit(struct visit *visit, int parent, const char *name)
{
    struct dirent **entries;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int count = fd < 0 ? -1 : scandirat(fd, ".", &entries, is_shown, by_name);
    bool more = count >= 0;

    for (int i = 0; i < count; i++) {
        const char *entry = entries[i]->d_name;
        if (more && is_folder(fd, entries[i])) {
            more = !visit->deep || folder_visit(visit, fd, entry);
        } else if (more) {
            more = file_read(fd, entry, &visit->text) &&
                   visit->visit(visit->state, entry, &visit->text);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    if (fd >= 0) {
        close(fd);
    }
    return more;
}

static bool
headers_visit(struct visit visit, const char *headers, const char *folder)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", headers, folder);
    bool more = n < PATH_MAX && folder_visit(&visit, AT_FDCWD, path);

    nvrtc_text_free(&visit.text);
    return more;
}

static bool
digest_file(void *state, const char *name, const struct nvrtc_text *text)
{
    nvrtc_digest_add(state, name, strlen(name));
    nvrtc_digest_add(state, text->bytes, text->length);
    return true;
}

bool
nvrtc_headers_digest(struct nvrtc_digest *digest, const char *headers,
                     const char *folder, bool deep)
{
    struct visit visit = {digest_file, digest, deep, {0}};

    return headers_visit(visit, headers, folder);
}

/* ---- macros of the command line ---- */

static bool
is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

static bool
has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = text; (at = strstr(at, word)); at += n) {
        if ((at == text || !is_word_byte(at[-1])) && !is_word_byte(at[n])) {
            return true;
        }
    }
    return false;
}

/* A visitor function; `state` is a list of words. Returns true if the file
 * contains none of them. */
static bool
lacks_words(void *state, const char *name, const struct nvrtc_text *text)
{
    const struct nvrtc_strings *words = state;

    (void)name;
    for (size_t i = 0; i < words->count; i++) {
        if (has_word(text->bytes, words->word[i])) {
            return false;
        }
    }
    return true;
}

/* Adds the names of the macros in -D and -U options to `names`. Returns false
 * if an option has no macro name. */
static bool
macros_name(struct nvrtc_strings *names,
            const struct nvrtc_strings *preprocess)
{
    bool named = true;

    for (size_t i = 0; i < preprocess->count; i++) {
        const char *word = preprocess->word[i];
        if (!strncmp(word, "-D", 2) || !strncmp(word, "-U", 2)) {
            size_t n = 0;
            while (is_word_byte(word[2 + n])) {
                n++;
            }
            nvrtc_strings_add(names, "%.*s", (int)n, word + 2);
            named = named && n;
        }
    }
    return named && !names->failed;
}

bool
nvrtc_headers_undefined(const char *headers,
                        const struct nvrtc_strings *preprocess)
{
    struct nvrtc_strings names = {0};
    struct visit visit = {lacks_words, &names, true, {0}};

    bool right = macros_name(&names, preprocess);
    if (right && names.count) {
        right = headers_visit(visit, headers, ".");
    }
    nvrtc_strings_free(&names);
    return right;
}

/* ---- names ---- */

/* Filter for scandir: selects the files in pycuda/cuda itself that programs
 * include by name. */
static int
is_top(const struct dirent *entry)
{
    return !strncmp(entry->d_name, "pycuda-", 7);
}

static bool
names_visible(const char *ours, int (*which)(const struct dirent *),
              const char *folder)
{
    struct dirent **entries;
    char path[PATH_MAX];
    int count = scandir(ours, &entries, which, NULL);
    bool visible = count < 0;

    for (int i = 0; i < count; i++) {
        int n =
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        visible = visible || n >= PATH_MAX || access(path, F_OK) == 0;
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return visible;
}

bool
nvrtc_headers_shadowed(const char *headers, const char *folder)
{
    char ours[PATH_MAX];
    bool shadowed = names_visible(headers, is_top, folder);

    for (const char *const *name = nvrtc_header_dirs; *name; name++) {
        shadowed =
            shadowed ||
            snprintf(ours, sizeof ours, "%s/%s", headers, *name) >= PATH_MAX ||
            names_visible(ours, is_shown, folder);
    }
    return shadowed;
}

bool
nvrtc_headers_contain(const char *headers, const char *folder,
                      const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s/%s", headers, folder, name);

    return n < PATH_MAX && access(path, R_OK) == 0;
}

bool
nvrtc_headers_are_only(const char *headers, const char *word)
{
    char path[PATH_MAX];

    return !strncmp(word, "-I", 2) && realpath(word + 2, path) &&
           !strcmp(path, headers);
}

bool
nvrtc_headers_among(const char *headers,
                    const struct nvrtc_strings *preprocess)
{
    for (size_t i = 0; i < preprocess->count; i++) {
        if (nvrtc_headers_are_only(headers, preprocess->word[i])) {
            return true;
        }
    }
    return false;
}
