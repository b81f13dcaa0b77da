/* shared_addresses.c - addresses in the shared space as generic addresses.
 *
 * addresses.c represents an address in .shared as an offset from the block's
 * shared memory, the "window", and adds the window at each access:
 *
 *     window + (variable - window + index)
 *
 * This pass removes the window where the address is computed from that of a
 * variable, or from another generic address: the sum becomes `variable +
 * index`. Such a sum is an address in CUDA C++ too, so that later passes know
 * which variable an access refers to. Accesses to an address from elsewhere,
 * such as a parameter, remain relative to the window.
 *
 * An address with 32 bits is the variable plus an offset that is computed with
 * 32 bits and sign-extended. This is exact: an access is valid only if the
 * address is between 0 and the size of shared memory, which is below 2^31, and
 * so is the address of the variable.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/module.h"
#include "jit/ptx/ptx.h"
#include "jit/report.h"

/* Values that a search for the origin of an address inspects. */
enum { MAX_VISITS = 200 };

/* A phi of addresses in the shared space, and the phi of generic addresses
 * that replaces it. */
struct replaced {
    LLVMValueRef phi, by;
};

struct rewrite {
    struct jit *jit;
    struct replaced *phis;
    size_t phi_count, phi_capacity;
    LLVMValueRef *items; /* the instructions to rewrite */
    size_t count, capacity;
};

/* Tests whether the value is the address of the window, as a pointer or as an
 * integer. */
static bool
is_window(LLVMValueRef value)
{
    if (jit_has_opcode(value, LLVMPtrToInt)) {
        value = LLVMGetOperand(value, 0);
    }
    return LLVMIsACallInst(value) &&
           jit_calls(value, "__pycuda_shared_window");
}

/* Tests whether the value is `address - window`. */
static bool
is_difference(LLVMValueRef value)
{
    return jit_has_opcode(value, LLVMSub) &&
           is_window(LLVMGetOperand(value, 1));
}

/* Returns the generic address from which a 32-bit address in the shared space
 * is computed by additions and subtractions, or NULL. `budget` limits the
 * number of values that are inspected. */
static LLVMValueRef
find_base(LLVMValueRef value, int *budget)
{
    if (--*budget < 0) {
        return NULL;
    }
    if (jit_has_opcode(value, LLVMTrunc) &&
        is_difference(LLVMGetOperand(value, 0))) {
        return LLVMGetOperand(LLVMGetOperand(value, 0), 0);
    }
    bool sum = jit_has_opcode(value, LLVMAdd);
    if (!sum && !jit_has_opcode(value, LLVMSub)) {
        return NULL;
    }
    LLVMValueRef base = find_base(LLVMGetOperand(value, 0), budget);
    return base || !sum ? base : find_base(LLVMGetOperand(value, 1), budget);
}

/* Tests whether the 64-bit integer is computed from a difference `address -
 * window`. */
static bool
search_difference(LLVMValueRef value, int *budget)
{
    if (is_difference(value)) {
        return true;
    }
    if (--*budget < 0 || !LLVMIsAInstruction(value)) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
        return search_difference(LLVMGetOperand(value, 0), budget) ||
               search_difference(LLVMGetOperand(value, 1), budget);
    case LLVMSub:
        return search_difference(LLVMGetOperand(value, 0), budget);
    case LLVMZExt:
        return find_base(LLVMGetOperand(value, 0), budget) != NULL;
    case LLVMSelect:
        return search_difference(LLVMGetOperand(value, 1), budget) ||
               search_difference(LLVMGetOperand(value, 2), budget);
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(value); i++) {
            if (search_difference(LLVMGetIncomingValue(value, i), budget)) {
                return true;
            }
        }
        return false;
    default:
        return false;
    }
}

static bool
is_shared(LLVMValueRef value)
{
    int budget = MAX_VISITS;
    return search_difference(value, &budget);
}

/* ---- phis ---- */

static LLVMValueRef
find_phi(const struct rewrite *own, LLVMValueRef phi)
{
    for (size_t i = 0; i < own->phi_count; i++) {
        if (own->phis[i].phi == phi) {
            return own->phis[i].by;
        }
    }
    return NULL;
}

static void
add_phi(struct rewrite *own, LLVMValueRef phi, LLVMValueRef by)
{
    if (own->phi_count == own->phi_capacity) {
        own->phi_capacity = 2 * own->phi_capacity + 16;
        own->phis = realloc(own->phis, own->phi_capacity * sizeof *own->phis);
        if (!own->phis) {
            jit_die("out of memory");
        }
    }
    own->phis[own->phi_count++] = (struct replaced){phi, by};
}

/* Positions the builder after the value, an instruction. */
static void
position_after(struct rewrite *own, LLVMValueRef value)
{
    LLVMValueRef next = LLVMGetNextInstruction(value);
    while (LLVMIsAPHINode(next)) {
        next = LLVMGetNextInstruction(next);
    }
    LLVMPositionBuilderBefore(own->jit->builder, next);
}

/* ---- addresses ---- */

/* Builds the offset of a 32-bit address from its base (see find_base). */
static LLVMValueRef
build_offset(struct rewrite *own, LLVMValueRef value)
{
    LLVMBuilderRef builder = own->jit->builder;
    int budget = MAX_VISITS;
    if (jit_has_opcode(value, LLVMTrunc)) {
        return jit_constant(own->jit, 0);
    }
    bool sum = jit_has_opcode(value, LLVMAdd);
    unsigned which = sum && !find_base(LLVMGetOperand(value, 0), &budget);
    LLVMValueRef first = build_offset(own, LLVMGetOperand(value, which));
    LLVMValueRef second = LLVMGetOperand(value, !which);
    position_after(own, value);
    return sum ? LLVMBuildAdd(builder, first, second, "")
               : LLVMBuildSub(builder, first, second, "");
}

