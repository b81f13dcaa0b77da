/* explain.h - the report of --show=explain: how each kernel is run, and which
 * loops were vectorised.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_EXPLAIN_H
#define PYCUDA_JIT_EXPLAIN_H

#include <llvm-c/Core.h>

struct jit;
struct jit_kernel;

/* Records where threads of each kernel may wait for others: its barriers, warp
 * operations and yields. Called before kernels are split at them. */
void jit_explain_stops(struct jit *jit);
/* Returns the kernel's debug information, NULL if it has none. */
LLVMMetadataRef jit_explain_scope(const struct jit_kernel *kernel);
/* Returns the source line at which the code of a start point begins: the line
 * of the kernel for point 0, that of the k-th barrier or warp operation for
 * point k. */
unsigned jit_explain_line(const struct jit_kernel *kernel, unsigned point);
/* jit_explain_enable tells LLVM to produce remarks of its loop vectoriser.
 * jit_explain_remark records the text of one remark, which report.c passes
 * on. */
void jit_explain_enable(void);
void jit_explain_remark(const char *text);
/* Writes the report for --show=explain to stdout as JSON: how each kernel is
 * run and which loops were vectorised. The program then writes no image. */
void jit_explain_write(struct jit *jit);

/* output/debug_locations.c: moves a kernel's debug information from its body
 * (the function with the kernel's code) to its entry (the function that calls
 * the body for each thread), before the body is inlined. */
void jit_keep_locations(struct jit *jit);

#endif
