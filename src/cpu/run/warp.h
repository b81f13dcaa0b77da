/* warp.h - state of a warp whose threads are fibers, and the checks of warp
 * operations.
 *
 * The worker owns the state; only its thread uses it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_WARP_H
#define PYCUDA_CPU_RUN_WARP_H

#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/device/limits.h"

struct cpu_worker;

struct cpu_warp {
    uint32_t live;    /* bit set of the lanes that have not exited */
    uint32_t waiting; /* bit set of the lanes that wait in a warp operation */
    /* bit set of the lanes that wait in __pycuda_activemask */
    uint32_t asking;
    /* bit set of the lanes that wait at the thread block's barrier */
    uint32_t stopped;
    /* For each lane, a bit set of the lanes with which its warp operation
     * synchronizes. */
    uint32_t mask[CPU_WARP];
    /* For each lane, the mask that it passed to a shuffle. Used if the shuffle
     * waits for all lanes of the warp, even for lanes that no mask names. */
    uint32_t named[CPU_WARP];
    /* Operation in which each lane waits (enum warp_kind). */
    int32_t kind[CPU_WARP];
    /* Operand of each lane: for a shuffle the selection of the source lane,
     * for a reduction the operation. */
    int32_t lane[CPU_WARP];
    int32_t width[CPU_WARP];
    uint64_t value[CPU_WARP];
    /* Return address of the lane's call of __pycuda_activemask. */
    const void *call_address[CPU_WARP];
};

/* Called when a lane of the warp has begun to wait: gives lanes that wait in
 * __pycuda_activemask their result if no other lane can still arrive. */
void cpu_warp_stop(struct cpu_worker *worker, unsigned warp);
/* Called when a lane of the warp has exited: completes operations that waited
 * only for this lane. */
void cpu_warp_resolve(struct cpu_worker *worker, unsigned warp);
/* Called when a lane of the warp spins: lanes in __pycuda_activemask no longer
 * wait for it. */
void cpu_warp_answer_spin(struct cpu_worker *worker, unsigned warp);

/* ---- check/race.c, check/synchronization.c ---- */

/* Records for the race check that the lanes in `set` have synchronized. */
void cpu_check_lanes(struct cpu_worker *worker, unsigned warp, uint32_t set);
/* Checks the mask that the current lane passed to a warp operation. */
void cpu_check_mask(struct cpu_worker *worker, uint32_t mask);
/* Reports a shuffle with an undefined result: CUDA does not define the width,
 * or the source lane does not participate. */
void cpu_check_shuffle(struct cpu_worker *worker, unsigned thread,
                       unsigned source, int width);

#endif
