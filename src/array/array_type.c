/* array_type.c - ArrayBase: dimensions, memory, creation and destruction of
 * arrays.
 *
 * pycuda.gpuarray.GPUArray derives from ArrayBase in Python. An array owns its
 * dimensions and references to its dtype, the owner of its memory, its base,
 * its allocator, and its attributes. The fields are consistent whenever
 * ARRAY_READY is set. constructor.c implements the constructor, attributes.c
 * the attributes.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
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
#include <structmember.h>

PyTypeObject *array_type;
/* Strong; the function pycuda._driver.mem_alloc. */
static PyObject *default_allocator;
/* Borrowed; the module pycuda._driver, which exists until the process ends. */
static PyObject *driver_module;

/* Free list of array objects: each operation creates an array, and most are
 * soon freed. */
enum { MAX_SPARE = 16 };

static struct {
    /* Strong; the class of the objects in the list: GPUArray, after
     * array_set_class was called. */
    PyTypeObject *type;
    int count;
    struct array *arrays[MAX_SPARE];
} spare;

/* --- dimensions -------------------------------------------------------- */

/* Makes shape and strides point to memory for ndim axes: inside the object, or
 * allocated if there are more than ARRAY_INLINE axes. Returns 0, or -1 with a
 * MemoryError. */
static inline int
dims_reserve(struct array *array, int ndim)
{
    if (ndim <= ARRAY_INLINE) {
        array->shape = array->inline_dims;
    } else {
        array->shape = PyMem_Calloc(2 * (size_t)ndim, sizeof(npy_intp));
        if (!array->shape) {
            PyErr_NoMemory();
            return -1;
        }
    }
    array->strides = array->shape + ndim;
    array->ndim = ndim;
    return 0;
}

static void
dims_release(struct array *array)
{
    if (array->shape && array->shape != array->inline_dims) {
        PyMem_Free(array->shape);
    }
    array->shape = NULL;
}

/* Recomputes the size and the contiguity flags from shape, strides and
 * dtype. */
void
array_update(struct array *array)
{
    array->size = layout_size(array->ndim, array->shape);
    array->flags = (array->flags & ~(unsigned)ARRAY_FORC) |
                   layout_flags(array->ndim, array->shape, array->strides,
                                PyDataType_ELSIZE(array->dtype));
}

int
array_set_dims(struct array *array, int ndim, const npy_intp *shape,
               const npy_intp *strides)
{
    npy_intp keep[2 * ARRAY_MAX_NDIM];

    npy_intp *old = array->shape;

    memcpy(keep, shape, (size_t)ndim * sizeof *shape);
    memcpy(keep + ndim, strides, (size_t)ndim * sizeof *strides);
    if (dims_reserve(array, ndim) < 0) {
        array->shape = old;
        return -1;
    }
    if (old != array->inline_dims) {
        PyMem_Free(old);
    }
    memcpy(array->shape, keep, 2 * (size_t)ndim * sizeof *keep);
    array_update(array);
    return 0;
}

/* --- memory ------------------------------------------------------------ */

PyObject *
array_default_allocator(void)
{
    if (!default_allocator) {
        default_allocator = PyObject_GetAttrString(driver_module, "mem_alloc");
    }
    return default_allocator;
}

/* Allocates size * itemsize bytes from the array's allocator, for use in
 * `stream`. Returns 0, or -1 with an exception. */
