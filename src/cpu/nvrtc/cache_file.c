/* cache_file.c - cache files that one process writes and others trust.
 *
 * Called for precompiled headers (pch.c) and for images of kernels
 * (image_cache.c). The front end parses a precompiled header without checks,
 * and images are executed. So a file is not used if it is incomplete or if
 * another user could have written it. A file ends with a checksum of its name
 * and bytes. It is written under a temporary name and then renamed; after a
 * system crash it may be incomplete, which the checksum detects. The process
 * remembers the device, inode, size and time of files that it has verified.
 * Thread-safe.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "cpu/nvrtc/cache_file.h"
#include "cpu/nvrtc/headers.h"
#include "cpu/nvrtc/text.h"

/* Times in seconds: the interval at which the time stamp of a used cache file
 * is renewed, the age at which an unused file is deleted, and the age at which
 * a temporary file is deleted. */
enum {
    TOUCHED_EVERY = 24 * 3600,
    UNUSED_LIFE = 30 * 24 * 3600,
    TEMPORARY_LIFE = 3600,
};
#define DAYS (UNUSED_LIFE / TOUCHED_EVERY)
/* Bytes of a folder's cache files above which files are deleted that were not
 * used for more than a day. */
#define FOLDER_BYTES ((uint64_t)1 << 30)
#define NAME_DIGITS  32
#define SUFFIX       ".pch"
#define MAX_BYTES    ((off_t)1 << 30)
#define CHUNK        ((size_t)1 << 18)

/* The last bytes of a cache file, after the precompiled header or image. The
 * front end ignores them in a precompiled header. */
struct trailer {
    char magic[8];
    struct nvrtc_digest digest;
};

static const char magic[8] = "PYCUDAP1";

/* ---- owners ---- */

static bool
owner_trusted(const struct stat *status)
{
    return status->st_uid == geteuid() || status->st_uid == 0;
}

/* Returns true if other users can write the file. Write permission for a group
 * does not count if the group's id equals the user's id: such a group is
 * assumed to have this user as its only member. */
static bool
writable_by_others(const struct stat *status)
{
    bool group =
        (status->st_mode & S_IWGRP) && status->st_gid != (gid_t)geteuid();

    return group || (status->st_mode & S_IWOTH);
}

bool
nvrtc_folder_private(const char *folder)
{
    char path[PATH_MAX];
    struct stat status;

    if (realpath(folder, path) == NULL) {
        return false;
    }
    errno = 0;
    for (size_t end = strlen(path);; end--) {
        if (path[end] && path[end] != '/') {
            continue;
        }
        path[end ? end : 1] = 0;
        if (stat(path, &status) || !owner_trusted(&status) ||
            (writable_by_others(&status) && !(status.st_mode & S_ISVTX))) {
            return false;
        }
        if (end == 0) {
            return true;
        }
    }
}

/* ---- checksums ---- */

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void
digest_begin(struct nvrtc_digest *digest, const char *path)
{
    *digest = (struct nvrtc_digest){0};
    nvrtc_digest_add(digest, base_name(path), NAME_DIGITS);
}

static bool
read_all(int fd, void *bytes, size_t count)
{
    for (char *at = bytes; count;) {
        ssize_t n = read(fd, at, count);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += n;
        count -= (size_t)n;
    }
    return true;
}

/* Reads `bytes` bytes of the cache file and the trailer after them. Returns
 * true if the bytes match the trailer's checksum. `chunk` is a buffer of CHUNK
 * bytes. */
static bool
bytes_are_valid(int fd, const char *path, size_t bytes, char *chunk)
{
    struct nvrtc_digest digest;
    struct trailer trailer;

    digest_begin(&digest, path);
    while (bytes) {
        size_t n = bytes < CHUNK ? bytes : CHUNK;
        if (!read_all(fd, chunk, n)) {
            return false;
        }
        nvrtc_digest_add(&digest, chunk, n);
        bytes -= n;
    }
    return read_all(fd, &trailer, sizeof trailer) &&
           !memcmp(trailer.magic, magic, sizeof magic) &&
           trailer.digest.a == digest.a && trailer.digest.b == digest.b;
}

/* ---- cache of verified files ---- */

