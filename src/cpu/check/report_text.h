/* report_text.h - texts of reports: source locations, names and JSON.
 *
 * Called by report.c, by stream_report.c and by access_counts.c. The functions
 * need no lock; a text belongs to its caller.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_REPORT_TEXT_H
#define PYCUDA_CPU_CHECK_REPORT_TEXT_H

#include <stddef.h>

#include "api/cuda_types.h"

struct image_site;

/* A text buffer of `size` bytes that the caller owns. `length` is the number
 * of bytes of the text, without the NUL at its end. */
struct cpu_check_text {
    char *bytes;
    size_t size, length;
};

/* Appends formatted text, truncated if it does not fit into the buffer. */
void cpu_check_text_add(struct cpu_check_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a member of a JSON object, with a comma before it. Escapes quotes
 * and control characters of `value`. */
void cpu_check_text_add_json(struct cpu_check_text *text, const char *key,
                             const char *value);
/* Appends "file:line:column". `site` may be NULL if the location is not
 * known. */
void cpu_check_text_add_site(struct cpu_check_text *text,
                             const struct image_site *site);
/* Appends the source line of the site (source location), and a caret below its
 * column: 4 | x[i] = 1; | ^ Appends nothing if the line is not known. */
void cpu_check_text_add_source(struct cpu_check_text *text,
                               const struct image_site *site);
/* Copies the name of a kernel to `to` as the source spells it. Converts a
 * mangled name: _Z3addIfEvPT_ -> add, _ZN1a3addEv -> a::add. */
void cpu_check_kernel_name(char *to, size_t size, const char *name);
/* Appends a line of JSON to the file that PYCUDA_CPU_CHECK_REPORT names.
 * Ignores a failed write, since each report is on stderr, too. */
void cpu_check_json_write(const struct cpu_check_text *text);

/* ---- report.c ---- */

/* Writes a report that does not concern the running thread of a kernel, as
 * text and as JSON. Unless `code` is CUDA_SUCCESS, the report becomes the text
 * of that error. Takes the lock of report.c. */
void cpu_check_report_write(CUresult code, const char *text, const char *more,
                            const struct cpu_check_text *machine);

#endif
