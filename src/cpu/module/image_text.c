/* image_text.c - text form of images, for clients that expect PTX to be ASCII.
 *
 * nvrtcGetPTX writes the text; the functions that load or link an image read
 * it. The text is PTX that LLVM wrote or, where LLVM cannot, the names of the
 * kernels. The image follows in comments, in base 64:
 *
 *   //$image 1234 0a1b2c3d bytes of the image, hash of the PTX
 *   //$AAECAw...           76 characters per line
 *   //$end
 *
 * Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/module/image.h"
#include "image/image.h"

#define TITLE "Image of pycuda-c's CPU device, as text"
/* number of bytes of the image that one line of 76 characters encodes */
#define LINE_BYTES 57
#define BEGIN      "//$image "
#define MARK       "//$"
#define END        "//$end"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "abcdefghijklmnopqrstuvwxyz0123456789+/";

/* ---- encoding ---- */

/* Writes one to three bytes as four characters of base 64. */
static void
encode_three(FILE *out, const unsigned char *from, size_t count)
{
    uint32_t bits = (uint32_t)from[0] << 16;

    bits |= count > 1 ? (uint32_t)from[1] << 8 : 0;
    bits |= count > 2 ? from[2] : 0;
    for (unsigned i = 0; i < 4; i++) {
        fputc(i <= count ? digits[bits >> (18 - 6 * i) & 63] : '=', out);
    }
}

/* Writes the image in base 64, preceded by its size and the hash, and followed
 * by the line "//$end". */
static void
encode(FILE *out, const unsigned char *image, size_t bytes, uint32_t hash)
{
    fprintf(out, "%s%zu %08x\n", BEGIN, bytes, hash);
    for (size_t at = 0; at < bytes; at += LINE_BYTES) {
        size_t end = bytes - at < LINE_BYTES ? bytes : at + LINE_BYTES;
        fputs(MARK, out);
        for (size_t i = at; i < end; i += 3) {
            encode_three(out, image + i, end - i < 3 ? end - i : 3);
        }
        fputc('\n', out);
    }
    fprintf(out, "%s\n", END);
}

/* Returns the hash of the lines before the one that begins the image. A hash
 * does not depend on whether lines end in LF or CRLF. */
static uint32_t
ptx_hash(const char *text, size_t most)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < most && text[i]; i++) {
        if (text[i] == '/' && most - i >= sizeof BEGIN &&
            !strncmp(text + i, BEGIN, sizeof BEGIN - 1)) {
            break;
        }
        if (text[i] != '\r') {
            hash = (hash ^ (unsigned char)text[i]) * 16777619u;
        }
    }
    return hash;
}

/* Writes an empty PTX kernel for each kernel, so that clients find the
 * names. */
static void
kernels_list(FILE *out, const char *image)
{
    const struct image_header *header = (const void *)image;
    const struct image_kernel *rows = (const void *)(image + header->kernels);

    for (uint32_t i = 0; i < header->kernel_count; i++) {
        const char *name = image + header->strings + rows[i].name;
        fprintf(out, "\t// .globl\t%s\n.visible .entry %s()\n{ }\n", name,
                name);
    }
}

char *
cpu_image_text_make(const void *image, size_t bytes, const void *named,
                    int arch, const char *ptx, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);

    if (!out) {
        return NULL;
    }
    fprintf(out, "//\n// " TITLE "\n//\n");
    if (ptx) {
        fprintf(out,
                "// The CPU device loads the image in the comments at the "
                "end.  It reads the PTX\n// if that was changed or the "
                "comments were removed.\n//\n\n%s",
                ptx);
    } else {
        fprintf(out,
                "// This is not PTX: libpycuda_cpu.so alone can load it.  For "
                "a GPU compile the\n// source there.\n//\n\n"
                ".version 9.0\n.target sm_%d\n.address_size 64\n\n",
                arch);
        kernels_list(out, named);
    }
    fputc('\n', out);
    fflush(out);
    encode(out, image, bytes, text ? ptx_hash(text, *length) : 0);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- decoding ---- */

