/* legacy.c - the launch interface of PyCUDA before prepare() existed: single
 * steps such as Function._set_block_shape and _param_seti, then _launch.
 *
 * The block, the shared memory size and the arguments are stored in the
 * Function, in memory that the first of these calls allocates. The caller
 * passes the offset of each argument. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/core.h"
#include "core/launch/inline.h"
#include "core/launch/launch.h"
#include "core/launch/launch_error.h"
#include "core/launch/legacy.h"
#include "core/launch/pack.h"
#include "core/launch/pack_buffer.h"
#include "core/python/args.h"
#include "core/state.h"

enum { ARGUMENT_BYTES = 4096 };

struct core_legacy_call {
    unsigned block[3];
    bool shaped; /* true: _set_block_shape was called */
    unsigned shared;
    size_t bytes; /* number of bytes of `arguments` in use */
    char arguments[ARGUMENT_BYTES];
};

/* Returns the values that methods of this file, such as _set_block_shape, have
 * stored for the function's next launch. Allocates the struct at the first
 * call. Returns NULL with MemoryError on failure. */
static struct core_legacy_call *
state_of(PyObject *op)
{
    struct core_function *self = (struct core_function *)op;
    if (self->old == NULL) {
        self->old = PyMem_Calloc(1, sizeof *self->old);
        if (self->old == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        self->old->block[0] = self->old->block[1] = self->old->block[2] = 1;
    }
    return self->old;
}

static PyObject *
none_or_error(int status)
{
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* Reads the dimensions of a block or grid, each of which is an argument. */
static int
lengths_read(PyObject *const *values, Py_ssize_t count, const char *what,
             unsigned lengths[3])
{
    PyObject *tuple = core_launch_arguments(values, count);
    int status = tuple == NULL ? -1 : core_dimensions(tuple, what, lengths);
    Py_XDECREF(tuple);
    return status;
}

/* Method _set_block_shape(x, y, z): stores the block size of later
 * launches. */
static PyObject *
set_block_shape(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "_set_block_shape", 3, {"", "", ""}};
    struct core_legacy_call *state = state_of(op);
    PyObject *values[3];
    unsigned block[3];
    if (state == NULL ||
        core_args(&signature, args, nargs, names, values) < 0) {
        return NULL;
    }
    if (lengths_read(values, 3, "block", block) < 0) {
        return NULL;
    }
    memcpy(state->block, block, sizeof block);
    state->shaped = true;
    Py_RETURN_NONE;
}

bool
core_block_shape(const struct core_function *function, unsigned block[3],
                 unsigned *shared)
{
    if (function->old == NULL || !function->old->shaped) {
        return false;
    }
    memcpy(block, function->old->block, sizeof function->old->block);
    *shared = function->old->shared;
    return true;
}

int
core_legacy_prepare(PyObject *op, PyObject *block, PyObject *shared)
{
    struct core_legacy_call *state = state_of(op);
    unsigned lengths[3], bytes = 0;
    if (state == NULL || core_dimensions(block, "block", lengths) < 0 ||
        (shared != NULL && shared != Py_None &&
         core_unsigned(shared, &bytes) < 0) ||
        PyErr_WarnEx(PyExc_DeprecationWarning,
                     "setting the block size in prepare() is deprecated: "
                     "pass it to prepared_call()",
                     1) < 0) {
        return -1;
    }
    memcpy(state->block, lengths, sizeof lengths);
    state->shaped = true;
    state->shared = bytes;
    return 0;
}

static PyObject *
set_shared_size(PyObject *op, PyObject *size)
{
    struct core_legacy_call *state = state_of(op);
    return state == NULL ? NULL
                         : none_or_error(core_shared_size(size, "the size",
                                                          &state->shared));
}

/* Raises LogicError unless `bytes` bytes at `offset` are inside the argument
 * buffer. */
static int
bytes_check(size_t offset, size_t bytes)
{
    if (offset <= ARGUMENT_BYTES && bytes <= ARGUMENT_BYTES - offset) {
        return 0;
    }
    return core_fail(CUDA_ERROR_INVALID_VALUE, "cuParamSetv",
                     "a kernel's arguments have at most 4096 bytes");
}

static PyObject *
param_set_size(PyObject *op, PyObject *object)
{
    struct core_legacy_call *state = state_of(op);
    size_t bytes;
    if (state == NULL || core_size(object, &bytes) < 0 ||
        bytes_check(0, bytes) < 0) {
        return NULL;
    }
    state->bytes = bytes;
    Py_RETURN_NONE;
}

/* Called after the conversion of a parameter's value has failed. If the
 * exception is a TypeError, adds the function, offset and value to its
 * message. Returns NULL. */
static PyObject *
value_refused(PyObject *op, const char *method, size_t offset, PyObject *value)
{
    if (PyErr_Occurred() == PyExc_TypeError) {
        PyErr_Format(
            PyExc_TypeError,
            "%s() of kernel '%U': the argument at offset %zu is stored as %s "
            "of 4 bytes, but a %s was given; param_set(*args) converts all "
            "arguments",
            method + 1, ((struct core_function *)op)->name, offset,
            strcmp(method, "_param_setf") == 0 ? "a float" : "an integer",
            Py_TYPE(value)->tp_name);
    }
    return NULL;
}

/* Reads the arguments (offset, value), converts the value to four bytes and
 * stores them at the offset. */
static PyObject *
param_set(PyObject *op, const struct core_signature *signature, CORE_ARGS,
          int (*convert)(PyObject *, char[4]))
{
    struct core_legacy_call *state = state_of(op);
    PyObject *values[2];
    size_t offset;
    char bytes[4];
    if (state == NULL ||
        core_args(signature, args, nargs, names, values) < 0 ||
        core_size(values[0], &offset) < 0 || bytes_check(offset, 4) < 0) {
        return NULL;
    }
    if (convert(values[1], bytes) < 0) {
        return value_refused(op, signature->function, offset, values[1]);
    }
    memcpy(state->arguments + offset, bytes, 4);
    Py_RETURN_NONE;
}

static int
convert_integer(PyObject *object, char bytes[4])
{
    unsigned value;
    if (core_unsigned(object, &value) < 0) {
        return -1;
    }
    memcpy(bytes, &value, 4);
    return 0;
}

static int
convert_float(PyObject *object, char bytes[4])
{
    float value = (float)PyFloat_AsDouble(object);
    if (PyErr_Occurred()) {
        return -1;
    }
    memcpy(bytes, &value, 4);
    return 0;
}

static PyObject *
param_seti(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "_param_seti", 2, {"", ""}};
    return param_set(op, &signature, args, nargs, names, convert_integer);
}

