/* interrupt.c - Ctrl-C and other signals during waits of the driver.
 *
 * A driver library that supports it (the CPU device's) calls the hook from
 * time to time while the main thread waits. Python's signal handlers run in
 * the hook. If one raises an exception, the wait ends, and the exception is
 * raised at the point of the wait: by core_fail if the driver's call fails,
 * otherwise by a pending call. NVIDIA's driver does not call the hook, so
 * there signals take effect when its call returns.
 *
 * SPDX-License-Identifier: MIT */
#include <sys/syscall.h>
#include <unistd.h>

#include "core/private.h"
#include "core/python/interrupt.h"

/* Exception of a handler in the main thread; strong. Protected by the GIL,
 * except for tests of whether `type` is NULL. */
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
    if (raised.type == NULL || !is_main_thread()) {
        return 0;
    }
    PyErr_Restore(raised.type, raised.value, raised.traceback);
    raised.type = raised.value = raised.traceback = NULL;
    return -1;
}

/* Number of core_interrupt_hold calls that are active. */
static int held;

/* Pending call that raises the exception, unless it is held back. */
static int
raise_pending(void *unused)
{
    (void)unused;
    return held ? 0 : core_interrupt_raise();
}

void
core_interrupt_hold(void)
{
    held++;
}

PyObject *
core_interrupt_release(PyObject *result)
{
    held--;
    if (result != NULL && core_interrupt_raise() < 0) {
        Py_CLEAR(result);
    }
    return result;
}

/* Called by the driver library during a wait, without the GIL; returns 1 to
 * end the wait. */
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
}
