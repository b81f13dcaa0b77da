/* staging.c - large synchronous copies of pageable host memory through a ring
 * of page-locked buffers: while the device transfers one chunk, the processor
 * copies the next one.
 *
 * Called by memory/memory.c. Off unless PYCUDA_STAGING is set, and off if the
 * device reads host memory directly. A context has one ring, created by the
 * first large copy. The copy that uses it sets `busy`. During that time copies
 * of other threads do not use staging. The ring is idle when its copy returns:
 * the device no longer reads or writes its buffers.
 *
 * The GIL is held except during the copy; it protects `busy`.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/staging.h"
#include "core/python/args.h"
#include "core/python/locked_calls.h"
#include "core/python/locks.h"

enum { BUFFERS = 4 };

struct core_staging {
    struct staged {
        char *memory; /* page-locked memory of one chunk */
        /* event that is recorded after the buffer's last transfer */
        CUevent event;
        /* true: the event is recorded and the buffer must not be reused before
         * the event is reached */
        bool used;
    } buffers[BUFFERS];
    size_t chunk;                 /* size of each buffer in bytes */
    struct core_context *context; /* strong reference while `busy` is set */
    bool busy;
    /* true: the context has dropped the ring during a copy; the copy frees the
     * ring when it ends */
    bool dropped;
};

/* Chunk size in bytes for copies of at least `least` bytes. The first and the
 * last chunk do not overlap with other work, so a chunk is small compared to
 * the copy. */
static const struct {
    size_t least, chunk;
} chunks[] = {
    {(size_t)64 << 20, (size_t)4 << 20},
    {(size_t)8 << 20, (size_t)1 << 20},
    {0, (size_t)256 << 10},
};

#define DEFAULT_MINIMUM                                                       \
    ((size_t)2 << 20) /* 2 MiB; staging smaller copies is not faster */

static struct {
    /* smallest size in bytes of a staged copy; SIZE_MAX: staging is off */
    size_t least;
    size_t chunk;  /* size of a chunk in bytes; 0: use the table `chunks` */
    bool anywhere; /* for tests: stage even if the device reads host memory
                      directly */
} how = {.least = SIZE_MAX};

/* number of staged copies since the counter was last reset */
static size_t copies;

/* -- the ring */

/* Frees the ring's buffers in its context, and the ring. If the context is
 * gone, so are the buffers, and only the struct is freed. */
static void
ring_free(struct core_staging *ring, struct core_context *context)
{
    struct core_scope scope;
    if (!core_enter(context, &scope)) {
        PyMem_RawFree(ring);
        return;
    }
    for (int i = 0; i < BUFFERS; i++) {
        if (ring->buffers[i].event != NULL) {
            driver.cuEventDestroy(ring->buffers[i].event);
        }
        if (ring->buffers[i].memory != NULL) {
            driver.cuMemFreeHost(ring->buffers[i].memory);
        }
    }
    core_leave(&scope);
    PyMem_RawFree(ring);
}

/* Creates a ring with buffers of `chunk` bytes. Returns NULL without an
 * exception on failure: the copy is then not staged. */
static struct core_staging *
ring_new(struct core_context *context, size_t chunk)
{
    struct core_staging *ring = PyMem_RawCalloc(1, sizeof *ring);
    if (ring == NULL) {
        return NULL;
    }
    ring->chunk = chunk;
    for (int i = 0; i < BUFFERS; i++) {
        struct staged *buffer = &ring->buffers[i];
        if (driver.cuMemHostAlloc((void **)&buffer->memory, chunk, 0) !=
                CUDA_SUCCESS ||
            driver.cuEventCreate(&buffer->event, CU_EVENT_DISABLE_TIMING) !=
                CUDA_SUCCESS) {
            ring_free(ring, context);
            return NULL;
        }
    }
    return ring;
}

void
core_staging_drop(struct core_context *context)
{
    struct core_staging *ring = context->staging;
    context->staging = NULL;
    if (ring != NULL && ring->busy) {
        ring->dropped = true;
    } else if (ring != NULL) {
        ring_free(ring, context);
    }
}

