/* attributes.c - attribute getters of ArrayBase, and the flags object.
 *
 * Setters are in attribute_setters.c. The four possible flags objects are
 * created once and live as long as the process.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/attribute_setters.h"
#include "array/attributes.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/shape.h"
#include "array/validation.h"
#include "core/core.h"
#include "core/python/borrowed.h"
#include "core/python/locked_calls.h"

/* --- flags ------------------------------------------------------------- */

struct flags_object {
    PyObject_HEAD
    unsigned flags;
};

static PyObject *flags_objects[ARRAY_FORC + 1];

static PyObject *
flags_get(PyObject *self, void *mask)
{
    unsigned flags = ((struct flags_object *)self)->flags;

    return PyBool_FromLong((flags & (unsigned)(uintptr_t)mask) != 0);
}

static PyObject *
flags_repr(PyObject *self)
{
    unsigned flags = ((struct flags_object *)self)->flags;

    return PyUnicode_FromFormat("  C_CONTIGUOUS : %s\n  F_CONTIGUOUS : %s",
                                flags & ARRAY_C ? "True" : "False",
                                flags & ARRAY_F ? "True" : "False");
}

static PyGetSetDef flags_rows[] = {
    {"c_contiguous", flags_get, NULL, "elements in C order", (void *)ARRAY_C},
    {"f_contiguous", flags_get, NULL, "elements in Fortran order",
     (void *)ARRAY_F},
    {"forc", flags_get, NULL, "contiguous in C or Fortran order",
     (void *)ARRAY_FORC},
    {NULL},
};

int
array_flags_setup(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_getset, flags_rows},
        {Py_tp_repr, flags_repr},
        {0},
    };
    static PyType_Spec spec = {
        .name = "pycuda._driver.ArrayFlags",
        .basicsize = sizeof(struct flags_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    PyTypeObject *type =
        (PyTypeObject *)core_type_new(module, &spec, NULL, CORE_CALL_CURRENT);

    for (unsigned flags = 0; type && flags <= ARRAY_FORC; flags++) {
        struct flags_object *object = PyObject_New(struct flags_object, type);
        if (!object) {
            Py_CLEAR(type);
            break;
        }
        object->flags = flags;
        Py_XSETREF(flags_objects[flags], (PyObject *)object);
    }
    Py_XDECREF(type);
    return type ? 0 : -1;
}

static PyObject *
get_flags(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(
        flags_objects[((struct array *)self)->flags & ARRAY_FORC]);
}

/* --- plain values ------------------------------------------------------ */

static PyObject *
get_shape(PyObject *self, void *unused)
{
    struct array *array = (struct array *)self;

    (void)unused;
    return array_tuple(array->ndim, array->shape);
}

static PyObject *
get_strides(PyObject *self, void *unused)
{
    struct array *array = (struct array *)self;
    PyObject *assigned = assign_strides_waiting(array);

    (void)unused;
    return assigned ? Py_NewRef(assigned)
                    : array_tuple(array->ndim, array->strides);
}

/* Attributes that are element counts, sizes in bytes or numbers of axes. They
 * share one getter and one setter. */
enum number {
    NUMBER_SIZE,
    NUMBER_MEM_SIZE,
    NUMBER_BYTES,
    NUMBER_ITEMSIZE,
    NUMBER_NDIM,
};

static const char *const number_names[] = {
    [NUMBER_SIZE] = "size",
    [NUMBER_MEM_SIZE] = "mem_size",
    [NUMBER_BYTES] = "nbytes",
    [NUMBER_ITEMSIZE] = "itemsize",
};

/* Called when a program assigns a value to a size attribute: stores the value
 * in the array's instance dictionary. The getter returns the stored value from
 * then on; C code ignores it. */
static int
set_size_attribute(PyObject *self, PyObject *value, void *which)
{
    PyObject *dict = PyObject_GenericGetDict(self, NULL);
    const char *name = number_names[(uintptr_t)which];
    if (dict == NULL) {
        return -1;
    }
    int result = value ? PyDict_SetItemString(dict, name, value)
                       : PyDict_DelItemString(dict, name);
    if (result < 0 && PyErr_ExceptionMatches(PyExc_KeyError)) {
        PyErr_Format(PyExc_AttributeError,
                     "%s was not assigned: it cannot be deleted", name);
    }
    Py_DECREF(dict);
    return result;
}

static PyObject *
get_size_attribute(PyObject *self, void *which)
{
    struct array *array = (struct array *)self;
    if (array->dict && (uintptr_t)which != NUMBER_NDIM) {
        PyObject *name = PyUnicode_FromString(number_names[(uintptr_t)which]);
        PyObject *assigned = name ? core_dict_get(array->dict, name) : NULL;
        Py_XDECREF(name);
        if (assigned || PyErr_Occurred()) {
            return assigned;
        }
    }
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);
    const npy_intp values[] = {
        [NUMBER_SIZE] = array->size,
        [NUMBER_MEM_SIZE] = array->size,
        [NUMBER_BYTES] = array->size * itemsize,
        [NUMBER_ITEMSIZE] = itemsize,
        [NUMBER_NDIM] = array->ndim,
    };

    return PyLong_FromSsize_t(values[(uintptr_t)which]);
}

