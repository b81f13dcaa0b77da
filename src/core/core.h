/* core.h - functions that core offers to src/array.
 *
 * The caller of each function has the GIL. Functions that wait release the GIL
 * during the wait and acquire it again. In free-threaded Python, "the GIL"
 * means the lock of the current context (python/locks.h), here and in all
 * headers of core and array. An int result is 0, or -1 with a Python
 * exception; a PyObject * result is a new reference, or NULL with an
 * exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CORE_H
#define PYCUDA_CORE_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include "api/api.h"

#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

struct core_context; /* private to core */
struct core_lock;    /* private to core */

/* A section of a call in which the thread has a context's lock
 * (python/locks.h). In builds with the GIL it has no members. */
struct core_section {
#ifdef Py_GIL_DISABLED
    PyCriticalSection python;
    bool is_open;
#endif
};

/* First fields of ArrayBase, the base type of device arrays. src/array embeds
 * this struct as the first field, so that the launch path reads an array's
 * address without a call. The array's dtype follows (core_array_dtype). */
struct core_array_head {
    PyObject_HEAD
    /* address of the first element; 0 for an empty array */
    CUdeviceptr pointer;
    PyObject *owner; /* strong: the object that keeps the memory alive
                        (a DeviceAllocation of the default pool, another
                        holder, a base array), or NULL */
};

/* Returns the dtype of an array, borrowed; NULL before its __init__. */
static inline PyObject *
core_array_dtype(const struct core_array_head *array)
{
    return *(PyObject *const *)(array + 1);
}

/* Makes an object from a free list valid again. The object has its former type
 * and one reference, and the garbage collector does not track it. The caller
 * initializes the other fields. */
static inline void
core_object_revive(PyObject *object)
{
#if defined(Py_REF_DEBUG) || defined(Py_GIL_DISABLED)
    PyObject_Init(object, Py_TYPE(object));
#else
    Py_INCREF(Py_TYPE(object));
    Py_SET_REFCNT(object, 1);
#endif
}

/* Registers the array type, which begins with core_array_head, and its
 * subclasses for the launch path. `room` returns the number of bytes from an
 * array's first element to the end of its last one. Called once, by
 * array_setup. */
void core_set_array_type(PyTypeObject *type, size_t (*room)(PyObject *));

/* Registers the types of src/array; called by the module's exec slot. */
int array_setup(PyObject *module);

/* Arguments of a C function that implements a Python method. core_args stores
 * the value of each parameter of the signature in `values`: borrowed, or NULL
 * if the caller did not pass it. Raises TypeError for a missing, surplus or
 * unknown argument. */
#define CORE_MAX_ARGS 8
struct core_signature {
    const char *function;
    int required;
    /* names of the parameters; "": positional-only parameter */
    const char *names[CORE_MAX_ARGS + 1];
};
#define CORE_ARGS PyObject *const *args, Py_ssize_t nargs, PyObject *names
#define CORE_METHOD(name)                                                     \
    (PyCFunction)(void (*)(void))(name), METH_FASTCALL | METH_KEYWORDS
int core_args(const struct core_signature *signature, CORE_ARGS,
              PyObject **values);

/* Raises PyCUDA's exception for the error `code`, "<routine> failed: <text>";
 * returns 0 for CUDA_SUCCESS. `routine` is the driver function's name without
 * a version suffix, such as "cuMemAlloc". */
int core_check(CUresult code, const char *routine);
/* Raises the exception of `code`, "<routine> failed: <text> - <detail>", and
 * returns -1. `detail` may be NULL. */
int core_fail(CUresult code, const char *routine, const char *detail);

/* Reads the device address of `object`: an allocation, an array, an integer,
 * or any object with __cuda_array_interface__, __dlpack__, gpudata or
 * get_pointer(). If the object names a stream of its producer, the current
 * stream waits for that stream. Raises TypeError for another object. */
int core_pointer(PyObject *object, CUdeviceptr *pointer);
/* Reads a stream= argument: None, a Stream, or another library's object with
 * __cuda_stream__. In this header a NULL stream means the thread's current
 * stream, which is the default stream unless the thread has entered another
 * one (with stream: ...). */
int core_stream(PyObject *stream_or_none, CUstream *stream);
/* Returns the handle of a Function, valid until the Function is freed. Raises
 * TypeError for another object. */
int core_function(PyObject *object, CUfunction *handle);

/* Returns a DeviceAllocation from the default pool; with PYCUDA_POOL=0 from
 * cuMemAlloc. `stream` is the stream of its first use. Raises LogicError for 0
 * bytes. */
PyObject *core_allocate(size_t bytes, CUstream stream);
/* Does the same as core_allocate (returns a DeviceAllocation) in `context`.
 * The caller ensures that this is the current context, which
 * core_current_with_stream returns. */
PyObject *core_allocate_in(struct core_context *context, size_t bytes,
                           CUstream stream);
