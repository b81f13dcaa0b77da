/* gil.c - threads that use the driver while the process ends.
 *
 * Daemon threads may be inside the driver or NVRTC when the interpreter ends.
 * exit() then runs the destructors of the libraries, which destroy the state
 * that those threads use. So exit() first waits until the calls of the driver
 * and of NVRTC have returned. Before version 3.14 Python also ends the daemon
 * threads when they try to acquire the GIL. The driver's thread-local
 * destructors would then run in these threads at the same time as its library
 * destructors. To prevent this, a thread that returns from the driver to this
 * file blocks forever, as in Python 3.14. A thread that Python ends elsewhere
 * waits in `thread_exit_wait` for a limited time before the driver's
 * thread-local destructors run.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "core/python/gil.h"
#include "core/python/object_head.h"
#include "core/state.h"

/* Longest wait in seconds for calls of the driver. It is limited since a
 * kernel may never end. */
#define LONGEST_SECONDS  5
#define STEPS_PER_SECOND 1000
#define LONGEST_STEPS    (LONGEST_SECONDS * STEPS_PER_SECOND)

/* Number of threads that are in a call of the driver or of NVRTC, without the
 * GIL. */
static atomic_int unlocked;
/* exit() is waiting for the calls that `unlocked` counts */
static atomic_bool process_waits;
/* the thread that finalizes Python, or NULL */
static _Atomic(PyThreadState *) ending;

/* True while the thread has a Python thread state. A thread whose function
 * returns clears its state, and the flag, before its destructors run. If
 * Python ends the thread, the flag is still true when its destructors run. */
static _Thread_local bool in_python CORE_AT_ONCE;
/* Id of the thread state for which watch_thread_end ran last in this thread.
 */
static _Thread_local uint64_t marked_for CORE_AT_ONCE;

/* Key whose destructor thread_exit_wait runs when a thread ends. Destructors
 * run in the order in which keys were created. This key is created before the
 * driver is loaded, so thread_exit_wait usually runs before the driver's
 * destructors.
 * (__cxa_thread_atexit_impl would run a destructor before those of all keys.
 * But it takes the loader's lock, which a thread that waits for the GIL may
 * hold.) */
static pthread_key_t key;

static void
pause_briefly(void)
{
    const struct timespec step = {.tv_nsec = 1000000000L / STEPS_PER_SECOND};
    nanosleep(&step, NULL);
}

/* Destructor of `key`. If Python ends a thread during Python's shutdown, keeps
 * the thread alive while exit() waits in wait_for_driver_calls, and for up to
 * 5 seconds after that. */
static void
thread_exit_wait(void *unused)
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

/* Destructor of the capsule in the dict of the thread state: clears
 * `in_python` if the current thread is the capsule's thread. */
static void
thread_state_destroyed(PyObject *capsule)
{
    if (PyCapsule_GetPointer(capsule, NULL) == &in_python) {
        in_python = false;
    }
}

/* Puts a capsule into the dict of the thread state; the capsule's destructor
 * clears `in_python`. Also sets `key`, so that thread_exit_wait runs at the
 * end of the thread. */
static __attribute__((noinline)) void
watch_thread_end(uint64_t id)
{
    PyObject *dict = PyErr_Occurred() ? NULL : PyThreadState_GetDict();
    if (dict == NULL) {
        return;
    }
    PyObject *capsule =
        PyCapsule_New(&in_python, NULL, thread_state_destroyed);
    /* The thread is marked first, so that it is not watched a second time
     * after the dict is cleared. */
    marked_for = id;
    in_python = capsule != NULL;
    if (capsule == NULL ||
        PyDict_SetItem(dict, core.str_thread, capsule) < 0) {
        PyErr_Clear();
    }
    Py_XDECREF(capsule);
    pthread_setspecific(key, &in_python);
}

/* Marks the thread as one that uses the driver, at its first use of a context.
 * If Python ends the thread while the process exits, the thread then waits
 * before the driver's thread-local destructors run. */
void
core_thread_uses_driver(void)
{
    uint64_t id = PyThreadState_Get()->id;
    if (marked_for != id) {
        watch_thread_end(id);
    }
}

/* core_gil_release releases the GIL before a call of the driver or of NVRTC;
 * core_gil_acquire acquires it after the call. At its exit the process waits
 * up to 5 seconds for these calls. */
PyThreadState *
core_gil_release(void)
{
    core_thread_uses_driver();
    atomic_fetch_add_explicit(&unlocked, 1, memory_order_relaxed);
    if (!Py_IsInitialized()) { /* this thread finalizes the interpreter */
        ending = PyThreadState_Get();
    }
    return PyEval_SaveThread();
}

/* Blocks the thread forever. Also runs as a cleanup handler if Python ends the
 * thread. */
static void
block_forever(void *unused)
{
    (void)unused;
    for (;;) {
        pause();
    }
}

/* Acquires the GIL. Called by core_gil_acquire, and by functions that have
 * waited for something else than a driver call (exit() does not wait for such
 * functions). Blocks the thread forever if another thread finalizes the
 * interpreter, since Python would end this thread. */
void
core_gil_acquire_or_block(PyThreadState *thread)
{
    pthread_cleanup_push(block_forever, NULL);
    if (!Py_IsInitialized() && thread != ending) {
        block_forever(NULL);
    }
    PyEval_RestoreThread(thread);
    pthread_cleanup_pop(0);
}

void
core_gil_acquire(PyThreadState *thread)
{
    atomic_fetch_sub_explicit(&unlocked, 1, memory_order_release);
    core_gil_acquire_or_block(thread);
}

/* Waits up to 5 seconds for calls of the driver. Registered by Py_AtExit:
 * Python calls it after the interpreter is finalized. */
static void
wait_for_driver_calls(void)
{
    process_waits = true;
    for (int i = 0; i < LONGEST_STEPS &&
                    atomic_load_explicit(&unlocked, memory_order_acquire) > 0;
         i++) {
        pause_briefly();
    }
    process_waits = false;
}

/* Resets the number of calls in progress in a forked child process, since
 * those calls belong to threads of the parent. */
void
core_gil_forked(void)
{
    atomic_store_explicit(&unlocked, 0, memory_order_relaxed);
}

int
core_gil_setup(PyObject *module)
{
    static bool has_key, has_exit;

    (void)module;
    if (!has_key && pthread_key_create(&key, thread_exit_wait) != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "pycuda._driver: all keys for thread-specific data "
                        "are in use (pthread_key_create; PTHREAD_KEYS_MAX "
                        "is 1024): import pycuda before the libraries that "
                        "use so many");
        return -1;
    }
    has_key = true;
    if (!has_exit && Py_AtExit(wait_for_driver_calls) < 0) {
        PyErr_SetString(PyExc_ImportError,
                        "pycuda._driver: Python accepts at most 32 exit "
                        "functions (Py_AtExit), and all are in use: import "
                        "pycuda before the libraries that register them");
        return -1;
    }
    has_exit = true;
    return 0;
}
