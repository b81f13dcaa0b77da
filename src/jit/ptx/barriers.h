/* barriers.h - mbarrier objects of PTX.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_BARRIERS_H
#define PYCUDA_JIT_PTX_BARRIERS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct ptx;
struct ptx_statement;

/* Build the statement mbarrier, and cp.async.mbarrier.arrive. Return false on
 * failure. */
bool ptx_build_mbarrier(struct ptx *ptx,
                        const struct ptx_statement *statement);
bool ptx_build_copies_arrive(struct ptx *ptx,
                             const struct ptx_statement *statement);
/* Subtracts `bytes` (an i64), the size of a finished copy, from the bytes that
 * the mbarrier object at `at` still expects. */
void ptx_complete_bytes(struct ptx *ptx, LLVMValueRef at, LLVMValueRef bytes);

#endif
