/* fibers.h - passes that find where fibers may switch. A fiber is a stack on
 * which one CUDA thread runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_FIBERS_FIBERS_H
#define PYCUDA_JIT_FIBERS_FIBERS_H

struct jit;

/* fibers/lockstep.c: makes the threads of a warp wait for each other at
 * volatile stores to shared memory. */
void jit_keep_lockstep(struct jit *jit);
/* fibers/spinning.c: adds a yield to each loop in which a thread waits for
 * other threads. */
void jit_find_spinning(struct jit *jit);
/* fibers/stops.c: finds the kernels with calls that may switch fibers, and the
 * kernels whose stack size is unknown, such as those with recursion. */
void jit_find_stops(struct jit *jit);

#endif
