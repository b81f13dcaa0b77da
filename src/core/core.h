/* core.h - what core offers to the array room.
 *
 * Everything here is called with the GIL held and leaves it held.  Functions
 * that return int give 0, or -1 with a Python exception set; functions that
 * return PyObject * give a new reference, or NULL with an exception set.
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

/* How ArrayBase begins, so that the launch path reads an array's address
 * without a call.  The array room embeds it as the first field. */
struct core_array_head {
    PyObject_HEAD
    CUdeviceptr pointer; /* first element; 0 where size is 0 */
    PyObject *owner;     /* strong: what keeps the memory alive (a
                            DeviceAllocation where the default pool gave it,
                            any other holder, a base array), or NULL */
};

/* An object whose memory was kept after it died, of its type again and not
 * tracked: with one reference.  Its other fields are the caller's. */
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

/* Tells the launch path which type begins with core_array_head; its
 * subclasses count too.  `room` gives the bytes from an array's first element
 * to the end of its last.  Called once, by array_setup. */
void core_set_array_type(PyTypeObject *type, size_t (*room)(PyObject *));

/* Registers the array room's types; called by the module's exec slot. */
int array_setup(PyObject *module);

/* Arguments of a method in a table with CORE_METHOD: each name's value, or
 * NULL where it was not given. */
#define CORE_MAX_ARGS 8
struct core_signature {
    const char *function;
    int required;
    const char *names[CORE_MAX_ARGS + 1]; /* "" for positional-only */
};
#define CORE_ARGS PyObject *const *args, Py_ssize_t nargs, PyObject *names
#define CORE_METHOD(name)                                                     \
    (PyCFunction)(void (*)(void))(name), METH_FASTCALL | METH_KEYWORDS
int core_args(const struct core_signature *signature, CORE_ARGS,
              PyObject **values);

/* Turns a CUresult into PyCUDA's exception, "<routine> failed: <text>".
 * `routine` is the unversioned name, "cuMemAlloc". */
int core_check(CUresult code, const char *routine);
/* Raises LogicError "<routine> failed: <text> - <detail>". */
int core_fail(CUresult code, const char *routine, const char *detail);

/* Anything that stands for a device address: the allocation types, an array,
 * an object with __cuda_array_interface__ or __dlpack__ (for whose stream the
 * current one waits), gpudata or get_pointer(), an integer.  TypeError for
 * anything else. */
int core_pointer(PyObject *object, CUdeviceptr *pointer);
/* None or a Stream.  Everywhere in this header NULL is the current stream of
 * the thread: the default stream unless it has entered another. */
int core_stream(PyObject *stream_or_none, CUstream *stream);
/* The handle of a Function; TypeError for anything else.  Valid as long as
 * the Function is. */
int core_function(PyObject *object, CUfunction *handle);

/* A DeviceAllocation from the default pool (PYCUDA_POOL=0: cuMemAlloc) whose
 * first use is on `stream`.  Asking for 0 bytes is an error. */
PyObject *core_allocate(size_t bytes, CUstream stream);
/* The same in the context that is current, which core_here gave. */
PyObject *core_allocate_in(struct core_context *context, size_t bytes,
                           CUstream stream);
/* The same of what the pool has ready, for a stream that core_here gave: runs
 * no code of Python's and keeps the GIL.  NULL without an exception where that
 * is not so. */
PyObject *core_allocate_ready(struct core_context *context, size_t bytes,
                              CUstream stream);
/* The address of what core_allocate gave (or any DeviceAllocation). */
CUdeviceptr core_allocation_pointer(PyObject *allocation);
/* Notes that `owner` is used on `stream` (one compare when nothing changed);
 * LogicError where it was freed.  An array stands for its owner, an object of
 * a user's class for its gpudata; any other object than a DeviceAllocation, or
 * NULL, is ignored. */
int core_use(PyObject *owner, CUstream stream);
/* The same for an array's memory, whoever owns it: that of another library in
 * another context is waited for. */
int core_use_array(const struct core_array_head *array, CUstream stream);
/* The same for what a kernel of the current context is about to use:
 * LogicError where the memory belongs to a context whose memory it cannot
 * access. */
int core_use_in_kernel(PyObject *owner, CUstream stream);
/* Whether the memory of two owners has surely nothing in common: they are two
 * DeviceAllocations.  False: nothing is known. */
