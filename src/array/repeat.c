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

/* One cache line: what is compared comes first. */
struct repeat {
    void *context;
    PyObject *type[REPEAT_MOST]; /* strong: of an array, or a scalar's; the
                                  * second may be that of what is filled, or
                                  * of the result of a copy */
    npy_intp size;
    uint32_t form;   /* the operation, its inputs, whether it fills one of its
                      * arrays */
    uint32_t mask;   /* address bits that are to be zero */
    unsigned blocks; /* of the grid */
    unsigned threads;
    CUfunction function;
    const struct rule *rule;
} __attribute__((aligned(64)));

static struct repeat repeats[PLACES];

/* `is_given`: the result is the first input, or what a scalar fills. */
static uint32_t
form_of(int operation, int inputs, bool is_given)
{
    return (uint32_t)operation << 8 | (uint32_t)inputs << 1 | is_given;
}

/* What stands for a number: its class; NULL where its value or kind may
 * change what is done. */
static PyObject *
number_type(int operation, PyObject *object)
{
    bool is_known = PyFloat_CheckExact(object);

    if (operation == OPERATION_COPY) { /* into the type that it has */
        is_known = PyArray_IsScalar(object, Number);
    } else if (!is_known && PyLong_CheckExact(object)) {
        is_known =
            operation == OPERATION_ADD || operation == OPERATION_SUBTRACT ||
            operation == OPERATION_MULTIPLY || operation == OPERATION_DIVIDE;
    }
    return is_known ? (PyObject *)Py_TYPE(object) : NULL;
}

static bool
same_shape(const struct array *a, const struct array *b)
{
    if (a->ndim != b->ndim) {
        return false;
    }
    for (int axis = 0; axis < a->ndim; axis++) {
        if (a->shape[axis] != b->shape[axis]) {
            return false;
        }
    }
    return true;
}

/* What an operation's arrays have in common. */
struct common {
    struct array *model; /* the first; or what a number fills */
    CUdeviceptr bits;    /* of the addresses */
    bool is_given;       /* as in form_of */
};

/* Whether the arrays among the operands have one shape, and lie in C order;
 * all but the context and the launch.  `out` is what may be filled. */
static bool
repeat_describe(struct repeat *key, struct common *common, int operation,
                int inputs, PyObject *const *objects, struct array *out)
{
    *common = (struct common){0};
    for (int i = 0; i < inputs; i++) {
        struct array *array = (struct array *)objects[i];
        if (!array_plain(objects[i])) {
            key->type[i] = number_type(operation, objects[i]);
            if (!key->type[i]) {
                return false;
            }
            continue;
        }
        if (!(array->flags & ARRAY_C) ||
            (common->model && !same_shape(array, common->model))) {
            return false;
        }
        key->type[i] = (PyObject *)array->dtype;
        common->bits |= array->head.pointer;
        common->model = common->model ? common->model : array;
    }
    if (!common->model && out && inputs == 1 && out->flags & ARRAY_C) {
        common->model = out;
        common->bits = out->head.pointer;
        key->type[1] = (PyObject *)out->dtype;
    }
    common->is_given =
        out && (array_plain(objects[0]) ? (PyObject *)out == objects[0]
                                        : out == common->model);
    key->form = form_of(operation, inputs, common->is_given);
    key->size = common->model ? common->model->size : 0;
    return key->size > 0;
}

static struct repeat *
repeat_place(const struct repeat *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key->type[0] >> 4;

    hash = (hash * 31 + ((uint64_t)(uintptr_t)key->type[1] >> 4)) * 31;
    hash = (hash + (uint64_t)key->size) * 31 + (uint64_t)key->form;
    return &repeats[hash * 0x9e3779b97f4a7c15u >> 56 & (PLACES - 1)];
}

static bool
repeat_equal(const struct repeat *a, const struct repeat *b)
{
    return a->context == b->context && a->form == b->form &&
           a->type[0] == b->type[0] && a->type[1] == b->type[1] &&
           a->size == b->size;
}

