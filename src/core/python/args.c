/* args.c - reads the arguments of Python methods: keywords, numbers,
 * dimensions, buffers.
 *
 * Called by the methods of all types of core (METH_FASTCALL | METH_KEYWORDS).
 * The argument values are borrowed references. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/core.h"
#include "core/numpy.h"
#include "core/python/args.h"
#include "core/python/borrowed.h"

/* Returns the index of the parameter with a keyword's name, or -1. */
static int
name_index(const struct core_signature *signature, PyObject *name)
{
    for (int i = 0; signature->names[i] != NULL; i++) {
        if (signature->names[i][0] != '\0' &&
            PyUnicode_CompareWithASCIIString(name, signature->names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

/* Stores the values of keyword arguments in `values` at the indices of their
 * parameters. Raises TypeError for unknown and repeated keywords. */
static int
keywords_store(const struct core_signature *signature, PyObject *const *args,
               PyObject *names, PyObject **values)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        int index = name_index(signature, name);
        if (index < 0) {
            PyErr_Format(PyExc_TypeError,
                         "%s() got an unexpected keyword argument '%U'",
                         signature->function, name);
            return -1;
        }
        if (values[index] != NULL) {
            PyErr_Format(PyExc_TypeError,
                         "%s() got multiple values for argument '%U'",
                         signature->function, name);
            return -1;
        }
        values[index] = args[i];
    }
    return 0;
}

/* Slow path of core_args: keyword arguments, or a wrong number of them. */
static __attribute__((noinline)) int
args_read(const struct core_signature *signature, CORE_ARGS, PyObject **values)
{
    int most = 0;
    while (signature->names[most] != NULL) {
        values[most++] = NULL;
    }
    if (nargs > most) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes at most %d argument%s (%zd given)",
                     signature->function, most, most == 1 ? "" : "s", nargs);
        return -1;
    }
    for (Py_ssize_t i = 0; i < nargs; i++) {
        values[i] = args[i];
    }
    if (names != NULL &&
        keywords_store(signature, args + nargs, names, values) < 0) {
        return -1;
    }
    for (int i = 0; i < signature->required; i++) {
        if (values[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() needs argument %d%s%s%s",
                         signature->function, i + 1,
                         signature->names[i][0] ? " ('" : "",
                         signature->names[i],
                         signature->names[i][0] ? "')" : "");
            return -1;
        }
    }
    return 0;
}

int
core_args(const struct core_signature *signature, CORE_ARGS, PyObject **values)
{
    if (LIKELY(names == NULL && nargs >= signature->required)) {
        Py_ssize_t i = 0;
        for (; signature->names[i] != NULL; i++) {
            values[i] = i < nargs ? args[i] : NULL;
        }
        if (LIKELY(nargs <= i)) {
            return 0;
        }
    }
    return args_read(signature, args, nargs, names, values);
}

/* Converts an int, or an object with __index__ such as a NumPy integer, to a
 * Python int. Raises TypeError for a float. Returns a new reference. */
static PyObject *
integer_index(PyObject *object)
{
    if (PyLong_Check(object)) {
        return Py_NewRef(object);
    }
    return PyNumber_Index(object);
}

/* Convert an int or an object with __index__ to the C type. Raise TypeError
 * for a float, and OverflowError if the value does not fit the type. */
int
core_size(PyObject *object, size_t *value)
{
    PyObject *number = integer_index(object);
    if (number == NULL) {
        return -1;
    }
    *value = PyLong_AsSize_t(number);
    Py_DECREF(number);
    return *value == (size_t)-1 && PyErr_Occurred() ? -1 : 0;
}

