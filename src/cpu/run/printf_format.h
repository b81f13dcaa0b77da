/* printf_format.h - a text buffer, and the formatting of printf() into it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_PRINTF_FORMAT_H
#define PYCUDA_CPU_RUN_PRINTF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

/* A text buffer that grows up to `most` bytes. A buffer whose members are all
 * 0 is empty. */
struct cpu_text {
    char *bytes;
    size_t used, capacity, most;
    bool lost; /* some text was dropped because it did not fit */
};

/* cpu_text_clear empties the text and sets its maximum size in bytes.
 * cpu_text_print appends formatted text. */
void cpu_text_clear(struct cpu_text *text, size_t most);
void cpu_text_print(struct cpu_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a kernel's packed arguments to the text, formatted like CUDA's
 * printf. Returns the number of arguments. */
int32_t cpu_text_format(struct cpu_text *text, const char *format,
                        const void *args);

#endif