/* Whether `out` lies as a new result would, and inputs may be read while it
 * is written. */
static bool
may_write(const struct common *common, PyObject *const *objects, int inputs,
          struct array *out)
{
    if (!common->is_given &&
        (!array_plain((PyObject *)out) || !(out->flags & ARRAY_C) ||
         !same_shape(out, common->model))) {
        return false;
    }
    for (int i = 0; i < inputs; i++) {
        if (array_plain(objects[i]) && objects[i] != (PyObject *)out &&
            !core_apart(out->head.owner,
                        ((struct array *)objects[i])->head.owner)) {
            return false;
        }
    }
    return true;
}

/* A look-up: where and for what. */
struct again {
    struct repeat key;
    struct common common;
    struct core_context *context;
    CUstream stream;
};

/* The operation of the key in the current context, or NULL. */
static const struct repeat *
repeat_find(struct again *again)
{
    const struct repeat *place;

    again->context = core_here(&again->key.context, &again->stream);
    if (!again->context) {
        PyErr_Clear();
        return NULL;
    }
    place = repeat_place(&again->key);
    return repeat_equal(place, &again->key) &&
                   !(again->common.bits & place->mask)
               ? place
               : NULL;
}

static int
launch(const struct repeat *repeat, const struct again *again,
       void **arguments)
{
    const unsigned grid[3] = {repeat->blocks, 1, 1};
    const unsigned block[3] = {repeat->threads, 1, 1};

    return core_launch_in(again->context, repeat->function, grid, block, 0,
                          again->stream, arguments);
}

static int
repeat_launch(const struct repeat *repeat, const struct again *again,
              int inputs, PyObject *const *objects, struct array *result)
{
    struct operand scalar[REPEAT_MOST];
    CUdeviceptr pointer[REPEAT_MOST + 1] = {result->head.pointer};
    void *arguments[REPEAT_MOST + 2] = {&pointer[0]};
    int64_t size = repeat->size;

    for (int i = 0; i < inputs; i++) {
        struct array *array = (struct array *)objects[i];
        if (!array_plain(objects[i])) {
            if (operand_set(&scalar[i], objects[i]) < 0 ||
                operand_convert(&scalar[i], repeat->rule->loop[i]) < 0) {
                return -1;
            }
            arguments[i + 1] = scalar[i].value;
            continue;
        }
        if (core_use(array->head.owner, again->stream) < 0) {
            return -1;
        }
        pointer[i + 1] = array->head.pointer;
        arguments[i + 1] = &pointer[i + 1];
    }
    if (core_use(result->head.owner, again->stream) < 0) {
        return -1;
    }
    arguments[inputs + 1] = &size;
    return launch(repeat, again, arguments);
}

/* The operation, with a result `out` or a new one of `dtype`, NULL: that of
 * the rule. */
static bool
repeat_make(struct again *again, int inputs, PyObject *const *objects,
            struct array *out, PyArray_Descr *dtype, PyObject **result)
{
    struct array *model = again->common.model;
    const struct repeat *place = repeat_find(again);

