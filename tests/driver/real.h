/* real.h - how a driver of tests calls the CPU device's, which it stands
 * before.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_DRIVER_REAL_H
#define TESTS_DRIVER_REAL_H

#include <dlfcn.h>
#include <stdlib.h>

/* The driver's own function of this name; it has to be there. */
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