int
core_shared_size(PyObject *object, const char *name, unsigned *bytes)
{
    if (!PyLong_Check(object) && !PyIndex_Check(object)) {
        PyErr_Format(PyExc_TypeError,
                     "%s must be an integer number of bytes, not %s", name,
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    return core_unsigned(object, bytes);
}

int
core_unsigned(PyObject *object, unsigned *value)
{
    size_t wide;
    if (core_size(object, &wide) < 0) {
        return -1;
    }
    if (wide > UINT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "%zu does not fit in 32 bits", wide);
        return -1;
    }
    *value = (unsigned)wide;
    return 0;
}

int
core_int(PyObject *object, int *value)
{
    PyObject *number = integer_index(object);
    if (number == NULL) {
        return -1;
    }
    long wide = PyLong_AsLong(number);
    Py_DECREF(number);
    if (wide == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (wide < INT32_MIN || wide > INT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "%ld does not fit in an int", wide);
        return -1;
    }
    *value = (int)wide;
    return 0;
}

/* Returns the UTF-8 text of a str, borrowed from the object; NULL with
 * TypeError if it is not a str. `what` names the argument in the message. */
const char *
core_text(PyObject *object, const char *what)
{
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %s", what,
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    return PyUnicode_AsUTF8(object);
}

/* Returns whether the object has a type of non-integer numbers: float, NumPy
 * floating-point number, Fraction or Decimal. */
static bool
acts_as_float(PyObject *object)
{
    const PyNumberMethods *number = Py_TYPE(object)->tp_as_number;
    return number != NULL && number->nb_float != NULL;
}

/* Reads one dimension of a grid or block, from 0 to 2^32-1. */
static int
dimension_read(PyObject *item, const char *what, unsigned *out)
{
    if (PyLong_CheckExact(item)) {
        long value = PyLong_AsLong(item);
        if (value >= 0 && value <= UINT32_MAX) {
            *out = (unsigned)value;
            return 0;
        }
        PyErr_Clear();
        PyErr_Format(PyExc_OverflowError,
                     "%s dimension %S is out of range 0 to 2^32-1", what,
                     item);
        return -1;
    }
    if (!PyIndex_Check(item)) {
        PyErr_Format(PyExc_TypeError,
                     "%s dimensions must be integers, not %s%s", what,
                     Py_TYPE(item)->tp_name,
                     acts_as_float(item)
                         ? ": // divides integers. (n + 255) // 256 rounds "
                           "up; n // 256 leaves the rest out"
                         : "");
        return -1;
    }
    PyObject *number = PyNumber_Index(item);
    if (number == NULL) {
        return -1;
    }
    int status = PyLong_CheckExact(number) ? dimension_read(number, what, out)
                                           : core_unsigned(number, out);
    Py_DECREF(number);
    return status;
}

/* Reads a grid or block size from a list or tuple that no other thread
 * changes. */
static int
dimensions_read(PyObject *items, const char *what, unsigned out[3])
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
    if (count == 0 || count > 3) {
        char detail[80];
        snprintf(detail, sizeof detail,
                 "too %s %s dimensions in kernel launch",
                 count == 0 ? "few" : "many", what);
        return core_fail(CUDA_ERROR_INVALID_VALUE, "function::launch_kernel",
                         detail);
    }
    PyObject *owned[3];
    /* Own a reference to each item, since an item's __index__ may change the
     * list. */
    for (Py_ssize_t i = 0; i < count; i++) {
        owned[i] = Py_NewRef(PySequence_Fast_GET_ITEM(items, i));
    }
    int status = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (status == 0) {
            status = dimension_read(owned[i], what, &out[i]);
        }
        Py_DECREF(owned[i]);
    }
    return status;
}

/* Reads a grid or block size into `out`: an int, or a tuple, list or
 * one-dimensional array of 1 to 3 ints. Absent dimensions are 1. `what` names
 * the argument in messages. */
int
core_dimensions(PyObject *object, const char *what, unsigned out[3])
{
    out[0] = out[1] = out[2] = 1;
    if (PyArray_Check(object) && PyArray_NDIM((PyArrayObject *)object) == 1) {
        PyObject *list = PySequence_List(object);
        int status = list == NULL ? -1 : core_dimensions(list, what, out);
        Py_XDECREF(list);
        return status;
    }
    if (!PyTuple_Check(object) && !PyList_Check(object)) {
        return dimension_read(object, what, &out[0]);
    }
    PyObject *items = core_stable_sequence(object);
    int status = items == NULL ? -1 : dimensions_read(items, what, out);
    Py_XDECREF(items);
    return status;
}

/* Returns whether the object is a tuple of ints. Such a tuple cannot change,
 * so a later call with the same object (pointer) has the same value. */
static bool
is_constant(PyObject *object)
{
    if (!PyTuple_CheckExact(object)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); i++) {
        if (!PyLong_CheckExact(PyTuple_GET_ITEM(object, i))) {
            return false;
        }
    }
    return true;
}

/* Does the same as core_dimensions, and caches the result in `shape` if the
 * object is a tuple of ints, since the next call often passes the same object.
 * core_shape_read_cached looks the object up in the cache. */
int
core_shape_read(struct core_shape *shape, PyObject *object, const char *what,
                unsigned out[3])
{
    if (core_dimensions(object, what, out) < 0) {
        return -1;
    }
    if (is_constant(object)) {
        memcpy(shape->lengths, out, sizeof shape->lengths);
        Py_XSETREF(shape->tuple, Py_NewRef(object));
    }
    return 0;
}

/* Reads the single optional argument `flags` of a constructor, and leaves
 * *flags unchanged if it is absent. `format` is "|O:" and the name of the
 * type. */
int
core_flags_read(PyObject *args, PyObject *kwargs, const char *format,
                unsigned *flags)
{
    static char *keywords[] = {"flags", NULL};
    PyObject *object = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, keywords,
                                     &object)) {
        return -1;
    }
    return object == NULL ? 0 : core_unsigned(object, flags);
}

/* Raises TypeError if the array's memory holds pointers to Python objects: a
 * copy of the bytes would not increment the objects' reference counts. */
