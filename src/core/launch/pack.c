/* pack.c - converts the Python arguments of a launch to the bytes of the
 * kernel's parameters.
 *
 * The most performance-critical file of core: NumPy scalars, allocations and
 * arrays need no memory allocation and no Python call. Each parameter caches
 * the type of its last argument (core_slot), so that a repeated call only
 * compares one pointer per argument.
 *
 * Rules: if the numbers of arguments and parameters are equal, each argument
 * is stored at its parameter's offset. Integers are converted to the
 * parameter's size if the value fits. If the numbers differ, the arguments are
 * packed one after the other by PyCUDA's rules (natural alignment, structs at
 * alignment 1). That is accepted, with one warning, if the result has exactly
 * the size of all parameters. Anything else is an error that names the kernel,
 * the parameter, and the expected and the given size.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/code/layout.h"
#include "core/context/context.h"
#include "core/core.h"
#include "core/launch/argument_handler.h"
#include "core/launch/inline.h"
#include "core/launch/launch_error.h"
#include "core/launch/pack.h"
#include "core/launch/pack_buffer.h"
#include "core/memory/address.h"
#include "core/memory/allocation.h"
#include "core/memory/peer_memory.h"
#include "core/memory/stream_dependencies.h"
#include "core/numpy.h"
#include "core/python/borrowed.h"
#include "core/state.h"
#include "core/texture/texture_object.h"

/* The bytes of one kernel argument, and the conversion that read them. */
struct value {
    const void *data;
    size_t bytes;
    /* alignment in bytes that the value has if the arguments are packed one
     * after the other, as PyCUDA packs them */
    size_t alignment;
    /* conversion that read the argument, chosen by the argument's type */
    enum core_argument kind;
    /* if a device address is passed: the address, to which `data` points */
    CUdeviceptr pointer;
};

/* value_read reads a scalar's value directly after the object's head. */
_Static_assert(offsetof(PyDoubleScalarObject, obval) == sizeof(PyObject),
               "scalar layout");

/* Returns the kind of a NumPy scalar type, and stores its size in bytes.
 * ARGUMENT_UNKNOWN for another type. */
static enum core_argument
scalar_kind(PyTypeObject *type, uint32_t *bytes)
{
    const struct {
        PyTypeObject *type;
        enum core_argument kind;
        uint32_t bytes;
    } rows[] = {
        {&PyIntArrType_Type, ARGUMENT_INTEGER, sizeof(int)},
        {&PyFloatArrType_Type, ARGUMENT_BITS, sizeof(float)},
        {&PyDoubleArrType_Type, ARGUMENT_BITS, sizeof(double)},
        {&PyLongArrType_Type, ARGUMENT_INTEGER, sizeof(long)},
        {&PyULongArrType_Type, ARGUMENT_UNSIGNED, sizeof(long)},
        {&PyUIntArrType_Type, ARGUMENT_UNSIGNED, sizeof(int)},
        {&PyLongLongArrType_Type, ARGUMENT_INTEGER, sizeof(long long)},
        {&PyULongLongArrType_Type, ARGUMENT_UNSIGNED, sizeof(long long)},
        {&PyShortArrType_Type, ARGUMENT_INTEGER, sizeof(short)},
        {&PyUShortArrType_Type, ARGUMENT_UNSIGNED, sizeof(short)},
        {&PyByteArrType_Type, ARGUMENT_INTEGER, 1},
        {&PyUByteArrType_Type, ARGUMENT_UNSIGNED, 1},
        {&PyBoolArrType_Type, ARGUMENT_BITS, 1},
        {&PyHalfArrType_Type, ARGUMENT_BITS, 2},
        {&PyCFloatArrType_Type, ARGUMENT_BITS, 2 * sizeof(float)},
        {&PyCDoubleArrType_Type, ARGUMENT_BITS, 2 * sizeof(double)},
    };
    const size_t count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].type == type) {
            *bytes = rows[i].bytes;
            return rows[i].kind;
        }
    }
    for (size_t i = 0; i < count; i++) {
        /* `type` is derived from a NumPy scalar type */
        if (PyType_IsSubtype(type, rows[i].type)) {
            *bytes = rows[i].bytes;
            return rows[i].kind;
        }
    }
    return ARGUMENT_UNKNOWN;
}

/* Returns how a launch reads arguments of a Python type. Sets `bytes`, the
 * size, for scalar types only. */
