/* interrupt.c - Ctrl-C and other signals during waits of the driver.
 *
 * A driver library that asks (the CPU device's) calls the hook from time to
 * time while the main thread waits.  Python's handlers run there; what they
 * raise ends the wait and is raised where the wait was called: by core_fail if
 * the driver's call fails, else by a pending call.  NVIDIA's driver does not
 * ask, so signals take effect there when its call returns.
 *
 * SPDX-License-Identifier: MIT */
#include <sys/syscall.h>
#include <unistd.h>

#include "core/private.h"
#include "core/python/interrupt.h"

/* Of the main thread; under the GIL, but for looks at whether it is NULL. */
static struct {
    PyObject *type, *value, *traceback;
} raised;

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

static int held;

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
