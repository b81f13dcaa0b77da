/* plan_cache.c - launch plans of Python functions: recorded launches that are
 * repeated for arrays of the same types, shapes, strides and alignment.
 *
 * Used by planned_method.c and fast_call.c. Python computes a reduction, scan
 * or product once and passes its launches to _plan_set. Plans belong to the
 * context (kernel_cache.c).
 *
 * A plan owns its Functions and dtypes. The plan cache has one slot per hash
 * value; a new plan evicts an older one with the same hash. Plans are
 * reference-counted, so a running plan stays valid if the cache releases it.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/kernel_cache.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/plan.h"
#include "array/plan_cache.h"
#include "core/core.h"

/* --- plan cache -------------------------------------------------------- */

/* Fills a key, which borrows the arrays' shapes and strides. */
static void
key_set(struct plan_key *key, struct array *const *inputs, int count,
        const void *name, int whole, long axis)
{
    key->name = name;
    key->whole = whole;
    key->axis = axis;
    key->inputs = count;
    for (int i = 0; i < count; i++) {
        const struct array *array = inputs[i];
        key->input[i] = (struct plan_input){
            .dtype = array->dtype,
            .bits = (unsigned)array->head.pointer & PLAN_ALIGNMENT,
            .ndim = array->ndim,
            .shape = array->shape,
            .strides = array->strides,
        };
    }
}

static uint64_t
input_hash(uint64_t hash, const struct plan_input *input)
{
    hash = hash * 31 + ((uint64_t)(uintptr_t)input->dtype ^ input->bits);
    for (int i = 0; i < input->ndim; i++) {
        hash = (hash ^ (uint64_t)input->shape[i]) * 0x9e3779b97f4a7c15u;
        hash = (hash ^ (uint64_t)input->strides[i]) * 0x9e3779b97f4a7c15u;
    }
    return hash;
}

/* Returns the cache slot that the hash of the key selects. The slot may have
 * the plan of another key. */
static struct plan **
key_slot(struct kernels *kernels, const struct plan_key *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key->name;

    hash = hash * 31 + (uint64_t)key->axis * 2 + (uint64_t)key->whole;
    for (int i = 0; i < key->inputs; i++) {
        hash = input_hash(hash, &key->input[i]);
    }
    hash *= 0x9e3779b97f4a7c15u;
    return &kernels->plans[hash >> 32 & (PLAN_CACHE_ENTRIES - 1)];
}

static int
input_equal(const struct plan_input *a, const struct plan_input *b)
{
    size_t bytes = (size_t)a->ndim * sizeof *a->shape;

    return a->dtype == b->dtype && a->bits == b->bits && a->ndim == b->ndim &&
           (a->ndim == 0 || (memcmp(a->shape, b->shape, bytes) == 0 &&
                             memcmp(a->strides, b->strides, bytes) == 0));
}

static int
key_equal(const struct plan_key *a, const struct plan_key *b)
{
    if (a->name != b->name || a->whole != b->whole || a->axis != b->axis ||
        a->inputs != b->inputs) {
        return 0;
    }
    for (int i = 0; i < a->inputs; i++) {
        if (!input_equal(&a->input[i], &b->input[i])) {
            return 0;
        }
    }
    return 1;
}

/* --- execution --------------------------------------------------------- */

/* Executes one launch. Returns 0, -1 with an exception, or 1 if cuBLAS does
 * not support the product or cannot run it now, for example during a capture.
 * The Python function that created the launch plan then computes the
 * result. */
static int
launch_run(const struct plan_launch *launch, CUdeviceptr *slots)
{
    void *arguments[PLAN_MAX_ARGUMENTS];

    if (!launch->handle) {
        CUdeviceptr pointer[3];
        for (int k = 0; k < 3; k++) {
            pointer[k] = slots[launch->argument[k].slot];
        }
        return core_product_run(launch->function, pointer);
    }
    for (int k = 0; k < launch->arguments; k++) {
        int slot = launch->argument[k].slot;
        arguments[k] =
            slot < 0 ? launch->argument[k].bytes : (void *)&slots[slot];
    }
    return core_launch(launch->handle, launch->grid, launch->block,
                       launch->shared, NULL, arguments);
}

