/* unlocked.c - threads that use the driver while the process ends.
 *
 * Daemon threads may be inside the driver or NVRTC when the interpreter ends.
 * The libraries' own destructors, which exit() calls next, would take away
 * what those calls work with, so that it waits for them.  Python before 3.14
 * ends threads that come back, wait for the GIL, or run Python code, and the
 * driver's destructors of threads would race with the library's.  Those that
 * come back here stay, as in 3.14; those that end elsewhere stay for a while
 * before the driver's destructors.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "core/private.h"

/* A kernel may never end: such a wait is not worth more than this. */
#define LONGEST_SECONDS 5
#define STEPS_A_SECOND  1000

static atomic_int unlocked;
static _Atomic(PyThreadState *) ending; /* what ends the interpreter */
static _Thread_local bool ends_process CORE_AT_ONCE;
static _Thread_local bool uses_driver CORE_AT_ONCE;

/* glibc's: a thread calls it as it ends, the last one given first, and the
 * destructors of its pthread keys after them. */
int __cxa_thread_atexit_impl(void (*function)(void *), void *argument,
                             void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

static void
pause_briefly(void)
{
    const struct timespec step = {.tv_nsec = 1000000000L / STEPS_A_SECOND};
    nanosleep(&step, NULL);
}

/* A program that embeds Python goes on after it: its own threads end then,
 * and not at once. */
static void
thread_ends(void *unused)
{
    (void)unused;
    for (int i = 0; i < LONGEST_SECONDS * STEPS_A_SECOND &&
                    !Py_IsInitialized() && !ends_process;
         i++) {
        pause_briefly();
    }
}

void
core_thread_uses_driver(void)
{
    if (!uses_driver) {
        uses_driver = true;
        __cxa_thread_atexit_impl(thread_ends, NULL, &__dso_handle);
    }
}

PyThreadState *
core_unlock(void)
{
    core_thread_uses_driver();
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
    ends_process = true;
    for (int i = 0; i < LONGEST_SECONDS * STEPS_A_SECOND &&
                    atomic_load_explicit(&unlocked, memory_order_acquire) > 0;
         i++) {
        pause_briefly();
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
