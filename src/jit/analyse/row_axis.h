/* row_axis.h - pass that chooses the axis of threadIdx over which the
 * innermost thread loop of a kernel runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ANALYSE_ROW_AXIS_H
#define PYCUDA_JIT_ANALYSE_ROW_AXIS_H

struct jit;
struct jit_kernel;

/* If threads that differ in threadIdx.y access neighbouring elements, but
 * threads that differ in threadIdx.x do not, sets kernel->row_axis to y, and
 * exchanges the arguments for x and y in the kernel's body. Later passes then
 * use the name x for the axis y. The axis z can be chosen in the same way.
 * Changes only kernels without barriers, shared memory, private memory and
 * atomics, whose threads may run in any order. In all other cases row_axis
 * stays 0, which means x. */
void jit_choose_row_axis(struct jit *jit, struct jit_kernel *kernel);

#endif
