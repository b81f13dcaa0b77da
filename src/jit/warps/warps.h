/* warps.h - declarations shared by the passes that run kernels by warps.
 *
 * If all lanes of a warp reach each warp operation together, the kernel is
 * split at these operations as at barriers (regions.h). The difference is that
 * only the lanes of one warp meet at a warp operation, not the whole block.
 * The entry (entries/warp.c) runs one warp after the other from barrier to
 * barrier, in loops over its 32 lanes, and performs the operations between the
 * loops on vectors (vectors.c). Operands, results and values that are live
 * from one operation to the next are in arrays of 32 elements, which passes
 * promote to registers where possible.
 *
 * Running by warps requires a blockDim.x that is a multiple of 32. Other
 * thread blocks run the kernel on fibers (src/cpu/run/block.c), so the kernel
 * has both entries.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_WARPS_H
#define PYCUDA_JIT_WARPS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct jit;
struct jit_split;

/* lower.c: fills regions->warp_ops with a description of each warp operation
 * at which the kernel is split. Returns false, with the reason in
 * kernel->warps_not, if some operation is not supported by the entry that runs
 * one warp after the other. */
bool jit_find_warp_ops(struct jit *jit, struct jit_split *split);
/* Finds the start points (the kernel's start and the code after each warp
 * operation) whose loops over the 32 lanes have so little code that unrolling
 * pays off. For example, unrolling the loop around `if (lane == 0)` leaves a
 * single iteration. */
void jit_find_short_points(struct jit_split *split);
/* Replaces the calls of warp operations by stores of their operands to lane
 * arrays and loads of their results. */
void jit_lower_warp_ops(struct jit *jit, struct jit_split *split);

/* store.c: makes stores such as `if (keep) out[count] = x` branch-free if
 * their address is computed from a __popc. */
void jit_open_counted_stores(struct jit *jit, struct jit_split *split);

#endif
