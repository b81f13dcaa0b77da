/* function.c - creates Functions, and reads the properties of kernels that
 * launches need.
 *
 * function_type.c has the Python type. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/code/layout.h"
#include "core/code/module.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/pack_buffer.h"
#include "core/python/object.h"
#include "core/state.h"

/* Implements f(...), a call of a Function. The function is defined in
 * launch/fast_path.c and set by core_function_set_call. */
static vectorcallfunc function_call;

void
core_function_set_call(vectorcallfunc call)
{
    function_call = call;
}

/* Asks the driver for the kernel's parameter layout. Called if the module's
 * image does not contain the layout. On failure the layout stays unknown. */
static void
layout_query(struct core_function *self)
{
    size_t offset, bytes;
    uint32_t count = 0;
    CUresult code;
    while ((code = driver.cuFuncGetParamInfo(self->handle, count, &offset,
                                             &bytes)) == CUDA_SUCCESS) {
        struct core_parameter *grown =
            PyMem_Realloc(self->own_parameters, (count + 1) * sizeof *grown);
        if (grown == NULL) {
            return;
        }
        self->own_parameters = grown;
        grown[count++] = (struct core_parameter){.offset = (uint32_t)offset,
                                                 .bytes = (uint32_t)bytes};
        self->layout.bytes = (uint32_t)(offset + bytes);
    }
    self->layout.count = count;
    self->layout.parameters = self->own_parameters;
    self->layout.known = code == CUDA_ERROR_INVALID_VALUE;
}

/* Raises the error for a kernel name that the module does not have. The
 * message lists the module's kernels. */
static void
function_missing(CUresult code, const struct core_module *module,
                 const char *name)
{
    char detail[1024], others[700] = "";
    if (code == CUDA_ERROR_NOT_FOUND && module->layouts.complete) {
        core_layouts_describe(&module->layouts, others, sizeof others);
    }
    snprintf(detail, sizeof detail, "%.300s%s", name, others);
    core_fail(code, "cuModuleGetFunction", detail);
}

/* Adds the function to its context's list of Functions. Error messages search
 * the list for the name of a CUfunction. */
static void
function_list(struct core_function *self)
{
    self->link = &self->context->functions;
    self->next = *self->link;
    *self->link = self;
    if (self->next != NULL) {
        self->next->link = &self->next;
    }
}

/* Returns a new Function for the kernel `name` of a module. Its parameter
 * layout comes from the module's table or, if the table has no entry for the
 * kernel, from the driver. */
PyObject *
core_function_new(struct core_module *module, const char *name)
{
    struct core_scope scope;
    CUfunction handle;
    if (!core_enter(module->context, &scope)) {
        core_fail(CUDA_ERROR_INVALID_CONTEXT, "cuModuleGetFunction", NULL);
        return NULL;
    }
    CUresult code = driver.cuModuleGetFunction(&handle, module->handle, name);
    core_leave(&scope);
    if (code != CUDA_SUCCESS) {
        function_missing(code, module, name);
        return NULL;
    }
    struct core_function *self = (struct core_function *)core_object_new(
        core.function_type, module->context);
    if (self == NULL) {
        return NULL;
    }
    self->vectorcall = function_call;
    self->handle = handle;
    function_list(self);
    self->module = (struct core_module *)Py_NewRef((PyObject *)module);
    self->name = PyUnicode_FromString(name);
    const struct core_layout *layout =
        core_layouts_find(&module->layouts, name);
    if (layout != NULL) {
        self->layout = *layout;
    } else {
        layout_query(self);
    }
    self->small = self->layout.known &&
                  self->layout.count <= CORE_SMALL_COUNT &&
                  self->layout.bytes <= CORE_SMALL_BYTES;
    self->slots = PyMem_Calloc(self->layout.count + 1, sizeof *self->slots);
    if (self->slots == NULL || self->name == NULL) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

int
core_function(PyObject *object, CUfunction *handle)
{
    if (!Py_IS_TYPE(object, core.function_type)) {
        PyErr_Format(PyExc_TypeError, "expected a Function, got %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *handle = ((struct core_function *)object)->handle;
    return 0;
}

int
core_function_ready(struct core_function *self, const char *routine)
{
    return !self->context->valid    ? core_context_fail_detached(routine)
           : core_current() == NULL ? -1
                                    : 0;
}

/* Allows launches of the function with `bytes` of dynamic shared memory.
 * Caches the allowed size, so that the driver is asked only about larger
 * sizes. */
int
core_shared_allow(struct core_function *function, size_t bytes)
{
    if (bytes <= function->shared_allowed || bytes > INT32_MAX) {
        return 0;
    }
    int allowed;
    if (core_check(driver.cuFuncGetAttribute(
                       &allowed,
                       CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                       function->handle),
                   "cuFuncGetAttribute") < 0) {
        return -1;
    }
    if (bytes <= (size_t)allowed) {
        bytes = (size_t)allowed;
    } else if (driver.cuFuncSetAttribute(
                   function->handle,
                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                   (int)bytes) != CUDA_SUCCESS) {
        /* The driver does not allow so many bytes. No error is raised here:
         * the launch that needs them fails later and reports the problem. */
        return 0;
    }
    function->shared_allowed = bytes;
    return 0;
}
