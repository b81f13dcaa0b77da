/* runtime_stops.c - runtime functions in which a thread may wait for others.
 *
 * Called by passes that examine calls. The information comes from the table of
 * the runtime's functions in image/abi.h. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/fibers/runtime_stops.h"

struct runtime_function {
    const char *name;
    int stops;
};

#define RUNTIME_ROW(result, name, arguments, stops) {#name, stops},

static const struct runtime_function runtime[] = {IMAGE_RUNTIME(RUNTIME_ROW)};

bool
jit_may_stop(const char *name)
{
    for (size_t i = 0; i < sizeof runtime / sizeof *runtime; i++) {
        if (strcmp(name, runtime[i].name) == 0) {
            return runtime[i].stops != 0;
        }
    }
    return false;
}
