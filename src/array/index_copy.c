/* index_copy.c - gather and scatter of elements or rows of a contiguous array
 * by contiguous indices on the device.
 *
 * Called by gather.c and by Python. The kernels are elements.cu and rows.cu of
 * pycuda/_kernels/templates/index; kernel_cache.c caches the compiled kernels.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/fault.h"
#include "array/index_copy.h"
#include "array/kernel.h"
#include "array/numpy.h"
#include "array/type_codes.h"
#include "core/core.h"

#define GRID_LIMIT 0x7fffffff
#define GRID_ROWS  65535 /* largest number of blocks of a grid in y */
/* Limits for devices whose blocks have one thread. A thread moves several rows
 * with at most THREAD_WORDS_MAX words in all, or a part of one row with at
 * most CHUNK_WORDS_MAX words. Such a part is called a chunk. */
#define THREAD_WORDS_MAX 4096
#define CHUNK_WORDS_MAX  65536

static const char *const names[] = {
    [INDEX_COPY_GATHER] = "take",
    [INDEX_COPY_SCATTER] = "put",
    [INDEX_COPY_FILL] = "fill",
};

/* Properties for which a kernel is compiled. An item is an element or a row
 * that one index selects. */
struct kernel_parameters {
    enum index_copy_kind move;
    bool rows;
    npy_intp unit, words; /* an item has `words` words of `unit` bytes each */
    int index;            /* type code of the array of indices */
    /* axis number that the kernel writes to the fault record if an index is
     * out of range */
    long axis;
};

/* Returns the tuple that describes a kernel to Python's kernel factory. */
static PyObject *
index_copy_key(void *data)
{
    const struct kernel_parameters *made = data;
    PyObject *dtype = type_code_dtype(made->index);

    return dtype ? Py_BuildValue("(ssnnNl)", made->rows ? "rows" : "line",
                                 names[made->move], made->unit, made->words,
                                 dtype, made->axis)
                 : NULL;
}

/* Finds the kernel in the kernel cache, or compiles it. The lower half of its
 * 128-bit key is 0. The lower half of an element-wise operation's key is never
 * 0, so the two kinds of keys cannot be equal. */
static PyObject *
index_copy_kernel(const struct kernel_parameters *made, struct kernel *kernel)
{
    uint64_t high = (uint64_t)made->words << 16 | (uint64_t)made->unit << 12 |
                    (uint64_t)made->rows << 11 | (uint64_t)made->move << 8 |
                    (uint64_t)made->axis;

    return kernel_find(0, high << 8 | (uint64_t)made->index, index_copy_key,
                       (void *)(uintptr_t)made, kernel);
}

/* Returns the number of elements in an item, which is what one index selects:
 * an element or a row. */
static npy_intp
item_elements(const struct index_copy *copy)
{
    return copy->rows ? copy->row->size / copy->row->shape[0] : 1;
}

/* Returns the number of items (elements or rows) of the indexed array. */
static npy_intp
item_count(const struct index_copy *copy)
{
    return copy->rows ? copy->row->shape[0] : copy->row->size;
}

/* Returns the size in bytes of the largest word, of 8 bytes at most, that
 * divides the size of an item and to which both arrays are aligned. */
static npy_intp
common_unit(const struct index_copy *copy, npy_intp bytes)
{
    uint64_t bits = (uint64_t)bytes | 8;

    bits |= copy->row->head.pointer;
    bits |= copy->plain ? copy->plain->head.pointer : 0;
    return (npy_intp)(bits & (~bits + 1));
}

/* Prepares the arrays for use by a kernel in `stream`, so that later uses in
 * other streams wait for the kernel. Returns 0, or -1 with an exception. */
static int
index_copy_use(const struct index_copy *copy, CUstream stream)
{
    return (copy->plain &&
            core_use_in_kernel(copy->plain->head.owner, stream) < 0) ||
                   core_use_in_kernel(copy->row->head.owner, stream) < 0 ||
                   core_use_in_kernel(copy->indices->head.owner, stream) < 0
               ? -1
               : 0;
}

/* Launch dimensions, and two parameters of rows.cu: `each`, the number of rows
 * that each thread moves, and `chunk`, the number of words in the part of a
 * row that one block moves. */
struct shape {
    unsigned grid[3], block[3];
    long long each, chunk;
};

static long long
quotient_up(long long a, long long b)
{
    return (a + b - 1) / b;
}

/* Computes launch dimensions for rows of `span` words or elements. A block of
 * one thread processes whole rows. In larger blocks, adjacent threads process
 * adjacent parts of a row. */