static enum core_argument
type_kind(PyTypeObject *type, uint32_t *bytes)
{
    enum core_argument kind = scalar_kind(type, bytes);
    if (kind != ARGUMENT_UNKNOWN) {
        return kind;
    }
    if (core.array_type != NULL && PyType_IsSubtype(type, core.array_type)) {
        return ARGUMENT_ARRAY;
    }
    if (PyType_IsSubtype(type, core.allocation_type) ||
        type == core.pooled_type) {
        return ARGUMENT_ALLOCATION;
    }
    if (PyType_IsSubtype(type, core.handler_type)) {
        return ARGUMENT_HANDLER;
    }
    if (PyType_IsSubtype(type, &PyArray_Type)) {
        return ARGUMENT_NDARRAY;
    }
    if (PyType_IsSubtype(type, &PyVoidArrType_Type)) {
        return ARGUMENT_VOID;
    }
    if (type == core.texobj_type || type == core.surfobj_type) {
        return ARGUMENT_TEXTURE;
    }
    if (!strcmp(type->tp_name, "ml_dtypes.bfloat16")) {
        /* a 2-byte scalar type without a C struct in NumPy's headers; its
         * value also follows the object's head */
        *bytes = 2;
        return ARGUMENT_BITS;
    }
    return ARGUMENT_OTHER;
}

/* Caches the type of an argument and how to read it. Drops the reference to
 * the old type last, since that may run Python code. */
void
core_slot_set_type(struct core_slot *slot, PyTypeObject *type)
{
    PyTypeObject *old = slot->type;
    slot->type = (PyTypeObject *)Py_NewRef((PyObject *)type);
    slot->bytes = 0;
    slot->kind = type_kind(type, &slot->bytes);
    Py_XDECREF((PyObject *)old);
}

/* Raises TypeError for an argument of a type that no kernel accepts. */
static int
invalid_type(struct core_function *function, Py_ssize_t index, PyObject *arg)
{
    return core_launch_error(
        PyExc_TypeError, function, "invalid_type", "(nIIO)", index,
        function->layout.known ? function->layout.count : 0u,
        core_launch_parameter_bytes(function, index), arg);
}

/* Reads a NumPy array: the address of an array in managed memory, the bytes of
 * any other array. */
static int
ndarray_value(struct core_function *function, Py_ssize_t index, PyObject *arg,
              struct value *value)
{
    PyArrayObject *array = (PyArrayObject *)arg;
    PyObject *base = arg;
    while (base != NULL && PyArray_Check(base)) {
        base = PyArray_BASE((PyArrayObject *)base);
    }
    if (base != NULL && Py_IS_TYPE(base, core.managed_type)) {
        value->pointer = (CUdeviceptr)(uintptr_t)PyArray_DATA(array);
        value->data = &value->pointer;
        value->bytes = value->alignment = sizeof value->pointer;
        return 0;
    }
    if (!PyArray_IS_C_CONTIGUOUS(array)) {
        PyErr_Format(PyExc_ValueError,
                     "kernel '%U': parameter #%zd (0-based) is a NumPy array "
                     "passed by value, which must be C-contiguous",
                     function->name, index);
        return -1;
    }
    value->data = PyArray_DATA(array);
    value->bytes = (size_t)PyArray_NBYTES(array);
    value->alignment = 1;
    return 0;
}

/* Returns whether the argument is of a built-in type that never represents
 * device memory. Objects of a derived class may have the attribute gpudata. */
static bool
is_host_builtin(PyObject *arg)
{
    return PyLong_CheckExact(arg) || PyFloat_CheckExact(arg) ||
           PyBytes_CheckExact(arg) || PyUnicode_CheckExact(arg) ||
           PyList_CheckExact(arg) || PyTuple_CheckExact(arg) ||
           PyBool_Check(arg) || arg == Py_None;
}

/* Reads the device address of an object of another library or of a user's
 * class. Raises TypeError if it has none. */
static int
foreign_value(struct core_function *function, Py_ssize_t index, PyObject *arg,
              struct core_pack *pack, struct value *value)
{
    int found = 0;
    if (!is_host_builtin(arg)) {
        found = core_pointer_foreign(arg, pack->stream, &value->pointer);
    }
    if (found > 0) {
        return core_foreign_reach(value->pointer) < 0
                   ? -1
                   : core_use_at(arg, value->pointer, pack->stream);
    }
    if (found == -2 ||
        (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))) {
        return -1;
    }
    PyErr_Clear();
    return invalid_type(function, index, arg);
}

/* Reads the device address of an allocation, an array, an ArgumentHandler or a
 * texture object, and records its use on the stream. */
