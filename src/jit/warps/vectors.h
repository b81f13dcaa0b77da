/* vectors.h - IR text of warp operations on vectors with one element per lane,
 * for the entry that runs one warp after the other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_WARPS_VECTORS_H
#define PYCUDA_JIT_WARPS_VECTORS_H

struct jit;
struct jit_warp_op;

/* Writes the IR text that performs a warp operation for all lanes. One loop
 * over the lanes ends before the operation, and another loop begins after it.
 * `point` is the number of the start point after the operation. The text sets
 * %vote.<point> to the result, or to 0 if the result differs between lanes. */
void jit_text_warp_op(struct jit *jit, const struct jit_warp_op *op,
                      unsigned point);

#endif
