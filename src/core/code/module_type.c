/* module_type.c - the type Module: loaded code with its kernels, variables and
 * texture references.
 *
 * A module stays loaded while one of its Functions or TextureReferences
 * exists. The image is read once, for the kernels' parameter layouts, and is
 * not kept. All functions need the GIL; loading and unloading release it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/file.h"
#include "core/code/function.h"
#include "core/code/layout.h"
#include "core/code/layout_read.h"
#include "core/code/module.h"
#include "core/code/module_type.h"
#include "core/code/options.h"
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/default_pool.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/state.h"
#include "core/texture/texture_reference.h"

/* Returns a Module that owns the handle, and reads the parameter layouts of
 * the image's kernels. On failure unloads the module of the handle. */
static PyObject *
module_wrap(struct core_context *context, CUmodule handle, const void *image,
            size_t bytes)
{
    struct core_module *self =
        (struct core_module *)core_object_new(core.module_type, context);
    if (self == NULL) {
        driver.cuModuleUnload(handle);
        return NULL;
    }
    self->handle = handle;
    core_layouts_read(image, bytes, &self->layouts);
    return (PyObject *)self;
}

/* Error text for an image compiled for the CPU device that is loaded on a
 * GPU. */
static const char foreign_image[] =
    "this is an image for the CPU device: compile the source again on this "
    "one, and store the images of each device separately";

/* Returns whether the image is for the CPU device although the current device
 * is a GPU. */
static bool
of_another_device(const void *image, size_t bytes)
{
    return core_image_of_cpu(image, bytes) && !core.is_cpu;
}

/* Loads an image into the current context. `pairs` are the program's
 * (jit_option, value) pairs. If device memory is exhausted, frees idle memory
 * and retries once. Calls the message handler with the driver's logs, and
 * issues the driver's warnings as Python warnings. */
static PyObject *
module_load(const void *image, size_t bytes, PyObject *pairs,
            PyObject *handler)
{
    struct code_options options;
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    /* the message handler may pop the context from the stack and free it */
    Py_INCREF((PyObject *)context);
    PyObject *self = NULL;
    CUmodule handle = NULL;
    bool tried = false;
    CUresult code;
    if (code_options_init(&options, false, pairs) < 0) {
        goto done;
    }
    if (!core_image_is_complete(image, bytes)) {
        core_fail(CUDA_ERROR_INVALID_IMAGE, "cuModuleLoadDataEx",
                  "the image is truncated");
        goto done;
    }
    /* each attempt passes a copy of the options, since the driver overwrites
     * the values */
    do {
        struct code_options once = options;
        PyThreadState *thread = core_gil_release();
        code = driver.cuModuleLoadDataEx(&handle, image, once.count,
                                         once.names, once.values);
        core_gil_acquire(thread);
    } while (core_reclaim_memory(code, &tried));
    options.error[CODE_LOG_BYTES - 1] = '\0';
    if (code_options_report(&options, handler, code == CUDA_SUCCESS) < 0) {
        goto done;
    }
    if (code != CUDA_SUCCESS) {
        core_fail(code, "cuModuleLoadDataEx",
                  of_another_device(image, bytes) ? foreign_image
                  : options.error[0] == '\0'      ? NULL
                                                  : options.error);
        goto done;
    }
    if (code_options_warn(&options) < 0) {
        goto done;
    }
    self = module_wrap(context, handle, image, bytes);
    handle = NULL;
done:
    if (handle != NULL) {
        driver.cuModuleUnload(handle);
    }
    code_options_free(&options);
    Py_DECREF((PyObject *)context);
    return self;
}

/* Function module_from_buffer. Copies the buffer to a bytes object, since PTX
 * must end with a zero byte: a bytes object has one after its data, other
 * buffers may not. */
static PyObject *
load_from_buffer(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "module_from_buffer", 1, {"buffer", "options", "message_handler"}};
    PyObject *values[3];
    if (core_args(&signature, args, nargs, names, values) < 0) {
        return NULL;
    }
    if (PyUnicode_Check(values[0])) {
        PyErr_SetString(PyExc_TypeError,
                        "module_from_buffer needs bytes, not str");
        return NULL;
    }
    PyObject *bytes = PyBytes_FromObject(values[0]);
    if (bytes == NULL) {
        return NULL;
    }
    PyObject *self =
        module_load(PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes),
                    values[1], values[2]);
    Py_DECREF(bytes);
    return self;
}

PyObject *
core_module_load(const void *image, size_t bytes)
{
    return module_load(image, bytes, NULL, NULL);
}

/* Function module_from_file. Reads the file itself instead of passing its name
 * to the driver, so that only regular files are opened. */
static PyObject *
load_from_file(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "module_from_file", 1, {"filename"}};
    PyObject *values[1];
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_current() == NULL) {
        return NULL;
    }
    PyObject *bytes = code_file_read(values[0], "cuModuleLoad");
    if (bytes == NULL) {
        return NULL;
    }
    PyObject *self = core_module_load(PyBytes_AS_STRING(bytes),
                                      (size_t)PyBytes_GET_SIZE(bytes));
    Py_DECREF(bytes);
    return self;
}

