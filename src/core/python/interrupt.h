/* interrupt.h - Ctrl-C and other signals during waits of the driver.
 *
 * All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <Python.h>

/* Raises the exception that a signal handler raised during a wait in the
 * driver, and returns -1. Returns 0 if there is none or the thread is not the
 * main thread. */
int core_interrupt_raise(void);

/* Called before (postpone) and after (resume) a function that waits and then
 * runs Python code. If a signal handler raises an exception during the wait,
 * the exception is not raised inside that Python code, but by
 * core_interrupt_resume. `result` is the result of the function, a reference
 * that core_interrupt_resume takes over. core_interrupt_resume returns
 * `result`, or NULL with the exception. */
void core_interrupt_postpone(void);
PyObject *core_interrupt_resume(PyObject *result);

/* Registers the signal hook with the driver library. Called after the library
 * was opened. */
void core_interrupt_setup(void);
