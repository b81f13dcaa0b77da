/* options.c - the driver's JIT options, and its logs, for calls that load or
 * link code.
 *
 * Called by module_type.c and linker.c, with the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/options.h"
#include "core/python/args.h"

/* Appends one (jit_option, int) pair to the options. Raises ValueError if the
 * option is one of the log buffers, which code_options_init sets. */
static int
add_pair(struct code_options *options, PyObject *pair)
{
    unsigned name;
    size_t value;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        PyErr_SetString(PyExc_TypeError,
                        "options must be pairs (jit_option, int)");
        return -1;
    }
    if (core_unsigned(PyTuple_GET_ITEM(pair, 0), &name) < 0 ||
        core_size(PyTuple_GET_ITEM(pair, 1), &value) < 0) {
        return -1;
    }
    if (name >= CU_JIT_INFO_LOG_BUFFER &&
        name <= CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
        PyErr_Format(PyExc_ValueError,
                     "jit_option %u is a log buffer, which cannot be set: "
                     "pass message_handler to receive the logs",
                     name);
        return -1;
    }
    options->names[options->count] = (CUjit_option)name;
    options->values[options->count++] = (void *)value;
    return 0;
}

/* Appends the user's option pairs. Raises TypeError if there are more than
 * CODE_PAIRS. */
static int
add_pairs(struct code_options *options, PyObject *pairs)
{
    if (pairs == NULL || pairs == Py_None) {
        return 0;
    }
    PyObject *items = PySequence_Tuple(pairs);
    if (items == NULL) {
        return -1;
    }
    int status = PyTuple_GET_SIZE(items) > CODE_PAIRS ? -1 : 0;
    if (status < 0) {
        PyErr_Format(PyExc_TypeError, "options must be at most %d pairs",
                     CODE_PAIRS);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items) && status == 0; i++) {
        status = add_pair(options, PyTuple_GET_ITEM(items, i));
    }
    Py_DECREF(items);
    return status;
}

int
code_options_init(struct code_options *options, bool verbose, PyObject *pairs)
{
    *options = (struct code_options){.info = PyMem_Calloc(2, CODE_LOG_BYTES)};
    if (options->info == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    options->error = options->info + CODE_LOG_BYTES;
    const struct {
        CUjit_option name;
        void *value;
    } rows[] = {
        {CU_JIT_INFO_LOG_BUFFER, options->info},
        {CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, (void *)(uintptr_t)CODE_LOG_BYTES},
        {CU_JIT_ERROR_LOG_BUFFER, options->error},
        {CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
         (void *)(uintptr_t)CODE_LOG_BYTES},
        {CU_JIT_LOG_VERBOSE, (void *)(uintptr_t)1},
    };
    options->count = sizeof rows / sizeof *rows - !verbose;
    for (unsigned i = 0; i < options->count; i++) {
        options->names[i] = rows[i].name;
        options->values[i] = rows[i].value;
    }
    return add_pairs(options, pairs);
}

void
code_options_free(struct code_options *options)
{
    PyMem_Free(options->info);
    options->info = options->error = NULL;
}

int
code_options_warn(const struct code_options *options)
{
    static const char mark[] = "warning: ";
    size_t n = sizeof mark - 1;

    options->info[CODE_LOG_BYTES - 1] = 0;
    if (strncmp(options->info, mark, n) != 0) {
        return 0;
    }
    return PyErr_WarnEx(PyExc_UserWarning, options->info + n, 1);
}

int
code_options_report(const struct code_options *options, PyObject *handler,
                    bool success)
{
    if (handler == NULL || handler == Py_None) {
        return 0;
    }
    /* the handler may drop the last other reference to itself */
    Py_INCREF(handler);
    options->info[CODE_LOG_BYTES - 1] = options->error[CODE_LOG_BYTES - 1] = 0;
    PyObject *result =
        PyObject_CallFunction(handler, "Oss", success ? Py_True : Py_False,
                              options->info, options->error);
    Py_DECREF(handler);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}
