/* named_barrier_state.h - the state of the named barriers of a block.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_NAMED_BARRIER_STATE_H
#define PYCUDA_CPU_RUN_NAMED_BARRIER_STATE_H

/* Number of named barriers of a block (run/named_barrier.c). Barriers 0 to 15
 * are the barriers of PTX; the barriers from 16 on are for tiles (cooperative
 * groups) larger than a warp. */
enum { CPU_NAMED_BARRIERS = 48 };

struct cpu_named_barrier {
    unsigned arrived, phase;
    /* number of arrived threads that wait for the end of the phase */
    unsigned waiting;
    /* number of arrived threads that passed a true predicate */
    unsigned yes;
    /* Values of `arrived` and `yes` at the end of the last two phases; the
     * values of phase n are at index n % 2. So a phase does not overwrite the
     * values of the previous phase while threads still read them. */
    unsigned last_arrived[2], last_yes[2];
};

#endif
