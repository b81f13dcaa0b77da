/* task.c - from operands and layout to a kernel and its launch.
 *
 * Called by apply.c and copy.c with a described task; chooses the layout
 * class, finds or makes the kernel, builds its arguments, launches.
 *
 * A kernel's parameters are: the output, the inputs in order (a pointer or a
 * scalar by value), then the number of elements (dense classes) or a struct
 * of 64-bit integers: size, blocks per row, shape[ndim],
 * strides[operands][ndim].  pycuda/_kernels.py writes the other side.
 *
 * SPDX-License-Identifier: MIT */
#include "array/task.h"

/* Rows shorter than this are not worth blocks of their own. */
#define ROW_MINIMUM 64
/* Below this, wide loads gain nothing. */
#define ALIGN_MINIMUM 4096
#define GRID_LIMIT    0x7fffffff

static const char *const class_names[] = {
    [LAYOUT_ALIGNED] = "aligned",
    [LAYOUT_CONTIGUOUS] = "contiguous",
    [LAYOUT_ROWS] = "rows",
    [LAYOUT_FLAT] = "flat",
};

/* --- layout class ------------------------------------------------------ */

static int
all_unit(const struct task *task)
{
    for (int k = 0; k < task->layout.operands; k++) {
        if (task->layout.strides[k][0] != task->itemsize[k]) {
            return 0;
        }
    }
    return task->layout.ndim == 1;
}

static enum layout_class
dense_class(const struct task *task)
{
    CUdeviceptr bits = 0;

    for (int k = 0; k < task->layout.operands; k++) {
        bits |= task->pointer[k];
    }
    return task->layout.size >= ALIGN_MINIMUM && bits % 16 == 0
               ? LAYOUT_ALIGNED
               : LAYOUT_CONTIGUOUS;
}

static npy_intp
row_length(const struct task *task)
{
    return task->layout.shape[task->layout.ndim - 1];
}

static unsigned
row_block(const struct task *task)
{
    npy_intp length = row_length(task);

    return length >= (npy_intp)ARRAY_BLOCK ? ARRAY_BLOCK
                                           : (unsigned)(length + 31) / 32 * 32;
}

static npy_intp
row_blocks(const struct task *task)
{
    npy_intp block = row_block(task);

    return (row_length(task) + block - 1) / block;
}

static void
choose_inner(struct task *task)
{
    int last = task->layout.ndim - 1;

    for (int k = 0; k < task->layout.operands; k++) {
        npy_intp stride = task->layout.strides[k][last];
        task->inner[k] = stride == 0                   ? INNER_FIXED
                         : stride == task->itemsize[k] ? INNER_UNIT
                                                       : INNER_STRIDE;
    }
}

static void
choose_class(struct task *task)
{
    struct layout *layout = &task->layout;

    if (!task->dense) {
        layout_collapse(layout);
        for (int k = 0; k < layout->operands; k++) {
            task->pointer[k] += (CUdeviceptr)layout->offset[k];
        }
        task->dense = all_unit(task) || layout->size == 1;
    }
    task->wide = layout->size > GRID_LIMIT;
    if (task->dense) {
        task->class = dense_class(task);
        return;
    }
    npy_intp rows = layout->size / row_length(task);
    if (row_length(task) >= ROW_MINIMUM &&
        rows <= GRID_LIMIT / row_blocks(task)) {
        task->class = LAYOUT_ROWS;
        choose_inner(task);
    } else {
        task->class = LAYOUT_FLAT;
    }
}

/* --- kernel ------------------------------------------------------------ */

static int
key_ndim(const struct task *task)
{
    return task->class >= LAYOUT_ROWS ? task->layout.ndim : 0;
}

/* Every field that decides the kernel's source, 6 bits a type. */
static void
pack_key(const struct task *task, uint64_t *low, uint64_t *high)
{
    uint64_t types = 1, form;

    for (int i = 0; i < task->inputs; i++) {
        types = types << 6 | (uint64_t)task->code[i];
        types = types << 6 | (uint64_t)task->loop[i];
        types = types << 1 | (uint64_t)task->scalar[i];
    }
    types = types << 6 | (uint64_t)task->out;
    types = types << 6 | (uint64_t)task->result;
    form = (uint64_t)task->operation << 8 | (uint64_t)task->class << 1 |
           (uint64_t)task->wide;
    form = form << 8 | (uint64_t)key_ndim(task);
    for (int k = 0; task->class == LAYOUT_ROWS && k < task->layout.operands;
         k++) {
        form = form << 2 | (uint64_t)task->inner[k];
    }
    *low = types;
    *high = form;
}