bool core_apart(PyObject *owner, PyObject *other);
/* Makes what is issued on `later` from now on wait for what was issued on
 * `owner` (as for core_use; the whole context where its streams are not
 * known). */
int core_order(PyObject *owner, CUstream later);
/* Waits on the host for what other contexts than the memory's own have issued
 * on `owner` (as for core_use), except in a capture. */
int core_settle(PyObject *owner);
/* What __cuda_array_interface__ says of what was issued on `owner`: the number
 * of the stream to wait for; None where nothing is left (waits for that where
 * its streams are not known). */
PyObject *core_shown_stream(PyObject *owner);
/* ValueError where bytes [first + low, first + high) do not lie in `owner`, a
 * DeviceAllocation; any other object is trusted. */
int core_check_extent(PyObject *owner, CUdeviceptr first, Py_ssize_t low,
                      Py_ssize_t high);
/* Notes that the address of `owner` left as a plain integer (int(), .ptr,
 * __cuda_array_interface__, DLPack, IPC): its block is never reused early. */
void core_escape(PyObject *owner);

/* Launches: counts outstanding operations and releases the GIL when the
 * launch queue may be full.  `arguments` points at one value a parameter. */
int core_launch(CUfunction function, const unsigned grid[3],
                const unsigned block[3], unsigned shared_bytes,
                CUstream stream, void **arguments);
/* A launch that was made before: what it needs besides its arguments. */
struct core_relaunch {
    void *key; /* of the context whose kernel it is */
    CUfunction function;
    unsigned blocks;     /* of the grid, in a row */
    uint16_t threads[2]; /* of a block: in x and y */
};
#define CORE_RELAUNCH_ARRAYS 4

/* The same in the context that is current, on the stream that core_here gave,
 * after core_use of the memory of `count` arrays, at most
 * CORE_RELAUNCH_ARRAYS; 1 where the kernels of the key have gone.  An argument
 * at the place of an array may be that array's `pointer` itself.  What
 * `launch` is in may change meanwhile. */
int core_launch_arrays(struct core_context *context,
                       const struct core_relaunch *launch, CUstream stream,
                       int count, struct core_array_head *const *arrays,
                       void **arguments);

/* The same for a Function after prepare(), as its prepared_async_call does:
 * Python arguments, converted by the prepared format. */
int core_launch_prepared(PyObject *function, const unsigned grid[3],
                         const unsigned block[3], PyObject *stream_or_none,
                         PyObject *const *arguments, Py_ssize_t count);

/* Whether it is what _cublas_product gave: a product that cuBLAS makes. */
bool core_is_product(PyObject *object);
/* Makes it for the addresses of a, b and c, on the current stream; 1 where it
 * cannot be made now.  The GIL is held. */
int core_product_run(PyObject *product, const CUdeviceptr pointer[3]);

/* For launches that count their blocks: a counter on the device that is 0
 * between launches on the stream, and so many bytes beside it.  The counter
 * is 0 where the stream can have none. */
int core_scratch(CUstream stream, size_t bytes, CUdeviceptr *counter,
                 CUdeviceptr *rest);

/* The current context's key: unique in the process, never reused, another one
 * once the context's kernels were let go, so tables of kernels may be keyed by
 * it.  LogicError if no context is current. */
int core_context(void **key);
/* For operations that look at it more than once: the current context itself,
 * borrowed, its key, and what a stream NULL stands for.  NULL with a
 * LogicError. */
struct core_context *core_here(void **key, CUstream *stream);

/* What the package keeps for a context, which owns it: it goes with the
 * context.  All but the last can be made again, and may be let go at any time
 * that the GIL is given away. */
enum core_kept {
    CORE_KEPT_KERNELS, /* the array room's */
    CORE_KEPT_RESULTS, /* dict: of functions that Python remembers */
    CORE_KEPT_FAULTS,  /* where kernels note faults */
    CORE_KEPT_COUNT,
};
/* Where that of the current context is, or NULL if there is none yet.  NULL
 * with a LogicError. */
PyObject **core_kept_here(enum core_kept which);

/* Copies.  The plain ones return when the copy is done, after what was issued
 * on the stream; the GIL is released above 64 KiB.  Async ones keep `host`,
 * which has the host memory (NULL: the caller sees to it), until they are
 * done, or as long as the graph that captures them. */
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

/* Asks the factory registered by _set_kernel_factory; RuntimeError if none.
 * Returns what the factory answers, unchecked: the array room knows its
 * form. */
PyObject *core_make_kernel(PyObject *key);

#endif
