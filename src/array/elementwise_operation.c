/* elementwise_operation.c - applies one element-wise operation to arrays and
 * scalars.
 *
 * Called by the slots in operators.c, by copy.c and, as pycuda._driver._apply,
 * by Python. The slow path classifies the operands, looks up the type rule,
 * broadcasts the shapes, finds or allocates the output, and describes the
 * launch to elementwise_task.c. A repeated operation takes the fast path in
 * cached_elementwise.c instead.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/cached_elementwise.h"
#include "array/elementwise_operation.h"
#include "array/elementwise_task.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/operand.h"
#include "array/operation_table.h"
#include "array/raw_copy.h"
#include "array/type_codes.h"
#include "array/validation.h"
#include "core/core.h"

/* --- operands ---------------------------------------------------------- */

/* --- rules that depend on a scalar's value ----------------------------- */

/* Prepares the comparison of an integer array with a Python int that the
 * array's type cannot hold. If the int fits a 64-bit integer type, the scalar
 * gets that type. Otherwise a float infinity of the same sign replaces the
 * int. *keep receives the reference to this float, which the caller
 * releases. */
static int
compare_scalar(struct operand *scalar, int array_code, PyObject **keep)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(scalar->scalar, &overflow);

    if (value == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (!PyTypeNum_ISINTEGER(array_code) ||
        (!overflow && operand_integer_fits(value, array_code))) {
        return 0;
    }
    if (!overflow) {
        scalar->code = NPY_LONGLONG;
        return 0;
    }
    if (overflow > 0 &&
        (PyLong_AsUnsignedLongLong(scalar->scalar) != ULLONG_MAX ||
         !PyErr_Occurred())) {
        scalar->code = NPY_ULONGLONG;
        return 0;
    }
    PyErr_Clear();
    *keep = PyFloat_FromDouble(overflow * Py_HUGE_VAL);
    scalar->scalar = *keep;
    scalar->code = CODE_FLOAT;
    return *keep ? 0 : -1;
}

static int
is_comparison(int operation)
{
    return operation >= OPERATION_LESS && operation <= OPERATION_GREATER_EQUAL;
}

/* Returns whether the type is unsigned and has 64 bits. NumPy promotes such a
 * type and a signed integer to a floating-point type. */
static bool
is_float_with_signed(int code)
{
    return code == NPY_ULONG || code == NPY_ULONGLONG;
}

/* Handles the two cases in which NumPy's result depends on the value of a
 * scalar, not only on its type. In a comparison, the value of a Python int may
 * change the type of the scalar (compare_scalar). If an integer is raised to a
 * negative integer power, raises ValueError and returns -1. */
