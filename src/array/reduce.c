/* reduce.c - reductions of whole arrays to one element on the device.
 *
 * Called by fast_ufunc.c, planned_method.c and, as pycuda._driver._reduce, by
 * Python. In one kernel, each block reduces `per_block` elements. If there are
 * several blocks, each increments a counter of finished blocks, which belongs
 * to the stream. The block that finishes last combines all partial results.
 * During a capture there is no such counter, since the graph may run on any
 * stream; a second launch then combines the partial results. The order of the
 * elements does not affect the result, so contiguous inputs of any axis order
 * are read as flat arrays. Other inputs are copied to contiguous memory first.
 *
 * A kernel has these parameters: the output, the inputs in order, the number
 * of elements, the number of elements per block, the partial results, and the
 * counter or NULL.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/cached_reduction.h"
#include "array/elementwise_operation.h"
#include "array/kernel.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/operand.h"
#include "array/operation_table.h"
#include "array/raw_copy.h"
#include "array/reduce.h"
#include "array/type_codes.h"
#include "core/core.h"

struct reduction {
    int operation;
    int inputs;
    /* 1: the kernel reduces the inputs; 2: it combines partial results */
    int stage;
    int code[ARRAY_INPUTS];
    const struct rule *rule;
    int out; /* type code of the accumulator and of the output array */
    /* Kernel and block size of the first stage. */
    struct kernel kernel;
    npy_intp blocks, per_block;
    npy_intp size; /* number of elements of each input */
};

/* Returns the key for Python's kernel factory: ("reduce", name, stage, types
 * in memory, accumulator type). */
static PyObject *
make_key(void *data)
{
    struct reduction *reduction = data;
    PyObject *types = PyTuple_New(reduction->inputs);

    for (int i = 0; types && i < reduction->inputs; i++) {
        PyObject *type = type_code_dtype(reduction->code[i]);
        if (!type) {
            Py_DECREF(types);
            return NULL;
        }
        PyTuple_SET_ITEM(types, i, type);
    }
    return Py_BuildValue(
        "(sOiNN)", "reduce", operation_name(reduction->operation),
        reduction->stage, types, type_code_dtype(reduction->out));
}

static PyObject *
find_kernel(struct reduction *reduction, struct kernel *kernel)
{
    uint64_t low = 2 | (uint64_t)reduction->stage;
    uint64_t high = (uint64_t)1 << 63 | (uint64_t)reduction->operation;

    for (int i = 0; i < reduction->inputs; i++) {
        low = low << 6 | (uint64_t)reduction->code[i];
    }
    low = low << 6 | (uint64_t)reduction->out;
    return kernel_find(low, high, make_key, reduction, kernel);
}

/* Returns the number of blocks for n elements. Stores the number of elements
 * per block, a multiple of what the block's threads process in one loop
 * iteration. */
static npy_intp
plan(const struct kernel *kernel, npy_intp n, npy_intp *per_block)
{
    npy_intp tile = (npy_intp)kernel->block * kernel->per_thread;
    npy_intp blocks = (n + tile - 1) / tile;

    if (blocks > (npy_intp)kernel->max_blocks) {
        blocks = kernel->max_blocks;
    }
    *per_block = (n + blocks - 1) / blocks;
    *per_block = (*per_block + tile - 1) / tile * tile;
    return (n + *per_block - 1) / *per_block;
}

/* Arguments of a launch. The second stage has one input, the partial results
 * of the first stage. */
struct work {
    CUdeviceptr out;
    CUdeviceptr *in;
    int inputs;
    npy_intp n;
    npy_intp per_block;
    npy_intp blocks;
    /* device address of the partial results of the blocks */
    CUdeviceptr partials;
    /* device address of the counter of finished blocks, or 0 */
    CUdeviceptr done;
    CUstream stream;
};