static PyObject *
type_tuple(const int *codes, const int *skip, int n)
{
    PyObject *tuple = PyTuple_New(n);

    for (int i = 0; tuple && i < n; i++) {
        PyObject *item = skip && skip[i]
                             ? Py_NewRef(Py_None)
                             : (PyObject *)PyArray_DescrFromType(codes[i]);
        if (!item) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

static PyObject *
inner_tuple(const struct task *task)
{
    int n = task->class == LAYOUT_ROWS ? task->layout.operands : 0;
    npy_intp values[ARRAY_OPERANDS];

    for (int k = 0; k < n; k++) {
        values[k] = task->inner[k];
    }
    return array_tuple(n, values);
}

/* ("map", name, types in memory, loop types, result type, stored type, class,
 * ndim, inner walks, wide) */
static PyObject *
make_key(void *data)
{
    struct task *task = data;

    return Py_BuildValue(
        "(sONNNNsiNO)", "map", operation_name(task->operation),
        type_tuple(task->code, task->scalar, task->inputs),
        type_tuple(task->loop, NULL, task->inputs),
        PyArray_DescrFromType(task->result), PyArray_DescrFromType(task->out),
        class_names[task->class], key_ndim(task), inner_tuple(task),
        task->wide ? Py_True : Py_False);
}

/* --- launch ------------------------------------------------------------ */

/* The struct that strided kernels take; returns nothing: `words` has room. */
static void
pack_layout(const struct task *task, int64_t *words)
{
    const struct layout *layout = &task->layout;

    *words++ = layout->size;
    *words++ = task->class == LAYOUT_ROWS ? row_blocks(task) : 0;
    for (int axis = 0; axis < layout->ndim; axis++) {
        *words++ = layout->shape[axis];
    }
    for (int k = 0; k < layout->operands; k++) {
        for (int axis = 0; axis < layout->ndim; axis++) {
            *words++ = layout->strides[k][axis];
        }
    }
}

static int
grid_shape(const struct task *task, const struct kernel *kernel,
           unsigned *grid, unsigned *block)
{
    npy_intp blocks, per_block;

    *block = kernel->block;
    if (task->class == LAYOUT_ROWS) {
        *block = row_block(task);
        blocks = task->layout.size / row_length(task) * row_blocks(task);
    } else {
        per_block = (npy_intp)kernel->block * kernel->per_thread;
        blocks = (task->layout.size + per_block - 1) / per_block;
    }
    if (blocks > GRID_LIMIT) {
        PyErr_Format(PyExc_ValueError, "%zd elements are too many for a grid",
                     task->layout.size);
        return -1;
    }
    *grid = (unsigned)blocks;
    return 0;
}

int
task_run(struct task *task)
{
    int64_t words[2 + ARRAY_MAX_NDIM * (1 + ARRAY_OPERANDS)];
    void *arguments[ARRAY_OPERANDS + 1];
    unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    uint64_t low, high;
    int n = 0, operand = 0;

    choose_class(task);
    pack_key(task, &low, &high);
    struct kernel *kernel = operation_kernel(low, high, make_key, task);
    if (!kernel || grid_shape(task, kernel, &grid[0], &block[0]) < 0) {
        return -1;
    }
    arguments[n++] = &task->pointer[operand++];
    for (int i = 0; i < task->inputs; i++) {
        arguments[n++] = task->scalar[i] ? (void *)task->value[i]
                                         : &task->pointer[operand++];
    }
    words[0] = task->layout.size;
    if (task->class >= LAYOUT_ROWS) {
        pack_layout(task, words);
    }
    arguments[n++] = words;
    return core_launch(kernel->handle, grid, block, 0, task->stream,
                       arguments);
}
