/* text.c - text that grows, and lists of strings.
 *
 * Used by all files of cpu/nvrtc. Without locks: each text is used by one
 * thread.
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/text.h"

_Thread_local bool nvrtc_memory_failed;

/* Allocates capacity for `n` more bytes and a zero byte. Returns false on
 * failure. */
static bool
text_reserve(struct nvrtc_text *text, size_t n)
{
    if (text->failed) {
        return false;
    }
    size_t need = text->length + n + 1;
    if (need <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < need) {
        capacity *= 2;
    }
    char *bytes = realloc(text->bytes, capacity);
    if (bytes == NULL) {
        text->failed = nvrtc_memory_failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void
nvrtc_text_add(struct nvrtc_text *text, const void *bytes, size_t n)
{
    if (!text_reserve(text, n)) {
        return;
    }
    if (n) {
        memcpy(text->bytes + text->length, bytes, n);
    }
    text->length += n;
    text->bytes[text->length] = 0;
}

void
nvrtc_text_print(struct nvrtc_text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (n < 0 || !text_reserve(text, (size_t)n)) {
        text->failed = nvrtc_memory_failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->bytes + text->length, (size_t)n + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)n;
}

void
nvrtc_text_free(struct nvrtc_text *text)
{
    free(text->bytes);
    *text = (struct nvrtc_text){0};
}

/* Appends `word` to the string list `words`, which then owns it. If there is
 * not enough memory, frees `word`. */
static void
strings_push(struct nvrtc_strings *words, char *word)
{
    if (word == NULL || words->failed) {
        words->failed = nvrtc_memory_failed = true;
        free(word);
        return;
    }
    if (words->count + 2 > words->capacity) {
        size_t capacity = words->capacity ? 2 * words->capacity : 32;
        char **more = realloc(words->word, capacity * sizeof *more);
        if (more == NULL) {
            words->failed = nvrtc_memory_failed = true;
            free(word);
            return;
        }
        words->word = more;
        words->capacity = capacity;
    }
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

void
nvrtc_strings_add(struct nvrtc_strings *words, const char *format, ...)
{
    char *word = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&word, format, arguments) < 0) {
        word = NULL;
    }
    va_end(arguments);
    strings_push(words, word);
}

void
nvrtc_strings_add_all(struct nvrtc_strings *words,
                      const struct nvrtc_strings *more)
{
    words->failed |= more->failed;
    for (size_t i = 0; i < more->count; i++) {
        strings_push(words, strdup(more->word[i]));
    }
}

void
nvrtc_strings_free(struct nvrtc_strings *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->word[i]);
    }
    free(words->word);
    *words = (struct nvrtc_strings){0};
}