static int
launch(const struct kernel *kernel, struct work *work)
{
    unsigned grid[3] = {(unsigned)work->blocks, 1, 1};
    unsigned block[3] = {kernel->block, 1, 1};
    int64_t count = work->n, share = work->per_block;
    void *arguments[ARRAY_OPERANDS + 4];
    int at = 0;

    arguments[at++] = &work->out;
    for (int i = 0; i < work->inputs; i++) {
        arguments[at++] = &work->in[i];
    }
    arguments[at++] = &count;
    arguments[at++] = &share;
    arguments[at++] = &work->partials;
    arguments[at++] = &work->done;
    return core_launch(kernel->handle, grid, block, 0, work->stream,
                       arguments);
}

/* Combines the partial results of the first stage in a second launch. Needed
 * if the first launch had no counter of finished blocks. */
static int
run_second_stage(struct reduction *reduction, const struct work *first)
{
    CUdeviceptr in = first->partials;
    struct work work = {
        .out = first->out,
        .in = &in,
        .inputs = 1,
        .n = first->blocks,
        .per_block = first->blocks,
        .blocks = 1,
        .stream = first->stream,
    };

    reduction->stage = 2;
    reduction->inputs = 1;
    reduction->code[0] = reduction->out;
    struct kernel kernel;
    PyObject *function = find_kernel(reduction, &kernel);
    int status = function ? launch(&kernel, &work) : -1;
    Py_XDECREF(function);
    return status;
}

/* Launches the first stage with reduction->kernel, and the second stage if
 * necessary. */
static int
run_first_stage(struct reduction *reduction, struct work *work,
                npy_intp out_bytes)
{
    const struct kernel *kernel = &reduction->kernel;
    PyObject *partials = NULL;

    work->blocks = plan(kernel, work->n, &work->per_block);
    reduction->blocks = work->blocks;
    reduction->per_block = work->per_block;
    size_t bytes = (size_t)(work->blocks * out_bytes);
    if (work->blocks > 1 &&
        core_scratch(work->stream, bytes, &work->done, &work->partials) < 0) {
        return -1;
    }
    if (work->blocks > 1 && !work->done) {
        partials = core_allocate(bytes, work->stream);
        if (!partials) {
            return -1;
        }
        work->partials = core_allocation_pointer(partials);
    }
    int result = launch(kernel, work);
    if (result == 0 && work->blocks > 1 && !work->done) {
        result = run_second_stage(reduction, work);
    }
    Py_XDECREF(partials);
    return result;
}

/* Finds the kernel and computes the whole reduction. Returns 0, or -1 with an
 * exception. */
static int
run(struct reduction *reduction, struct work *work, npy_intp out_bytes)
{
    PyObject *function = find_kernel(reduction, &reduction->kernel);
    int status = function ? run_first_stage(reduction, work, out_bytes) : -1;

    Py_XDECREF(function);
    return status;
}

/* --- operands ---------------------------------------------------------- */

/* Makes all inputs readable as flat arrays with the elements in the same
 * order, by copies where necessary. Stores new references in `flat`, also on
 * failure. */
static int
flatten(struct array *const *inputs, int n, struct array **flat,
        CUstream stream)
{
    unsigned flags = ARRAY_FORC;

    for (int i = 0; i < n; i++) {
        flags &= inputs[i]->flags;
    }
    for (int i = 0; i < n; i++) {
        int dense =
            n == 1 && layout_contiguous(inputs[i]->ndim, inputs[i]->shape,
                                        inputs[i]->strides,
                                        PyDataType_ELSIZE(inputs[i]->dtype));
        flat[i] = flags || dense || inputs[i]->flags & ARRAY_C
                      ? (struct array *)Py_NewRef(inputs[i])
                      : array_contiguous(inputs[i], 'C', stream);
        if (!flat[i]) {
            return -1;
        }
    }
    if (!flags) {
        /* Inputs of mixed orders: copy those in Fortran order to C order. */
        for (int i = 0; n > 1 && i < n; i++) {
            if (!(flat[i]->flags & ARRAY_C)) {
                Py_SETREF(flat[i], array_contiguous(flat[i], 'C', stream));
                if (!flat[i]) {
                    return -1;
                }
            }
        }
    }
    return 0;
}

