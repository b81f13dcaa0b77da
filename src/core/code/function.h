/* function.h - the Function object.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_FUNCTION_H
#define PYCUDA_CORE_CODE_FUNCTION_H

#include "core/code/layout.h"
#include "core/core.h"
#include "core/python/args.h"
#include "core/python/object.h"

struct core_format;
struct core_module;
struct core_legacy_call;

/* How a launch reads a kernel argument, by its Python type. */
enum core_argument {
    ARGUMENT_UNKNOWN,
    ARGUMENT_INTEGER,  /* NumPy signed integer scalar */
    ARGUMENT_UNSIGNED, /* NumPy unsigned integer scalar */
    ARGUMENT_BITS,     /* NumPy scalar whose bytes are copied unchanged */
    ARGUMENT_ALLOCATION,
    ARGUMENT_ARRAY,
    ARGUMENT_HANDLER,
    ARGUMENT_NDARRAY,
    ARGUMENT_VOID,
    ARGUMENT_TEXTURE, /* TextureObject, SurfaceObject */
    ARGUMENT_OTHER,   /* another object with an address, or an error */
};

/* Cached Python type of the last argument for one parameter. */
struct core_slot {
    PyTypeObject *type; /* strong reference */
    enum core_argument kind;
    uint32_t bytes; /* size of a NumPy scalar; 0 for other kinds */
    uint32_t looks; /* types checked so far against the kernel's source */
};

struct core_function {
    CORE_HEAD
    /* Read by each launch, so on adjacent cache lines. */
    vectorcallfunc vectorcall;
    CUfunction handle;
    struct core_module *module;
    PyObject *name;
    struct core_slot *slots;       /* layout.count entries, or NULL */
    struct core_format *format;    /* parsed format of prepare(), or NULL */
    struct core_shape grid, block; /* as in the previous call */
    PyObject *names; /* last keyword names, if only block and grid; strong */
    int grid_at;     /* index of grid in `names`, or -1 */
    bool small;     /* few arguments: launch/fast_path.c (fast path) applies */
    uint64_t noted; /* the context's `noted` if its newest launch has `grid`
                       and `block`; or 0 */
    struct core_layout layout; /* memory: borrowed or own_parameters */
    struct core_parameter *own_parameters;
    struct core_function *next, **link; /* list of the context's Functions */
    PyObject *arg_format; /* format given to prepare(), or NULL */
    PyObject *texrefs;    /* list: texture references of prepare(), or NULL */
    struct core_legacy_call *old; /* owned; NULL until used */
    size_t shared_allowed; /* dynamic shared memory in bytes; 0: unknown */
    bool warned;           /* pack.c has warned of PyCUDA's packing */
};

/* Returns a new Function for a kernel; LogicError if the module lacks it. */
PyObject *core_function_new(struct core_module *module, const char *name);
/* Allows launches with `bytes` of dynamic shared memory, which the driver
 * limits to about 48 KiB by default. */
int core_shared_allow(struct core_function *function, size_t bytes);
/* LogicError if the function's context is detached or none is current. */
int core_function_ready(struct core_function *function, const char *routine);

#endif