    if (!place) {
        return false;
    }
    /* A launch may give the GIL away, and an allocation run Python's code:
     * then another operation may take the place. */
    const struct repeat repeat = *place;
    if (out && !again->common.is_given && !dtype &&
        out->dtype != repeat.rule->result) {
        return false;
    }
    struct array *made =
        out ? (struct array *)Py_NewRef(out)
            : array_new_again(model, model->ndim,
                              dtype ? dtype : repeat.rule->result,
                              again->context, again->stream);
    /* The allocation may have changed arrays. */
    if (made && (made->size != repeat.size || model->size != repeat.size ||
                 made->head.pointer & repeat.mask)) {
        Py_DECREF(made);
        return false;
    }
    if (made && repeat_launch(&repeat, again, inputs, objects, made) < 0) {
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
    struct again again = {.stream = stream};
    PyArray_Descr *dtype = NULL;

    if (inputs > REPEAT_MOST ||
        !repeat_describe(&again.key, &again.common, operation, inputs, objects,
                         out) ||
        (out && !may_write(&again.common, objects, inputs, out))) {
        return false;
    }
    if (out && !again.common.is_given && operation == OPERATION_COPY) {
        dtype = out->dtype; /* copies convert to any */
        again.key.type[1] = (PyObject *)dtype;
    }
    return repeat_make(&again, inputs, objects, out, dtype, result);
}

/* The same for a copy of another dtype. */
bool
repeat_cast(PyObject *array, PyArray_Descr *dtype, CUstream stream,
            PyObject **result)
{
    struct again again = {.stream = stream};

    if (!array_plain(array) ||
        !repeat_describe(&again.key, &again.common, OPERATION_COPY, 1, &array,
                         NULL)) {
        return false;
    }
    again.key.type[1] = (PyObject *)dtype;
    return repeat_make(&again, 1, &array, NULL, dtype, result);
}

/* Sets every element to a number that is in the array's type already: 1 where
 * that is done, 0 where it was not done before; -1 with an exception. */
int
repeat_fill(struct array *array, const void *value, CUstream stream)
{
    PyArray_Descr *dtype = array->dtype;
    CUdeviceptr pointer = array->head.pointer;
    struct again again = {
        .key = {.type = {(PyObject *)dtype->typeobj, (PyObject *)dtype},
                .size = array->size,
                .form = form_of(OPERATION_COPY, 1, true)},
        .common = {.bits = pointer},
        .stream = stream};
    int64_t size = array->size;
    void *arguments[] = {&pointer, (void *)value, &size};

    if (!(array->flags & ARRAY_C) || size == 0) {
        return 0;
    }
    const struct repeat *place = repeat_find(&again);
    if (!place || place->rule->loop[0] != dtype) {
        return 0;
    }
    const struct repeat repeat = *place; /* as in repeat_make */
    return core_use(array->head.owner, again.stream) < 0 ||
                   launch(&repeat, &again, arguments) < 0
               ? -1
               : 1;
}

/* Address bits that are zero where elements can be loaded. */
static uint32_t
alignment_bits(const struct array *array)
{
    return (uint32_t)PyDataType_ALIGNMENT(array->dtype) - 1;
}

static void
repeat_keep(const struct repeat *key)
{
    struct repeat *place = repeat_place(key), old = *place;

    for (int i = 0; i < REPEAT_MOST; i++) {
        Py_XINCREF(key->type[i]);
    }
    *place = *key;
    for (int i = 0; i < REPEAT_MOST; i++) {
        Py_XDECREF(old.type[i]);
    }
}

/* Remembers what the task came to, which made `out` of the objects. */
void
repeat_learn(const struct task *task, PyObject *const *objects,
             struct array *out, const struct rule *rule)
{
    struct repeat key = {.rule = rule,
                         .function = task->kernel->handle,
                         .blocks = task->grid[0],
                         .threads = task->block[0]};
    bool aligned = task->class == LAYOUT_ALIGNED;
    struct common common;

    if (!task->dense || task->inputs > REPEAT_MOST ||
        (!aligned && out->size >= ALIGN_MINIMUM) || /* others may lie better */
        !repeat_describe(&key, &common, task->operation, task->inputs, objects,
                         out)) {
        return;
    }
    if (out->size != key.size || !(out->flags & ARRAY_C)) {
        return;
    }
    if (!common.is_given && task->operation == OPERATION_COPY) {
        key.type[1] = (PyObject *)out->dtype;
    } else if (!common.is_given && out->dtype != rule->result) {
        return;
    }
    if (core_context(&key.context) < 0) {
        PyErr_Clear();
        return;
    }
    key.mask = (aligned ? 15 : 0) | alignment_bits(out);
    for (int i = 0; i < task->inputs; i++) {
        if (array_plain(objects[i])) {
            key.mask |= alignment_bits((struct array *)objects[i]);
        }
    }
    repeat_keep(&key);
}
