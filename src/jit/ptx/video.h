/* video.h - video instructions of PTX.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_VIDEO_H
#define PYCUDA_JIT_PTX_VIDEO_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct ptx;
struct ptx_operand;
struct ptx_statement;

/* In video.c: builds vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad or
 * vset, which select a byte or half of their operands. In video_lanes.c:
 * builds vadd2, vset4 and the other instructions on two halves or four bytes.
 * Return false on failure. */
bool ptx_build_video(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_video_lanes(struct ptx *ptx,
                           const struct ptx_statement *statement);

/* ---- functions of video.c that video_lanes.c also calls ---- */
/* An operand of a video instruction: `reg.selector`, such as r1.b2, or -r1. */
struct ptx_part {
    LLVMValueRef value;   /* the whole register, an i32 */
    const char *selector; /* text after the last dot; "" if there is none */
    bool negated;
};

/* Reads an operand. Returns false on failure. */
bool ptx_read_part(struct ptx *ptx, const struct ptx_operand *operand,
                   struct ptx_part *part);
/* Writes an i32 to the operand's register, without regard to its selector.
 * Returns false on failure. */
bool ptx_write_part(struct ptx *ptx, const struct ptx_operand *operand,
                    LLVMValueRef value);
/* Returns `bits` bits of an i32 from the position `from` on, extended to an
 * i64 by sign or with zeros. */
LLVMValueRef ptx_extract_part(struct ptx *ptx, LLVMValueRef value,
                              unsigned from, unsigned bits, bool is_signed);
/* Returns the i32 `into` with `bits` of its bits, from the position `from` on,
 * replaced by the lowest bits of an i64. */
LLVMValueRef ptx_insert_part(struct ptx *ptx, LLVMValueRef into,
                             LLVMValueRef value, unsigned from, unsigned bits);
/* Returns the i64 `value`, clamped to the range of integers of `bits` bits,
 * signed or unsigned. */
LLVMValueRef ptx_limit_part(struct ptx *ptx, LLVMValueRef value, unsigned bits,
                            bool is_signed);
/* Searches the modifiers for the types .u32 and .s32, up to `most` of them.
 * For each type found, stores in `is_signed` whether it is .s32. Returns the
 * number of types. */
unsigned ptx_part_types(const struct ptx_statement *statement, bool *is_signed,
                        unsigned most);
/* Computes one element of an instruction, such as `add` of vadd and vadd2, on
 * integers of 64 bits. Returns NULL if there is no such operation. */
LLVMValueRef ptx_combine_parts(struct ptx *ptx,
                               const struct ptx_statement *statement,
                               LLVMValueRef a, LLVMValueRef b);
/* Returns an i64: 1 if the comparison that the statement's modifier names
 * holds for a and b, else 0. Returns NULL if no modifier names a
 * comparison. */
LLVMValueRef ptx_compare_parts(struct ptx *ptx,
                               const struct ptx_statement *statement,
                               LLVMValueRef a, LLVMValueRef b);

#endif
