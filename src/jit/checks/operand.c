/* operand.c - describes the memory that an instruction reads and writes.
 *
 * Called by insert.c. Handles loads, stores, atomic operations, and the
 * intrinsics that copy and fill.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/checks/checks.h"
#include "jit/jit.h"

static uint64_t
size_of(struct jit *jit, LLVMTypeRef type)
{
    return LLVMStoreSizeOfType(LLVMGetModuleDataLayout(jit->module), type);
}

static unsigned
volatile_flag(LLVMValueRef at)
{
    return LLVMGetVolatile(at) ? IMAGE_SITE_VOLATILE : 0;
}

static unsigned
atomic_flag(LLVMValueRef at)
{
    return LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic
               ? IMAGE_SITE_ATOMIC
               : 0;
}

/* Returns IMAGE_SITE_RELEASE for atomic operations with release order: other
 * threads see the thread's earlier writes without a fence. */
static unsigned
release_flag(LLVMAtomicOrdering ordering)
{
    return ordering == LLVMAtomicOrderingRelease ||
                   ordering == LLVMAtomicOrderingAcquireRelease ||
                   ordering == LLVMAtomicOrderingSequentiallyConsistent
               ? IMAGE_SITE_RELEASE
               : 0;
}

/* Tests whether the loaded value becomes the expected value of a
 * compare-and-swap, as in `old = *p; do ... atomicCAS(p, old, ...)`. Such a
 * load is treated as volatile: a stale value does no harm, since the swap then
 * fails. */
static bool
feeds_swap(LLVMValueRef value, int depth)
{
    LLVMUseRef use = LLVMGetFirstUse(value);

    for (; use && depth; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAAtomicCmpXchgInst(user) &&
            LLVMGetOperand(user, 1) == value) {
            return true;
        }
        if ((LLVMIsAPHINode(user) || LLVMIsACastInst(user)) &&
            feeds_swap(user, depth - 1)) {
            return true;
        }
    }
    return false;
}

static LLVMAtomicOrdering
swap_ordering(LLVMValueRef at)
{
    return LLVMIsAAtomicCmpXchgInst(at) ? LLVMGetCmpXchgSuccessOrdering(at)
                                        : LLVMGetOrdering(at);
}

static void
access_set(struct jit *jit, struct jit_access *access, LLVMTypeRef type)
{
    access->size = size_of(jit, type);
    access->bytes = LLVMConstInt(jit->i64, access->size, 0);
}

static unsigned
scalar_access(struct jit *jit, LLVMValueRef at, struct jit_access *access)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad:
        access->flags = IMAGE_SITE_READ | volatile_flag(at) | atomic_flag(at);
        access->flags |= feeds_swap(at, 6) ? IMAGE_SITE_VOLATILE : 0;
        access->alignment = LLVMGetAlignment(at);
        access_set(jit, access, LLVMTypeOf(at));
        return 1;
    case LLVMStore:
        access->operand = 1;
        access->value = LLVMGetOperand(at, 0);
        access->flags = IMAGE_SITE_WRITE | volatile_flag(at) |
                        atomic_flag(at) | release_flag(LLVMGetOrdering(at));
        access->alignment = LLVMGetAlignment(at);
        access_set(jit, access, LLVMTypeOf(access->value));
        return 1;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        access->flags = IMAGE_SITE_READ | IMAGE_SITE_WRITE |
                        IMAGE_SITE_ATOMIC | release_flag(swap_ordering(at));
        access_set(jit, access, LLVMTypeOf(LLVMGetOperand(at, 1)));
        access->alignment = (unsigned)access->size;
        return 1;
    default:
        return 0;
    }
}

/* Returns the alignment that a memset or memcpy declares for its address
 * operand, or 1. */
static unsigned
range_alignment(LLVMValueRef at, unsigned operand)
{
    LLVMAttributeRef given = LLVMGetCallSiteEnumAttribute(
        at, operand + 1, LLVMGetEnumAttributeKindForName("align", 5));

    return given ? (unsigned)LLVMGetEnumAttributeValue(given) : 1;
}

/* Fills `access` with what a memset or memcpy reads or writes at the address
 * that is its operand number `operand`. */
static void
range_access(LLVMValueRef at, unsigned operand, unsigned flags,
             struct jit_access *access)
{
    access->at = at;
    access->operand = operand;
    access->flags = flags;
    access->alignment = range_alignment(at, operand);
    access->bytes = LLVMGetOperand(at, 2);
    if (LLVMIsAConstantInt(access->bytes)) {
        access->size = LLVMConstIntGetZExtValue(access->bytes);
    }
}

unsigned
jit_accesses_of(struct jit *jit, LLVMValueRef at,
                struct jit_access accesses[2])
{
    memset(accesses, 0, 2 * sizeof *accesses);
    accesses[0].at = at;
    if (LLVMIsAMemSetInst(at)) {
        range_access(at, 0, IMAGE_SITE_WRITE | IMAGE_SITE_FILL, &accesses[0]);
        return 1;
    }
    if (LLVMIsAMemCpyInst(at) || LLVMIsAMemMoveInst(at)) {
        range_access(at, 1, IMAGE_SITE_READ, &accesses[0]);
        range_access(at, 0, IMAGE_SITE_WRITE | IMAGE_SITE_COPY, &accesses[1]);
        return 2;
    }
    return scalar_access(jit, at, accesses);
}
