/* extension_module.c - the extension module pycuda._driver.
 *
 * Imported by pycuda.driver. Runs the setup function of each file once, and
 * owns the process-wide state (state.h), which the garbage collector visits
 * through the module. Import in a second interpreter is an error.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/kernel_checks.h"
#include "core/core.h"
#include "core/numpy.h"
#include "core/python/gil.h"
#include "core/python/locks.h"
#include "core/setups.h"
#include "core/state.h"

#include <pthread.h>

/* Creates the interned strings that calls and attribute lookups compare. */
static int
strings_setup(void)
{
    struct {
        PyObject **field;
        const char *text;
    } rows[] = {
        {&core.str_grid, "grid"},
        {&core.str_block, "block"},
        {&core.str_stream, "stream"},
        {&core.str_shared, "shared"},
        {&core.str_texrefs, "texrefs"},
        {&core.str_time_kernel, "time_kernel"},
        {&core.str_cooperative, "cooperative"},
        {&core.str_cluster, "cluster"},
        {&core.str_shared_size, "shared_size"},
        {&core.str_gpudata, "gpudata"},
        {&core.str_cuda_stream, "cuda_stream"},
        {&core.str_cuda_stream_protocol, "__cuda_stream__"},
        {&core.str_interface, "__cuda_array_interface__"},
        {&core.str_data, "data"},
        {&core.str_dlpack, "__dlpack__"},
        {&core.str_stack, "pycuda.context_stack"},
        {&core.str_thread, "pycuda.thread"},
        {&core.str_source, "_source"},
        {&core.str_get_pointer, "get_pointer"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i].field = PyUnicode_InternFromString(rows[i].text);
        if (*rows[i].field == NULL) {
            return -1;
        }
    }
    return 0;
}

/* Called in a forked child. If the parent has initialized CUDA, CUDA is
 * unusable in the child: destructors then do not call the driver, and
 * core_fail states the reason. Opening a GPU's driver library initializes
 * CUDA, even if the user has not called init(). */
static void
after_fork(void)
{
    core.forked = api_fork_child() || core.initialised;
    core_gil_forked();
}

/* Registers the fork handlers once per process, even if the import is
 * repeated. */
static int
fork_handlers_setup(void)
{
    static bool registered;

    if (!registered) {
        if (core_locks_setup() < 0) {
            return -1;
        }
        int code = pthread_atfork(api_fork_begin, api_fork_end, after_fork);
        if (code != 0) {
            PyErr_NoMemory();
            return -1;
        }
        registered = true;
    }
    return 0;
}

/* Warns if the value of an environment variable is neither 0 nor 1 nor empty.
 * Returns 0, or -1 if the warning is an exception. */
static int
switch_check(const char *variable)
{
    const char *value = getenv(variable);
    if (value == NULL || *value == 0 || strcmp(value, "0") == 0 ||
        strcmp(value, "1") == 0) {
        return 0;
    }
    return PyErr_WarnFormat(PyExc_UserWarning, 1,
                            "%s is '%s'; it must be 0 or 1", variable, value);
}

/* Reads the environment variables, installs the handlers of fork() and sets
 * core.module. Raises ImportError if another interpreter has imported the
 * module. */
static int
state_setup(PyObject *module)
{
    if (core.module != NULL) {
        PyErr_SetString(PyExc_ImportError,
                        "pycuda._driver supports one interpreter per "
                        "process, because CUDA's state belongs to the "
                        "process");
        return -1;
    }
    if (switch_check("PYCUDA_POOL") < 0 ||
        switch_check("PYCUDA_THREAD_CONTEXT") < 0) {
        return -1;
    }
    core_checks_note(getenv("PYCUDA_CPU_CHECK"));
    if (fork_handlers_setup() < 0) {
        return -1;
    }
    core.module = Py_NewRef(module);
    return 0;
}

/* Runs the setup function of each file of core, then that of src/array. */
static int
parts_setup(PyObject *module)
{
    if (strings_setup() < 0) {
        return -1;
    }
#define SETUP(name)                                                           \
    if (core_##name##_setup(module) < 0) {                                    \
        return -1;                                                            \
    }
    CORE_SETUPS(SETUP)
#undef SETUP
    return array_setup(module);
}

/* Initializes the module. After a failure, such as no memory, the import can
 * be repeated; it then runs all setup functions again. */
static int
driver_exec(PyObject *module)
{
    if (core_numpy_import() < 0 || state_setup(module) < 0) {
        return -1;
    }
    if (parts_setup(module) < 0) {
        Py_CLEAR(core.module);
        /* A setup function fails without an exception only if there is not
         * enough memory. */
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        return -1;
    }
    return 0;
}

static int
driver_traverse(PyObject *module, visitproc visit, void *arg)
{
    (void)module;
#define TYPE(field, name) Py_VISIT(core.field);
    CORE_TYPES(TYPE)
#undef TYPE
#define OBJECT(field) Py_VISIT(core.field);
    CORE_OBJECTS(OBJECT)
#undef OBJECT
    Py_VISIT(core.array_type);
    return 0;
}

static PyModuleDef_Slot driver_slots[] = {
    {Py_mod_exec, driver_exec},
#ifdef Py_mod_gil
    /* the module does not need the GIL: it has locks of its own
     * (python/locks.h) */
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

/* There is no m_clear: at interpreter exit objects may outlive the module, and
 * their methods read the state. */
static PyModuleDef driver_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pycuda._driver",
    .m_doc = "CUDA driver objects, the launch path and device arrays.",
    .m_slots = driver_slots,
    .m_traverse = driver_traverse,
};

PyMODINIT_FUNC
PyInit__driver(void)
{
    return PyModuleDef_Init(&driver_module);
}