int
core_buffer_refuse_objects(PyObject *object)
{
    PyObject *memory =
        PyMemoryView_Check(object) ? PyMemoryView_GET_BASE(object) : object;
    if (memory == NULL || !PyArray_Check(memory) ||
        !PyDataType_REFCHK(PyArray_DESCR((PyArrayObject *)memory))) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError,
                 "the numpy array of dtype %S holds pointers to Python "
                 "objects, which cannot be copied to or from a device",
                 (PyObject *)PyArray_DESCR((PyArrayObject *)memory));
    return -1;
}

/* Exports a buffer that is contiguous in C or Fortran order into `view`. The
 * caller must release it by PyBuffer_Release. */
int
core_buffer(PyObject *object, bool writable, Py_buffer *view)
{
    int flags = PyBUF_ANY_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
    if (UNLIKELY(core_buffer_refuse_objects(object) < 0)) {
        return -1;
    }
    if (PyObject_GetBuffer(object, view, flags) == 0) {
        return 0;
    }
    if (!PyArray_Check(object) ||
        !(PyErr_ExceptionMatches(PyExc_ValueError) ||
          PyErr_ExceptionMatches(PyExc_BufferError))) {
        return -1;
    }
    /* NumPy cannot export arrays of datetime64 and some other dtypes as a
     * buffer; they are read as bytes. */
    PyErr_Clear();
    PyArrayObject *array = (PyArrayObject *)object;
    const char *fault =
        !PyArray_IS_C_CONTIGUOUS(array) && !PyArray_IS_F_CONTIGUOUS(array)
            ? "is not contiguous"
        : writable && !PyArray_ISWRITEABLE(array) ? "is read-only"
                                                  : NULL;
    if (fault != NULL) {
        PyErr_Format(PyExc_ValueError, "the numpy array of dtype %S %s",
                     (PyObject *)PyArray_DESCR(array), fault);
        return -1;
    }
    return PyBuffer_FillInfo(view, object, PyArray_DATA(array),
                             PyArray_NBYTES(array), 0, PyBUF_SIMPLE);
}

/* Reads the shape of an array: an int, or an iterable of up to 32 ints.
 * Returns the number of dimensions, or -1 with an exception. */
int
core_shape(PyObject *shape, Py_intptr_t *lengths)
{
    size_t length;
    if (PyIndex_Check(shape)) {
        if (core_size(shape, &length) < 0) {
            return -1;
        }
        lengths[0] = (Py_intptr_t)length;
        return 1;
    }
    /* copied to a tuple, since __index__ of an item may change a list */
    PyObject *items = PySequence_Tuple(shape);
    if (items == NULL) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    if (count > 32) {
        PyErr_SetString(PyExc_ValueError, "more than 32 dimensions");
        count = -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (core_size(PyTuple_GET_ITEM(items, i), &length) < 0) {
            count = -1;
            break;
        }
        lengths[i] = (Py_intptr_t)length;
    }
    Py_DECREF(items);
    return (int)count;
}

/* Copies the 64 bytes of an IPC handle, received from another process, into
 * `handle`. If the buffer has another size, raises LogicError in the name of
 * `routine` with the text `says`. */
int
core_ipc_handle(PyObject *bytes, void *handle, const char *routine,
                const char *says)
{
    enum { BYTES = sizeof(CUipcMemHandle) };
    _Static_assert(BYTES == sizeof(CUipcEventHandle), "one size for both");
    Py_buffer view;
    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) < 0) {
        return -1;
    }
    bool fits = view.len == BYTES;
    if (fits) {
        memcpy(handle, view.buf, BYTES);
    }
    PyBuffer_Release(&view);
    return fits ? 0 : core_fail(CUDA_ERROR_INVALID_VALUE, routine, says);
}

int
core_attribute(PyObject *object, PyObject *name, PyObject **value)
{
    *value = PyObject_GetAttr(object, name);
    if (*value == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return -1;
        }
        PyErr_Clear();
    }
    return 0;
}

/* ---- fields of C structs ---- */

bool
core_field_is_set(PyObject *value)
{
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "cannot delete a field");
    }
    return value != NULL;
}

PyObject *
core_size_field_get(PyObject *op, void *offset)
{
    size_t field;
    memcpy(&field, (char *)op + (uintptr_t)offset, sizeof field);
    return PyLong_FromSize_t(field);
}

int
core_size_field_set(PyObject *op, PyObject *value, void *offset)
{
    size_t field;
    if (!core_field_is_set(value) || core_size(value, &field) < 0) {
        return -1;
    }
    memcpy((char *)op + (uintptr_t)offset, &field, sizeof field);
    return 0;
}

PyObject *
core_unsigned_field_get(PyObject *op, void *offset)
{
    unsigned field;
    memcpy(&field, (char *)op + (uintptr_t)offset, sizeof field);
    return PyLong_FromUnsignedLong(field);
}

int
core_unsigned_field_set(PyObject *op, PyObject *value, void *offset)
{
    unsigned field;
    if (!core_field_is_set(value) || core_unsigned(value, &field) < 0) {
        return -1;
    }
    memcpy((char *)op + (uintptr_t)offset, &field, sizeof field);
    return 0;
}
