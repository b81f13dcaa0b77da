/* text.h - growable text, and lists of strings.
 *
 * If an allocation fails, the function that appends sets `failed` and leaves
 * the contents unchanged. Callers check `failed` once, after all appends.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_TEXT_H
#define PYCUDA_CPU_NVRTC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* True if any allocation has failed in the current compilation of this thread.
 * nvrtc_compile clears the flag at its start. If the compilation fails and the
 * flag is set, nvrtc_compile returns NVRTC_ERROR_OUT_OF_MEMORY, so a step that
 * can continue without the memory need not report the failure. */
extern _Thread_local bool nvrtc_memory_failed;

struct nvrtc_text {
    char *bytes; /* the text; ends with a zero byte unless it is empty */
    size_t length;
    size_t capacity;
    bool failed;
};

/* nvrtc_text_add appends `n` bytes, nvrtc_text_print appends formatted text.
 * nvrtc_text_free frees the memory and makes the text empty, so that it can be
 * used again. */
void nvrtc_text_add(struct nvrtc_text *text, const void *bytes, size_t n);
void nvrtc_text_print(struct nvrtc_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void nvrtc_text_free(struct nvrtc_text *text);

struct nvrtc_strings {
    char **word; /* the strings, followed by NULL if there are any */
    size_t count;
    size_t capacity;
    bool failed;
};

/* nvrtc_strings_add appends one formatted string, nvrtc_strings_add_all
 * appends copies of all strings of `more`, nvrtc_strings_free frees the array
 * and its strings. */
void nvrtc_strings_add(struct nvrtc_strings *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void nvrtc_strings_add_all(struct nvrtc_strings *words,
                           const struct nvrtc_strings *more);
void nvrtc_strings_free(struct nvrtc_strings *words);

#endif
