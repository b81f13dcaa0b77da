/* explain.h - collects the information for --show=explain (explain.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_EXPLAIN_H
#define PYCUDA_JIT_EXPLAIN_H

#include "jit/jit.h"

/* Notes the barriers and other stops of each kernel; called before kernels are
 * split. */
void jit_explain_stops(struct jit *jit);
/* Returns the kernel's debug information, NULL if it has none. */
LLVMMetadataRef jit_explain_scope(const struct jit_kernel *kernel);
/* Returns the line of the kernel (point 0) or of one of its barriers. */
unsigned jit_explain_line(const struct jit_kernel *kernel, unsigned point);
/* Returns the line of an instruction, or of the call if it was inlined from
 * the project's headers; 0 if unknown. */
unsigned jit_explain_line_of(LLVMValueRef at);
/* Enable LLVM's remarks; report.c passes them on as texts. */
void jit_explain_ask(void);
void jit_explain_remark(const char *text);
/* Writes all notes to stdout as JSON, in place of an image. */
void jit_explain_write(struct jit *jit);

/* output/places.c: moves debug information from bodies to the entries, before
 * the bodies are inlined. */
void jit_keep_places(struct jit *jit);

#endif
