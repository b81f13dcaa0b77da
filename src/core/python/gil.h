/* gil.h - releases the GIL around calls of the driver.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_GIL_H
#define PYCUDA_CORE_PYTHON_GIL_H

#include "core/core.h"

/* Called at a thread's first use of a context. If Python later ends the thread
 * during exit, the thread waits before the driver's thread-local destructors
 * run. */
void core_thread_uses_driver(void);
/* core_gil_release releases the GIL before a call of the driver or NVRTC;
 * core_gil_acquire acquires it after the call. */
PyThreadState *core_gil_release(void);
void core_gil_acquire(PyThreadState *thread);
/* Acquires the GIL after a wait that is not a driver call. If Python is ending
 * and would end the thread, blocks forever. */
void core_gil_acquire_or_block(PyThreadState *thread);
/* Called in a forked child: sets the count of active driver calls to 0. */
void core_gil_forked(void);

#endif
