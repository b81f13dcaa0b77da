/* quick_timer.h - the timer of processor time of quick.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_QUICK_TIMER_H
#define PYCUDA_JIT_QUICK_TIMER_H

/* Sends SIGPROF when the process has used this much more processor time, in
 * microseconds; must be less than a second. */
void jit_quick_timer_start(long microseconds);

/* Stops the timer. Must be called before the first byte of output, and before
 * errors are reported. */
void jit_quick_timer_stop(void);

#endif