static PyObject *
param_setf(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "_param_setf", 2, {"", ""}};
    return param_set(op, &signature, args, nargs, names, convert_float);
}

/* Method _param_setv(offset, buffer): stores the buffer's bytes at the
 * offset. */
static PyObject *
param_setv(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "_param_setv", 2, {"", ""}};
    struct core_legacy_call *state = state_of(op);
    PyObject *values[2];
    size_t offset;
    Py_buffer view;
    if (state == NULL ||
        core_args(&signature, args, nargs, names, values) < 0 ||
        core_size(values[0], &offset) < 0 ||
        core_buffer(values[1], false, &view) < 0) {
        return NULL;
    }
    int status = bytes_check(offset, (size_t)view.len);
    if (status == 0) {
        memcpy(state->arguments + offset, view.buf, (size_t)view.len);
    }
    PyBuffer_Release(&view);
    return none_or_error(status);
}

/* Returns a list of the ArgumentHandlers (In, Out, InOut) among the arguments;
 * the caller makes their copies. */
static PyObject *
handlers_among(PyObject *const *args, Py_ssize_t count)
{
    PyObject *handlers = PyList_New(0);
    for (Py_ssize_t i = 0; handlers != NULL && i < count; i++) {
        if (PyObject_TypeCheck(args[i], core.handler_type) &&
            PyList_Append(handlers, args[i]) < 0) {
            Py_CLEAR(handlers);
        }
    }
    return handlers;
}

/* Method param_set(*args): converts all arguments like a call of the function
 * and stores them. Returns the list of ArgumentHandlers. */
