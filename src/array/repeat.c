/* repeat.c - an operation on dense arrays that was made before.
 *
 * Called by apply.c.  What an operation on contiguous arrays of one shape
 * comes to - types, kernel, grid - depends on few things that a look at the
 * operands tells; it is remembered, so that the next one like it is a launch
 * and no more.  A driver's call leaves cold caches behind, and then the way
 * through apply.c and task.c costs more than the launch's own.
 *
 * Owns references to the dtypes that it compares as pointers, and no kernels:
 * a context whose kernels are let go has another key from then on, which the
 * launch looks at.  A newer operation takes the place of an older one, at any
 * time that the GIL is given away.
 *
 * SPDX-License-Identifier: MIT */
#include "array/repeat.h"

#define PLACES 256 /* a power of two */

/* One cache line: what is compared comes first. */
struct repeat {
    struct core_relaunch launch; /* its key is compared */
    PyObject *type[REPEAT_MOST]; /* strong: of an array, or a scalar's; the
                                  * second may be that of what is filled, or
                                  * of the result of a copy */
    npy_intp size;
    uint32_t form; /* the operation, its inputs, whether it fills one of its
                    * arrays */
    uint32_t mask; /* address bits that are to be zero */
    const struct rule *rule;
};

static struct repeat repeats[PLACES] __attribute__((aligned(64)));

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
    bool is_known = PyFloat_CheckExact(object) ||
                    Py_IS_TYPE(object, &PyFloatArrType_Type) ||
                    Py_IS_TYPE(object, &PyDoubleArrType_Type);

    if (operation == OPERATION_COPY) { /* into the type that it has */
        is_known = PyArray_IsScalar(object, Number);
    } else if (!is_known && PyLong_CheckExact(object)) {
        is_known =
            operation == OPERATION_ADD || operation == OPERATION_SUBTRACT ||
            operation == OPERATION_MULTIPLY || operation == OPERATION_DIVIDE;
    }
    return is_known ? (PyObject *)Py_TYPE(object) : NULL;
}

/* What an operation's arrays have in common. */
struct common {
    struct array *model; /* the first; or what a number fills */
    CUdeviceptr bits;    /* of the addresses */
    bool is_given;       /* as in form_of */
    bool is_mixed;       /* there is a number among the operands */
};

/* The same of arrays alone that are not written: the usual case of
 * repeat_describe. */
static inline bool
describe_arrays(struct repeat *key, struct common *common, int operation,
                int inputs, PyObject *const *objects)
{
    struct array *first = (struct array *)objects[0];
    struct array *last = (struct array *)objects[inputs - 1];

    if (!array_plain(objects[0]) || !array_plain(objects[inputs - 1]) ||
        !(first->flags & last->flags & ARRAY_C) ||
        !array_same_shape(first, last)) {
        return false;
    }
    key->type[0] = (PyObject *)first->dtype;
    key->type[1] = inputs > 1 ? (PyObject *)last->dtype : NULL;
    key->size = first->size;
    key->form = form_of(operation, inputs, false);
    common->model = first;
    common->bits = first->head.pointer | last->head.pointer;
    common->is_given = common->is_mixed = false;
    return key->size > 0;
}

/* Whether the arrays among the operands have one shape, and lie in C order;
 * all but the context and the launch.  `out` is what may be filled. */
