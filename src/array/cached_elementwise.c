/* cached_elementwise.c - cache of launches of element-wise operations on
 * C-contiguous arrays.
 *
 * Called by elementwise_operation.c and fast_ufunc.c. Types, kernel and grid
 * of an operation on contiguous arrays of one shape depend only on a few
 * properties of the operands. The cache maps these properties to the launch,
 * so a repeated operation needs no other work than the launch. Without the
 * cache, each operation would run elementwise_operation.c and
 * elementwise_task.c. That takes longer than the launch itself, since the
 * driver's code evicts their code and data from the CPU's caches.
 *
 * The cache owns references to the dtypes that it compares by address, but no
 * references to kernels. A context gets a new key when its kernels are
 * released, and each launch compares the context's key with that of the cache
 * entry. Whenever the GIL is released, another operation may evict an entry.
 * In free-threaded Python each context has its own cache.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/cached_elementwise.h"
#include "array/elementwise_task.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/operand.h"
#include "array/operation_table.h"
#include "array/type_codes.h"
#include "core/core.h"

#define CACHE_ENTRIES 256 /* number of cache entries; a power of two */

/* A cache entry, which fills one cache line of the CPU. The fields that are
 * compared come first. */
struct cached_launch {
    /* Kernel, grid and block of the launch. The member `key`, the key of the
     * context, is also part of the cache key. */
    struct core_relaunch launch;
    /* Strong references. For each input: the dtype of an array, or the class
     * of a scalar. If the operation has one input, the second element may be
     * the dtype of the array to fill or of the result of a copy. */
    PyObject *type[CACHED_INPUTS_MAX];
    npy_intp size;
    /* Operation, number of inputs, and whether the output is the first input
     * or the array that a scalar fills; packed by entry_form. */
    uint32_t form;
    uint32_t mask; /* the kernel needs arrays with these address bits 0 */
    const struct rule *rule;
};

#ifdef Py_GIL_DISABLED
/* Returns the entries of the current context's cache, or NULL. */
static inline struct cached_launch *
cache_entries(void)
{
    return core_current_table(CORE_TABLE_ELEMENTWISE,
                              CACHE_ENTRIES * sizeof(struct cached_launch));
}
#else
static struct cached_launch cached_launches[CACHE_ENTRIES]
    __attribute__((aligned(64)));

static inline struct cached_launch *
cache_entries(void)
{
    return cached_launches;
}
#endif

/* Packs the three arguments in one integer and returns it: the value of the
 * field `form` of a cache entry. `is_given` is true if the operation writes to
 * an existing array: to its first input, or to the array that a scalar
 * fills. */
static uint32_t
entry_form(int operation, int inputs, bool is_given)
{
    return (uint32_t)operation << 8 | (uint32_t)inputs << 1 | is_given;
}

/* Returns the class that stands for a scalar operand in the key of a cache
 * entry. Returns NULL if the class does not determine the types of the
 * operation. */
