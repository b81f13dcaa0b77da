/* elementwise_task.c - element-wise tasks: selects the kernel and launches it.
 *
 * Called by elementwise_operation.c and copy.c, which describe the task
 * (struct elementwise_task). Chooses the layout class, finds or compiles the
 * kernel, builds its arguments and launches it.
 *
 * A kernel has these parameters: first the output; then the inputs in order,
 * each a pointer or a scalar by value; last the number of elements for
 * contiguous layout classes, or for others a struct of 64-bit integers: size,
 * blocks along the last axis, shape[ndim], strides[operands][ndim].
 * pycuda/_kernels/factory.py generates the matching kernels.
 *
 * SPDX-License-Identifier: MIT */
#include "array/elementwise_task.h"
#include "array/kernel.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/operation_table.h"
#include "array/type_codes.h"
#include "array/validation.h"
#include "core/core.h"

/* Minimum number of elements of a row (all elements along the last axis) for
 * which each row gets its own thread blocks. */
#define ROW_MINIMUM 64
/* Minimum number of elements of a row (the last axis) for which kernels of
 * LAYOUT_FLAT advance pointers along the row. In shorter rows, these kernels
 * compute each address from the element's index. */
#define WALK_MINIMUM 8
/* Minimum length of the two axes that a tile spans. */
#define TILE_MINIMUM 16
/* Maximum number of elements for which small tiles are used. With so few
 * elements, there are not enough large tiles to give each multiprocessor
 * work. */
#define SMALL_TILES (1 << 20)
/* Minimum number of elements of a row (the last axis) for 16-byte loads. */
#define PACK_MINIMUM 256
#define GRID_LIMIT   0x7fffffff

static const char *const class_names[] = {
    [LAYOUT_ALIGNED] = "aligned",
    [LAYOUT_CONTIGUOUS] = "contiguous",
    [LAYOUT_ROWS] = "rows",
    [LAYOUT_FLAT] = "flat",
    [LAYOUT_PACKS] = "packs",
    [LAYOUT_TILES] = "tiles",
    [LAYOUT_SMALL_TILES] = "small_tiles",
};

/* --- layout class ------------------------------------------------------ */

/* Returns whether the layout has only one axis, along which the elements of
 * each operand are adjacent in memory. */
static int
all_unit(const struct elementwise_task *task)
{
    for (int k = 0; k < task->layout.operands; k++) {
        if (task->layout.strides[k][0] != task->itemsize[k]) {
            return 0;
        }
    }
    return task->layout.ndim == 1;
}

static enum layout_class
dense_class(const struct elementwise_task *task)
{
    CUdeviceptr bits = 0;

    for (int k = 0; k < task->layout.operands; k++) {
        bits |= task->pointer[k];
    }
    return task->layout.size >= ALIGN_MINIMUM && bits % 16 == 0
               ? LAYOUT_ALIGNED
               : LAYOUT_CONTIGUOUS;
}

/* Returns the length of the last axis. */
static npy_intp
row_length(const struct elementwise_task *task)
{
    return task->layout.shape[task->layout.ndim - 1];
}

/* Determines for each operand how its address changes along the last axis
 * (enum inner_walk), from the operand's stride along this axis. */
static void
choose_inner(struct elementwise_task *task)
{
    int last = task->layout.ndim - 1;

    for (int k = 0; k < task->layout.operands; k++) {
        npy_intp stride = task->layout.strides[k][last];
        task->inner[k] = stride == 0                   ? INNER_FIXED
                         : stride == task->itemsize[k] ? INNER_UNIT
                                                       : INNER_STRIDE;
    }
}

/* Returns whether adjacent elements of operand k along an axis usually are in
 * the same cache line. */
static int
axis_shares_cache_lines(const struct elementwise_task *task, int k, int axis)
{
    npy_intp step = Py_ABS(task->layout.strides[k][axis]);

    return step > 0 && step <= 2 * task->itemsize[k];
}

/* Returns whether input k has a much smaller stride along `axis` than along
 * the last axis, so that reading along `axis` uses cache lines better. */
static int
prefers_tiles(const struct elementwise_task *task, int k, int axis)
{
    int last = task->layout.ndim - 1;
    npy_intp step = Py_ABS(task->layout.strides[k][axis]);

    return axis_shares_cache_lines(task, k, axis) &&
           Py_ABS(task->layout.strides[k][last]) >= 4 * step;
}

/* Looks for an input that should be read along another axis than the last one.
 * Returns this axis: the kernel then reads square tiles of this axis and the
 * last one. Returns -1 if tiles are not useful. */
static int
tile_axis(const struct elementwise_task *task)
{
    const struct layout *layout = &task->layout;
    int last = layout->ndim - 1;

    if (row_length(task) < TILE_MINIMUM ||
        !axis_shares_cache_lines(task, 0, last)) {
        return -1;
    }
    for (int k = 1; k < layout->operands; k++) {
        for (int axis = 0; axis < last; axis++) {
            if (layout->shape[axis] >= TILE_MINIMUM &&
                prefers_tiles(task, k, axis)) {
                return axis;
            }
        }
    }
    return -1;
}

