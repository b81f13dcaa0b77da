/* array_type.c - the Python type ArrayBase, and the destruction of arrays.
 *
 * pycuda.gpuarray.GPUArray derives from ArrayBase in Python. constructor.c
 * implements the constructor, attributes.c the attributes.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/array_type.h"
#include "array/attributes.h"
#include "array/basic_indexing.h"
#include "array/constructor.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/operators.h"
#include "array/shape.h"
#include "array/transfer.h"
#include "array/type_codes.h"
#include "array/validation.h"
#include "core/core.h"
#include "core/python/locked_calls.h"
#include <structmember.h>

/* --- destruction -------------------------------------------------------- */

static int
array_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct array *array = (struct array *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(array->head.owner);
    Py_VISIT(array->base);
    Py_VISIT(array->allocator);
    Py_VISIT(array->dict);
    return 0;
}

static int
array_clear(PyObject *self)
{
    struct array *array = (struct array *)self;

    Py_CLEAR(array->base);
    Py_CLEAR(array->allocator);
    Py_CLEAR(array->dict);
    return 0;
}

static inline void
array_end(PyObject *self)
{
    struct array *array = (struct array *)self;
    PyTypeObject *type = Py_TYPE(self);

    array_clear(self);
    Py_CLEAR(array->head.owner);
    Py_CLEAR(array->dtype);
    array_release_dims(array);
    array_free_object(type, array);
    Py_DECREF(type);
}

static void array_dealloc(PyObject *self);

/* Destroys a view and drops its reference to the base, which may destroy the
 * base too. CPython's trashcan limits the recursion in long chains of
 * views. */
static __attribute__((noinline)) void
view_end(PyObject *self)
{
    Py_TRASHCAN_BEGIN(self, array_dealloc);
    array_end(self);
    Py_TRASHCAN_END;
}

/* Destructor of ArrayBase and of GPUArray itself (see array_set_class). For
 * classes derived from GPUArray, Python's generic destructor first runs
 * finalizers and then calls this function. */
static void
array_dealloc(PyObject *self)
{
    struct array *array = (struct array *)self;
    PyTypeObject *type = Py_TYPE(self);

    if (UNLIKELY(type->tp_finalize != NULL) &&
        type->tp_dealloc == array_dealloc &&
        PyObject_CallFinalizerFromDealloc(self) < 0) {
        return;
    }
    PyObject_GC_UnTrack(self);
    if (UNLIKELY(array->weakrefs != NULL)) {
        PyObject_ClearWeakRefs(self);
    }
    if (UNLIKELY(array->base != NULL)) {
        view_end(self);
    } else {
        array_end(self);
    }
}

/* _set_array_class(type): registers GPUArray, whose freed objects go to the
 * free list for reuse. As GPUArray adds no fields to ArrayBase, array_dealloc
 * becomes its destructor, which saves the work of Python's generic one. */
PyObject *
array_set_class(PyObject *module, PyObject *object)
{
    PyTypeObject *type = (PyTypeObject *)object;

    (void)module;
    if (!PyType_Check(object) || type->tp_base != array_type ||
        type->tp_basicsize != array_type->tp_basicsize ||
        type->tp_dictoffset != array_type->tp_dictoffset ||
        type->tp_alloc != PyType_GenericAlloc) {
        PyErr_Format(PyExc_TypeError,
                     "a class that adds only methods to ArrayBase is needed, "
                     "not %R",
                     object);
        return NULL;
    }
    array_reuse_class(type);
    type->tp_dealloc = array_dealloc;
    Py_RETURN_NONE;
}

static PyObject *
array_new_like_me(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"dtype", "order", NULL};
    struct array *array = (struct array *)self;
    PyObject *given = Py_None, *order = NULL;
    npy_intp strides[ARRAY_MAX_NDIM];
    PyArray_Descr *dtype;
    char letter;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:_new_like_me", names,
                                     &given, &order) ||
        array_parse_order(order, &letter) < 0) {
        return NULL;
    }
    dtype = (PyArray_Descr *)Py_NewRef(array->dtype);
    if (given != Py_None) {
        Py_CLEAR(dtype);
        if (!PyArray_DescrConverter(given, &dtype)) {
            return NULL;
        }
    }
    npy_intp itemsize = PyDataType_ELSIZE(dtype);
    if (array_verify_dtype(dtype) < 0 ||
        array_verify_shape(array->ndim, array->shape, itemsize) < 0) {
        Py_DECREF(dtype);
        return NULL;
    }
    if (type_code_equal(dtype, array->dtype)) {
        layout_pack_like(array->ndim, array->shape, itemsize, array->strides,
                         strides);
    } else {
        layout_pack(array->ndim, array->shape, itemsize, letter, strides);
    }
    struct array *result = array_alloc(Py_TYPE(self), array->ndim);
    if (!result) {
        Py_DECREF(dtype);
        return NULL;
    }
    result->dtype = dtype;
    result->allocator = Py_XNewRef(array->allocator);
    result->flags = ARRAY_READY;
    if (array_set_dims(result, array->ndim, array->shape, strides) < 0 ||
        array_allocate_memory(result, NULL) < 0) {
        Py_CLEAR(result);
    }
    return (PyObject *)result;
}

