/* unlocked.c - threads that use the driver while the process ends.
 *
 * Daemon threads may be inside the driver or NVRTC when the interpreter ends.
 * exit() then calls the libraries' destructors, which destroy the state that
 * those calls use, so it waits for the calls first. Python before 3.14 ends
 * threads that return, wait for the GIL, or run Python code, and the driver's
 * destructors of these threads would race with the library's. Threads that
 * return to this file block forever, as in 3.14; those that end elsewhere wait
 * for a while before the driver's destructors.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "core/private.h"

/* Limit of the wait, since a kernel may never end. */
#define LONGEST_SECONDS 5
#define STEPS_A_SECOND  1000
#define LONGEST_STEPS   (LONGEST_SECONDS * STEPS_A_SECOND)

/* Number of calls of the driver in progress */
static atomic_int unlocked;
static atomic_bool process_waits;       /* exit() waits for those calls */
static _Atomic(PyThreadState *) ending; /* the thread that ends the
                                           interpreter */

/* True in a thread with a thread state that it has not left. A thread that
 * ends regularly leaves its state; the states of threads that Python ends are
 * cleared by the thread that ends the interpreter. */
static _Thread_local bool in_python CORE_AT_ONCE;
/* id of the thread state */
static _Thread_local uint64_t marked_for CORE_AT_ONCE;

/* Created before the driver is loaded, and so usually before the driver's
 * keys, which is also the order of the destructors. (A destructor registered
 * by __cxa_thread_atexit_impl would run before those of all keys, but its
 * registration takes the loader's lock, which a thread that waits for the GIL
 * may hold.) */
static pthread_key_t key;

static void
pause_briefly(void)
{
    const struct timespec step = {.tv_nsec = 1000000000L / STEPS_A_SECOND};
    nanosleep(&step, NULL);
}

/* Destructor of `key`: waits while exit() waits, and then a limited time for
 * it to begin. */
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

/* Destructor of the capsule in the thread state's dict. */
static void
state_left(PyObject *capsule)
{
    if (PyCapsule_GetPointer(capsule, NULL) == &in_python) {
        in_python = false;
    }
}

/* Puts a capsule into the thread state's dict, and sets the thread's key. */
static __attribute__((noinline)) void
mark_thread(uint64_t id)
{
    PyObject *dict = PyErr_Occurred() ? NULL : PyThreadState_GetDict();
    if (dict == NULL) {
        return;
    }
    PyObject *capsule = PyCapsule_New(&in_python, NULL, state_left);
    marked_for = id; /* not again if its dict is gone */
    in_python = capsule != NULL;
    if (capsule == NULL ||
        PyDict_SetItem(dict, core.str_thread, capsule) < 0) {
        PyErr_Clear();
    }
    Py_XDECREF(capsule);
    pthread_setspecific(key, &in_python);
}

/* Marks the thread as one that uses the driver: if Python ends it while the
 * process exits, it waits before the driver's thread destructors run. Called
 * at a thread's first use of a context. */
void
core_thread_uses_driver(void)
{
    uint64_t id = PyThreadState_Get()->id;
    if (marked_for != id) {
        mark_thread(id);
    }
}

/* Release and acquire the GIL around a call of the driver or of NVRTC. The end
 * of the process waits up to 5 seconds for such calls. */
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

/* Blocks the thread forever. */
static void
stay(void *unused)
{
    (void)unused;
    for (;;) {
        pause();
    }
}

/* Acquires the GIL after a wait that the end of the process does not wait for.
 * Blocks forever if Python would end the thread, or has itself ended. */
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

/* Called by Python after the end of the interpreter. */
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

/* The pending calls are the parent's. */
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
