/* repeat.c - an operation on dense arrays that was made before.
 *
 * Called by apply.c.  What an operation on contiguous arrays of one shape
 * comes to - types, kernel, grid - depends on few things that a look at the
 * operands tells; it is remembered, so that the next one like it is a launch
 * and no more.  A driver's call leaves cold caches behind, and then the way
 * through apply.c and task.c costs more than the launch's own.
 *
 * Owns references to the dtypes that it compares as pointers; kernels live as
 * long as the process.  A newer operation takes the place of an older one, at
 * any time that the GIL is given away.
 *
 * SPDX-License-Identifier: MIT */
#include "array/repeat.h"

#define PLACES 256 /* a power of two */

struct repeat {
    void *context;
    int operation;
    int inputs;
    int is_given;                /* the result: the first input, or what a
                                  * scalar fills */
    PyObject *type[REPEAT_MOST]; /* strong: of an array, or a scalar's; the
                                  * second may be that of what is filled, or
                                  * of the result of a copy */
    npy_intp size;
    CUdeviceptr mask; /* address bits that are to be zero */
    const struct rule *rule;
    const struct kernel *kernel;
    unsigned grid[3], block[3];
};

static struct repeat repeats[PLACES];

/* What stands for an operand: an array's dtype or a number's class; NULL for
 * operands whose value or kind may change what is done. */
static PyObject *
type_of(int operation, PyObject *object)
{
    if (array_plain(object)) {
        struct array *array = (struct array *)object;
        return array->flags & ARRAY_C ? (PyObject *)array->dtype : NULL;
    }
    if (operation == OPERATION_COPY) { /* into the type that it has */
        return PyArray_IsScalar(object, Number) ? (PyObject *)Py_TYPE(object)
                                                : NULL;
    }
    bool any_value =
        operation == OPERATION_ADD || operation == OPERATION_SUBTRACT ||
        operation == OPERATION_MULTIPLY || operation == OPERATION_DIVIDE;
    return PyFloat_CheckExact(object) ||
                   (any_value && PyLong_CheckExact(object))
               ? (PyObject *)Py_TYPE(object)
               : NULL;
}

/* Whether the arrays among the operands have one shape; all but the context,
 * the kernel and the grid.  `out` is what may be filled. */
static bool
repeat_describe(struct repeat *key, struct array **model, CUdeviceptr *bits,
                PyObject *const *objects, struct array *out)
{
    *model = NULL;
    *bits = 0;
    for (int i = 0; i < key->inputs; i++) {
        key->type[i] = type_of(key->operation, objects[i]);
        if (!key->type[i]) {
            return false;
        }
        if (!array_plain(objects[i])) {
            continue;
        }
        struct array *array = (struct array *)objects[i];
        *bits |= array->head.pointer;
        if (!*model) {
            *model = array;
        } else if (array->ndim != (*model)->ndim ||
                   (array->ndim > 0 &&
                    memcmp(array->shape, (*model)->shape,
                           (size_t)array->ndim * sizeof *array->shape))) {
            return false;
        }
    }
    if (!*model && out && key->inputs == 1 && out->flags & ARRAY_C) {
        *model = out;
        *bits = out->head.pointer;
        key->type[1] = (PyObject *)out->dtype;
        key->is_given = 1;
    }
    key->size = *model ? (*model)->size : 0;
    return key->size > 0;
}

static struct repeat *
repeat_place(const struct repeat *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key->type[0] >> 4;

    hash = (hash * 31 + ((uint64_t)(uintptr_t)key->type[1] >> 4)) * 31;
    hash = (hash + (uint64_t)key->size) * 31 + (uint64_t)key->operation * 2 +
           (uint64_t)key->is_given;
    return &repeats[hash * 0x9e3779b97f4a7c15u >> 56 & (PLACES - 1)];
}

static bool
repeat_equal(const struct repeat *a, const struct repeat *b)
{
    return a->context == b->context && a->operation == b->operation &&
           a->inputs == b->inputs && a->is_given == b->is_given &&
           a->type[0] == b->type[0] && a->type[1] == b->type[1] &&
           a->size == b->size;
}

/* Whether the other input may be read while the first is written. */
static bool
may_write(PyObject *const *objects, int inputs, const struct array *out)
{
    if ((PyObject *)out != objects[0]) {
        return inputs == 1 && !array_plain(objects[0]);
    }
    return inputs == 1 || objects[1] == objects[0] ||
           !array_plain(objects[1]) ||
           core_apart(out->head.owner,
                      ((struct array *)objects[1])->head.owner);
}

