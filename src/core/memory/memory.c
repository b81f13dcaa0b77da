/* memory.c - module functions that allocate, copy and fill device memory.
 *
 * The GIL is released by copies above 64 KiB, by copies from and to the host
 * that may have to wait for earlier work, and by all functions that wait. A
 * copy within the device does not wait and is issued like a launch
 * (launch/throttle.c).
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/throttle.h"
#include "core/memory/address.h"
#include "core/memory/allocation.h"
#include "core/memory/bounds.h"
#include "core/memory/copy_error.h"
#include "core/memory/default_pool.h"
#include "core/memory/peer_memory.h"
#include "core/memory/pending_copies.h"
#include "core/memory/staging.h"
#include "core/memory/stream_dependencies.h"
#include "core/memory/use_fast.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/state.h"
#include "core/stream/current_stream.h"
#include "core/stream/open_captures.h"

#define GIL_BYTES ((size_t)64 << 10)

/* Releases the GIL before a copy of more than 64 KiB. Returns NULL if the GIL
 * is kept. */
static PyThreadState *
gil_release_for(size_t bytes)
{
    return bytes > GIL_BYTES ? core_gil_release() : NULL;
}

/* Acquires the GIL if gil_release_for has released the GIL. `state` is the
 * result of gil_release_for. */
static void
gil_restore(PyThreadState *state)
{
    if (state != NULL) {
        core_gil_acquire(state);
    }
}

/* Waits for the stream on which a synchronous copy was issued. `code` is the
 * result of issuing the copy. */
static CUresult
copy_wait(CUresult code, CUstream stream)
{
    return code == CUDA_SUCCESS ? driver.cuStreamSynchronize(stream) : code;
}

/* Copies between host memory and device memory of the current context, to the
 * device if `to_device` is true. Callers pass a constant, so that the inlined
 * code has only one direction. */
static inline __attribute__((always_inline)) int
host_copy(bool to_device, void *host, CUdeviceptr device, size_t bytes,
          CUstream stream)
{
    const char *routine = to_device ? "cuMemcpyHtoD" : "cuMemcpyDtoH";
    CUresult code;
    if (bytes == 0) {
        return 0;
    }
    const struct core_context *context = core_current();
    if (context == NULL || core_stream_without_capture(&stream, routine) < 0) {
        return -1;
    }
    struct core_staging *ring = core_staging_acquire(host, bytes);
    bool waits =
        ring != NULL || stream != NULL || !core_throttles_are_idle(context);
    PyThreadState *state = gil_release_for(waits ? SIZE_MAX : bytes);
    if (ring != NULL) {
        code = to_device
                   ? core_staging_htod(ring, device, host, bytes, stream)
                   : core_staging_dtoh(ring, host, device, bytes, stream);
    } else if (stream != NULL) {
        code = to_device
                   ? driver.cuMemcpyHtoDAsync(device, host, bytes, stream)
                   : driver.cuMemcpyDtoHAsync(host, device, bytes, stream);
        code = copy_wait(code, stream);
    } else {
        code = to_device ? driver.cuMemcpyHtoD(device, host, bytes)
                         : driver.cuMemcpyDtoH(host, device, bytes);
    }
    gil_restore(state);
    if (ring != NULL) {
        core_staging_release(ring);
    }
    return core_copy_check(code, routine, device, bytes);
}

int
core_memcpy_htod(CUdeviceptr target, const void *source, size_t bytes,
                 CUstream stream)
{
    return host_copy(true, (void *)source, target, bytes, stream);
}

int
core_memcpy_dtoh(void *target, CUdeviceptr source, size_t bytes,
                 CUstream stream)
{
    return host_copy(false, target, source, bytes, stream);
}

/* Copies from device to device. As in CUDA, a synchronous copy within the
 * device returns before it is complete. */
