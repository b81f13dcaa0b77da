/* dlpack.c - exports arrays as DLPack capsules, and imports capsules as memory
 * of arrays.
 *
 * Called by pycuda._array.exchange, which implements the protocol. An exported
 * capsule owns a reference to the array until its consumer calls the deleter,
 * which may happen on any thread with or without the GIL.
 *
 * "old" is the unversioned struct of DLPack before 1.0, "new" the versioned
 * one.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/attribute_setters.h"
#include "array/dlpack.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "core/core.h"

#include "core/dlpack.h"

static const char old_name[] = DL_OLD_NAME, new_name[] = DL_NEW_NAME;
static const char old_used[] = "used_dltensor",
                  new_used[] = "used_dltensor_versioned";

/* --- export ------------------------------------------------------------- */

/* Releases a reference to the array. Acquires the GIL itself, so any thread
 * may call it. */
static void
release(PyObject *array)
{
    PyGILState_STATE state = PyGILState_Ensure();

    Py_DECREF(array);
    PyGILState_Release(state);
}

static void
old_deleter(struct dl_managed *managed)
{
    release(managed->context);
    free(managed);
}

static void
new_deleter(struct dl_versioned *managed)
{
    release(managed->context);
    free(managed);
}

/* Destructor of an exported capsule. A consumer that takes ownership of the
 * struct renames the capsule. If the capsule was not renamed, frees the
 * struct. */
static void
capsule_free(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, old_name)) {
        struct dl_managed *managed = PyCapsule_GetPointer(capsule, old_name);
        managed->deleter(managed);
    } else if (PyCapsule_IsValid(capsule, new_name)) {
        struct dl_versioned *managed = PyCapsule_GetPointer(capsule, new_name);
        managed->deleter(managed);
    }
}

/* Converts a NumPy dtype to a DLPack dtype. Returns 0, or -1 with a
 * BufferError. */
static int
dtype_export(PyArray_Descr *dtype, struct dl_dtype *out)
{
    static const char kinds[] = "iuf?cb";
    static const uint8_t codes[] = {DL_INT, DL_UINT,    DL_FLOAT,
                                    0,      DL_COMPLEX, DL_BOOL};
    const char *found = strchr(kinds, dtype->kind);

    out->lanes = 1;
    out->bits = (uint8_t)(8 * PyDataType_ELSIZE(dtype));
    if (found && *found != '?' && PyArray_ISNBO(dtype->byteorder)) {
        out->code = codes[found - kinds];
        return 0;
    }
    PyObject *name = PyObject_Str((PyObject *)dtype);
    if (name && PyUnicode_CompareWithASCIIString(name, "bfloat16") == 0) {
        out->code = DL_BFLOAT;
        Py_DECREF(name);
        return 0;
    }
    Py_XDECREF(name);
    PyErr_Format(PyExc_BufferError, "DLPack has no dtype %S", dtype);
    return -1;
}

/* Fills the description of a tensor. Stores the shape and the strides in
 * `dims`, memory directly after the struct. Returns -1 with a BufferError for
 * strides that are not multiples of the item size, else 0. */
static int
tensor_fill(struct dl_tensor *tensor, struct array *array, int64_t *dims)
{
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);

    tensor->data = (void *)array->head.pointer;
    tensor->ndim = array->ndim;
    tensor->shape = dims;
    tensor->strides = dims + array->ndim;
    tensor->byte_offset = 0;
    for (int i = 0; i < array->ndim; i++) {
        if (array->shape[i] > 1 && array->strides[i] % itemsize) {
            PyErr_Format(PyExc_BufferError,
                         "DLPack counts strides in elements; axis %d has %zd "
                         "bytes of itemsize %zd",
                         i, (Py_ssize_t)array->strides[i],
                         (Py_ssize_t)itemsize);
            return -1;
        }
        tensor->shape[i] = array->shape[i];
        tensor->strides[i] = array->strides[i] / itemsize;
    }
    return dtype_export(array->dtype, &tensor->dtype);
}

