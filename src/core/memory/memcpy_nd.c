/* memcpy_nd.c - Memcpy2D, Memcpy3D and Memcpy3DPeer: copies between host
 * memory, device memory and CUDA arrays, as described by the objects of
 * copy_object.c.
 *
 * A copy beyond the end of a host buffer raises LogicError here, since the
 * driver does not know the size of host buffers.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/throttle.h"
#include "core/memory/bounds.h"
#include "core/memory/copy_object.h"
#include "core/memory/cross_context.h"
#include "core/memory/pending_copies.h"
#include "core/memory/stream_dependencies.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/state.h"
#include "core/stream/current_stream.h"
#include "core/stream/foreign_stream.h"
#include "core/stream/legacy_stream.h"
#include "core/stream/open_captures.h"
#include "core/texture/cuda_array.h"

/* Converts a CUDA_MEMCPY3D_PEER to CUDA's struct for 2D copies. */
static CUDA_MEMCPY2D
to_2d(const CUDA_MEMCPY3D_PEER *c)
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

/* Argument of a call that executes a copy: a Stream or, for 2D copies, the
 * boolean `aligned`. */
struct copy_mode {
    bool async, aligned;
    /* true: the call returns after the copy is complete, because it has no
     * stream argument or an array belongs to another context */
    bool plain;
    CUstream stream; /* NULL: the legacy default stream */
};

/* Waits for the end of the copy if the Python call must not return earlier.
 * Returns the first error: `code`, the result of issuing the copy, or that of
 * the wait. */
static CUresult
copy_mode_finish(const struct copy_mode *how, CUresult code)
{
    return how->plain && code == CUDA_SUCCESS
               ? driver.cuStreamSynchronize(how->stream)
               : code;
}

/* Reads the argument of a 2D call (`flat`) or a 3D call. Without a Stream
 * argument the copy uses the current stream, and the call waits for it. */
static int
copy_mode_read(PyObject *args, PyObject *kwargs, const char *routine,
               bool flat, struct copy_mode *how)
{
    PyObject *object = NULL;
    static char *flat_keywords[] = {"aligned", NULL};
    static char *deep_keywords[] = {"", NULL};
    *how = (struct copy_mode){.aligned = true};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:copy",
                                     flat ? flat_keywords : deep_keywords,
                                     &object)) {
        return -1;
    }
    if (object != NULL && core_is_stream(object)) {
        how->async = true;
        return core_stream(object, &how->stream);
    }
    if (object != NULL && !flat && object != Py_None) {
        PyErr_Format(PyExc_TypeError,
                     "expected a Stream or an object with __cuda_stream__, "
                     "got %s",
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
    int status = core_stream_for_sync_call(&how->stream, routine);
    how->plain = how->stream != NULL;
    return status;
}

/* Returns the number of bytes from the base address of the source (or the
 * target, if `source` is false) to the last byte that the copy accesses;
 * SIZE_MAX on overflow. */
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

/* Raises LogicError if the copy exceeds the host memory of the source (or of
 * the target if `source` is false). */
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
                 "the copy needs %zu bytes of the %s's host memory, which "
                 "has %zu",
                 reach, which, room);
    }
    return core_fail(CUDA_ERROR_INVALID_VALUE, routine, text);
}

/* Raises LogicError if the copy exceeds the device memory of the source (or of
 * the target if `source` is false). Checks nothing if the program has set only
 * an address, whose memory has an unknown size. */
static int
device_end_fits(struct copy_object *self, bool source, bool flat,
                const char *routine)
{
    const CUDA_MEMCPY3D_PEER *c = &self->copy;
    CUmemorytype type = source ? c->srcMemoryType : c->dstMemoryType;
    PyObject *given = source ? self->source : self->target;
    if (type != CU_MEMORYTYPE_DEVICE || given == NULL) {
        return 0;
    }
    return core_bounds_check(given, end_reach(c, source, flat), routine);
}

/* Checks the bounds of the source and the target, in host and in device
 * memory. */
static int
ends_fit(PyObject *op, bool flat, const char *routine)
{
    struct copy_object *self = (struct copy_object *)op;
    bool fits = end_fits(self, true, flat, routine) == 0 &&
                end_fits(self, false, flat, routine) == 0 &&
                device_end_fits(self, true, flat, routine) == 0 &&
                device_end_fits(self, false, flat, routine) == 0;
    return fits ? 0 : -1;
}

/* Records that the stream uses the device memory of the source and the target.
 * Raises LogicError if the memory was freed. */
