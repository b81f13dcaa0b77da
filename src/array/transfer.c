/* transfer.c - methods that transfer elements: get, set, copy, fill, astype,
 * assignment.
 *
 * Methods of ArrayBase. Host memory is made contiguous before a transfer. A
 * kernel on the device copies between contiguous memory and other layouts. An
 * asynchronous copy of page-locked or managed memory holds a reference to the
 * host array until the copy is complete (core/memory/pending_copies.c).
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/cached_elementwise.h"
#include "array/copy.h"
#include "array/fault.h"
#include "array/fill.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/raw_copy.h"
#include "array/transfer.h"
#include "array/type_codes.h"
#include "array/validation.h"
#include "core/core.h"

/* --- device to host ---------------------------------------------------- */

static size_t
byte_count(const struct array *array)
{
    return (size_t)(array->size * PyDataType_ELSIZE(array->dtype));
}

/* Allocates a host array with contiguous strides in the axis order of the
 * device array. pycuda._driver.pagelocked_empty allocates page-locked
 * memory. */
static PyObject *
host_empty(struct array *array, int pagelocked)
{
    npy_intp strides[ARRAY_MAX_NDIM];

    if (pagelocked) {
        PyObject *driver = PyImport_ImportModule("pycuda.driver");
        PyObject *shape = array_tuple(array->ndim, array->shape);
        PyObject *host =
            driver && shape
                ? PyObject_CallMethod(driver, "pagelocked_empty", "OOs", shape,
                                      (PyObject *)array->dtype,
                                      array->flags & ARRAY_C ? "C" : "F")
                : NULL;
        Py_XDECREF(driver);
        Py_XDECREF(shape);
        return host;
    }
    layout_pack_like(array->ndim, array->shape,
                     PyDataType_ELSIZE(array->dtype), array->strides, strides);
    Py_INCREF(array->dtype);
    return PyArray_NewFromDescr(&PyArray_Type, array->dtype, array->ndim,
                                array->shape, strides, NULL, 0, NULL);
}

/* Returns whether the elements of the host array and of the device array have
 * the same order in memory, without gaps, so that one flat copy moves them. */
static int
host_matches(const struct array *array, PyArrayObject *host)
{
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);

    if (PyArray_NDIM(host) != array->ndim) {
        return 0;
    }
    for (int axis = 0; axis < array->ndim; axis++) {
        if (PyArray_DIM(host, axis) != array->shape[axis] ||
            (array->shape[axis] > 1 &&
             PyArray_STRIDE(host, axis) != array->strides[axis])) {
            return 0;
        }
    }
    return layout_contiguous(array->ndim, array->shape, array->strides,
                             itemsize);
}

/* Copies all elements to a host array of the same layout. A synchronous copy
 * also raises an exception for fault records (indices out of range) of earlier
 * kernels. Returns 0, or -1 with an exception. */
static int
dtoh(PyArrayObject *host, struct array *array, int async, CUstream stream)
{
    void *target = PyArray_DATA(host);
    size_t bytes = byte_count(array);

    if (core_use_array(&array->head, stream) < 0) {
        return -1;
    }
    if (async) {
        return core_memcpy_dtoh_async(target, array->head.pointer, bytes,
                                      stream, (PyObject *)host);
    }
    return core_memcpy_dtoh(target, array->head.pointer, bytes, stream) < 0
               ? -1
               : fault_check();
}

/* Implements get_into in the current context. If the layouts of the two arrays
 * differ, copies through a contiguous temporary array on the device. If the
 * host array is not contiguous either, also copies through a temporary host
 * array, which is synchronous. */
static int
get_into_in_context(struct array *array, PyArrayObject *host, int async,
                    CUstream stream)
{
    struct array *packed = NULL;
    PyObject *buffer = NULL;
    int result = -1;

    if (array->size == 0 || byte_count(array) == 0) {
        return 0;
    }
    if (host_matches(array, host)) {
        return dtoh(host, array, async, stream);
    }
    packed = array_contiguous(
        array,
        PyArray_IS_F_CONTIGUOUS(host) && !PyArray_IS_C_CONTIGUOUS(host) ? 'F'
                                                                        : 'C',
        stream);
    if (!packed) {
        return -1;
    }
    if (host_matches(packed, host)) {
        result = dtoh(host, packed, async, stream);
        goto done;
    }
    buffer = host_empty(packed, 0);
    if (!buffer || dtoh((PyArrayObject *)buffer, packed, 0, stream) < 0) {
        goto done;
    }
    result = PyArray_CopyInto(host, (PyArrayObject *)buffer);
done:
    Py_XDECREF(buffer);
    Py_DECREF(packed);
    return result;
}

