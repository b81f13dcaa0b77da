/* copies.h - translation of the asynchronous copy instructions (cp.async).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_COPIES_H
#define PYCUDA_JIT_PTX_COPIES_H

#include <stdbool.h>

struct ptx;
struct ptx_statement;

/* In copies.c: builds cp.async and cp.async.bulk in all forms but those of
 * tensor maps. Returns false on failure. */
bool ptx_build_async_copy(struct ptx *ptx,
                          const struct ptx_statement *statement);

/* In reductions.c: build st.async or red.async, or cp.reduce.async.bulk.
 * Return false on failure. */
bool ptx_build_async_store(struct ptx *ptx,
                           const struct ptx_statement *statement);
bool ptx_build_bulk_reduction(struct ptx *ptx,
                              const struct ptx_statement *statement);

#endif
