/* limited_queue.c - the CPU device's driver with a limited launch queue.
 *
 * A launch beyond the limit waits until another one is done, as on GPUs. The
 * driver counts the launches that waited with the GIL held, those that waited
 * with the GIL released, and the events created.
 *
 * test_full_queue.py builds it and sets PYCUDA_CPU_LIBRARY to it.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <time.h>

#include "api/cuda_types.h"
#include "real.h"

enum { ROOM = 1024 };

atomic_int room_kept, room_given;

/* Number of events created. */
atomic_int room_events;

static atomic_int waiting;

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data);
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);

static void
one_done(void *unused)
{
    (void)unused;
    atomic_fetch_sub(&waiting, 1);
}

static void
room_wait(void)
{
    static int (*has_lock)(void);
    const struct timespec step = {.tv_nsec = 20000};

    if (atomic_load(&waiting) < ROOM) {
        return;
    }
    if (has_lock == NULL) {
        *(void **)&has_lock = dlsym(RTLD_DEFAULT, "PyGILState_Check");
    }
    atomic_fetch_add(has_lock() ? &room_kept : &room_given, 1);
    while (atomic_load(&waiting) >= ROOM) {
        nanosleep(&step, NULL);
    }
}

CUresult
cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
               unsigned grid_z, unsigned block_x, unsigned block_y,
               unsigned block_z, unsigned shared, CUstream stream,
               void **arguments, void **extra)
{
    static CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned,
                              unsigned, unsigned, unsigned, unsigned, CUstream,
                              void **, void **);
    if (launch == NULL) {
        *(void **)&launch = real("cuLaunchKernel");
    }
    room_wait();
    CUresult code = launch(function, grid_x, grid_y, grid_z, block_x, block_y,
                           block_z, shared, stream, arguments, extra);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (code == CUDA_SUCCESS &&
        cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
        status == CU_STREAM_CAPTURE_STATUS_NONE) {
        atomic_fetch_add(&waiting, 1);
        if (cuLaunchHostFunc(stream, one_done, NULL) != CUDA_SUCCESS) {
            one_done(NULL);
        }
    }
    return code;
}

CUresult
cuEventCreate(CUevent *event, unsigned flags)
{
    static CUresult (*create)(CUevent *, unsigned);
    if (create == NULL) {
        *(void **)&create = real("cuEventCreate");
    }
    atomic_fetch_add(&room_events, 1);
    return create(event, flags);
}
