/* profiler.c - module functions that control a profiler of the program.
 *
 * All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/core.h"
#include "core/python/locked_calls.h"
#include "core/state.h"

static PyObject *
none_or_error(CUresult code, const char *routine)
{
    return core_check(code, routine) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
profiler_start(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    return none_or_error(driver.cuProfilerStart(), "cuProfilerStart");
}

static PyObject *
profiler_stop(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    return none_or_error(driver.cuProfilerStop(), "cuProfilerStop");
}

static PyObject *
profiler_initialize(PyObject *unused, PyObject *args)
{
    (void)unused;
    const char *config, *output;
    int mode;
    if (!PyArg_ParseTuple(args, "ssi:initialize_profiler", &config, &output,
                          &mode)) {
        return NULL;
    }
    return none_or_error(
        driver.cuProfilerInitialize(config, output, (CUoutput_mode)mode),
        "cuProfilerInitialize");
}

static PyMethodDef functions[] = {
    {"start_profiler", profiler_start, METH_NOARGS,
     "start_profiler()\n--\n\n"
     "Tell a profiler that runs the program to record from here on."},
    {"stop_profiler", profiler_stop, METH_NOARGS,
     "stop_profiler()\n--\n\n"
     "Tell a profiler that runs the program to stop recording."},
    {"initialize_profiler", profiler_initialize, METH_VARARGS,
     "initialize_profiler(config_file, output_file, output_mode, /)\n--\n\n"
     "initialize_profiler(config_file, output_file, mode): configure the "
     "profiler of old drivers. Newer ones raise LogicError."},
    {NULL},
};

int
core_profiler_setup(PyObject *module)
{
    return core_add_functions(module, functions);
}
