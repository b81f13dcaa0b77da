/* function_type.c - Function, a kernel with its parameter layout and the
 * settings of prepare().
 *
 * Python's vectorcall protocol passes calls to launch/fast_path.c (fast path)
 * and launch/launch.c. The type cannot be subclassed. A Function keeps its
 * module loaded. Each call of get_function creates a new Function, so
 * prepare() affects only that object. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/code/occupancy.h"
#include "core/core.h"
#include "core/launch/diagnostics.h"
#include "core/launch/fast_path.h"
#include "core/launch/launch_error.h"
#include "core/launch/legacy.h"
#include "core/launch/prepared_call.h"
#include "core/launch/prepared_format.h"
#include "core/python/args.h"
#include "core/python/borrowed.h"
#include "core/python/enums.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/state.h"
#include "core/texture/texture_reference.h"

static void
function_unlist(struct core_function *self)
{
    *self->link = self->next;
    if (self->next != NULL) {
        self->next->link = self->link;
    }
}

static int
function_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct core_function *self = (struct core_function *)op;
    Py_VISIT((PyObject *)self->module);
    Py_VISIT(self->texrefs);
    for (uint32_t i = 0; self->slots != NULL && i < self->layout.count; i++) {
        Py_VISIT(self->slots[i].type);
        Py_VISIT(self->slots[i].dtype);
    }
    return core_object_traverse(op, visit, arg);
}

/* Drops the texture references. Keeps the module and the cached argument
 * types, since the function may still be called. */
static int
function_clear(PyObject *op)
{
    Py_CLEAR(((struct core_function *)op)->texrefs);
    return core_object_clear(op);
}

/* Destructor. Stores the function's name in the records of its recent
 * launches, which error messages print: once the function has left the
 * context's list, its name cannot be looked up. */
static void
function_dealloc(PyObject *op)
{
    struct core_function *self = (struct core_function *)op;
    core_object_begin_dealloc(op);
    for (uint32_t i = 0; self->slots != NULL && i < self->layout.count; i++) {
        Py_CLEAR(self->slots[i].type);
        Py_CLEAR(self->slots[i].dtype);
    }
    PyMem_Free(self->slots);
    PyMem_Free(self->old);
    PyMem_Free(self->own_parameters);
    core_format_release(self->format);
    core_launch_records_name(self->context, self->handle, self->name);
    function_unlist(self);
    Py_CLEAR(self->name);
    Py_CLEAR(self->arg_format);
    Py_CLEAR(self->texrefs);
    Py_CLEAR(self->module);
    Py_CLEAR(self->grid.tuple);
    Py_CLEAR(self->block.tuple);
    Py_CLEAR(self->names);
    core_object_end_dealloc(op);
}

static PyObject *
function_get_attribute(PyObject *op, PyObject *which)
{
    int attribute, value;
    if (core_int(which, &attribute) < 0 ||
        core_function_ready((struct core_function *)op, "cuFuncGetAttribute") <
            0 ||
        core_check(
            driver.cuFuncGetAttribute(&value, (CUfunction_attribute)attribute,
                                      ((struct core_function *)op)->handle),
            "cuFuncGetAttribute") < 0) {
        return NULL;
    }
    return PyLong_FromLong(value);
}

/* Makes all Functions of the kernel ask the driver again for the limit of
 * dynamic shared memory, since set_attribute may have lowered it. */
static void
shared_forget(const struct core_function *function)
{
    for (struct core_function *other = function->context->functions;
         other != NULL; other = other->next) {
        if (other->handle == function->handle) {
            other->shared_allowed = 0;
        }
    }
}

/* Sets an attribute of the kernel, which all its Functions share. */
static PyObject *
function_set_attribute(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "set_attribute", 2, {"", ""}};
    PyObject *values[2];
    int attribute, value;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_int(values[0], &attribute) < 0 ||
        core_int(values[1], &value) < 0 ||
        core_function_ready((struct core_function *)op, "cuFuncSetAttribute") <
            0 ||
        core_check(
            driver.cuFuncSetAttribute(((struct core_function *)op)->handle,
                                      (CUfunction_attribute)attribute, value),
            "cuFuncSetAttribute") < 0) {
        return NULL;
    }
    shared_forget((struct core_function *)op);
    Py_RETURN_NONE;
}