/* Copies the elements to a host array of any layout. If the thread has no
 * current context, makes the context of the array current for the copy. */
static int
get_into(struct array *array, PyArrayObject *host, int async, CUstream stream)
{
    struct core_scope scope;
    int result = get_into_in_context(array, host, async, stream);

    if (UNLIKELY(result < 0) && core_home_enter((PyObject *)array, &scope)) {
        result = get_into_in_context(array, host, async, stream);
        core_home_leave(&scope);
    }
    return result;
}

/* Implements get_new in the current context: returns a new host array with the
 * elements of the device array. */
static PyObject *
get_new_in_context(struct array *array, int pagelocked, int async,
                   CUstream stream)
{
    struct array *packed;
    PyObject *host;

    if (layout_contiguous(array->ndim, array->shape, array->strides,
                          PyDataType_ELSIZE(array->dtype)) ||
        array->size == 0) {
        packed = (struct array *)Py_NewRef(array);
    } else {
        packed = array_contiguous(array, 'K', stream);
    }
    if (!packed) {
        return NULL;
    }
    host = host_empty(packed, pagelocked);
    if (host && get_into_in_context(packed, (PyArrayObject *)host, async,
                                    stream) < 0) {
        Py_CLEAR(host);
    }
    Py_DECREF(packed);
    return host;
}

/* Returns a new host array with the elements of the device array. If the
 * thread has no current context, makes the context of the array current for
 * the copy. */
static PyObject *
get_new(struct array *array, int pagelocked, int async, CUstream stream)
{
    struct core_scope scope;
    PyObject *host = get_new_in_context(array, pagelocked, async, stream);

    if (UNLIKELY(host == NULL) && core_home_enter((PyObject *)array, &scope)) {
        host = get_new_in_context(array, pagelocked, async, stream);
        core_home_leave(&scope);
    }
    return host;
}

/* Returns the host array, or a view or copy of it in the device array's shape.
 * If the shapes differ, issues a warning of class `category`. Returns NULL
 * with an exception if the number of elements differs. */
static PyArrayObject *
host_in_shape(PyArrayObject *host, const struct array *array,
              PyObject *category, const char *what)
{
    PyArray_Dims dims = {array->shape, array->ndim};

    if (PyArray_SIZE(host) != array->size) {
        PyErr_Format(PyExc_ValueError,
                     "%s: the host array has %zd elements, the GPUArray %zd",
                     what, PyArray_SIZE(host), array->size);
        return NULL;
    }
    if (PyArray_NDIM(host) == array->ndim &&
        PyArray_CompareLists(PyArray_DIMS(host), array->shape, array->ndim)) {
        return (PyArrayObject *)Py_NewRef(host);
    }
    if (PyErr_WarnFormat(category, 2,
                         "%s between arrays of different shape: reshaping",
                         what) < 0) {
        return NULL;
    }
    return (PyArrayObject *)PyArray_Newshape(host, &dims, NPY_CORDER);
}

/* Implements get(host) for a host array. Raises TypeError if its dtype differs
 * from that of the device array, and ValueError if the host array is
 * read-only. Returns a new reference to the host array. */
static PyObject *
get_given(struct array *array, PyArrayObject *host, int async, CUstream stream)
{
    if (!type_code_equal(PyArray_DESCR(host), array->dtype)) {
        PyErr_Format(PyExc_TypeError,
                     "get: the host array's dtype is %S, the GPUArray's %S",
                     PyArray_DESCR(host), array->dtype);
        return NULL;
    }
    if (!PyArray_ISWRITEABLE(host)) {
        PyErr_SetString(PyExc_ValueError, "get: the host array is read-only");
        return NULL;
    }
    PyArrayObject *shaped =
        host_in_shape(host, array, PyExc_DeprecationWarning, "get");
    if (!shaped) {
        return NULL;
    }
    int result;
    if (PyArray_DATA(shaped) == PyArray_DATA(host)) {
        result = get_into(array, shaped, async, stream);
    } else { /* `shaped` is a copy of the host array; its elements are copied
                to `host` afterwards */
        result = get_into(array, shaped, 0, stream);
        result = result < 0 ? -1 : PyArray_CopyAnyInto(host, shaped);
    }
    Py_DECREF(shaped);
    return result < 0 ? NULL : Py_NewRef(host);
}

