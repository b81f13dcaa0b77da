/* locks.c - creation and reuse of the locks of contexts, and the function by
 * which one thread takes all of them.
 *
 * Used in free-threaded Python only. All locks are in one list, from which
 * none is removed. A thread takes all locks by walking the list. While it
 * holds `stopping`, no lock is added to the list and no other thread takes all
 * locks.
 *
 * A thread that takes all locks first gives up its own lock, since the threads
 * that it waits for may wait for that lock. Those threads give up their locks
 * while they wait, so there is no deadlock.
 *
 * SPDX-License-Identifier: MIT */
#include "core/python/locks.h"
#include "core/core.h"

#ifdef Py_GIL_DISABLED

/* Protects the list of unused locks. */
LEAF_LOCK(unused_lock);
static struct core_lock *unused;

/* Protects the list of all locks, which begins with `newest`. A mutex of
 * Python, since a thread that holds it waits for other threads. */
static PyMutex stopping;
struct core_lock core_process_lock;
static struct core_lock *newest = &core_process_lock;

/* Allocates a lock and adds it to the list of all locks. Returns NULL with a
 * MemoryError on failure. */
static struct core_lock *
lock_create(void)
{
    struct core_lock *lock =
        aligned_alloc(_Alignof(struct core_lock), sizeof *lock);
    if (lock == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memset(lock, 0, sizeof *lock);
    PyMutex_Lock(&stopping);
    lock->older = newest;
    newest = lock;
    PyMutex_Unlock(&stopping);
    return lock;
}

struct core_lock *
core_lock_new(void)
{
    LEAF_BEGIN(unused_lock);
    struct core_lock *lock = unused;
    if (lock != NULL) {
        unused = lock->next;
    }
    LEAF_END(unused_lock);
    return lock != NULL ? lock : lock_create();
}

void
core_lock_reuse(struct core_lock *lock)
{
    if (lock != NULL) {
        LEAF_BEGIN(unused_lock);
        lock->next = unused;
        unused = lock;
        LEAF_END(unused_lock);
    }
}

PyThreadState *
core_calls_stop(void)
{
    PyThreadState *thread = PyEval_SaveThread();
    PyMutex_Lock(&stopping);
    for (struct core_lock *lock = newest; lock != NULL; lock = lock->older) {
        PyMutex_Lock(&lock->mutex);
    }
    return thread;
}

void
core_calls_resume(PyThreadState *thread)
{
    for (struct core_lock *lock = newest; lock != NULL; lock = lock->older) {
        PyMutex_Unlock(&lock->mutex);
    }
    PyMutex_Unlock(&stopping);
    PyEval_RestoreThread(thread);
}

/* Called by Python in the child of a fork. A thread that does not exist in the
 * child may have had a lock, or have been the next to get it. (The parent
 * cannot wait for such threads before the fork, since Python has stopped
 * threads that they wait for.) The calling thread keeps its own locks, which
 * PyEval_RestoreThread takes again. */
static PyObject *
locks_forked(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    PyThreadState *thread = PyEval_SaveThread();
    memset(&stopping, 0, sizeof stopping);
    for (struct core_lock *lock = newest; lock != NULL; lock = lock->older) {
        memset(&lock->mutex, 0, sizeof lock->mutex);
    }
    PyEval_RestoreThread(thread);
    Py_RETURN_NONE;
}

int
core_locks_setup(void)
{
    static PyMethodDef method = {"_locks_forked", locks_forked, METH_NOARGS,
                                 "Release all locks, in the child of a fork."};
    int status = -1;
    PyObject *os = PyImport_ImportModule("os");
    PyObject *hook = PyCFunction_New(&method, NULL);
    PyObject *names = Py_BuildValue("{s:O}", "after_in_child", hook);
    PyObject *setter =
        os != NULL ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
    if (hook != NULL && names != NULL && setter != NULL) {
        PyObject *result = PyObject_VectorcallDict(setter, NULL, 0, names);
        status = result != NULL ? 0 : -1;
        Py_XDECREF(result);
    }
    Py_XDECREF(setter);
    Py_XDECREF(names);
    Py_XDECREF(hook);
    Py_XDECREF(os);
    return status;
}

#endif