/* Fast path of core_allocate_in: reuses a free block of the pool. `stream`
 * comes from core_current_with_stream. Runs no Python code and keeps the GIL.
 * Returns NULL without an exception if the pool has no suitable block. */
PyObject *core_allocate_fast(struct core_context *context, size_t bytes,
                             CUstream stream);
/* Returns the address of any DeviceAllocation. */
CUdeviceptr core_allocation_pointer(PyObject *allocation);
/* Records that the memory of `owner` is used on `stream`, and makes the stream
 * wait for earlier uses on other streams where needed. Costs one comparison if
 * the same stream used it last. Raises LogicError if the memory was freed.
 * `owner` is an allocation, an array (which stands for its owner) or an object
 * with gpudata. Any other object and NULL are ignored. */
int core_use(PyObject *owner, CUstream stream);
/* Does the same as core_use for the memory of an array, which any object may
 * own: records that `stream` uses it. If the memory belongs to another library
 * and another context, waits for that context. */
int core_use_array(const struct core_array_head *array, CUstream stream);
/* Does the same as core_use for a kernel of the current context: records that
 * it uses the memory of `owner` on `stream`. Raises LogicError if the kernel
 * cannot access the memory because it belongs to another context. */
int core_use_in_kernel(PyObject *owner, CUstream stream);
/* Returns true if the memory of two owners certainly does not overlap, as for
 * two different DeviceAllocations. Returns false if it may overlap. */
bool core_owners_are_disjoint(PyObject *owner, PyObject *other);
/* Makes later work on the stream `later` wait for the work issued so far on
 * the memory of `owner`. If the streams of that work are unknown, the host
 * waits for the context. */
int core_stream_wait_owner(PyObject *owner, CUstream later);
/* Waits on the host for work that uses the memory of `owner` and was issued in
 * another context than the one that allocated it. Does nothing in a
 * capture. */
int core_wait_other_contexts(PyObject *owner);
/* Returns the value of "stream" in the __cuda_array_interface__ of `owner`:
 * the number of the stream that consumers must wait for, or None if no work is
 * pending. Waits on the host if the owner's streams are unknown. */
PyObject *core_interface_stream(PyObject *owner);
/* Raises ValueError if the address range [first + low, first + high) is not
 * inside the memory of `owner`, a DeviceAllocation. Other owners are not
 * checked. */
int core_check_extent(PyObject *owner, CUdeviceptr first, Py_ssize_t low,
                      Py_ssize_t high);
/* Marks the memory of `owner` as escaped: its address was given out as an
 * integer (int(), .ptr, __cuda_array_interface__, DLPack, IPC). The pool does
 * not cache the block afterwards, since the address may still be used. */
void core_escape(PyObject *owner);

/* Launches a kernel and counts it as pending. Releases the GIL if the launch
 * may have to wait for the device. `arguments` points to one value per
 * parameter. */
int core_launch(CUfunction function, const unsigned grid[3],
                const unsigned block[3], unsigned shared_bytes,
                CUstream stream, void **arguments);
/* A kernel launch that an array operation repeats; the arguments are passed
 * separately. */
struct core_relaunch {
    void *key; /* key of the context that owns the kernel (core_context_key) */
    CUfunction function;
    unsigned blocks;     /* grid size in x; 1 in y and z */
    uint16_t threads[2]; /* block size in x and y; 1 in z */
};
#define CORE_RELAUNCH_ARRAYS 4

/* Calls core_use for the memory of `count` arrays (at most
 * CORE_RELAUNCH_ARRAYS), then launches on `stream`. `context` and `stream`
 * come from core_current_with_stream. Returns 1, without a launch, if the
 * kernels of launch->key were dropped. `arguments` may point to the `pointer`
 * fields of the arrays; its content is undefined after the call. `launch` may
 * be overwritten by another thread while the GIL is released. */
int core_launch_arrays(struct core_context *context,
                       const struct core_relaunch *launch, CUstream stream,
                       int count, struct core_array_head *const *arrays,
                       void **arguments);

/* Launches a Function as its method prepared_async_call does: converts the
 * Python arguments by the format that was passed to prepare(). */
int core_launch_prepared(PyObject *function, const unsigned grid[3],
                         const unsigned block[3], PyObject *stream_or_none,
                         PyObject *const *arguments, Py_ssize_t count);

/* Returns whether the object is a matrix product made by _cublas_product. */
bool core_is_product(PyObject *object);
/* Runs a cuBLAS product c = a b on the current stream, with the GIL held;
 * `pointer` has the addresses of a, b and c. Returns 1 if cuBLAS does not
 * support the product or cannot run it now, for example during a capture. */
int core_product_run(PyObject *product, const CUdeviceptr pointer[3]);

/* Reads two addresses of the stream's scratch memory, for kernels that count
 * the blocks that have finished: a counter, which is 0 between launches, and
 * `bytes` bytes after it. The counter's address is 0 if the stream cannot have
 * scratch memory. */
int core_scratch(CUstream stream, size_t bytes, CUdeviceptr *counter,
                 CUdeviceptr *rest);

