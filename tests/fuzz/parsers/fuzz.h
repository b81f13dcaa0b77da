/* fuzz.h - shared declarations of the fuzz targets for parsers.
 *
 * A target is one file: it includes or is linked with the parser's own sources
 * (targets.toml), and ends the process if a property of the parser does not
 * hold. tools/fuzz_parsers.py builds and runs the targets.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_TESTS_FUZZ_H
#define PYCUDA_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entry point of the fuzzing engine: processes one input, returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process if a property does not hold. */
#define FUZZ_REQUIRE(what)                                                    \
    do {                                                                      \
        if (!(what)) {                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, \
                    #what);                                                   \
            abort();                                                          \
        }                                                                     \
    } while (0)

/* Returns a copy of `size` bytes in an allocation of exactly that size, so
 * that the sanitizer detects any access beyond its end; `zero` adds a
 * terminating zero. The caller frees it. */
static inline char *
fuzz_copy(const uint8_t *data, size_t size, bool zero)
{
    char *copy = malloc(size + zero ? size + zero : 1);

    FUZZ_REQUIRE(copy != NULL);
    if (size) {
        memcpy(copy, data, size);
    }
    if (zero) {
        copy[size] = 0;
    }
    return copy;
}

#endif