/* Reduces the inputs into `out`. Copies misaligned inputs first. Returns 0, or
 * -1 with an exception. */
static int
reduce_into(struct reduction *reduction, struct array *const *inputs,
            struct array *out, CUstream stream)
{
    struct array *flat[ARRAY_INPUTS] = {NULL};
    CUdeviceptr pointers[ARRAY_INPUTS];
    int result = -1, n = reduction->inputs;

    if (flatten(inputs, n, flat, stream) == 0) {
        for (int i = 0; i < n; i++) {
            if (array_misaligned(flat[i])) {
                Py_SETREF(flat[i], array_contiguous(flat[i], 'K', stream));
                if (!flat[i]) {
                    goto done;
                }
            }
            pointers[i] = flat[i]->head.pointer;
            if (core_use_in_kernel(flat[i]->head.owner, stream) < 0) {
                goto done;
            }
        }
        if (core_use_in_kernel(out->head.owner, stream) < 0) {
            goto done;
        }
        reduction->size = flat[0]->size;
        struct work work = {
            .out = out->head.pointer,
            .in = pointers,
            .inputs = n,
            .n = reduction->size,
            .stream = stream,
        };
        result = run(reduction, &work, PyDataType_ELSIZE(out->dtype));
    }
done:
    for (int i = 0; i < n; i++) {
        Py_XDECREF(flat[i]);
    }
    return result;
}

/* Stores the arrays of a tuple in a C array as borrowed references. Returns 0,
 * or -1 with a TypeError. */
static int
parse_inputs(struct reduction *reduction, PyObject *tuple,
             struct array **inputs)
{
    Py_ssize_t n = PyTuple_GET_SIZE(tuple);

    if (n < 1 || n > ARRAY_INPUTS) {
        PyErr_SetString(PyExc_TypeError, "a reduction has 1 to 3 inputs");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        struct operand operand;
        int known = operand_set(&operand, PyTuple_GET_ITEM(tuple, i));
        if (known < 0) {
            return -1;
        }
        if (!known || !operand.array) {
            PyErr_Format(PyExc_TypeError, "expected a GPUArray, not %s",
                         Py_TYPE(PyTuple_GET_ITEM(tuple, i))->tp_name);
            return -1;
        }
        inputs[i] = operand.array;
        reduction->code[i] = operand.code;
    }
    reduction->inputs = (int)n;
    return 0;
}

/* Allocates the result, an array without axes of the class of `model`, with
 * memory from `allocator`. If `allocator` is None, uses the allocator of
 * `model`. */
static struct array *
make_result(struct array *model, PyArray_Descr *dtype, PyObject *allocator,
            CUstream stream)
{
    struct array *result;

    if (allocator == Py_None) {
        allocator = model->allocator;
    } else if (allocator == array_default_allocator()) {
        allocator = NULL;
    }
    Py_XINCREF(allocator);
    result =
        array_new_like_from(model, allocator, dtype, 0, NULL, NULL, stream);
    Py_XDECREF(allocator);
    return result;
}

bool
array_reduces_all(const struct array *array)
{
    return array->size > 0 && (PyDataType_ELSIZE(array->dtype) != 2 ||
                               PyTypeNum_ISINTEGER(array->dtype->type_num));
}

/* Returns whether the arrays still have the size and the types with which the
 * reduction was computed. The launch may release the GIL, and another thread
 * may then set the attributes of an array. */
static bool
inputs_are_unchanged(const struct reduction *reduction, const int *codes,
                     int inputs, struct array *const *arrays)
{
    for (int i = 0; i < inputs; i++) {
        if (type_code_of(arrays[i]->dtype) != codes[i] ||
            arrays[i]->size != reduction->size) {
            return false;
        }
    }
    return true;
}

