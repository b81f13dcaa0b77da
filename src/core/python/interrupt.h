/* interrupt.h - Ctrl-C and other signals during waits of the driver.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <Python.h>

/* Raises the exception that a handler of the program raised during a wait of
 * the driver: -1, or 0 if there is none.  Main thread, with the GIL. */
int core_interrupt_raise(void);

/* Around a call that waits and then runs Python code of its own: what the wait
 * raised is raised at the end.  core_interrupt_release takes the call's
 * result, and returns it, or NULL with that exception. */
void core_interrupt_hold(void);
PyObject *core_interrupt_release(PyObject *result);

/* Lets the driver library ask for such exceptions, once it is open. */
void core_interrupt_setup(void);
