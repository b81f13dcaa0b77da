/* deferred_state.h - the delayed report of a worker (deferred_read.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_DEFERRED_STATE_H
#define PYCUDA_CPU_CHECK_DEFERRED_STATE_H

#include <stdint.h>

struct image_site;

/* A read of unwritten shared memory whose report is delayed
 * (deferred_read.c). */
struct cpu_check_deferred {
    uintptr_t address;
    uint64_t bytes;
    const struct image_site *site; /* location of the read; NULL if none */
    unsigned thread;               /* linear index of the reading thread */
    /* Number of reads of unwritten shared memory after the delayed one. */
    unsigned repeats;
    /* Number of checked accesses since the read whose report is delayed. */
    unsigned accesses;
};

#endif