static __attribute__((noinline)) bool
repeat_describe(struct repeat *key, struct common *common, int operation,
                int inputs, PyObject *const *objects, struct array *out)
{
    *common = (struct common){0};
    for (int i = 0; i < inputs; i++) {
        struct array *array = (struct array *)objects[i];
        if (!array_plain(objects[i])) {
            common->is_mixed = true;
            key->type[i] = number_type(operation, objects[i]);
            if (!key->type[i]) {
                return false;
            }
            continue;
        }
        if (!(array->flags & ARRAY_C) ||
            (common->model && !array_same_shape(array, common->model))) {
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

static inline struct repeat *
repeat_place(const struct repeat *key)
{
    uint64_t hash = (uintptr_t)key->type[0] + 3 * (uintptr_t)key->type[1];

    hash += (uint64_t)key->size + ((uint64_t)key->form << 32);
    return &repeats[hash * 0x9e3779b97f4a7c15u >> 56 & (PLACES - 1)];
}

static inline bool
repeat_equal(const struct repeat *a, const struct repeat *b)
{
    return a->launch.key == b->launch.key && a->form == b->form &&
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
         !array_same_shape(out, common->model))) {
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

/* may_write where all are arrays, as describe_arrays found them; completes
 * what it said by whether the first is written. */
static inline bool
may_write_arrays(struct repeat *key, struct common *common,
                 PyObject *const *objects, int inputs, const struct array *out)
{
    const struct array *first = common->model;
    const struct array *last = (const struct array *)objects[inputs - 1];

    if (out == first) {
        common->is_given = true;
        key->form |= form_of(0, 0, true);
    } else if (!array_plain((PyObject *)out) || !(out->flags & ARRAY_C) ||
               !array_same_shape(out, first) ||
               !core_apart(out->head.owner, first->head.owner)) {
        return false;
    }
    return last == first || last == out ||
           core_apart(out->head.owner, last->head.owner);
}

/* Where an operation is made. */
struct where {
    struct core_context *context; /* the current one */
    CUstream stream;
};

/* Also sets the key's context; false where there is none. */
static inline bool
where_find(struct where *where, CUstream stream, struct repeat *key)
{
    where->stream = stream;
    where->context = core_here(&key->launch.key, &where->stream);
    if (UNUSUAL(!where->context)) {
        PyErr_Clear();
        return false;
    }
    return true;
}

/* The operation of the key, or NULL. */
static inline const struct repeat *
repeat_find(const struct repeat *key, const struct common *common)
{
    const struct repeat *place = repeat_place(key);

    return repeat_equal(place, key) && !(common->bits & place->mask) ? place
                                                                     : NULL;
}

/* Of arrays alone, one or two: 0, -1 with an exception, or 1 where the kernel
 * has gone. */
static inline int
launch_arrays(const struct repeat *repeat, struct where where, int inputs,
              PyObject *const *objects, struct array *result)
{
    struct core_array_head *used[] = {
        &result->head, &((struct array *)objects[0])->head,
        &((struct array *)objects[inputs - 1])->head};
    int64_t size = repeat->size;
    void *arguments[] = {&used[0]->pointer, &used[1]->pointer,
                         inputs > 1 ? (void *)&used[2]->pointer : &size,
                         &size};

    return core_launch_arrays(where.context, &repeat->launch, where.stream,
                              inputs + 1, used, arguments);
}

/* With numbers among the operands. */
static __attribute__((noinline)) int
launch_numbers(const struct repeat *place, struct where where, int inputs,
               PyObject *const *objects, struct array *result)
{
    const struct repeat repeat = *place; /* a conversion may warn, in Python */
    struct operand scalar[REPEAT_MOST];
    struct core_array_head *used[REPEAT_MOST + 1] = {&result->head};
    CUdeviceptr pointer[REPEAT_MOST + 1] = {result->head.pointer};
    void *arguments[REPEAT_MOST + 2] = {&pointer[0]};
    int64_t size = repeat.size;
    int arrays = 1;

    for (int i = 0; i < inputs; i++) {
        struct array *array = (struct array *)objects[i];
        if (!array_plain(objects[i])) {
            if (operand_set(&scalar[i], objects[i]) < 0 ||
                operand_convert(&scalar[i], repeat.rule->loop[i]) < 0) {
                return -1;
            }
            arguments[i + 1] = scalar[i].value;
            continue;
        }
        used[arrays++] = &array->head;
        pointer[i + 1] = array->head.pointer;
        arguments[i + 1] = &pointer[i + 1];
    }
    arguments[inputs + 1] = &size;
    return core_launch_arrays(where.context, &repeat.launch, where.stream,
                              arrays, used, arguments);
}

/* Whether the objects, of which none is to be written, still are what the
 * operation was found for. */
static bool
still_fits(const struct repeat *repeat, PyObject *const *objects)
{
    int operation = (int)(repeat->form >> 8);
    int inputs = (int)(repeat->form >> 1 & 0x7f);
    struct repeat now = {.launch.key = repeat->launch.key,
                         .type[1] = repeat->type[1]};
    struct common common;

    return repeat_describe(&now, &common, operation, inputs, objects, NULL) &&
           repeat_equal(&now, repeat) && !(common.bits & repeat->mask);
}

/* A new result where the allocation may run Python's code, or give the GIL
 * away: then another operation may take the place, and arrays change. */
static __attribute__((noinline)) struct array *
result_slowly(const struct repeat *repeat, struct array *model,
              struct where where, PyObject *const *objects,
              PyArray_Descr *dtype)
{
    struct array *made = array_new_again(model, model->ndim, dtype,
                                         where.context, where.stream);

    if (made &&
        (made->size != repeat->size || made->head.pointer & repeat->mask ||
         !still_fits(repeat, objects))) {
        Py_CLEAR(made);
    }
    return made;
}

/* The operation, with a result `out` or a new one of `dtype`, NULL: that of
 * the rule. */
static inline __attribute__((always_inline)) bool
repeat_make(const struct repeat *key, const struct common *common,
            struct where where, int inputs, PyObject *const *objects,
            struct array *out, PyArray_Descr *dtype, PyObject **result)
{
    const struct repeat *place = repeat_find(key, common);
    struct repeat kept;
    struct array *made;

    if (!place || (out && !common->is_given && !dtype &&
                   out->dtype != place->rule->result)) {
        return false;
    }
    if (out) {
        made = (struct array *)Py_NewRef(out);
    } else {
        dtype = dtype ? dtype : place->rule->result;
        made = array_new_ready(common->model, common->model->ndim, dtype,
                               where.context, where.stream);
    }
    if (UNUSUAL(!made)) {
        kept = *place;
        place = &kept;
        made = result_slowly(&kept, common->model, where, objects, dtype);
    }
    *result = NULL;
    if (UNUSUAL(!made)) {
        return PyErr_Occurred() != NULL;
    }
    int status = common->is_mixed
                     ? launch_numbers(place, where, inputs, objects, made)
                     : launch_arrays(place, where, inputs, objects, made);
    if (UNUSUAL(status != 0)) {
        Py_DECREF(made);
        return status < 0;
    }
    *result = (PyObject *)made;
    return true;
}

static __attribute__((noinline)) bool
make_other(const struct repeat *key, const struct common *common,
           struct where where, int inputs, PyObject *const *objects,
           struct array *out, PyArray_Descr *dtype, PyObject **result)
{
    return repeat_make(key, common, where, inputs, objects, out, dtype,
                       result);
}

/* repeat_apply of what describe_arrays is not for. */
static __attribute__((noinline)) bool
apply_others(int operation, int inputs, PyObject *const *objects,
             struct array *out, struct where where, void *context,
             PyObject **result)
{
    struct repeat key = {.launch.key = context};
    struct common common;
    PyArray_Descr *dtype = NULL;

    if (inputs > REPEAT_MOST ||
        !repeat_describe(&key, &common, operation, inputs, objects, out) ||
        (out && !may_write(&common, objects, inputs, out))) {
        return false;
    }
    common.bits |= out ? out->head.pointer : 0;
    if (out && !common.is_given && operation == OPERATION_COPY) {
        dtype = out->dtype; /* copies convert to any */
        key.type[1] = (PyObject *)dtype;
    }
    return make_other(&key, &common, where, inputs, objects, out, dtype,
                      result);
}

/* Whether the operation was made, or has failed with an exception: then
 * *result is what array_apply returns. */
bool
repeat_apply(int operation, int inputs, PyObject *const *objects,
             struct array *out, CUstream stream, PyObject **result)
{
    struct repeat key;
    struct common common;
    struct where where;

    if (UNUSUAL(!where_find(&where, stream, &key))) {
        return false;
    }
    if (UNUSUAL(inputs > REPEAT_MOST ||
                !describe_arrays(&key, &common, operation, inputs, objects) ||
                (out &&
                 (operation == OPERATION_COPY ||
                  !may_write_arrays(&key, &common, objects, inputs, out))))) {
        return apply_others(operation, inputs, objects, out, where,
                            key.launch.key, result);
    }
    common.bits |= out ? out->head.pointer : 0;
    return repeat_make(&key, &common, where, inputs, objects, out, NULL,
                       result);
}

/* The same for a copy of another dtype. */
bool
repeat_cast(PyObject *array, PyArray_Descr *dtype, CUstream stream,
            PyObject **result)
{
    struct repeat key = {.rule = NULL};
    struct common common;
    struct where where;

    if (!array_plain(array) ||
        !repeat_describe(&key, &common, OPERATION_COPY, 1, &array, NULL) ||
        !where_find(&where, stream, &key)) {
        return false;
    }
    key.type[1] = (PyObject *)dtype;
    return make_other(&key, &common, where, 1, &array, NULL, dtype, result);
}

/* Sets every element to a number that is in the array's type already: 1 where
 * that is done, 0 where it was not done before; -1 with an exception. */
int
repeat_fill(struct array *array, const void *value, CUstream stream)
{
    PyArray_Descr *dtype = array->dtype;
    const struct common common = {.bits = array->head.pointer};
    struct repeat key = {
        .type = {(PyObject *)dtype->typeobj, (PyObject *)dtype},
        .size = array->size,
        .form = form_of(OPERATION_COPY, 1, true),
    };
    struct where where;
    int64_t size = array->size;
    struct core_array_head *used = &array->head;
    void *arguments[] = {&used->pointer, (void *)value, &size};

    if (!(array->flags & ARRAY_C) || size == 0 ||
        !where_find(&where, stream, &key)) {
        return 0;
    }
    const struct repeat *place = repeat_find(&key, &common);
    if (!place || place->rule->loop[0] != dtype) {
        return 0;
    }
    int status = core_launch_arrays(where.context, &place->launch,
                                    where.stream, 1, &used, arguments);
    return status < 0 ? -1 : status == 0;
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
    struct repeat key = {
        .launch = {.key = task->kernel.context,
                   .function = task->kernel.handle,
                   .blocks = task->grid[0],
                   .threads = {(uint16_t)task->block[0], 1}},
        .rule = rule,
    };
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
    key.mask = (aligned ? 15 : 0) | alignment_bits(out);
    for (int i = 0; i < task->inputs; i++) {
        if (array_plain(objects[i])) {
            key.mask |= alignment_bits((struct array *)objects[i]);
        }
    }
    repeat_keep(&key);
}
