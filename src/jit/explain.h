/* explain.h - what --show=explain notes on the way (explain.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_EXPLAIN_H
#define PYCUDA_JIT_EXPLAIN_H

#include "jit/jit.h"

/* Before kernels are split: where each has barriers and other stops. */
void jit_explain_stops(struct jit *jit);
/* The kernel's debug information, NULL if it has none. */
LLVMMetadataRef jit_explain_scope(const struct jit_kernel *kernel);
/* The line of the kernel (point 0) or of one of its barriers. */
unsigned jit_explain_line(const struct jit_kernel *kernel, unsigned point);
/* The line of an instruction, outside of our headers; 0: not known. */
unsigned jit_explain_line_of(LLVMValueRef at);
/* Asks LLVM for remarks; report.c hands them in as texts. */
void jit_explain_ask(void);
void jit_explain_remark(const char *text);
/* All that is known, as JSON on stdout, in place of an image. */
void jit_explain_write(struct jit *jit);

/* places.c */
void jit_keep_places(struct jit *jit);

#endif
