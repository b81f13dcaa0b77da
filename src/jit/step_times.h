/* step_times.h - processor time of each step of the compilation.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_STEP_TIMES_H
#define PYCUDA_JIT_STEP_TIMES_H

/* Ends the measurement of the current step and begins that of the step `name`,
 * a string that must stay valid. The times of steps with the same name are
 * added. Does nothing unless jit_step_times_enable was called. */
void jit_step_begin(const char *name);

/* Enables the measurement. Time since the start of the process counts for the
 * step "start". */
void jit_step_times_enable(void);

/* Writes a JSON object to stdout: the processor time of each step in seconds.
 * The steps are in the order in which they first began. */
void jit_step_times_write(void);

#endif