int
core_memcpy_dtod(CUdeviceptr target, CUdeviceptr source, size_t bytes)
{
    if (bytes == 0) {
        return 0;
    }
    CUstream stream = NULL;
    struct core_context *context = core_current();
    if (context == NULL ||
        core_stream_without_capture(&stream, "cuMemcpyDtoD") < 0) {
        return -1;
    }
    bool may_wait = core_throttle_add(context, stream);
    PyThreadState *state = gil_release_for(may_wait ? SIZE_MAX : bytes);
    CUresult code =
        stream != NULL
            ? driver.cuMemcpyDtoDAsync(target, source, bytes, stream)
            : driver.cuMemcpyDtoD(target, source, bytes);
    gil_restore(state);
    return core_copy_check_both(code, "cuMemcpyDtoD", target, source, bytes);
}

/* Makes the graph of a capture keep a reference to the host memory. Called
 * before the copy is issued; does nothing without a capture. */
static int
host_capture(PyObject *host)
{
    struct core_context *context = core_stack_top();
    return context == NULL ? 0 : core_capture_retain(context, host);
}

/* Prepares an asynchronous copy from or to host memory: replaces NULL in
 * *stream by the current stream. Sets *waits to true if the driver's call may
 * block until earlier work is complete; the caller then releases the GIL, even
 * for a small copy. Copies of pageable memory may block in any case. */
static int
async_copy_begin(PyObject *host, CUstream *stream, bool *waits)
{
    struct core_context *context = core_current();
    *stream = *stream == NULL ? core_stream_default() : *stream;
    if (context == NULL || host_capture(host) < 0) {
        return -1;
    }
    *waits = !core_throttles_are_idle(context);
    *waits |= core_throttle_add(context, *stream);
    return 0;
}

int
core_memcpy_htod_async(CUdeviceptr target, const void *source, size_t bytes,
                       CUstream stream, PyObject *host)
{
    if (bytes == 0) {
        return 0;
    }
    bool waits;
    if (async_copy_begin(host, &stream, &waits) < 0) {
        return -1;
    }
    PyThreadState *state = gil_release_for(waits ? SIZE_MAX : bytes);
    CUresult code = driver.cuMemcpyHtoDAsync(target, source, bytes, stream);
    gil_restore(state);
    if (core_copy_check(code, "cuMemcpyHtoDAsync", target, bytes) < 0) {
        return -1;
    }
    core_pending_copy_add(host, source, stream);
    return 0;
}

int
core_memcpy_dtoh_async(void *target, CUdeviceptr source, size_t bytes,
                       CUstream stream, PyObject *host)
{
    if (bytes == 0) {
        return 0;
    }
    bool waits;
    if (async_copy_begin(host, &stream, &waits) < 0) {
        return -1;
    }
    PyThreadState *state = gil_release_for(waits ? SIZE_MAX : bytes);
    CUresult code = driver.cuMemcpyDtoHAsync(target, source, bytes, stream);
    gil_restore(state);
    if (core_copy_check(code, "cuMemcpyDtoHAsync", source, bytes) < 0) {
        return -1;
    }
    core_pending_copy_add(host, target, stream);
    return 0;
}

int
core_memcpy_dtod_async(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                       CUstream stream)
{
    if (bytes == 0) {
        return 0;
    }
    stream = stream == NULL ? core_stream_default() : stream;
    bool may_wait = core_throttle_add_current(stream);
    PyThreadState *state = gil_release_for(may_wait ? SIZE_MAX : 0);
    CUresult code = driver.cuMemcpyDtoDAsync(target, source, bytes, stream);
    gil_restore(state);
    return core_copy_check_both(code, "cuMemcpyDtoDAsync", target, source,
                                bytes);
}

