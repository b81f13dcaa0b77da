/* linker.c - the type Linker, which links several compiled files into one
 * module.
 *
 * The driver's link state belongs to the context. All functions need the GIL;
 * the link itself releases it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/file.h"
#include "core/code/module_type.h"
#include "core/code/options.h"
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"

/* State of one link. The driver reads and writes `options` until `state` is
 * destroyed. */
struct linker {
    CORE_HEAD
    CUlinkState state; /* link state from cuLinkCreate; NULL after the link */
    /* strong reference; constructor argument message_handler, or NULL */
    PyObject *handler;
    struct code_options options;
};

/* Returns the detail for a link error: the driver's error log, or an
 * explanation if a cubin is not relocatable, since the driver's text is
 * misleading then. Returns NULL if there is no detail. */
static const char *
linker_detail(const struct linker *self, CUresult code)
{
    if (self->options.error[0] != '\0') {
        return self->options.error;
    }
    return code == CUDA_ERROR_NO_BINARY_FOR_GPU
               ? "linked code must be relocatable: compile it with "
                 "-rdc=true"
               : NULL;
}

/* Passes the driver's logs to the program's message handler. Then raises the
 * exception of `code` if that is an error. */
static int
linker_report(struct linker *self, CUresult code, const char *routine)
{
    if (code_options_report(&self->options, self->handler,
                            code == CUDA_SUCCESS) < 0) {
        return -1;
    }
    if (code == CUDA_SUCCESS) {
        return 0;
    }
    return core_fail(code, routine, linker_detail(self, code));
}

/* Creates the driver's link state with the options of the constructor. */
static int
linker_create(struct linker *self, PyObject *options, bool verbose)
{
    if (code_options_init(&self->options, verbose, options) < 0) {
        return -1;
    }
    CUresult code =
        driver.cuLinkCreate(self->options.count, self->options.names,
                            self->options.values, &self->state);
    return code == CUDA_SUCCESS ? 0
                                : linker_report(self, code, "cuLinkCreate");
}

/* Reads the constructor's arguments and creates the link state. Raises
 * TypeError if the linker has a link state already. */
static int
linker_read(struct linker *self, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"", "", "", NULL};
    PyObject *handler = NULL, *options = NULL;
    int verbose = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOp:Linker", keywords,
                                     &handler, &options, &verbose)) {
        return -1;
    }
    if (self->options.info != NULL) {
        PyErr_SetString(PyExc_TypeError,
                        "Linker.__init__() was called before");
        return -1;
    }
    self->handler = handler == Py_None ? NULL : Py_XNewRef(handler);
    return linker_create(self, options, verbose);
}

static int linker_init(PyObject *op, PyObject *args, PyObject *kwargs);

static PyObject *
linker_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct core_context *context = core_current();
    struct linker *self =
        context == NULL ? NULL
                        : (struct linker *)core_object_new(type, context);
    if (self != NULL && !core_init_reads(type, linker_new, linker_init) &&
        linker_read(self, args, kwargs) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int
linker_init(PyObject *op, PyObject *args, PyObject *kwargs)
{
    return core_init_reads(Py_TYPE(op), linker_new, linker_init)
               ? linker_read((struct linker *)op, args, kwargs)
               : 0;
}

static void
linker_destroy(struct linker *self, CUlinkState state)
{
    struct core_scope scope;
    if (state != NULL && core_enter(self->context, &scope)) {
        driver.cuLinkDestroy(state);
        core_leave(&scope);
    }
}

static void
linker_dealloc(PyObject *op)
{
    struct linker *self = (struct linker *)op;
    core_object_begin_dealloc(op);
    linker_destroy(self, self->state);
    code_options_free(&self->options);
    Py_CLEAR(self->handler);
    core_object_end_dealloc(op);
}

static int
linker_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct linker *)op)->handler);
    return core_object_traverse(op, visit, arg);
}

static int
linker_clear(PyObject *op)
{
    Py_CLEAR(((struct linker *)op)->handler);
    return core_object_clear(op);
}

/* Raises an exception if the linker is not initialized or has already linked;
 * otherwise clears the error log and returns 0. */
