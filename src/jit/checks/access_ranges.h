/* access_ranges.h - accesses ("rows") that are checked by one call before
 * their loop.
 *
 * access_ranges.c replaces their checks, candidates.c selects them, and
 * access_form.c describes them to the runtime.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECKS_ACCESS_RANGES_H
#define PYCUDA_JIT_CHECKS_ACCESS_RANGES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "image/image.h"
#include "jit/checks/affine.h"

enum { JIT_MOST_ROWS = IMAGE_CHECK_ROWS };

/* Indices of the arguments of __pycuda_check. */
enum jit_range_argument {
    JIT_ROW_ADDRESS,
    JIT_ROW_BYTES,
    JIT_ROW_OBJECT,
    JIT_ROW_OBJECT_BYTES,
    JIT_ROW_VALUE,
    JIT_ROW_SITE,
    JIT_ROW_LINEAR
};

struct jit_access_range {
    LLVMValueRef call;
    struct jit_term terms[IMAGE_CHECK_CONDITIONS];
    unsigned term_count;
};

/* ---- candidates.c ---- */
/* Finds the calls of __pycuda_check in the inner loop that can be replaced by
 * one check before the loop nest view->nest. Describes them in `rows` and
 * returns their number. */
unsigned jit_ranges_read(const struct jit_view *view,
                         struct jit_access_range rows[JIT_MOST_ROWS]);
/* Tests whether the check of the accesses in the loop `inner`, which runs
 * before that loop, can move further, to the position before the enclosing
 * loop. */
bool jit_ranges_may_nest(const struct jit_loops *loops,
                         const struct jit_loop *inner);

/* access_form.c: builds one check of the accesses `rows` before the loop nest.
 * Returns an i1 that is true at run time if no access is invalid. */
LLVMValueRef jit_ranges_build_check(struct jit_view *view,
                                    const struct jit_access_range *rows,
                                    unsigned count);

/* checks/access_ranges.c: where possible, replaces checks in a loop, which run
 * in each iteration, by one check before the loop that covers all iterations.
 */
void jit_check_ranges(struct jit *jit);
/* checks/access_form.c: moves the constant parts of loop descriptions to
 * global variables. A check before a loop passes such a description to the
 * runtime. */
void jit_lower_range_checks(struct jit *jit);

#endif