static PyObject *
get_dtype(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((struct array *)self)->dtype);
}

static PyObject *
get_base(PyObject *self, void *unused)
{
    PyObject *base = ((struct array *)self)->base;

    (void)unused;
    return Py_NewRef(base ? base : Py_None);
}

static PyObject *
get_allocator(PyObject *self, void *unused)
{
    PyObject *allocator = ((struct array *)self)->allocator;

    (void)unused;
    return Py_XNewRef(allocator ? allocator : array_default_allocator());
}

/* Returns the address as an integer, and marks the memory as escaped: code
 * outside the package may use it from now on. */
static PyObject *
address(struct array *array)
{
    core_escape(assign_owner(array));
    return PyLong_FromUnsignedLongLong(array->head.pointer);
}

static PyObject *
get_gpudata(PyObject *self, void *unused)
{
    struct array *array = (struct array *)self;

    (void)unused;
    /* for a view, gpudata is its address as an int, or None if the view has no
     * elements */
    if (array->flags & ARRAY_OFFSET) {
        return array->size ? address(array) : Py_NewRef(Py_None);
    }
    PyObject *owner = assign_owner(array);
    return Py_NewRef(owner ? owner : Py_None);
}

static PyObject *
get_ptr(PyObject *self, void *unused)
{
    struct array *array = (struct array *)self;

    (void)unused;
    if (array->size == 0) {
        PyErr_SetString(PyExc_AttributeError,
                        "an array of size 0 has no memory and no ptr");
        return NULL;
    }
    return address(array);
}

/* Returns the number of the stream that consumers of the CUDA array interface
 * must wait for, or None. The owner of the memory determines the stream, so
 * views have the stream of their source. */
static PyObject *
shown_stream(struct array *array)
{
    if (array->size == 0) {
        Py_RETURN_NONE;
    }
    return core_interface_stream(array->head.owner);
}

/* Returns __cuda_array_interface__ version 3, a dict. Raises ValueError while
 * assigned attributes contradict each other. */
static PyObject *
get_interface(PyObject *self, void *unused)
{
    struct array *array = (struct array *)self;
    if (assign_is_consistent(array) < 0) {
        return NULL;
    }
    PyObject *shape = get_shape(self, NULL);
    PyObject *strides = get_strides(self, NULL);
    PyObject *pointer = address(array);
    PyObject *text = PyObject_GetAttrString((PyObject *)array->dtype, "str");
    PyObject *descr =
        PyObject_GetAttrString((PyObject *)array->dtype, "descr");
    PyObject *stream = shown_stream(array);
    PyObject *result = NULL;

    (void)unused;
    if (shape && strides && pointer && text && descr && stream) {
        result = Py_BuildValue("{s:O,s:O,s:(O,O),s:O,s:O,s:O,s:i}", "shape",
                               shape, "strides", strides, "data", pointer,
                               Py_False, "typestr", text, "descr", descr,
                               "stream", stream, "version", 3);
    }
    Py_XDECREF(stream);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    Py_XDECREF(pointer);
    Py_XDECREF(text);
    Py_XDECREF(descr);
    return result;
}

static PyObject *
get_transposed(PyObject *self, void *unused)
{
    (void)unused;
    return array_transposed(self, NULL);
}

PyGetSetDef array_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"shape", get_shape, assign_shape, "lengths of the axes", NULL},
    {"strides", get_strides, assign_strides, "bytes between elements", NULL},
    {"dtype", get_dtype, assign_dtype, "numpy.dtype of the elements", NULL},
    {"size", get_size_attribute, set_size_attribute, "number of elements",
     (void *)NUMBER_SIZE},
    {"mem_size", get_size_attribute, set_size_attribute, "number of elements",
     (void *)NUMBER_MEM_SIZE},
    {"nbytes", get_size_attribute, set_size_attribute, "bytes of the elements",
     (void *)NUMBER_BYTES},
    {"itemsize", get_size_attribute, set_size_attribute, "bytes of an element",
     (void *)NUMBER_ITEMSIZE},
    {"ndim", get_size_attribute, NULL, "number of axes", (void *)NUMBER_NDIM},
    {"flags", get_flags, assign_flags,
     "contiguity: c_contiguous, f_contiguous, forc", NULL},
    {"base", get_base, assign_base,
     "the array of which this is a view, or None", NULL},
    {"allocator", get_allocator, assign_allocator, "gives results memory",
     NULL},
    {"gpudata", get_gpudata, assign_gpudata,
     "object that owns the memory, or the address of a view as an int", NULL},
    {"ptr", get_ptr, NULL, "device address as an integer", NULL},
    {"T", get_transposed, NULL, "view with the axes reversed", NULL},
    {"__cuda_array_interface__", get_interface, NULL,
     "CUDA array interface, version 3", NULL},
    {NULL},
};
