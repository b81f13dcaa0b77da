/* compare.h - comparisons of PTX.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_COMPARE_H
#define PYCUDA_JIT_PTX_COMPARE_H

#include <stdbool.h>

struct ptx;
struct ptx_statement;

/* Build the statement setp, which writes one or two predicates, or set, which
 * writes a number. Return false on failure. */
bool ptx_build_setp(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_set(struct ptx *ptx, const struct ptx_statement *statement);

#endif