int
array_allocate_memory(struct array *array, CUstream stream)
{
    Py_ssize_t bytes = array->size * PyDataType_ELSIZE(array->dtype);

    array->head.pointer = 0;
    if (bytes == 0) {
        return 0;
    }
    if (!array->allocator) {
        array->head.owner = core_allocate((size_t)bytes, stream);
        if (!array->head.owner) {
            return -1;
        }
        array->head.pointer = core_allocation_pointer(array->head.owner);
        return 0;
    }
    PyObject *count = PyLong_FromSsize_t(bytes);
    if (!count) {
        return -1;
    }
    PyObject *allocator = Py_NewRef(array->allocator);
    PyObject *owner = PyObject_CallOneArg(allocator, count);
    CUdeviceptr pointer;
    Py_DECREF(allocator);
    Py_DECREF(count);
    if (!owner || core_pointer(owner, &pointer) < 0 ||
        core_check_extent(owner, pointer, 0, bytes) < 0) {
        Py_XDECREF(owner);
        return -1;
    }
    Py_XSETREF(array->head.owner, owner);
    array->head.pointer = pointer;
    return 0;
}

/* Takes an object from the free list, which must not be empty. Objects in the
 * list own nothing (see array_dealloc). The caller sets all fields that are
 * not set here. */
static inline struct array *
free_list_pop(void)
{
    struct array *array = spare.arrays[--spare.count];
    array->head.pointer = 0;
    array->size = 0;
    array->flags = 0;
    core_object_revive((PyObject *)array);
    PyObject_GC_Track(array);
    return array;
}

/* Returns whether the free list has an object of this type. */
static inline bool
free_list_has(const PyTypeObject *type)
{
    return LIKELY(type == spare.type && spare.count > 0);
}

static inline struct array *
object_allocate(PyTypeObject *type)
{
    return free_list_has(type) ? free_list_pop()
                               : (struct array *)type->tp_alloc(type, 0);
}

/* Frees an object, or adds it to the free list. Objects with a finalizer are
 * never reused, since a finalizer runs once per object. */
static inline void
object_free(PyTypeObject *type, struct array *array)
{
    if (LIKELY(type == spare.type && !type->tp_finalize &&
               spare.count < MAX_SPARE)) {
        spare.arrays[spare.count++] = array;
    } else {
        type->tp_free(array);
    }
}

/* Creates an array of `type` without memory. The caller sets the dimensions;
 * all other fields are zero. Returns NULL with an exception on failure. */
struct array *
array_alloc(PyTypeObject *type, int ndim)
{
    struct array *array = object_allocate(type);

    if (array && dims_reserve(array, ndim) < 0) {
        Py_CLEAR(array);
    }
    return array;
}

/* Creates a view with ndim axes. The caller sets shape and strides, sets
 * head.pointer to the view's first element, and then calls
 * array_view_finish. */
struct array *
array_view(struct array *base, int ndim)
{
    struct array *view = array_alloc(Py_TYPE(base), ndim);

    if (!view) {
        return NULL;
    }
    view->head.pointer = base->head.pointer;
    view->head.owner = Py_XNewRef(base->head.owner);
    view->dtype = (PyArray_Descr *)Py_NewRef(base->dtype);
    view->base = Py_NewRef(base);
    view->allocator = Py_XNewRef(base->allocator);
    view->flags = ARRAY_OFFSET | ARRAY_READY;
    return view;
}

/* Completes a view whose shape and strides are set: computes its size and
 * flags. */
void
array_view_finish(struct array *view)
{
    array_update(view);
    if (view->size == 0) {
        view->head.pointer = 0;
    }
}

/* If a Python subclass overrides _new_like_me, returns its method, a new
 * reference. Otherwise returns NULL, with an exception on failure. */
static PyObject *
overridden_new_like(struct array *model)
{
    PyTypeObject *type = Py_TYPE(model);
    PyObject *own, *ours;

    if (type == array_type || type->tp_base == array_type) {
        return NULL;
    }
    own = PyObject_GetAttrString((PyObject *)type, "_new_like_me");
    ours = PyObject_GetAttrString((PyObject *)array_type, "_new_like_me");
    if (own == ours) {
        Py_CLEAR(own);
    }
    Py_XDECREF(ours);
    return own;
}

/* Calls the _new_like_me of a subclass and checks the shape and dtype of the
 * result, since a kernel will write as many elements as the model has.
 * Releases the reference to the method. */