static PyMethodDef array_life_methods[] = {
    {"_new_like_me", (PyCFunction)(void (*)(void))array_new_like_me,
     METH_VARARGS | METH_KEYWORDS,
     "_new_like_me($self, dtype=None, order='C')\n--\n\n"
     "Return a new array of this class, shape and allocator."},
    {NULL},
};

static Py_ssize_t
array_length(PyObject *self)
{
    struct array *array = (struct array *)self;

    if (array->ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "len() of a 0-d array");
        return -1;
    }
    return array->shape[0];
}

static Py_hash_t
array_hash(PyObject *self)
{
    (void)self;
    PyErr_SetString(PyExc_TypeError, "GPUArrays are not hashable.");
    return -1;
}

/* Implements str and repr: copies the array to the host and returns the text
 * of the copy. */
static PyObject *
array_text(PyObject *self, PyObject *(*convert)(PyObject *))
{
    PyObject *host = PyObject_CallMethod(self, "get", NULL);
    PyObject *text = host ? convert(host) : NULL;

    Py_XDECREF(host);
    return text;
}

static PyObject *
array_str(PyObject *self)
{
    return array_text(self, PyObject_Str);
}

static PyObject *
array_repr(PyObject *self)
{
    return array_text(self, PyObject_Repr);
}

static PyMemberDef life_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(struct array, dict), READONLY,
     NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct array, weakrefs),
     READONLY, NULL},
    {NULL},
};

static PyType_Slot life_slots[] = {
    {Py_tp_new, array_new},
    {Py_tp_init, array_init},
    {Py_tp_dealloc, array_dealloc},
    {Py_tp_traverse, array_traverse},
    {Py_tp_clear, array_clear},
    {Py_tp_getset, array_attributes},
    {Py_tp_members, life_members},
    {Py_tp_hash, array_hash},
    {Py_tp_str, array_str},
    {Py_tp_repr, array_repr},
    {Py_tp_richcompare, array_richcompare},
    {Py_sq_length, array_length},
    {Py_sq_item, array_item},
    {Py_mp_length, array_length},
    {Py_mp_subscript, array_subscript},
    {Py_mp_ass_subscript, array_assign_subscript},
    {Py_tp_doc, "ArrayBase(shape, dtype, allocator=None, base=None, "
                "gpudata=None, strides=None, order='C')\n--\n\n"
                "An array in device memory: address, shape, strides and "
                "dtype."},
    {0},
};

/* Copies the rows of a table up to the terminating row of zeros. Returns the
 * number of copied rows. */
static size_t
append(void *target, const void *rows, size_t row_bytes)
{
    static const char zero[64];
    size_t n = 0;

    while (memcmp((const char *)rows + n * row_bytes, zero, row_bytes)) {
        n++;
    }
    memcpy(target, rows, n * row_bytes);
    return n;
}

/* Returns the number of bytes from the array's pointer to the end of its
 * elements, for bounds checks of copies. */
static size_t
array_bytes_to_end(PyObject *op)
{
    const struct array *array = (const struct array *)op;
    npy_intp low, high;

    layout_extent(array->ndim, array->shape, array->strides,
                  PyDataType_ELSIZE(array->dtype), &low, &high);
    return (size_t)high;
}

int
array_type_setup(PyObject *module)
{
    static PyMethodDef methods[64];
    static PyType_Slot slots[96];
    PyType_Spec spec = {
        .name = "pycuda._driver.ArrayBase",
        .basicsize = sizeof(struct array),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    size_t n = append(methods, array_life_methods, sizeof *methods);

    n += append(methods + n, array_shape_methods, sizeof *methods);
    append(methods + n, array_transfer_methods, sizeof *methods);
    n = append(slots, life_slots, sizeof *slots);
    n += append(slots + n, array_number_slots, sizeof *slots);
    slots[n] = (PyType_Slot){Py_tp_methods, methods};

    PyObject *type = core_type_new(module, &spec, NULL, CORE_CALL_OWN);
    if (!type) {
        return -1;
    }
    array_set_type((PyTypeObject *)type, module);
    core_set_array_type(array_type, array_bytes_to_end);
    return PyModule_AddObjectRef(module, "ArrayBase", (PyObject *)array_type);
}