static int
linker_open(struct linker *self, const char *routine)
{
    if (!self->context->valid) {
        return core_context_fail_detached(routine);
    }
    if (self->options.info == NULL) {
        PyErr_SetString(PyExc_TypeError,
                        "Linker.__init__() has not been called");
        return -1;
    }
    if (self->state == NULL) {
        return core_fail(CUDA_ERROR_INVALID_HANDLE, routine,
                         "link_module() was called before");
    }
    self->options.error[0] = '\0'; /* discard the error of an earlier call */
    return 0;
}

static PyObject *
linker_add_data(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "add_data", 2, {"data", "input_type", "name"}};
    struct linker *self = (struct linker *)op;
    PyObject *values[3];
    unsigned type;
    const char *name = "unknown";
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_unsigned(values[1], &type) < 0) {
        return NULL;
    }
    if (values[2] != NULL) {
        name = core_text(values[2], "name");
    }
    /* PTX is text and must end with a zero byte. A bytes object has one after
     * its data. */
    PyObject *bytes = name == NULL ? NULL : PyBytes_FromObject(values[0]);
    if (bytes == NULL || linker_open(self, "cuLinkAddData") < 0) {
        Py_XDECREF(bytes);
        return NULL;
    }
    size_t length = (size_t)PyBytes_GET_SIZE(bytes);
    CUresult code = driver.cuLinkAddData(
        self->state, (CUjitInputType)type, PyBytes_AS_STRING(bytes),
        type == CU_JIT_INPUT_PTX ? length + 1 : length, name, 0, NULL, NULL);
    Py_DECREF(bytes);
    if (code != CUDA_SUCCESS) {
        linker_report(self, code, "cuLinkAddData");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
linker_add_file(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "add_file", 2, {"filename", "input_type"}};
    struct linker *self = (struct linker *)op;
    PyObject *values[2];
    unsigned type;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_unsigned(values[1], &type) < 0 ||
        linker_open(self, "cuLinkAddFile") < 0) {
        return NULL;
    }
    const char *name = core_text(values[0], "filename");
    if (name == NULL || code_file_check(name, "cuLinkAddFile") < 0) {
        return NULL;
    }
    CUresult code = driver.cuLinkAddFile(self->state, (CUjitInputType)type,
                                         name, 0, NULL, NULL);
    if (code != CUDA_SUCCESS) {
        linker_report(self, code, "cuLinkAddFile");
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Method link_module: links without the GIL, and loads the result as a
 * Module. */
static PyObject *
linker_link_module(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct linker *self = (struct linker *)op;
    void *image = NULL;
    size_t bytes = 0;
    if (linker_open(self, "cuLinkComplete") < 0) {
        return NULL;
    }
    CUresult code;
    CUlinkState state = self->state;
    /* Cleared before the link, so that the message handler or another thread
     * cannot link a second time. */
    self->state = NULL;
    PyThreadState *thread = core_gil_release();
    code = driver.cuLinkComplete(state, &image, &bytes);
    core_gil_acquire(thread);
    PyObject *module = NULL;
    if (linker_report(self, code, "cuLinkComplete") == 0) {
        module = core_module_load(image, bytes);
    }
    linker_destroy(self, state); /* frees the link state and `image` */
    return module;
}

static PyMethodDef linker_methods[] = {
    {"add_data", CORE_METHOD(linker_add_data),
     "Add compiled code: bytes, a jit_input_type, and optionally a name "
     "for messages. Raises LogicError or RuntimeError if it cannot be "
     "linked."},
    {"add_file", CORE_METHOD(linker_add_file),
     "Add the compiled code in a file, of a jit_input_type. Raises "
     "LogicError or RuntimeError if there is no such file or it cannot "
     "be linked."},
    {"link_module", linker_link_module, METH_NOARGS,
     "Link all added code; return the loaded Module. Raises LogicError "
     "for undefined names."},
    {NULL},
};

static PyType_Slot linker_slots[] = {
    {Py_tp_doc,
     "Linker(message_handler=None, options=None, log_verbose=False)"},
    {Py_tp_new, linker_new},
    {Py_tp_init, linker_init},
    {Py_tp_dealloc, linker_dealloc},
    {Py_tp_traverse, linker_traverse},
    {Py_tp_clear, linker_clear},
    {Py_tp_methods, linker_methods},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec linker_spec = {
    .name = "pycuda._driver.Linker",
    .basicsize = sizeof(struct linker),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = linker_slots,
};

int
core_linker_setup(PyObject *module)
{
    return core_add_type(module, &core.linker_type, &linker_spec, NULL);
}