static int
repeat_launch(const struct repeat *repeat, PyObject *const *objects,
              const struct array *result, CUstream stream)
{
    CUdeviceptr pointer[REPEAT_MOST + 1];
    struct operand scalar[REPEAT_MOST];
    void *arguments[REPEAT_MOST + 2];
    int64_t size = repeat->size;
    int n = 1;

    for (int i = 0; i < repeat->inputs; i++) {
        struct array *array = (struct array *)objects[i];
        if (!array_plain(objects[i])) {
            if (operand_set(&scalar[i], objects[i]) < 0 ||
                operand_convert(&scalar[i], repeat->rule->loop[i]) < 0) {
                return -1;
            }
            arguments[n++] = scalar[i].value;
            continue;
        }
        if (core_use(array->head.owner, stream) < 0) {
            return -1;
        }
        pointer[i + 1] = array->head.pointer;
        arguments[n++] = &pointer[i + 1];
    }
    if (core_use(result->head.owner, stream) < 0) {
        return -1;
    }
    pointer[0] = result->head.pointer;
    arguments[0] = &pointer[0];
    arguments[n++] = &size;
    return core_launch(repeat->kernel->handle, repeat->grid, repeat->block, 0,
                       stream, arguments);
}

/* The operation of the key, whose arrays are as `model`, with a result `out`
 * or a new one of `dtype`, NULL: that of the rule. */
static bool
repeat_make(struct repeat *key, struct array *model, CUdeviceptr bits,
            PyObject *const *objects, struct array *out, PyArray_Descr *dtype,
            CUstream stream, PyObject **result)
{
    const struct repeat *place = repeat_place(key);

    if (core_context(&key->context) < 0) {
        PyErr_Clear();
        return false;
    }
    if (!repeat_equal(place, key) || bits & place->mask) {
        return false;
    }
    /* A launch may give the GIL away, and an allocation run Python's code:
     * then another operation may take the place. */
    const struct repeat repeat = *place;
    struct array *made =
        out ? (struct array *)Py_NewRef(out)
            : array_new_like(model, dtype ? dtype : repeat.rule->result,
                             model->ndim, model->shape, NULL, stream);
    /* The allocation may have changed arrays. */
    if (made && (made->size != repeat.size || model->size != repeat.size ||
                 made->head.pointer & repeat.mask)) {
        Py_DECREF(made);
        return false;
    }
    if (made && repeat_launch(&repeat, objects, made, stream) < 0) {
        Py_CLEAR(made);
    }
    *result = (PyObject *)made;
    return true;
}

/* Whether the operation was made, or has failed with an exception: then
 * *result is what array_apply returns. */
bool
repeat_apply(int operation, int inputs, PyObject *const *objects,
             struct array *out, CUstream stream, PyObject **result)
{
    struct repeat key = {
        .operation = operation, .inputs = inputs, .is_given = out != NULL};
    struct array *model;
    CUdeviceptr bits;

    return inputs <= REPEAT_MOST &&
           repeat_describe(&key, &model, &bits, objects, out) &&
           (!out || may_write(objects, inputs, out)) &&
           repeat_make(&key, model, bits, objects, out, NULL, stream, result);
}

/* The same for a copy of another dtype. */
bool
repeat_cast(PyObject *array, PyArray_Descr *dtype, CUstream stream,
            PyObject **result)
{
    struct repeat key = {.operation = OPERATION_COPY, .inputs = 1};
    struct array *model;
    CUdeviceptr bits;

    if (!array_plain(array) ||
        !repeat_describe(&key, &model, &bits, &array, NULL)) {
        return false;
    }
    key.type[1] = (PyObject *)dtype;
    return repeat_make(&key, model, bits, &array, NULL, dtype, stream, result);
}

/* Address bits that are zero where elements can be loaded. */
static CUdeviceptr
alignment_bits(const struct array *array)
{
    return (CUdeviceptr)PyDataType_ALIGNMENT(array->dtype) - 1;
}

/* Remembers what the task came to, which made `out` of the objects. */
void
repeat_learn(const struct task *task, PyObject *const *objects,
             struct array *out, const struct rule *rule)
{
    struct repeat key = {.operation = task->operation,
                         .inputs = task->inputs,
                         .is_given = (PyObject *)out == objects[0],
                         .rule = rule,
                         .kernel = task->kernel};
    bool aligned = task->class == LAYOUT_ALIGNED;
    struct array *model;
    CUdeviceptr bits;

    if (!task->dense || task->inputs > REPEAT_MOST ||
        (!aligned && out->size >= ALIGN_MINIMUM) || /* others may lie better */
        !repeat_describe(&key, &model, &bits, objects, out)) {
        return;
    }
    if (out->size != key.size || !(out->flags & ARRAY_C)) {
        return;
    }
    if (!key.is_given && key.operation == OPERATION_COPY) {
        key.type[1] = (PyObject *)out->dtype;
    } else if (!key.is_given && out->dtype != rule->result) {
        return;
    }
    if (core_context(&key.context) < 0) {
        PyErr_Clear();
        return;
    }
    key.mask = (aligned ? 15 : 0) | alignment_bits(out);
    for (int i = 0; i < key.inputs; i++) {
        if (array_plain(objects[i])) {
            key.mask |= alignment_bits((struct array *)objects[i]);
        }
    }
    memcpy(key.grid, task->grid, sizeof key.grid);
    memcpy(key.block, task->block, sizeof key.block);
    struct repeat *place = repeat_place(&key), old = *place;
    for (int i = 0; i < REPEAT_MOST; i++) {
        Py_XINCREF(key.type[i]);
    }
    *place = key;
    for (int i = 0; i < REPEAT_MOST; i++) {
        Py_XDECREF(old.type[i]);
    }
}
