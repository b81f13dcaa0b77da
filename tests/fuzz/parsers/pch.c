/* pch.c - fuzz target: files of precompiled headers in the cache.
 *
 * An input is read as a cache file. It is also written by the library as a
 * cache file, which must be valid, and invalid after a byte is changed.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "cpu/nvrtc/cache_file.c"

const char *const nvrtc_header_dirs[] = {NULL};

static char folder[] = "/tmp/pycuda-fuzz-XXXXXX";

static void
folder_remove(void)
{
    rmdir(folder);
}

static void
file_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    FUZZ_REQUIRE(file && fwrite(bytes, 1, size, file) == size);
    FUZZ_REQUIRE(fclose(file) == 0 && chmod(path, 0600) == 0);
}

static bool
is_whole_or_seen(const char *path)
{
    struct nvrtc_text log = {0};
    bool whole = nvrtc_cache_file_is_valid(path, &log);

    nvrtc_text_free(&log);
    return whole;
}

/* The files of two inputs may have the same inode, size and time. */
static bool
is_whole(const char *path)
{
    memset(seen, 0, sizeof seen);
    return is_whole_or_seen(path);
}

static void
byte_change(const char *path, size_t at)
{
    FILE *file = fopen(path, "rb+");

    FUZZ_REQUIRE(file && fseek(file, (long)at, SEEK_SET) == 0);
    int byte = fgetc(file);
    FUZZ_REQUIRE(byte != EOF && fseek(file, (long)at, SEEK_SET) == 0);
    fputc(byte ^ 1, file);
    FUZZ_REQUIRE(fclose(file) == 0);
}

static void
made_check(const char *path, const uint8_t *data, size_t size)
{
    struct nvrtc_text text = {.bytes = (char *)(uintptr_t)data,
                              .length = size};

    FUZZ_REQUIRE(nvrtc_cache_file_put(path, &text));
    FUZZ_REQUIRE(is_whole(path) == (size > 0));
    /* cached result */
    FUZZ_REQUIRE(is_whole_or_seen(path) == (size > 0));
    byte_change(path, (size + sizeof(struct trailer)) / 2);
    FUZZ_REQUIRE(!is_whole(path));
}

/* A file with another name or other modes, or no file. */
static void
others_check(const char *path)
{
    char other[PATH_MAX];
    struct nvrtc_text text = {.bytes = (char *)(uintptr_t) "x", .length = 1};
    struct nvrtc_digest digest = {1, 2};

    FUZZ_REQUIRE(nvrtc_cache_file_path(other, folder, &digest));
    FUZZ_REQUIRE(nvrtc_cache_file_put(path, &text));
    FUZZ_REQUIRE(rename(path, other) == 0 && !is_whole(other));
    FUZZ_REQUIRE(rename(other, path) == 0 && is_whole(path));
    FUZZ_REQUIRE(chmod(path, 0666) == 0 && !is_whole(path));
    unlink(path);
    FUZZ_REQUIRE(!is_whole(path) && !is_whole(folder));
    FUZZ_REQUIRE(!nvrtc_cache_file_put("/nowhere/at/all", &text));
    FUZZ_REQUIRE(!nvrtc_folder_private("/tmp/../nowhere"));
    FUZZ_REQUIRE(nvrtc_folder_private(folder));
}

/* Writing a file removes old files and those of killed processes. */
static void
trim_check(const char *path)
{
    struct timespec old[2] = {{1, 0}, {1, 0}};
    struct nvrtc_text text = {.bytes = (char *)(uintptr_t) "x", .length = 1};
    char left[PATH_MAX + 8];

    snprintf(left, sizeof left, "%s.1.x", path);
    file_write(left, "x", 1);
    FUZZ_REQUIRE(utimensat(AT_FDCWD, left, old, 0) == 0);
    FUZZ_REQUIRE(nvrtc_cache_file_put(path, &text));
    FUZZ_REQUIRE(access(left, F_OK) != 0);
    FUZZ_REQUIRE(utimensat(AT_FDCWD, path, old, 0) == 0 && is_whole(path));
    unlink(path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[PATH_MAX];

    if (!*path) {
        struct nvrtc_digest digest = {3, 4};
        FUZZ_REQUIRE(mkdtemp(folder) != NULL);
        atexit(folder_remove);
        FUZZ_REQUIRE(nvrtc_cache_file_path(path, folder, &digest));
        others_check(path);
        trim_check(path);
    }
    file_write(path, data, size);
    if (is_whole(path)) {
        FUZZ_REQUIRE(size > sizeof(struct trailer));
        FUZZ_REQUIRE(!memcmp(data + size - sizeof(struct trailer), magic,
                             sizeof magic));
    }
    made_check(path, data, size);
    unlink(path);
    return 0;
}