static int
address_value(struct core_function *function, Py_ssize_t index, PyObject *arg,
              struct core_pack *pack, struct value *value)
{
    struct core_allocation *allocation = (struct core_allocation *)arg;
    struct core_array_head *array = (struct core_array_head *)arg;
    value->data = &value->pointer;
    value->bytes = value->alignment = sizeof value->pointer;
    switch (value->kind) {
    case ARGUMENT_ALLOCATION:
        value->pointer = allocation->pointer;
        return core_use_in_kernel(arg, pack->stream);
    case ARGUMENT_ARRAY:
        value->pointer = array->pointer;
        return core_use_in_kernel(array->owner, pack->stream);
    case ARGUMENT_HANDLER:
        pack->handlers = true;
        pack->outputs |= core_handler_has_output(arg);
        return core_handler_pointer(arg, pack->stream, &value->pointer);
    case ARGUMENT_TEXTURE:
        return core_texture_object(arg, pack->stream, &value->pointer);
    default:
        return foreign_value(function, index, arg, pack, value);
    }
}

/* Reads the bytes of one argument. A scalar is not copied: value->data points
 * into the Python object. */
static inline int
value_read(struct core_function *function, Py_ssize_t index, PyObject *arg,
           const struct core_slot *slot, struct core_pack *pack,
           struct value *value)
{
    value->kind = slot->kind;
    switch (slot->kind) {
    case ARGUMENT_INTEGER:
    case ARGUMENT_UNSIGNED:
    case ARGUMENT_BITS:
        value->data = (const char *)arg + sizeof(PyObject);
        value->bytes = slot->bytes;
        value->alignment = slot->bytes;
        return 0;
    case ARGUMENT_NDARRAY:
        return ndarray_value(function, index, arg, value);
    case ARGUMENT_VOID:
        value->data = ((PyVoidScalarObject *)arg)->obval;
        value->bytes = (size_t)PyDataType_ELSIZE(
            (PyArray_Descr *)((PyVoidScalarObject *)arg)->descr);
        value->alignment = 1;
        return 0;
    default:
        return address_value(function, index, arg, pack, value);
    }
}

/* Stores an integer into a parameter of `bytes` bytes. Raises OverflowError if
 * it does not fit. */
int
core_pack_integer(struct core_function *function, Py_ssize_t index,
                  uint64_t bits, bool negative, char *target, uint32_t bytes)
{
    bool fits = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (fits && bytes < 8) {
        uint64_t limit = (uint64_t)1 << (8 * bytes);
        fits = negative ? bits >= -(limit / 2) : bits < limit;
    }
    if (!fits) {
        PyErr_Format(PyExc_OverflowError,
                     negative ? "kernel '%U': the value %lld of parameter "
                                "#%zd (0-based) does not fit in its %u bytes"
                              : "kernel '%U': the value %llu of parameter "
                                "#%zd (0-based) does not fit in its %u bytes",
                     function->name, bits, index, bytes);
        return -1;
    }
    /* the low bytes are the first ones, since the host is little-endian */
    memcpy(target, &bits, bytes);
    return 0;
}

/* Returns an integer argument, sign-extended or zero-extended to 64 bits. */
static uint64_t
integer_extended(const struct value *value)
{
    uint64_t bits = 0;
    memcpy(&bits, value->data, value->bytes);
    if (value->kind == ARGUMENT_INTEGER && value->bytes < 8) {
        unsigned shift = 64 - 8 * (unsigned)value->bytes;
        bits = (uint64_t)((int64_t)(bits << shift) >> shift);
    }
    return bits;
}

/* Stores an argument whose size differs from the size of its parameter.
 * Converts an integer to the parameter's size; raises TypeError for any other
 * argument. */
static int
value_resize(struct core_function *function, Py_ssize_t index,
             const struct value *value, PyObject *arg, char *target,
             uint32_t bytes)
{
    if ((value->kind == ARGUMENT_INTEGER ||
         value->kind == ARGUMENT_UNSIGNED) &&
        bytes <= 8) {
        uint64_t bits = integer_extended(value);
        bool negative = value->kind == ARGUMENT_INTEGER && (int64_t)bits < 0;
        return core_pack_integer(function, index, bits, negative, target,
                                 bytes);
    }
    return core_launch_error(PyExc_TypeError, function, "wrong_size",
                             "(nIIOn)", index, function->layout.count, bytes,
                             arg, (Py_ssize_t)value->bytes);
}

