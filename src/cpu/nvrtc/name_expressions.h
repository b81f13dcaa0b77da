/* name_expressions.h - expressions of nvrtcAddNameExpression.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_NAME_EXPRESSIONS_H
#define PYCUDA_CPU_NVRTC_NAME_EXPRESSIONS_H

#include <stdbool.h>

struct _nvrtcProgram;
struct nvrtc_text;

/* Appends lines to `source` that use each name expression of the program, so
 * that templates in these expressions are instantiated. */
void nvrtc_names_use(const struct _nvrtcProgram *program,
                     struct nvrtc_text *source);
/* nvrtc_names_request appends declarations to `source` by which the symbol of
 * each name expression appears in the textual LLVM IR. nvrtc_names_read then
 * stores the symbols from `ir` in the program; it returns false, with an error
 * in `log`, if one is missing. */
void nvrtc_names_request(const struct _nvrtcProgram *program,
                         struct nvrtc_text *source);
bool nvrtc_names_read(struct _nvrtcProgram *program, const char *ir,
                      struct nvrtc_text *log);

#endif
