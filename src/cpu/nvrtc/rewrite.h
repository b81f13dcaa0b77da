/* rewrite.h - what rewrite.c and its rules share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_REWRITE_H
#define PYCUDA_CPU_NVRTC_REWRITE_H

#include "cpu/nvrtc/nvrtc.h"

/* One thing that the front end said. */
struct nvrtc_remark {
    const char *source;
    const char *log;
    const char *at;   /* its place in the source, maybe in a macro's text */
    const char *said; /* from the message on, to the end of the log */
    int round, number;
};

/* Adds the edits that mend it; false: not understood, none was added. */
typedef bool nvrtc_rule_fn(const struct nvrtc_remark *remark,
                           struct nvrtc_edits *edits);

struct nvrtc_rule {
    const char *said;
    nvrtc_rule_fn *rule;
};

/* rules.c; ends with a row without a function. */
extern const struct nvrtc_rule nvrtc_rules[];

/* Reads FILE:LINE:COLUMN at the start of a line of the log into `at` and
 * `said` of a remark whose source is set; false: it has none, or that of
 * another file than the source `name`. */
bool nvrtc_remark_read(struct nvrtc_remark *remark, const char *name,
                       const char *line);
/* The next line of a log, or NULL. */
const char *nvrtc_line_after(const char *line);

/* Does the text begin with the word? */
bool nvrtc_begins(const char *at, const char *word);

#endif