/* Maximum number of comparisons per parameter with the kernel's source. With
 * the limit, calls are fast even if their argument types change from call to
 * call. */
#define MAX_TYPE_CHECKS 16

/* Compares an argument's type with the parameter's declaration in the kernel's
 * source, by the Python function pycuda._launch.declarations.check. Records in
 * the parameter's slot whether it is declared as a pointer. Callers store the
 * argument's type in function->slots only after the call, since Python code
 * may launch the same kernel. */
static int
argument_check(struct core_function *function, uint32_t index, PyObject *arg)
{
    PyObject *source = function->dict == NULL
                           ? NULL
                           : core_dict_get(function->dict, core.str_source);
    if (source == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    PyObject *module = PyImport_ImportModule("pycuda._launch.declarations");
    PyObject *pointer =
        module == NULL
            ? NULL
            : PyObject_CallMethod(module, "check", "OOIIO", source,
                                  function->name, function->layout.count,
                                  index, arg);
    Py_XDECREF(module);
    Py_DECREF(source);
    if (pointer == NULL) {
        return -1;
    }
    function->slots[index].is_pointer = pointer == Py_True;
    Py_DECREF(pointer);
    return 0;
}

/* Returns the dtype of an array on the device or the host, or of a handler's
 * array, borrowed; NULL for other arguments. `kind` is that of the argument's
 * type. */
static PyObject *
argument_dtype(PyObject *arg, enum core_argument kind)
{
    if (kind == ARGUMENT_ARRAY) {
        return core_array_dtype((struct core_array_head *)arg);
    }
    if (kind == ARGUMENT_HANDLER) {
        arg = core_handler_array(arg);
    } else if (kind != ARGUMENT_NDARRAY) {
        return NULL;
    }
    return arg != NULL && PyArray_Check(arg)
               ? (PyObject *)PyArray_DESCR((PyArrayObject *)arg)
               : NULL;
}

/* Returns whether an argument is a host array with axes that is passed by
 * value. An array without axes is a number. */
static bool
is_host_array(const struct value *value, PyObject *arg)
{
    return value->kind == ARGUMENT_NDARRAY && value->data != &value->pointer &&
           PyArray_NDIM((PyArrayObject *)arg) > 0;
}

/* Slow path for one argument: caches the argument's type, reads its value and
 * stores the value in the parameter. */
static int
argument_store(struct core_function *function, uint32_t index, PyObject *arg,
               struct core_pack *pack, char *target)
{
    struct core_slot *slot = &function->slots[index];
    uint32_t bytes = function->layout.parameters[index].bytes;
    struct value value;
    if (Py_TYPE(arg) != slot->type ||
        argument_dtype(arg, slot->kind) != slot->dtype) {
        if (slot->type_checks < MAX_TYPE_CHECKS) {
            if (argument_check(function, index, arg) < 0) {
                return -1;
            }
            slot->type_checks++;
        }
        core_slot_set_type(slot, Py_TYPE(arg));
        Py_XSETREF(slot->dtype, Py_XNewRef(argument_dtype(arg, slot->kind)));
    }
    if (value_read(function, index, arg, slot, pack, &value) < 0) {
        return -1;
    }
    if (value.bytes == bytes) {
        if (slot->is_pointer && is_host_array(&value, arg)) {
            return invalid_type(function, index, arg);
        }
        memcpy(target, value.data, value.bytes);
        return 0;
    }
    return value_resize(function, index, &value, arg, target, bytes);
}

/* Stores each argument into its parameter, by argument_store_fast (fast path)
 * or, if that declines, by argument_store. */
static inline int
pack_by_layout(struct core_function *function, PyObject *const *args,
               struct core_pack *pack)
{
    /* Fields of `pack` and `function` are copied to locals, since the compiler
     * must assume that a store through `target` changes them. */
    char *const buffer = pack->buffer;
    void **const pointers = pack->pointers;
    const CUstream stream = pack->stream;
    const uint32_t count = function->layout.count;
    const struct core_parameter *parameters = function->layout.parameters;
    const struct core_slot *slots = function->slots;
    const struct core_context *here = context_without_capture(function);
    for (uint32_t i = 0; i < count; i++) {
        char *target = buffer + parameters[i].offset;
        pointers[i] = target;
        if (LIKELY(argument_store_fast(&slots[i], args[i], here, stream,
                                       parameters[i].bytes, target))) {
            continue;
        }
        if (argument_store(function, i, args[i], pack, target) < 0) {
            return -1;
        }
        /* recomputed, since argument_store may have run Python code that
         * changed the context */
        here = context_without_capture(function);
    }
    return 0;
}

/* Packs the arguments one after the other, each at its natural alignment, as
 * PyCUDA does. */
static int
pack_stream(struct core_function *function, PyObject *const *args,
            Py_ssize_t count, struct core_pack *pack)
{
    size_t offset = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        struct core_slot slot = {0};
        struct value value;
        slot.kind = type_kind(Py_TYPE(args[i]), &slot.bytes);
        if (value_read(function, i, args[i], &slot, pack, &value) < 0) {
            return -1;
        }
        if (slot.kind == ARGUMENT_BITS && value.bytes > 8) {
            value.alignment = 8;
        } else if (Py_IS_TYPE(args[i], &PyCFloatArrType_Type)) {
            value.alignment = 4;
        }
        size_t start = (offset + value.alignment - 1) & ~(value.alignment - 1);
        if (core_pack_reserve(pack, start + value.bytes, 0) < 0) {
            return -1;
        }
        memset(pack->buffer + offset, 0, start - offset);
        memcpy(pack->buffer + start, value.data, value.bytes);
        offset = start + value.bytes;
    }
    pack->bytes = offset;
    return 0;
}

