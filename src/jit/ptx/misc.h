/* misc.h - instructions of PTX about addresses, clusters and scheduling.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_MISC_H
#define PYCUDA_JIT_PTX_MISC_H

#include <stdbool.h>

struct ptx;
struct ptx_statement;

/* Build a statement: hints such as discard, which do nothing; createpolicy;
 * nanosleep; isspacep; mapa and getctarank; all forms of bar and barrier.
 * Return false on failure. */
bool ptx_build_hint(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_policy(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_sleep(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_is_space(struct ptx *ptx,
                        const struct ptx_statement *statement);
bool ptx_build_cluster_address(struct ptx *ptx,
                               const struct ptx_statement *statement);
bool ptx_build_barrier(struct ptx *ptx, const struct ptx_statement *statement);
/* In stack.c: builds alloca, stacksave or stackrestore. Returns false on
 * failure. */
bool ptx_build_stack(struct ptx *ptx, const struct ptx_statement *statement);

#endif