static int
ends_use(PyObject *op, struct copy_mode *how)
{
    struct copy_object *self = (struct copy_object *)op;
    PyObject *ends[] = {self->source, self->target};
    const CUDA_MEMCPY3D_PEER *copy = &self->copy;
    const CUdeviceptr at[] = {
        copy->srcMemoryType == CU_MEMORYTYPE_DEVICE ? copy->srcDevice : 0,
        copy->dstMemoryType == CU_MEMORYTYPE_DEVICE ? copy->dstDevice : 0,
    };
    struct core_context *context = core_current();
    CUarray array;
    if (context == NULL) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        bool tiled = ends[i] != NULL && Py_IS_TYPE(ends[i], core.cuarray_type);
        if (tiled ? core_array_handle(ends[i], &array) < 0 ||
                        core_cross_wait_array(ends[i], &how->plain) < 0
                  : core_use_at(ends[i], at[i], how->stream) < 0) {
            return -1;
        }
        if (core_capture_retain(context, ends[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Keeps references to the host memory of an asynchronous copy until the copy
 * is complete. */
static void
ends_hold_host_memory(PyObject *op, const struct copy_mode *how)
{
    struct copy_object *self = (struct copy_object *)op;
    const CUDA_MEMCPY3D_PEER *copy = &self->copy;
    if (how->async && self->source != NULL &&
        copy->srcMemoryType == CU_MEMORYTYPE_HOST) {
        core_pending_copy_add(self->source, copy->srcHost, how->stream);
    }
    if (how->async && self->target != NULL &&
        copy->dstMemoryType == CU_MEMORYTYPE_HOST) {
        core_pending_copy_add(self->target, copy->dstHost, how->stream);
    }
}

/* Raises the exception for a failed copy. On success keeps the host memory of
 * an asynchronous copy and returns None. */
static PyObject *
copy_result(PyObject *op, const struct copy_mode *how, CUresult code,
            const char *routine)
{
    if (core_check(code, routine) < 0) {
        return NULL;
    }
    ends_hold_host_memory(op, how);
    Py_RETURN_NONE;
}

/* Executes a 2D copy. Unaligned copies (cuMemcpy2DUnaligned) exist only on the
 * legacy default stream. */
static PyObject *
call_2d(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct copy_mode how;
    if (copy_mode_read(args, kwargs, "cuMemcpy2D", true, &how) < 0 ||
        ends_use(op, &how) < 0 || ends_fit(op, true, "cuMemcpy2D") < 0) {
        return NULL;
    }
    CUDA_MEMCPY2D copy = to_2d(&((struct copy_object *)op)->copy);
    CUresult code;
    struct core_legacy_stream_call plain = {NULL};
    if (!how.aligned &&
        core_legacy_stream_begin(&plain, "cuMemcpy2DUnaligned") < 0) {
        return NULL;
    }
    core_throttle_add_current(how.stream);
    PyThreadState *thread = core_gil_release();
    if (!how.aligned) {
        code = driver.cuMemcpy2DUnaligned(&copy);
    } else if (how.async || how.plain) {
        code =
            copy_mode_finish(&how, driver.cuMemcpy2DAsync(&copy, how.stream));
    } else {
        code = driver.cuMemcpy2D(&copy);
    }
    core_gil_acquire(thread);
    code = core_legacy_stream_end(&plain, code);
    return copy_result(op, &how, code,
                       how.async     ? "cuMemcpy2DAsync"
                       : how.aligned ? "cuMemcpy2D"
                                     : "cuMemcpy2DUnaligned");
}

/* The casts between the two structs need equal layouts. Two fields that are
 * reserved (zero) in CUDA_MEMCPY3D are the contexts in CUDA_MEMCPY3D_PEER. */
_Static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER) &&
                   offsetof(CUDA_MEMCPY3D, reserved1) ==
                       offsetof(CUDA_MEMCPY3D_PEER, dstContext),
               "one layout serves both");

static PyObject *
call_3d(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct copy_mode how;
    CUDA_MEMCPY3D copy;
    if (copy_mode_read(args, kwargs, "cuMemcpy3D", false, &how) < 0 ||
        ends_use(op, &how) < 0 || ends_fit(op, false, "cuMemcpy3D") < 0) {
        return NULL;
    }
    memcpy(&copy, &((struct copy_object *)op)->copy, sizeof copy);
    copy.reserved0 = copy.reserved1 = NULL;
    CUresult code;
    core_throttle_add_current(how.stream);
    PyThreadState *thread = core_gil_release();
    code =
        how.async || how.plain
            ? copy_mode_finish(&how, driver.cuMemcpy3DAsync(&copy, how.stream))
            : driver.cuMemcpy3D(&copy);
    core_gil_acquire(thread);
    return copy_result(op, &how, code,
                       how.async ? "cuMemcpy3DAsync" : "cuMemcpy3D");
}

/* Raises LogicError if the context of the source or the target was
 * detached. */
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

/* Executes a Memcpy3DPeer. The current context replaces a context that was not
 * set. */
static PyObject *
call_peer(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct copy_mode how;
    struct core_context *current = core_current();
    if (current == NULL ||
        copy_mode_read(args, kwargs, "cuMemcpy3DPeer", false, &how) < 0 ||
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
    core_throttle_add_current(how.stream);
    PyThreadState *thread = core_gil_release();
    code = how.async || how.plain
               ? copy_mode_finish(
                     &how, driver.cuMemcpy3DPeerAsync(&copy, how.stream))
               : driver.cuMemcpy3DPeer(&copy);
    core_gil_acquire(thread);
    return copy_result(op, &how, code,
                       how.async ? "cuMemcpy3DPeerAsync" : "cuMemcpy3DPeer");
}

#define COPY_TYPE(prefix, text, function, methods, fields)                    \
    static PyType_Slot prefix##_slots[] = {                                   \
        {Py_tp_doc, text "(): set its attributes, then call it to copy."},    \
        {Py_tp_new, PyType_GenericNew},                                       \
        {Py_tp_dealloc, core_copy_dealloc},                                   \
        {Py_tp_traverse, core_copy_traverse},                                 \
        {Py_tp_clear, core_copy_clear},                                       \
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
COPY_TYPE(flat, "Memcpy2D", call_2d, core_copy_methods, core_copy_fields_2d);
COPY_TYPE(deep, "Memcpy3D", call_3d, core_copy_methods, core_copy_fields_3d);
COPY_TYPE(peer, "Memcpy3DPeer", call_peer, core_copy_methods_peer,
          core_copy_fields_3d);

int
core_memcpy_nd_setup(PyObject *module)
{
    if (core_add_type(module, &core.memcpy2d_type, &flat_spec, NULL) < 0 ||
        core_add_type(module, &core.memcpy3d_type, &deep_spec, NULL) < 0) {
        return -1;
    }
    return core_add_type(module, &core.memcpy3dpeer_type, &peer_spec, NULL);
}
