/* attribute_setters.c - attributes of arrays that programs assign, in any
 * order.
 *
 * Programs set shape, strides, dtype and gpudata one by one, and the values
 * may contradict each other until the last one is set. In between, the array's
 * owner is an UnsettledMemory object, which holds the assigned owner. Any use
 * of the memory then raises an exception: core_use reads the attribute
 * `gpudata` of every owner whose type core_use does not know, and reading
 * `gpudata` of an UnsettledMemory object fails. The fast paths need no check,
 * since they accept only allocations as owners.
 *
 * Other threads may use the array at the same time. Therefore a setter changes
 * a copy of the array's fields, the draft, and then exchanges the draft with
 * the fields (change.h).
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/attribute_setters.h"
#include "array/change.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/validation.h"
#include "core/core.h"
#include "core/python/locked_calls.h"

struct unsettled {
    PyObject_HEAD
    PyObject *owner; /* strong reference; the assigned owner, or NULL */
    /* Strong reference: the assigned strides, if their number is not ndim;
     * otherwise NULL. */
    PyObject *strides;
    /* Strong reference; a str that says why the array's attributes do not fit
     * together. */
    PyObject *reason;
};

static PyTypeObject *unsettled_type;

/* --- the temporary owner ---------------------------------------------- */

static int
unsettled_raise(const struct unsettled *self)
{
    PyErr_SetObject(PyExc_ValueError, self->reason);
    return -1;
}

static PyObject *
unsettled_gpudata(PyObject *self, void *unused)
{
    (void)unused;
    unsettled_raise((struct unsettled *)self);
    return NULL;
}

static int
unsettled_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct unsettled *)self)->owner);
    return 0;
}

static int
unsettled_clear(PyObject *self)
{
    Py_CLEAR(((struct unsettled *)self)->owner);
    return 0;
}

static void
unsettled_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    unsettled_clear(self);
    Py_CLEAR(((struct unsettled *)self)->strides);
    Py_CLEAR(((struct unsettled *)self)->reason);
    type->tp_free(self);
    Py_DECREF(type);
}

int
array_assign_setup(PyObject *module)
{
    static PyGetSetDef attributes[] = {
        {"gpudata", unsettled_gpudata, NULL, NULL, NULL},
        {NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_doc, "The memory of an array whose attributes contradict "
                    "each other."},
        {Py_tp_dealloc, unsettled_dealloc},
        {Py_tp_traverse, unsettled_traverse},
        {Py_tp_clear, unsettled_clear},
        {Py_tp_getset, attributes},
        {0},
    };
    static PyType_Spec spec = {
        .name = "pycuda._driver.UnsettledMemory",
        .basicsize = sizeof(struct unsettled),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };

    unsettled_type =
        (PyTypeObject *)core_type_new(module, &spec, NULL, CORE_CALL_CURRENT);
    return unsettled_type ? 0 : -1;
}

static struct unsettled *
unsettled_memory_of(const struct array *array)
{
    PyObject *owner = array->head.owner;

    return owner && Py_IS_TYPE(owner, unsettled_type)
               ? (struct unsettled *)owner
               : NULL;
}

PyObject *
assign_owner(const struct array *array)
{
    const struct unsettled *between = unsettled_memory_of(array);

    return between ? between->owner : array->head.owner;
}

PyObject *
assign_strides_waiting(const struct array *array)
{
    const struct unsettled *between = unsettled_memory_of(array);

    return between ? between->strides : NULL;
}

int
assign_is_consistent(const struct array *array)
{
    const struct unsettled *between = unsettled_memory_of(array);

    return between ? unsettled_raise(between) : 0;
}

/* Returns a str that explains why the memory cannot be used. Returns NULL
 * without an exception if the attributes agree, or NULL with an exception on
 * failure. */
static PyObject *
inconsistency(const struct array *array, PyObject *owner, PyObject *strides)
{
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);
    npy_intp low, high;

    if (strides) {
        return PyUnicode_FromFormat("strides has %zd entries, shape has %d",
                                    PyTuple_GET_SIZE(strides), array->ndim);
    }
    if (array->size == 0) {
        return NULL;
    }
    if (!owner) {
        return PyUnicode_FromString("an array with elements needs memory: "
                                    "its gpudata is None");
    }
    if (array_verify_reach(array->ndim, array->shape, array->strides, itemsize,
                           &low, &high) == 0 &&
        core_check_extent(owner, array->head.pointer, low, high) == 0) {
        return NULL;
    }
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *reason = value ? PyObject_Str(value) : NULL;
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return reason;
}

