/* rewrite.h - interface between rewrite.c and its rules. Without state.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_REWRITE_H
#define PYCUDA_CPU_NVRTC_REWRITE_H

#include <stdbool.h>

struct nvrtc_edits;
struct nvrtc_text;

/* A message of the front end. */
struct nvrtc_remark {
    const char *source;
    const char *log;
    const char *at;   /* position in the source that the message names */
    const char *said; /* start of the message's text in the log */
    int round, number;
};

/* A rule: adds edits that correct the error of the message. Returns false,
 * without edits, if the code at the error does not have the form that the rule
 * can correct. */
typedef bool nvrtc_rule_fn(const struct nvrtc_remark *remark,
                           struct nvrtc_edits *edits);

struct nvrtc_rule {
    const char *said;
    nvrtc_rule_fn *rule;
};

/* The rules of rewrite_rules.c; in the last row, `rule` is NULL. */
extern const struct nvrtc_rule nvrtc_rules[];

/* The rule for '%' in inline assembly, in rewrite_assembly.c. */
nvrtc_rule_fn nvrtc_percent_rule;
/* The rules for `#pragma unroll`, in rewrite_unroll.c. */
nvrtc_rule_fn nvrtc_unroll_rule, nvrtc_stray_unroll_rule;

/* Parses FILE:LINE:COLUMN at the start of a log line. Sets remark->at to this
 * position in remark->source, and remark->said to the text after it. Returns
 * false if the line has no position, or if FILE is not `name`, the name of the
 * source. */
bool nvrtc_remark_read(struct nvrtc_remark *remark, const char *name,
                       const char *line);
/* Returns the next line of a log, or NULL. */
const char *nvrtc_line_next(const char *line);

/* Returns true for a letter, a digit or an underscore. */
bool nvrtc_in_name(char c);
/* Returns true if the text begins with the word. */
bool nvrtc_begins(const char *at, const char *word);

/* Returns a copy of `source` in which errors of the log are corrected; the
 * caller frees it. `name` is the file name of the source in the log. Returns
 * NULL if no error can be corrected. `round` counts the rewrites of a program
 * from 0 and makes the names unique that a rewrite adds. */
char *nvrtc_rewrite(const struct nvrtc_text *log, const char *name,
                    const char *source, int round);

#endif
