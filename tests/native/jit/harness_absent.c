/* harness_absent.c - runtime functions that no test kernel calls: weak ones
 * for every name of image/abi.h, so that the loader's table links.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "image/abi.h"

static _Noreturn void
absent(const char *name)
{
    fprintf(stderr, "the harness has no %s\n", name);
    abort();
}

#define ABSENT(result, name, arguments, stops)                                \
    void name(void);                                                          \
    __attribute__((weak)) void name(void)                                     \
    {                                                                         \
        absent(#name);                                                        \
    }

IMAGE_RUNTIME(ABSENT)
