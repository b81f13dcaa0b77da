/* cuda_array.c - class Array (a CUDA array, whose memory layout only the
 * device knows), its descriptors, and copies between arrays and linear memory.
 *
 * All functions need the GIL; copies and the destruction of an array release
 * it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/cross_context.h"
#include "core/memory/default_pool.h"
#include "core/memory/free_site.h"
#include "core/memory/stream_dependencies.h"
#include "core/python/args.h"
#include "core/python/enums.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/legacy_stream.h"
#include "core/texture/cuda_array.h"
#include "core/texture/mipmap.h"

/* ArrayDescriptor or ArrayDescriptor3D. Its fields have getters and setters,
 * since PyMemberDef has no types for them. */
struct descriptor {
    CORE_HEAD
    CUDA_ARRAY3D_DESCRIPTOR value;
};

static PyObject *
descriptor_get_format(PyObject *op, void *unused)
{
    (void)unused;
    return core_enum("array_format",
                     (long)((struct descriptor *)op)->value.Format);
}

static int
descriptor_set_format(PyObject *op, PyObject *value, void *unused)
{
    (void)unused;
    unsigned format;
    if (!core_field_is_set(value) || core_unsigned(value, &format) < 0) {
        return -1;
    }
    ((struct descriptor *)op)->value.Format = (CUarray_format)format;
    return 0;
}

#define SIZE_FIELD(name, field, doc)                                          \
    {                                                                         \
        name, core_size_field_get, core_size_field_set, doc,                  \
            (void *)offsetof(struct descriptor, value.field)                  \
    }
#define UNSIGNED_FIELD(name, field, doc)                                      \
    {                                                                         \
        name, core_unsigned_field_get, core_unsigned_field_set, doc,          \
            (void *)offsetof(struct descriptor, value.field)                  \
    }
#define DESCRIPTOR_FIELDS                                                     \
    SIZE_FIELD("width", Width, "elements per row"),                           \
        SIZE_FIELD("height", Height, "rows; 0: one axis"),                    \
        UNSIGNED_FIELD("num_channels", NumChannels,                           \
                       "numbers per element: 1, 2 or 4"),                     \
    {                                                                         \
        "format", descriptor_get_format, descriptor_set_format,               \
            "array_format of a number", NULL                                  \
    }
static PyGetSetDef descriptor_fields[] = {DESCRIPTOR_FIELDS, {NULL}};
static PyGetSetDef descriptor3d_fields[] = {
    DESCRIPTOR_FIELDS,
    SIZE_FIELD("depth", Depth, "slices or layers; 0: two axes"),
    UNSIGNED_FIELD("flags", Flags, "array3d_flags"),
    {NULL},
};

/* Frees a descriptor, which owns no native resource. */
static void
descriptor_dealloc(PyObject *self)
{
    core_object_begin_dealloc(self);
    core_object_end_dealloc(self);
}

#define DESCRIPTOR_SLOTS(variable, text, fields)                              \
    static PyType_Slot variable[] = {                                         \
        {Py_tp_doc, text},                                                    \
        {Py_tp_new, PyType_GenericNew},                                       \
        {Py_tp_dealloc, descriptor_dealloc},                                  \
        {Py_tp_traverse, core_object_traverse},                               \
        {Py_tp_clear, core_object_clear},                                     \
        {Py_tp_getset, fields},                                               \
        {Py_tp_members, core_object_members},                                 \
        {0, NULL},                                                            \
    }
DESCRIPTOR_SLOTS(descriptor_slots,
                 "Size and element type of a 1-D or 2-D Array.",
                 descriptor_fields);
DESCRIPTOR_SLOTS(descriptor3d_slots,
                 "Size, element type and flags of an Array.",
                 descriptor3d_fields);

static PyType_Spec descriptor_spec = {
    .name = "pycuda._driver.ArrayDescriptor",
    .basicsize = sizeof(struct descriptor),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = descriptor_slots,
};
static PyType_Spec descriptor3d_spec = {
    .name = "pycuda._driver.ArrayDescriptor3D",
    .basicsize = sizeof(struct descriptor),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = descriptor3d_slots,
};

