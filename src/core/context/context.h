/* context.h - the struct of a context, and of what it owns.
 *
 * The GIL protects all fields.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_CONTEXT_H
#define PYCUDA_CORE_CONTEXT_CONTEXT_H

#include "core/core.h"
#include "core/python/object_head.h"

struct core_pending_copy;
struct core_function;
struct core_graph_link;
struct core_pool;
struct core_scratch;
struct core_staging;

enum core_context_kind {
    CONTEXT_CREATED, /* created by this module; ended by cuCtxDestroy */
    CONTEXT_PRIMARY, /* retained; ended by cuDevicePrimaryCtxRelease */
    CONTEXT_FOREIGN, /* created by another library; never destroyed */
};

/* A live stream of a context; the memory pool reads the list of them. */
struct core_stream_row {
    CUstream handle;
    bool blocking; /* synchronizes with the legacy default stream */
};

/* A recent launch, for an error message if its kernel fails later. */
struct core_recorded_launch {
    PyObject *name; /* strong reference; NULL: find it by `function` */
    CUfunction function;
    unsigned grid[3], block[3];
    /* grid[1], grid[2] and block[2] are 1, as in a one-dimensional grid */
    bool is_row;
};

enum { CORE_RECORDED_LAUNCHES = 3 };
enum { CORE_THROTTLES = 8 };

/* Pending (issued and not complete) launches of one stream, as counted by
 * launch/throttle.c. */
struct core_throttle {
    CUstream stream;
    unsigned count; /* pending launches: those not known to be complete */
    /* when `count` reaches this value, throttle.c checks for complete
     * launches */
    unsigned look;
    /* number of counted launches that were issued before `event`; 0: no
     * event */
    unsigned marked;
    unsigned done; /* completed launches; done + count never decreases */
    CUevent event;
};

struct core_context {
    CORE_HEAD /* in a Context the field `context` of CORE_HEAD is NULL */
        /* These fields are on adjacent cache lines, since each operation reads
         * them. */
        uint64_t serial; /* context key (core_context_key) */
    /* entry in `throttles` of the stream of the last launch */
    struct core_throttle *throttle;
    struct core_pool *pool;
    bool valid; /* false after detach() */
    /* if set, core_use takes the slow path for this context's memory: several
     * contexts exist, or a capture is open */
    bool guarded;
    unsigned captures; /* number of open captures by Stream.capture */
    uint64_t noted;    /* counts the changes of `launched`, from 1 */
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
    PyObject *held;        /* list: objects used by open captures, or NULL */
    CUdeviceptr *deferred; /* device memory to free when the captures end */
    size_t deferred_count;
    /* table of scratch memory, one row per stream */
    struct core_scratch *scratch;
    size_t scratch_count;
    /* page-locked buffers of staging.c; NULL before the first staged copy */
    struct core_staging *staging;
    cublasHandle_t cublas; /* NULL before the first cuBLAS product */
    struct core_pending_copy *pending_copies;
    size_t pending_copy_count, pending_copy_capacity;
    size_t pending_copy_next; /* index of the pending copy to check next */
    PyObject *local[CORE_LOCAL_COUNT];
    struct core_function *functions; /* all live Functions of the context */
    struct core_graph_link *graphs;  /* all native graphs of the context */
    struct core_context *next;       /* next in the list of all contexts */
};

/* Last part of the error messages that a thread without a current context
 * gets. */
#define CORE_NO_CONTEXT                                                       \
    "Import pycuda.autoinit, or make or push a context: each thread has its " \
    "own (PYCUDA_THREAD_CONTEXT=1 gives all threads the first one)"

#endif
