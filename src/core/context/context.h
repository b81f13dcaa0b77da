/* context.h - the context object, and what it owns.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_CONTEXT_H
#define PYCUDA_CORE_CONTEXT_CONTEXT_H

#include "core/core.h"
#include "core/python/object.h"

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
    PyObject *name; /* strong; NULL: find it by `function` */
    CUfunction function;
    unsigned grid[3], block[3];
    bool is_row; /* grid[1], grid[2] and block[2] are 1 */
};

enum { CORE_RECORDED_LAUNCHES = 3 };
enum { CORE_THROTTLES = 8 };

/* Pending launches of one stream, as counted by launch/throttle.c. */
struct core_throttle {
    CUstream stream;
    unsigned count;  /* launches not known to be complete */
    unsigned look;   /* value of `count` at which to check for completion */
    unsigned marked; /* launches before `event`; 0: no event */
    unsigned done;   /* completed launches; done + count never decreases */
    CUevent event;
};

struct core_context {
    CORE_HEAD /* `context` is NULL in a context */
        /* Read by each operation, so on adjacent cache lines. */
        uint64_t serial;            /* context key (core_context_key) */
    struct core_throttle *throttle; /* entry of the last launch's stream */
    struct core_pool *pool;
    bool valid;              /* not detached */
    bool guarded;            /* uses of its memory take the slow path */
    unsigned captures;       /* number of open captures by Stream.capture */
    uint64_t noted;          /* 1 + number of changes of `launched` */
    unsigned launched_at;    /* index in `launched` of the newest launch */
    unsigned launched_count; /* entries in use */
    struct core_recorded_launch
        launched[CORE_RECORDED_LAUNCHES]; /* a ring buffer */
    struct core_throttle
        throttles[CORE_THROTTLES + 1]; /* last: all other streams */
    CUcontext handle;
    CUdevice device;
    bool ending; /* a thread is executing detach() */
    enum core_context_kind kind;
    struct core_stream_row *streams;
    size_t stream_count;
    PyObject *held;        /* list: objects used by open captures, or NULL */
    CUdeviceptr *deferred; /* device memory to free when the captures end */
    size_t deferred_count;
    struct core_scratch *scratch; /* one entry per stream */
    size_t scratch_count;
    struct core_staging *staging; /* NULL before the first staged copy */
    cublasHandle_t cublas;        /* NULL before the first cuBLAS product */
    struct core_pending_copy *pending_copies;
    size_t pending_copy_count, pending_copy_capacity;
    size_t pending_copy_next; /* index of the pending copy to check next */
    PyObject *local[CORE_LOCAL_COUNT];
    struct core_function *functions; /* all live Functions of the context */
    struct core_graph_link *graphs;  /* all native graphs of the context */
    struct core_context *next;       /* next in the list of all contexts */
};

/* Returns a Context that owns `handle`; on failure the caller still does. */
PyObject *core_context_wrap(CUcontext handle, CUdevice device,
                            enum core_context_kind kind);

/* Make `context` CUDA's current context, and undo that. false: the context is
 * gone, and core_leave must not be called. */
struct core_scope {
    bool pushed;
};

bool core_enter(struct core_context *context, struct core_scope *scope);
void core_leave(struct core_scope *scope);
/* Raises LogicError: the object's context was detached. Returns -1. */
int core_context_fail_detached(const char *routine);
/* Add a stream to the context's list, and remove it. */
int core_context_add_stream(struct core_context *context, CUstream handle,
                            bool blocking);
void core_context_drop_stream(struct core_context *context, CUstream handle);
/* End of error messages for threads without a current context. */
#define CORE_NO_CONTEXT                                                       \
    "Import pycuda.autoinit, or make or push a context: each thread has its " \
    "own"

#endif
