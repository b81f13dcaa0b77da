/* function.h - the Function object.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_FUNCTION_H
#define PYCUDA_CORE_CODE_FUNCTION_H

#include "core/code/layout.h"
#include "core/core.h"
#include "core/python/args.h"
#include "core/python/object_head.h"

struct core_format;
struct core_module;
struct core_legacy_call;

/* How a launch reads a kernel argument; the argument's Python type decides. */
enum core_argument {
    ARGUMENT_UNKNOWN,
    ARGUMENT_INTEGER,    /* NumPy signed integer scalar */
    ARGUMENT_UNSIGNED,   /* NumPy unsigned integer scalar */
    ARGUMENT_BITS,       /* NumPy scalar whose bytes are copied unchanged */
    ARGUMENT_ALLOCATION, /* device allocation: its address is passed */
    ARGUMENT_ARRAY,      /* GPUArray: its address is passed */
    ARGUMENT_HANDLER,    /* ArgumentHandler (In, Out, InOut) */
    ARGUMENT_NDARRAY,    /* NumPy array, whose bytes are copied */
    ARGUMENT_VOID,       /* NumPy record (numpy.void), copied */
    ARGUMENT_TEXTURE,    /* TextureObject, SurfaceObject */
    /* any other type: at each launch the object is asked for a device address,
     * and a TypeError is raised if it has none */
    ARGUMENT_OTHER,
};

/* Cache for one kernel parameter: the Python type of the argument in the
 * previous call, and how a launch reads arguments of that type. */
struct core_slot {
    PyTypeObject *type; /* strong reference */
    /* strong reference; the dtype of the array that a plain call passed last
     * for the parameter, or NULL */
    PyObject *dtype;
    enum core_argument kind;
    /* size in bytes of a NumPy scalar type; 0 for other types */
    uint32_t bytes;
    /* number of comparisons of an argument's type and dtype with the
     * parameter's declaration in the kernel's source */
    uint32_t type_checks;
    /* true: the kernel's source declares the parameter as a pointer */
    bool is_pointer;
};

struct core_function {
    CORE_HEAD
    /* The following fields are on adjacent cache lines, since each launch
     * reads them. */
    vectorcallfunc vectorcall;
    CUfunction handle;
    struct core_module *module;
    PyObject *name;
    struct core_slot *slots;    /* one entry per kernel parameter, or NULL */
    struct core_format *format; /* parsed format of prepare(), or NULL */
    /* grid and block size of the previous call */
    struct core_shape grid, block;
    /* strong reference: the tuple of keyword names of a call that had only the
     * keywords block, or block and grid; NULL before such a call */
    PyObject *names;
    int grid_at; /* index of "grid" in `names`, or -1 */
    /* true: the arguments are few enough for the fast path
     * (launch/fast_path.c) */
    bool small;
    /* value of the counter context->noted when a launch of this Function with
     * `grid` and `block` was recorded for error messages; 0: not recorded. If
     * `noted` still equals the counter, no other launch was recorded since, so
     * an equal launch is not recorded again. */
    uint64_t noted;
    /* offsets and sizes of the parameters, in borrowed memory (the module's
     * table) or in own_parameters */
    struct core_layout layout;
    struct core_parameter *own_parameters;
    /* links of this object in the list of the context's Functions */
    struct core_function *next, **link;
    PyObject *arg_format; /* format given to prepare(), or NULL */
    PyObject *texrefs;    /* list: texture references of prepare(), or NULL */
    /* owned: state of the deprecated launch methods in legacy.c; NULL until
     * one of them is called */
    struct core_legacy_call *old;
    /* dynamic shared memory in bytes that the driver has allowed; 0:
     * unknown */
    size_t shared_allowed;
    /* true: pack.c has issued its warning that a call has a different number
     * of arguments than the kernel has parameters */
    bool warned;
};

/* Sets the function that implements calls of all Functions that are created
 * afterwards. Called once, when the type is registered. */
void core_function_set_call(vectorcallfunc call);
/* Returns a new Function for a kernel. Raises LogicError if the module lacks
 * it. */
PyObject *core_function_new(struct core_module *module, const char *name);
/* Allows launches with `bytes` of dynamic shared memory, which the driver
 * limits to about 48 KiB by default. */
int core_shared_allow(struct core_function *function, size_t bytes);
/* Checks that the function's context is not detached and that a context is
 * current. Otherwise raises LogicError and returns -1. */
int core_function_ready(struct core_function *function, const char *routine);

#endif
