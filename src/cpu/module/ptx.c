/* ptx.c - finds PTX in the bytes that a program loads, and has pycuda-jit
 * translate it. Machine code is cached in files (nvrtc/image_cache.h).
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/module/ptx.h"
#include "cpu/nvrtc/cache_file.h"
#include "cpu/nvrtc/headers.h"
#include "cpu/nvrtc/image_cache.h"
#include "cpu/nvrtc/jit_process.h"
#include "cpu/nvrtc/text.h"

/* A text counts as PTX only if its first SEARCH_BYTES bytes contain
 * ".version". */
#define SEARCH_BYTES   4096
#define FATBIN_MAGIC   0xba55ed50u
#define FATBIN_WRAPPER 0x466243b1u

/* Structure that host code compiled by nvcc passes to the driver; `data` is
 * the address of a fatbin. */
struct fatbin_wrapper {
    uint32_t magic, version;
    const char *data;
    void *unused;
};

struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* size of the entries after the header */
};

/* One entry of a fatbin: this header, then its code. */
struct fatbin_entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes; /* size of the code */
};

enum { FATBIN_PTX = 1 };

/* Returns the length of the PTX text, or 0 if its start is not printable or
 * does not contain ".version". */
static size_t
ptx_length(const char *text, size_t most)
{
    for (size_t i = 0; i < SEARCH_BYTES && i < most && text[i]; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c < 9 || (c > 13 && c < 32)) {
            return 0;
        }
        if (most - i >= 8 && !strncmp(text + i, ".version", 8)) {
            return most == SIZE_MAX ? strlen(text) : strnlen(text, most);
        }
    }
    return 0;
}

/* Returns the text of the first fatbin entry that contains uncompressed PTX,
 * or NULL if there is none. */
static const char *
fatbin_find(const char *at, const char *end, size_t *length)
{
    struct fatbin_entry entry;

    while ((size_t)(end - at) >= sizeof entry) {
        memcpy(&entry, at, sizeof entry);
        size_t left = (size_t)(end - at);
        if (entry.header_bytes < sizeof entry || entry.header_bytes > left ||
            entry.bytes > left - entry.header_bytes) {
            return NULL;
        }
        const char *code = at + entry.header_bytes;
        if (entry.kind == FATBIN_PTX) {
            *length = ptx_length(code, (size_t)entry.bytes);
            if (*length) {
                return code;
            }
        }
        at = code + entry.bytes;
    }
    return NULL;
}

const char *
cpu_ptx_find(const void *bytes, size_t most, size_t *length)
{
    struct fatbin_wrapper wrapper;
    struct fatbin_header header;
    const char *at = bytes;

    *length = 0;
    if (most == 0) {
        return NULL;
    }
    /* Data that begins with neither a magic number nor printable text is not
     * read further. */
    unsigned char first = (unsigned char)*at;
    if (first != (FATBIN_MAGIC & 0xff) && first != (FATBIN_WRAPPER & 0xff)) {
        *length = ptx_length(at, most);
        return *length ? at : NULL;
    }
    if (most >= sizeof wrapper &&
        !memcmp(at, &(uint32_t){FATBIN_WRAPPER}, 4)) {
        memcpy(&wrapper, at, sizeof wrapper);
        at = wrapper.data;
        most = SIZE_MAX;
    }
    if (!at || most < sizeof header ||
        memcmp(at, &(uint32_t){FATBIN_MAGIC}, 4) != 0) {
        return NULL;
    }
    memcpy(&header, at, sizeof header);
    if (header.header_bytes < sizeof header || header.header_bytes > most ||
        header.bytes > most - header.header_bytes) {
        return NULL;
    }
    at += header.header_bytes;
    return fatbin_find(at, at + header.bytes, length);
}

/* Adds a text to the hash. If the text is NULL, adds the byte 0xff, so that
 * the hash differs from that of an empty text. */
static void
digest_add_text(struct nvrtc_digest *digest, const char *text)
{
    if (text) {
        nvrtc_digest_add(digest, text, strlen(text) + 1);
    } else {
        nvrtc_digest_add(digest, "\377", 1);
    }
}

/* Stores the path of the cache file for the machine code of the text, or an
 * empty path. Besides the text, the code depends on the target and on the
 * environment variables that pycuda-jit reads (jit/options.c). */
static void
cache_path(const char *text, size_t length, char path[PATH_MAX])
{
    static const char *const variables[] = {
        "PYCUDA_CPU_TARGET", "PYCUDA_CPU_CHECK", "PYCUDA_CPU_DEBUG",
        "PYCUDA_CPU_REGIONS", "PYCUDA_CPU_WARPS"};
    struct nvrtc_digest digest = {0};
    char target[NVRTC_TARGET_WORD];

    digest_add_text(&digest, "PTX");
    digest_add_text(&digest, nvrtc_jit_target(target));
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        digest_add_text(&digest, getenv(variables[i]));
    }
    nvrtc_digest_add(&digest, text, length);
    nvrtc_image_cache_path(&digest, path);
}

/* Stores the image of the cache file `path` in `result`. Returns false if the
 * file does not exist or its image is not valid. */
static bool
cache_find(const char *path, struct cpu_jit_result *result)
{
    struct nvrtc_text image;

    if (!nvrtc_image_cache_find(path, &image)) {
        return false;
    }
    *result = (struct cpu_jit_result){.image = image.bytes,
                                      .image_bytes = image.length};
    return true;
}

/* Stores a new image in the cache file `path`. Does not store it if there are
 * warnings: loads from the cache could not repeat the warnings. */
static void
cache_put(const char *path, const struct cpu_jit_result *result)
{
    struct nvrtc_text image = {.bytes = result->image,
                               .length = result->image_bytes};

    if (path[0] && (!result->text || !*result->text)) {
        nvrtc_cache_file_put(path, &image);
    }
}

CUresult
cpu_ptx_translate(const char *text, size_t length, int linkable,
                  struct cpu_jit_result *result)
{
    char kind[] = "--kind=bitcode";
    char *options[] = {kind, NULL};
    char path[PATH_MAX];

    if (linkable) {
        return cpu_jit_run(text, length, options, result);
    }
    cache_path(text, length, path);
    if (cache_find(path, result)) {
        return CUDA_SUCCESS;
    }
    CUresult code = cpu_jit_run(text, length, NULL, result);
    if (code == CUDA_SUCCESS) {
        cache_put(path, result);
    }
    return code;
}
