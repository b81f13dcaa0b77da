/* kernel_cache.c - the kernel cache and the plan cache of a context.
 *
 * One object in the context's local storage (core/context/local_storage.c)
 * owns both caches. The object is released with the context, or when the
 * context's kernels are released. The kernel cache is a hash table with
 * 128-bit keys, which elementwise_task.c, reduce.c and index_copy.c pack. On a
 * miss, Python's kernel factory is called (pycuda/_kernels/factory.py).
 *
 * Functions refer to the context, so the object supports cyclic garbage
 * collection. A caller that has found a kernel holds a reference to its
 * Function until the launch.
 *
 * SPDX-License-Identifier: MIT */
#include "array/hash_table.h"
#include "array/kernel.h"
#include "array/kernel_cache.h"
#include "array/plan.h"
#include "array/setups.h"
#include "core/core.h"
#include "core/python/locked_calls.h"

struct entry {
    struct kernel kernel;
    /* Strong reference; the Function. The field `handle` is valid while this
     * reference exists. */
    PyObject *function;
};

/* strong reference; the Python type of struct kernels */
static PyTypeObject *kernels_type;

/* --- the object -------------------------------------------------------- */

struct kernels *
kernels_current(void)
{
    PyObject **slot = core_local_slot(CORE_LOCAL_KERNELS);

    return slot ? (struct kernels *)*slot : NULL;
}

struct kernels *
kernels_get_or_create(void)
{
    struct kernels *found = kernels_current();

    if (found || PyErr_Occurred()) {
        return found;
    }
    PyObject *made = kernels_type->tp_alloc(kernels_type, 0);
    PyObject **slot = made ? core_local_slot(CORE_LOCAL_KERNELS) : NULL;
    if (!slot) {
        Py_XDECREF(made);
        return NULL;
    }
    /* The allocation may run the garbage collector, which runs finalizers. If
     * a finalizer has created this context's object, use that object. */
    if (*slot) {
        Py_DECREF(made);
    } else {
        *slot = made;
    }
    return (struct kernels *)*slot;
}

static int
kernels_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct kernels *self = (struct kernels *)op;

    Py_VISIT(Py_TYPE(op));
    for (size_t i = 0; i < self->table.capacity; i++) {
        struct entry *entry = self->table.slots[i].value;
        if (entry) {
            Py_VISIT(entry->function);
        }
    }
    return plans_traverse(self->plans, visit, arg);
}

static int
kernels_clear(PyObject *op)
{
    struct kernels *self = (struct kernels *)op;
    struct hash_table old = self->table;

    self->table = (struct hash_table){0};
    for (size_t i = 0; i < old.capacity; i++) {
        struct entry *entry = old.slots[i].value;
        if (entry) {
            Py_DECREF(entry->function);
            PyMem_RawFree(entry);
        }
    }
    PyMem_RawFree(old.slots);
    plans_clear(self->plans);
    return 0;
}

static void
kernels_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);

    PyObject_GC_UnTrack(op);
    kernels_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

/* --- kernels ----------------------------------------------------------- */

/* Unpacks the result of Python's kernel factory: (Function, threads per block,
 * elements per thread, maximum number of blocks). Returns a new reference to
 * the Function, or NULL with an exception. */
static PyObject *
factory_result_parse(PyObject *answer, struct kernel *kernel)
{
    PyObject *function;

    return PyArg_ParseTuple(answer, "OIII", &function, &kernel->block,
                            &kernel->per_thread, &kernel->max_blocks) &&
                   core_function(function, &kernel->handle) == 0
               ? Py_NewRef(function)
               : NULL;
}

/* Returns the entry of a kernel in the kernel cache of the current context, or
 * NULL if there is none or with an exception. */
static struct entry *
entry_find(uint64_t low, uint64_t high)
{
    struct kernels *kernels = kernels_current();

    return kernels ? hash_table_find(&kernels->table, low, high) : NULL;
}

/* Adds a kernel to the kernel cache. Returns 0, or -1 with an exception. */
static int
kernel_store(uint64_t low, uint64_t high, const struct kernel *kernel,
             PyObject *function)
{
    struct kernels *kernels = kernels_get_or_create();
    struct entry *entry = kernels ? PyMem_RawMalloc(sizeof *entry) : NULL;

    if (!entry) {
        return kernels ? (PyErr_NoMemory(), -1) : -1;
    }
    *entry = (struct entry){*kernel, Py_NewRef(function)};
    if (hash_table_add(&kernels->table, low, high, entry) < 0) {
        Py_DECREF(function);
        PyMem_RawFree(entry);
        return -1;
    }
    return 0;
}

/* Calls Python's kernel factory and adds the kernel to the kernel cache,
 * unless the current context has changed during the call. If another thread
 * has added the kernel in the meantime, returns that one, since callers rely
 * on the kernel cache to keep the Function. Returns a new reference to the
 * Function, or NULL with an exception. */
static PyObject *
kernel_make(uint64_t low, uint64_t high, PyObject *key, struct kernel *kernel)
{
    void *context;

    if (core_context_key(&kernel->context) < 0) {
        return NULL;
    }
    PyObject *answer = core_make_kernel(key);
    PyObject *function = answer ? factory_result_parse(answer, kernel) : NULL;
    Py_XDECREF(answer);
    if (!function) {
        return NULL;
    }
    if (core_context_key(&context) < 0) {
        Py_DECREF(function);
        return NULL;
    }
    if (context != kernel->context) {
        return function;
    }
    /* Creates the kernel cache before the search: that may run finalizers,
     * which could add the kernel as well. */
    struct kernels *kernels = kernels_get_or_create();
    struct entry *entry =
        kernels ? hash_table_find(&kernels->table, low, high) : NULL;
    if (entry) {
        Py_INCREF(entry->function);
        *kernel = entry->kernel;
        Py_SETREF(function, entry->function);
    } else if (!kernels || kernel_store(low, high, kernel, function) < 0) {
        Py_CLEAR(function);
    }
    return function;
}

PyObject *
kernel_find(uint64_t low, uint64_t high, PyObject *(*make_key)(void *),
            void *data, struct kernel *kernel)
{
    struct entry *entry = entry_find(low, high);

    if (entry) {
        *kernel = entry->kernel;
        return Py_NewRef(entry->function);
    }
    PyObject *key = PyErr_Occurred() ? NULL : make_key(data);
    PyObject *function = key ? kernel_make(low, high, key, kernel) : NULL;
    Py_XDECREF(key);
    return function;
}

int
array_kernels_setup(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc, "The compiled kernels and launch plans of a context."},
        {Py_tp_dealloc, kernels_dealloc},
        {Py_tp_traverse, kernels_traverse},
        {Py_tp_clear, kernels_clear},
        {0},
    };
    PyType_Spec spec = {
        .name = "pycuda._driver._Kernels",
        .basicsize = sizeof(struct kernels),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };

    kernels_type =
        (PyTypeObject *)core_type_new(module, &spec, NULL, CORE_CALL_CURRENT);
    return kernels_type ? 0 : -1;
}