/* Sets the array's owner and consumes the reference. The owner is wrapped in
 * UnsettledMemory while the attributes contradict each other. `strides` is a
 * tuple whose length differs from the number of axes, or NULL. */
static int
owner_set(struct array *array, PyObject *owner, PyObject *strides)
{
    PyObject *reason = inconsistency(array, owner, strides);

    if (PyErr_Occurred()) {
        Py_XDECREF(owner);
        return -1;
    }
    if (reason) {
        struct unsettled *between =
            (struct unsettled *)unsettled_type->tp_alloc(unsettled_type, 0);
        if (!between) {
            Py_XDECREF(owner);
            Py_DECREF(reason);
            return -1;
        }
        between->owner = owner;
        between->strides = Py_XNewRef(strides);
        between->reason = reason;
        owner = (PyObject *)between;
    }
    array->flags |= ARRAY_READY;
    Py_XSETREF(array->head.owner, owner);
    return 0;
}

/* Checks again whether the attributes contradict each other, after a program
 * assigned one of them, and wraps or unwraps the owner accordingly. */
static int
owner_recheck(struct array *array)
{
    return owner_set(array, Py_XNewRef(assign_owner(array)), NULL);
}

/* --- the attributes ---------------------------------------------------- */

/* Raises AttributeError and returns -1 if `value` is NULL, which means that a
 * program deletes the attribute. Otherwise returns 0. */
static int
refuse_delete(PyObject *value)
{
    if (value) {
        return 0;
    }
    PyErr_SetString(PyExc_AttributeError, "cannot delete this attribute");
    return -1;
}

/* Computes the strides for a new shape. Assigned strides are used if they have
 * as many entries as the shape. Otherwise the strides keep each element at its
 * address if the shape permits it, and describe a contiguous array if not. */
static int
strides_for(struct array *array, int ndim, const npy_intp *shape,
            npy_intp *strides)
{
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);
    PyObject *waiting = assign_strides_waiting(array);
    npy_intp low, high;

    if (waiting && PyTuple_GET_SIZE(waiting) == ndim) {
        return array_parse_shape(waiting, strides) < 0
                   ? -1
                   : array_verify_reach(ndim, shape, strides, itemsize, &low,
                                        &high);
    }
    if (array->flags & ARRAY_STRIDES && array->ndim == ndim) {
        memcpy(strides, array->strides, (size_t)ndim * sizeof *strides);
        return array_verify_reach(ndim, shape, strides, itemsize, &low, &high);
    }
    if (array->size == 0 || layout_size(ndim, shape) != array->size ||
        !layout_reshape(array->ndim, array->shape, array->strides, itemsize,
                        ndim, shape, strides)) {
        bool fortran = array->flags & ARRAY_F && !(array->flags & ARRAY_C);
        layout_pack(ndim, shape, itemsize, fortran ? 'F' : 'C', strides);
    }
    return 0;
}

/* Entries of a shape or of strides that a program assigns. */
struct entries {
    int count;
    npy_intp values[ARRAY_MAX_NDIM];
};

static int
edit_shape(struct array *draft, const void *value)
{
    const struct entries *shape = value;
    npy_intp strides[ARRAY_MAX_NDIM];
    npy_intp itemsize = PyDataType_ELSIZE(draft->dtype);

    if (array_verify_shape(shape->count, shape->values, itemsize) < 0 ||
        strides_for(draft, shape->count, shape->values, strides) < 0 ||
        array_set_dims(draft, shape->count, shape->values, strides) < 0) {
        return -1;
    }
    return owner_recheck(draft);
}

int
assign_shape(PyObject *self, PyObject *value, void *unused)
{
    struct entries shape;

    (void)unused;
    shape.count =
        refuse_delete(value) < 0 ? -1 : array_parse_shape(value, shape.values);
    return shape.count < 0
               ? -1
               : array_change((struct array *)self, edit_shape, &shape);
}

/* Sets the strides. If their number differs from the number of axes, stores
 * the strides in an UnsettledMemory object until the program assigns a shape
 * that has as many axes as there are strides. */
static int
edit_strides(struct array *draft, const void *value)
{
    const struct entries *strides = value;
    npy_intp low, high;

    if (strides->count != draft->ndim) {
        PyObject *tuple = array_tuple(strides->count, strides->values);
        int status =
            tuple == NULL
                ? -1
                : owner_set(draft, Py_XNewRef(assign_owner(draft)), tuple);
        Py_XDECREF(tuple);
        draft->flags |= ARRAY_STRIDES;
        return status;
    }
    if (array_verify_reach(strides->count, draft->shape, strides->values,
                           PyDataType_ELSIZE(draft->dtype), &low, &high) < 0) {
        return -1;
    }
    memcpy(draft->strides, strides->values,
           (size_t)strides->count * sizeof *strides->values);
    array_update(draft);
    draft->flags |= ARRAY_STRIDES;
    return owner_recheck(draft);
}