int
core_descriptor_read(PyObject *object, CUDA_ARRAY_DESCRIPTOR *descriptor)
{
    if (!Py_IS_TYPE(object, core.descriptor_type)) {
        PyErr_Format(PyExc_TypeError, "expected an ArrayDescriptor, got %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    const CUDA_ARRAY3D_DESCRIPTOR *value =
        &((struct descriptor *)object)->value;
    *descriptor = (CUDA_ARRAY_DESCRIPTOR){
        .Width = value->Width,
        .Height = value->Height,
        .Format = value->Format,
        .NumChannels = value->NumChannels,
    };
    return 0;
}

int
core_descriptor3d_read(PyObject *object, CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    CUDA_ARRAY_DESCRIPTOR flat;
    if (Py_IS_TYPE(object, core.descriptor3d_type)) {
        *descriptor = ((struct descriptor *)object)->value;
        return 0;
    }
    if (core_descriptor_read(object, &flat) < 0) {
        return -1;
    }
    *descriptor = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = flat.Width,
        .Height = flat.Height,
        .Format = flat.Format,
        .NumChannels = flat.NumChannels,
    };
    return 0;
}

/* Returns an Array object for a CUDA array. If `owner` is not NULL, it owns
 * the CUDA array and the Array keeps a reference to it. If it is NULL, the
 * Array owns the CUDA array. */
PyObject *
core_array_wrap(CUarray handle, struct core_context *context, PyObject *owner)
{
    struct core_array_object *self =
        (struct core_array_object *)core_object_new(core.cuarray_type,
                                                    context);
    if (self != NULL) {
        self->handle = handle;
        self->owned = owner == NULL;
        self->owner = Py_XNewRef(owner);
    }
    return (PyObject *)self;
}

/* Creates an Array in the current context. If memory is short, frees idle
 * device memory and retries. The type of the descriptor decides whether the
 * Array has two or three dimensions. */
static PyObject *
array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)type;
    PyObject *object;
    CUarray handle;
    static char *keywords[] = {"", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Array", keywords,
                                     &object)) {
        return NULL;
    }
    bool deep = Py_IS_TYPE(object, core.descriptor3d_type);
    CUDA_ARRAY_DESCRIPTOR flat = {0};
    if (!deep && core_descriptor_read(object, &flat) < 0) {
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    const CUDA_ARRAY3D_DESCRIPTOR *whole =
        &((struct descriptor *)object)->value;
    const char *routine = deep ? "cuArray3DCreate" : "cuArrayCreate";
    PyObject *self = NULL;
    bool tried = false;
    CUresult code;
    /* a destructor may pop the context from the stack and free it */
    Py_INCREF((PyObject *)context);
    do {
        code = deep ? driver.cuArray3DCreate(&handle, whole)
                    : driver.cuArrayCreate(&handle, &flat);
    } while (core_reclaim_memory(code, &tried));
    if (code == CUDA_ERROR_INVALID_VALUE && whole->Width == 0) {
        core_fail(code, routine,
                  "the descriptor's width is 0: set width, height, format and "
                  "num_channels");
    } else if (core_check(code, routine) == 0) {
        self = core_array_wrap(handle, context, NULL);
        if (self == NULL) {
            driver.cuArrayDestroy(handle);
        }
    }
    Py_DECREF((PyObject *)context);
    return self;
}

/* Destroys the CUDA array at the first call, without the GIL. If another
 * object owns it (an Array may be a level of a MipmappedArray), only drops the
 * reference to the owner. */
static CUresult
array_release(struct core_array_object *self)
{
    struct core_scope scope;
    CUresult code = CUDA_SUCCESS;
    bool owned = self->owned;
    /* cleared before the GIL is released below, since another thread may then
     * call this function */
    self->owned = false;
    if (owned && core_enter(self->context, &scope)) {
        CUarray handle = self->handle;
        PyThreadState *thread = core_gil_release();
        code = driver.cuArrayDestroy(handle);
        core_gil_acquire(thread);
        core_leave(&scope);
    }
    Py_CLEAR(self->owner);
    return code;
}

static void
array_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    array_release((struct core_array_object *)op);
    core_object_end_dealloc(op);
}

static int
array_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct core_array_object *)op)->owner);
    return core_object_traverse(op, visit, arg);
}

