/* real.h - calls from a test driver into the CPU device's driver.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_DRIVER_REAL_H
#define TESTS_DRIVER_REAL_H

#include <dlfcn.h>
#include <stdlib.h>

/* Returns the CPU device's function of this name, which must exist. */
static void *
real(const char *name)
{
    void *address = dlsym(RTLD_NEXT, name);
    if (address == NULL) {
        abort();
    }
    return address;
}

#endif
