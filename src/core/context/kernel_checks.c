/* kernel_checks.c - selects the kernel checks while the program runs, tells
 * them the sizes of allocations, and returns the counts of the check `bank`.
 *
 * pycuda.debug.check waits for all contexts, sets PYCUDA_CPU_CHECK, which the
 * compiler reads, and then calls _select_checks.
 *
 * SPDX-License-Identifier: MIT */
#include "api/api.h"
#include "core/context/kernel_checks.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/python/locked_calls.h"
#include "core/setups.h"
#include "core/state.h"

#include <stdlib.h>
#include <string.h>

void
core_checks_note(const char *checks)
{
    const char *pool = getenv("PYCUDA_POOL");

    core.checked = checks != NULL && *checks != 0;
    core.pool_off = (pool != NULL && strcmp(pool, "0") == 0) || core.checked;
}

static PyObject *
select_checks(PyObject *module, PyObject *text)
{
    (void)module;
    const char *checks = PyUnicode_AsUTF8(text);
    if (checks == NULL) {
        return NULL;
    }
    if (core.opened) {
        CUresult code = api_select_checks(checks);
        if (code == CUDA_ERROR_NOT_SUPPORTED) {
            PyErr_SetString(core.runtime_error,
                            "kernel checks need the CPU device, and this "
                            "process uses a GPU: start it with "
                            "PYCUDA_DEVICE=cpu");
            return NULL;
        }
        if (core_check(code, "select_checks") < 0) {
            return NULL;
        }
    }
    core_checks_note(checks);
    Py_RETURN_NONE;
}

static PyObject *
check_size(PyObject *module, PyObject *object)
{
    (void)module;
    if (Py_IS_TYPE(object, core.allocation_type) && core.opened) {
        struct core_allocation *self = (struct core_allocation *)object;
        if (!self->freed) {
            api_check_size(self->pointer, self->cached ? self->bytes : 0);
        }
    }
    Py_RETURN_NONE;
}

static PyObject *
access_counts(PyObject *module, PyObject *clear)
{
    (void)module;
    int reset = PyObject_IsTrue(clear);
    if (reset < 0) {
        return NULL;
    }
    if (!core.opened) {
        return PyUnicode_FromString("");
    }
    char *text = api_access_counts(reset != 0);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    /* Source lines may have any encoding. */
    PyObject *result =
        PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    free(text);
    return result;
}

static PyMethodDef functions[] = {
    {"_access_counts", access_counts, METH_O,
     "Return the counts of the check 'bank' as lines of JSON; if the argument "
     "is true, set them to zero."},
    {"_check_size", check_size, METH_O,
     "Make a DeviceAllocation known to the kernel checks, with the requested "
     "size if it is in a block of the default pool."},
    {"_select_checks", select_checks, METH_O,
     "Select the kernel checks of a comma-separated list; '' selects none. "
     "No kernel may be running."},
    {NULL},
};

int
core_kernel_checks_setup(PyObject *module)
{
    return core_add_functions(module, functions);
}