/* Fills the slots of the inputs and the result, and records that the default
 * stream uses them. Returns 0, or -1 with an exception. */
static int
slots_set(CUdeviceptr *slots, struct array *const *inputs, int count,
          const struct array *result)
{
    for (int i = 0; i < count; i++) {
        if (core_use_in_kernel(inputs[i]->head.owner, NULL) < 0) {
            return -1;
        }
        slots[i] = inputs[i]->head.pointer;
    }
    slots[count] = result->head.pointer;
    return core_use_in_kernel(result->head.owner, NULL);
}

/* Executes all launches of a plan. Returns 0, -1 with an exception, or 1 if
 * cuBLAS does not support a product or cannot run it now, for example during a
 * capture. Afterwards the temporary memory returns to the memory pool, which
 * reuses the memory in stream order. */
static int
plan_launch(const struct plan *plan, struct array *const *inputs,
            const struct array *result)
{
    PyObject *temps[PLAN_MAX_TEMPS] = {NULL};
    CUdeviceptr slots[PLAN_MAX_SLOTS];
    int count = plan->key.inputs, status = -1;

    if (slots_set(slots, inputs, count, result) < 0) {
        return -1;
    }
    for (int i = 0; i < plan->temps; i++) {
        temps[i] = core_allocate(plan->temp_bytes[i], NULL);
        if (!temps[i]) {
            goto done;
        }
        slots[count + 1 + i] = core_allocation_pointer(temps[i]);
    }
    status = 0;
    for (int i = 0; status == 0 && i < plan->launches; i++) {
        status = launch_run(&plan->launch[i], slots);
    }
done:
    for (int i = 0; i < plan->temps; i++) {
        Py_XDECREF(temps[i]);
    }
    return status;
}

/* Returns whether `result` has the shape, strides and dtype that the launches
 * expect. */
static int
plan_fits(const struct plan *plan, const struct array *result)
{
    size_t bytes = (size_t)plan->ndim * sizeof *plan->strides;

    return result->ndim == plan->ndim && result->dtype == plan->dtype &&
           (plan->ndim == 0 ||
            (memcmp(result->shape, plan->shape, bytes) == 0 &&
             memcmp(result->strides, plan->strides, bytes) == 0));
}

/* Executes a plan and returns its result. Returns NULL without an exception if
 * a subclass gave the result another layout than the launches expect, or if
 * cuBLAS does not support a product or cannot run it now, for example during a
 * capture. */
static PyObject *
plan_run(struct plan *plan, struct array *const *inputs)
{
    struct array *result;

    /* Hold a reference to the plan: the allocator is Python code that may
     * create plans, and a new plan may evict this plan from the cache. */
    plan->count++;
    result = array_new_like(inputs[0], plan->dtype, plan->ndim, plan->shape,
                            plan->strides, NULL);
    if (result &&
        (!plan_fits(plan, result) || plan_launch(plan, inputs, result) != 0)) {
        Py_CLEAR(result);
    }
    plan_release(plan);
    return (PyObject *)result;
}

/* --- construction ------------------------------------------------------ */

/* Converts an argument of a launch from Python: a bytes object, or the number
 * of a slot. Returns 0, or -1 with an exception. */
static int
argument_parse(struct plan_argument *argument, PyObject *object, int slots)
{
    if (!PyBytes_Check(object)) {
        long slot = PyLong_AsLong(object);
        if (slot == -1 && PyErr_Occurred()) {
            return -1;
        }
        if (slot < 0 || slot >= slots) {
            PyErr_Format(PyExc_ValueError, "there is no slot %ld", slot);
            return -1;
        }
        argument->slot = (int)slot;
        return 0;
    }
    size_t size = (size_t)PyBytes_GET_SIZE(object);
    argument->slot = -1;
    argument->bytes = PyMem_Malloc(size ? size : 1);
    if (!argument->bytes) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(argument->bytes, PyBytes_AS_STRING(object), size);
    return 0;
}