/* Raises TypeError: the number of arguments is wrong. */
static int
count_error(struct core_function *function, PyObject *const *args,
            Py_ssize_t count, size_t bytes)
{
    return core_launch_error(
        PyExc_TypeError, function, "wrong_count", "(IINn)",
        function->layout.count, function->layout.bytes,
        core_launch_arguments(args, count), (Py_ssize_t)bytes);
}

/* Warns, once per function, that there are not as many arguments as parameters
 * and that the arguments are packed one after another, without regard to the
 * boundaries of the parameters. */
static int
warn_packing(struct core_function *function, Py_ssize_t count)
{
    if (function->warned) {
        return 0;
    }
    function->warned = true;
    PyObject *layout = PyList_New(0);
    for (uint32_t i = 0; layout != NULL && i < function->layout.count; i++) {
        PyObject *row =
            Py_BuildValue("(II)", function->layout.parameters[i].offset,
                          function->layout.parameters[i].bytes);
        if (row == NULL || PyList_Append(layout, row) < 0) {
            Py_CLEAR(layout);
        }
        Py_XDECREF(row);
    }
    int status =
        layout == NULL
            ? -1
            : PyErr_WarnFormat(
                  PyExc_UserWarning, 1,
                  "kernel '%U' has %u parameters, but was given %zd "
                  "arguments; they are packed as in PyCUDA, since the "
                  "total size agrees. The kernel's parameters have "
                  "(offset, size) %R",
                  function->name, function->layout.count, count, layout);
    Py_XDECREF(layout);
    return status;
}

static void
pointers_set(const struct core_layout *layout, struct core_pack *pack)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        pack->pointers[i] = pack->buffer + layout->parameters[i].offset;
    }
}

/* Converts the arguments into `pack`, and records their memory as used on the
 * pack's stream. Errors name the kernel and the parameter. May run Python
 * code. */
int
core_pack_arguments(struct core_function *function, PyObject *const *args,
                    Py_ssize_t count, struct core_pack *pack)
{
    pack->args = args;
    pack->count = count;
    const struct core_layout *layout = &function->layout;
    if (layout->known && (uint32_t)count == layout->count) {
        return pack_by_layout(function, args, pack);
    }
    if (pack_stream(function, args, count, pack) < 0) {
        return -1;
    }
    if (!layout->known) {
        pack->as_buffer = true;
        return 0;
    }
    if (pack->bytes != layout->bytes || count == 0) {
        return count_error(function, args, count, pack->bytes);
    }
    pointers_set(layout, pack);
    return warn_packing(function, count);
}

/* Reads the address of an object that represents device memory, and records
 * its use on the pack's stream. */
int
core_pack_pointer(PyObject *object, struct core_pack *pack,
                  CUdeviceptr *pointer)
{
    if (core_pointer_on(object, pack->stream, pointer) < 0 ||
        (!core_is_own_type(object) && core_foreign_reach(*pointer) < 0)) {
        return -1;
    }
    if (LIKELY(core_is_allocation(object))) {
        return core_use_in_kernel(object, pack->stream);
    }
    PyObject *owner = core_memory_owner(object);
    return owner != NULL && core_is_allocation(owner)
               ? core_use_in_kernel(owner, pack->stream)
               : core_use_at(object, *pointer, pack->stream);
}