/* -- whether to stage a copy */

/* Returns whether the device accesses pageable host memory directly. */
static bool
device_reads_host(CUdevice device)
{
    static const CUdevice_attribute asked[] = {
        CU_DEVICE_ATTRIBUTE_INTEGRATED,
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        int value = 0;
        if (driver.cuDeviceGetAttribute(&value, asked[i], device) ==
                CUDA_SUCCESS &&
            value != 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether the memory is page-locked, managed or device memory, which
 * the driver copies without staging. */
static bool
host_is_known(const void *host)
{
    unsigned type;
    return driver.cuPointerGetAttribute(
               &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
               (CUdeviceptr)(uintptr_t)host) == CUDA_SUCCESS;
}

/* Returns the size in bytes of a chunk for a copy of `bytes` bytes. */
static size_t
chunk_for(size_t bytes)
{
    if (how.chunk != 0) {
        return how.chunk;
    }
    size_t row = 0;
    while (bytes < chunks[row].least) {
        row++;
    }
    return chunks[row].chunk;
}

/* Takes the context's ring of staging buffers for a synchronous copy of
 * pageable host memory; core_staging_release returns it. Returns NULL if the
 * copy must not be staged. */
struct core_staging *
core_staging_acquire(const void *host, size_t bytes)
{
    if (bytes < how.least) {
        return NULL;
    }
    struct core_context *context = core_stack_top();
    size_t chunk = chunk_for(bytes);
    if (context == NULL || context->captures > 0 || bytes <= chunk ||
        (context->staging != NULL && context->staging->busy) ||
        (!how.anywhere && device_reads_host(context->device)) ||
        host_is_known(host)) {
        return NULL;
    }
    if (context->staging != NULL && context->staging->chunk < chunk) {
        /* a ring with larger chunks replaces the existing one */
        core_staging_drop(context);
    }
    if (context->staging == NULL) {
        context->staging = ring_new(context, chunk);
    }
    struct core_staging *ring = context->staging;
    if (ring != NULL) {
        ring->busy = true;
        ring->context = (struct core_context *)Py_NewRef((PyObject *)context);
        ADD_SHARED(copies, 1);
    }
    return ring;
}

void
core_staging_release(struct core_staging *ring)
{
    struct core_context *context = ring->context;
    ring->busy = false;
    ring->context = NULL;
    if (ring->dropped) {
        ring_free(ring, context);
    }
    Py_DECREF((PyObject *)context);
}

/* -- staged copies; called without the GIL */

/* Returns the size in bytes of the chunk at offset `done`. */
static size_t
next_chunk_size(const struct core_staging *ring, size_t bytes, size_t done)
{
    return bytes - done < ring->chunk ? bytes - done : ring->chunk;
}

/* Waits until the last transfer from or to the buffer is complete. */
static CUresult
buffer_wait(struct staged *buffer)
{
    CUresult code =
        buffer->used ? driver.cuEventSynchronize(buffer->event) : CUDA_SUCCESS;
    buffer->used = false;
    return code;
}

/* Records the buffer's event after a transfer that was issued with the result
 * `code`. */
static CUresult
buffer_record_event(struct staged *buffer, CUresult code, CUstream stream)
{
    if (code == CUDA_SUCCESS) {
        code = driver.cuEventRecord(buffer->event, stream);
        buffer->used = code == CUDA_SUCCESS;
    }
    return code;
}

/* Waits for all transfers, also after an error. Returns the first error. */
static CUresult
copy_end(struct core_staging *ring, CUresult code, CUstream stream)
{
    CUresult waited = driver.cuStreamSynchronize(stream);
    for (int i = 0; i < BUFFERS; i++) {
        ring->buffers[i].used = false;
    }
    return code == CUDA_SUCCESS ? waited : code;
}

/* Copies from the host to the device by chunks: fills one buffer while earlier
 * buffers are transferred. */
CUresult
core_staging_htod(struct core_staging *ring, CUdeviceptr target,
                  const void *source, size_t bytes, CUstream stream)
{
    CUresult code = CUDA_SUCCESS;
    size_t done = 0;
    for (int turn = 0; done < bytes && code == CUDA_SUCCESS; turn++) {
        struct staged *buffer = &ring->buffers[turn % BUFFERS];
        size_t piece = next_chunk_size(ring, bytes, done);
        code = buffer_wait(buffer);
        if (code == CUDA_SUCCESS) {
            memcpy(buffer->memory, (const char *)source + done, piece);
            code = driver.cuMemcpyHtoDAsync(target + done, buffer->memory,
                                            piece, stream);
            code = buffer_record_event(buffer, code, stream);
        }
        done += piece;
    }
    return copy_end(ring, code, stream);
}

/* Copies from the device to the host by chunks: keeps up to BUFFERS transfers
 * pending, and empties the buffers in order. */
CUresult
core_staging_dtoh(struct core_staging *ring, void *target, CUdeviceptr source,
                  size_t bytes, CUstream stream)
{
    CUresult code = CUDA_SUCCESS;
    size_t asked = 0, done = 0;
    int prefetched = 0, turn = 0;
    while (done < bytes && code == CUDA_SUCCESS) {
        while (prefetched < BUFFERS && asked < bytes && code == CUDA_SUCCESS) {
            struct staged *buffer =
                &ring->buffers[(turn + prefetched) % BUFFERS];
            size_t piece = next_chunk_size(ring, bytes, asked);
            code = driver.cuMemcpyDtoHAsync(buffer->memory, source + asked,
                                            piece, stream);
            code = buffer_record_event(buffer, code, stream);
            asked += piece;
            prefetched++;
        }
        struct staged *buffer = &ring->buffers[turn++ % BUFFERS];
        size_t piece = next_chunk_size(ring, bytes, done);
        if (code == CUDA_SUCCESS) {
            code = buffer_wait(buffer);
        }
        if (code == CUDA_SUCCESS) {
            memcpy((char *)target + done, buffer->memory, piece);
        }
        done += piece;
        prefetched--;
    }
    return copy_end(ring, code, stream);
}

/* -- settings */

static PyObject *
set_staging(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "_set_staging", 0, {"least", "chunk"}};
    PyObject *values[2];
    size_t least = SIZE_MAX, chunk = 0;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[0] != NULL && core_size(values[0], &least) < 0) ||
        (values[1] != NULL && core_size(values[1], &chunk) < 0)) {
        return NULL;
    }
    how.least = least;
    how.chunk = chunk;
    how.anywhere = least != SIZE_MAX;
    struct core_context *context = core_stack_top();
    if (context != NULL) {
        /* the chunk size of the existing ring may differ from how.chunk */
        core_staging_drop(context);
    }
    size_t before = READ_SHARED(copies);
    WRITE_SHARED(copies, 0);
    return PyLong_FromSize_t(before);
}

