/* quick_timer.h - the timer after which quick.c restarts a long compilation.
 * It counts processor time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_QUICK_TIMER_H
#define PYCUDA_JIT_QUICK_TIMER_H

/* Starts the timer: SIGPROF is sent when the process has used the given
 * processor time from now on. `microseconds` must be less than a second. */
void jit_quick_timer_start(long microseconds);

/* Stops the timer. Must be called before the first byte of output, and before
 * errors are reported. */
void jit_quick_timer_stop(void);

#endif
