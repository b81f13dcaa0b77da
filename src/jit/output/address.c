/* address.c - decomposes addresses into sums.
 *
 * Called by join.c. An address is written as base + factor * value + ... +
 * offset, with constant factors. An index of 32 bits is assumed not to wrap
 * before it is extended to 64 bits. If an index wraps nevertheless, two
 * addresses are 2**32 elements further apart than computed, never nearer.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"
#include "jit/output/address.h"

enum { DEPTH = 12 };

/* Multiplies modulo 2**64, as address arithmetic does. */
static int64_t
times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static void
term_add(struct jit_address *address, LLVMValueRef value, int64_t factor)
{
    unsigned i = 0;
    while (i < address->count && address->terms[i].value != value) {
        i++;
    }
    if (i == ADDRESS_TERMS) {
        address->lost = true;
        return;
    }
    address->count += i == address->count;
    address->terms[i].value = value;
    address->terms[i].factor += factor;
    if (address->terms[i].factor == 0) {
        address->terms[i] = address->terms[--address->count];
        address->terms[address->count].factor = 0;
    }
}

/* Tests whether the value has at least 32 bits. Only such a value is assumed
 * not to wrap, as the file's opening comment explains. */
static bool
is_wide(LLVMValueRef value)
{
    return LLVMGetIntTypeWidth(LLVMTypeOf(value)) >= 32;
}

static void sum_add(struct jit_address *address, LLVMValueRef value,
                    int64_t factor, int depth);

static void
instruction_add(struct jit_address *address, LLVMValueRef value,
                int64_t factor, int depth)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef left = LLVMGetOperand(value, 0);
    LLVMValueRef right =
        LLVMGetNumOperands(value) == 2 ? LLVMGetOperand(value, 1) : NULL;
    bool number = right && LLVMIsAConstantInt(right);
    int64_t constant = number ? LLVMConstIntGetSExtValue(right) : 0;

    if ((opcode == LLVMSExt || opcode == LLVMZExt) && is_wide(left)) {
        sum_add(address, left, factor, depth);
    } else if (opcode == LLVMAdd || opcode == LLVMSub ||
               (opcode == LLVMOr && LLVMGetIsDisjoint(value))) {
        sum_add(address, left, factor, depth);
        sum_add(address, right, opcode == LLVMSub ? -factor : factor, depth);
    } else if (opcode == LLVMMul && number) {
        sum_add(address, left, times(factor, constant), depth);
    } else if (opcode == LLVMShl && number && constant < 32) {
        sum_add(address, left, times(factor, (int64_t)1 << constant), depth);
    } else {
        term_add(address, value, factor);
    }
}

static void
sum_add(struct jit_address *address, LLVMValueRef value, int64_t factor,
        int depth)
{
    if (LLVMIsAConstantInt(value)) {
        int64_t number = LLVMConstIntGetSExtValue(value);
        address->offset += times(number, factor);
    } else if (depth > 0 && LLVMIsAInstruction(value)) {
        instruction_add(address, value, factor, depth - 1);
    } else {
        term_add(address, value, factor);
    }
}

/* Adds all index operands of the getelementptr instruction `step` to the
 * address. */
static void
indices_add(const struct jit *jit, struct jit_address *address,
            LLVMValueRef step)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(jit->module);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(step);
    unsigned count = (unsigned)LLVMGetNumOperands(step);

    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(step, i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            address->offset +=
                (int64_t)LLVMOffsetOfElement(layout, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        type = i > 1 ? LLVMGetElementType(type) : type;
        sum_add(address, index, (int64_t)LLVMABISizeOfType(layout, type),
                DEPTH);
    }
}

static bool
is_step(LLVMValueRef pointer)
{
    return LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) &&
            LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

unsigned
jit_access_pointer(const struct jit_access *access)
{
    return access->is_store ? 1 : 0;
}

bool
jit_access_read(const struct jit *jit, LLVMValueRef at,
                struct jit_access *access)
{
    bool is_store = LLVMIsAStoreInst(at) != NULL;
    if (!is_store && !LLVMIsALoadInst(at)) {
        return false;
    }
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(at, 0) : at);
    *access =
        (struct jit_access){.at = at,
                            .is_store = is_store,
                            .bytes = (int64_t)LLVMABISizeOfType(
                                LLVMGetModuleDataLayout(jit->module), type)};
    LLVMValueRef pointer = LLVMGetOperand(at, jit_access_pointer(access));
    while (is_step(pointer)) {
        indices_add(jit, &access->address, pointer);
        pointer = LLVMGetOperand(pointer, 0);
    }
    access->address.base = pointer;
    return true;
}

bool
jit_address_like(const struct jit_address *a, const struct jit_address *b)
{
    if (a->lost || b->lost || a->count != b->count) {
        return false;
    }
    unsigned found = 0;
    for (unsigned i = 0; i < a->count; i++) {
        for (unsigned k = 0; k < b->count; k++) {
            found += a->terms[i].value == b->terms[k].value &&
                     a->terms[i].factor == b->terms[k].factor;
        }
    }
    return found == a->count;
}