static PyObject *
param_set_all(PyObject *op, CORE_ARGS)
{
    struct core_function *self = (struct core_function *)op;
    struct core_legacy_call *state = state_of(op);
    struct core_pack pack;
    if (names != NULL && PyTuple_GET_SIZE(names) > 0) {
        PyErr_SetString(PyExc_TypeError, "param_set() accepts no keyword "
                                         "arguments");
        return NULL;
    }
    int status = state == NULL ? -1 : pack_begin(&pack, &self->layout, NULL);
    if (status < 0) {
        return NULL;
    }
    status = core_pack_arguments(self, args, nargs, &pack);
    size_t bytes = pack.as_buffer ? pack.bytes : self->layout.bytes;
    if (status == 0) {
        status = bytes_check(0, bytes);
    }
    if (status == 0) {
        memcpy(state->arguments, pack.buffer, bytes);
        state->bytes = bytes;
    }
    pack_end(&pack);
    return status < 0 ? NULL : handlers_among(args, nargs);
}

/* Launches the kernel with the block, shared memory size and arguments that
 * earlier calls have stored. */
static PyObject *
launch_state(PyObject *op, const unsigned grid[3], PyObject *stream)
{
    struct core_function *self = (struct core_function *)op;
    struct core_legacy_call *state = state_of(op);
    struct core_pack pack;
    if (state == NULL) {
        return NULL;
    }
    int status = pack_begin(&pack, &self->layout, stream);
    if (status == 0) {
        status = core_pack_reserve(&pack, state->bytes + 1, 0);
    }
    if (status == 0) {
        memcpy(pack.buffer, state->arguments, state->bytes);
        pack.bytes = state->bytes;
        pack.as_buffer = true;
        status =
            core_launch_packed(self, grid, state->block, state->shared, &pack);
    }
    pack_end(&pack);
    return none_or_error(status);
}

static PyObject *
launch_one(PyObject *op, PyObject *unused)
{
    (void)unused;
    const unsigned grid[3] = {1, 1, 1};
    return launch_state(op, grid, NULL);
}

/* Method _launch_grid(width, height[, stream]): launches a two-dimensional
 * grid. */
static PyObject *
launch_grid(PyObject *op, const struct core_signature *signature, CORE_ARGS)
{
    PyObject *values[3] = {NULL, NULL, NULL};
    unsigned grid[3] = {1, 1, 1};
    if (core_args(signature, args, nargs, names, values) < 0 ||
        lengths_read(values, 2, "grid", grid) < 0) {
        return NULL;
    }
    return launch_state(op, grid, values[2]);
}

static PyObject *
launch_grid_sync(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "_launch_grid", 2, {"grid_width", "grid_height"}};
    return launch_grid(op, &signature, args, nargs, names);
}

static PyObject *
launch_grid_async(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "_launch_grid_async", 3, {"grid_width", "grid_height", "s"}};
    return launch_grid(op, &signature, args, nargs, names);
}

PyMethodDef core_legacy_methods[] = {
    {"_set_block_shape", CORE_METHOD(set_block_shape),
     "Set the shape (x, y, z) of the blocks of later launches, in threads."},
    {"_set_shared_size", set_shared_size, METH_O,
     "Set the dynamic shared memory of each block of later launches, in "
     "bytes."},
    {"_param_set_size", param_set_size, METH_O,
     "Set the size of all arguments of later launches, in bytes."},
    {"_param_seti", CORE_METHOD(param_seti),
     "Set the argument at an offset in bytes: an unsigned int of 4 bytes. "
     "Raises TypeError or OverflowError for another value."},
    {"_param_setf", CORE_METHOD(param_setf),
     "Set the argument at an offset in bytes: a float of 4 bytes. Raises "
     "TypeError for another value."},
    {"_param_setv", CORE_METHOD(param_setv),
     "Set the arguments from an offset on, in bytes, to the bytes of a "
     "buffer."},
    {"param_set", CORE_METHOD(param_set_all),
     "Set all arguments, as a call takes them; return the list of the In, "
     "Out and InOut among them. Raises TypeError as a call does."},
    {"_launch", launch_one, METH_NOARGS,
     "Launch one block with the arguments and the shape set before."},
    {"_launch_grid", CORE_METHOD(launch_grid_sync),
     "Launch a grid of (width, height) blocks with the arguments and the "
     "shape set before."},
    {"_launch_grid_async", CORE_METHOD(launch_grid_async),
     "Launch a grid of (width, height) blocks on a stream, with the "
     "arguments and the shape set before."},
    {NULL},
};
