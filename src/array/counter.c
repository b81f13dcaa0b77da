/* counter.c - counters on the device, one a stream, that are 0 between
 * launches, and memory for what the blocks of a launch leave for the last.
 *
 * reduce.c hands them to kernels that count their blocks and leave 0 behind.
 * Launches on one stream follow each other, so they may share them; they are
 * never freed, since their stream may come back.  The GIL is the lock.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"

#define COUNTERS  64            /* streams beyond that do without */
#define NULL_LIKE ((CUstream)2) /* per-thread: one handle, many streams */

struct counter {
    void *context; /* key; never used again */
    CUstream stream;
    CUdeviceptr pointer;
    PyObject *memory;      /* strong */
    CUdeviceptr rest;      /* of the blocks */
    PyObject *rest_memory; /* list of what it is in, and was */
    size_t rest_bytes;
};

static struct counter counters[COUNTERS];
static int counter_count;

/* A captured launch may later run beside others of the same stream.  Nothing
 * captures the default stream. */
static int
may_be_captured(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    if (!stream) {
        return 0;
    }
    return driver.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static int
counter_make(struct counter *counter)
{
    static const unsigned zero[1];

    counter->memory = core_allocate(sizeof zero, counter->stream);
    if (!counter->memory) {
        return -1;
    }
    counter->pointer = core_allocation_pointer(counter->memory);
    if (core_memcpy_htod_async(counter->pointer, zero, sizeof zero,
                               counter->stream, NULL) < 0) {
        Py_CLEAR(counter->memory);
        return -1;
    }
    return 0;
}

/* The row, with room for so many bytes.  What it had before stays: a thread
 * may be about to launch with it. */
static int
counter_give(struct counter *row, size_t bytes, CUdeviceptr *counter,
             CUdeviceptr *rest)
{
    if (bytes > row->rest_bytes) {
        size_t room =
            2 * row->rest_bytes > bytes ? 2 * row->rest_bytes : bytes;
        PyObject *memory = core_allocate(room, row->stream);
        if (!memory) {
            return -1;
        }
        CUdeviceptr pointer = core_allocation_pointer(memory);
        if (!row->rest_memory) {
            row->rest_memory = PyList_New(0);
        }
        if (!row->rest_memory || PyList_Append(row->rest_memory, memory) < 0) {
            Py_DECREF(memory);
            return -1;
        }
        Py_DECREF(memory);
        row->rest = pointer;
        row->rest_bytes = room;
    }
    *counter = row->pointer;
    *rest = row->rest;
    return 0;
}

/* The counter of a stream, or 0 where it can have none; `rest`: so many bytes
 * beside it. */
int
counter_find(CUstream stream, size_t bytes, CUdeviceptr *counter,
             CUdeviceptr *rest)
{
    struct counter wanted = {.stream = stream};

    *counter = *rest = 0;
    if (!stream) {
        core_stream(NULL, &stream); /* where the launch will go */
        wanted.stream = stream;
    }
    if (stream == NULL_LIKE || may_be_captured(stream)) {
        return 0;
    }
    if (core_context(&wanted.context) < 0) {
        return -1;
    }
    for (int i = 0; i < counter_count; i++) {
        if (counters[i].context == wanted.context &&
            counters[i].stream == stream) {
            return counter_give(&counters[i], bytes, counter, rest);
        }
    }
    if (counter_count == COUNTERS) {
        return 0;
    }
    if (counter_make(&wanted) < 0) {
        return -1;
    }
    counters[counter_count] = wanted;
    return counter_give(&counters[counter_count++], bytes, counter, rest);
}
