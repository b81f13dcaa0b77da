/* rows.h - accesses that are looked at before the loop they stand in.
 *
 * rows.c has candidates.c find them and form.c tell the run time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECK_ROWS_H
#define PYCUDA_JIT_CHECK_ROWS_H

#include "jit/checks/affine.h"

enum { JIT_MOST_ROWS = IMAGE_CHECK_ROWS };

/* The arguments of __pycuda_check. */
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
/* The calls of the inner loop that can be looked at before the view's loops;
 * how many. */
unsigned jit_rows_read(const struct jit_view *view,
                       struct jit_row rows[JIT_MOST_ROWS]);
/* Can both loops be looked at together, the one around `inner` too? */
bool jit_rows_may_nest(const struct jit_loops *loops,
                       const struct jit_loop *inner);

/* form.c: is everything right?  i1, made before the loops. */
LLVMValueRef jit_rows_ask(struct jit_view *view, const struct jit_row *rows,
                          unsigned count);

#endif
