/* context.h - the struct of a context, and the structs of the objects that a
 * context owns.
 *
 * The GIL protects all fields; in free-threaded Python, the field `lock` of a
 * context protects the others (python/locks.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_CONTEXT_H
#define PYCUDA_CORE_CONTEXT_CONTEXT_H

#include "core/core.h"
#include "core/python/object_head.h"

struct core_pending_copy;
struct core_function;
struct core_graph_link;
struct core_lock;
struct core_pool;
struct core_scratch;
struct core_staging;

enum core_context_kind {
    CONTEXT_CREATED, /* created by this module; ended by cuCtxDestroy */
    /* primary context, retained; ended by cuDevicePrimaryCtxRelease */
    CONTEXT_PRIMARY,
    CONTEXT_FOREIGN, /* created by another library; never destroyed */
};

/* Entry of a context's list of existing streams, which the memory pool
 * reads. */
struct core_stream_row {
    CUstream handle;
    /* true: the stream synchronizes with the legacy default stream */
    bool blocking;
};

/* A recent launch, for an error message if its kernel fails later. */
struct core_recorded_launch {
    /* strong reference: the kernel's name; NULL: look it up by `function` */
    PyObject *name;
    CUfunction function;
    unsigned grid[3], block[3];
    /* true if the grid and the block have the form that array operations use:
     * grid[1], grid[2] and block[2] are 1 */
    bool is_row;
};

enum { CORE_RECORDED_LAUNCHES = 3 };
enum { CORE_THROTTLES = 8 };

/* Pending (issued and not complete) launches of one stream, as counted by
 * launch/throttle.c. */
struct core_throttle {
    CUstream stream;
    unsigned count; /* pending launches: those not known to be complete */
    /* value of `count` at which throttle.c next checks which launches are
     * complete */
    unsigned next_check;
    /* number of counted launches that were issued before `event`; 0: no
     * event */
    unsigned marked;
    /* number of completed launches; done + count, the number of issued ones,
     * never decreases */
    unsigned done;
    CUevent event;
};

struct core_context {
    CORE_HEAD /* the field `context` of CORE_HEAD is NULL in a Context */
#ifdef Py_GIL_DISABLED
        /* protects the context and its objects (python/locks.h); NULL only
         * while the context is created */
        struct core_lock *lock;
#endif
    /* The following fields are on adjacent cache lines, since each operation
     * reads them. `serial` is the context key, a number that is unique in the
     * process (core_context_key). */
    uint64_t serial;
    /* entry in `throttles` that counts the launches of the stream of the last
     * launch */
    struct core_throttle *throttle;
    struct core_pool *pool;
    bool valid; /* false after detach() */
    /* true: each use of this context's memory is recorded by the slow path of
     * core_use, because several contexts exist or a capture is open */
    bool guarded;
    unsigned captures; /* number of open captures by Stream.capture */
    /* counter that is incremented when `launched` changes; starts at 1 */
    uint64_t noted;
    /* index in the ring buffer `launched` of its newest launch */
    unsigned launched_at;
    /* number of valid entries in the ring buffer `launched` */
    unsigned launched_count;
    /* ring buffer of the latest launches, for error messages */
    struct core_recorded_launch launched[CORE_RECORDED_LAUNCHES];
    /* one entry per stream; the last one counts all further streams
     * together */
    struct core_throttle throttles[CORE_THROTTLES + 1];
    CUcontext handle;
    CUdevice device;
    bool ending; /* a thread is executing detach() */
    enum core_context_kind kind;
    struct core_stream_row *streams;
    size_t stream_count;
    PyObject *held; /* list: objects used by open captures, or NULL */
    /* list of device memory to free when the captures end */
    CUdeviceptr *deferred;
    size_t deferred_count;
    /* table of scratch memory, one row per stream */
    struct core_scratch *scratch;
    size_t scratch_count;
    /* page-locked buffers of staging.c; NULL before the first staged copy */
    struct core_staging *staging;
    cublasHandle_t cublas; /* cuBLAS handle; NULL before its first use */
    struct core_pending_copy *pending_copies;
    size_t pending_copy_count, pending_copy_capacity;
    /* index in `pending_copies` of the copy to check next */
    size_t pending_copy_next;
    PyObject *local[CORE_LOCAL_COUNT];
    /* list of all existing Functions of the context */
    struct core_function *functions;
    /* list of all native graphs of the context */
    struct core_graph_link *graphs;
    struct core_context *next; /* next in the list of all contexts */
};

/* Last part of the error messages that a thread without a current context
 * gets. */
#define CORE_NO_CONTEXT                                                       \
    "Import pycuda.autoinit, or make or push a context: each thread has its " \
    "own (PYCUDA_THREAD_CONTEXT=1 gives all threads the first one)"

#endif