static PyMethodDef functions[] = {
    {"_set_staging", CORE_METHOD(set_staging),
     "_set_staging(least, chunk) -> int: copy at least `least` bytes "
     "through page-locked buffers of `chunk` bytes, on any device; without "
     "arguments, never. Returns the number of such copies since the "
     "previous call. For tests and measurements."},
    {NULL},
};

/* Reads the environment variable PYCUDA_STAGING: "1" stages copies of at least
 * DEFAULT_MINIMUM bytes; a larger number n stages copies of at least n bytes.
 * Returns 0, or -1 with an exception. */
static int
variable_read(void)
{
    const char *text = getenv("PYCUDA_STAGING");
    char *end;
    if (text == NULL || *text == 0 || strcmp(text, "0") == 0) {
        return 0;
    }
    unsigned long long least = strtoull(text, &end, 10);
    if (*end != 0 || *text < '0' || *text > '9') {
        return PyErr_WarnFormat(PyExc_UserWarning, 1,
                                "PYCUDA_STAGING is '%s'; it must be 0, 1 or a "
                                "number of bytes",
                                text);
    }
    how.least = least == 1 ? DEFAULT_MINIMUM : (size_t)least;
    return 0;
}

int
core_staging_setup(PyObject *module)
{
    return variable_read() < 0 ? -1 : core_add_functions(module, functions);
}
