/* advanced.c - what indices beyond integers and slices need in C.
 *
 * Called by index.c, transfer.c and Python.  Index arrays and masks are
 * Python's work (pycuda/_array/indexing.py): the two callables it registered
 * get and set elements.  A field of a record is a view, made here.
 *
 * Kernels can't raise: one that meets an index out of range notes it in words
 * of page-locked memory that both sides see, one block of words a context,
 * which keeps it: (owner, device address, host address).  fault_check reads
 * them where the host has waited for the device anyway.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"

/* What a kernel notes: `set` is written first, the rest describes it. */
struct fault {
    int64_t set, axis, index, length;
};

static PyObject *indexer_get, *indexer_set; /* strong, Python's */

/* --- index arrays ------------------------------------------------------ */

/* _set_indexer(get, set): get(array, key), set(array, key, value). */
PyObject *
advanced_set_indexer(PyObject *module, PyObject *args)
{
    PyObject *get, *set;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO:_set_indexer", &get, &set)) {
        return NULL;
    }
    Py_XSETREF(indexer_get, Py_NewRef(get));
    Py_XSETREF(indexer_set, Py_NewRef(set));
    Py_RETURN_NONE;
}

static int
indexer_ready(PyObject *indexer)
{
    if (!indexer) {
        PyErr_SetString(PyExc_RuntimeError, "import pycuda.gpuarray first");
    }
    return indexer != NULL;
}

PyObject *
advanced_get(PyObject *self, PyObject *key)
{
    PyObject *usual = gather_index(self, key);

    if (usual || PyErr_Occurred() || !indexer_ready(indexer_get)) {
        return usual;
    }
    return PyObject_CallFunctionObjArgs(indexer_get, self, key, NULL);
}

int
advanced_set(PyObject *self, PyObject *key, PyObject *value)
{
    int usual = gather_put(self, key, value);

    if (usual || !indexer_ready(indexer_set)) {
        return usual > 0 ? 0 : -1;
    }
    PyObject *done =
        PyObject_CallFunctionObjArgs(indexer_set, self, key, value, NULL);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* False with an exception. */
static bool
is_array(PyObject *object)
{
    bool is = array_check(object);

    if (!is) {
        PyErr_SetString(PyExc_TypeError, "a GPUArray is needed");
    }
    return is;
}

/* _address_bits(array): the last eight bits of its address, for alignment;
 * the address itself does not get out. */
PyObject *
advanced_address_bits(PyObject *module, PyObject *array)
{
    (void)module;
    if (!is_array(array)) {
        return NULL;
    }
    return PyLong_FromLong(
        (long)(((struct array *)array)->head.pointer & 255));
}

PyObject *
advanced_is_misaligned(PyObject *module, PyObject *array)
{
    (void)module;
    if (!is_array(array) || assign_settled((struct array *)array) < 0) {
        return NULL;
    }
    return PyBool_FromLong(array_misaligned((const struct array *)array));
}

static bool
is_loadable_row(PyObject *object)
{
    const struct array *array = (const struct array *)object;

    return array_check(object) && array_plain(object) && array->size > 0 &&
           array->flags & ARRAY_C && PyArray_ISNBO(array->dtype->byteorder) &&
           !array_misaligned(array);
}

PyObject *
advanced_are_alike(PyObject *module, PyObject *args)
{
    PyObject *a, *b;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO:_are_alike", &a, &b)) {
        return NULL;
    }
    return PyBool_FromLong(
        is_loadable_row(a) && is_loadable_row(b) &&
        code_same(((struct array *)a)->dtype, ((struct array *)b)->dtype) &&
        array_same_shape((struct array *)a, (struct array *)b));
}

/* _distance(a, b): bytes from the first element of a to that of b; neither
 * address gets out. */
PyObject *
advanced_distance(PyObject *module, PyObject *args)
{
    PyObject *a, *b;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO:_distance", &a, &b)) {
        return NULL;
    }
    if (!array_check(a) || !array_check(b)) {
        PyErr_SetString(PyExc_TypeError, "two GPUArrays are needed");
        return NULL;
    }
    return PyLong_FromSsize_t((Py_ssize_t)(((struct array *)b)->head.pointer -
                                           ((struct array *)a)->head.pointer));
}

/* _identity(array): (address, shape, strides, dtype), for comparison only; the
 * address does not count as one that got out. */
PyObject *
advanced_identity(PyObject *module, PyObject *object)
{
    const struct array *array = (const struct array *)object;

    (void)module;
    if (!is_array(object)) {
        return NULL;
    }
    return Py_BuildValue("(KNNO)", (unsigned long long)array->head.pointer,
                         array_tuple(array->ndim, array->shape),
                         array_tuple(array->ndim, array->strides),
                         (PyObject *)array->dtype);
}

/* --- fields of records ------------------------------------------------- */