/* Unloads the module without the GIL. */
static void
module_dealloc(PyObject *op)
{
    struct core_module *self = (struct core_module *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    core_textures_free(self);
    if (self->handle != NULL && core_enter(self->context, &scope)) {
        CUmodule handle = self->handle;
        PyThreadState *thread = core_gil_release();
        driver.cuModuleUnload(handle);
        core_gil_acquire(thread);
        core_leave(&scope);
    }
    core_layouts_free(&self->layouts);
    core_object_end_dealloc(op);
}

static int
module_traverse(PyObject *op, visitproc visit, void *arg)
{
    for (struct core_texture *texture = ((struct core_module *)op)->textures;
         texture != NULL; texture = texture->next) {
        Py_VISIT(texture->resource);
    }
    return core_object_traverse(op, visit, arg);
}

/* Finds a variable of the module. Enters the module's own context for the
 * call, since another context may be current. */
static CUresult
module_find_global(struct core_module *self, const char *name,
                   CUdeviceptr *pointer, size_t *bytes)
{
    struct core_scope scope;
    if (!core_enter(self->context, &scope)) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    CUresult code =
        driver.cuModuleGetGlobal(pointer, bytes, self->handle, name);
    core_leave(&scope);
    return code;
}

static PyObject *
module_get_function(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "get_function", 1, {"name"}};
    PyObject *values[1];
    if (core_args(&signature, args, nargs, names, values) < 0) {
        return NULL;
    }
    const char *name = core_text(values[0], "name");
    return name == NULL ? NULL
                        : core_function_new((struct core_module *)op, name);
}

static PyObject *
module_get_global(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {"get_global", 1, {"name"}};
    PyObject *values[1];
    CUdeviceptr pointer;
    size_t bytes;
    if (core_args(&signature, args, nargs, names, values) < 0) {
        return NULL;
    }
    const char *name = core_text(values[0], "name");
    if (name == NULL) {
        return NULL;
    }
    CUresult code =
        module_find_global((struct core_module *)op, name, &pointer, &bytes);
    if (code != CUDA_SUCCESS) {
        core_fail(code, "cuModuleGetGlobal", name);
        return NULL;
    }
    return Py_BuildValue("(KN)", (unsigned long long)pointer,
                         PyLong_FromSize_t(bytes));
}

/* Finds the module variable of a texture or surface reference, and returns the
 * object that `make` returns for the variable. Raises the exception of
 * CUDA_ERROR_NOT_FOUND if there is no variable of this name with 8 bytes. */
static PyObject *
reference_find(PyObject *op, PyObject *name_object, const char *routine,
               PyObject *(*make)(struct core_module *, PyObject *,
                                 CUdeviceptr))
{
    CUdeviceptr pointer;
    size_t bytes;
    const char *name = core_text(name_object, "name");
    if (name == NULL) {
        return NULL;
    }
    CUresult code =
        module_find_global((struct core_module *)op, name, &pointer, &bytes);
    if (code == CUDA_SUCCESS && bytes != sizeof(CUtexObject)) {
        code = CUDA_ERROR_NOT_FOUND;
    }
    if (code != CUDA_SUCCESS) {
        core_fail(code, routine, name);
        return NULL;
    }
    return make((struct core_module *)op, name_object, pointer);
}

static PyObject *
module_get_texref(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {"get_texref", 1, {"name"}};
    PyObject *values[1];
    if (core_args(&signature, args, nargs, names, values) < 0) {
        return NULL;
    }
    return reference_find(op, values[0], "cuModuleGetTexRef", core_texref_for);
}

static PyObject *
module_get_surfref(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "get_surfref", 1, {"name"}};
    PyObject *values[1];
    if (core_args(&signature, args, nargs, names, values) < 0) {
        return NULL;
    }
    return reference_find(op, values[0], "cuModuleGetSurfRef",
                          core_surfref_for);
}

static PyObject *
module_kernel_names(PyObject *object, PyObject *unused)
{
    (void)unused;
    const struct core_layouts *table =
        &((struct core_module *)object)->layouts;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < table->count; i++) {
        PyObject *name = PyUnicode_FromString(table->rows[i].name);
        if (name == NULL || PyList_Append(list, name) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef module_methods[] = {
    {"get_function", CORE_METHOD(module_get_function),
     "Return the kernel of that name as a new Function. Raises "
     "LogicError, with the names in the module, if there is none."},
    {"get_global", CORE_METHOD(module_get_global),
     "Return (address, bytes) of a __device__ or __constant__ "
     "variable."},
    {"get_texref", CORE_METHOD(module_get_texref),
     "Return the TextureReference of that name. Raises LogicError "
     "without one."},
    {"get_surfref", CORE_METHOD(module_get_surfref),
     "Return the SurfaceReference of that name. Raises LogicError "
     "without one."},
    {"_kernel_names", module_kernel_names, METH_NOARGS,
     "Return a list of the symbols of the module's kernels."},
    {NULL},
};

static PyType_Slot module_slots[] = {
    {Py_tp_doc, "Loaded code: kernels, variables, texture references."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, module_dealloc},
    {Py_tp_traverse, module_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, module_methods},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec module_spec = {
    .name = "pycuda._driver.Module",
    .basicsize = sizeof(struct core_module),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = module_slots,
};

static PyMethodDef functions[] = {
    {"module_from_buffer", CORE_METHOD(load_from_buffer),
     "module_from_buffer(buffer, options=(), message_handler=None)\n--\n\n"
     "Load a Module from the bytes of an image: a cubin, a fatbin or "
     "PTX. Raises LogicError if they are none of these, RuntimeError if "
     "they are for another device."},
    {"module_from_file", CORE_METHOD(load_from_file),
     "module_from_file(filename)\n--\n\n"
     "Load a Module from a file: a cubin, a fatbin or PTX. Raises "
     "RuntimeError if there is no such file or it is for another "
     "device, LogicError if it is none of these."},
    {NULL},
};

int
core_module_setup(PyObject *module)
{
    if (core_add_type(module, &core.module_type, &module_spec, NULL) < 0) {
        return -1;
    }
    return core_add_functions(module, functions);
}
