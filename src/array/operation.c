/* operation.c - numbers and type rules of operations, and the table of
 * compiled kernels.
 *
 * Called by apply.c and reduce.c.  Both tables are open-addressed hash tables
 * keyed by 128 bits: rules by (operation, type codes), kernels by what
 * apply.c packs, and the context.  Entries live as long as the process; a
 * context's key is never used again, so a stale entry is only never found.
 * A miss asks Python: the resolver for a rule, the kernel factory
 * (pycuda/_kernels/factory.py) for a kernel.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"

struct slot {
    uint64_t low, high;
    void *context; /* NULL for rules */
    void *value;   /* NULL: free */
};

struct table {
    struct slot *slots;
    size_t capacity; /* a power of two */
    size_t used;
};

static struct table rules, kernels;
static PyObject *names[OPERATION_LIMIT];
static int name_count;
static PyObject *resolver; /* (name, types) -> (loop types, result type) */

/* --- hash table -------------------------------------------------------- */

static size_t
slot_hash(uint64_t low, uint64_t high, void *context)
{
    uint64_t hash = low * 0x9e3779b97f4a7c15u;

    hash ^= (high + (uint64_t)(uintptr_t)context) * 0xc2b2ae3d27d4eb4fu;
    return (size_t)(hash ^ hash >> 29);
}

static struct slot *
table_slot(const struct table *table, uint64_t low, uint64_t high,
           void *context)
{
    size_t at = slot_hash(low, high, context);

    for (;; at++) {
        struct slot *slot = &table->slots[at & (table->capacity - 1)];
        if (!slot->value || (slot->low == low && slot->high == high &&
                             slot->context == context)) {
            return slot;
        }
    }
}

static int
table_reserve(struct table *table)
{
    struct table bigger = {.capacity = table->capacity * 2,
                           .used = table->used};

    if (table->capacity && table->used * 2 < table->capacity) {
        return 0;
    }
    bigger.capacity = bigger.capacity ? bigger.capacity : 256;
    bigger.slots = PyMem_RawCalloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        struct slot *old = &table->slots[i];
        if (old->value) {
            *table_slot(&bigger, old->low, old->high, old->context) = *old;
        }
    }
    PyMem_RawFree(table->slots);
    *table = bigger;
    return 0;
}

static void *
table_find(const struct table *table, uint64_t low, uint64_t high,
           void *context)
{
    return table->capacity ? table_slot(table, low, high, context)->value
                           : NULL;
}

static int
table_add(struct table *table, uint64_t low, uint64_t high, void *context,
          void *value)
{
    if (table_reserve(table) < 0) {
        return -1;
    }
    struct slot *slot = table_slot(table, low, high, context);
    table->used += !slot->value;
    *slot = (struct slot){low, high, context, value};
    return 0;
}

/* --- names ------------------------------------------------------------- */

static int
names_start(void)
{
    static const char *const texts[] = {
#define ARRAY_OPERATION_TEXT(name, text) text,
        ARRAY_OPERATIONS(ARRAY_OPERATION_TEXT)
#undef ARRAY_OPERATION_TEXT
    };

    while (name_count < OPERATION_BUILTIN) {
        names[name_count] = PyUnicode_InternFromString(texts[name_count]);
        if (!names[name_count]) {
            return -1;
        }
        name_count++;
    }
    return 0;
}

/* The number of an operation's name, given out at first sight; -1 with an
 * exception. */
int
operation_number(PyObject *name)
{
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "an operation's name must be a str");
        return -1;
    }
    if (name_count == 0 && names_start() < 0) {
        return -1;
    }
    for (int i = 0; i < name_count; i++) {
        if (names[i] == name) {
            return i;
        }
    }
    for (int i = 0; i < name_count; i++) {
        if (PyUnicode_Compare(names[i], name) == 0) {
            return i;
        }
    }
    if (name_count == OPERATION_LIMIT) {
        PyErr_SetString(PyExc_RuntimeError, "too many operations");
        return -1;
    }
    names[name_count] = Py_NewRef(name);
    PyUnicode_InternInPlace(&names[name_count]);
    return name_count++;
}

/* Borrowed. */
PyObject *
operation_name(int number)
{
    return name_count == 0 && names_start() < 0 ? NULL : names[number];
}