static struct array *
call_new_like(PyObject *method, struct array *model, PyArray_Descr *dtype,
              const npy_intp *shape)
{
    /* A copy of the shape, which may belong to the model: the method may
     * change that. */
    npy_intp keep[ARRAY_MAX_NDIM];
    int ndim = model->ndim;
    size_t bytes = (size_t)ndim * sizeof *shape;

    if (ndim > 0) {
        memcpy(keep, shape, bytes);
    }
    PyObject *result = PyObject_CallFunctionObjArgs(method, (PyObject *)model,
                                                    (PyObject *)dtype, NULL);
    struct array *array = (struct array *)result;
    Py_DECREF(method);
    if (result && (!array_check(result) || array->ndim != ndim ||
                   memcmp(array->shape, keep, bytes) ||
                   !type_code_equal(array->dtype, dtype))) {
        PyErr_Format(PyExc_TypeError,
                     "_new_like_me must return a GPUArray of the shape of "
                     "self and of dtype %S",
                     dtype);
        Py_CLEAR(result);
    }
    return (struct array *)result;
}

/* Creates an array with memory from the allocator; NULL means the default
 * allocator. `strides` NULL means C order. */
static struct array *
array_create(PyTypeObject *type, PyObject *allocator, PyArray_Descr *dtype,
             int ndim, const npy_intp *shape, const npy_intp *strides,
             CUstream stream)
{
    npy_intp itemsize = PyDataType_ELSIZE(dtype);

    if (array_verify_dtype(dtype) < 0 ||
        array_verify_shape(ndim, shape, itemsize) < 0) {
        return NULL;
    }
    struct array *array = array_alloc(type, ndim);
    if (!array) {
        return NULL;
    }
    array->dtype = (PyArray_Descr *)Py_NewRef(dtype);
    array->allocator = Py_XNewRef(allocator);
    array->flags = ARRAY_READY;
    /* If there are no axes, `shape` may be NULL, which memcpy does not
     * allow. */
    if (ndim > 0) {
        memcpy(array->shape, shape, (size_t)ndim * sizeof *shape);
    }
    if (strides && ndim > 0) {
        memcpy(array->strides, strides, (size_t)ndim * sizeof *strides);
    } else {
        layout_pack(ndim, shape, itemsize, 'C', array->strides);
    }
    array_update(array);
    if (array_allocate_memory(array, stream) < 0) {
        Py_CLEAR(array);
    }
    return array;
}

/* Creates an array of the model's class, with memory from the model's
 * allocator. `strides` NULL means C order. */
struct array *
array_new_like(struct array *model, PyArray_Descr *dtype, int ndim,
               const npy_intp *shape, const npy_intp *strides, CUstream stream)
{
    if (ndim == model->ndim &&
        (ndim == 0 || /* without axes, shape may be NULL */
         memcmp(shape, model->shape, (size_t)ndim * sizeof *shape) == 0)) {
        PyObject *method = overridden_new_like(model);
        if (method) {
            return call_new_like(method, model, dtype, shape);
        }
        PyErr_Clear();
    }
    return array_create(Py_TYPE(model), model->allocator, dtype, ndim, shape,
                        strides, stream);
}

/* Creates a C-contiguous GPUArray with memory from the default allocator. */
struct array *
array_new_contiguous(PyArray_Descr *dtype, int ndim, const npy_intp *shape)
{
    if (!spare.type) {
        PyErr_SetString(PyExc_RuntimeError, "import pycuda.gpuarray first");
        return NULL;
    }
    return array_create(spare.type, NULL, dtype, ndim, shape, NULL, NULL);
}

/* Sets all fields of a C-contiguous result except the memory. The result has
 * the shape of the model, or no axes if `ndim` is 0. */