static PyObject *
export_unversioned(struct array *array, struct dl_device device)
{
    size_t dims = 2 * (size_t)array->ndim * sizeof(int64_t);
    struct dl_managed *managed = calloc(1, sizeof *managed + dims);

    if (!managed) {
        return PyErr_NoMemory();
    }
    managed->tensor.device = device;
    managed->context = array;
    managed->deleter = old_deleter;
    if (tensor_fill(&managed->tensor, array, (int64_t *)(managed + 1)) < 0) {
        free(managed);
        return NULL;
    }
    Py_INCREF(array);
    PyObject *capsule = PyCapsule_New(managed, old_name, capsule_free);
    if (!capsule) {
        old_deleter(managed);
    }
    return capsule;
}

static PyObject *
export_versioned(struct array *array, struct dl_device device)
{
    size_t dims = 2 * (size_t)array->ndim * sizeof(int64_t);
    struct dl_versioned *managed = calloc(1, sizeof *managed + dims);

    if (!managed) {
        return PyErr_NoMemory();
    }
    managed->version = (struct dl_version){1, 0};
    managed->tensor.device = device;
    managed->context = array;
    managed->deleter = new_deleter;
    if (tensor_fill(&managed->tensor, array, (int64_t *)(managed + 1)) < 0) {
        free(managed);
        return NULL;
    }
    Py_INCREF(array);
    PyObject *capsule = PyCapsule_New(managed, new_name, capsule_free);
    if (!capsule) {
        new_deleter(managed);
    }
    return capsule;
}

/* Exports an array as a DLPack capsule. Arguments are (array, device type,
 * device id, stream, versioned). Makes `stream` wait for pending work on the
 * array, unless it is -1, which means that the consumer needs no ordering. */
PyObject *
dlpack_export(PyObject *module, PyObject *args)
{
    PyObject *object;
    struct dl_device device;
    Py_ssize_t stream;
    int versioned;

    (void)module;
    if (!PyArg_ParseTuple(args, "Oiinp", &object, &device.type, &device.id,
                          &stream, &versioned)) {
        return NULL;
    }
    if (!array_check(object)) {
        PyErr_SetString(PyExc_TypeError, "a GPUArray is needed");
        return NULL;
    }
    struct array *array = (struct array *)object;
    if (assign_is_consistent(array) < 0) {
        return NULL;
    }
    PyObject *owner = array->head.owner;
    if (array->size > 0 &&
        (stream == -1 ? core_wait_other_contexts(owner)
                      : core_stream_wait_owner(owner, (CUstream)stream)) < 0) {
        return NULL;
    }
    core_escape(array->head.owner);
    return versioned ? export_versioned(array, device)
                     : export_unversioned(array, device);
}

/* --- import ------------------------------------------------------------- */

/* Destructor of the holder object, which owns an imported tensor: calls the
 * tensor's deleter. */
static void
old_holder_free(PyObject *holder)
{
    struct dl_managed *managed = PyCapsule_GetPointer(holder, old_used);

    if (managed->deleter) {
        managed->deleter(managed);
    }
}

static void
new_holder_free(PyObject *holder)
{
    struct dl_versioned *managed = PyCapsule_GetPointer(holder, new_used);

    if (managed->deleter) {
        managed->deleter(managed);
    }
}

/* Returns the name of the NumPy dtype for a DLPack dtype, or NULL with a
 * BufferError. */
static PyObject *
dtype_import(struct dl_dtype dtype)
{
    static const char *const kinds[] = {"i", "u", "f", NULL, NULL, "c", "b"};

    if (dtype.lanes != 1 || dtype.bits % 8 || dtype.bits == 0 ||
        (dtype.code == DL_BOOL && dtype.bits != 8) ||
        (dtype.code == DL_BFLOAT && dtype.bits != 16) ||
        dtype.code >= sizeof kinds / sizeof *kinds ||
        (!kinds[dtype.code] && dtype.code != DL_BFLOAT)) {
        PyErr_Format(PyExc_BufferError,
                     "no dtype for DLPack's code %d with %d bits and %d lanes",
                     dtype.code, dtype.bits, dtype.lanes);
        return NULL;
    }
    if (dtype.code == DL_BFLOAT) {
        return PyUnicode_FromString("bfloat16");
    }
    return PyUnicode_FromFormat("%s%d", kinds[dtype.code], dtype.bits / 8);
}

/* Checks the sizes and strides of a tensor, since its producer is not trusted.
 * Raises BufferError if they cannot describe memory. */
