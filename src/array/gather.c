/* gather.c - picks elements of a packed row by packed indices on the device.
 *
 * Called for a[indices] (advanced.c), for usual calls of take (usual.c) and
 * from Python for indices that come down to this.  The kernel is that of
 * pycuda/_kernels/templates/index/take.cu, in the table of kernels.c.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"

#define GRID_LIMIT 0x7fffffff

/* What the kernel is made for. */
struct take {
    npy_intp unit, words; /* an element: words of so many bytes */
    int index;            /* type code */
    long axis;            /* that a fault names */
};

static PyObject *
take_key(void *data)
{
    const struct take *take = data;
    PyObject *dtype = code_dtype(take->index);

    return dtype ? Py_BuildValue("(snnNl)", "take", take->unit, take->words,
                                 dtype, take->axis)
                 : NULL;
}

/* Numbers that no operation's key has: its types are 1 or more. */
static PyObject *
take_kernel(const struct take *take, struct kernel *kernel)
{
    uint64_t high = (uint64_t)take->words << 16 | (uint64_t)take->unit << 8 |
                    (uint64_t)take->axis;

    return kernel_find(0, high << 8 | (uint64_t)take->index, take_key,
                       (void *)(uintptr_t)take, kernel);
}

/* The widest word that an element is made of and that is aligned. */
static npy_intp
common_unit(const struct array *result, const struct array *row)
{
    uint64_t bits = (uint64_t)PyDataType_ELSIZE(row->dtype) | 8;

    bits |= result->head.pointer | row->head.pointer;
    return (npy_intp)(bits & (~bits + 1));
}

static int
line_launch(const struct kernel *kernel, struct array *result,
            struct array *row, struct array *indices, CUdeviceptr words,
            CUstream stream)
{
    long long length = row->size, count = indices->size;
    void *arguments[] = {&result->head.pointer,
                         &row->head.pointer,
                         &indices->head.pointer,
                         &words,
                         &length,
                         &count};
    long long each = (long long)kernel->block * kernel->per_thread;
    long long blocks = (count + each - 1) / each;

    if (core_use(result->head.owner, stream) < 0 ||
        core_use(row->head.owner, stream) < 0 ||
        core_use(indices->head.owner, stream) < 0) {
        return -1;
    }
    if (blocks > GRID_LIMIT) {
        PyErr_Format(PyExc_ValueError, "%lld indices are too many for a grid",
                     count);
        return -1;
    }
    unsigned grid[3] = {(unsigned)blocks, 1, 1};
    unsigned block[3] = {kernel->block, 1, 1};
    return core_launch(kernel->handle, grid, block, 0, stream, arguments);
}

static int
line_run(struct array *result, struct array *row, struct array *indices,
         long axis, CUdeviceptr words, CUstream stream)
{
    npy_intp unit = common_unit(result, row);
    struct take take = {.unit = unit,
                        .words = PyDataType_ELSIZE(row->dtype) / unit,
                        .index = code_of(indices->dtype),
                        .axis = axis};
    struct kernel kernel;
    PyObject *function = take_kernel(&take, &kernel);
    int status =
        function ? line_launch(&kernel, result, row, indices, words, stream)
                 : -1;

    Py_XDECREF(function);
    return status;
}

/* _take_line(row, indices, axis, result, stream=None) */
PyObject *
gather_line(PyObject *module, PyObject *args)
{
    PyObject *row, *indices, *result, *given = Py_None;
    CUdeviceptr words = 0;
    CUstream stream;
    int axis;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!iO!|O:_take_line", array_type, &row,
                          array_type, &indices, &axis, array_type, &result,
                          &given) ||
        core_stream(given, &stream) < 0) {
        return NULL;
    }
    int known = fault_words(&words);
    if (known < 1) {
        return known < 0 ? NULL : Py_NewRef(Py_False);
    }
    return line_run((struct array *)result, (struct array *)row,
                    (struct array *)indices, axis, words, stream) < 0
               ? NULL
               : Py_NewRef(Py_True);
}

/* Packed integers that kernels can load. */
static int
is_index_line(const struct array *indices)
{
    return PyTypeNum_ISINTEGER(indices->dtype->type_num) &&
           indices->size > 0 && indices->flags & ARRAY_C &&
           PyArray_ISNBO(indices->dtype->byteorder) &&
           !array_misaligned(indices);
}

/* Elements of `a`, counted as flat; in the shape of the indices. */
static PyObject *
take_usual(PyObject *a, PyObject *key)
{
    struct array *row = (struct array *)a, *indices = (struct array *)key;
    CUdeviceptr words;

    if (!array_plain(a) || !array_check(key) || !array_plain(key) ||
        row->size == 0 || PyDataType_ELSIZE(row->dtype) == 0 ||
        !(row->flags & ARRAY_C) || !is_index_line(indices) ||
        fault_words(&words) < 1 || fault_check() < 0) {
        return NULL;
    }
    struct array *result = array_new_like(row, row->dtype, indices->ndim,
                                          indices->shape, NULL, NULL);
    if (result && (result->size != indices->size || /* by an allocator */
                   line_run(result, row, indices, 0, words, NULL) < 0)) {
        Py_CLEAR(result);
    }
    return (PyObject *)result;
}

/* a[indices] of a row; NULL without an exception for anything else. */
PyObject *
gather_index(PyObject *self, PyObject *key)
{
    return ((struct array *)self)->ndim == 1 && array_check(key)
               ? take_usual(self, key)
               : NULL;
}

/* take(a, indices) */
PyObject *
gather_take(PyObject *const *args, Py_ssize_t count, PyObject *axis)
{
    return count == 2 && !axis ? take_usual(args[0], args[1]) : NULL;
}
