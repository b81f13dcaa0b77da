/* stack.c - alloca, stacksave and stackrestore of PTX.
 *
 * An address in the state space .local is a generic address, so alloca returns
 * the address of an LLVM alloca whose size is a value. The memory is free
 * again when the function returns, or after a stackrestore to a position that
 * was saved before. A kernel with such instructions is not split into regions,
 * and its stack size is unknown to the runtime (fibers/stops.c).
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/misc.h"
#include "jit/ptx/ptx.h"

/* Alignment without a third operand, and the maximum, both in bytes. */
enum { LEAST_ALIGNMENT = 16, MOST_ALIGNMENT = 1 << 12 };

static const struct ptx_type address = {'u', 64};

/* Makes the function touch each page of a large allocation, so that one that
 * exceeds the stack reaches the guard page and is reported. */
static void
probe_stack(struct ptx *ptx)
{
    static const char key[] = "probe-stack", value[] = "inline-asm";
    LLVMAddAttributeAtIndex(
        ptx->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(ptx->jit->context, key, sizeof key - 1,
                                  value, sizeof value - 1));
}

/* Reads the alignment of alloca, its third operand. Returns 0 on failure. */
static unsigned
read_alignment(struct ptx *ptx, const struct ptx_statement *statement)
{
    const struct ptx_operand *operand = &statement->operands[2];
    if (statement->operand_count < 3) {
        return LEAST_ALIGNMENT;
    }
    uint64_t bytes = operand->kind == PTX_INTEGER ? operand->bits : 0;
    if (!bytes || bytes & (bytes - 1) || bytes > MOST_ALIGNMENT) {
        ptx_fail(ptx, "the alignment of 'alloca' is no power of two up to %d",
                 MOST_ALIGNMENT);
        return 0;
    }
    return bytes > LEAST_ALIGNMENT ? (unsigned)bytes : LEAST_ALIGNMENT;
}

static bool
build_alloca(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    unsigned alignment = read_alignment(ptx, statement);
    LLVMValueRef bytes =
        alignment ? ptx_read(ptx, &statement->operands[1], address, false)
                  : NULL;
    if (!bytes) {
        return false;
    }
    probe_stack(ptx);
    LLVMValueRef made = LLVMBuildArrayAlloca(jit->builder, jit->i8, bytes, "");
    LLVMSetAlignment(made, alignment);
    made = LLVMBuildPtrToInt(jit->builder, made, jit->i64, "");
    return ptx_write(ptx, statement->operands[0].names[0], address, made,
                     false);
}

bool
ptx_build_stack(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    const struct ptx_operand *operands = statement->operands;
    const char *operation = statement->operation;
    bool allocates = strcmp(operation, "alloca") == 0;
    unsigned count = statement->operand_count;
    if (!ptx_has(statement, "u64") || operands->kind != PTX_REGISTER ||
        (allocates ? count < 2 || count > 3 : count != 1)) {
        return ptx_form_refuse(ptx, operation);
    }
    if (allocates) {
        return build_alloca(ptx, statement);
    }
    if (strcmp(operation, "stacksave") == 0) {
        LLVMValueRef now =
            ptx_intrinsic(ptx, "llvm.stacksave", jit->pointer, NULL, 0);
        now = LLVMBuildPtrToInt(jit->builder, now, jit->i64, "");
        return ptx_write(ptx, operands->names[0], address, now, false);
    }
    LLVMValueRef saved = ptx_read(ptx, operands, address, false);
    if (!saved) {
        return false;
    }
    saved = LLVMBuildIntToPtr(jit->builder, saved, jit->pointer, "");
    ptx_intrinsic(ptx, "llvm.stackrestore", jit->pointer, &saved, 1);
    return true;
}
