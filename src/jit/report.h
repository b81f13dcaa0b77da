/* report.h - messages on stderr.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_REPORT_H
#define PYCUDA_JIT_REPORT_H

#include <stdint.h>

#include <llvm-c/Core.h>

/* report.c: messages on stderr. `jit_user_error` records the error, so that
 * all errors of a source are reported before jit_stop_on_errors ends the
 * process with status 1. `jit_die` reports an internal error and ends the
 * process immediately with status 2. `where` is an instruction, for the source
 * location, or NULL. */
void jit_user_error(LLVMValueRef where, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void jit_stop_on_errors(void);
_Noreturn void jit_die(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* Reports an error on a line of a file, as jit_user_error does. */
void jit_line_error(const char *file, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Callback that receives the text of one of LLVM's optimisation remarks. */
typedef void jit_remark_reader(const char *text);
/* Routes LLVM's fatal errors and diagnostics of the context to report.c, and
 * its remarks to `reader`. */
void jit_report_install(LLVMContextRef context, jit_remark_reader *reader);
/* Returns the size in bytes of the stack frame of function `symbol`, as the
 * code generator reported it, or 0 if it is unknown. */
uint32_t jit_report_frame(const char *symbol);

#endif
