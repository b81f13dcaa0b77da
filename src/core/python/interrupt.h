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

/* The caller calls core_interrupt_postpone before, and core_interrupt_resume
 * after, a call that waits and then runs Python code. An exception of a signal
 * handler during the wait is then raised by core_interrupt_resume instead of
 * inside the Python code. core_interrupt_resume takes over the call's result,
 * and returns it, or NULL with the exception. */
void core_interrupt_postpone(void);
PyObject *core_interrupt_resume(PyObject *result);

/* Registers the signal hook with the driver library. Called after the library
 * was opened. */
void core_interrupt_setup(void);
