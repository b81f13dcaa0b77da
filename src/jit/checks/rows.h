/* rows.h - accesses that are checked before their loop.
 *
 * rows.c selects them with candidates.c and describes them with form.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECK_ROWS_H
#define PYCUDA_JIT_CHECK_ROWS_H

#include "jit/checks/affine.h"

enum { JIT_MOST_ROWS = IMAGE_CHECK_ROWS };

/* Arguments of __pycuda_check. */
enum jit_row_argument {
    JIT_ROW_ADDRESS,
    JIT_ROW_BYTES,
    JIT_ROW_OBJECT,
    JIT_ROW_OBJECT_BYTES,
    JIT_ROW_VALUE,
    JIT_ROW_SITE,
    JIT_ROW_LINEAR
};

struct jit_row {
    LLVMValueRef call;
    struct jit_term terms[IMAGE_CHECK_CONDITIONS];
    unsigned term_count;
};

/* candidates.c */
/* Finds the checks of the inner loop that can move before the view's loops;
 * returns their number. */
unsigned jit_rows_read(const struct jit_view *view,
                       struct jit_row rows[JIT_MOST_ROWS]);
/* Tests whether the loop around `inner` can be covered by the same check. */
bool jit_rows_may_nest(const struct jit_loops *loops,
                       const struct jit_loop *inner);

/* form.c: builds the check of all rows before the loops; returns an i1 that is
 * true if no access is invalid. */
LLVMValueRef jit_rows_ask(struct jit_view *view, const struct jit_row *rows,
                          unsigned count);

#endif