static void
swap_axes(struct layout *layout, int a, int b)
{
    npy_intp saved = layout->shape[a];

    layout->shape[a] = layout->shape[b];
    layout->shape[b] = saved;
    for (int k = 0; k < layout->operands; k++) {
        saved = layout->strides[k][a];
        layout->strides[k][a] = layout->strides[k][b];
        layout->strides[k][b] = saved;
    }
}

/* Selects the class of large or small tiles, and moves the axis `across`,
 * along which inputs are read, to the second to last position. */
static void
choose_tiles(struct elementwise_task *task, int across)
{
    int second = task->layout.ndim - 2;

    task->class =
        task->layout.size > SMALL_TILES ? LAYOUT_TILES : LAYOUT_SMALL_TILES;
    choose_inner(task);
    swap_axes(&task->layout, across, second);
    for (int k = 1; k < task->layout.operands; k++) {
        if (prefers_tiles(task, k, second)) {
            task->inner[k] = INNER_ACROSS;
        }
    }
}

/* Returns whether rows can be copied in words of 16 bytes: all operands have
 * suitable alignment and strides, and the rows are long enough. */
static int
rows_pack(const struct elementwise_task *task)
{
    const struct layout *layout = &task->layout;
    uint64_t bits = 0;

    for (int k = 0; k < layout->operands; k++) {
        if (task->inner[k] == INNER_STRIDE) {
            return 0;
        }
        if (task->inner[k] == INNER_FIXED) {
            continue;
        }
        bits |= task->pointer[k];
        for (int axis = 0; axis < layout->ndim - 1; axis++) {
            bits |= (uint64_t)layout->strides[k][axis];
        }
    }
    return task->inner[0] == INNER_UNIT && bits % 16 == 0 &&
           row_length(task) >= PACK_MINIMUM;
}

/* Selects the layout class of operands that are not contiguous. */
static void
choose_strided(struct elementwise_task *task)
{
    const struct layout *layout = &task->layout;
    int across = tile_axis(task);

    if (across >= 0) {
        choose_tiles(task, across);
    } else if (row_length(task) >= ROW_MINIMUM &&
               layout->size / ROW_MINIMUM * 2 <= GRID_LIMIT) {
        choose_inner(task);
        task->class = rows_pack(task) ? LAYOUT_PACKS : LAYOUT_ROWS;
    } else {
        choose_inner(task);
        task->class = LAYOUT_FLAT;
    }
}

/* Merges axes, then selects the layout class. Where merging reverses the
 * direction of an axis, moves each operand's pointer to the new first
 * element. */
static void
choose_class(struct elementwise_task *task)
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
    } else {
        choose_strided(task);
    }
}

/* --- kernel ------------------------------------------------------------ */

/* Returns the number of axes for which the kernel is compiled; 0 for
 * contiguous classes. */
static int
key_ndim(const struct elementwise_task *task)
{
    return task->class >= LAYOUT_ROWS ? task->layout.ndim : 0;
}

/* Returns the number of operands if the kernel is compiled for the classes of
 * their strides along the last axis (`inner`). Returns 0 if the kernel works
 * for any strides. */
static int
inner_walks(const struct elementwise_task *task)
{
    npy_intp least = task->class == LAYOUT_FLAT ? WALK_MINIMUM : 0;

    return task->class >= LAYOUT_ROWS && row_length(task) >= least
               ? task->layout.operands
               : 0;
}

/* Packs all fields that determine the kernel's source in a 128-bit key. A type
 * code has 6 bits. */
static void
pack_key(const struct elementwise_task *task, uint64_t *low, uint64_t *high)
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
    for (int k = 0; k < inner_walks(task); k++) {
        form = form << 2 | (uint64_t)task->inner[k];
    }
    *low = types;
    *high = form;
}

/* Returns a tuple of the dtypes of n type codes. An entry is None if its entry
 * in `skip` is nonzero. */