/* Slow path of array_reduce_all: reductions without a cached launch. */
static __attribute__((noinline)) PyObject *
reduce_slow(int operation, int inputs, PyObject *const *objects)
{
    struct reduction reduction = {
        .operation = operation, .inputs = inputs, .stage = 1};
    struct array *arrays[ARRAY_INPUTS];
    int codes[ARRAY_INPUTS];
    struct array *result;

    for (int i = 0; i < inputs; i++) {
        struct operand operand;
        if (operand_set(&operand, objects[i]) < 0) {
            return NULL;
        }
        arrays[i] = operand.array;
        codes[i] = reduction.code[i] = operand.code;
    }
    reduction.rule = operation_rule(operation, inputs, reduction.code);
    if (!reduction.rule) {
        return NULL;
    }
    reduction.out = type_code_of(reduction.rule->result);
    result = array_new_like(arrays[inputs - 1], reduction.rule->result, 0,
                            NULL, NULL, NULL);
    if (result && reduce_into(&reduction, arrays, result, NULL) < 0) {
        Py_CLEAR(result);
    } else if (result &&
               inputs_are_unchanged(&reduction, codes, inputs, arrays)) {
        cached_reduction_add(operation, inputs, objects,
                             reduction.rule->result, &reduction.kernel,
                             reduction.blocks, reduction.per_block);
    }
    return (PyObject *)result;
}

/* Reduces arrays of one shape that are not empty. Uses the default stream and
 * the default result type of the operation. */
PyObject *
array_reduce_all(int operation, int inputs, PyObject *const *objects)
{
    PyObject *made;

    return cached_reduction_run(operation, inputs, objects, &made)
               ? made
               : reduce_slow(operation, inputs, objects);
}

/* _reduce(name, inputs, dtype=None, stream=None, allocator=None,
 * neutral=None): reduces arrays; `neutral` is the result for empty inputs. */
PyObject *
array_reduce_python(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"name",      "inputs",  "dtype", "stream",
                            "allocator", "neutral", NULL};
    PyObject *name, *tuple, *type = Py_None, *given = Py_None;
    PyObject *allocator = Py_None, *neutral = Py_None;
    struct reduction reduction = {.stage = 1};
    struct array *inputs[ARRAY_INPUTS], *result;
    PyArray_Descr *dtype = NULL;
    CUstream stream;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!|OOOO:_reduce", names,
                                     &name, &PyTuple_Type, &tuple, &type,
                                     &given, &allocator, &neutral) ||
        core_stream(given, &stream) < 0 ||
        parse_inputs(&reduction, tuple, inputs) < 0) {
        return NULL;
    }
    reduction.operation = operation_number(name);
    if (reduction.operation < 0) {
        return NULL;
    }
    reduction.rule =
        operation_rule(reduction.operation, reduction.inputs, reduction.code);
    if (!reduction.rule ||
        (type != Py_None && !PyArray_DescrConverter(type, &dtype))) {
        return NULL;
    }
    if (!dtype) {
        dtype = (PyArray_Descr *)Py_NewRef(reduction.rule->result);
    }
    reduction.out = type_code_of(dtype);
    result = type_code_native(dtype) < 0
                 ? NULL
                 : make_result(inputs[reduction.inputs - 1], dtype, allocator,
                               stream);
    Py_DECREF(dtype);
    int status = -1;
    if (result && inputs[0]->size == 0) {
        PyObject *filled =
            array_apply(OPERATION_COPY, 1, &neutral, result, NULL, stream);
        status = filled ? 0 : -1;
        Py_XDECREF(filled);
    } else if (result) {
        status = reduce_into(&reduction, inputs, result, stream);
    }
    if (status < 0) {
        Py_CLEAR(result);
    }
    return (PyObject *)result;
}