/* Returns true if the PTX has the hash that the text states, or if the text
 * states no hash. */
static bool
is_unchanged(const char *text, size_t most)
{
    for (size_t i = 0; i < most && text[i]; i++) {
        if (text[i] != '/' || most - i < sizeof BEGIN ||
            strncmp(text + i, BEGIN, sizeof BEGIN - 1) != 0) {
            continue;
        }
        size_t at = i + sizeof BEGIN - 1;
        uint32_t hash = 0;
        while (at < most && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        if (most - at < 9 || text[at] != ' ') {
            return true;
        }
        for (unsigned digit = 0; digit < 8; digit++) {
            char c = text[++at];
            if (!c) {
                return true;
            }
            hash = hash << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        return hash == ptx_hash(text, most);
    }
    return true;
}

bool
cpu_image_is_text(const void *bytes, size_t most)
{
    static const char title[] = TITLE;
    const char *text = bytes;
    size_t at = 0;

    while (at < most && text[at] && strchr("/ \r\n", text[at])) {
        at++;
    }
    for (size_t i = 0; i < sizeof title - 1; i++, at++) {
        if (at >= most || text[at] != title[i]) {
            return false;
        }
    }
    return is_unchanged(text, most);
}

/* Finds the next line that begins with `mark`, and returns the text after
 * `mark`. Returns NULL if no such line follows. */
static const char *
line_find(const char *at, const char *mark)
{
    size_t n = strlen(mark);

    while (at && strncmp(at, mark, n) != 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at ? at + n : NULL;
}

/* Decodes one line of base 64 into `to`, which has space for `room` bytes.
 * Returns the number of bytes, or -1 if the line is damaged. */
static long
line_decode(const char *line, unsigned char *to, size_t room)
{
    uint32_t bits = 0;
    unsigned have = 0;
    size_t made = 0;

    for (; *line && !strchr("=\r\n", *line); line++) {
        const char *digit = strchr(digits, *line);
        if (!digit) {
            return -1;
        }
        bits = bits << 6 | (uint32_t)(digit - digits);
        have += 6;
        if (have >= 8) {
            have -= 8;
            if (made == room) {
                return -1;
            }
            to[made++] = (unsigned char)(bits >> have);
        }
    }
    return (long)made;
}

/* Returns true if the line is the end mark "end". A line of base 64 may begin
 * with "end" too, but its length is a multiple of four characters. */
static bool
is_end(const char *line)
{
    static const char word[] = "end";
    size_t n = sizeof word - 1;

    return strncmp(line, word, n) == 0 &&
           (!line[n] || strchr("\r\n", line[n]));
}

/* Decodes the lines from `at` on into the image. Returns false if they are
 * damaged. */
static bool
decode(const char *at, unsigned char *image, size_t bytes)
{
    size_t made = 0;

    while ((at = line_find(at, MARK)) != NULL && !is_end(at)) {
        long more = line_decode(at, image + made, bytes - made);
        if (more < 0) {
            return false;
        }
        made += (size_t)more;
    }
    return at && made == bytes;
}

CUresult
cpu_image_text_read(const void *text, size_t most, void **image, size_t *bytes)
{
    CUresult code = CUDA_ERROR_INVALID_IMAGE;
    char *copy = most == SIZE_MAX ? strdup(text) : strndup(text, most);
    unsigned char *made = NULL;

    if (!copy) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const char *at = line_find(copy, BEGIN);
    *bytes = at ? strtoul(at, NULL, 10) : 0;
    if (*bytes >= sizeof(struct image_header) && *bytes < strlen(copy)) {
        made = malloc(*bytes);
        code = made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!code && (!decode(at, made, *bytes) || cpu_image_size(made) > *bytes ||
                  cpu_image_size(made) == 0)) {
        code = CUDA_ERROR_INVALID_IMAGE;
    }
    free(copy);
    if (code) {
        free(made);
        return code;
    }
    *image = made;
    return CUDA_SUCCESS;
}
