/* names.h - the names of static kernels in images.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_IMAGE_NAMES_H
#define PYCUDA_IMAGE_NAMES_H

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Removes from a kernel's symbol the letters L that mark static functions, as
 * NVRTC does: _Z1kPi for _ZL1kPi, _ZN1a1kEv for _ZN1aL1kEv. The text becomes
 * shorter or stays as it is. */
static inline void
image_kernel_name(char *symbol)
{
    bool is_nested = strncmp(symbol, "_ZN", 3) == 0;
    char *at = symbol + (is_nested ? 3 : 2);

    if (strncmp(symbol, "_Z", 2) != 0) {
        return;
    }
    for (bool more = true; more; more = is_nested) {
        if (at[0] == 'L' && isdigit((unsigned char)at[1])) {
            memmove(at, at + 1, strlen(at));
        }
        char *end;
        unsigned long n = strtoul(at, &end, 10);
        if (!isdigit((unsigned char)*at) || n > strlen(end)) {
            return;
        }
        at = end + n;
    }
}

#endif
