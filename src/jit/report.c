/* report.c - messages of pycuda-jit on stderr, and its exit status.
 *
 * Exit status 1 is an error of the user's source, with lines of the form
 * "file:line: error: ..."; status 2 is an internal error. LLVM's fatal errors
 * and diagnostics are handled here too, so that the program never ends without
 * a message. The code generator reports frame sizes as diagnostics as well
 * (attribute "warn-stack-size"="0"), because LLVM-C has no other way to query
 * them.
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/ErrorHandling.h>

#include "jit/quick_timer.h"
#include "jit/report.h"

static unsigned error_count;
static jit_remark_reader *remark_read;

struct frame {
    char *symbol;
    uint32_t bytes;
};

static struct frame *frames;
static unsigned frame_count;

static void
report_location(LLVMValueRef where)
{
    unsigned length = 0;
    const char *file = where ? LLVMGetDebugLocFilename(where, &length) : NULL;
    if (file && length) {
        fprintf(stderr, "%.*s:%u: ", (int)length, file,
                LLVMGetDebugLocLine(where));
    }
}

void
jit_user_error(LLVMValueRef where, const char *format, ...)
{
    va_list list;
    jit_quick_timer_stop();
    report_location(where);
    fputs("error: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    error_count++;
}

void
jit_line_error(const char *file, unsigned line, const char *format, ...)
{
    va_list list;
    fprintf(stderr, "%s:%u: error: ", file, line);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    error_count++;
}

void
jit_stop_on_errors(void)
{
    if (error_count) {
        exit(1);
    }
}

void
jit_die(const char *format, ...)
{
    va_list list;
    fputs("pycuda-jit: internal error: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    fflush(stderr);
    _Exit(2);
}

static void
report_fatal(const char *reason)
{
    jit_die("LLVM: %s", reason);
}

/* Records the frame size if the text has the form "<location>: stack frame
 * size (120) exceeds limit (0) in function 'k'". Returns false for other
 * diagnostics. */
static bool
report_frame_size(const char *text)
{
    const char *start = strstr(text, "stack frame size (");
    const char *name = start ? strstr(start, "in function '") : NULL;
    if (!name) {
        return false;
    }
    name += strlen("in function '");
    const char *end = strrchr(name, '\'');
    if (!end) {
        return false;
    }
    frames = realloc(frames, (frame_count + 1) * sizeof *frames);
    if (!frames) {
        jit_die("out of memory");
    }
    frames[frame_count].symbol = strndup(name, (size_t)(end - name));
    if (!frames[frame_count].symbol) {
        jit_die("out of memory");
    }
    unsigned long long bytes =
        strtoull(start + strlen("stack frame size ("), NULL, 10);
    frames[frame_count].bytes = bytes > UINT32_MAX ? UINT32_MAX : bytes;
    frame_count++;
    return true;
}

static void
report_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    (void)data;
    char *text = LLVMGetDiagInfoDescription(info);
    bool frame = report_frame_size(text);
    if (!frame && LLVMGetDiagInfoSeverity(info) == LLVMDSError) {
        jit_user_error(NULL, "%s", text);
    }
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSRemark) {
        remark_read(text);
    }
    LLVMDisposeMessage(text);
}

void
jit_report_install(LLVMContextRef context, jit_remark_reader *reader)
{
    remark_read = reader;
    LLVMInstallFatalErrorHandler(report_fatal);
    LLVMContextSetDiagnosticHandler(context, report_diagnostic, NULL);
}

uint32_t
jit_report_frame(const char *symbol)
{
    for (unsigned i = 0; i < frame_count; i++) {
        if (strcmp(frames[i].symbol, symbol) == 0) {
            return frames[i].bytes;
        }
    }
    return 0;
}
