/* text.c - memory allocation and growing texts for pycuda-jit.
 *
 * Called by every pass. Memory is never freed, since the process lives for
 * milliseconds.
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/report.h"
#include "jit/text.h"

void *
jit_allocate(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory) {
        jit_die("out of memory");
    }
    return memory;
}

char *
jit_copy(const char *text, size_t length)
{
    char *copy = jit_allocate(length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *
jit_format(const char *format, ...)
{
    va_list list;
    char *text = NULL;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0) {
        jit_die("out of memory");
    }
    va_end(list);
    return text;
}

static void
text_reserve(struct jit_text *text, size_t more)
{
    if (text->length + more < text->capacity) {
        return;
    }
    text->capacity = 2 * (text->length + more) + 4096;
    text->bytes = realloc(text->bytes, text->capacity);
    if (!text->bytes) {
        jit_die("out of memory");
    }
}

void
jit_text_add(struct jit_text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    text_reserve(text, (size_t)length + 1);
    va_start(list, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, list);
    va_end(list);
    text->length += (size_t)length;
}

void
jit_text_add_bytes(struct jit_text *text, const void *bytes, size_t length)
{
    text_reserve(text, length + 1);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}