/* The field's (dtype, offset), borrowed dtype. */
static PyArray_Descr *
field_find(const struct array *array, PyObject *name, Py_ssize_t *offset)
{
    PyObject *fields = PyDataType_FIELDS(array->dtype);
    PyObject *entry;

    if (!fields || fields == Py_None) {
        PyErr_Format(PyExc_IndexError,
                     "%R is no index: elements of dtype %S have no fields",
                     name, array->dtype);
        return NULL;
    }
    entry = PyObject_GetItem(fields, name);
    if (!entry) {
        PyErr_Format(PyExc_ValueError, "dtype %S has no field %R",
                     array->dtype, name);
        return NULL;
    }
    PyArray_Descr *dtype = (PyArray_Descr *)PyTuple_GET_ITEM(entry, 0);
    *offset = PyLong_AsSsize_t(PyTuple_GET_ITEM(entry, 1));
    Py_DECREF(entry); /* the mapping keeps it */
    return dtype;
}

/* array["name"]: a view of one field of each record; a field that is an
 * array itself adds axes. */
PyObject *
advanced_field(PyObject *self, PyObject *name)
{
    struct array *array = (struct array *)self, *view;
    npy_intp inner[ARRAY_MAX_NDIM], packed[ARRAY_MAX_NDIM];
    Py_ssize_t offset;
    int more = 0;
    PyArray_Descr *dtype = field_find(array, name, &offset);

    if (!dtype) {
        return NULL;
    }
    if (PyDataType_HASSUBARRAY(dtype)) {
        more = array_parse_shape(PyDataType_SUBARRAY(dtype)->shape, inner);
        dtype = PyDataType_SUBARRAY(dtype)->base;
    }
    if (more < 0 || array_verify_dtype(dtype) < 0) {
        return NULL;
    }
    if (array->ndim + more > ARRAY_MAX_NDIM) {
        PyErr_Format(PyExc_IndexError, "a view has at most %d axes",
                     ARRAY_MAX_NDIM);
        return NULL;
    }
    view = array_view(array, array->ndim + more);
    if (!view) {
        return NULL;
    }
    layout_pack(more, inner, PyDataType_ELSIZE(dtype), 'C', packed);
    for (int axis = 0; axis < view->ndim; axis++) {
        int own = axis - array->ndim;
        view->shape[axis] = own < 0 ? array->shape[axis] : inner[own];
        view->strides[axis] = own < 0 ? array->strides[axis] : packed[own];
    }
    Py_SETREF(view->dtype, (PyArray_Descr *)Py_NewRef(dtype));
    view->head.pointer += (CUdeviceptr)offset;
    array_view_finish(view);
    return (PyObject *)view;
}

/* --- indices out of range ---------------------------------------------- */

/* _register_faults(address, device, owner): where the host and kernels of the
 * current context find its words, and what keeps them; the first ones stay. */
PyObject *
fault_register(PyObject *module, PyObject *args)
{
    PyObject *address, *device, *owner;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O:_register_faults", &PyLong_Type,
                          &address, &PyLong_Type, &device, &owner)) {
        return NULL;
    }
    PyObject *made = PyTuple_Pack(3, owner, device, address);
    PyObject **place = made ? core_kept_here(CORE_KEPT_FAULTS) : NULL;
    if (!place) {
        Py_XDECREF(made);
        return NULL;
    }
    if (*place) { /* another thread's */
        Py_DECREF(made);
    } else {
        *place = made;
    }
    Py_RETURN_NONE;
}

/* What was registered for the current context, borrowed; NULL where nothing
 * was, or with an exception. */
static PyObject *
faults_here(void)
{
    PyObject **place = core_kept_here(CORE_KEPT_FAULTS);

    return place ? *place : NULL;
}

/* _registered_faults(): the owner of the current context's words, or None. */
PyObject *
fault_registered(PyObject *module, PyObject *unused)
{
    PyObject *faults = faults_here();

    (void)module;
    (void)unused;
    if (!faults && PyErr_Occurred()) {
        return NULL;
    }
    return Py_NewRef(faults ? PyTuple_GET_ITEM(faults, 0) : Py_None);
}

/* Where kernels of the current context note faults; 0 where it has no words
 * yet, -1 with an exception. */
int
fault_words(CUdeviceptr *words)
{
    PyObject *faults = faults_here();

    if (!faults) {
        return PyErr_Occurred() ? -1 : 0;
    }
    *words = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(faults, 1));
    return PyErr_Occurred() ? -1 : 1;
}

/* IndexError if a kernel of the current context that is over has met an
 * index out of range. */
int
fault_check(void)
{
    PyObject *faults = faults_here();

    if (!faults) {
        PyErr_Clear();
        return 0;
    }
    volatile struct fault *words =
        PyLong_AsVoidPtr(PyTuple_GET_ITEM(faults, 2));
    if (!words || !words->set) {
        return 0;
    }
    long long axis = words->axis, index = words->index;
    long long length = words->length;
    words->set = 0;
    PyErr_Format(PyExc_IndexError,
                 "index %lld is out of bounds for axis %lld with size %lld "
                 "(in an array of indices on the device, used earlier)",
                 index, axis, length);
    return -1;
}

PyObject *
fault_check_python(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return fault_check() < 0 ? NULL : Py_NewRef(Py_None);
}
