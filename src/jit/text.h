/* text.h - memory allocation, and texts that grow.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_TEXT_H
#define PYCUDA_JIT_TEXT_H

#include <stddef.h>

/* A text that grows as it is appended to. All members 0: an empty text. */
struct jit_text {
    char *bytes;
    size_t length;
    size_t capacity;
};

/* text.c: memory, which lives until the process ends. Running out of memory
 * ends the process. `jit_copy` and `jit_format` return texts that end in a
 * NUL. */
void *jit_allocate(size_t bytes); /* returns zeroed memory; never NULL */
char *jit_copy(const char *text, size_t length);
char *jit_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* Append formatted text, or bytes, to `text`. */
void jit_text_add(struct jit_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void jit_text_add_bytes(struct jit_text *text, const void *bytes,
                        size_t length);

#endif
