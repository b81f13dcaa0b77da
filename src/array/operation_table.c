/* operation_table.c - operation numbers and type rules.
 *
 * Called by elementwise_operation.c and reduce.c. A hash table maps an
 * operation and type codes to a rule. Rules exist until the process ends. If a
 * rule is missing, the type resolver, a Python function, determines it.
 *
 * SPDX-License-Identifier: MIT */
#include "array/hash_table.h"
#include "array/numpy.h"
#include "array/operation_table.h"
#include "array/type_codes.h"
#include "core/core.h"
#include "core/python/locks.h"

/* protects `rules`, `names` and `name_count` */
LEAF_LOCK(table_lock);
static struct hash_table rules;
static PyObject *names[OPERATION_LIMIT];
static int name_count;
/* Strong reference; the type resolver: resolver(name, types) returns (types of
 * the computation, result type). */
static PyObject *resolver;

/* --- names ------------------------------------------------------------- */

int
operation_setup(void)
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

/* Returns the number of the operation with the interned name `name`, or -1 if
 * there is none. Operations are never removed. The caller holds table_lock. */
static int
number_find(const PyObject *name)
{
    for (int i = 0; i < name_count; i++) {
        if (names[i] == name) {
            return i;
        }
    }
    return -1;
}

/* Returns the number of the operation called `name`. A new name gets the next
 * free number. Returns -1 with an exception on failure. */
int
operation_number(PyObject *name)
{
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "an operation's name must be a str");
        return -1;
    }
    LEAF_BEGIN(table_lock);
    int number = number_find(name);
    LEAF_END(table_lock);
    if (number >= 0) {
        return number;
    }
    PyObject *interned = Py_NewRef(name);
    PyUnicode_InternInPlace(&interned);
    LEAF_BEGIN(table_lock);
    number = number_find(interned);
    bool is_new = number < 0 && name_count < OPERATION_LIMIT;
    if (is_new) {
        number = name_count;
        names[number] = interned;
        WRITE_SHARED(name_count, number + 1);
    }
    LEAF_END(table_lock);
    if (!is_new) {
        Py_DECREF(interned);
    }
    if (number < 0) {
        PyErr_SetString(PyExc_RuntimeError, "too many operations");
    }
    return number;
}

/* Returns the name of an operation, a borrowed reference. */
PyObject *
operation_name(int number)
{
    return names[number];
}

/* --- rules ------------------------------------------------------------- */

/* Calls the type resolver. Returns its result, or NULL with an exception. */
static PyObject *
rule_resolve(int operation, int inputs, const int *codes)
{
    PyObject *types = PyTuple_New(inputs);
    PyObject *answer = NULL;

    if (!resolver) {
        PyErr_SetString(PyExc_RuntimeError, "import pycuda.gpuarray first");
    }
    for (int i = 0; types && i < inputs; i++) {
        PyObject *type = type_code_object(codes[i]);
        if (!type) {
            Py_CLEAR(types);
            break;
        }
        PyTuple_SET_ITEM(types, i, type);
    }
    if (resolver && types) {
        answer = PyObject_CallFunctionObjArgs(
            resolver, operation_name(operation), types, NULL);
    }
    Py_XDECREF(types);
    return answer;
}

/* Creates a rule from the type resolver's result. Returns NULL with an
 * exception on failure. */
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

static void
rule_free(struct rule *rule)
{
    for (int i = 0; i < ARRAY_INPUTS; i++) {
        Py_XDECREF(rule->loop[i]);
    }
    Py_DECREF(rule->result);
    PyMem_RawFree(rule);
}

/* Adds a rule to the table and returns the rule. If another thread has added a
 * rule for the same key in the meantime, frees `rule` and returns the other
 * thread's rule. Returns NULL with a MemoryError on failure; `rule` is then
 * freed. */
static const struct rule *
rule_add(uint64_t key, struct rule *rule)
{
    LEAF_BEGIN(table_lock);
    struct rule *found = hash_table_find(&rules, key, 0);
    bool is_added = !found && hash_table_add(&rules, key, 0, rule) == 0;
    LEAF_END(table_lock);
    if (!is_added) {
        rule_free(rule);
    }
    return found ? found : is_added ? rule : NULL;
}

/* Returns the rule of an operation for inputs with the type codes `codes`. The
 * table owns the rule. Returns NULL with an exception on failure. */
const struct rule *
operation_rule(int operation, int inputs, const int *codes)
{
    uint64_t key = (uint64_t)operation + 1;

    for (int i = 0; i < inputs; i++) {
        key = key << 6 | (uint64_t)codes[i];
    }
    key = key << 2 | (uint64_t)inputs;
    LEAF_BEGIN(table_lock);
    struct rule *rule = hash_table_find(&rules, key, 0);
    LEAF_END(table_lock);
    if (rule) {
        return rule;
    }
    PyObject *answer = rule_resolve(operation, inputs, codes);
    if (!answer) {
        return NULL;
    }
    rule = rule_parse(answer, inputs);
    Py_DECREF(answer);
    return rule ? rule_add(key, rule) : NULL;
}

PyObject *
operation_set_resolver(PyObject *module, PyObject *callable)
{
    (void)module;
    Py_XSETREF(resolver, Py_NewRef(callable));
    Py_RETURN_NONE;
}
