/* interrupt.c - Ctrl-C and other signals during waits of the driver.
 *
 * A driver library that supports it (the CPU device's) calls interrupt_hook
 * from time to time while the main thread waits. The hook runs Python's signal
 * handlers. If one raises an exception, the wait ends, and the exception is
 * raised at the point of the wait: by core_fail if the driver's call fails,
 * otherwise by a pending call of Python (Py_AddPendingCall). NVIDIA's driver
 * does not call the hook: with it a signal handler runs after the driver's
 * call has returned.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/api.h"
#include "core/python/interrupt.h"
#include "core/python/locks.h"

/* The exception that a signal handler raised in interrupt_hook; strong
 * references. The fields are protected by the GIL. Only the comparison of
 * `type` with NULL needs no GIL. */
static struct {
    PyObject *type, *value, *traceback;
} raised;

/* Returns whether this is the process's first thread, in which Python runs
 * signal handlers. */
static bool
is_main_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}

int
core_interrupt_raise(void)
{
    if (READ_SHARED(raised.type) == NULL || !is_main_thread()) {
        return 0;
    }
    PyErr_Restore(raised.type, raised.value, raised.traceback);
    raised.type = raised.value = raised.traceback = NULL;
    return -1;
}

/* Number of calls between core_interrupt_postpone and core_interrupt_resume.
 */
static int held;

/* Function for Py_AddPendingCall: raises the stored exception, except between
 * core_interrupt_postpone and core_interrupt_resume. */
static int
raise_pending(void *unused)
{
    (void)unused;
    return READ_SHARED(held) ? 0 : core_interrupt_raise();
}

void
core_interrupt_postpone(void)
{
    ADD_SHARED(held, 1);
}

PyObject *
core_interrupt_resume(PyObject *result)
{
    ADD_SHARED(held, -1);
    if (result != NULL && core_interrupt_raise() < 0) {
        Py_CLEAR(result);
    }
    return result;
}

/* Runs Python's signal handlers. The driver library calls it during a wait,
 * without the GIL. Returns 1 if a handler raised an exception, so that the
 * wait must end. */
static int
interrupt_hook(void)
{
    if (!is_main_thread() || !Py_IsInitialized()) {
        return 0;
    }
    if (raised.type != NULL) {
        return 1;
    }
    PyGILState_STATE state = PyGILState_Ensure();
    int interrupted = PyErr_CheckSignals() < 0;
    if (interrupted) {
        PyErr_Fetch(&raised.type, &raised.value, &raised.traceback);
        Py_AddPendingCall(raise_pending, NULL);
    }
    PyGILState_Release(state);
    return interrupted;
}

void
core_interrupt_setup(void)
{
    api_set_interrupt(interrupt_hook);
    api_private_queries();
}
