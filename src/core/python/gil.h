/* gil.h - releases the GIL around calls of the driver.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_GIL_H
#define PYCUDA_CORE_PYTHON_GIL_H

#include "core/core.h"

/* Marks a thread that uses the driver, at its first use of a context. */
void core_thread_uses_driver(void);
/* Release and acquire the GIL around a call of the driver or NVRTC. */
PyThreadState *core_gil_release(void);
void core_gil_acquire(PyThreadState *thread);
/* Acquires the GIL after another wait. Blocks if Python ends the thread. */
void core_gil_acquire_or_block(PyThreadState *thread);
/* Called in a forked child: sets the count of active driver calls to 0. */
void core_gil_forked(void);

#endif