static LLVMValueRef build_generic(struct rewrite *own, LLVMValueRef address);

static LLVMValueRef
build_phi(struct rewrite *own, LLVMValueRef phi)
{
    LLVMValueRef made = find_phi(own, phi);
    if (made) {
        return made;
    }
    LLVMPositionBuilderBefore(own->jit->builder, phi);
    made = LLVMBuildPhi(own->jit->builder, own->jit->i64, "");
    add_phi(own, phi, made);
    unsigned count = LLVMCountIncoming(phi);
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMPositionBuilderBefore(own->jit->builder,
                                  LLVMGetBasicBlockTerminator(from));
        LLVMValueRef value = build_generic(own, LLVMGetIncomingValue(phi, i));
        LLVMAddIncoming(made, &value, &from, 1);
    }
    return made;
}

static LLVMValueRef
build_select(struct rewrite *own, LLVMValueRef select)
{
    LLVMValueRef ways[2];
    for (unsigned i = 0; i < 2; i++) {
        position_after(own, select);
        ways[i] = build_generic(own, LLVMGetOperand(select, i + 1));
    }
    position_after(own, select);
    return LLVMBuildSelect(own->jit->builder, LLVMGetOperand(select, 0),
                           ways[0], ways[1], "");
}

/* Builds the generic address for a sum or a difference. */
static LLVMValueRef
build_sum(struct rewrite *own, LLVMValueRef sum)
{
    LLVMBuilderRef builder = own->jit->builder;
    bool added = jit_has_opcode(sum, LLVMAdd);
    unsigned which = added && !is_shared(LLVMGetOperand(sum, 0));
    LLVMValueRef base = build_generic(own, LLVMGetOperand(sum, which));
    LLVMValueRef bytes = LLVMGetOperand(sum, !which);
    position_after(own, sum);
    return added ? LLVMBuildAdd(builder, base, bytes, "")
                 : LLVMBuildSub(builder, base, bytes, "");
}

/* Builds the generic address for the zero-extended 32-bit address `value`. */
static LLVMValueRef
build_extended(struct rewrite *own, LLVMValueRef extended)
{
    LLVMBuilderRef builder = own->jit->builder;
    int budget = MAX_VISITS;
    LLVMValueRef value = LLVMGetOperand(extended, 0);
    LLVMValueRef base = find_base(value, &budget);
    LLVMValueRef offset = build_offset(own, value);
    position_after(own, extended);
    offset = LLVMBuildSExt(builder, offset, own->jit->i64, "");
    return LLVMBuildAdd(builder, base, offset, "");
}

/* Returns the generic address of a 64-bit address in the shared space. On
 * call, the builder is at a position that the address dominates. It is then
 * moved, to a position that the result dominates. */
static LLVMValueRef
build_generic(struct rewrite *own, LLVMValueRef address)
{
    struct jit *jit = own->jit;
    if (is_difference(address)) {
        return LLVMGetOperand(address, 0);
    }
    if (!is_shared(address)) {
        LLVMValueRef window = LLVMBuildPtrToInt(
            jit->builder, ptx_build_window(jit), jit->i64, "");
        return LLVMBuildAdd(jit->builder, window, address, "");
    }
    switch (LLVMGetInstructionOpcode(address)) {
    case LLVMPHI:
        return build_phi(own, address);
    case LLVMZExt:
        return build_extended(own, address);
    case LLVMSelect:
        return build_select(own, address);
    default:
        return build_sum(own, address);
    }
}

/* If the instruction adds the window to an address in the shared space,
 * returns that address, else NULL. */
static LLVMValueRef
added_to_window(LLVMValueRef instruction)
{
    if (LLVMIsAGetElementPtrInst(instruction) &&
        LLVMGetNumOperands(instruction) == 2 &&
        is_window(LLVMGetOperand(instruction, 0))) {
        return LLVMGetOperand(instruction, 1);
    }
    for (unsigned i = 0; i < 2 && jit_has_opcode(instruction, LLVMAdd); i++) {
        if (is_window(LLVMGetOperand(instruction, i))) {
            return LLVMGetOperand(instruction, 1 - i);
        }
    }
    return NULL;
}

static void
collect(struct jit *jit, LLVMValueRef instruction, void *data)
{
    struct rewrite *own = data;
    LLVMValueRef address = added_to_window(instruction);
    (void)jit;
    if (!address || !is_shared(address)) {
        return;
    }
    if (own->count == own->capacity) {
        own->capacity = 2 * own->capacity + 64;
        own->items = realloc(own->items, own->capacity * sizeof *own->items);
        if (!own->items) {
            jit_die("out of memory");
        }
    }
    own->items[own->count++] = instruction;
}

void
ptx_find_shared_variables(struct jit *jit, LLVMValueRef function)
{
    struct rewrite own = {.jit = jit};
    jit_each_instruction(jit, function, collect, &own);
    LLVMSetCurrentDebugLocation2(jit->builder, NULL);
    for (size_t i = 0; i < own.count; i++) {
        LLVMValueRef item = own.items[i];
        LLVMPositionBuilderBefore(jit->builder, item);
        LLVMValueRef by = build_generic(&own, added_to_window(item));
        LLVMPositionBuilderBefore(jit->builder, item);
        if (LLVMIsAGetElementPtrInst(item)) {
            by = LLVMBuildIntToPtr(jit->builder, by, jit->pointer, "");
        }
        jit_replace(item, by);
    }
    free(own.items);
    free(own.phis);
}