/* Allocates directly from the driver, without the default pool. */
static PyObject *
memory_alloc(PyObject *unused, PyObject *bytes_object)
{
    (void)unused;
    size_t bytes;
    CUdeviceptr pointer;
    if (core_size(bytes_object, &bytes) < 0) {
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    /* A destructor may free the context, so hold a reference to it. */
    Py_INCREF((PyObject *)context);
    CUresult code = core_allocate_raw(&pointer, bytes);
    PyObject *self = NULL;
    if (core_allocate_check(code, bytes, "cuMemAlloc") == 0) {
        self = core_allocation_wrap(core.allocation_type, context, pointer,
                                    bytes);
        if (self == NULL) {
            driver.cuMemFree(pointer);
        }
    }
    Py_DECREF((PyObject *)context);
    return self;
}

static PyObject *
memory_alloc_pitch(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "mem_alloc_pitch", 3, {"width", "height", "access_size"}};
    PyObject *values[3];
    size_t width, height, pitch;
    unsigned access;
    CUdeviceptr pointer;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_size(values[0], &width) < 0 ||
        core_size(values[1], &height) < 0 ||
        core_unsigned(values[2], &access) < 0) {
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    Py_INCREF((PyObject *)context); /* a destructor may free the context */
    PyObject *self = NULL;
    bool tried = false;
    CUresult code;
    do {
        code = driver.cuMemAllocPitch(&pointer, &pitch, width, height, access);
    } while (core_reclaim_memory(code, &tried));
    /* the size of the rows in bytes, without the padding at their ends */
    size_t bytes;
    if (__builtin_mul_overflow(width, height, &bytes)) {
        bytes = SIZE_MAX;
    }
    if (core_allocate_check(code, bytes, "cuMemAllocPitch") == 0) {
        self = core_allocation_wrap(core.allocation_type, context, pointer,
                                    pitch * height);
        if (self == NULL) {
            driver.cuMemFree(pointer);
        }
    }
    Py_DECREF((PyObject *)context);
    return self == NULL
               ? NULL
               : Py_BuildValue("(NN)", self, PyLong_FromSize_t(pitch));
}

/* Returns (free, total) memory of the device in bytes. Frees the pool's idle
 * memory first, so that it counts as free. */
static PyObject *
memory_get_info(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    size_t idle, total;
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    core_pool_trim(context);
    if (core_check(driver.cuMemGetInfo(&idle, &total), "cuMemGetInfo") < 0) {
        return NULL;
    }
    return Py_BuildValue("(NN)", PyLong_FromSize_t(idle),
                         PyLong_FromSize_t(total));
}

static PyObject *
memory_get_address_range(PyObject *unused, PyObject *object)
{
    (void)unused;
    CUdeviceptr pointer, base;
    size_t size;
    if (core_pointer(object, &pointer) < 0 || core_current() == NULL ||
        core_check(driver.cuMemGetAddressRange(&base, &size, pointer),
                   "cuMemGetAddressRange") < 0) {
        return NULL;
    }
    return Py_BuildValue("(KN)", (unsigned long long)base,
                         PyLong_FromSize_t(size));
}

/* Reads the address of the source or target of a copy, and records that the
 * stream uses the memory. */
static int
address_and_use(PyObject *object, CUstream stream, CUdeviceptr *pointer)
{
    if (LIKELY(Py_IS_TYPE(object, core.allocation_type)) &&
        use_fast((struct core_allocation *)object,
                 stream == NULL ? core_stream_default() : stream)) {
        *pointer = ((struct core_allocation *)object)->pointer;
        return 0;
    }
    if (core_pointer_on(object, stream, pointer) < 0) {
        return -1;
    }
    return core_use_at(object, *pointer, stream);
}

