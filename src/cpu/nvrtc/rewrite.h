/* rewrite.h - interface between rewrite.c and its rules. Without state.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_REWRITE_H
#define PYCUDA_CPU_NVRTC_REWRITE_H

#include "cpu/nvrtc/nvrtc.h"

/* A message of the front end. */
struct nvrtc_remark {
    const char *source;
    const char *log;
    const char *at;   /* its position, possibly in a macro's text */
    const char *said; /* the message and the rest of the log */
    int round, number;
};

/* Adds edits that correct the error. Returns false, without edits, if the code
 * is not recognized. */
typedef bool nvrtc_rule_fn(const struct nvrtc_remark *remark,
                           struct nvrtc_edits *edits);

struct nvrtc_rule {
    const char *said;
    nvrtc_rule_fn *rule;
};

/* The rules of rules.c; the last row has no function. */
extern const struct nvrtc_rule nvrtc_rules[];

/* Parses FILE:LINE:COLUMN at the start of a log line into `at` and `said` of a
 * remark whose source is set. Returns false if there is none, or if it is in
 * another file than the source `name`. */
bool nvrtc_remark_read(struct nvrtc_remark *remark, const char *name,
                       const char *line);
/* Returns the next line of a log, or NULL. */
const char *nvrtc_line_after(const char *line);

/* Returns true if the text begins with the word. */
bool nvrtc_begins(const char *at, const char *word);

#endif
