/* copy_object.c - fields and setters of Memcpy2D, Memcpy3D and Memcpy3DPeer,
 * which describe a copy.
 *
 * Called by Python; memcpy_nd.c builds the types from the tables. The object
 * keeps its host buffers, arrays and contexts alive until a setter replaces
 * them. While it holds a buffer view, the buffer's exporter cannot move the
 * memory.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/core.h"
#include "core/memory/copy_object.h"
#include "core/python/args.h"
#include "core/python/enums.h"
#include "core/python/object.h"
#include "core/state.h"
#include "core/texture/cuda_array.h"

#include "core/numpy.h"

int
core_copy_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct copy_object *self = (struct copy_object *)op;
    Py_VISIT(self->source);
    Py_VISIT(self->target);
    Py_VISIT(self->source_view.obj);
    Py_VISIT(self->target_view.obj);
    Py_VISIT(self->source_context);
    Py_VISIT(self->target_context);
    return core_object_traverse(op, visit, arg);
}

/* Releases the host buffer of the copy's source, or of its target if `source`
 * is false. */
static void
end_release(struct copy_object *self, bool source)
{
    Py_buffer *held = source ? &self->source_view : &self->target_view;
    Py_buffer view = *held;
    if (source) {
        self->copy.srcHost = NULL;
    } else {
        self->copy.dstHost = NULL;
    }
    held->obj = NULL;
    PyBuffer_Release(&view);
}

/* tp_clear: releases the host buffers first, then the objects that export
 * them. */
int
core_copy_clear(PyObject *op)
{
    struct copy_object *self = (struct copy_object *)op;
    end_release(self, true);
    end_release(self, false);
    Py_CLEAR(self->source);
    Py_CLEAR(self->target);
    Py_CLEAR(self->source_context);
    Py_CLEAR(self->target_context);
    return core_object_clear(op);
}

void
core_copy_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    core_copy_clear(op);
    core_object_end_dealloc(op);
}

/* Returns the address after the last byte of the buffer's elements. Axes with
 * negative strides do not count, since their elements are before the first
 * one. A buffer without strides is contiguous: NumPy exports its date scalars
 * without strides even if strides are requested. */
static const char *
buffer_end(const Py_buffer *view)
{
    const char *end = (const char *)view->buf + view->itemsize;
    if (view->shape == NULL || view->strides == NULL) {
        return (const char *)view->buf + view->len;
    }
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == 0) {
            return view->buf;
        }
        if (view->strides[i] > 0) {
            end += (view->shape[i] - 1) * view->strides[i];
        }
    }
    return end;
}

/* Returns the array at the end of the chain of base arrays, which owns the
 * memory. Programs may pass a view of a matrix's first row to copy the whole
 * matrix. */
static PyObject *
host_root(PyObject *object)
{
    while (PyArray_Check(object) &&
           PyArray_BASE((PyArrayObject *)object) != NULL &&
           PyArray_Check(PyArray_BASE((PyArrayObject *)object))) {
        object = PyArray_BASE((PyArrayObject *)object);
    }
    return object;
}

/* Exports a host buffer, which need not be contiguous. Sets `room` to the
 * number of bytes from the buffer's address to the end of the memory that
 * contains it. */
static int
host_view(PyObject *object, bool writable, Py_buffer *view, size_t *room)
{
    Py_buffer root;
    int flags = PyBUF_STRIDED_RO | (writable ? PyBUF_WRITABLE : 0);
    if (core_buffer_refuse_objects(object) < 0 ||
        PyObject_GetBuffer(object, view, flags) < 0) {
        return -1;
    }
    const char *end = buffer_end(view);
    if (PyObject_GetBuffer(host_root(object), &root, PyBUF_STRIDED_RO) < 0) {
        PyErr_Clear();
    } else {
        end = buffer_end(&root) > end ? buffer_end(&root) : end;
        PyBuffer_Release(&root);
    }
    *room = (size_t)(end - (const char *)view->buf);
    return 0;
}

/* Makes `object` the source or the target of the copy and releases the
 * previous one. */
static void
end_set(struct copy_object *self, bool source, PyObject *object)
{
    end_release(self, source);
    if (source) {
        self->copy.srcArray = NULL;
        Py_XSETREF(self->source, Py_NewRef(object));
    } else {
        self->copy.dstArray = NULL;
        Py_XSETREF(self->target, Py_NewRef(object));
    }
}

