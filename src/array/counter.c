/* counter.c - counters on the device, one a stream, that are 0 between
 * launches.
 *
 * reduce.c hands them to kernels that count their blocks and leave 0 behind.
 * Launches on one stream follow each other, so they may share one; a counter
 * is never freed, since its stream may come back.  The GIL is the lock.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"

#define COUNTERS  64            /* streams beyond that do without */
#define NULL_LIKE ((CUstream)2) /* per-thread: one handle, many streams */

struct counter {
    void *context; /* key; never used again */
    CUstream stream;
    CUdeviceptr pointer;
    PyObject *memory; /* strong */
};

static struct counter counters[COUNTERS];
static int counter_count;

/* A captured launch may later run beside others of the same stream. */
static int
may_be_captured(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

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

/* The counter of a stream, or 0 where it can have none. */
int
counter_find(CUstream stream, CUdeviceptr *counter)
{
    struct counter wanted = {.stream = stream};

    *counter = 0;
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
            *counter = counters[i].pointer;
            return 0;
        }
    }
    if (counter_count == COUNTERS) {
        return 0;
    }
    if (counter_make(&wanted) < 0) {
        return -1;
    }
    *counter = wanted.pointer;
    counters[counter_count++] = wanted;
    return 0;
}
