/* core.h - functions that core offers to src/array.
 *
 * All of them are called with the GIL held and return with it held; those that
 * wait release it in between. An int result is 0, or -1 with a Python
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

#define USUAL(condition)   __builtin_expect(!!(condition), 1)
#define UNUSUAL(condition) __builtin_expect(!!(condition), 0)

struct core_context; /* private to core */

/* First fields of ArrayBase, so that the launch path reads an array's address
 * without a call. src/array embeds it as the first field. */
struct core_array_head {
    PyObject_HEAD
    CUdeviceptr pointer; /* first element; 0 if size is 0 */
    PyObject *owner;     /* strong: the object that keeps the memory alive
                            (a DeviceAllocation of the default pool, another
                            holder, a base array), or NULL */
};

/* Makes an object again of memory that was kept after its deallocation: same
 * type, one reference, untracked. The caller initializes the other fields. */
static inline void
core_object_again(PyObject *object)
{
#ifdef Py_REF_DEBUG
    PyObject_Init(object, Py_TYPE(object));
#else
    Py_INCREF(Py_TYPE(object));
    Py_SET_REFCNT(object, 1);
#endif
}

/* Registers the type that begins with core_array_head, for the launch path;
 * its subclasses count too. `room` returns the bytes from an array's first
 * element to the end of its last. Called once, by array_setup. */
void core_set_array_type(PyTypeObject *type, size_t (*room)(PyObject *));

/* Registers the types of src/array; called by the module's exec slot. */
int array_setup(PyObject *module);

/* Signature of a method defined with CORE_METHOD. core_args stores each
 * argument's value in `values`, borrowed, or NULL if it was not given;
 * TypeError for a missing, surplus or unknown argument. */
#define CORE_MAX_ARGS 8
struct core_signature {
    const char *function;
    int required;
    const char *names[CORE_MAX_ARGS + 1]; /* "" if positional-only */
};
#define CORE_ARGS PyObject *const *args, Py_ssize_t nargs, PyObject *names
#define CORE_METHOD(name)                                                     \
    (PyCFunction)(void (*)(void))(name), METH_FASTCALL | METH_KEYWORDS
int core_args(const struct core_signature *signature, CORE_ARGS,
              PyObject **values);

/* Raises PyCUDA's exception "<routine> failed: <text>" unless `code` is
 * CUDA_SUCCESS. `routine` is the unversioned name, "cuMemAlloc". */
int core_check(CUresult code, const char *routine);
/* Raises the exception of `code`, "<routine> failed: <text> - <detail>", and
 * returns -1. `detail` may be NULL. */
int core_fail(CUresult code, const char *routine, const char *detail);

/* Reads the device address of an allocation, an array, an object with
 * __cuda_array_interface__ or __dlpack__ (the current stream waits for its
 * stream), gpudata or get_pointer(), or an integer. TypeError for another
 * object. */
int core_pointer(PyObject *object, CUdeviceptr *pointer);
/* Reads a stream argument: None or a Stream. In this header a NULL stream
 * means the thread's current stream, which is the default stream unless the
 * thread has entered another. */
int core_stream(PyObject *stream_or_none, CUstream *stream);
/* Returns the handle of a Function, valid until the Function is freed;
 * TypeError for another object. */
int core_function(PyObject *object, CUfunction *handle);

/* Allocates a DeviceAllocation from the default pool (PYCUDA_POOL=0:
 * cuMemAlloc) whose first use is on `stream`. LogicError for 0 bytes. */
PyObject *core_allocate(size_t bytes, CUstream stream);
/* core_allocate in the current context, as returned by core_here. */
PyObject *core_allocate_in(struct core_context *context, size_t bytes,
                           CUstream stream);
/* Fast path of core_allocate_in: reuses a block of the pool. `stream` comes
 * from core_here. Runs no Python code and keeps the GIL. NULL without an
 * exception if no such block is ready. */
PyObject *core_allocate_ready(struct core_context *context, size_t bytes,
                              CUstream stream);
/* Returns the address of any DeviceAllocation. */
CUdeviceptr core_allocation_pointer(PyObject *allocation);
/* Notes that `owner` is used on `stream`, which costs one comparison if
 * nothing changed. LogicError if it was freed. An array represents its owner,
 * an object of a user's class for its gpudata; any other object and NULL are
 * ignored. */
int core_use(PyObject *owner, CUstream stream);
/* core_use of an array's memory, with any owner: waits for memory that belongs
 * to another library in another context. */
int core_use_array(const struct core_array_head *array, CUstream stream);
/* core_use for a kernel of the current context: LogicError if the kernel
 * cannot access memory of its context. */
int core_use_in_kernel(PyObject *owner, CUstream stream);
/* Returns whether the memory of two owners is certainly disjoint, which is so
 * for two different DeviceAllocations. False: unknown. */
bool core_apart(PyObject *owner, PyObject *other);
/* Makes later work on `later` wait for the work issued on `owner` (see
 * core_use). If the owner's streams are unknown the host waits for the
 * context. */
int core_order(PyObject *owner, CUstream later);
/* Waits on the host for work on `owner` (see core_use) that contexts other
 * than the memory's own have issued. Does nothing in a capture. */