static PyObject *
scalar_class(int operation, PyObject *object)
{
    bool is_known = PyFloat_CheckExact(object) ||
                    Py_IS_TYPE(object, &PyFloatArrType_Type) ||
                    Py_IS_TYPE(object, &PyDoubleArrType_Type);

    /* A copy accepts a number of any class and converts it to the array's
     * dtype. */
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
struct shared_properties {
    struct array *model; /* the first array input, or the array to fill */
    CUdeviceptr bits;    /* bitwise OR of the arrays' addresses */
    /* The output is the first input, or the array that a scalar fills. */
    bool is_given;
    bool is_mixed; /* at least one input is a scalar */
};

/* Fast path of key_describe, for the most frequent operations: all inputs are
 * arrays, and the output is a new array. Returns false for other inputs. */
static inline bool
describe_arrays(struct cached_launch *key, struct shared_properties *common,
                int operation, int inputs, PyObject *const *objects)
{
    struct array *first = (struct array *)objects[0];
    struct array *last = (struct array *)objects[inputs - 1];

    if (!array_is_own_class(objects[0]) ||
        !array_is_own_class(objects[inputs - 1]) ||
        !(first->flags & last->flags & ARRAY_C) ||
        !array_same_shape(first, last)) {
        return false;
    }
    key->type[0] = (PyObject *)first->dtype;
    key->type[1] = inputs > 1 ? (PyObject *)last->dtype : NULL;
    key->size = first->size;
    key->form = entry_form(operation, inputs, false);
    common->model = first;
    common->bits = first->head.pointer | last->head.pointer;
    common->is_given = common->is_mixed = false;
    return key->size > 0;
}

/* Computes the key of an operation, except the fields `launch`, `mask` and
 * `rule`. Returns false unless all arrays among the inputs are C-contiguous
 * and have one shape. `out` is the output, or NULL for a new array. If the
 * only input is a scalar, the operation fills `out` with it. */
static __attribute__((noinline)) bool
key_describe(struct cached_launch *key, struct shared_properties *common,
             int operation, int inputs, PyObject *const *objects,
             struct array *out)
{
    *common = (struct shared_properties){0};
    for (int i = 0; i < inputs; i++) {
        struct array *array = (struct array *)objects[i];
        if (!array_is_own_class(objects[i])) {
            common->is_mixed = true;
            key->type[i] = scalar_class(operation, objects[i]);
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
        out && (array_is_own_class(objects[0]) ? (PyObject *)out == objects[0]
                                               : out == common->model);
    key->form = entry_form(operation, inputs, common->is_given);
    key->size = common->model ? common->model->size : 0;
    return key->size > 0;
}

/* Returns the cache entry that the hash of the key selects. The entry may
 * belong to another key. Returns NULL if there is no cache. */
static inline struct cached_launch *
cache_slot(const struct cached_launch *key)
{
    uint64_t hash = (uintptr_t)key->type[0] + 3 * (uintptr_t)key->type[1];

    hash += (uint64_t)key->size + ((uint64_t)key->form << 32);
    struct cached_launch *entries = cache_entries();
    return entries == NULL ? NULL
                           : &entries[hash * 0x9e3779b97f4a7c15u >> 56 &
                                      (CACHE_ENTRIES - 1)];
}

static inline bool
key_equal(const struct cached_launch *a, const struct cached_launch *b)
{
    return a->launch.key == b->launch.key && a->form == b->form &&
           a->type[0] == b->type[0] && a->type[1] == b->type[1] &&
           a->size == b->size;
}

/* Returns whether the operation can write to `out`: it must have the layout of
 * a new result, and no input other than `out` itself may share its memory. */
static bool
may_write(const struct shared_properties *common, PyObject *const *objects,
          int inputs, struct array *out)
{
    if (!common->is_given &&
        (!array_is_own_class((PyObject *)out) || !(out->flags & ARRAY_C) ||
         !array_same_shape(out, common->model))) {
        return false;
    }
    for (int i = 0; i < inputs; i++) {
        if (array_is_own_class(objects[i]) && objects[i] != (PyObject *)out &&
            !core_owners_are_disjoint(
                out->head.owner, ((struct array *)objects[i])->head.owner)) {
            return false;
        }
    }
    return true;
}

/* Fast path of may_write for inputs that are all arrays: returns whether the
 * operation can write to `out`. Records in the key whether `out` is the first
 * input. */
static inline bool
may_write_arrays(struct cached_launch *key, struct shared_properties *common,
                 PyObject *const *objects, int inputs, const struct array *out)
{
    const struct array *first = common->model;
    const struct array *last = (const struct array *)objects[inputs - 1];

    if (out == first) {
        common->is_given = true;
        key->form |= entry_form(0, 0, true);
    } else if (!array_is_own_class((PyObject *)out) ||
               !(out->flags & ARRAY_C) || !array_same_shape(out, first) ||
               !core_owners_are_disjoint(out->head.owner, first->head.owner)) {
        return false;
    }
    return last == first || last == out ||
           core_owners_are_disjoint(out->head.owner, last->head.owner);
}

/* Context and stream of a launch. */
struct launch_target {
    struct core_context *context; /* the current context; borrowed reference */
    CUstream stream;
};

/* Finds the current context, and stores its key in the cache key. Returns
 * false, without an exception, if no context is current. */
static inline bool
launch_target_find(struct launch_target *where, CUstream stream,
                   struct cached_launch *key)
{
    where->stream = stream;
    where->context =
        core_current_with_stream(&key->launch.key, &where->stream);
    if (UNLIKELY(!where->context)) {
        PyErr_Clear();
        return false;
    }
    return true;
}

/* Returns the cache entry for the key, or NULL if there is none or the
 * addresses are not aligned as the entry's kernel requires. */
static inline const struct cached_launch *
entry_find(const struct cached_launch *key,
           const struct shared_properties *common)
{
    const struct cached_launch *entry = cache_slot(key);

    return entry && key_equal(entry, key) && !(common->bits & entry->mask)
               ? entry
               : NULL;
}

/* Launches an operation on one or two arrays. Returns 0; -1 with an exception;
 * or 1, without a launch, if the context has released the kernel. */
static inline int
launch_arrays(const struct cached_launch *repeat, struct launch_target where,
              int inputs, PyObject *const *objects, struct array *result)
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

/* Launches an operation with scalars among the operands. Returns 0; -1 with an
 * exception; or 1, without a launch, if the context has released the
 * kernel. */
static __attribute__((noinline)) int
launch_numbers(const struct cached_launch *entry, struct launch_target where,
               int inputs, PyObject *const *objects, struct array *result)
{
    /* A copy of the entry: conversion of a scalar may issue a warning, which
     * runs Python code, which may evict the entry. */
    const struct cached_launch repeat = *entry;
    struct operand scalar[CACHED_INPUTS_MAX];
    struct core_array_head *used[CACHED_INPUTS_MAX + 1] = {&result->head};
    CUdeviceptr pointer[CACHED_INPUTS_MAX + 1] = {result->head.pointer};
    void *arguments[CACHED_INPUTS_MAX + 2] = {&pointer[0]};
    int64_t size = repeat.size;
    int arrays = 1;

    for (int i = 0; i < inputs; i++) {
        struct array *array = (struct array *)objects[i];
        if (!array_is_own_class(objects[i])) {
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

/* Returns whether the inputs still match the cache entry after an allocator,
 * which may be Python code, has allocated the output. */
static bool
operands_still_match(const struct cached_launch *repeat,
                     PyObject *const *objects)
{
    int operation = (int)(repeat->form >> 8);
    int inputs = (int)(repeat->form >> 1 & 0x7f);
    struct cached_launch now = {.launch.key = repeat->launch.key,
                                .type[1] = repeat->type[1]};
    struct shared_properties common;

    return key_describe(&now, &common, operation, inputs, objects, NULL) &&
           key_equal(&now, repeat) && !(common.bits & repeat->mask);
}

/* Slow path of the allocation of a result, which may run Python code or
 * release the GIL. Returns NULL with an exception on failure, or without an
 * exception if the operands no longer match the entry afterwards. */
static __attribute__((noinline)) struct array *
result_new_slow(const struct cached_launch *repeat, struct array *model,
                struct launch_target where, PyObject *const *objects,
                PyArray_Descr *dtype)
{
    struct array *made =
        array_new_slow(model, model->ndim, dtype, where.context, where.stream);

    if (made &&
        (made->size != repeat->size || made->head.pointer & repeat->mask ||
         !operands_still_match(repeat, objects))) {
        Py_CLEAR(made);
    }
    return made;
}

/* Performs a cached operation. Writes to `out`, or to a new array of `dtype`
 * if `out` is NULL. If `dtype` is NULL too, the type rule determines the type
 * of the new array. Returns false if the operation is not in the cache.
 * Otherwise returns true and stores the result in *result, NULL with an
 * exception on failure. */
static inline __attribute__((always_inline)) bool
entry_run(const struct cached_launch *key,
          const struct shared_properties *common, struct launch_target where,
          int inputs, PyObject *const *objects, struct array *out,
          PyArray_Descr *dtype, PyObject **result)
{
    const struct cached_launch *entry = entry_find(key, common);
    struct cached_launch copy;
    struct array *made;

    if (!entry || (out && !common->is_given && !dtype &&
                   out->dtype != entry->rule->result)) {
        return false;
    }
    if (out) {
        made = (struct array *)Py_NewRef(out);
    } else {
        dtype = dtype ? dtype : entry->rule->result;
        made = array_new_fast(common->model, common->model->ndim, dtype,
                              where.context, where.stream);
    }
    if (UNLIKELY(!made)) {
        copy = *entry;
        entry = &copy;
        made = result_new_slow(&copy, common->model, where, objects, dtype);
    }
    *result = NULL;
    if (UNLIKELY(!made)) {
        return PyErr_Occurred() != NULL;
    }
    int status = common->is_mixed
                     ? launch_numbers(entry, where, inputs, objects, made)
                     : launch_arrays(entry, where, inputs, objects, made);
    if (UNLIKELY(status != 0)) {
        Py_DECREF(made);
        return status < 0;
    }
    *result = (PyObject *)made;
    return true;
}

/* Out-of-line copy of the inline function entry_run, for less frequent
 * inputs. */
static __attribute__((noinline)) bool
entry_run_outlined(const struct cached_launch *key,
                   const struct shared_properties *common,
                   struct launch_target where, int inputs,
                   PyObject *const *objects, struct array *out,
                   PyArray_Descr *dtype, PyObject **result)
{
    return entry_run(key, common, where, inputs, objects, out, dtype, result);
}

/* Slow path of cached_apply: operations with scalars or other inputs that
 * describe_arrays does not handle. */
static __attribute__((noinline)) bool
apply_other_operands(int operation, int inputs, PyObject *const *objects,
                     struct array *out, struct launch_target where,
                     void *context, PyObject **result)
{
    struct cached_launch key = {.launch.key = context};
    struct shared_properties common;
    PyArray_Descr *dtype = NULL;

    if (inputs > CACHED_INPUTS_MAX ||
        !key_describe(&key, &common, operation, inputs, objects, out) ||
        (out && !may_write(&common, objects, inputs, out))) {
        return false;
    }
    common.bits |= out ? out->head.pointer : 0;
    if (out && !common.is_given && operation == OPERATION_COPY) {
        dtype = out->dtype; /* a copy casts to the dtype of its output */
        key.type[1] = (PyObject *)dtype;
    }
    return entry_run_outlined(&key, &common, where, inputs, objects, out,
                              dtype, result);
}

/* Fast path of array_apply. Returns false if the operation is not in the
 * cache. Otherwise returns true and stores the result of array_apply in
 * *result, which is NULL with an exception on failure. */
bool
cached_apply(int operation, int inputs, PyObject *const *objects,
             struct array *out, CUstream stream, PyObject **result)
{
    struct cached_launch key;
    struct shared_properties common;
    struct launch_target where;

    if (UNLIKELY(!launch_target_find(&where, stream, &key))) {
        return false;
    }
    if (UNLIKELY(inputs > CACHED_INPUTS_MAX ||
                 !describe_arrays(&key, &common, operation, inputs, objects) ||
                 (out &&
                  (operation == OPERATION_COPY ||
                   !may_write_arrays(&key, &common, objects, inputs, out))))) {
        return apply_other_operands(operation, inputs, objects, out, where,
                                    key.launch.key, result);
    }
    common.bits |= out ? out->head.pointer : 0;
    return entry_run(&key, &common, where, inputs, objects, out, NULL, result);
}

/* Fast path of astype, a copy to another dtype. Returns false if the copy is
 * not in the cache. Otherwise returns true and stores the result in *result,
 * NULL with an exception on failure. */
bool
cached_cast(PyObject *array, PyArray_Descr *dtype, CUstream stream,
            PyObject **result)
{
    struct cached_launch key = {.rule = NULL};
    struct shared_properties common;
    struct launch_target where;

    if (!array_is_own_class(array) ||
        !key_describe(&key, &common, OPERATION_COPY, 1, &array, NULL) ||
        !launch_target_find(&where, stream, &key)) {
        return false;
    }
    key.type[1] = (PyObject *)dtype;
    return entry_run_outlined(&key, &common, where, 1, &array, NULL, dtype,
                              result);
}

/* Fast path of fill: sets all elements to a value. `value` points to the bytes
 * of the value in the array's dtype. Returns 1 on success, 0 if the operation
 * is not in the cache, or -1 with an exception. */
int
cached_fill(struct array *array, const void *value, CUstream stream)
{
    PyArray_Descr *dtype = array->dtype;
    const struct shared_properties common = {.bits = array->head.pointer};
    struct cached_launch key = {
        .type = {(PyObject *)dtype->typeobj, (PyObject *)dtype},
        .size = array->size,
        .form = entry_form(OPERATION_COPY, 1, true),
    };
    struct launch_target where;
    int64_t size = array->size;
    struct core_array_head *used = &array->head;
    void *arguments[] = {&used->pointer, (void *)value, &size};

    if (!(array->flags & ARRAY_C) || size == 0 ||
        !launch_target_find(&where, stream, &key)) {
        return 0;
    }
    const struct cached_launch *entry = entry_find(&key, &common);
    if (!entry || entry->rule->loop[0] != dtype) {
        return 0;
    }
    int status = core_launch_arrays(where.context, &entry->launch,
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

/* Stores an entry in the cache and evicts the entry that has its slot. */
static void
entry_store(const struct cached_launch *key)
{
    struct cached_launch *entry = cache_slot(key);

    if (!entry) {
        return;
    }
    const struct cached_launch old = *entry;
    for (int i = 0; i < CACHED_INPUTS_MAX; i++) {
        Py_XINCREF(key->type[i]);
    }
    *entry = *key;
    for (int i = 0; i < CACHED_INPUTS_MAX; i++) {
        Py_XDECREF(old.type[i]);
    }
}

/* Returns whether the arrays still have the dtypes and the size that the task
 * has computed with. The launch may release the GIL, and another thread may
 * then set the attributes of an array. */
static bool
operands_are_unchanged(const struct elementwise_task *task,
                       PyObject *const *objects, const struct array *out)
{
    if (type_code_of(out->dtype) != task->out ||
        out->size != task->layout.size) {
        return false;
    }
    for (int i = 0; i < task->inputs; i++) {
        const struct array *array = (const struct array *)objects[i];
        if (array_is_own_class(objects[i]) &&
            (type_code_of(array->dtype) != task->code[i] ||
             array->size != out->size)) {
            return false;
        }
    }
    return true;
}

/* Adds the launch of a completed task to the cache, if its operands are
 * suitable. `out` is the output. */
void
cached_apply_add(const struct elementwise_task *task, PyObject *const *objects,
                 struct array *out, const struct rule *rule)
{
    struct cached_launch key = {
        .launch = {.key = task->kernel.context,
                   .function = task->kernel.handle,
                   .blocks = task->grid[0],
                   .threads = {(uint16_t)task->block[0], 1}},
        .rule = rule,
    };
    bool aligned = task->class == LAYOUT_ALIGNED;
    struct shared_properties common;

    if (!task->dense || task->inputs > CACHED_INPUTS_MAX ||
        /* For ALIGN_MINIMUM or more elements, aligned and unaligned arrays
         * have different kernels. The cache stores only the launch for aligned
         * arrays, since both launches would match the same key. */
        (!aligned && out->size >= ALIGN_MINIMUM) ||
        !operands_are_unchanged(task, objects, out) ||
        !key_describe(&key, &common, task->operation, task->inputs, objects,
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
        if (array_is_own_class(objects[i])) {
            key.mask |= alignment_bits((struct array *)objects[i]);
        }
    }
    entry_store(&key);
}