/* Makes a host buffer the source or the target of the copy. For the type
 * UNIFIED the address is set as a device address, too. */
static PyObject *
set_host(PyObject *op, PyObject *object, bool source, CUmemorytype type)
{
    struct copy_object *self = (struct copy_object *)op;
    Py_buffer view;
    size_t room;
    if (host_view(object, !source, &view, &room) < 0) {
        return NULL;
    }
    bool unified = type == CU_MEMORYTYPE_UNIFIED;
    void *pointer = view.buf;
    end_set(self, source, object);
    if (source) {
        self->source_view = view;
        self->copy.srcMemoryType = type;
        self->copy.srcHost = pointer;
        if (unified) {
            self->copy.srcDevice = (CUdeviceptr)(uintptr_t)pointer;
        }
        self->source_room = room;
    } else {
        self->target_view = view;
        self->copy.dstMemoryType = type;
        self->copy.dstHost = pointer;
        if (unified) {
            self->copy.dstDevice = (CUdeviceptr)(uintptr_t)pointer;
        }
        self->target_room = room;
    }
    Py_RETURN_NONE;
}

static PyObject *
set_src_host(PyObject *op, PyObject *object)
{
    return set_host(op, object, true, CU_MEMORYTYPE_HOST);
}

static PyObject *
set_dst_host(PyObject *op, PyObject *object)
{
    return set_host(op, object, false, CU_MEMORYTYPE_HOST);
}

static PyObject *
set_src_unified(PyObject *op, PyObject *object)
{
    return set_host(op, object, true, CU_MEMORYTYPE_UNIFIED);
}

static PyObject *
set_dst_unified(PyObject *op, PyObject *object)
{
    return set_host(op, object, false, CU_MEMORYTYPE_UNIFIED);
}

static PyObject *
set_src_device(PyObject *op, PyObject *object)
{
    struct copy_object *self = (struct copy_object *)op;
    CUdeviceptr pointer;
    if (core_pointer(object, &pointer) < 0) {
        return NULL;
    }
    self->copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    self->copy.srcDevice = pointer;
    end_set(self, true, object);
    Py_RETURN_NONE;
}

static PyObject *
set_dst_device(PyObject *op, PyObject *object)
{
    struct copy_object *self = (struct copy_object *)op;
    CUdeviceptr pointer;
    if (core_pointer(object, &pointer) < 0) {
        return NULL;
    }
    self->copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    self->copy.dstDevice = pointer;
    end_set(self, false, object);
    Py_RETURN_NONE;
}

static PyObject *
set_src_array(PyObject *op, PyObject *array)
{
    struct copy_object *self = (struct copy_object *)op;
    CUarray handle;
    if (core_array_handle(array, &handle) < 0) {
        return NULL;
    }
    end_set(self, true, array);
    self->copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    self->copy.srcArray = handle;
    Py_RETURN_NONE;
}

static PyObject *
set_dst_array(PyObject *op, PyObject *array)
{
    struct copy_object *self = (struct copy_object *)op;
    CUarray handle;
    if (core_array_handle(array, &handle) < 0) {
        return NULL;
    }
    end_set(self, false, array);
    self->copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    self->copy.dstArray = handle;
    Py_RETURN_NONE;
}

/* Stores a Context's handle as the context of the source or the target of a
 * peer copy, and a reference to the Context in `held`. */