static int
check_values(int operation, struct operand *operands, int inputs,
             PyObject **keep)
{
    if (inputs != 2) {
        return 0;
    }
    if (is_comparison(operation)) {
        for (int i = 0; i < 2; i++) {
            if (!operands[i].array && operands[i].code == CODE_INT &&
                compare_scalar(&operands[i], operands[1 - i].code, keep) < 0) {
                return -1;
            }
        }
    }
    struct operand *exponent = &operands[1];
    if (operation == OPERATION_POWER && !exponent->array &&
        (exponent->code == CODE_INT ||
         (PyTypeNum_ISSIGNED(exponent->code) &&
          !is_float_with_signed(operands[0].code))) &&
        (PyTypeNum_ISINTEGER(operands[0].code) ||
         PyTypeNum_ISBOOL(operands[0].code) || operands[0].code == CODE_INT)) {
        int overflow;
        long long value =
            PyLong_AsLongLongAndOverflow(exponent->scalar, &overflow);
        if (value == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
        if (overflow < 0 || (!overflow && value < 0)) {
            PyErr_SetString(PyExc_ValueError,
                            "Integers to negative integer powers are not "
                            "allowed.");
            return -1;
        }
    }
    return 0;
}

/* --- shape and output -------------------------------------------------- */

struct shape {
    int ndim;
    npy_intp lengths[ARRAY_MAX_NDIM];
};

/* Returns a list of the operands' shapes, for an error message. */
static PyObject *
shape_text(const struct operand *operands, int inputs)
{
    PyObject *list = PyList_New(0);

    for (int i = 0; list && i < inputs; i++) {
        if (operands[i].array) {
            PyObject *tuple =
                array_tuple(operands[i].array->ndim, operands[i].array->shape);
            if (!tuple || PyList_Append(list, tuple) < 0) {
                Py_CLEAR(list);
            }
            Py_XDECREF(tuple);
        }
    }
    return list;
}

/* Broadcasts the shapes of all array operands. Returns 0, or -1 with a
 * ValueError. */
static int
common_shape(const struct operand *operands, int inputs, struct shape *shape)
{
    shape->ndim = 0;
    for (int i = 0; i < inputs; i++) {
        const struct array *array = operands[i].array;
        if (array && layout_broadcast(&shape->ndim, shape->lengths,
                                      array->ndim, array->shape) < 0) {
            PyObject *text = shape_text(operands, inputs);
            if (text) {
                PyErr_Format(PyExc_ValueError,
                             "operands could not be broadcast together with "
                             "shapes %S",
                             text);
                Py_DECREF(text);
            }
            return -1;
        }
    }
    return 0;
}

static int
has_shape(const struct array *array, const struct shape *shape)
{
    return array->ndim == shape->ndim &&
           memcmp(array->shape, shape->lengths,
                  (size_t)shape->ndim * sizeof *array->shape) == 0;
}

/* Returns the array that determines the class, allocator and memory order of
 * the result: the first input that has the result's shape, else the first
 * array among the inputs. Returns NULL if all operands are scalars. */
static struct array *
choose_model(const struct operand *operands, int inputs,
             const struct shape *shape)
{
    struct array *first = NULL;

    for (int i = 0; i < inputs; i++) {
        struct array *array = operands[i].array;
        if (array && has_shape(array, shape)) {
            return array;
        }
        first = first ? first : array;
    }
    return first;
}

static struct array *
make_output(const struct operand *operands, int inputs,
            const struct shape *shape, PyArray_Descr *dtype, CUstream stream)
{
    struct array *model = choose_model(operands, inputs, shape);
    npy_intp strides[ARRAY_MAX_NDIM];

    if (!model) {
        PyErr_SetString(PyExc_TypeError, "no GPUArray among the operands");
        return NULL;
    }
    if (model->flags & ARRAY_C || !has_shape(model, shape)) {
        return array_new_like(model, dtype, shape->ndim, shape->lengths, NULL,
                              stream);
    }
    layout_pack_like(shape->ndim, shape->lengths, PyDataType_ELSIZE(dtype),
                     model->strides, strides);
    return array_new_like(model, dtype, shape->ndim, shape->lengths, strides,
                          stream);
}

/* Checks that the result fits the given output in shape and, unless `any_cast`
 * is set, in type. Then stores the output's shape in `shape`. */
static int
check_output(const struct array *out, struct shape *shape,
             PyArray_Descr *result, int any_cast)
{
    int ndim = out->ndim;
    npy_intp lengths[ARRAY_MAX_NDIM];

    memcpy(lengths, out->shape, (size_t)ndim * sizeof *lengths);
    if (layout_broadcast(&ndim, lengths, shape->ndim, shape->lengths) < 0 ||
        ndim != out->ndim ||
        memcmp(lengths, out->shape, (size_t)ndim * sizeof *lengths)) {
        PyObject *have = array_tuple(out->ndim, out->shape);
        PyObject *need = array_tuple(shape->ndim, shape->lengths);
        PyErr_Format(
            PyExc_ValueError,
            "the output's shape %S does not fit the operands' shape %S", have,
            need);
        Py_XDECREF(have);
        Py_XDECREF(need);
        return -1;
    }
    if (!any_cast &&
        !PyArray_CanCastTypeTo(result, out->dtype, NPY_SAME_KIND_CASTING)) {
        PyErr_Format(PyExc_TypeError,
                     "cannot cast the result from %S to the output's %S with "
                     "casting rule 'same_kind'",
                     result, out->dtype);
        return -1;
    }
    shape->ndim = out->ndim;
    memcpy(shape->lengths, out->shape, (size_t)ndim * sizeof *lengths);
    return 0;
}

/* --- overlap ----------------------------------------------------------- */

/* Computes the address range that an array touches. */
static void
address_range(const struct array *array, CUdeviceptr *first, CUdeviceptr *end)
{
    npy_intp low, high;

    layout_extent(array->ndim, array->shape, array->strides,
                  PyDataType_ELSIZE(array->dtype), &low, &high);
    *first = array->head.pointer + (CUdeviceptr)low;
    *end = array->head.pointer + (CUdeviceptr)high;
}

/* Returns whether an element-wise write to `out` could change elements of
 * `input` before they are read. */
static int
overlap_is_harmful(const struct array *out, const struct array *input)
{
    CUdeviceptr out_first, out_end, first, end;

    if (out == input ||
        core_owners_are_disjoint(out->head.owner, input->head.owner)) {
        return 0;
    }
    if (out->head.pointer == input->head.pointer && out->ndim == input->ndim &&
        PyDataType_ELSIZE(out->dtype) == PyDataType_ELSIZE(input->dtype) &&
        !memcmp(out->shape, input->shape,
                (size_t)out->ndim * sizeof *out->shape) &&
        !memcmp(out->strides, input->strides,
                (size_t)out->ndim * sizeof *out->strides)) {
        return 0;
    }
    address_range(out, &out_first, &out_end);
    address_range(input, &first, &end);
    return out_first < end && first < out_end;
}

/* --- description of the launch ----------------------------------------- */

static int
task_add(struct elementwise_task *task, int k, const struct array *array)
{
    task->pointer[k] = array->head.pointer;
    task->itemsize[k] = PyDataType_ELSIZE(array->dtype);
    return core_use_in_kernel(array->head.owner, task->stream);
}

/* Checks that an operand still broadcasts to the output. Allocators and
 * _new_like_me are Python code, which may have changed an operand since its
 * shape was examined. */
static int
still_broadcasts(const struct array *array, const struct array *out)
{
    int shift = out->ndim - array->ndim;

    for (int axis = 0; shift >= 0 && axis < array->ndim; axis++) {
        if (array->shape[axis] != 1 &&
            array->shape[axis] != out->shape[axis + shift]) {
            shift = -1;
        }
    }
    if (shift < 0) {
        PyErr_SetString(PyExc_RuntimeError,
                        "an operand changed its shape during the operation, "
                        "or _new_like_me returned another shape");
    }
    return shift < 0 ? -1 : 0;
}

/* Fills the pointers, item sizes and layout of a task, and records that its
 * stream uses the arrays. Returns 0, or -1 with an exception. */
static int
task_dims(struct elementwise_task *task, const struct operand *operands,
          const struct array *out)
{
    struct layout *layout = &task->layout;
    unsigned flags = out->flags;
    int same = 1, k = 1;

    layout->size = out->size;
    for (int i = 0; i < task->inputs; i++) {
        const struct array *array = operands[i].array;
        if (array) {
            flags &= array->flags;
            same &= array->ndim == out->ndim &&
                    !memcmp(array->shape, out->shape,
                            (size_t)out->ndim * sizeof *out->shape);
            if (task_add(task, k++, array) < 0 ||
                (!same && still_broadcasts(array, out) < 0)) {
                return -1;
            }
        }
    }
    if (task_add(task, 0, out) < 0) {
        return -1;
    }
    layout->operands = k;
    task->dense = same && flags & ARRAY_FORC;
    if (task->dense) {
        return 0;
    }
    layout->ndim = out->ndim;
    memcpy(layout->shape, out->shape, (size_t)out->ndim * sizeof *out->shape);
    layout_add(layout, 0, out->ndim, out->shape, out->strides);
    for (int i = 0, at = 1; i < task->inputs; i++) {
        const struct array *array = operands[i].array;
        if (array) {
            layout_add(layout, at++, array->ndim, array->shape,
                       array->strides);
        }
    }
    return 0;
}

/* Stores the type codes of the operands and of the result in a task, and
 * converts its scalars. */
static int
task_types(struct elementwise_task *task, struct operand *operands,
           const struct rule *rule, const struct array *out)
{
    for (int i = 0; i < task->inputs; i++) {
        struct operand *operand = &operands[i];
        task->loop[i] = type_code_of(rule->loop[i]);
        task->scalar[i] = !operand->array;
        task->code[i] = operand->array ? operand->code : task->loop[i];
        if (!operand->array) {
            if (operand_convert(operand, rule->loop[i]) < 0) {
                return -1;
            }
            task->value[i] = operand->value;
        }
    }
    task->result = type_code_of(rule->result);
    task->out = type_code_of(out->dtype);
    return type_code_native(out->dtype);
}

/* Launches the kernel. Inputs that overlap the output or are misaligned are
 * copied first. */
static int
launch_task(struct elementwise_task *task, struct operand *operands,
            struct array *out)
{
    struct array *copies[ARRAY_INPUTS] = {NULL};
    int result = -1;

    for (int i = 0; i < task->inputs; i++) {
        struct array *input = operands[i].array;
        if (input &&
            (overlap_is_harmful(out, input) || array_misaligned(input))) {
            copies[i] = array_contiguous(input, 'K', task->stream);
            if (!copies[i]) {
                goto done;
            }
            operands[i].array = copies[i];
        }
    }
    if (task_dims(task, operands, out) == 0) {
        result = elementwise_task_run(task);
    }
done:
    for (int i = 0; i < task->inputs; i++) {
        Py_XDECREF(copies[i]);
    }
    return result;
}

static void
cache_launch(const struct elementwise_task *task,
             const struct operand *operands, struct array *out,
             const struct rule *rule)
{
    PyObject *objects[ARRAY_INPUTS];

    for (int i = 0; i < task->inputs; i++) {
        objects[i] = operands[i].scalar;
    }
    cached_apply_add(task, objects, out, rule);
}

/* Performs the operation with the output `out`. If `out` is misaligned, the
 * kernel writes to a temporary array, which is then copied to `out`. Adds the
 * launch to the cache of the fast path. */
static int
launch(int operation, struct operand *operands, int inputs,
       const struct rule *rule, struct array *out, CUstream stream)
{
    struct elementwise_task task;

    task.operation = operation;
    task.inputs = inputs;
    task.stream = stream;
    if (task_types(&task, operands, rule, out) < 0) {
        return -1;
    }
    if (out->size == 0) {
        return 0;
    }
    if (!array_misaligned(out)) {
        int result = launch_task(&task, operands, out);
        if (result == 0) {
            cache_launch(&task, operands, out, rule);
        }
        return result;
    }
    struct array *apart =
        array_new_like(out, out->dtype, out->ndim, out->shape, NULL, stream);
    int result = apart ? launch_task(&task, operands, apart) : -1;
    if (result == 0) {
        result = array_copy_same_dtype(out, apart, stream);
    }
    Py_XDECREF(apart);
    return result;
}

/* --- public ------------------------------------------------------------ */

/* Classifies all operands. Returns 1 on success, 0 if an object cannot be an
 * operand, or -1 with an exception. */
static int
classify_operands(struct operand *operands, int inputs,
                  PyObject *const *objects, int *codes)
{
    for (int i = 0; i < inputs; i++) {
        int known = operand_set(&operands[i], objects[i]);
        if (known != 1) {
            return known;
        }
    }
    for (int i = 0; i < inputs; i++) {
        codes[i] = operands[i].code;
    }
    return 1;
}

/* Returns a new reference to the output: `out`, or a new array. */
static struct array *
get_output(struct array *out, PyArray_Descr *dtype, const struct rule *rule,
           struct operand *operands, int inputs, int operation,
           CUstream stream)
{
    struct shape shape;
    PyArray_Descr *result = dtype ? dtype : rule->result;

    if (common_shape(operands, inputs, &shape) < 0) {
        return NULL;
    }
    if (!out) {
        return make_output(operands, inputs, &shape, result, stream);
    }
    if (check_output(out, &shape, result, operation == OPERATION_COPY) < 0) {
        return NULL;
    }
    return (struct array *)Py_NewRef(out);
}

/* Slow path of array_apply: operations whose launch is not in the cache. */
static __attribute__((noinline)) PyObject *
apply_slow(int operation, int inputs, PyObject *const *objects,
           struct array *out, PyArray_Descr *dtype, CUstream stream)
{
    struct operand operands[ARRAY_INPUTS];
    int codes[ARRAY_INPUTS] = {0};
    PyObject *keep = NULL;
    struct array *result = NULL;

    int known = classify_operands(operands, inputs, objects, codes);
    if (known == 0) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (known < 0 || check_values(operation, operands, inputs, &keep) < 0) {
        goto done;
    }
    for (int i = 0; i < inputs; i++) {
        codes[i] = operands[i].code;
    }
    const struct rule *rule = operation_rule(operation, inputs, codes);
    if (!rule) {
        goto done;
    }
    result = get_output(out, dtype, rule, operands, inputs, operation, stream);
    if (result &&
        launch(operation, operands, inputs, rule, result, stream) < 0) {
        Py_CLEAR(result);
    }
done:
    Py_XDECREF(keep);
    return (PyObject *)result;
}

/* Applies an operation to the first `inputs` entries of `objects`. Writes to
 * `out`, or to a new array of type `dtype` if `out` is NULL. If `dtype` is
 * NULL too, the type rule of the operation determines the type. Returns a new
 * reference to the output or to Py_NotImplemented, or NULL with an
 * exception. */
PyObject *
array_apply(int operation, int inputs, PyObject *const *objects,
            struct array *out, PyArray_Descr *dtype, CUstream stream)
{
    PyObject *made;

    return !dtype &&
                   cached_apply(operation, inputs, objects, out, stream, &made)
               ? made
               : apply_slow(operation, inputs, objects, out, dtype, stream);
}

/* _apply(name, inputs, out=None, dtype=None, stream=None): calls array_apply
 * from Python. */
PyObject *
array_apply_python(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"name", "inputs", "out", "dtype", "stream", NULL};
    PyObject *name, *inputs, *out = Py_None, *type = Py_None,
                             *stream = Py_None;
    PyArray_Descr *dtype = NULL;
    CUstream handle;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!|OOO:_apply", names,
                                     &name, &PyTuple_Type, &inputs, &out,
                                     &type, &stream)) {
        return NULL;
    }
    int operation = operation_number(name);
    if (operation < 0 || core_stream(stream, &handle) < 0) {
        return NULL;
    }
    Py_ssize_t n = PyTuple_GET_SIZE(inputs);
    if (n > ARRAY_INPUTS || (out != Py_None && !array_check(out))) {
        PyErr_Format(PyExc_TypeError, "at most %d inputs; out is a GPUArray",
                     ARRAY_INPUTS);
        return NULL;
    }
    if (type != Py_None && !PyArray_DescrConverter(type, &dtype)) {
        return NULL;
    }
    PyObject *result = array_apply(
        operation, (int)n, ((PyTupleObject *)inputs)->ob_item,
        out == Py_None ? NULL : (struct array *)out, dtype, handle);
    Py_XDECREF(dtype);
    return result;
}
