/* warp.h - state of a warp whose threads are fibers, and the checks of warp
 * operations.
 *
 * The worker owns the state; only its thread uses it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_WARP_H
#define PYCUDA_CPU_RUN_WARP_H

#include "cpu/cpu.h"

struct cpu_warp {
    uint32_t live;            /* lanes that have not exited */
    uint32_t waiting;         /* lanes in a warp operation */
    uint32_t asking;          /* lanes in __pycuda_activemask */
    uint32_t stopped;         /* lanes at the block's barrier */
    uint32_t mask[CPU_WARP];  /* lanes to wait for */
    uint32_t named[CPU_WARP]; /* original masks in a shuffle of all lanes */
    int32_t kind[CPU_WARP];   /* operation that the lane waits in */
    int32_t lane[CPU_WARP];   /* shuffle: source argument; reduce: operation */
    int32_t width[CPU_WARP];
    uint64_t value[CPU_WARP];
    const void *place[CPU_WARP]; /* address of the call of activemask */
};

/* A lane of the warp has stopped: completes operations that waited for it. */
void cpu_warp_stop(struct cpu_worker *worker, unsigned warp);
/* A lane of the warp has exited: completes operations that waited only for
 * it. */
void cpu_warp_resolve(struct cpu_worker *worker, unsigned warp);
/* A lane of the warp spins: the other lanes no longer wait for it to stop. */
void cpu_warp_give_way(struct cpu_worker *worker, unsigned warp);

/* ---- check/race.c, check/synchronization.c ---- */

/* Records that lanes of the warp have synchronized. */
void cpu_check_lanes(struct cpu_worker *worker, unsigned warp, uint32_t set);
/* Checks the mask of the current lane's warp operation. */
void cpu_check_mask(struct cpu_worker *worker, uint32_t mask);
/* Reports an undefined shuffle: bad width, or a source lane that does not
 * participate. */
void cpu_check_shuffle(struct cpu_worker *worker, unsigned thread,
                       unsigned source, int width);

#endif