static int set_device(struct array *array, struct array *source,
                      CUstream stream);

/* Implements get with a target, a NumPy array or a GPUArray. */
static PyObject *
get_to(struct array *array, PyObject *target, int async, CUstream stream,
       const char *name)
{
    if (PyArray_Check(target)) {
        return get_given(array, (PyArrayObject *)target, async, stream);
    }
    if (!array_check(target)) {
        PyErr_Format(PyExc_TypeError, "%s: ary must be a numpy array, not %s",
                     name, Py_TYPE(target)->tp_name);
        return NULL;
    }
    struct array *copy = (struct array *)target;
    if (!type_code_equal(copy->dtype, array->dtype)) {
        PyErr_Format(PyExc_TypeError,
                     "%s: the dtype of ary is %S, the GPUArray's %S", name,
                     copy->dtype, array->dtype);
        return NULL;
    }
    return set_device(copy, array, stream) < 0 ? NULL : Py_NewRef(target);
}

/* Reads a truth value, false by default. Returns 0 or 1, or -1 with an
 * exception. */
static int
flag_parse(PyObject *object)
{
    return object ? PyObject_IsTrue(object) : 0;
}

/* Reads the keyword async_= (`object`) and its old name async= (`old`).
 * Returns 1 if one of them is true, 0 if not, or -1 with an exception. */
static int
async_parse(PyObject *object, PyObject *old)
{
    int async = flag_parse(object), old_async = flag_parse(old);

    return async < 0 || old_async < 0 ? -1 : async | old_async;
}

static PyObject *
array_get(PyObject *self, CORE_ARGS)
{
    static const struct core_signature
        positional = {"get", 0, {"ary", "pagelocked", "async_", "stream"}},
        signature = {
            "get", 0, {"ary", "pagelocked", "async_", "stream", "async"}};
    PyObject *values[5];
    CUstream stream;
    int pagelocked, async;

    if (core_args(nargs > 4 ? &positional : &signature, args, nargs, names,
                  values) < 0 ||
        (pagelocked = flag_parse(values[1])) < 0 ||
        (async = async_parse(values[2], values[4])) < 0 ||
        core_stream(values[3] ? values[3] : Py_None, &stream) < 0) {
        return NULL;
    }
    if (!values[0] || values[0] == Py_None) {
        return get_new((struct array *)self, pagelocked, async, stream);
    }
    return get_to((struct array *)self, values[0], async, stream, "get");
}

static PyObject *
array_get_async(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"stream", "ary", NULL};
    PyObject *host = Py_None, *given = Py_None;
    CUstream stream;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:get_async", names,
                                     &given, &host) ||
        core_stream(given, &stream) < 0) {
        return NULL;
    }
    if (host == Py_None) {
        return get_new((struct array *)self, 0, 1, stream);
    }
    return get_to((struct array *)self, host, 1, stream, "get_async");
}

/* --- host to device ---------------------------------------------------- */

static int
htod(struct array *array, PyArrayObject *host, int async, CUstream stream)
{
    const void *source = PyArray_DATA(host);
    size_t bytes = byte_count(array);

    if (core_use_array(&array->head, stream) < 0) {
        return -1;
    }
    return async
               ? core_memcpy_htod_async(array->head.pointer, source, bytes,
                                        stream, (PyObject *)host)
               : core_memcpy_htod(array->head.pointer, source, bytes, stream);
}

/* Copies the elements of a host array of the same shape and dtype to the
 * device array. Returns 0, or -1 with an exception. */
