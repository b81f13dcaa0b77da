/* memcpynd.c - Memcpy2D, Memcpy3D, Memcpy3DPeer: descriptions of copies
 * between host, device and arrays.
 *
 * All three share one object, which holds the widest of CUDA's three structs;
 * the call makes the narrower ones of it.  Host buffers, arrays and contexts
 * that were set are kept alive until they are replaced.  A copy that would
 * leave a host buffer's memory is refused: nobody else would notice.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

#include "core/numpy.h"

struct copy_object {
    CORE_HEAD
    CUDA_MEMCPY3D_PEER copy;
    PyObject *source, *target;       /* strong: what was set */
    size_t source_room, target_room; /* bytes behind srcHost, dstHost */
    PyObject *source_context, *target_context; /* strong Contexts or NULL */
};

static int
copy_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct copy_object *self = (struct copy_object *)op;
    Py_VISIT(self->source);
    Py_VISIT(self->target);
    Py_VISIT(self->source_context);
    Py_VISIT(self->target_context);
    return core_object_traverse(op, visit, arg);
}

static int
copy_clear(PyObject *op)
{
    struct copy_object *self = (struct copy_object *)op;
    Py_CLEAR(self->source);
    Py_CLEAR(self->target);
    Py_CLEAR(self->source_context);
    Py_CLEAR(self->target_context);
    return core_object_clear(op);
}

static void
copy_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    copy_clear(op);
    core_object_end_dealloc(op);
}

/* Where the memory ends that begins at the buffer's first element. */
static const char *
buffer_end(const Py_buffer *view)
{
    const char *end = (const char *)view->buf + view->itemsize;
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

/* The array whose memory it is: programs copy whole matrices by a view of
 * their first row. */
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

/* Address of a host buffer, which need not be contiguous, and how much memory
 * follows. */
static int
host_address(PyObject *object, bool writable, void **pointer, size_t *room)
{
    Py_buffer view, root;
    int flags = PyBUF_STRIDED_RO | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, &view, flags) < 0) {
        return -1;
    }
    const char *end = buffer_end(&view);
    if (PyObject_GetBuffer(host_root(object), &root, PyBUF_STRIDED_RO) < 0) {
        PyErr_Clear();
    } else {
        end = buffer_end(&root) > end ? buffer_end(&root) : end;
        PyBuffer_Release(&root);
    }
    *pointer = view.buf;
    *room = (size_t)(end - (const char *)view.buf);
    PyBuffer_Release(&view);
    return 0;
}

/* One end of the copy becomes `object`: what was set there before is no more,
 * also for who sets the memory type by hand. */
static void
end_take(struct copy_object *self, bool source, PyObject *object)
{
    if (source) {
        self->copy.srcHost = NULL;
        self->copy.srcArray = NULL;
        Py_XSETREF(self->source, Py_NewRef(object));
    } else {
        self->copy.dstHost = NULL;
        self->copy.dstArray = NULL;
        Py_XSETREF(self->target, Py_NewRef(object));
    }
}