int core_settle(PyObject *owner);
/* Returns `stream` for __cuda_array_interface__ of `owner`: the number of the
 * stream that consumers must wait for, or None if no work is pending. Waits on
 * the host if the owner's streams are unknown. */
PyObject *core_shown_stream(PyObject *owner);
/* ValueError if bytes [first + low, first + high) are not inside `owner`, a
 * DeviceAllocation; other objects are not checked. */
int core_check_extent(PyObject *owner, CUdeviceptr first, Py_ssize_t low,
                      Py_ssize_t high);
/* Notes that the address of `owner` left as an integer (int(), .ptr,
 * __cuda_array_interface__, DLPack, IPC): the pool does not cache its
 * block. */
void core_escape(PyObject *owner);

/* Launches a kernel; counts pending operations, and releases the GIL if the
 * launch may have to wait for the device. `arguments` points to one value per
 * parameter. */
int core_launch(CUfunction function, const unsigned grid[3],
                const unsigned block[3], unsigned shared_bytes,
                CUstream stream, void **arguments);
/* A repeated launch, without its arguments. */
struct core_relaunch {
    void *key; /* key of the kernel's context */
    CUfunction function;
    unsigned blocks;     /* grid, in x */
    uint16_t threads[2]; /* block, in x and y */
};
#define CORE_RELAUNCH_ARRAYS 4

/* Repeats a launch in the current context, on the stream returned by
 * core_here, after core_use of the memory of `count` arrays, at most
 * CORE_RELAUNCH_ARRAYS. Returns 1 if the kernels of the key are gone. The
 * argument of an array may point to the array's `pointer` field itself. The
 * memory of `launch` may be overwritten while the GIL is released. */
int core_launch_arrays(struct core_context *context,
                       const struct core_relaunch *launch, CUstream stream,
                       int count, struct core_array_head *const *arrays,
                       void **arguments);

/* Launches a Function after prepare(), as its prepared_async_call does:
 * converts Python arguments by the prepared format. */
int core_launch_prepared(PyObject *function, const unsigned grid[3],
                         const unsigned block[3], PyObject *stream_or_none,
                         PyObject *const *arguments, Py_ssize_t count);

/* Returns whether the object is a product made by _cublas_product. */
bool core_is_product(PyObject *object);
/* Runs a cuBLAS product for the addresses of a, b and c on the current stream,
 * with the GIL held. Returns 1 if it cannot run now. */
int core_product_run(PyObject *product, const CUdeviceptr pointer[3]);

/* Returns scratch memory of the stream, for launches that count their blocks:
 * a counter that is 0 between launches, and `bytes` bytes after it. The
 * counter's address is 0 if the stream cannot have scratch memory. */
int core_scratch(CUstream stream, size_t bytes, CUdeviceptr *counter,
                 CUdeviceptr *rest);

/* Returns the current context's key, for tables of kernels: unique in the
 * process, never reused, and replaced when the context's kernels are dropped.
 * LogicError without a current context. */
int core_context(void **key);
/* Returns the current context, borrowed, and its key, and replaces a NULL
 * stream by the current stream; for operations that need the context more than
 * once. NULL with LogicError without a context. */
struct core_context *core_here(void **key, CUstream *stream);

/* Context-local storage: objects owned by a context and released with it. All
 * but the last kind can be rebuilt, and may be dropped whenever the GIL is
 * released. */
enum core_kept {
    CORE_KEPT_KERNELS, /* of src/array */
    CORE_KEPT_RESULTS, /* dict: cached results of Python functions */
    CORE_KEPT_FAULTS,  /* buffer in which kernels record faults */
    CORE_KEPT_COUNT,
};
/* Returns the slot of the current context, which contains NULL before the
 * first use. NULL with LogicError without a context. */
PyObject **core_kept_here(enum core_kept which);

/* Copies. The synchronous ones return when the copy is complete, ordered after
 * earlier work on the stream; they release the GIL above 64 KiB.
 * core_memcpy_dtod does not wait for the copy. The asynchronous ones keep a
 * reference to `host`, which owns the host memory (NULL: the caller keeps it),
 * until the copy is complete, or for the lifetime of the graph that captures
 * it. */
int core_memcpy_htod(CUdeviceptr target, const void *source, size_t bytes,
                     CUstream stream);
int core_memcpy_dtoh(void *target, CUdeviceptr source, size_t bytes,
                     CUstream stream);
int core_memcpy_dtod(CUdeviceptr target, CUdeviceptr source, size_t bytes);
int core_memcpy_htod_async(CUdeviceptr target, const void *source,
                           size_t bytes, CUstream stream, PyObject *host);
int core_memcpy_dtoh_async(void *target, CUdeviceptr source, size_t bytes,
                           CUstream stream, PyObject *host);
int core_memcpy_dtod_async(CUdeviceptr target, CUdeviceptr source,
                           size_t bytes, CUstream stream);

/* Calls the factory registered by _set_kernel_factory; RuntimeError without
 * one. Returns its result unchecked: src/array knows the form. */
PyObject *core_make_kernel(PyObject *key);

#endif