static int
set_from_host(struct array *array, PyArrayObject *host, int async,
              CUstream stream)
{
    PyArrayObject *packed;
    struct array *staged = NULL;
    int result = -1;

    if (array->size == 0 || byte_count(array) == 0) {
        return 0;
    }
    if (host_matches(array, host)) {
        return htod(array, host, async, stream);
    }
    int fortran = array->flags & ARRAY_F && !(array->flags & ARRAY_C);
    packed = (PyArrayObject *)PyArray_NewCopy(host, fortran ? NPY_FORTRANORDER
                                                            : NPY_CORDER);
    if (!packed) {
        return -1;
    }
    /* Copy synchronously from `packed`, since it is freed after the copy. */
    if (host_matches(array, packed)) {
        result = htod(array, packed, 0, stream);
    } else {
        staged = array_new_like(array, array->dtype, array->ndim, array->shape,
                                NULL, stream);
        if (staged && htod(staged, packed, 0, stream) == 0) {
            result = array_copy_into(array, staged, stream);
        }
    }
    Py_XDECREF(staged);
    Py_DECREF(packed);
    return result;
}

/* Copies a host array of the same dtype and number of elements to the device
 * array. Returns 0, or -1 with an exception. */
static int
set_host(struct array *array, PyArrayObject *host, int async, CUstream stream)
{
    if (!type_code_equal(PyArray_DESCR(host), array->dtype)) {
        PyErr_Format(PyExc_ValueError,
                     "set: the host array's dtype is %S, the GPUArray's %S",
                     PyArray_DESCR(host), array->dtype);
        return -1;
    }
    PyArrayObject *shaped =
        host_in_shape(host, array, PyExc_UserWarning, "set");
    int result = shaped ? set_from_host(array, shaped, async, stream) : -1;
    Py_XDECREF(shaped);
    return result;
}

/* Copies a GPUArray of the same dtype and number of elements to the array.
 * Returns 0, or -1 with an exception. */
static int
set_device(struct array *array, struct array *source, CUstream stream)
{
    if (source->size != array->size) {
        PyErr_Format(PyExc_ValueError,
                     "set: the source has %zd elements, the GPUArray %zd",
                     source->size, array->size);
        return -1;
    }
    if (!type_code_equal(source->dtype, array->dtype)) {
        PyErr_Format(PyExc_ValueError,
                     "set: the source's dtype is %S, the GPUArray's %S",
                     source->dtype, array->dtype);
        return -1;
    }
    if (source->ndim == array->ndim &&
        PyArray_CompareLists(source->shape, array->shape, array->ndim)) {
        return array_copy_into(array, source, stream);
    }
    if (PyErr_WarnEx(PyExc_UserWarning,
                     "set between arrays of different shape: reshaping",
                     2) < 0) {
        return -1;
    }
    struct array *packed = source->flags & ARRAY_C
                               ? (struct array *)Py_NewRef(source)
                               : array_contiguous(source, 'C', stream);
    PyObject *shape = array_tuple(array->ndim, array->shape);
    PyObject *shaped =
        shape && packed
            ? PyObject_CallMethod((PyObject *)packed, "reshape", "(O)", shape)
            : NULL;
    int result =
        shaped ? array_copy_into(array, (struct array *)shaped, stream) : -1;
    Py_XDECREF(packed);
    Py_XDECREF(shape);
    Py_XDECREF(shaped);
    return result;
}

static PyObject *
set_any(PyObject *self, PyObject *source, int async, CUstream stream)
{
    struct array *array = (struct array *)self;
    int result;

    if (PyArray_Check(source)) {
        result = set_host(array, (PyArrayObject *)source, async, stream);
    } else if (array_check(source)) {
        result = set_device(array, (struct array *)source, stream);
    } else {
        PyErr_Format(PyExc_TypeError,
                     "set: expected a numpy array or a GPUArray, not %s",
                     Py_TYPE(source)->tp_name);
        result = -1;
    }
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
array_set(PyObject *self, CORE_ARGS)
{
    static const struct core_signature
        positional = {"set", 1, {"ary", "async_", "stream"}},
        signature = {"set", 1, {"ary", "async_", "stream", "async"}};
    PyObject *values[4];
    CUstream stream;
    int async;

    if (core_args(nargs > 3 ? &positional : &signature, args, nargs, names,
                  values) < 0 ||
        (async = async_parse(values[1], values[3])) < 0 ||
        core_stream(values[2] ? values[2] : Py_None, &stream) < 0) {
        return NULL;
    }
    return set_any(self, values[0], async, stream);
}

static PyObject *
array_set_async(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"ary", "stream", NULL};
    PyObject *source, *given = Py_None;
    CUstream stream;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:set_async", names,
                                     &source, &given) ||
        core_stream(given, &stream) < 0) {
        return NULL;
    }
    return set_any(self, source, 1, stream);
}

/* --- filling ----------------------------------------------------------- */

