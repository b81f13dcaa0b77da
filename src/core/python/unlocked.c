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
#define LONGEST_STEPS   (LONGEST_SECONDS * STEPS_A_SECOND)

static atomic_int unlocked;
static atomic_bool process_waits;       /* for those calls */
static _Atomic(PyThreadState *) ending; /* what ends the interpreter */

/* A thread with a thread state that it has not left.  It leaves one by itself
 * where it ends by itself; the states of threads that Python ends are left to
 * the thread that ends the interpreter. */
static _Thread_local bool in_python CORE_AT_ONCE;
static _Thread_local uint64_t marked_for CORE_AT_ONCE; /* thread state's id */

/* Made before the driver is loaded: before its own keys, mostly, and so are
 * the destructors called.  (A destructor given by __cxa_thread_atexit_impl
 * would come before all keys', but giving it takes the loader's lock, which a
 * thread may have that waits for the GIL.) */
static pthread_key_t key;

static void
pause_briefly(void)
{
    const struct timespec step = {.tv_nsec = 1000000000L / STEPS_A_SECOND};
    nanosleep(&step, NULL);
}

/* As long as the process's end waits, and then until it comes. */
static void
thread_ends(void *unused)
{
    (void)unused;
    for (int i = 0; i < LONGEST_STEPS && in_python && !Py_IsInitialized();
         i++) {
        pause_briefly();
        if (process_waits) {
            i = 0;
        }
    }
}

/* The thread state's dict goes. */
static void
state_left(PyObject *capsule)
{
    if (PyCapsule_GetPointer(capsule, NULL) == &in_python) {
        in_python = false;
    }
}

static __attribute__((noinline)) void
mark_thread(uint64_t id)
{
    PyObject *dict = PyErr_Occurred() ? NULL : PyThreadState_GetDict();
    if (dict == NULL) {
        return;
    }
    PyObject *capsule = PyCapsule_New(&in_python, NULL, state_left);
    marked_for = id; /* not again where its dict has gone */
    in_python = capsule != NULL;
    if (capsule == NULL ||
        PyDict_SetItem(dict, core.str_thread, capsule) < 0) {
        PyErr_Clear();
    }
    Py_XDECREF(capsule);
    pthread_setspecific(key, &in_python);
}

void
core_thread_uses_driver(void)
{
    uint64_t id = PyThreadState_Get()->id;
    if (marked_for != id) {
        mark_thread(id);
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
    process_waits = true;
    for (int i = 0; i < LONGEST_STEPS &&
                    atomic_load_explicit(&unlocked, memory_order_acquire) > 0;
         i++) {
        pause_briefly();
    }
    process_waits = false;
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
    static bool has_key, has_exit;

    (void)module;
    if (!has_key && pthread_key_create(&key, thread_ends) != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "pycuda._driver: the process has no key for a "
                        "thread's value left (pthread_key_create; "
                        "PTHREAD_KEYS_MAX is 1024): import it before the "
                        "libraries that take so many");
        return -1;
    }
    has_key = true;
    if (!has_exit && Py_AtExit(unlocked_wait) < 0) {
        PyErr_SetString(PyExc_ImportError,
                        "pycuda._driver: Python takes no more functions to "
                        "call at exit (32 are its limit): import it before "
                        "the libraries that take so many");
        return -1;
    }
    has_exit = true;
    return 0;
}
