/* repeat.c - cache of launches of element-wise operations on C-contiguous
 * arrays.
 *
 * Called by apply.c and shortcut.c. Types, kernel and grid of an operation on
 * contiguous arrays of one shape depend only on a few properties of the
 * operands. The cache maps these properties to the launch, so a repeated
 * operation needs no other work than the launch. The driver's code evicts this
 * package's code and data from the CPU's caches; after that, the path through
 * apply.c and task.c costs more than the launch itself.
 *
 * The cache owns references to the dtypes that it compares by address, but no
 * references to kernels. A context gets a new key when its kernels are
 * released, and each launch compares the context's key with that of the cache
 * entry. Whenever the GIL is released, another operation may evict an entry.
 *
 * SPDX-License-Identifier: MIT */
#include "array/repeat.h"

#define PLACES 256 /* cache entries; a power of two */

/* A cache entry, which fills one cache line of the CPU. The fields that are
 * compared come first. */
struct repeat {
    /* Kernel and launch dimensions. Its member `key`, the key of the context,
     * is part of the cache key. */
    struct core_relaunch launch;
    /* Strong; for each input, the dtype of an array or the class of a scalar.
     * For an operation with one input, the second entry may be the dtype of
     * the array to fill or of the result of a copy. */
    PyObject *type[REPEAT_MOST];
    npy_intp size;
    uint32_t form; /* operation, number of inputs and is_given, see form_of */
    uint32_t mask; /* address bits that must be zero in all arrays */
    const struct rule *rule;
};

static struct repeat repeats[PLACES] __attribute__((aligned(64)));

/* Packs the properties in field `form` of an entry. `is_given`: the output is
 * the first input, or the array that a scalar fills. */
static uint32_t
form_of(int operation, int inputs, bool is_given)
{
    return (uint32_t)operation << 8 | (uint32_t)inputs << 1 | is_given;
}

/* Returns the class that represents a scalar in the key of an entry. Returns
 * NULL if the class does not determine the operation's types. */
static PyObject *
number_type(int operation, PyObject *object)
{
    bool is_known = PyFloat_CheckExact(object) ||
                    Py_IS_TYPE(object, &PyFloatArrType_Type) ||
                    Py_IS_TYPE(object, &PyDoubleArrType_Type);

    /* A copy converts a number of any class to the array's dtype. */
    if (operation == OPERATION_COPY) {
        is_known = PyArray_IsScalar(object, Number);
    } else if (!is_known && PyLong_CheckExact(object)) {
        is_known =
            operation == OPERATION_ADD || operation == OPERATION_SUBTRACT ||
            operation == OPERATION_MULTIPLY || operation == OPERATION_DIVIDE;
    }
    return is_known ? (PyObject *)Py_TYPE(object) : NULL;
}

/* Properties of an operation's operands that are not in the cache key. */
struct common {
    struct array *model; /* the first array input, or the array to fill */
    CUdeviceptr bits;    /* bitwise OR of all addresses */
    /* Output is the first input or the array that a scalar fills. */
    bool is_given;
    bool is_mixed; /* some input is a scalar */
};

/* Computes the key of an operation whose inputs are all arrays and whose
 * output is new: the most frequent case of repeat_describe. Returns false for
 * other inputs. */
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

/* Computes the key of an operation, except the fields `launch`, `mask` and
 * `rule`. Returns false unless all arrays among the inputs are C-contiguous
 * and have one shape. `out` is the output or NULL; if the only input is a
 * scalar, it is the array to fill. */
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

/* Returns the cache entry at the hash of the key, which may have another
 * key. */
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

/* Returns whether the operation can write to `out`: it must have the layout of
 * a new result, and no input other than `out` itself may share its memory. */
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

/* Does the check of may_write for inputs that are all arrays, and records in
 * the key whether the output is the first input. */
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

/* Context and stream of a launch. */
struct where {
    struct core_context *context; /* current context, borrowed */
    CUstream stream;
};

/* Finds the current context, and stores its key in the cache key. Returns
 * false, without an exception, if no context is current. */
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

/* Returns the cache entry for the key, or NULL if there is none or the
 * addresses are not aligned as the entry's kernel requires. */
static inline const struct repeat *
repeat_find(const struct repeat *key, const struct common *common)
{
    const struct repeat *place = repeat_place(key);

    return repeat_equal(place, key) && !(common->bits & place->mask) ? place
                                                                     : NULL;
}

/* Launches an operation on one or two arrays. Returns 0, -1 with an exception,
 * or 1 if the kernel has been released. */
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

/* Launches an operation with scalars among the operands. Returns 0, -1 with an
 * exception, or 1 if the kernel has been released. */
static __attribute__((noinline)) int
launch_numbers(const struct repeat *place, struct where where, int inputs,
               PyObject *const *objects, struct array *result)
{
    /* A copy of the entry: conversion of a scalar may issue a warning, which
     * runs Python code, which may evict the entry. */
    const struct repeat repeat = *place;
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

/* Returns whether the inputs of an operation with a new output still match the
 * cache entry. */
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

/* Slow path of the allocation of a result, which may run Python code or
 * release the GIL. Returns NULL with an exception on failure, or without an
 * exception if the operands no longer match the entry afterwards. */
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

/* Performs a cached operation. Writes to `out`, or to a new array of `dtype`;
 * the type rule determines the type if both are NULL. Returns false if the
 * operation is not in the cache. Otherwise returns true and stores the result
 * in *result, NULL with an exception on failure. */
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

/* Calls repeat_make, whose code is inlined here for the less frequent
 * inputs. */
static __attribute__((noinline)) bool
make_other(const struct repeat *key, const struct common *common,
           struct where where, int inputs, PyObject *const *objects,
           struct array *out, PyArray_Descr *dtype, PyObject **result)
{
    return repeat_make(key, common, where, inputs, objects, out, dtype,
                       result);
}

/* Slow path of repeat_apply: operations with scalars or other inputs that
 * describe_arrays does not handle. */
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
        dtype = out->dtype; /* a copy converts to the dtype of any output */
        key.type[1] = (PyObject *)dtype;
    }
    return make_other(&key, &common, where, inputs, objects, out, dtype,
                      result);
}

/* Fast path of array_apply. Returns false if the operation is not in the
 * cache. Otherwise returns true and stores the result of array_apply in
 * *result, which is NULL with an exception on failure. */
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

/* Fast path of astype, a copy to another dtype. Returns false if the copy is
 * not in the cache. Otherwise returns true and stores the result in *result,
 * NULL with an exception on failure. */
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

/* Fast path of fill: sets all elements to a value. `value` points to the bytes
 * of the value in the array's dtype. Returns 1 on success, 0 if the operation
 * is not in the cache, or -1 with an exception. */
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

/* Returns the mask of the address bits that are zero in every address that is
 * aligned for the array's dtype. */
static uint32_t
alignment_bits(const struct array *array)
{
    return (uint32_t)PyDataType_ALIGNMENT(array->dtype) - 1;
}

/* Stores an entry in the cache and evicts the previous one. */
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

/* Adds the launch of a completed task to the cache, if its operands are
 * suitable. `out` is the output. */
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
        /* Arrays of this size take another kernel if they are aligned to 16
         * bytes, so this launch is not valid for all of them. */
        (!aligned && out->size >= ALIGN_MINIMUM) ||
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