static PyObject *
set_context(PyObject *object, CUcontext *handle, PyObject **held)
{
    if (!Py_IS_TYPE(object, core.context_type)) {
        PyErr_Format(PyExc_TypeError, "expected a Context, got %s",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    *handle = ((struct core_context *)object)->handle;
    Py_XSETREF(*held, Py_NewRef(object));
    Py_RETURN_NONE;
}

static PyObject *
set_src_context(PyObject *op, PyObject *object)
{
    struct copy_object *self = (struct copy_object *)op;
    return set_context(object, &self->copy.srcContext, &self->source_context);
}

static PyObject *
set_dst_context(PyObject *op, PyObject *object)
{
    struct copy_object *self = (struct copy_object *)op;
    return set_context(object, &self->copy.dstContext, &self->target_context);
}

/* Sets the device address of the source or the target, and keeps a reference
 * to the object that owns the memory. */
static int
set_device(PyObject *op, PyObject *object, void *offset)
{
    CUdeviceptr value;
    if (!core_field_is_set(object) || core_pointer(object, &value) < 0) {
        return -1;
    }
    memcpy((char *)op + (uintptr_t)offset, &value, sizeof value);
    struct copy_object *self = (struct copy_object *)op;
    bool source =
        (uintptr_t)offset == offsetof(struct copy_object, copy.srcDevice);
    end_set(self, source, object);
    return 0;
}

static PyObject *
get_type(PyObject *op, void *offset)
{
    CUmemorytype value;
    memcpy(&value, (char *)op + (uintptr_t)offset, sizeof value);
    return core_enum("memory_type", (long)value);
}

#define AT(field) (void *)offsetof(struct copy_object, copy.field)
#define SIZE(name, field, doc)                                                \
    {                                                                         \
        name, core_size_field_get, core_size_field_set, doc, AT(field)        \
    }
#define FLAT_FIELDS                                                           \
    SIZE("src_x_in_bytes", srcXInBytes,                                       \
         "first byte in each row of the source"),                             \
        SIZE("src_y", srcY, "first row of the source"),                       \
        {"src_memory_type", get_type, core_unsigned_field_set,                \
         "memory_type of the source", AT(srcMemoryType)},                     \
        {"src_device", core_size_field_get, set_device,                       \
         "device address of the source", AT(srcDevice)},                      \
        SIZE("src_pitch", srcPitch, "bytes between rows of the source"),      \
        SIZE("dst_x_in_bytes", dstXInBytes,                                   \
             "first byte in each row of the destination"),                    \
        SIZE("dst_y", dstY, "first row of the destination"),                  \
        {"dst_memory_type", get_type, core_unsigned_field_set,                \
         "memory_type of the destination", AT(dstMemoryType)},                \
        {"dst_device", core_size_field_get, set_device,                       \
         "device address of the destination", AT(dstDevice)},                 \
        SIZE("dst_pitch", dstPitch, "bytes between rows of the destination"), \
        SIZE("width_in_bytes", WidthInBytes, "bytes per row to copy"),        \
        SIZE("height", Height, "rows to copy")
PyGetSetDef core_copy_fields_2d[] = {FLAT_FIELDS, {NULL}};
PyGetSetDef core_copy_fields_3d[] = {
    FLAT_FIELDS,
    SIZE("src_z", srcZ, "first slice of the source"),
    SIZE("src_lod", srcLOD, "level of detail of the source"),
    SIZE("src_height", srcHeight, "rows per slice of the source"),
    SIZE("dst_z", dstZ, "first slice of the destination"),
    SIZE("dst_lod", dstLOD, "level of detail of the destination"),
    SIZE("dst_height", dstHeight, "rows per slice of the destination"),
    SIZE("depth", Depth, "slices to copy"),
    {NULL},
};

#define COMMON_METHODS                                                        \
    {"set_src_host", set_src_host, METH_O, "Copy from a host buffer."},       \
        {"set_dst_host", set_dst_host, METH_O, "Copy to a host buffer."},     \
        {"set_src_unified", set_src_unified, METH_O,                          \
         "Copy from memory that host and device share."},                     \
        {"set_dst_unified", set_dst_unified, METH_O,                          \
         "Copy to memory that host and device share."},                       \
        {"set_src_device", set_src_device, METH_O,                            \
         "Copy from linear device memory."},                                  \
        {"set_dst_device", set_dst_device, METH_O,                            \
         "Copy to linear device memory."},                                    \
        {"set_src_array", set_src_array, METH_O, "Copy from an Array."},      \
    {                                                                         \
        "set_dst_array", set_dst_array, METH_O, "Copy to an Array."           \
    }
PyMethodDef core_copy_methods[] = {COMMON_METHODS, {NULL}};
PyMethodDef core_copy_methods_peer[] = {
    COMMON_METHODS,
    {"set_src_context", set_src_context, METH_O,
     "Set the context of the source."},
    {"set_dst_context", set_dst_context, METH_O,
     "Set the context of the destination."},
    {NULL},
};