/* Sets what a launch executes: a Function or a cuBLAS product. */
static int
launch_set_function(struct plan_launch *launch, PyObject *function)
{
    if (!core_is_product(function) &&
        core_function(function, &launch->handle) < 0) {
        return -1;
    }
    launch->function = Py_NewRef(function);
    return 0;
}

static int
launch_is_product(const struct plan_launch *launch)
{
    return launch->arguments == 3 && launch->argument[0].slot >= 0 &&
           launch->argument[1].slot >= 0 && launch->argument[2].slot >= 0;
}

/* Converts a launch from Python, a tuple (function, block, grid, bytes of
 * shared memory, arguments). Returns 0, or -1 with an exception. */
static int
launch_parse(struct plan_launch *launch, PyObject *object, int slots)
{
    PyObject *function, *arguments;
    unsigned *block = launch->block, *grid = launch->grid;

    if (!PyArg_ParseTuple(object, "O(III)(II)IO!", &function, &block[0],
                          &block[1], &block[2], &grid[0], &grid[1],
                          &launch->shared, &PyTuple_Type, &arguments) ||
        launch_set_function(launch, function) < 0) {
        return -1;
    }
    grid[2] = 1;
    Py_ssize_t count = PyTuple_GET_SIZE(arguments);
    if (count > PLAN_MAX_ARGUMENTS) {
        PyErr_SetString(PyExc_ValueError, "too many arguments for a plan");
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        launch->arguments++;
        if (argument_parse(&launch->argument[k],
                           PyTuple_GET_ITEM(arguments, k), slots) < 0) {
            return -1;
        }
    }
    if (!launch->handle && !launch_is_product(launch)) {
        PyErr_SetString(PyExc_ValueError,
                        "a cuBLAS product takes three arrays");
        return -1;
    }
    return 0;
}

static int
plan_parse(struct plan *plan, PyObject *temps, PyObject *launches)
{
    Py_ssize_t count = PyTuple_GET_SIZE(launches);

    if (PyTuple_GET_SIZE(temps) > PLAN_MAX_TEMPS ||
        count > PLAN_MAX_LAUNCHES) {
        PyErr_SetString(PyExc_ValueError, "too much for a plan");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(temps); i++) {
        plan->temp_bytes[i] = PyLong_AsSize_t(PyTuple_GET_ITEM(temps, i));
        if (PyErr_Occurred()) {
            return -1;
        }
        plan->temps++;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        plan->launches++;
        if (launch_parse(&plan->launch[i], PyTuple_GET_ITEM(launches, i),
                         plan->key.inputs + 1 + plan->temps) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Creates a plan, with reference count 1, for a key. `result` has the shape,
 * strides and dtype of the results of the plan. Returns NULL with a
 * MemoryError on failure. */
static struct plan *
plan_new(const struct plan_key *key, const struct array *result)
{
    struct plan *plan = PyMem_Calloc(1, sizeof *plan);
    size_t bytes = (size_t)result->ndim * sizeof(npy_intp);

    if (!plan) {
        PyErr_NoMemory();
        return NULL;
    }
    plan->count = 1;
    plan->key = *key;
    for (int i = 0; i < key->inputs; i++) {
        struct plan_input *input = &plan->key.input[i];
        size_t own = (size_t)input->ndim * sizeof(npy_intp);
        Py_INCREF(input->dtype);
        input->shape = plan->dims[i];
        input->strides = plan->dims[i] + ARRAY_MAX_NDIM;
        memcpy(plan->dims[i], key->input[i].shape, own);
        memcpy(plan->dims[i] + ARRAY_MAX_NDIM, key->input[i].strides, own);
    }
    plan->dtype = (PyArray_Descr *)Py_NewRef(result->dtype);
    plan->ndim = result->ndim;
    memcpy(plan->shape, result->shape, bytes);
    memcpy(plan->strides, result->strides, bytes);
    return plan;
}

/* Encodes a tuple of axes as two numbers, *whole and *axes, that are unique
 * for this tuple. Returns 1, or 0 if the tuple is too long or has other
 * objects than small ints. */
static int
axes_parse(PyObject *tuple, int *whole, long *axes)
{
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);

    if (count > PLAN_MAX_AXES) {
        return 0;
    }
    *whole = 2 + (int)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, i);
        int overflow = 1;
        long axis = PyLong_CheckExact(item)
                        ? PyLong_AsLongAndOverflow(item, &overflow)
                        : 0;
        if (overflow || axis < -64 || axis > 63) {
            return 0;
        }
        *axes = *axes * 128 + axis + 64;
    }
    return 1;
}

