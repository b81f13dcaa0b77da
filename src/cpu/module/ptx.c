/* ptx.c - finds PTX in the bytes that a program loads, and has pycuda-jit
 * translate it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/module/ptx.h"
#include "cpu/nvrtc/jit_process.h"

/* PTX must have .version within this many bytes. */
#define SEARCH_BYTES   4096
#define FATBIN_MAGIC   0xba55ed50u
#define FATBIN_WRAPPER 0x466243b1u

/* Structure that host code of nvcc passes to the driver: it has the address of
 * a fatbin. */
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

/* Returns the length of the text if its start is printable and contains
 * .version, else 0. */
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

/* Returns the PTX of the first entry that has some, or NULL. */
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

CUresult
cpu_ptx_translate(const char *text, size_t length, int linkable,
                  struct cpu_jit_result *result)
{
    char kind[] = "--kind=bitcode";
    char *options[] = {kind, NULL};

    return cpu_jit_run(text, length, linkable ? options : NULL, result);
}
