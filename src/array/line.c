/* line.c - moves elements between a packed array and a packed row by packed
 * indices on the device.
 *
 * Called by gather.c and by Python.  The kernels are those of
 * pycuda/_kernels/templates/index/line.cu, in the table of kernels.c.
 *
 * SPDX-License-Identifier: MIT */
#include "array/line.h"

#define GRID_LIMIT 0x7fffffff

static const char *const names[] = {
    [LINE_TAKE] = "take",
    [LINE_PUT] = "put",
    [LINE_FILL] = "fill",
};

/* What the kernel is made for. */
struct made_for {
    enum line_move move;
    npy_intp unit, words; /* an element: words of so many bytes */
    int index;            /* type code */
    long axis;            /* that a fault names */
};

static PyObject *
line_key(void *data)
{
    const struct made_for *made = data;
    PyObject *dtype = code_dtype(made->index);

    return dtype ? Py_BuildValue("(ssnnNl)", "line", names[made->move],
                                 made->unit, made->words, dtype, made->axis)
                 : NULL;
}

/* Numbers that no operation's key has: its types are 1 or more. */
static PyObject *
line_kernel(const struct made_for *made, struct kernel *kernel)
{
    uint64_t high = (uint64_t)made->words << 16 | (uint64_t)made->unit << 12 |
                    (uint64_t)made->move << 8 | (uint64_t)made->axis;

    return kernel_find(0, high << 8 | (uint64_t)made->index, line_key,
                       (void *)(uintptr_t)made, kernel);
}

/* The widest word that an element is made of and that is aligned. */
static npy_intp
common_unit(const struct line *line)
{
    uint64_t bits = (uint64_t)PyDataType_ELSIZE(line->row->dtype) | 8;

    bits |= line->row->head.pointer;
    bits |= line->plain ? line->plain->head.pointer : 0;
    return (npy_intp)(bits & (~bits + 1));
}

static int
line_use(const struct line *line, CUstream stream)
{
    return (line->plain && core_use(line->plain->head.owner, stream) < 0) ||
                   core_use(line->row->head.owner, stream) < 0 ||
                   core_use(line->indices->head.owner, stream) < 0
               ? -1
               : 0;
}

static int
line_launch(const struct kernel *kernel, const struct line *line,
            CUstream stream)
{
    CUdeviceptr words = line->words, row = line->row->head.pointer;
    CUdeviceptr indices = line->indices->head.pointer;
    CUdeviceptr plain = line->plain ? line->plain->head.pointer : 0;
    long long length = line->row->size, count = line->indices->size;
    void *arguments[] = {line->plain ? (void *)&plain
                                     : (void *)(uintptr_t)line->element,
                         &row,
                         &indices,
                         &words,
                         &length,
                         &count};
    long long each = (long long)kernel->block * kernel->per_thread;
    long long blocks = (count + each - 1) / each;

    if (line_use(line, stream) < 0) {
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

int
line_run(const struct line *line, CUstream stream)
{
    npy_intp unit = common_unit(line);
    struct made_for made = {.move = line->move,
                            .unit = unit,
                            .words =
                                PyDataType_ELSIZE(line->row->dtype) / unit,
                            .index = code_of(line->indices->dtype),
                            .axis = line->axis};
    struct kernel kernel;
    PyObject *function = line_kernel(&made, &kernel);
    int status = function ? line_launch(&kernel, line, stream) : -1;

    Py_XDECREF(function);
    return status;
}

/* --- for Python -------------------------------------------------------- */

/* (row, indices, axis, plain, stream=None); False where the context has no
 * words for faults yet. */
static PyObject *
line_python(PyObject *args, const char *format, enum line_move move)
{
    PyObject *row, *indices, *plain, *given = Py_None;
    struct line line = {.move = move};
    CUstream stream;
    int axis;

    if (!PyArg_ParseTuple(args, format, array_type, &row, array_type, &indices,
                          &axis, array_type, &plain, &given) ||
        core_stream(given, &stream) < 0) {
        return NULL;
    }
    int known = fault_words(&line.words);
    if (known < 1) {
        return known < 0 ? NULL : Py_NewRef(Py_False);
    }
    line.row = (struct array *)row;
    line.indices = (struct array *)indices;
    line.plain = (struct array *)plain;
    line.axis = axis;
    return line_run(&line, stream) < 0 ? NULL : Py_NewRef(Py_True);
}

PyObject *
line_take(PyObject *module, PyObject *args)
{
    (void)module;
    return line_python(args, "O!O!iO!|O:_take_line", LINE_TAKE);
}

PyObject *
line_put(PyObject *module, PyObject *args)
{
    (void)module;
    return line_python(args, "O!O!iO!|O:_put_line", LINE_PUT);
}