static PyObject *
none_or_error(int status)
{
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* Copies a contiguous host buffer to the device, after checking the bounds of
 * the target and that a context is current. */
static PyObject *
copy_htod(const struct core_signature *signature, bool async, CORE_ARGS)
{
    PyObject *values[3] = {NULL, NULL, NULL};
    CUstream stream = NULL;
    CUdeviceptr target;
    Py_buffer view;
    if (core_args(signature, args, nargs, names, values) < 0 ||
        core_stream(values[2], &stream) < 0 ||
        address_and_use(values[0], stream, &target) < 0 ||
        core_buffer(values[1], false, &view) < 0) {
        return NULL;
    }
    int status =
        core_bounds_check(values[0], (size_t)view.len,
                          async ? "cuMemcpyHtoDAsync" : "cuMemcpyHtoD");
    if (status == 0) {
        status =
            async ? core_memcpy_htod_async(target, view.buf, (size_t)view.len,
                                           stream, values[1])
                  : core_memcpy_htod(target, view.buf, (size_t)view.len, NULL);
    }
    PyBuffer_Release(&view);
    return none_or_error(status);
}

/* Copies from the device into a writable, contiguous host buffer. */
static PyObject *
copy_dtoh(const struct core_signature *signature, bool async, CORE_ARGS)
{
    PyObject *values[3] = {NULL, NULL, NULL};
    CUstream stream = NULL;
    CUdeviceptr source;
    Py_buffer view;
    if (core_args(signature, args, nargs, names, values) < 0 ||
        core_stream(values[2], &stream) < 0 ||
        address_and_use(values[1], stream, &source) < 0 ||
        core_buffer(values[0], true, &view) < 0) {
        return NULL;
    }
    int status =
        core_bounds_check(values[1], (size_t)view.len,
                          async ? "cuMemcpyDtoHAsync" : "cuMemcpyDtoH");
    if (status == 0) {
        status =
            async ? core_memcpy_dtoh_async(view.buf, source, (size_t)view.len,
                                           stream, values[0])
                  : core_memcpy_dtoh(view.buf, source, (size_t)view.len, NULL);
    }
    PyBuffer_Release(&view);
    return none_or_error(status);
}

/* Checks the bounds of values[0] (the target) and values[1] (the source). */
static int
check_both_bounds(PyObject *const *values, size_t bytes, const char *routine)
{
    return core_bounds_check(values[0], bytes, routine) < 0
               ? -1
               : core_bounds_check(values[1], bytes, routine);
}

/* Copies from device to device. A call with three positional arguments skips
 * the argument parser. */
static PyObject *
copy_dtod(const struct core_signature *signature, bool async, CORE_ARGS)
{
    PyObject *named[4] = {NULL}, *const *values = args;
    CUstream stream = NULL;
    CUdeviceptr target, source;
    size_t size;
    if (UNLIKELY(nargs != 3 || names != NULL)) {
        if (core_args(signature, args, nargs, names, named) < 0 ||
            core_stream(named[3], &stream) < 0) {
            return NULL;
        }
        values = named;
    }
    if (address_and_use(values[0], stream, &target) < 0 ||
        address_and_use(values[1], stream, &source) < 0 ||
        core_size(values[2], &size) < 0 || core_current_known() == NULL ||
        check_both_bounds(values, size,
                          async ? "cuMemcpyDtoDAsync" : "cuMemcpyDtoD") < 0) {
        return NULL;
    }
    return none_or_error(
        async ? core_memcpy_dtod_async(target, source, size, stream)
              : core_memcpy_dtod(target, source, size));
}

#define COPY(name, helper, async, required, ...)                              \
    static PyObject *memory_##name(PyObject *unused, CORE_ARGS)               \
    {                                                                         \
        (void)unused;                                                         \
        static const struct core_signature signature = {                      \
            #name, required, {__VA_ARGS__}};                                  \
        return helper(&signature, async, args, nargs, names);                 \
    }
/* The synchronous copies accept `stream`, too, because the first releases of
 * PyCUDA did. */
COPY(memcpy_htod, copy_htod, false, 2, "dest", "src", "stream")
COPY(memcpy_htod_async, copy_htod, true, 2, "dest", "src", "stream")
COPY(memcpy_dtoh, copy_dtoh, false, 2, "dest", "src", "stream")
COPY(memcpy_dtoh_async, copy_dtoh, true, 2, "dest", "src", "stream")
COPY(memcpy_dtod, copy_dtod, false, 3, "dest", "src", "size")
COPY(memcpy_dtod_async, copy_dtod, true, 3, "dest", "src", "size", "stream")

/* Returns the context of an optional Context argument, borrowed. NULL or None
 * means the current context. */
static struct core_context *
context_or_current(PyObject *object)
{
    if (object == NULL || object == Py_None) {
        return core_current();
    }
    if (!PyObject_TypeCheck(object, core.context_type)) {
        PyErr_Format(PyExc_TypeError, "expected a Context, got %s",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    return (struct core_context *)object;
}

/* Stores the address in *pointer and records the use. An asynchronous peer
 * copy of an int follows its stream only, as in CUDA: waiting on the host for
 * the context of the address (core_use_at) would make it synchronous. */
static int
peer_address(PyObject *object, bool async, CUstream stream,
             CUdeviceptr *pointer)
{
    return async && PyLong_CheckExact(object)
               ? core_pointer_on(object, stream, pointer)
               : address_and_use(object, stream, pointer);
}

/* Copies between two contexts. The current context replaces a context argument
 * that is absent. */
static PyObject *
copy_peer(const struct core_signature *signature, bool async, CORE_ARGS)
{
    PyObject *values[6] = {NULL};
    CUdeviceptr target, source;
    CUstream stream = NULL;
    size_t size;
    if (core_args(signature, args, nargs, names, values) < 0 ||
        core_stream(values[5], &stream) < 0 ||
        peer_address(values[0], async, stream, &target) < 0 ||
        peer_address(values[1], async, stream, &source) < 0 ||
        core_size(values[2], &size) < 0 ||
        check_both_bounds(values, size,
                          async ? "cuMemcpyPeerAsync" : "cuMemcpyPeer") < 0) {
        return NULL;
    }
    struct core_context *to = context_or_current(values[3]);
    struct core_context *from =
        to == NULL ? NULL : context_or_current(values[4]);
    if (from == NULL) {
        return NULL;
    }
    CUresult code;
    CUstream plain = NULL;
    if (!async && core_stream_for_sync_call(&plain, "cuMemcpyPeer") < 0) {
        return NULL;
    }
    core_throttle_add_current(stream);
    /* During a capture the copy is issued by cuMemcpyAsync, since a capture
     * does not accept cuMemcpyPeerAsync. */
    bool captures = async && core_stack_top()->captures != 0;
    PyThreadState *thread = core_gil_release();
    if (captures) {
        code = driver.cuMemcpyAsync(target, source, size, stream);
    } else if (async || plain != NULL) {
        code = driver.cuMemcpyPeerAsync(target, to->handle, source,
                                        from->handle, size, stream);
    } else {
        code = driver.cuMemcpyPeer(target, to->handle, source, from->handle,
                                   size);
    }
    if (plain != NULL) {
        code = copy_wait(code, plain);
    }
    core_gil_acquire(thread);
    return none_or_error(
        core_check(code, async ? "cuMemcpyPeerAsync" : "cuMemcpyPeer"));
}
COPY(memcpy_peer, copy_peer, false, 3, "dest", "src", "size", "dest_context",
     "src_context")
COPY(memcpy_peer_async, copy_peer, true, 3, "dest", "src", "size",
     "dest_context", "src_context", "stream")

/* Reads the value of a memset. Raises OverflowError if it does not fit into
 * `bits` bits. */
static int
set_value(PyObject *object, unsigned bits, unsigned *value)
{
    size_t wide;
    if (core_size(object, &wide) < 0) {
        return -1;
    }
    if (wide >> bits != 0) {
        PyErr_Format(PyExc_OverflowError, "data %zu does not fit in %u bits",
                     wide, bits);
        return -1;
    }
    *value = (unsigned)wide;
    return 0;
}

/* Arguments of one memset (fill). */
struct set_call {
    PyObject *object; /* borrowed: the argument `dest` */
    CUdeviceptr target;
    size_t pitch, width, height;
    unsigned value;
    CUstream stream; /* stream of the fill; NULL: legacy default stream */
};

/* Reads the arguments of a fill into `call`. 1D: (dest, data, size[, stream]);
 * 2D: (dest, pitch, data, width, height[, stream]). */
static int
set_read(const struct core_signature *signature, unsigned bits, bool two_d,
         bool async, struct set_call *call, CORE_ARGS)
{
    PyObject *values[6] = {NULL};
    if (core_args(signature, args, nargs, names, values) < 0) {
        return -1;
    }
    PyObject **next = values + 1;
    PyObject *stream = values[two_d ? 5 : 3];
    if (core_stream(stream, &call->stream) < 0) {
        return -1;
    }
    if (!async) {
        call->stream = NULL;
        if (core_stream_for_sync_call(&call->stream, signature->function) <
            0) {
            return -1;
        }
    }
    if (address_and_use(values[0], call->stream, &call->target) < 0 ||
        (two_d && core_size(*next++, &call->pitch) < 0) ||
        set_value(*next++, bits, &call->value) < 0 ||
        core_size(*next++, &call->width) < 0 ||
        (two_d && core_size(*next++, &call->height) < 0)) {
        return -1;
    }
    call->object = values[0];
    return core_current() == NULL ? -1 : 0;
}

/* Returns the number of bytes from the first byte to the last byte that the
 * fill writes; SIZE_MAX on overflow. */
static size_t
set_bytes(const struct set_call *call, unsigned bits)
{
    size_t row, rows = 0, bytes;
    bool over = __builtin_mul_overflow(call->width, bits / 8, &row);
    if (call->height > 1) {
        over |= __builtin_mul_overflow(call->pitch, call->height - 1, &rows);
    }
    over |= __builtin_add_overflow(rows, row, &bytes);
    return over ? SIZE_MAX : bytes;
}

#define SET(name, symbol, bits, two_d, async, required, expression, ...)      \
    static PyObject *memory_##name(PyObject *unused, CORE_ARGS)               \
    {                                                                         \
        (void)unused;                                                         \
        static const struct core_signature signature = {                      \
            #name, required, {__VA_ARGS__}};                                  \
        struct set_call call = {0};                                           \
        if (set_read(&signature, bits, two_d, async, &call, args, nargs,      \
                     names) < 0 ||                                            \
            core_bounds_check(call.object, set_bytes(&call, bits), #symbol) < \
                0) {                                                          \
            return NULL;                                                      \
        }                                                                     \
        core_throttle_add_current(call.stream);                               \
        PyThreadState *thread = core_gil_release();                           \
        CUresult code = expression;                                           \
        core_gil_acquire(thread);                                             \
        return none_or_error(core_copy_check(code, #symbol, call.target,      \
                                             set_bytes(&call, bits)));        \
    }
#define SET_1D_ASYNC(bits, type)                                              \
    driver.cuMemsetD##bits##Async(call.target, (type)call.value, call.width,  \
                                  call.stream)
#define SET_1D(bits, type)                                                    \
    SET(memset_d##bits, cuMemsetD##bits, bits, false, false, 3,               \
        call.stream != NULL ? SET_1D_ASYNC(bits, type)                        \
                            : driver.cuMemsetD##bits(                         \
                                  call.target, (type)call.value, call.width), \
        "dest", "data", "size")                                               \
    SET(memset_d##bits##_async, cuMemsetD##bits##Async, bits, false, true, 3, \
        SET_1D_ASYNC(bits, type), "dest", "data", "size", "stream")
#define SET_2D_ASYNC(bits, type)                                              \
    driver.cuMemsetD2D##bits##Async(call.target, call.pitch,                  \
                                    (type)call.value, call.width,             \
                                    call.height, call.stream)
#define SET_2D(bits, type)                                                    \
    SET(memset_d2d##bits, cuMemsetD2D##bits, bits, true, false, 5,            \
        call.stream != NULL ? SET_2D_ASYNC(bits, type)                        \
                            : driver.cuMemsetD2D##bits(                       \
                                  call.target, call.pitch, (type)call.value,  \
                                  call.width, call.height),                   \
        "dest", "pitch", "data", "width", "height")                           \
    SET(memset_d2d##bits##_async, cuMemsetD2D##bits##Async, bits, true, true, \
        5, SET_2D_ASYNC(bits, type), "dest", "pitch", "data", "width",        \
        "height", "stream")
SET_1D(8, unsigned char)
SET_1D(16, unsigned short)
SET_1D(32, unsigned)
SET_2D(8, unsigned char)
SET_2D(16, unsigned short)
SET_2D(32, unsigned)

static PyObject *
pointer_device(PyObject *unused, PyObject *object)
{
    (void)unused;
    CUdeviceptr pointer;
    int device;
    if (core_pointer(object, &pointer) < 0 ||
        core_check(driver.cuPointerGetAttribute(
                       &device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer),
                   "cuPointerGetAttribute") < 0) {
        return NULL;
    }
    return PyLong_FromLong(device);
}

#define ROW(name, parameters, doc)                                            \
    {                                                                         \
#name, CORE_METHOD(memory_##name),                                    \
            #name "(" parameters ")\n--\n\n" doc                              \
    }
static PyMethodDef functions[] = {
    {"mem_alloc", memory_alloc, METH_O,
     "mem_alloc(bytes, /)\n--\n\n"
     "Return a DeviceAllocation of so many bytes of the current "
     "context. Raises LogicError for 0 bytes or without a context, "
     "MemoryError if the device has too few."},
    {"mem_alloc_pitch", CORE_METHOD(memory_alloc_pitch),
     "mem_alloc_pitch(width, height, access_size)\n--\n\n"
     "Allocate aligned rows; return (DeviceAllocation, pitch in bytes)."},
    {"mem_get_info", memory_get_info, METH_NOARGS,
     "mem_get_info()\n--\n\n"
     "Return (free, total) memory of the device, in bytes."},
    {"mem_get_address_range", memory_get_address_range, METH_O,
     "mem_get_address_range(devptr, /)\n--\n\n"
     "Return (base, size) of the allocation that contains the address."},
    {"_pointer_device", pointer_device, METH_O,
     "Return the ordinal of the device that owns the memory."},
    ROW(memcpy_htod, "dest, src, stream=None",
        "Copy a contiguous host buffer to the device. Raises LogicError if "
        "the device memory has fewer bytes, TypeError if the arguments are "
        "exchanged."),
    ROW(memcpy_htod_async, "dest, src, stream=None",
        "Queue a copy of a host buffer to the device. Page-locked memory "
        "is copied while the host continues; do not change it until the "
        "stream is done."),
    ROW(memcpy_dtoh, "dest, src, stream=None",
        "Copy from the device into a writable, contiguous host buffer, "
        "whose size counts. Raises LogicError if the device memory has "
        "fewer bytes."),
    ROW(memcpy_dtoh_async, "dest, src, stream=None",
        "Queue a copy into a host buffer. Its content is valid when the "
        "stream is done."),
    ROW(memcpy_dtod, "dest, src, size",
        "Copy `size` bytes on the device. Raises LogicError if either "
        "memory has fewer."),
    ROW(memcpy_dtod_async, "dest, src, size, stream=None",
        "Queue a copy of `size` bytes on the device. Raises LogicError if "
        "either memory has fewer."),
    ROW(memcpy_peer, "dest, src, size, dest_context=None, src_context=None",
        "Copy `size` bytes between contexts. Raises LogicError if either "
        "memory has fewer."),
    ROW(memcpy_peer_async,
        "dest, src, size, dest_context=None, src_context=None, stream=None",
        "Queue a copy of `size` bytes between contexts. Raises LogicError "
        "if either memory has fewer. With int addresses it follows only the "
        "stream, not other work on the memory."),
    ROW(memset_d8, "dest, data, size",
        "Set `size` bytes. Raises LogicError beyond the end."),
    ROW(memset_d8_async, "dest, data, size, stream=None",
        "Queue memset_d8 on a stream."),
    ROW(memset_d16, "dest, data, size",
        "Set `size` 16-bit values. Raises LogicError beyond the end."),
    ROW(memset_d16_async, "dest, data, size, stream=None",
        "Queue memset_d16 on a stream."),
    ROW(memset_d32, "dest, data, size",
        "Set `size` 32-bit values. Raises LogicError beyond the end."),
    ROW(memset_d32_async, "dest, data, size, stream=None",
        "Queue memset_d32 on a stream."),
    ROW(memset_d2d8, "dest, pitch, data, width, height",
        "Set `width` bytes in each of `height` rows; `pitch` is the "
        "distance of the rows in bytes."),
    ROW(memset_d2d8_async, "dest, pitch, data, width, height, stream=None",
        "Queue a memset_d2d8 on a stream."),
    ROW(memset_d2d16, "dest, pitch, data, width, height",
        "Set `width` 16-bit values in each of `height` rows; `pitch` is "
        "in bytes."),
    ROW(memset_d2d16_async, "dest, pitch, data, width, height, stream=None",
        "Queue a memset_d2d16 on a stream."),
    ROW(memset_d2d32, "dest, pitch, data, width, height",
        "Set `width` 32-bit values in each of `height` rows; `pitch` is "
        "in bytes."),
    ROW(memset_d2d32_async, "dest, pitch, data, width, height, stream=None",
        "Queue a memset_d2d32 on a stream."),
    {NULL},
};

int
core_memory_setup(PyObject *module)
{
    return core_add_functions(module, functions);
}