/* --- rules ------------------------------------------------------------- */

static PyObject *
rule_ask(int operation, int inputs, const int *codes)
{
    PyObject *types = PyTuple_New(inputs);
    PyObject *answer = NULL;

    if (!resolver) {
        PyErr_SetString(PyExc_RuntimeError, "import pycuda.gpuarray first");
    }
    for (int i = 0; types && i < inputs; i++) {
        PyObject *type = code_object(codes[i]);
        if (!type) {
            Py_CLEAR(types);
            break;
        }
        PyTuple_SET_ITEM(types, i, type);
    }
    if (resolver && types && operation_name(operation)) {
        answer = PyObject_CallFunctionObjArgs(
            resolver, operation_name(operation), types, NULL);
    }
    Py_XDECREF(types);
    return answer;
}

static struct rule *
rule_parse(PyObject *answer, int inputs)
{
    PyObject *loop, *result;
    struct rule *rule;

    if (!PyArg_ParseTuple(answer, "O!O!", &PyTuple_Type, &loop,
                          &PyArrayDescr_Type, &result)) {
        return NULL;
    }
    if (PyTuple_GET_SIZE(loop) != inputs) {
        PyErr_SetString(PyExc_RuntimeError, "resolver: wrong number of types");
        return NULL;
    }
    rule = PyMem_RawCalloc(1, sizeof *rule);
    if (!rule) {
        PyErr_NoMemory();
        return NULL;
    }
    rule->result = (PyArray_Descr *)Py_NewRef(result);
    for (int i = 0; i < inputs; i++) {
        rule->loop[i] = (PyArray_Descr *)Py_NewRef(PyTuple_GET_ITEM(loop, i));
    }
    return rule;
}

/* What `operation` computes in for inputs of these type codes. */
const struct rule *
operation_rule(int operation, int inputs, const int *codes)
{
    uint64_t key = (uint64_t)operation + 1;

    for (int i = 0; i < inputs; i++) {
        key = key << 6 | (uint64_t)codes[i];
    }
    key = key << 2 | (uint64_t)inputs;
    struct rule *rule = table_find(&rules, key, 0, NULL);
    if (rule) {
        return rule;
    }
    PyObject *answer = rule_ask(operation, inputs, codes);
    if (!answer) {
        return NULL;
    }
    rule = rule_parse(answer, inputs);
    Py_DECREF(answer);
    if (rule && table_add(&rules, key, 0, NULL, rule) < 0) {
        rule = NULL;
    }
    return rule;
}

PyObject *
operation_set_resolver(PyObject *module, PyObject *callable)
{
    (void)module;
    Py_XSETREF(resolver, Py_NewRef(callable));
    Py_RETURN_NONE;
}

/* --- kernels ----------------------------------------------------------- */

/* The factory answers (Function, block, elements per thread, most blocks). */
static struct kernel *
kernel_parse(PyObject *answer)
{
    struct kernel made, *kernel;

    if (!PyArg_ParseTuple(answer, "OIII", &made.function, &made.block,
                          &made.per_thread, &made.max_blocks) ||
        core_function(made.function, &made.handle) < 0) {
        return NULL;
    }
    kernel = PyMem_RawMalloc(sizeof *kernel);
    if (!kernel) {
        PyErr_NoMemory();
        return NULL;
    }
    *kernel = made;
    Py_INCREF(kernel->function);
    return kernel;
}

/* The kernel of this key in the current context; on a miss `make_key` says in
 * Python's terms what to make. */
struct kernel *
operation_kernel(uint64_t low, uint64_t high, PyObject *(*make_key)(void *),
                 void *data)
{
    void *context;

    if (core_context(&context) < 0) {
        return NULL;
    }
    struct kernel *kernel = table_find(&kernels, low, high, context);
    if (kernel) {
        return kernel;
    }
    PyObject *key = make_key(data);
    PyObject *answer = key ? core_make_kernel(key) : NULL;
    Py_XDECREF(key);
    if (!answer) {
        return NULL;
    }
    kernel = kernel_parse(answer);
    Py_DECREF(answer);
    if (kernel && table_add(&kernels, low, high, context, kernel) < 0) {
        kernel = NULL;
    }
    return kernel;
}