/* Reads the current context's key, by which caches find their entries for the
 * context. A key is unique in the process and never reused. The context gets a
 * new key when its kernels are dropped. Raises LogicError without a current
 * context. */
int core_context_key(void **key);
/* Returns the current context, borrowed, and its key. Replaces NULL in *stream
 * by the current stream. For operations that need the context several times.
 * Does not ask the driver whether the context is current in CUDA: launches and
 * copies do. Returns NULL with LogicError if there is no current context. */
struct core_context *core_current_with_stream(void **key, CUstream *stream);

/* The change that core_enter (context/scope.h) made to CUDA's current context,
 * and that core_leave undoes. */
struct core_scope {
    /* true: the context was pushed, so that core_leave must pop it */
    bool pushed;
    /* the section of the call in which the thread has the context's lock
     * (python/locks.h) */
    struct core_section section;
};

/* core_home_enter is called when an operation on `owner` (an allocation or
 * array) has raised an exception. If the thread has no current context, which
 * may be the reason, core_home_enter clears the exception, makes the owner's
 * context current and returns true. The caller then repeats the operation and
 * calls core_home_leave, which restores CUDA's previous current context (it
 * may be another library's) and keeps an exception of the repeated operation.
 * If the thread has a context, core_home_enter returns false and the exception
 * stays set. */
bool core_home_enter(PyObject *owner, struct core_scope *scope);
void core_home_leave(struct core_scope *scope);

/* Context-local storage: objects owned by a context and released with it. All
 * kinds but CORE_LOCAL_FAULTS can be rebuilt, and may be dropped whenever the
 * GIL is released. */
enum core_local {
    CORE_LOCAL_KERNELS, /* compiled kernels and launch plans of src/array */
    CORE_LOCAL_RESULTS, /* dict: cached results of Python functions */
    CORE_LOCAL_FAULTS,  /* buffer in which kernels record faults */
    CORE_LOCAL_COUNT,
};
/* Returns the address of the current context's pointer to its object of one
 * kind; the pointer is NULL before the first use. Returns NULL with LogicError
 * if no context is current. */
PyObject **core_local_slot(enum core_local which);

#ifdef Py_GIL_DISABLED
/* Kinds of caches of launches. In free-threaded Python each context has its
 * own caches. In builds with a GIL all contexts share one cache of each kind,
 * and the keys of the entries include the context's key. */
enum core_table {
    CORE_TABLE_COPIES,
    CORE_TABLE_ELEMENTWISE,
    CORE_TABLE_REDUCTIONS,
    CORE_TABLES,
};
/* Returns the current context's cache of one kind: a block of `bytes` bytes,
 * aligned to 64 bytes and zero at first. The block is never freed; a later
 * context may find old entries in it. Returns NULL without an exception if no
 * context is current or there is no memory. */
void *core_current_table(enum core_table which, size_t bytes);
#endif

/* Copies host memory to the device, after earlier work on the stream (NULL:
 * the current stream). Returns when the copy is complete: 0, or -1 with an
 * exception. Releases the GIL for more than 64 KiB, and to wait. */
int core_memcpy_htod(CUdeviceptr target, const void *source, size_t bytes,
                     CUstream stream);
/* Copies device memory to the host, after earlier work on the stream (NULL:
 * the current stream). Returns when the copy is complete: 0, or -1 with an
 * exception. Releases the GIL for more than 64 KiB, and to wait. */
int core_memcpy_dtoh(void *target, CUdeviceptr source, size_t bytes,
                     CUstream stream);
/* Copies within device memory. Does not wait for the copy. Returns 0, or -1
 * with an exception. */
int core_memcpy_dtod(CUdeviceptr target, CUdeviceptr source, size_t bytes);
/* Begins a copy of host memory to the device on the stream (NULL: the current
 * stream). Keeps a reference to `host`, the owner of the host memory, until
 * the copy is complete; in a capture, for the lifetime of the graph. `host`
 * may be NULL if the caller keeps the memory. Returns 0, or -1 with an
 * exception. */
int core_memcpy_htod_async(CUdeviceptr target, const void *source,
                           size_t bytes, CUstream stream, PyObject *host);
/* Begins a copy of device memory to the host. The stream, `host` and the
 * result have the same meaning as in core_memcpy_htod_async. */
int core_memcpy_dtoh_async(void *target, CUdeviceptr source, size_t bytes,
                           CUstream stream, PyObject *host);
/* Begins a copy within device memory on the stream (NULL: the current stream).
 * Returns 0, or -1 with an exception. */
int core_memcpy_dtod_async(CUdeviceptr target, CUdeviceptr source,
                           size_t bytes, CUstream stream);

/* Calls the kernel factory, a Python function registered by
 * _set_kernel_factory, with `key`. Raises RuntimeError if there is none.
 * Returns its result unchecked; src/array checks it. */
PyObject *core_make_kernel(PyObject *key);

#endif
