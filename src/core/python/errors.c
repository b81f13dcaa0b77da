/* errors.c - converts CUresult to Python exceptions, and opens the driver
 * library.
 *
 * Only this file does these two things. A message has the form "<routine>
 * failed: <text>[ - <detail>]", with the driver's own text. All functions need
 * the GIL; opening the library releases it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/core.h"
#include "core/python/errors.h"
#include "core/python/gil.h"
#include "core/python/interrupt.h"
#include "core/state.h"

/* functions that describe the current context for error messages; NULL during
 * import */
static const struct core_error_hooks *hooks;

void
core_errors_set_hooks(const struct core_error_hooks *table)
{
    hooks = table;
}

enum failure_class {
    FAILURE_LOGIC,
    FAILURE_ERROR,
    FAILURE_MEMORY,
    FAILURE_LAUNCH,
    FAILURE_RUNTIME,
};

/* Exception class of each error code. Codes that are not in this table raise
 * LogicError. */
static const struct {
    CUresult code;
    enum failure_class kind;
} failure_classes[] = {
    {CUDA_ERROR_UNKNOWN, FAILURE_ERROR},
    {CUDA_ERROR_OUT_OF_MEMORY, FAILURE_MEMORY},
    {CUDA_ERROR_LAUNCH_FAILED, FAILURE_LAUNCH},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, FAILURE_LAUNCH},
    {CUDA_ERROR_LAUNCH_TIMEOUT, FAILURE_LAUNCH},
    {CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, FAILURE_LAUNCH},
    {CUDA_ERROR_NO_DEVICE, FAILURE_RUNTIME},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, FAILURE_RUNTIME},
    {CUDA_ERROR_FILE_NOT_FOUND, FAILURE_RUNTIME},
    {CUDA_ERROR_NOT_READY, FAILURE_RUNTIME},
    {CUDA_ERROR_ECC_UNCORRECTABLE, FAILURE_RUNTIME},
};

/* Texts for the codes that this module itself raises, for the case that no
 * driver is loaded. */
static const struct {
    CUresult code;
    const char *text;
} own_texts[] = {
    {CUDA_ERROR_NOT_INITIALIZED, "initialization error"},
    {CUDA_ERROR_INVALID_CONTEXT, "invalid device context"},
    {CUDA_ERROR_INVALID_VALUE, "invalid argument"},
    {CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"},
};

/* Advice for error codes. The message contains it if the caller gives no other
 * detail. */
static const struct {
    CUresult code;
    const char *text;
} hints[] = {
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
     "a call in a capture must not wait for the device: use the _async "
     "copies, and read results after launching the graph"},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
     "the default stream waits for the capturing stream: pass the "
     "capturing stream to the operation, and read results after launching "
     "the graph"},
    {CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
     "let the capturing stream wait for an event recorded in each other "
     "stream that joined the capture"},
};

/* Returns advice for an error code, which the message then includes, or
 * NULL. */
static const char *
failure_hint(CUresult code)
{
    if (code == CUDA_ERROR_INVALID_CONTEXT && hooks != NULL &&
        !hooks->has_context()) {
        return "no context is current in this thread. " CORE_NO_CONTEXT;
    }
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        if (hints[i].code == code) {
            return hints[i].text;
        }
    }
    return NULL;
}

/* Returns the exception class of an error code, borrowed. */
static PyObject *
failure_exception(CUresult code)
{
    enum failure_class kind = FAILURE_LOGIC;
    for (size_t i = 0; i < sizeof failure_classes / sizeof *failure_classes;
         i++) {
        if (failure_classes[i].code == code) {
            kind = failure_classes[i].kind;
        }
    }
    switch (kind) {
    case FAILURE_ERROR:
        return core.error;
    case FAILURE_MEMORY:
        return core.memory_error;
    case FAILURE_LAUNCH:
        return core.launch_error;
    case FAILURE_RUNTIME:
        return core.runtime_error;
    default:
        return core.logic_error;
    }
}

/* Returns the driver's text for an error code. Without a driver text, returns
 * the text in own_texts or "unknown error". */
static const char *
failure_text(CUresult code)
{
    const char *text = NULL;
    if (core.opened) {
        driver.cuGetErrorString(code, &text);
    }
    for (size_t i = 0;
         text == NULL && i < sizeof own_texts / sizeof *own_texts; i++) {
        if (own_texts[i].code == code) {
            text = own_texts[i].text;
        }
    }
    return text == NULL ? "unknown error" : text;
}

/* After LAUNCH_FAILED, runs pending signal handlers: a signal may have ended
 * the launch before Python called its handler. Returns -1 if a handler raised
 * an exception. */