static int
dims_check(const struct dl_tensor *tensor)
{
    int64_t bytes = tensor->dtype.bits / 8, packed = bytes, distance;

    if (tensor->ndim < 0 || tensor->ndim > ARRAY_MAX_NDIM) {
        PyErr_Format(PyExc_BufferError,
                     "the DLPack tensor has %d dimensions; arrays have 0 to "
                     "%d",
                     (int)tensor->ndim, ARRAY_MAX_NDIM);
        return -1;
    }
    if (tensor->ndim > 0 && tensor->shape == NULL) {
        PyErr_SetString(PyExc_BufferError, "the DLPack tensor has no shape");
        return -1;
    }
    for (int i = tensor->ndim - 1; i >= 0; i--) {
        int64_t length = tensor->shape[i];
        int64_t stride = tensor->strides ? tensor->strides[i] : 0;
        if (length < 0 || __builtin_mul_overflow(packed, length, &packed) ||
            __builtin_mul_overflow(stride, bytes, &distance)) {
            PyErr_Format(PyExc_BufferError,
                         "axis %d of the DLPack tensor has length %lld and "
                         "stride %lld, which no memory can have",
                         i, (long long)length, (long long)stride);
            return -1;
        }
    }
    return 0;
}

/* Returns the tensor's strides in bytes, or its shape, as a tuple. */
static PyObject *
dims_import(const struct dl_tensor *tensor, int strides)
{
    PyObject *tuple = PyTuple_New(tensor->ndim);
    int64_t packed = 1, bytes = tensor->dtype.bits / 8;

    for (int i = tensor->ndim - 1; tuple && i >= 0; i--) {
        int64_t stride = tensor->strides ? tensor->strides[i] : packed;
        int64_t value = strides ? stride * bytes : tensor->shape[i];
        PyObject *item = PyLong_FromLongLong(value);
        if (!item) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, item);
        packed *= tensor->shape[i];
    }
    return tuple;
}

/* Describes an imported tensor as the tuple (address, shape, strides, dtype,
 * (device type, device id), read_only, holder). */
static PyObject *
describe(const struct dl_tensor *tensor, int read_only, PyObject *holder)
{
    PyObject *dtype = dtype_import(tensor->dtype);
    bool right = dtype && dims_check(tensor) == 0;
    PyObject *shape = right ? dims_import(tensor, 0) : NULL;
    PyObject *strides = shape ? dims_import(tensor, 1) : NULL;
    unsigned long long address = (uintptr_t)tensor->data + tensor->byte_offset;
    PyObject *result = NULL;

    if (strides) {
        result = Py_BuildValue("KOOO(ii)OO", address, shape, strides, dtype,
                               tensor->device.type, tensor->device.id,
                               read_only ? Py_True : Py_False, holder);
    }
    Py_XDECREF(dtype);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return result;
}

/* Imports a capsule: renames it, which marks it as used, and takes ownership
 * of its tensor. Returns the tuple of describe(), whose holder object frees
 * the tensor. Raises TypeError for a used capsule, and BufferError for a
 * tensor that no array can represent. */
PyObject *
dlpack_import(PyObject *module, PyObject *capsule)
{
    PyObject *holder, *result;

    (void)module;
    if (PyCapsule_IsValid(capsule, new_name)) {
        struct dl_versioned *managed = PyCapsule_GetPointer(capsule, new_name);
        if (managed->version.major != 1) {
            PyErr_Format(PyExc_BufferError,
                         "version %u of DLPack is not supported",
                         managed->version.major);
            return NULL;
        }
        holder = PyCapsule_New(managed, new_used, new_holder_free);
        if (!holder || PyCapsule_SetName(capsule, new_used) < 0) {
            return NULL;
        }
        result = describe(&managed->tensor,
                          (managed->flags & DL_READ_ONLY) != 0, holder);
    } else if (PyCapsule_IsValid(capsule, old_name)) {
        struct dl_managed *managed = PyCapsule_GetPointer(capsule, old_name);
        holder = PyCapsule_New(managed, old_used, old_holder_free);
        if (!holder || PyCapsule_SetName(capsule, old_used) < 0) {
            return NULL;
        }
        result = describe(&managed->tensor, 0, holder);
    } else {
        PyErr_SetString(PyExc_TypeError,
                        "expected a DLPack capsule that no consumer has used");
        return NULL;
    }
    Py_DECREF(holder);
    return result;
}
