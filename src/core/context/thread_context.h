/* thread_context.h - the context of threads that have not pushed one.
 *
 * All functions need the GIL and keep it. core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_THREAD_CONTEXT_H
#define PYCUDA_CORE_CONTEXT_THREAD_CONTEXT_H

#include <stdbool.h>

/* If this thread has never pushed a context, pushes the context that the
 * program chose for such threads. Returns whether it did; raises nothing. */
bool core_thread_context_adopt(void);

#endif
