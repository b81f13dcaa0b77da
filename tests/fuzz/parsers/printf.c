/* printf.c - fuzz target: formats and arguments of a kernel's printf.
 *
 * The first byte is the maximum length of the text, in units of 16 bytes; the
 * format follows up to a zero, then the arguments. If the format has an 's',
 * each argument is the address of a string, or NULL.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "cpu/run/printf_format.h"

/* Each byte of a format takes at most one argument. */
static uint64_t *
arguments_make(const char *format, const uint8_t *data, size_t size)
{
    static const char *const strings[] = {"text", "", "a longer text", NULL};
    size_t words = strlen(format) + 2;
    uint64_t *arguments = calloc(words, sizeof *arguments);
    bool addresses = strchr(format, 's') != NULL;

    FUZZ_REQUIRE(arguments != NULL);
    if (!addresses) {
        size_t most = words * sizeof *arguments;
        memcpy(arguments, data, size < most ? size : most);
        return arguments;
    }
    for (size_t i = 0; i < words; i++) {
        arguments[i] = (uintptr_t)strings[i < size ? data[i] % 4 : 0];
    }
    return arguments;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cpu_text text;

    if (size < 2) {
        return 0;
    }
    size_t length = strnlen((const char *)data + 1, size - 1);
    char *format = fuzz_copy(data + 1, length, true);
    uint64_t *arguments =
        arguments_make(format, data + 1 + length, size - 1 - length);

    cpu_text_clear(&text, 16u * *data);
    int32_t taken = cpu_text_format(&text, format, arguments);
    FUZZ_REQUIRE(taken >= 0 && (size_t)taken <= length);
    FUZZ_REQUIRE(text.used <= text.most);
    free(format);
    free(arguments);
    return 0;
}
