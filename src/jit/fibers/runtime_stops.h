/* runtime_stops.h - test for runtime functions in which a thread may wait for
 * other threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_FIBERS_RUNTIME_STOPS_H
#define PYCUDA_JIT_FIBERS_RUNTIME_STOPS_H

#include <stdbool.h>

/* Tests whether the runtime function `name` may switch to another fiber. */
bool jit_may_stop(const char *name);

#endif