static int
signals_checked(CUresult code)
{
    return code == CUDA_ERROR_LAUNCH_FAILED ? PyErr_CheckSignals() : 0;
}

/* Raises the exception for an error code and returns -1. If a signal handler
 * raised an exception, that exception is raised instead. */
int
core_fail(CUresult code, const char *routine, const char *detail)
{
    if (core_interrupt_raise() < 0 || signals_checked(code) < 0) {
        return -1; /* a signal handler's exception ended the call */
    }
    if (core.forked && detail == NULL) {
        detail = "this process was forked after CUDA was initialised, so "
                 "it cannot use CUDA: start workers with multiprocessing's "
                 "\"spawn\" method, or call init() only in the children";
    }
    if (code == CUDA_ERROR_NOT_INITIALIZED && detail == NULL &&
        !core.initialised) {
        detail = "call pycuda.driver.init() or import pycuda.autoinit first";
    }
    char sticky[1024];
    bool stays =
        hooks != NULL && hooks->sticky_detail(code, sticky, sizeof sticky);
    PyErr_Format(failure_exception(code), "%s failed: %s%s%s%s%s", routine,
                 failure_text(code), detail == NULL ? "" : " - ",
                 detail == NULL ? "" : detail, stays ? " - " : "",
                 stays ? sticky : "");
    return -1;
}

int
core_check(CUresult code, const char *routine)
{
    if (code == CUDA_SUCCESS) {
        return 0;
    }
    return core_fail(code, routine, failure_hint(code));
}

/* Passes the folder of this extension module to the driver loader, which finds
 * the library of the CPU device below it. */
static int
package_dir_pass(void)
{
    PyObject *file = PyObject_GetAttrString(core.module, "__file__");
    if (file == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return -1;
        }
        PyErr_Clear();
        return 0;
    }
    const char *text = PyUnicode_AsUTF8(file);
    const char *slash = text == NULL ? NULL : strrchr(text, '/');
    char directory[4096];
    if (slash != NULL && (size_t)(slash - text) < sizeof directory) {
        memcpy(directory, text, (size_t)(slash - text));
        directory[slash - text] = '\0';
        api_set_package_dir(directory);
    }
    Py_DECREF(file);
    return text == NULL ? -1 : 0;
}

/* Opens the driver library at the first call. If no GPU driver can be opened,
 * opens the CPU device and issues one UserWarning. */
int
core_open(void)
{
    if (core.forked) {
        return core_fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit", NULL);
    }
    if (core.opened) {
        return 0;
    }
    static struct api_choice choice;
    if (package_dir_pass() < 0) {
        return -1;
    }
    int status;
    PyThreadState *thread = core_gil_release();
    status = api_open_driver(&choice);
    core_gil_acquire(thread);
    if (status < 0) {
        PyErr_SetString(choice.code == CUDA_SUCCESS
                            ? core.runtime_error
                            : failure_exception(choice.code),
                        choice.text);
        return -1;
    }
    core.opened = true;
    core_interrupt_setup();
    core.is_cpu = choice.kind == API_CPU;
    if (choice.fell_back) {
        return PyErr_WarnEx(PyExc_UserWarning, choice.text, 1);
    }
    return 0;
}

int
core_open_ready(const char *routine)
{
    if (core_open() < 0) {
        return -1;
    }
    return core.initialised ? 0
                            : core_check(CUDA_ERROR_NOT_INITIALIZED, routine);
}

int
core_errors_setup(PyObject *module)
{
    struct {
        PyObject **field, **base;
        const char *name, *doc;
    } rows[] = {
        {&core.error, &PyExc_Exception, "Error",
         "Base class of all errors that the driver reports."},
        {&core.memory_error, &core.error, "MemoryError",
         "The device does not have enough memory."},
        {&core.logic_error, &core.error, "LogicError",
         "The driver refused a call: invalid value, handle or context."},
        {&core.launch_error, &core.error, "LaunchError",
         "A kernel could not be launched, or failed while running."},
        {&core.runtime_error, &core.error, "RuntimeError",
         "No device, no code for this device, or pending work."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        snprintf(name, sizeof name, "pycuda.driver.%s", rows[i].name);
        *rows[i].field =
            PyErr_NewExceptionWithDoc(name, rows[i].doc, *rows[i].base, NULL);
        if (*rows[i].field == NULL ||
            PyModule_AddObjectRef(module, rows[i].name, *rows[i].field) < 0) {
            return -1;
        }
    }
    return 0;
}
