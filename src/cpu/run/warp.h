/* warp.h - a warp whose threads are fibers, and what the checks ask of it.
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
    uint32_t mask[CPU_WARP];  /* the lanes to wait for */
    uint32_t named[CPU_WARP]; /* of lanes that come together: their masks */
    int32_t kind[CPU_WARP];   /* which operation */
    int32_t lane[CPU_WARP];   /* shuffle: source argument; reduce: operation */
    int32_t width[CPU_WARP];
    uint64_t value[CPU_WARP];
    const void *place[CPU_WARP]; /* of the call of activemask */
};

/* A lane of the warp has stopped: answers those that wait for it to. */
void cpu_warp_stop(struct cpu_worker *worker, unsigned warp);
/* A lane of the warp has exited: those that wait for it only go on. */
void cpu_warp_resolve(struct cpu_worker *worker, unsigned warp);
/* A lane of the warp spins: no other waits for it to stop. */
void cpu_warp_give_way(struct cpu_worker *worker, unsigned warp);

/* ---- check/race.c, check/synchronization.c ---- */

/* Lanes of the warp have synchronized. */
void cpu_check_lanes(struct cpu_worker *worker, unsigned warp, uint32_t set);
/* Checks the mask of the running lane's warp operation. */
void cpu_check_mask(struct cpu_worker *worker, uint32_t mask);
/* Reports an undefined shuffle: bad width, or a source lane that takes no
 * part. */
void cpu_check_shuffle(struct cpu_worker *worker, unsigned thread,
                       unsigned source, int width);

#endif