int
assign_strides(PyObject *self, PyObject *value, void *unused)
{
    struct entries strides;

    (void)unused;
    strides.count = refuse_delete(value) < 0
                        ? -1
                        : array_parse_shape(value, strides.values);
    return strides.count < 0
               ? -1
               : array_change((struct array *)self, edit_strides, &strides);
}

/* Sets the array's owner after a change of the dtype or of the address.
 * Consumes the reference to `owner`. If a program has assigned strides whose
 * number differs from the number of axes, the new owner keeps these strides
 * until the program assigns a shape with that number of axes. */
static int
owner_replace(struct array *draft, PyObject *owner)
{
    PyObject *waiting = Py_XNewRef(assign_strides_waiting(draft));
    int status = owner_set(draft, owner, waiting);

    Py_XDECREF(waiting);
    return status;
}

/* Sets the dtype. A contiguous array stays contiguous unless a program
 * assigned its strides. */
static int
edit_dtype(struct array *draft, const void *value)
{
    PyArray_Descr *dtype = (PyArray_Descr *)value;
    npy_intp itemsize = PyDataType_ELSIZE(dtype);

    if (array_verify_dtype(dtype) < 0 ||
        array_verify_shape(draft->ndim, draft->shape, itemsize) < 0) {
        return -1;
    }
    bool repacked = draft->flags & ARRAY_FORC &&
                    !(draft->flags & ARRAY_STRIDES) &&
                    itemsize != PyDataType_ELSIZE(draft->dtype);
    if (repacked) {
        layout_pack(draft->ndim, draft->shape, itemsize,
                    draft->flags & ARRAY_C ? 'C' : 'F', draft->strides);
    }
    Py_SETREF(draft->dtype, (PyArray_Descr *)Py_NewRef(dtype));
    array_update(draft);
    return owner_replace(draft, Py_XNewRef(assign_owner(draft)));
}

int
assign_dtype(PyObject *self, PyObject *value, void *unused)
{
    PyArray_Descr *dtype;

    (void)unused;
    if (refuse_delete(value) < 0 || !PyArray_DescrConverter(value, &dtype)) {
        return -1;
    }
    int status = array_change((struct array *)self, edit_dtype, dtype);
    Py_DECREF(dtype);
    return status;
}

/* Memory that a program assigns to the attribute gpudata. */
struct memory {
    PyObject *owner; /* borrowed, or NULL */
    CUdeviceptr pointer;
};

static int
edit_memory(struct array *draft, const void *value)
{
    const struct memory *memory = value;

    draft->head.pointer = memory->pointer;
    draft->flags &= ~(unsigned)ARRAY_OFFSET;
    return owner_replace(draft, Py_XNewRef(memory->owner));
}

int
assign_gpudata(PyObject *self, PyObject *value, void *unused)
{
    struct memory memory = {NULL, 0};

    (void)unused;
    /* `del array.gpudata` passes NULL, which releases the memory like None */
    if (value != NULL && value != Py_None) {
        memory.owner = value;
        if (core_pointer(value, &memory.pointer) < 0) {
            return -1;
        }
    }
    return array_change((struct array *)self, edit_memory, &memory);
}

int
assign_base(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    if (refuse_delete(value) < 0) {
        return -1;
    }
    array_set_reference(&((struct array *)self)->base,
                        value == Py_None ? NULL : value);
    return 0;
}

int
assign_allocator(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    if (refuse_delete(value) < 0) {
        return -1;
    }
    if (value != Py_None && !PyCallable_Check(value)) {
        PyErr_SetString(PyExc_TypeError,
                        "allocator must be callable, or None: the default");
        return -1;
    }
    bool is_default = value == Py_None || value == array_default_allocator();
    if (PyErr_Occurred()) {
        return -1;
    }
    array_set_reference(&((struct array *)self)->allocator,
                        is_default ? NULL : value);
    return 0;
}

/* Setter of `flags`: accepted for compatibility with old programs and ignored,
 * since the flags follow from the strides. */
int
assign_flags(PyObject *self, PyObject *value, void *unused)
{
    (void)self;
    (void)unused;
    return refuse_delete(value);
}
