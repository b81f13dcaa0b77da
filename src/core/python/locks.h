/* locks.h - the locks that replace the GIL in free-threaded Python.
 *
 * A context lock protects everything that belongs to one context: its struct,
 * its allocations, pools and caches. It is a critical section of Python: it is
 * released whenever the GIL would be released (core_gil_release, a wait for
 * another lock of Python), and a thread may take it again. Calls from Python
 * into the extension take the lock (locked_calls.c), and so does core_enter
 * for a context that is not the current one. Code that holds the lock may make
 * the same assumptions as code that holds the GIL.
 *
 * A leaf lock protects process-wide data for a few instructions. Code that
 * holds one calls neither Python nor the driver.
 *
 * With the GIL, nothing here takes time or memory: the GIL protects the data.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_LOCKS_H
#define PYCUDA_CORE_PYTHON_LOCKS_H

#include "core/core.h"

#ifdef Py_GIL_DISABLED

#if PY_VERSION_HEX < 0x030E0000
#error "free-threaded Python before 3.14 is not supported"
#endif

#include <pthread.h>

/* A context lock. Its memory is never freed, so that a thread may wait for the
 * lock of a context that another thread frees. */
struct core_lock {
    _Alignas(64) PyMutex mutex;
    struct core_lock *next;  /* next lock in the list of unused locks */
    struct core_lock *older; /* next lock in the list of all locks */
    /* caches of src/array (core_current_table); the next context that uses
     * the lock reuses them */
    void *tables[CORE_TABLES];
};

/* Returns a lock for a new context: an unused one, or a new one. Returns NULL
 * with a MemoryError on failure. */
struct core_lock *core_lock_new(void);
/* Allows a new context to use the lock. Called when a context is freed, also
 * by a thread that still holds the lock. NULL is allowed. */
void core_lock_reuse(struct core_lock *lock);

/* Lock of the calls that threads without a current context make. */
extern struct core_lock core_process_lock;

/* Waits until no other thread has a context lock or core_process_lock, and
 * takes all of them, until core_calls_resume. For changes of data that calls
 * in every context read, such as the shape of an array. The calling thread
 * loses its own locks during the wait, as if it released the GIL. Between the
 * two calls it may read and write the extension's memory, but call neither
 * Python nor the driver. Returns the argument of core_calls_resume. */
PyThreadState *core_calls_stop(void);
/* Releases the locks that core_calls_stop has taken. */
void core_calls_resume(PyThreadState *thread);

/* Makes os.fork release all locks in the child, because the threads that have
 * them do not exist there. A second call has no further effect. Returns 0, or
 * -1 with an exception. */
int core_locks_setup(void);

/* Takes the lock of a context until core_lock_end. Does nothing if `lock` is
 * NULL. Nested sections of a thread end in reverse order: the last one begun
 * ends first. */
static inline void
core_lock_begin(struct core_section *section, struct core_lock *lock)
{
    section->is_open = lock != NULL;
    if (lock != NULL) {
        PyCriticalSection_BeginMutex(&section->python, &lock->mutex);
    }
}

/* Releases the lock that core_lock_begin has taken, if any. */
static inline void
core_lock_end(struct core_section *section)
{
    if (section->is_open) {
        PyCriticalSection_End(&section->python);
    }
}

/* CORE_CONTEXT_BEGIN takes the lock of a context, which must not be NULL;
 * CORE_CONTEXT_END releases it. */
#define CORE_CONTEXT_BEGIN(section, context)                                  \
    core_lock_begin(section, (context)->lock)
#define CORE_CONTEXT_END(section) core_lock_end(section)

/* Returns a new reference to an object in a list that holds no references to
 * its elements, or NULL without an exception if another thread is destroying
 * the object. core_allow_references must have been called for the object. */
static inline PyObject *
core_reference_living(PyObject *object)
{
    return PyUnstable_TryIncRef(object) ? object : NULL;
}

/* Called for an object before it is added to a list that holds no references
 * to its elements. */
static inline void
core_allow_references(PyObject *object)
{
    PyUnstable_EnableTryIncRef(object);
}

/* Leaf locks: LEAF_LOCK defines one, which LEAF_BEGIN takes and LEAF_END
 * releases. */
#define LEAF_LOCK(name)  static pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER
#define LEAF_BEGIN(name) pthread_mutex_lock(&(name))
#define LEAF_END(name)   pthread_mutex_unlock(&(name))

/* Counters and flags that threads share without a lock. ADD_SHARED returns the
 * new value. */
#define ADD_SHARED(variable, amount)                                          \
    __atomic_add_fetch(&(variable), amount, __ATOMIC_RELAXED)
#define READ_SHARED(variable) __atomic_load_n(&(variable), __ATOMIC_RELAXED)
#define WRITE_SHARED(variable, value)                                         \
    __atomic_store_n(&(variable), value, __ATOMIC_RELAXED)

#else

#define CORE_CONTEXT_BEGIN(section, context) ((void)(section))
#define CORE_CONTEXT_END(section)            ((void)(section))

/* With the GIL, no other thread is in a call: core_calls_stop does nothing. */
static inline PyThreadState *
core_calls_stop(void)
{
    return NULL;
}

/* With the GIL, core_calls_resume does nothing. */
static inline void
core_calls_resume(PyThreadState *thread)
{
    (void)thread;
}

/* With the GIL, core_locks_setup does nothing. Returns 0. */
static inline int
core_locks_setup(void)
{
    return 0;
}

/* In Python with the GIL, no other thread can be destroying the object: always
 * returns a new reference to it. */
static inline PyObject *
core_reference_living(PyObject *object)
{
    return Py_NewRef(object);
}

/* With the GIL, core_allow_references does nothing. */
static inline void
core_allow_references(PyObject *object)
{
    (void)object;
}

#define LEAF_LOCK(name)               _Static_assert(1, #name)
#define LEAF_BEGIN(name)              ((void)0)
#define LEAF_END(name)                ((void)0)
#define ADD_SHARED(variable, amount)  ((variable) += (amount))
#define READ_SHARED(variable)         (variable)
#define WRITE_SHARED(variable, value) ((variable) = (value))

#endif

#endif
