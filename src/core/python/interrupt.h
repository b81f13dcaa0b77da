/* interrupt.h - Ctrl-C and other signals during waits of the driver.
 *
 * All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <Python.h>

/* Raises the exception that a signal handler of the program raised during a
 * wait of the driver, and returns -1; 0 if there is none or the thread is not
 * the main thread. */
int core_interrupt_raise(void);

/* Enclose a call that waits and then runs Python code, so that an exception of
 * the wait is raised after the call. core_interrupt_release takes over the
 * call's result, and returns it, or NULL with the exception. */
void core_interrupt_hold(void);
PyObject *core_interrupt_release(PyObject *result);

/* Registers the hook with the driver library, after it was opened. */
void core_interrupt_setup(void);