/* Encodes the argument `axis` of a call as two numbers, which are compared
 * with plan_key.whole and plan_key.axis. Returns 1 for None, an int, or a
 * tuple of a few small ints, and 0 for other objects. */
static int
axis_parse(PyObject *object, int *whole, long *axis)
{
    *whole = object == Py_None;
    *axis = 0;
    if (!*whole && PyLong_CheckExact(object)) {
        int overflow;
        *axis = PyLong_AsLongAndOverflow(object, &overflow);
        return !overflow;
    }
    return *whole ||
           (PyTuple_CheckExact(object) && axes_parse(object, whole, axis));
}

/* Stores the arguments of a call in `inputs`, as borrowed references. Returns
 * 1, or 0 if there cannot be a plan for the call: an argument is not an array,
 * or there are too many arguments. */
static int
inputs_parse(PyObject *const *objects, Py_ssize_t count, struct array **inputs)
{
    if (count < 1 || count > PLAN_MAX_INPUTS) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!array_check(objects[i])) {
            return 0;
        }
        inputs[i] = (struct array *)objects[i];
    }
    return 1;
}

/* _plan_set(name, inputs, axis, result, temps, launches): adds a plan to the
 * current context's cache. */
PyObject *
plan_set(PyObject *module, PyObject *args)
{
    PyObject *name, *tuple, *axis, *result, *temps, *launches;
    struct array *inputs[PLAN_MAX_INPUTS];
    struct plan_key key;
    int whole;
    long number;

    (void)module;
    if (!PyArg_ParseTuple(args, "UO!OOO!O!:_plan_set", &name, &PyTuple_Type,
                          &tuple, &axis, &result, &PyTuple_Type, &temps,
                          &PyTuple_Type, &launches)) {
        return NULL;
    }
    int count = (int)PyTuple_GET_SIZE(tuple);
    if (!inputs_parse(((PyTupleObject *)tuple)->ob_item, count, inputs) ||
        !array_check(result)) {
        PyErr_SetString(PyExc_TypeError, "a launch plan needs one or two "
                                         "arrays");
        return NULL;
    }
    if (!axis_parse(axis, &whole, &number)) {
        /* The axis cannot be encoded. plan_replay declines all calls with such
         * an axis, so a stored plan would never be used. */
        Py_RETURN_NONE;
    }
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    /* a PlannedMethod object holds another reference to the interned name */
    Py_DECREF(name);
    key_set(&key, inputs, count, name, whole, number);
    struct plan *plan = plan_new(&key, (struct array *)result);
    struct kernels *kernels = plan && plan_parse(plan, temps, launches) == 0
                                  ? kernels_get_or_create()
                                  : NULL;
    if (!kernels) {
        plan_release(plan);
        return NULL;
    }
    struct plan **target = key_slot(kernels, &key), *old = *target;
    *target = plan;
    plan_release(old);
    Py_RETURN_NONE;
}

/* Finds the plan for a function name, for arrays of the same types, shapes,
 * strides and alignment as `objects`, and for an axis (or None). Executes it
 * and returns the result. Returns NULL without an exception if there is no
 * such plan. */
PyObject *
plan_replay(PyObject *name, PyObject *const *objects, Py_ssize_t count,
            PyObject *axis)
{
    struct array *inputs[PLAN_MAX_INPUTS];
    struct plan_key key;
    int whole;
    long number;

    if (!inputs_parse(objects, count, inputs) ||
        !axis_parse(axis, &whole, &number)) {
        return NULL;
    }
    struct kernels *kernels = kernels_current();
    if (!kernels) {
        return NULL;
    }
    key_set(&key, inputs, (int)count, name, whole, number);
    struct plan *plan = *key_slot(kernels, &key);
    return plan && key_equal(&plan->key, &key) ? plan_run(plan, inputs) : NULL;
}