static PyObject *
set_host(PyObject *op, PyObject *object, bool source, CUmemorytype type)
{
    struct copy_object *self = (struct copy_object *)op;
    void *pointer;
    size_t room;
    if (host_address(object, !source, &pointer, &room) < 0) {
        return NULL;
    }
    bool unified = type == CU_MEMORYTYPE_UNIFIED;
    end_take(self, source, object);
    if (source) {
        self->copy.srcMemoryType = type;
        self->copy.srcHost = pointer;
        if (unified) {
            self->copy.srcDevice = (CUdeviceptr)(uintptr_t)pointer;
        }
        self->source_room = room;
    } else {
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
    end_take(self, true, object);
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
    end_take(self, false, object);
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
    end_take(self, true, array);
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
    end_take(self, false, array);
    self->copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    self->copy.dstArray = handle;
    Py_RETURN_NONE;
}

static PyObject *
set_context(PyObject *object, CUcontext *handle, PyObject **kept)
{
    if (!Py_IS_TYPE(object, core.context_type)) {
        PyErr_Format(PyExc_TypeError, "expected a Context, got %s",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    *handle = ((struct core_context *)object)->handle;
    Py_XSETREF(*kept, Py_NewRef(object));
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

static PyObject *
get_size(PyObject *op, void *offset)
{
    size_t value;
    memcpy(&value, (char *)op + (uintptr_t)offset, sizeof value);
    return PyLong_FromSize_t(value);
}

static int
set_size(PyObject *op, PyObject *object, void *offset)
{
    size_t value;
    if (object == NULL) {
        PyErr_SetString(PyExc_TypeError, "cannot delete a field");
        return -1;
    }
    if (core_size(object, &value) < 0) {
        return -1;
    }
    memcpy((char *)op + (uintptr_t)offset, &value, sizeof value);
    return 0;
}

static int
set_device(PyObject *op, PyObject *object, void *offset)
{
    CUdeviceptr value;
    if (object == NULL || core_pointer(object, &value) < 0) {
        if (object == NULL) {
            PyErr_SetString(PyExc_TypeError, "cannot delete a field");
        }
        return -1;
    }
    memcpy((char *)op + (uintptr_t)offset, &value, sizeof value);
    struct copy_object *self = (struct copy_object *)op;
    bool source =
        (uintptr_t)offset == offsetof(struct copy_object, copy.srcDevice);
    end_take(self, source, object);
    return 0;
}

static PyObject *
get_type(PyObject *op, void *offset)
{
    CUmemorytype value;
    memcpy(&value, (char *)op + (uintptr_t)offset, sizeof value);
    return core_enum("memory_type", (long)value);
}

static int
set_type(PyObject *op, PyObject *object, void *offset)
{
    unsigned value;
    if (object == NULL || core_unsigned(object, &value) < 0) {
        if (object == NULL) {
            PyErr_SetString(PyExc_TypeError, "cannot delete a field");
        }
        return -1;
    }
    memcpy((char *)op + (uintptr_t)offset, &value, sizeof value);
    return 0;
}

#define AT(field) (void *)offsetof(struct copy_object, copy.field)
#define SIZE(name, field)                                                     \
    {                                                                         \
        name, get_size, set_size, NULL, AT(field)                             \
    }
#define FLAT_FIELDS                                                           \
    SIZE("src_x_in_bytes", srcXInBytes), SIZE("src_y", srcY),                 \
        {"src_memory_type", get_type, set_type, NULL, AT(srcMemoryType)},     \
        {"src_device", get_size, set_device, NULL, AT(srcDevice)},            \
        SIZE("src_pitch", srcPitch), SIZE("dst_x_in_bytes", dstXInBytes),     \
        SIZE("dst_y", dstY),                                                  \
        {"dst_memory_type", get_type, set_type, NULL, AT(dstMemoryType)},     \
        {"dst_device", get_size, set_device, NULL, AT(dstDevice)},            \
        SIZE("dst_pitch", dstPitch), SIZE("width_in_bytes", WidthInBytes),    \
        SIZE("height", Height)
static PyGetSetDef fields_2d[] = {FLAT_FIELDS, {NULL}};
static PyGetSetDef fields_3d[] = {
    FLAT_FIELDS,
    SIZE("src_z", srcZ),
    SIZE("src_lod", srcLOD),
    SIZE("src_height", srcHeight),
    SIZE("dst_z", dstZ),
    SIZE("dst_lod", dstLOD),
    SIZE("dst_height", dstHeight),
    SIZE("depth", Depth),
    {NULL},
};

#define COMMON_METHODS                                                        \
    {"set_src_host", set_src_host, METH_O, "Copy from a host buffer."},       \
        {"set_dst_host", set_dst_host, METH_O, "Copy to a host buffer."},     \
        {"set_src_unified", set_src_unified, METH_O, NULL},                   \
        {"set_dst_unified", set_dst_unified, METH_O, NULL},                   \
        {"set_src_device", set_src_device, METH_O,                            \
         "Copy from linear device memory."},                                  \
        {"set_dst_device", set_dst_device, METH_O,                            \
         "Copy to linear device memory."},                                    \
        {"set_src_array", set_src_array, METH_O, "Copy from an Array."},      \
    {                                                                         \
        "set_dst_array", set_dst_array, METH_O, "Copy to an Array."           \
    }
static PyMethodDef methods_common[] = {COMMON_METHODS, {NULL}};
static PyMethodDef methods_peer[] = {
    COMMON_METHODS,
    {"set_src_context", set_src_context, METH_O, NULL},
    {"set_dst_context", set_dst_context, METH_O, NULL},
    {NULL},
};

static CUDA_MEMCPY2D
flat_of(const CUDA_MEMCPY3D_PEER *c)
{
    return (CUDA_MEMCPY2D){
        .srcXInBytes = c->srcXInBytes,
        .srcY = c->srcY,
        .srcMemoryType = c->srcMemoryType,
        .srcHost = c->srcHost,
        .srcDevice = c->srcDevice,
        .srcArray = c->srcArray,
        .srcPitch = c->srcPitch,
        .dstXInBytes = c->dstXInBytes,
        .dstY = c->dstY,
        .dstMemoryType = c->dstMemoryType,
        .dstHost = c->dstHost,
        .dstDevice = c->dstDevice,
        .dstArray = c->dstArray,
        .dstPitch = c->dstPitch,
        .WidthInBytes = c->WidthInBytes,
        .Height = c->Height,
    };
}

/* The one argument of a call: a Stream, or `aligned` in two dimensions. */
struct how {
    bool async, aligned;
    bool plain;      /* done when it returns, on the stream all the same */
    CUstream stream; /* NULL where neither: the legacy stream */
};

/* After a copy on the stream. */
static CUresult
how_end(const struct how *how, CUresult code)
{
    return how->plain && code == CUDA_SUCCESS
               ? driver.cuStreamSynchronize(how->stream)
               : code;
}

static int
how_read(PyObject *args, PyObject *kwargs, const char *routine, bool flat,
         struct how *how)
{
    PyObject *object = NULL;
    static char *flat_keywords[] = {"aligned", NULL};
    static char *deep_keywords[] = {"", NULL};
    *how = (struct how){.aligned = true};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:copy",
                                     flat ? flat_keywords : deep_keywords,
                                     &object)) {
        return -1;
    }
    if (object != NULL && PyObject_TypeCheck(object, core.stream_type)) {
        how->async = true;
        return core_stream(object, &how->stream);
    }
    if (object != NULL && !flat && object != Py_None) {
        PyErr_Format(PyExc_TypeError, "expected a Stream, got %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    if (object != NULL) {
        int truth = PyObject_IsTrue(object);
        how->aligned = truth > 0;
        if (truth < 0) {
            return -1;
        }
    }
    int status = core_stream_plain(&how->stream, routine);
    how->plain = how->stream != NULL;
    return status;
}

/* How far into its memory one end of the copy reaches; SIZE_MAX for more than
 * there can be. */
static size_t
end_reach(const CUDA_MEMCPY3D_PEER *c, bool source, bool flat)
{
    size_t x = source ? c->srcXInBytes : c->dstXInBytes;
    size_t y = source ? c->srcY : c->dstY, reach;
    size_t z = flat ? 0 : source ? c->srcZ : c->dstZ;
    size_t pitch = source ? c->srcPitch : c->dstPitch;
    size_t height = flat ? 0 : source ? c->srcHeight : c->dstHeight;
    size_t depth = flat ? 1 : c->Depth;
    if (c->WidthInBytes == 0 || c->Height == 0 || depth == 0) {
        return 0;
    }
    bool over = __builtin_add_overflow(x, c->WidthInBytes, &reach);
    pitch = pitch == 0 ? reach : pitch;
    over |= __builtin_add_overflow(y, c->Height - 1, &y);
    height = height == 0 ? y + 1 : height;
    over |= __builtin_add_overflow(z, depth - 1, &z);
    over |= __builtin_mul_overflow(z, height, &z);
    over |= __builtin_add_overflow(y, z, &y);
    over |= __builtin_mul_overflow(y, pitch, &y);
    over |= __builtin_add_overflow(reach, y, &reach);
    return over ? SIZE_MAX : reach;
}

static int
end_fits(struct copy_object *self, bool source, bool flat, const char *routine)
{
    const CUDA_MEMCPY3D_PEER *c = &self->copy;
    CUmemorytype type = source ? c->srcMemoryType : c->dstMemoryType;
    const void *host = source ? c->srcHost : c->dstHost;
    size_t room = source ? self->source_room : self->target_room;
    size_t reach = end_reach(c, source, flat);
    char text[160];
    bool is_host = type == CU_MEMORYTYPE_HOST ||
                   (type == CU_MEMORYTYPE_UNIFIED && host != NULL);
    if (!is_host || (host != NULL && reach <= room) || reach == 0) {
        return 0;
    }
    const char *which = source ? "source" : "target";
    if (host == NULL) {
        snprintf(text, sizeof text, "the %s's host memory was not set", which);
    } else {
        snprintf(text, sizeof text,
                 "the copy reaches %zu bytes into the %s's host memory, which "
                 "has %zu",
                 reach, which, room);
    }
    return core_fail(CUDA_ERROR_INVALID_VALUE, routine, text);
}

static int
ends_fit(PyObject *op, bool flat, const char *routine)
{
    struct copy_object *self = (struct copy_object *)op;
    return end_fits(self, true, flat, routine) < 0
               ? -1
               : end_fits(self, false, flat, routine);
}

/* Device memory that was set is in use on the stream; refused if freed. */
static int
ends_use(PyObject *op, const struct how *how)
{
    struct copy_object *self = (struct copy_object *)op;
    PyObject *ends[] = {self->source, self->target};
    struct core_context *context = core_current();
    CUarray array;
    if (context == NULL) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        bool tiled = ends[i] != NULL && Py_IS_TYPE(ends[i], core.cuarray_type);
        if (tiled ? core_array_handle(ends[i], &array) < 0
                  : core_use(ends[i], how->stream) < 0) {
            return -1;
        }
        if (core_capture_hold(context, ends[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The ends in host memory stay until the copy is done. */
static void
ends_keep(PyObject *op, const struct how *how)
{
    struct copy_object *self = (struct copy_object *)op;
    const CUDA_MEMCPY3D_PEER *copy = &self->copy;
    if (how->async && self->source != NULL &&
        copy->srcMemoryType == CU_MEMORYTYPE_HOST) {
        core_flight_keep(self->source, copy->srcHost, how->stream);
    }
    if (how->async && self->target != NULL &&
        copy->dstMemoryType == CU_MEMORYTYPE_HOST) {
        core_flight_keep(self->target, copy->dstHost, how->stream);
    }
}

static PyObject *
copy_result(PyObject *op, const struct how *how, CUresult code,
            const char *routine)
{
    if (core_check(code, routine) < 0) {
        return NULL;
    }
    ends_keep(op, how);
    Py_RETURN_NONE;
}

static PyObject *
call_2d(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct how how;
    if (how_read(args, kwargs, "cuMemcpy2D", true, &how) < 0 ||
        ends_use(op, &how) < 0 || ends_fit(op, true, "cuMemcpy2D") < 0) {
        return NULL;
    }
    CUDA_MEMCPY2D copy = flat_of(&((struct copy_object *)op)->copy);
    CUresult code;
    struct core_plain plain = {NULL};
    if (!how.aligned && core_plain_begin(&plain, "cuMemcpy2DUnaligned") < 0) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS if (!how.aligned)
    {
        code = driver.cuMemcpy2DUnaligned(&copy);
    }
    else if (how.async || how.plain)
    {
        code = how_end(&how, driver.cuMemcpy2DAsync(&copy, how.stream));
    }
    else
    {
        code = driver.cuMemcpy2D(&copy);
    }
    Py_END_ALLOW_THREADS code = core_plain_end(&plain, code);
    return copy_result(op, &how, code,
                       how.async     ? "cuMemcpy2DAsync"
                       : how.aligned ? "cuMemcpy2D"
                                     : "cuMemcpy2DUnaligned");
}

/* CUDA_MEMCPY3D differs from the peer struct in two fields, which have to be
 * zero there and are contexts here. */
_Static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER) &&
                   offsetof(CUDA_MEMCPY3D, reserved1) ==
                       offsetof(CUDA_MEMCPY3D_PEER, dstContext),
               "one layout serves both");

static PyObject *
call_3d(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct how how;
    CUDA_MEMCPY3D copy;
    if (how_read(args, kwargs, "cuMemcpy3D", false, &how) < 0 ||
        ends_use(op, &how) < 0 || ends_fit(op, false, "cuMemcpy3D") < 0) {
        return NULL;
    }
    memcpy(&copy, &((struct copy_object *)op)->copy, sizeof copy);
    copy.reserved0 = copy.reserved1 = NULL;
    CUresult code;
    Py_BEGIN_ALLOW_THREADS code =
        how.async || how.plain
            ? how_end(&how, driver.cuMemcpy3DAsync(&copy, how.stream))
            : driver.cuMemcpy3D(&copy);
    Py_END_ALLOW_THREADS return copy_result(
        op, &how, code, how.async ? "cuMemcpy3DAsync" : "cuMemcpy3D");
}

static int
contexts_live(PyObject *op)
{
    struct copy_object *self = (struct copy_object *)op;
    PyObject *contexts[] = {self->source_context, self->target_context};
    for (int i = 0; i < 2; i++) {
        if (contexts[i] != NULL &&
            !((struct core_context *)contexts[i])->valid) {
            return core_fail(CUDA_ERROR_INVALID_CONTEXT, "cuMemcpy3DPeer",
                             "a context of the copy was detached");
        }
    }
    return 0;
}

static PyObject *
call_peer(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct how how;
    struct core_context *current = core_current();
    if (current == NULL ||
        how_read(args, kwargs, "cuMemcpy3DPeer", false, &how) < 0 ||
        ends_use(op, &how) < 0 || contexts_live(op) < 0 ||
        ends_fit(op, false, "cuMemcpy3DPeer") < 0) {
        return NULL;
    }
    CUDA_MEMCPY3D_PEER copy = ((struct copy_object *)op)->copy;
    copy.srcContext =
        copy.srcContext == NULL ? current->handle : copy.srcContext;
    copy.dstContext =
        copy.dstContext == NULL ? current->handle : copy.dstContext;
    CUresult code;
    Py_BEGIN_ALLOW_THREADS code =
        how.async || how.plain
            ? how_end(&how, driver.cuMemcpy3DPeerAsync(&copy, how.stream))
            : driver.cuMemcpy3DPeer(&copy);
    Py_END_ALLOW_THREADS return copy_result(
        op, &how, code, how.async ? "cuMemcpy3DPeerAsync" : "cuMemcpy3DPeer");
}

#define COPY_TYPE(prefix, text, function, methods, fields)                    \
    static PyType_Slot prefix##_slots[] = {                                   \
        {Py_tp_doc, text "(): fill its fields, then call it."},               \
        {Py_tp_new, PyType_GenericNew},                                       \
        {Py_tp_dealloc, copy_dealloc},                                        \
        {Py_tp_traverse, copy_traverse},                                      \
        {Py_tp_clear, copy_clear},                                            \
        {Py_tp_call, function},                                               \
        {Py_tp_methods, methods},                                             \
        {Py_tp_getset, fields},                                               \
        {Py_tp_members, core_object_members},                                 \
        {0, NULL},                                                            \
    };                                                                        \
    static PyType_Spec prefix##_spec = {                                      \
        .name = "pycuda._driver." text,                                       \
        .basicsize = sizeof(struct copy_object),                              \
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,                     \
        .slots = prefix##_slots,                                              \
    }
COPY_TYPE(flat, "Memcpy2D", call_2d, methods_common, fields_2d);
COPY_TYPE(deep, "Memcpy3D", call_3d, methods_common, fields_3d);
COPY_TYPE(peer, "Memcpy3DPeer", call_peer, methods_peer, fields_3d);

int
core_memcpynd_setup(PyObject *module)
{
    if (core_add_type(module, &core.memcpy2d_type, &flat_spec, NULL) < 0 ||
        core_add_type(module, &core.memcpy3d_type, &deep_spec, NULL) < 0) {
        return -1;
    }
    return core_add_type(module, &core.memcpy3dpeer_type, &peer_spec, NULL);
}