static void
shape_rows(struct shape *shape, const struct kernel *kernel, long long span)
{
    unsigned across = 1;

    while (across < kernel->block && across < span) {
        across *= 2;
    }
    shape->block[0] = across;
    shape->block[1] = kernel->block / across;
    shape->each = 1;
    shape->chunk = 8 * (long long)across;
    if (kernel->block == 1) {
        shape->each = Py_MAX(1, THREAD_WORDS_MAX / span);
        shape->chunk = CHUNK_WORDS_MAX;
    }
    long long least = quotient_up(span, GRID_ROWS);
    shape->chunk = Py_MAX(shape->chunk, quotient_up(least, across) * across);
    shape->grid[1] = (unsigned)quotient_up(span, shape->chunk);
}

/* Computes the launch dimensions. Returns 0, or -1 with a ValueError if the
 * indices are too many for one grid. */
static int
index_copy_shape(struct shape *shape, const struct kernel *kernel,
                 const struct index_copy *copy, long long span)
{
    long long count = copy->indices->size;

    *shape = (struct shape){.grid = {1, 1, 1},
                            .block = {kernel->block, 1, 1},
                            .each = kernel->per_thread};
    if (copy->rows) {
        shape_rows(shape, kernel, span);
    }
    long long across = copy->rows ? shape->block[1] : shape->block[0];
    long long blocks = quotient_up(count, across * shape->each);
    if (blocks > GRID_LIMIT) {
        PyErr_Format(PyExc_ValueError, "%lld indices are too many for a grid",
                     count);
        return -1;
    }
    shape->grid[0] = (unsigned)blocks;
    return 0;
}

/* Launches the kernel. `span` is the number of words to copy, or of elements
 * to fill, for each index. */
static int
index_copy_launch(const struct kernel *kernel, const struct index_copy *copy,
                  long long span, CUstream stream)
{
    CUdeviceptr words = copy->words, row = copy->row->head.pointer;
    CUdeviceptr indices = copy->indices->head.pointer;
    CUdeviceptr plain = copy->plain ? copy->plain->head.pointer : 0;
    long long length = item_count(copy), count = copy->indices->size;
    struct shape shape;
    void *arguments[] = {copy->plain ? (void *)&plain
                                     : (void *)(uintptr_t)copy->element,
                         &row,
                         &indices,
                         &words,
                         &length,
                         &count,
                         &span,
                         &shape.each,
                         &shape.chunk};

    return index_copy_shape(&shape, kernel, copy, span) < 0 ||
                   index_copy_use(copy, stream) < 0
               ? -1
               : core_launch(kernel->handle, shape.grid, shape.block, 0,
                             stream, arguments);
}

int
index_copy_run(const struct index_copy *copy, CUstream stream)
{
    npy_intp itemsize = PyDataType_ELSIZE(copy->row->dtype);
    npy_intp span = item_elements(copy);
    struct kernel_parameters made = {.move = copy->move,
                                     .rows = copy->rows,
                                     .index =
                                         type_code_of(copy->indices->dtype),
                                     .axis = copy->axis};

    /* Copy whole rows in the largest words, of 8 bytes at most, that divide a
     * row and to which both arrays are aligned. Such a word may contain
     * several elements. */
    if (copy->rows && copy->plain) {
        made.unit = common_unit(copy, span * itemsize);
        made.words = 1;
        span = span * itemsize / made.unit;
    } else {
        made.unit = common_unit(copy, itemsize);
        made.words = itemsize / made.unit;
    }
    struct kernel kernel;
    PyObject *function = index_copy_kernel(&made, &kernel);
    int status =
        function ? index_copy_launch(&kernel, copy, span, stream) : -1;

    Py_XDECREF(function);
    return status;
}

/* --- Python interface -------------------------------------------------- */

/* Implements _take_indexed and _put_indexed with the arguments (row, indices,
 * axis, plain, stream=None): copies between the elements of `row` that
 * `indices` select and the array `plain`. Returns False if the context has no
 * fault record yet, else True. */
static PyObject *
index_copy_python(PyObject *args, const char *format,
                  enum index_copy_kind move)
{
    PyObject *row, *indices, *plain, *given = Py_None;
    struct index_copy copy = {.move = move};
    CUstream stream;
    int axis;

    if (!PyArg_ParseTuple(args, format, array_type, &row, array_type, &indices,
                          &axis, array_type, &plain, &given) ||
        core_stream(given, &stream) < 0) {
        return NULL;
    }
    int known = fault_record_address(&copy.words);
    if (known < 1) {
        return known < 0 ? NULL : Py_NewRef(Py_False);
    }
    copy.row = (struct array *)row;
    copy.indices = (struct array *)indices;
    copy.plain = (struct array *)plain;
    copy.axis = axis;
    return index_copy_run(&copy, stream) < 0 ? NULL : Py_NewRef(Py_True);
}

PyObject *
index_copy_gather(PyObject *module, PyObject *args)
{
    (void)module;
    return index_copy_python(args, "O!O!iO!|O:_take_indexed",
                             INDEX_COPY_GATHER);
}

PyObject *
index_copy_scatter(PyObject *module, PyObject *args)
{
    (void)module;
    return index_copy_python(args, "O!O!iO!|O:_put_indexed",
                             INDEX_COPY_SCATTER);
}