struct verified_file {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

#define SEEN_MAX 16

static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static struct verified_file seen[SEEN_MAX];
static unsigned seen_next;

static bool
seen_find(const struct stat *status)
{
    bool found = false;

    pthread_mutex_lock(&seen_lock);
    for (unsigned i = 0; i < SEEN_MAX && !found; i++) {
        found = seen[i].device == status->st_dev &&
                seen[i].inode == status->st_ino &&
                seen[i].size == status->st_size && seen[i].size > 0 &&
                seen[i].changed.tv_sec == status->st_ctim.tv_sec &&
                seen[i].changed.tv_nsec == status->st_ctim.tv_nsec;
    }
    pthread_mutex_unlock(&seen_lock);
    return found;
}

static void
seen_add(const struct stat *status)
{
    pthread_mutex_lock(&seen_lock);
    seen[seen_next++ % SEEN_MAX] = (struct verified_file){
        status->st_dev, status->st_ino, status->st_size, status->st_ctim};
    pthread_mutex_unlock(&seen_lock);
}

/* ---- reading ---- */

/* Reports once per process that a cache file is not used because another user
 * owns it or can write it. Does nothing if `log` is NULL. */
static void
planted_report(const char *path, const struct stat *status,
               struct nvrtc_text *log)
{
    static atomic_bool reported;

    if (log == NULL || atomic_exchange(&reported, true)) {
        return;
    }
    nvrtc_text_print(
        log, "nvrtc: warning: the cache file %s is not used, because ", path);
    if (owner_trusted(status)) {
        nvrtc_text_print(log, "other users can write to it");
    } else {
        nvrtc_text_print(log, "it belongs to user %u",
                         (unsigned)status->st_uid);
    }
    nvrtc_text_print(log, "; it is replaced if possible\n");
}

/* Returns true if the user or root owns the file and no others can write it.
 * Otherwise reports the file to `log`, once per process. The mode of a
 * symbolic link is ignored, since Linux does not use it. */
static bool
file_trusted(const char *path, const struct stat *status,
             struct nvrtc_text *log)
{
    if (owner_trusted(status) &&
        (S_ISLNK(status->st_mode) || !writable_by_others(status))) {
        return true;
    }
    planted_report(path, status, log);
    return false;
}

/* Returns true if the open file is regular, complete and trusted. Renews its
 * modification time once a day. */
static bool
file_is_valid(int fd, const char *path, struct nvrtc_text *log)
{
    struct stat status;

    if (fstat(fd, &status) || !file_trusted(path, &status, log) ||
        !S_ISREG(status.st_mode) ||
        status.st_size <= (off_t)sizeof(struct trailer) ||
        status.st_size > MAX_BYTES) {
        return false;
    }
    if (seen_find(&status)) {
        return true;
    }
    size_t bytes = (size_t)status.st_size - sizeof(struct trailer);
    char *chunk = malloc(CHUNK);
    bool whole = chunk && bytes_are_valid(fd, path, bytes, chunk);
    free(chunk);
    if (time(NULL) - status.st_mtime > TOUCHED_EVERY) {
        /* futimens changes the file's time, which is part of the key of the
         * list of verified files. So the file is not added to the list now;
         * the next use of the file adds it. */
        futimens(fd, NULL);
    } else if (whole) {
        seen_add(&status);
    }
    return whole;
}

bool
nvrtc_cache_file_is_valid(const char *path, struct nvrtc_text *log)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool whole = fd >= 0 && file_is_valid(fd, path, log);
    struct stat status;

    /* The file exists but cannot be opened: a socket, or a file that the user
     * may not read. Report it if another user owns it. */
    if (fd < 0 && lstat(path, &status) == 0) {
        file_trusted(path, &status, log);
    }

    if (fd >= 0) {
        close(fd);
    }
    return whole;
}

/* Appends the bytes of the open cache file to `text`, without the trailer.
 * Returns true if they match the trailer's checksum. */
static bool
text_read(int fd, const char *path, struct nvrtc_text *text)
{
    struct stat status;
    char *bytes = NULL;
    bool whole = false;

    if (fstat(fd, &status) == 0 && file_is_valid(fd, path, NULL) &&
        lseek(fd, 0, SEEK_SET) == 0) {
        bytes = malloc((size_t)status.st_size);
    }
    if (bytes && read_all(fd, bytes, (size_t)status.st_size)) {
        size_t length = (size_t)status.st_size - sizeof(struct trailer);
        struct nvrtc_digest digest;
        struct trailer trailer;

        /* Verify the bytes that were just read, even if the process has
         * verified the file earlier: the bytes are executed, and the file may
         * have changed since. */
        digest_begin(&digest, path);
        for (size_t at = 0; at < length; at += CHUNK) {
            size_t rest = length - at;
            nvrtc_digest_add(&digest, bytes + at, rest < CHUNK ? rest : CHUNK);
        }
        memcpy(&trailer, bytes + length, sizeof trailer);
        whole = !memcmp(trailer.magic, magic, sizeof magic) &&
                trailer.digest.a == digest.a && trailer.digest.b == digest.b;
        nvrtc_text_add(text, bytes, whole ? length : 0);
    }
    free(bytes);
    return whole && !text->failed;
}