static PyObject *
type_tuple(const int *codes, const int *skip, int n)
{
    PyObject *tuple = PyTuple_New(n);

    for (int i = 0; tuple && i < n; i++) {
        PyObject *item =
            skip && skip[i] ? Py_NewRef(Py_None) : type_code_dtype(codes[i]);
        if (!item) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

static PyObject *
inner_tuple(const struct elementwise_task *task)
{
    int n = inner_walks(task);
    npy_intp values[ARRAY_OPERANDS];

    for (int k = 0; k < n; k++) {
        values[k] = task->inner[k];
    }
    return array_tuple(n, values);
}

/* Returns the key for Python's kernel factory: ("map", operation name, types
 * in memory, types of the computation, result type, type of the output, layout
 * class, number of axes, enum inner_walk of each operand, whether element
 * indices need 64 bits). */
static PyObject *
make_key(void *data)
{
    struct elementwise_task *task = data;

    return Py_BuildValue(
        "(sONNNNsiNO)", "map", operation_name(task->operation),
        type_tuple(task->code, task->scalar, task->inputs),
        type_tuple(task->loop, NULL, task->inputs),
        type_code_dtype(task->result), type_code_dtype(task->out),
        class_names[task->class], key_ndim(task), inner_tuple(task),
        task->wide ? Py_True : Py_False);
}

/* --- launch ------------------------------------------------------------ */

struct shape {
    npy_intp blocks; /* number of blocks of the grid */
    npy_intp along;  /* number of blocks that share one row (the last axis) */
    unsigned block[3];
};

static npy_intp
quotient_up(npy_intp a, npy_intp b)
{
    return (a + b - 1) / b;
}

/* Computes launch dimensions for kernels in which each block processes a part
 * of one row (the last axis). */
static void
shape_rows(const struct elementwise_task *task, const struct kernel *kernel,
           struct shape *shape)
{
    npy_intp threads = quotient_up(row_length(task), kernel->per_thread);

    threads = Py_MIN((npy_intp)kernel->block, quotient_up(threads, 32) * 32);
    shape->block[0] = (unsigned)threads;
    shape->along = quotient_up(row_length(task), threads * kernel->per_thread);
    shape->blocks = task->layout.size / row_length(task) * shape->along;
}

/* Returns whether each block processes a part of one row (the last axis).
 * Blocks of one thread do not: the thread takes per_thread consecutive
 * elements, which may belong to several rows. */
static int
processes_rows(const struct elementwise_task *task,
               const struct kernel *kernel)
{
    return kernel->block > 1 &&
           (task->class == LAYOUT_ROWS || task->class == LAYOUT_PACKS);
}

/* Computes the launch dimensions of kernels that process square tiles
 * (LAYOUT_TILES, LAYOUT_SMALL_TILES). kernel->per_thread is the side of a tile
 * in elements. */
static void
shape_tiles(const struct elementwise_task *task, const struct kernel *kernel,
            struct shape *shape)
{
    npy_intp side = kernel->per_thread;
    npy_intp across = task->layout.shape[task->layout.ndim - 2];

    if (kernel->block > 1) {
        shape->block[0] = 32;
        shape->block[1] = kernel->block / 32;
    }
    shape->along = quotient_up(row_length(task), side);
    shape->blocks = task->layout.size / row_length(task) / across *
                    quotient_up(across, side) * shape->along;
}

/* Computes the launch dimensions. Returns -1 with a ValueError if the grid
 * would be too large. */
static int
launch_shape(const struct elementwise_task *task, const struct kernel *kernel,
             struct shape *shape)
{
    npy_intp per_block = (npy_intp)kernel->block * kernel->per_thread;

    *shape = (struct shape){.block = {kernel->block, 1, 1}};
    if (task->class >= LAYOUT_TILES) {
        shape_tiles(task, kernel, shape);
    } else if (processes_rows(task, kernel)) {
        shape_rows(task, kernel, shape);
    } else {
        shape->blocks = quotient_up(task->layout.size, per_block);
    }
    if (shape->blocks > GRID_LIMIT) {
        PyErr_Format(PyExc_ValueError, "%zd elements are too many for a grid",
                     task->layout.size);
        return -1;
    }
    return 0;
}

/* Fills `words`, the last parameter of the kernel: the number of elements or,
 * for layout classes with strides, the struct of sizes, shape and strides that
 * the opening comment of this file describes. */
static void
pack_layout(struct elementwise_task *task, npy_intp along)
{
    const struct layout *layout = &task->layout;
    int64_t *words = task->words;

    *words++ = layout->size;
    if (task->class < LAYOUT_ROWS) {
        task->word_count = 1;
        return;
    }
    *words++ = along;
    for (int axis = 0; axis < layout->ndim; axis++) {
        *words++ = layout->shape[axis];
    }
    for (int k = 0; k < layout->operands; k++) {
        for (int axis = 0; axis < layout->ndim; axis++) {
            *words++ = layout->strides[k][axis];
        }
    }
    task->word_count = (int)(words - task->words);
}

int
elementwise_task_run(struct elementwise_task *task)
{
    void *arguments[ARRAY_OPERANDS + 1];
    struct shape shape;
    uint64_t low, high;
    int n = 0, operand = 0;

    choose_class(task);
    pack_key(task, &low, &high);
    PyObject *function = kernel_find(low, high, make_key, task, &task->kernel);
    if (!function || launch_shape(task, &task->kernel, &shape) < 0) {
        Py_XDECREF(function);
        return -1;
    }
    arguments[n++] = &task->pointer[operand++];
    for (int i = 0; i < task->inputs; i++) {
        arguments[n++] = task->scalar[i] ? (void *)task->value[i]
                                         : &task->pointer[operand++];
    }
    pack_layout(task, shape.along);
    arguments[n++] = task->words;
    task->grid[0] = (unsigned)shape.blocks;
    task->grid[1] = task->grid[2] = 1;
    memcpy(task->block, shape.block, sizeof task->block);
    int status = core_launch(task->kernel.handle, task->grid, task->block, 0,
                             task->stream, arguments);
    Py_DECREF(function);
    return status;
}
