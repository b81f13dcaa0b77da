/* warp.h - instructions of PTX that all lanes of a warp execute together.
 *
 * They are built from the warp operations of the runtime (image/abi.h), so
 * that they work on fibers and in kernels that run by warps.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_WARP_H
#define PYCUDA_JIT_PTX_WARP_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "image/abi.h"

struct ptx;
struct ptx_operand;
struct ptx_statement;

/* ---- warp.c ---- */
/* Builds a call of a runtime function with `count` arguments, at most five.
 * The function gets the attribute convergent: if LLVM moved a warp operation
 * into or out of a condition, other threads would take part in it. Returns the
 * call. */
LLVMValueRef ptx_call_runtime(struct ptx *ptx, const char *name,
                              LLVMTypeRef result, LLVMValueRef *arguments,
                              unsigned count);
/* Builds a shuffle of the integer `value`, of up to 64 bits, among all lanes,
 * in segments of `width` lanes. `lane` is an i32. Returns a value of the same
 * type. */
LLVMValueRef ptx_shuffle(struct ptx *ptx, enum image_shuffle kind,
                         LLVMValueRef value, LLVMValueRef lane,
                         unsigned width);
/* Returns the index of the current lane, an i32. */
LLVMValueRef ptx_lane(struct ptx *ptx);
/* Returns register `i` of an operand that is a vector or one register, as an
 * integer of `bits` bits; NULL on failure. */
LLVMValueRef ptx_read_element(struct ptx *ptx,
                              const struct ptx_operand *operand, unsigned i,
                              unsigned bits);
/* Returns the number of registers of an operand. */
unsigned ptx_elements(const struct ptx_operand *operand);

/* In warp.c: build a shuffle, vote, match, reduction or another operation that
 * exchanges values of lanes. Return false on failure. */
bool ptx_build_shuffle(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_vote(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_match(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_redux(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_active(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_elect(struct ptx *ptx, const struct ptx_statement *statement);

/* In tiles.c: build ldmatrix, stmatrix and movmatrix, which move matrices of
 * 8 by 8 elements of 16 bits. Return false on failure. */
bool ptx_build_load_tiles(struct ptx *ptx,
                          const struct ptx_statement *statement);
bool ptx_build_store_tiles(struct ptx *ptx,
                           const struct ptx_statement *statement);
bool ptx_build_turn_tile(struct ptx *ptx,
                         const struct ptx_statement *statement);

/* In matrix.c: builds mma.sync or mma.sp, the product of two matrices whose
 * elements are in registers of the lanes. Returns false on failure. */
bool ptx_build_product(struct ptx *ptx, const struct ptx_statement *statement);
/* In fragments.c: builds wmma.load, wmma.store or wmma.mma. Returns false on
 * failure. */
bool ptx_build_fragment(struct ptx *ptx,
                        const struct ptx_statement *statement);

#endif