bool
nvrtc_cache_file_read(const char *path, struct nvrtc_text *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool whole = fd >= 0 && text_read(fd, path, text);

    if (fd >= 0) {
        close(fd);
    }
    return whole;
}

/* ---- writing ---- */

static bool
write_all(int fd, const void *bytes, size_t count)
{
    for (const char *at = bytes; count;) {
        ssize_t n = write(fd, at, count);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += n;
        count -= (size_t)n;
    }
    return true;
}

static bool
write_new_file(const char *temporary, const char *path,
               const struct nvrtc_text *text)
{
    struct trailer trailer;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0) {
        return false;
    }
    memcpy(trailer.magic, magic, sizeof magic);
    digest_begin(&trailer.digest, path);
    for (size_t at = 0; at < text->length; at += CHUNK) {
        size_t rest = text->length - at;
        nvrtc_digest_add(&trailer.digest, text->bytes + at,
                         rest < CHUNK ? rest : CHUNK);
    }
    bool written = write_all(fd, text->bytes, text->length) &&
                   write_all(fd, &trailer, sizeof trailer);
    return close(fd) == 0 && written;
}

static bool
is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           !strncmp(name + NAME_DIGITS, SUFFIX, strlen(SUFFIX));
}

/* Removes cache files older than `life` seconds from the folder, and temporary
 * files older than an hour, left by killed processes. Adds the bytes of the
 * files that remain to `bytes`, one element for each day of their age. */
static void
files_remove(DIR *folder, time_t life, uint64_t bytes[DAYS])
{
    struct dirent *entry;
    struct stat status;
    int fd = dirfd(folder);

    rewinddir(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (!is_ours(entry->d_name) ||
            fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        bool whole = entry->d_name[NAME_DIGITS + strlen(SUFFIX)] == 0;
        time_t age = time(NULL) - status.st_mtime;
        if (age >= (whole ? life : TEMPORARY_LIFE)) {
            unlinkat(fd, entry->d_name, 0);
        } else {
            /* the clock may have been set back */
            bytes[age < 0 ? 0 : age / TOUCHED_EVERY] +=
                (uint64_t)status.st_size;
        }
    }
}

/* Removes cache files from the folder of `path` that were not used for a
 * month; if the rest exceeds FOLDER_BYTES, those that were not used for the
 * longest time, but none of the last two days, in which the time stamp of a
 * used file may be up to a day old. */
static void
folder_trim(const char *path)
{
    char folder[PATH_MAX];
    uint64_t bytes[DAYS] = {0};

    snprintf(folder, sizeof folder, "%.*s", (int)(base_name(path) - path),
             path);
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL) {
        return;
    }
    files_remove(open_folder, UNUSED_LIFE, bytes);
    uint64_t total = bytes[0] + bytes[1];
    for (int days = 2; days < DAYS; days++) {
        total += bytes[days];
        if (total > FOLDER_BYTES) {
            files_remove(open_folder, (time_t)days * TOUCHED_EVERY, bytes);
            break;
        }
    }
    closedir(open_folder);
}

bool
nvrtc_cache_file_put(const char *path, const struct nvrtc_text *text)
{
    char temporary[PATH_MAX + 32];

    snprintf(temporary, sizeof temporary, "%s.%ld.%p", path, (long)getpid(),
             (const void *)text);
    if (!write_new_file(temporary, path, text) || rename(temporary, path)) {
        unlink(temporary);
        return false;
    }
    folder_trim(path);
    return true;
}

bool
nvrtc_cache_file_path(char path[PATH_MAX], const char *folder,
                      const struct nvrtc_digest *digest)
{
    return snprintf(path, PATH_MAX, "%s/%016llx%016llx" SUFFIX, folder,
                    (unsigned long long)digest->a,
                    (unsigned long long)digest->b) < PATH_MAX;
}