static PyObject *
array_fill(PyObject *self, CORE_ARGS)
{
    static const struct core_signature signature = {
        "fill", 1, {"value", "stream"}};
    PyObject *values[2] = {NULL};
    CUstream stream = NULL;

    if (LIKELY(nargs == 1 && !names)) {
        values[0] = args[0];
    } else if (core_args(&signature, args, nargs, names, values) < 0 ||
               core_stream(values[1] ? values[1] : Py_None, &stream) < 0) {
        return NULL;
    }
    return array_fill_with((struct array *)self, values[0], stream) < 0
               ? NULL
               : Py_NewRef(self);
}

/* --- assignment to a view ---------------------------------------------- */

/* Performs target[...] = host for a NumPy array. If the dtype or the shape
 * differs, NumPy casts and broadcasts on the host first. Returns 0, or -1 with
 * an exception. */
static int
assign_host(struct array *target, PyArrayObject *host)
{
    PyArrayObject *spread;
    int result;

    if (type_code_equal(PyArray_DESCR(host), target->dtype) &&
        PyArray_NDIM(host) == target->ndim &&
        PyArray_CompareLists(PyArray_DIMS(host), target->shape,
                             target->ndim)) {
        return set_from_host(target, host, 0, NULL);
    }
    Py_INCREF(target->dtype);
    spread = (PyArrayObject *)PyArray_NewFromDescr(
        &PyArray_Type, target->dtype, target->ndim, target->shape, NULL, NULL,
        0, NULL);
    if (!spread) {
        return -1;
    }
    result = PyArray_CopyInto(spread, host);
    if (result == 0) {
        result = set_from_host(target, spread, 0, NULL);
    }
    Py_DECREF(spread);
    return result;
}

static int
assign_sequence(struct array *target, PyObject *value)
{
    Py_INCREF(target->dtype);
    PyObject *host =
        PyArray_FromAny(value, target->dtype, 0, 0, NPY_ARRAY_FORCECAST, NULL);
    int result = host ? assign_host(target, (PyArrayObject *)host) : -1;

    Py_XDECREF(host);
    return result;
}

/* Performs target[...] = value for a scalar, a list, a NumPy array or a
 * GPUArray. Synchronous for host memory. Returns 0, or -1 with an
 * exception. */
int
array_assign(struct array *target, PyObject *value)
{
    if (array_check(value)) {
        return array_copy_into(target, (struct array *)value, NULL);
    }
    if (PyArray_Check(value) && PyArray_NDIM((PyArrayObject *)value) > 0) {
        return assign_host(target, (PyArrayObject *)value);
    }
    if (PyArray_CheckAnyScalar(value) ||
        (PyTuple_Check(value) && PyDataType_HASFIELDS(target->dtype))) {
        return array_fill_with(target, value, NULL);
    }
    if (PyList_Check(value) || PyTuple_Check(value)) {
        return assign_sequence(target, value);
    }
    PyErr_Format(PyExc_TypeError,
                 "src must be GPUArray or ndarray, a scalar or a list, not %s",
                 Py_TYPE(value)->tp_name);
    return -1;
}

/* --- copies ------------------------------------------------------------ */

/* Parses a memory order. Returns 'C', 'F' or 'K', or 0 with an exception for
 * other objects. */
static char
order_parse(PyObject *object)
{
    const char *order = object ? PyUnicode_AsUTF8(object) : "K";

    if (order && (!*order || !strchr("CFK", *order) || order[1])) {
        PyErr_Format(PyExc_ValueError,
                     "invalid order: %s (\"C\", \"F\" or \"K\" expected)",
                     order);
        return 0;
    }
    return order ? *order : 0;
}

static PyObject *
array_copy(PyObject *self, CORE_ARGS)
{
    static const struct core_signature signature = {
        "copy", 0, {"order", "stream"}};
    PyObject *values[2];
    CUstream stream;

    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_stream(values[1] ? values[1] : Py_None, &stream) < 0) {
        return NULL;
    }
    char order = order_parse(values[0]);
    return order ? (PyObject *)array_contiguous((struct array *)self, order,
                                                stream)
                 : NULL;
}