static PyObject *
function_set_cache_config(PyObject *op, PyObject *which)
{
    unsigned config;
    if (core_unsigned(which, &config) < 0 ||
        core_function_ready((struct core_function *)op,
                            "cuFuncSetCacheConfig") < 0 ||
        core_check(
            driver.cuFuncSetCacheConfig(((struct core_function *)op)->handle,
                                        (CUfunc_cache)config),
            "cuFuncSetCacheConfig") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
function_set_shared_config(PyObject *op, PyObject *which)
{
    unsigned config;
    if (core_unsigned(which, &config) < 0 ||
        core_function_ready((struct core_function *)op,
                            "cuFuncSetSharedMemConfig") < 0 ||
        core_check(
            driver.cuFuncSetSharedMemConfig(
                ((struct core_function *)op)->handle, (CUsharedconfig)config),
            "cuFuncSetSharedMemConfig") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Returns the current name of one of three attributes whose names changed
 * after PyCUDA's first releases. */
static PyObject *
name_of_today(PyObject *name)
{
    static const char *const rows[][2] = {
        {"registers", "num_regs"},
        {"lmem", "local_size_bytes"},
        {"smem", "shared_size_bytes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (PyUnicode_CompareWithASCIIString(name, rows[i][0]) == 0) {
            return PyUnicode_FromString(rows[i][1]);
        }
    }
    return Py_NewRef(name);
}

/* If the type has no such attribute, looks `name` up in function_attribute, in
 * upper or lower case: f.num_regs, f.NUM_REGS. */
static PyObject *
function_getattro(PyObject *op, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(op, name);
    if (value != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return value;
    }
    PyErr_Clear();
    PyObject *today = name_of_today(name);
    PyObject *member =
        today == NULL ? NULL : core_enum_member("function_attribute", today);
    Py_XDECREF(today);
    if (member != NULL) {
        value = function_get_attribute(op, member);
    } else if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_AttributeError,
                     "Function has no attribute '%U', and neither has "
                     "function_attribute",
                     name);
    }
    Py_XDECREF(member);
    return value;
}

/* Appends the struct format of one argument type, an element of the list
 * passed to prepare(), to the list `parts`. */
static int
format_add(PyObject *parts, PyObject *element)
{
    PyObject *part = NULL;
    if (PyUnicode_Check(element)) {
        part = Py_NewRef(element);
    } else {
        part = core_format_of_type(element);
    }
    if (part == NULL) {
        return -1;
    }
    int status = PyList_Append(parts, part);
    Py_DECREF(part);
    return status;
}

/* Returns the format string for prepare(): `types` itself if it is a str, else
 * the joined format strings of its elements. */
static PyObject *
format_join(PyObject *types)
{
    if (PyUnicode_Check(types)) {
        return Py_NewRef(types);
    }
    PyObject *iterator = PyObject_GetIter(types);
    PyObject *parts = iterator == NULL ? NULL : PyList_New(0);
    PyObject *element, *text = NULL;
    if (parts != NULL) {
        while ((element = PyIter_Next(iterator)) != NULL) {
            int status = format_add(parts, element);
            Py_DECREF(element);
            if (status < 0) {
                break;
            }
        }
    }
    if (parts != NULL && !PyErr_Occurred()) {
        PyObject *empty = PyUnicode_FromString("");
        text = empty == NULL ? NULL : PyUnicode_Join(empty, parts);
        Py_XDECREF(empty);
    }
    Py_XDECREF(parts);
    Py_XDECREF(iterator);
    return text;
}

/* Returns whether prepare() is called in its deprecated form
 * prepare(arg_types, block, ...): the second argument is a sequence of ints,
 * or `block` is a keyword. */
static bool
has_block(CORE_ARGS)
{
    PyObject *second = nargs > 1 ? args[1] : NULL;
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (PyUnicode_Compare(name, core.str_block) == 0) {
            return true;
        }
    }
    if (second == NULL || (!PyTuple_Check(second) && !PyList_Check(second))) {
        return false;
    }
    PyObject *items = core_stable_sequence(second);
    bool is_block = items != NULL && PySequence_Fast_GET_SIZE(items) > 0 &&
                    PyIndex_Check(PySequence_Fast_GET_ITEM(items, 0));
    Py_XDECREF(items);
    return is_block;
}

/* Reads the arguments of prepare(), in the current or the deprecated form.
 * Stores arg_types and texrefs in `values`, borrowed, and the block and shared
 * memory size of the deprecated form in the function. */
static int
prepare_args(PyObject *op, CORE_ARGS, PyObject **values)
{
    static const struct core_signature today = {
        "prepare", 1, {"arg_types", "texrefs"}};
    static const struct core_signature first = {
        "prepare", 2, {"arg_types", "block", "shared", "texrefs"}};
    PyObject *given[4];
    if (!has_block(args, nargs, names)) {
        return core_args(&today, args, nargs, names, values);
    }
    if (core_args(&first, args, nargs, names, given) < 0) {
        return -1;
    }
    values[0] = given[0];
    values[1] = given[3];
    return core_legacy_prepare(op, given[1], given[2]);
}

/* Method prepare(). Parses the argument types before it changes any field, so
 * that the previous format stays in effect after a failure. */
static PyObject *
function_prepare(PyObject *op, CORE_ARGS)
{
    PyObject *values[2];
    struct core_function *self = (struct core_function *)op;
    if (prepare_args(op, args, nargs, names, values) < 0) {
        return NULL;
    }
    PyObject *text = format_join(values[0]);
    struct core_format *format = text == NULL ? NULL : core_format_parse(text);
    PyObject *texrefs = NULL;
    if (format != NULL) {
        texrefs = values[1] == NULL || values[1] == Py_None
                      ? PyList_New(0)
                      : core_texrefs_list(values[1]);
    }
    if (texrefs == NULL) {
        Py_XDECREF(text);
        core_format_release(format);
        return NULL;
    }
    core_format_set_offsets(format, &self->layout);
    core_format_release(self->format);
    self->format = format;
    Py_XSETREF(self->arg_format, text);
    Py_XSETREF(self->texrefs, texrefs);
    return Py_NewRef(op);
}

static PyObject *
function_param_set_texref(PyObject *op, PyObject *texref)
{
    (void)op;
    if (!PyObject_TypeCheck(texref, core.texref_type)) {
        PyErr_Format(PyExc_TypeError, "expected a TextureReference, got %s",
                     Py_TYPE(texref)->tp_name);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef function_methods[] = {
    {"prepare", CORE_METHOD(function_prepare),
     "Fix the argument types for prepared_call; returns self."},
    {"prepared_call", CORE_METHOD(core_prepared_call),
     "prepared_call(grid, block, *args, shared_size=0)"},
    {"prepared_async_call", CORE_METHOD(core_prepared_async_call),
     "prepared_async_call(grid, block, stream, *args, shared_size=0)"},
    {"prepared_timed_call", CORE_METHOD(core_prepared_timed_call),
     "prepared_timed_call(grid, block, *args, shared_size=0) -> callable "
     "that returns the GPU seconds"},
    {"get_attribute", function_get_attribute, METH_O,
     "Return a function_attribute, such as NUM_REGS, as an int."},
    {"set_attribute", CORE_METHOD(function_set_attribute),
     "Set a function_attribute, such as MAX_DYNAMIC_SHARED_SIZE_BYTES "
     "(in bytes). Raises LogicError for a value or attribute that the "
     "driver refuses."},
    {"set_cache_config", function_set_cache_config, METH_O,
     "Prefer L1 cache or shared memory: a func_cache. It is a hint."},
    {"set_shared_config", function_set_shared_config, METH_O,
     "Set the width of the banks of shared memory: a shared_config. "
     "Devices of today ignore it."},
    {"param_set_texref", function_param_set_texref, METH_O,
     "No effect; exists for old programs. A kernel uses all texture "
     "references of its module."},
    {"max_active_blocks_per_multiprocessor",
     CORE_METHOD(core_occupancy_blocks),
     "max_active_blocks_per_multiprocessor(block, shared=0): number of "
     "blocks of this shape that one multiprocessor runs at the same time."},
    {"max_potential_block_size", CORE_METHOD(core_occupancy_best),
     "max_potential_block_size(shared=0, limit=0) -> (grid, block): the "
     "block size with the highest occupancy, and the number of such blocks "
     "that fills the device."},
    {"_launch_kernel", CORE_METHOD(core_launch_buffer),
     "_launch_kernel(grid, block, argument_buffer, shared, stream)"},
    {NULL},
};

static PyMemberDef function_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(struct core_function, dict),
     READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET,
     offsetof(struct core_function, weakrefs), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET,
     offsetof(struct core_function, vectorcall), READONLY, NULL},
    {"arg_format", T_OBJECT_EX, offsetof(struct core_function, arg_format),
     READONLY, "The format of prepare(), or None before it."},
    {"texrefs", T_OBJECT_EX, offsetof(struct core_function, texrefs), READONLY,
     "The texture references of prepare()."},
    {"__name__", T_OBJECT_EX, offsetof(struct core_function, name), READONLY,
     NULL},
    {NULL},
};

/* Raises TypeError: kernel[grid, block](...) is Numba's form. */
static PyObject *
function_subscript(PyObject *op, PyObject *key)
{
    core_launch_error(PyExc_TypeError, (struct core_function *)op, "subscript",
                      "(O)", key);
    return NULL;
}

static PyType_Slot function_slots[] = {
    {Py_tp_doc, "A kernel: f(*args, grid=(1, 1), block=None, stream=None, "
                "shared=0, texrefs=[], time_kernel=False)."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, function_dealloc},
    {Py_tp_traverse, function_traverse},
    {Py_tp_clear, function_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getattro, function_getattro},
    {Py_mp_subscript, function_subscript},
    {Py_tp_methods, function_methods},
    {Py_tp_members, function_members},
    {0, NULL},
};

static PyType_Spec function_spec = {
    .name = "pycuda._driver.Function",
    .basicsize = sizeof(struct core_function),
    .flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = function_slots,
};

/* Adds the methods of legacy.c. A method `_name` is added as `name`, too,
 * for programs written before 2011. */
static int
methods_add(PyTypeObject *type, PyMethodDef *methods)
{
    for (; methods->ml_name != NULL; methods++) {
        PyObject *method = PyDescr_NewMethod(type, methods);
        const char *name = methods->ml_name;
        int status = method == NULL ? -1
                                    : PyObject_SetAttrString((PyObject *)type,
                                                             name, method);
        if (status == 0 && name[0] == '_') {
            status =
                PyObject_SetAttrString((PyObject *)type, name + 1, method);
        }
        Py_XDECREF(method);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* Registers the type Function and adds the methods of legacy.c to it. */
int
core_function_setup(PyObject *module)
{
    vectorcallfunc call =
        core_locked_vectorcall(core_function_vectorcall, CORE_CALL_HEAD);
    if (call == NULL) {
        return -1;
    }
    core_function_set_call(call);
    if (core_add_type(module, &core.timer_type, &core_timer_spec, NULL) < 0) {
        return -1;
    }
    if (core_add_type(module, &core.function_type, &function_spec, NULL) < 0) {
        return -1;
    }
    if (core_type_allow_call_override(core.function_type) < 0) {
        return -1;
    }
    PyMethodDef *legacy =
        core_locked_methods(core_legacy_methods, CORE_CALL_HEAD);
    return legacy == NULL ? -1 : methods_add(core.function_type, legacy);
}
