/* unlocked.c - calls without the GIL, whose end the process's end waits for.
 *
 * Daemon threads may be inside the driver or NVRTC when the interpreter ends.
 * The libraries' own destructors, which exit() calls next, would take away
 * what those calls work with, so that it waits for them.  Python before 3.14
 * ends threads that come back, or wait for the GIL, and the driver's
 * destructors of threads would race with the library's; those that come back
 * here stay, as in 3.14.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "core/private.h"

/* A kernel may never end: such a wait is not worth more than this. */
#define LONGEST_SECONDS 5
#define STEPS_A_SECOND  1000

static atomic_int unlocked;
static _Atomic(PyThreadState *) ending; /* what ends the interpreter */

PyThreadState *
core_unlock(void)
{
    atomic_fetch_add_explicit(&unlocked, 1, memory_order_relaxed);
    if (!Py_IsInitialized()) { /* no other thread has the GIL then */
        ending = PyThreadState_Get();
    }
    return PyEval_SaveThread();
}

static void
stay(void *unused)
{
    (void)unused;
    for (;;) {
        pause();
    }
}

/* Stays where Python ends the thread, or has itself ended. */
void
core_take_gil(PyThreadState *thread)
{
    pthread_cleanup_push(stay, NULL);
    if (!Py_IsInitialized() && thread != ending) {
        stay(NULL);
    }
    PyEval_RestoreThread(thread);
    pthread_cleanup_pop(0);
}

void
core_lock(PyThreadState *thread)
{
    atomic_fetch_sub_explicit(&unlocked, 1, memory_order_release);
    core_take_gil(thread);
}

/* After the interpreter. */
static void
unlocked_wait(void)
{
    const struct timespec step = {.tv_nsec = 1000000000L / STEPS_A_SECOND};
    for (int i = 0; i < LONGEST_SECONDS * STEPS_A_SECOND &&
                    atomic_load_explicit(&unlocked, memory_order_acquire) > 0;
         i++) {
        nanosleep(&step, NULL);
    }
}

/* In a child: those calls are the parent's. */
void
core_unlocked_forked(void)
{
    atomic_store_explicit(&unlocked, 0, memory_order_relaxed);
}

int
core_unlocked_setup(PyObject *module)
{
    (void)module;
    if (Py_AtExit(unlocked_wait) < 0) {
        PyErr_SetString(PyExc_ImportError,
                        "pycuda._driver: Python takes no more functions to "
                        "call at exit");
        return -1;
    }
    return 0;
}