static PyObject *
array_free(PyObject *op, PyObject *unused)
{
    (void)unused;
    if (((struct core_array_object *)op)->owned) {
        core_free_site_record(op);
    }
    if (core_check(array_release((struct core_array_object *)op),
                   "cuArrayDestroy") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
array_get_descriptor(PyObject *op, PyObject *unused)
{
    (void)unused;
    CUDA_ARRAY_DESCRIPTOR flat;
    CUarray handle;
    if (core_array_handle(op, &handle) < 0 ||
        core_check(driver.cuArrayGetDescriptor(&flat, handle),
                   "cuArrayGetDescriptor") < 0) {
        return NULL;
    }
    struct descriptor *self =
        (struct descriptor *)core_object_new(core.descriptor_type, NULL);
    if (self != NULL) {
        self->value = (CUDA_ARRAY3D_DESCRIPTOR){
            .Width = flat.Width,
            .Height = flat.Height,
            .Format = flat.Format,
            .NumChannels = flat.NumChannels,
        };
    }
    return (PyObject *)self;
}

static PyObject *
array_get_descriptor_3d(PyObject *op, PyObject *unused)
{
    (void)unused;
    CUarray handle;
    if (core_array_handle(op, &handle) < 0) {
        return NULL;
    }
    struct descriptor *self =
        (struct descriptor *)core_object_new(core.descriptor3d_type, NULL);
    if (self != NULL &&
        core_check(driver.cuArray3DGetDescriptor(&self->value, handle),
                   "cuArray3DGetDescriptor") < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static PyObject *
array_handle(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((struct core_array_object *)op)->handle);
}

static PyMethodDef array_methods[] = {
    {"free", array_free, METH_NOARGS,
     "Free the memory; further calls have "
     "no effect."},
    {"get_descriptor", array_get_descriptor, METH_NOARGS,
     "Return an ArrayDescriptor with the size and format."},
    {"get_descriptor_3d", array_get_descriptor_3d, METH_NOARGS,
     "Return an ArrayDescriptor3D with size, format and flags."},
    {NULL},
};

static PyGetSetDef array_getset[] = {
    {"handle", array_handle, NULL, "CUarray as an int", NULL},
    {NULL},
};

static PyType_Slot array_slots[] = {
    {Py_tp_doc, "Array(descriptor): memory for textures, in a layout that "
                "the device chooses."},
    {Py_tp_new, array_new},
    {Py_tp_dealloc, array_dealloc},
    {Py_tp_traverse, array_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, array_methods},
    {Py_tp_getset, array_getset},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec array_spec = {
    .name = "pycuda._driver.Array",
    .basicsize = sizeof(struct core_array_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = array_slots,
};

/* Reads the handle of an Array. Raises LogicError if the Array was freed: it
 * then neither owns its CUDA array nor has an owner. */
int
core_array_handle(PyObject *object, CUarray *handle)
{
    if (!Py_IS_TYPE(object, core.cuarray_type)) {
        PyErr_Format(PyExc_TypeError, "expected an Array, got %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    struct core_array_object *self = (struct core_array_object *)object;
    *handle = self->handle;
    if (!self->owned && self->owner == NULL) {
        return core_free_site_fail(object, "array", "this array");
    }
    CUmipmappedArray chain;
    if (self->owner != NULL && Py_IS_TYPE(self->owner, core.mipmap_type) &&
        core_mipmap_handle(self->owner, &chain) < 0) {
        return -1;
    }
    return self->context->valid ? 0 : core_context_fail_detached("array");
}

static PyObject *
none_or_error(CUresult code, const char *routine)
{
    return core_check(code, routine) < 0 ? NULL : Py_NewRef(Py_None);
}

/* Returns the bytes that a CUDA array holds; 0 if they are not known. */
static size_t
array_bytes(CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR shape;
    if (driver.cuArray3DGetDescriptor(&shape, array) != CUDA_SUCCESS) {
        return 0;
    }
    return shape.Width * (shape.Height > 0 ? shape.Height : 1) *
           (shape.Depth > 0 ? shape.Depth : 1) * shape.NumChannels *
           cuda_format_bytes(shape.Format);
}

/* Called after a copy of `length` bytes to or from a CUDA array, at the offset
 * `index` in the array. `code` is the result of the copy. Returns None, or
 * raises the exception for an error. */
static PyObject *
copy_result(CUresult code, const char *routine, CUarray array, size_t index,
            size_t length)
{
    size_t bytes =
        code == CUDA_ERROR_INVALID_VALUE ? array_bytes(array) : SIZE_MAX;
    if (bytes == 0 || (index <= bytes && length <= bytes - index)) {
        return none_or_error(code, routine);
    }
    char detail[120];
    snprintf(detail, sizeof detail,
             "%zu bytes at offset %zu, but the array holds %zu", length, index,
             bytes);
    core_fail(code, routine, detail);
    return NULL;
}

/* Begins a synchronous copy that uses one or two CUDA arrays (`other` may be
 * NULL) and perhaps linear memory (`memory` may be NULL). Waits for earlier
 * work on them in other contexts. If a CUDA array belongs to another context,
 * core_legacy_stream_end will wait for the copy. */
static int
copy_begin(struct core_legacy_stream_call *plain, const char *routine,
           PyObject *one, PyObject *other, PyObject *memory,
           CUdeviceptr pointer)
{
    bool is_cross = false;
    if ((memory != NULL && core_use_at(memory, pointer, NULL) < 0) ||
        core_cross_wait_array(one, &is_cross) < 0 ||
        (other != NULL && core_cross_wait_array(other, &is_cross) < 0) ||
        core_legacy_stream_begin(plain, routine) < 0) {
        return -1;
    }
    if (is_cross && plain->stream == NULL) {
        plain->stream = CU_STREAM_LEGACY;
    }
    return 0;
}

static PyObject *
copy_dtoa(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "memcpy_dtoa", 4, {"ary", "index", "src", "len"}};
    PyObject *v[4];
    CUarray array;
    CUdeviceptr source;
    size_t index, length;
    if (core_args(&signature, args, nargs, names, v) < 0 ||
        core_array_handle(v[0], &array) < 0 || core_size(v[1], &index) < 0 ||
        core_pointer(v[2], &source) < 0 || core_size(v[3], &length) < 0) {
        return NULL;
    }
    struct core_legacy_stream_call plain;
    if (copy_begin(&plain, "cuMemcpyDtoA", v[0], NULL, v[2], source) < 0) {
        return NULL;
    }
    PyThreadState *thread = core_gil_release();
    CUresult code = driver.cuMemcpyDtoA(array, index, source, length);
    core_gil_acquire(thread);
    code = core_legacy_stream_end(&plain, code);
    return copy_result(code, "cuMemcpyDtoA", array, index, length);
}

static PyObject *
copy_atod(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "memcpy_atod", 4, {"dest", "ary", "index", "len"}};
    PyObject *v[4];
    CUarray array;
    CUdeviceptr target;
    size_t index, length;
    if (core_args(&signature, args, nargs, names, v) < 0 ||
        core_pointer(v[0], &target) < 0 ||
        core_array_handle(v[1], &array) < 0 || core_size(v[2], &index) < 0 ||
        core_size(v[3], &length) < 0) {
        return NULL;
    }
    struct core_legacy_stream_call plain;
    if (copy_begin(&plain, "cuMemcpyAtoD", v[1], NULL, v[0], target) < 0) {
        return NULL;
    }
    PyThreadState *thread = core_gil_release();
    CUresult code = driver.cuMemcpyAtoD(target, array, index, length);
    core_gil_acquire(thread);
    code = core_legacy_stream_end(&plain, code);
    return copy_result(code, "cuMemcpyAtoD", array, index, length);
}

static PyObject *
copy_atoa(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "memcpy_atoa", 5, {"dest", "dest_index", "src", "src_index", "len"}};
    PyObject *v[5];
    CUarray target, source;
    size_t target_index, source_index, length;
    if (core_args(&signature, args, nargs, names, v) < 0 ||
        core_array_handle(v[0], &target) < 0 ||
        core_size(v[1], &target_index) < 0 ||
        core_array_handle(v[2], &source) < 0 ||
        core_size(v[3], &source_index) < 0 || core_size(v[4], &length) < 0) {
        return NULL;
    }
    struct core_legacy_stream_call plain;
    if (copy_begin(&plain, "cuMemcpyAtoA", v[0], v[2], NULL, 0) < 0) {
        return NULL;
    }
    PyThreadState *thread = core_gil_release();
    CUresult code = driver.cuMemcpyAtoA(target, target_index, source,
                                        source_index, length);
    core_gil_acquire(thread);
    code = core_legacy_stream_end(&plain, code);
    size_t bytes = code == CUDA_ERROR_INVALID_VALUE ? array_bytes(target) : 0;
    bool beyond = target_index > bytes || length > bytes - target_index;
    return beyond && bytes > 0 ? copy_result(code, "cuMemcpyAtoA", target,
                                             target_index, length)
                               : copy_result(code, "cuMemcpyAtoA", source,
                                             source_index, length);
}

/* Copies a host buffer into a CUDA array. The buffer is released after the
 * copy is complete. */
static PyObject *
copy_htoa(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "py_memcpy_htoa", 3, {"ary", "index", "src"}};
    PyObject *v[3];
    CUarray array;
    size_t index;
    Py_buffer view;
    if (core_args(&signature, args, nargs, names, v) < 0 ||
        core_array_handle(v[0], &array) < 0 || core_size(v[1], &index) < 0 ||
        core_buffer(v[2], false, &view) < 0) {
        return NULL;
    }
    struct core_legacy_stream_call plain;
    CUresult code = CUDA_SUCCESS;
    int status = copy_begin(&plain, "cuMemcpyHtoA", v[0], NULL, NULL, 0);
    if (status == 0) {
        PyThreadState *thread = core_gil_release();
        code = driver.cuMemcpyHtoA(array, index, view.buf, (size_t)view.len);
        core_gil_acquire(thread);
        code = core_legacy_stream_end(&plain, code);
    }
    size_t length = (size_t)view.len;
    PyBuffer_Release(&view);
    return status < 0
               ? NULL
               : copy_result(code, "cuMemcpyHtoA", array, index, length);
}

static PyObject *
copy_atoh(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "py_memcpy_atoh", 3, {"dest", "ary", "index"}};
    PyObject *v[3];
    CUarray array;
    size_t index;
    Py_buffer view;
    if (core_args(&signature, args, nargs, names, v) < 0 ||
        core_array_handle(v[1], &array) < 0 || core_size(v[2], &index) < 0 ||
        core_buffer(v[0], true, &view) < 0) {
        return NULL;
    }
    struct core_legacy_stream_call plain;
    CUresult code = CUDA_SUCCESS;
    int status = copy_begin(&plain, "cuMemcpyAtoH", v[1], NULL, NULL, 0);
    if (status == 0) {
        PyThreadState *thread = core_gil_release();
        code = driver.cuMemcpyAtoH(view.buf, array, index, (size_t)view.len);
        core_gil_acquire(thread);
        code = core_legacy_stream_end(&plain, code);
    }
    size_t length = (size_t)view.len;
    PyBuffer_Release(&view);
    return status < 0
               ? NULL
               : copy_result(code, "cuMemcpyAtoH", array, index, length);
}

static PyMethodDef functions[] = {
    {"memcpy_dtoa", CORE_METHOD(copy_dtoa),
     "memcpy_dtoa(ary, index, src, len)\n--\n\n"
     "Copy `len` bytes of device memory to byte `index` of an Array. "
     "Raises LogicError beyond its end."},
    {"memcpy_atod", CORE_METHOD(copy_atod),
     "memcpy_atod(dest, ary, index, len)\n--\n\n"
     "Copy `len` bytes from byte `index` of an Array to device "
     "memory. Raises LogicError beyond its end."},
    {"memcpy_atoa", CORE_METHOD(copy_atoa),
     "memcpy_atoa(dest, dest_index, src, src_index, len)\n--\n\n"
     "Copy `len` bytes between two Arrays, from and to the given "
     "bytes. Raises LogicError beyond their ends."},
    {"py_memcpy_htoa", CORE_METHOD(copy_htoa),
     "py_memcpy_htoa(ary, index, src)\n--\n\n"
     "Earlier name of memcpy_htoa."},
    {"py_memcpy_atoh", CORE_METHOD(copy_atoh),
     "py_memcpy_atoh(dest, ary, index)\n--\n\n"
     "Earlier name of memcpy_atoh."},
    {"memcpy_htoa", CORE_METHOD(copy_htoa),
     "memcpy_htoa(ary, index, src)\n--\n\n"
     "Copy a host buffer to byte `index` of an Array. Raises "
     "LogicError beyond its end."},
    {"memcpy_atoh", CORE_METHOD(copy_atoh),
     "memcpy_atoh(dest, ary, index)\n--\n\n"
     "Copy from byte `index` of an Array into a host buffer, which "
     "determines the length. Raises LogicError beyond the Array's "
     "end."},
    {NULL},
};

int
core_cuda_array_setup(PyObject *module)
{
    if (core_add_type(module, &core.descriptor_type, &descriptor_spec, NULL) <
            0 ||
        core_add_type(module, &core.descriptor3d_type, &descriptor3d_spec,
                      NULL) < 0 ||
        core_add_type(module, &core.cuarray_type, &array_spec, NULL) < 0) {
        return -1;
    }
    return core_add_functions(module, functions);
}