static inline void
result_begin(struct array *array, const struct array *model, int ndim,
             PyArray_Descr *dtype)
{
    npy_intp step = PyDataType_ELSIZE(dtype);

    for (int axis = ndim - 1; axis >= 0; axis--) {
        array->shape[axis] = model->shape[axis];
        array->strides[axis] = step;
        step *= model->shape[axis];
    }
    array->size = ndim > 0 ? model->size : 1;
    array->dtype = (PyArray_Descr *)Py_NewRef(dtype);
    array->flags =
        ARRAY_READY | (ndim > 0 ? model->flags & ARRAY_FORC : ARRAY_FORC);
}

/* Creates a C-contiguous result with the shape of `model`, or without axes if
 * `ndim` is 0, for a kernel on `stream`. Takes the memory from free blocks of
 * the context's pool. Runs no Python code and holds the GIL throughout.
 * Returns NULL without an exception if that is not possible. */
struct array *
array_new_fast(struct array *model, int ndim, PyArray_Descr *dtype,
               struct core_context *context, CUstream stream)
{
    npy_intp bytes = PyDataType_ELSIZE(dtype) * (ndim > 0 ? model->size : 1);

    if (UNLIKELY(!free_list_has(Py_TYPE(model)) || ndim > ARRAY_INLINE ||
                 model->allocator)) {
        return NULL;
    }
    PyObject *owner = core_allocate_fast(context, (size_t)bytes, stream);
    if (UNLIKELY(!owner)) {
        return NULL;
    }
    struct array *array = free_list_pop();
    dims_reserve(array, ndim);
    result_begin(array, model, ndim, dtype);
    array->head.owner = owner;
    array->head.pointer = core_allocation_pointer(owner);
    return array;
}

/* Creates a C-contiguous result with the shape of `model`, or without axes if
 * `ndim` is 0, for a kernel on `stream`. May run Python code or release the
 * GIL. Returns NULL with an exception on failure. */
struct array *
array_new_slow(struct array *model, int ndim, PyArray_Descr *dtype,
               struct core_context *context, CUstream stream)
{
    struct array *array = object_allocate(Py_TYPE(model));

    if (!array || dims_reserve(array, ndim) < 0) {
        Py_XDECREF(array);
        return NULL;
    }
    result_begin(array, model, ndim, dtype);
    if (model->allocator) {
        array->allocator = Py_NewRef(model->allocator);
        if (array_allocate_memory(array, stream) < 0) {
            Py_CLEAR(array);
        }
        return array;
    }
    size_t bytes = (size_t)(array->size * PyDataType_ELSIZE(dtype));
    array->head.owner = core_allocate_in(context, bytes, stream);
    if (!array->head.owner) {
        Py_DECREF(array);
        return NULL;
    }
    array->head.pointer = core_allocation_pointer(array->head.owner);
    return array;
}

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
    dims_release(array);
    object_free(type, array);
    Py_DECREF(type);
}

static void array_dealloc(PyObject *self);

/* Destroys a view, and its base with the last view. CPython's trashcan limits
 * the recursion in long chains of views. */
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
    PyTypeObject *type = (PyTypeObject *)object, *old = spare.type;

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
    /* Free the objects of a class that was registered before. */
    while (spare.count > 0) {
        old->tp_free(spare.arrays[--spare.count]);
    }
    spare.type = (PyTypeObject *)Py_NewRef(object);
    type->tp_dealloc = array_dealloc;
    Py_XDECREF(old);
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
     "New array of this class, shape and allocator."},
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

/* Implements str and repr of an array by those of its copy on the host. */
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
                "Memory on the device with a shape, strides and a dtype."},
    {0},
};

/* Copies table rows up to the terminator, a row of zeros. Returns the number
 * of rows copied. */
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

    driver_module = module;
    array_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!array_type) {
        return -1;
    }
    core_set_array_type(array_type, array_bytes_to_end);
    return PyModule_AddObjectRef(module, "ArrayBase", (PyObject *)array_type);
}