static PyObject *
array_astype(PyObject *self, CORE_ARGS)
{
    static const struct core_signature signature = {
        "astype", 1, {"dtype", "stream"}};
    struct array *array = (struct array *)self, *result;
    PyObject *values[2];
    PyArray_Descr *dtype;
    CUstream stream;

    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_stream(values[1] ? values[1] : Py_None, &stream) < 0 ||
        !PyArray_DescrConverter(values[0], &dtype)) {
        return NULL;
    }
    if (type_code_equal(dtype, array->dtype)) {
        Py_DECREF(dtype);
        return (PyObject *)array_contiguous(array, 'K', stream);
    }
    PyObject *made;
    if (cached_cast(self, dtype, stream, &made)) {
        Py_DECREF(dtype);
        return made;
    }
    npy_intp strides[ARRAY_MAX_NDIM];
    layout_pack_like(array->ndim, array->shape, PyDataType_ELSIZE(dtype),
                     array->strides, strides);
    result = array_new_like(array, dtype, array->ndim, array->shape, strides,
                            stream);
    Py_DECREF(dtype);
    if (result && array_copy_into(result, array, stream) < 0) {
        Py_CLEAR(result);
    }
    return (PyObject *)result;
}

static int
array_truth(PyObject *self)
{
    struct array *array = (struct array *)self;

    if (array->size != 1) {
        PyErr_SetString(PyExc_ValueError,
                        "The truth value of an array with size other than one "
                        "is ambiguous. Use any() or all().");
        return -1;
    }
    PyObject *host = get_new(array, 0, 0, NULL);
    int truth = host ? PyObject_IsTrue(host) : -1;
    Py_XDECREF(host);
    return truth;
}

int
array_bool(PyObject *self)
{
    return array_truth(self);
}

/* Implements __reduce__ for pickle and copy: copies the elements to the host
 * and returns (rebuild, (class, elements, instance attributes)). */
static PyObject *
array_reduce(PyObject *self, PyObject *unused)
{
    PyObject *module = PyImport_ImportModule("pycuda.gpuarray");
    PyObject *rebuild =
        module ? PyObject_GetAttrString(module, "_rebuild") : NULL;
    PyObject *host =
        rebuild ? get_new((struct array *)self, 0, 0, NULL) : NULL;
    PyObject *state = host ? PyObject_GetAttrString(self, "__dict__") : NULL;

    (void)unused;
    if (host && !state) {
        PyErr_Clear();
    }
    PyObject *result =
        host ? Py_BuildValue("O(OOO)", rebuild, (PyObject *)Py_TYPE(self),
                             host, state ? state : Py_None)
             : NULL;
    Py_XDECREF(state);
    Py_XDECREF(host);
    Py_XDECREF(rebuild);
    Py_XDECREF(module);
    return result;
}

#define KEYWORDS(function)                                                    \
    (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

PyMethodDef array_transfer_methods[] = {
    {"get", CORE_METHOD(array_get),
     "get($self, ary=None, pagelocked=False, async_=False, "
     "stream=None)\n--\n\n"
     "Return the elements as a numpy array, in `ary` if it is not None."},
    {"get_async", KEYWORDS(array_get_async),
     "get_async($self, stream=None, ary=None)\n--\n\n"
     "Return the elements as a numpy array, copied in stream order: `ary`, "
     "or a new array in pageable memory. Does not wait if `ary` is "
     "page-locked."},
    {"set", CORE_METHOD(array_set),
     "set($self, ary, async_=False, stream=None)\n--\n\n"
     "Copy the elements of a numpy array or GPUArray of the same size into "
     "this array."},
    {"set_async", KEYWORDS(array_set_async),
     "set_async($self, ary, stream=None)\n--\n\n"
     "Like set, in stream order."},
    {"fill", CORE_METHOD(array_fill),
     "fill($self, value, stream=None)\n--\n\n"
     "Set every element; return self."},
    {"astype", CORE_METHOD(array_astype),
     "astype($self, dtype, stream=None)\n--\n\n"
     "Return a copy with another dtype."},
    {"copy", CORE_METHOD(array_copy),
     "copy($self, order='K', stream=None)\n--\n\n"
     "Return a contiguous copy in C order, Fortran order, or the array's "
     "axis order ('K')."},
    {"__copy__", CORE_METHOD(array_copy), "copy.copy()"},
    {"__reduce__", array_reduce, METH_NOARGS, "pickles through the host"},
    {"__reduce_ex__", array_reduce, METH_O, "pickles through the host"},
    {NULL},
};
