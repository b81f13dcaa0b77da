/* pointers.c - turns address arithmetic on integers into pointer arithmetic.
 *
 * PTX computes addresses in integer registers. LLVM's analyses follow pointers
 * but give up at conversions from integers. For each such conversion, this
 * pass follows the sum back to the address from which it was computed: another
 * pointer, or a parameter of the kernel, which then becomes a pointer.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/module.h"
#include "jit/report.h"
#include "jit/text.h"

/* Values that a search for an address inspects, and bytes of an array's
 * element or row that becomes a type. */
enum { MAX_STEPS = 64, MAX_UNIT = 1 << 20 };

/* An entry of the hash table of pointers that were already made: the integer,
 * and the pointer that replaces it. */
struct made {
    LLVMValueRef integer, pointer;
};

struct recovery {
    struct jit *jit;
    struct made *made;
    size_t made_count, made_capacity; /* the capacity is a power of two */
    /* kernel whose parameters are inspected, and which of them are
     * addresses */
    LLVMValueRef function;
    bool *is_address;
    /* values that were already followed, while parameters are inspected */
    LLVMValueRef *seen;
    size_t seen_count, seen_capacity;
};

/* ---- the table ---- */

static struct made *
find_made(struct recovery *own, LLVMValueRef integer)
{
    uint64_t hash =
        (uint64_t)(uintptr_t)integer * UINT64_C(0x9e3779b97f4a7c15);
    size_t mask = own->made_capacity - 1;
    size_t at = (size_t)(hash >> 32) & mask;
    while (own->made[at].integer && own->made[at].integer != integer) {
        at = (at + 1) & mask;
    }
    return &own->made[at];
}

static void
add_made(struct recovery *own, LLVMValueRef integer, LLVMValueRef pointer)
{
    if (2 * own->made_count >= own->made_capacity) {
        struct made *old = own->made;
        size_t count = own->made_capacity;
        own->made_capacity = count ? 2 * count : 256;
        own->made = jit_allocate(own->made_capacity * sizeof *own->made);
        for (size_t i = 0; i < count; i++) {
            if (old[i].integer) {
                *find_made(own, old[i].integer) = old[i];
            }
        }
        free(old);
    }
    own->made_count++;
    *find_made(own, integer) = (struct made){integer, pointer};
}

/* ---- which operand is the address ---- */

static bool
is_pointer_cast(LLVMValueRef value)
{
    return jit_has_opcode(value, LLVMPtrToInt) ||
           (LLVMIsAConstantExpr(value) &&
            LLVMGetConstOpcode(value) == LLVMPtrToInt);
}

/* Rates how likely an integer is an address: 3 for the address of a variable,
 * 2 for a parameter, a loaded value or the result of a call. A sum has the
 * higher rating of its two operands. A difference, a select and a phi have the
 * rating of one operand. Other values have the rating 0. */
static int
rate(LLVMValueRef value, int steps)
{
    if (is_pointer_cast(value)) {
        return 3;
    }
    if (LLVMIsAArgument(value) || jit_has_opcode(value, LLVMLoad) ||
        jit_has_opcode(value, LLVMCall)) {
        return 2;
    }
    if (!steps || !LLVMIsAInstruction(value)) {
        return 0;
    }
    int first, second;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
        first = rate(LLVMGetOperand(value, 0), steps / 2);
        second = rate(LLVMGetOperand(value, 1), steps / 2);
        return first > second ? first : second;
    case LLVMSub:
        return rate(LLVMGetOperand(value, 0), steps - 1);
    case LLVMSelect:
        return rate(LLVMGetOperand(value, 1), steps - 1);
    case LLVMPHI:
        return LLVMCountIncoming(value)
                   ? rate(LLVMGetIncomingValue(value, 0), steps / 2)
                   : 0;
    default:
        return 0;
    }
}

/* Returns the index of the operand of a sum that is the address. */
static unsigned
address_operand(LLVMValueRef sum)
{
    if (jit_has_opcode(sum, LLVMSub)) {
        return 0;
    }
    return rate(LLVMGetOperand(sum, 1), MAX_STEPS) >
           rate(LLVMGetOperand(sum, 0), MAX_STEPS);
}

/* ---- parameters ---- */

static bool
was_seen(struct recovery *own, LLVMValueRef value)
{
    for (size_t i = 0; i < own->seen_count; i++) {
        if (own->seen[i] == value) {
            return true;
        }
    }
    if (own->seen_count == own->seen_capacity) {
        own->seen_capacity = 2 * own->seen_capacity + 64;
        own->seen = realloc(own->seen, own->seen_capacity * sizeof *own->seen);
        if (!own->seen) {
            jit_die("out of memory");
        }
    }
    own->seen[own->seen_count++] = value;
    return false;
}

/* Follows an address back to parameters, which it marks as addresses. */
static void
mark_parameters(struct recovery *own, LLVMValueRef value)
{
    while (jit_has_opcode(value, LLVMAdd) || jit_has_opcode(value, LLVMSub)) {
        value = LLVMGetOperand(value, address_operand(value));
    }
    if (LLVMIsAArgument(value)) {
        unsigned count = LLVMCountParams(own->function);
        for (unsigned i = 0; i < count; i++) {
            own->is_address[i] |= LLVMGetParam(own->function, i) == value;
        }
        return;
    }
    bool phi = jit_has_opcode(value, LLVMPHI);
    if ((!phi && !jit_has_opcode(value, LLVMSelect)) || was_seen(own, value)) {
        return;
    }
    unsigned count = phi ? LLVMCountIncoming(value) : 2;
    for (unsigned i = 0; i < count; i++) {
        mark_parameters(own, phi ? LLVMGetIncomingValue(value, i)
                                 : LLVMGetOperand(value, i + 1));
    }
}

static void
mark_from(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)jit;
    if (jit_has_opcode(instruction, LLVMIntToPtr)) {
        mark_parameters(data, LLVMGetOperand(instruction, 0));
    }
}

/* Moves the kernel's code to a new function in which the marked parameters are
 * pointers. */
static void
change_parameters(struct recovery *own)
{
    struct jit *jit = own->jit;
    LLVMValueRef old = own->function;
    unsigned count = LLVMCountParams(old);
    LLVMTypeRef *types = jit_allocate((count + 1) * sizeof *types);
    LLVMGetParamTypes(LLVMGlobalGetValueType(old), types);
    for (unsigned i = 0; i < count; i++) {
        types[i] = own->is_address[i] ? jit->pointer : types[i];
    }
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(jit->context), types, count, 0);
    LLVMValueRef made = LLVMAddFunction(jit->module, "", type);
    LLVMSetLinkage(made, LLVMGetLinkage(old));
    LLVMSetFunctionCallConv(made, LLVMGetFunctionCallConv(old));
    LLVMSetSubprogram(made, LLVMGetSubprogram(old));
    LLVMSetSubprogram(old, NULL);
    LLVMBasicBlockRef block;
    while ((block = LLVMGetFirstBasicBlock(old))) {
        LLVMRemoveBasicBlockFromParent(block);
        LLVMAppendExistingBasicBlock(made, block);
    }
    LLVMPositionBuilderBefore(
        jit->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(made)));
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = LLVMGetParam(made, i);
        unsigned byval = LLVMGetAttributeCountAtIndex(old, i + 1);
        LLVMAttributeRef *list = jit_allocate((byval + 1) * sizeof *list);
        LLVMGetAttributesAtIndex(old, i + 1, list);
        for (unsigned k = 0; k < byval; k++) {
            LLVMAddAttributeAtIndex(made, i + 1, list[k]);
        }
        if (own->is_address[i]) {
            value = LLVMBuildPtrToInt(jit->builder, value, jit->i64, "");
        }
        LLVMReplaceAllUsesWith(LLVMGetParam(old, i), value);
    }
    size_t length;
    const char *name = LLVMGetValueName2(old, &length);
    char *copy = jit_copy(name, length);
    LLVMReplaceAllUsesWith(old, made);
    LLVMDeleteFunction(old);
    LLVMSetValueName2(made, copy, length);
}

/* ---- addresses ---- */

static LLVMValueRef as_pointer(struct recovery *own, LLVMValueRef integer);

/* Positions the builder after the value's definition. */
static void
position_after(struct recovery *own, LLVMValueRef value)
{
    LLVMValueRef next;
    if (LLVMIsAInstruction(value)) {
        next = LLVMGetNextInstruction(value);
        while (next && LLVMIsAPHINode(next)) {
            next = LLVMGetNextInstruction(next);
        }
    } else {
        next = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(own->function));
    }
    LLVMPositionBuilderBefore(own->jit->builder, next);
}

/* If `bytes` is a number multiplied by a constant, the size of an element or a
 * row, returns that number and sets `unit` to a type of this size. */
static LLVMValueRef
factor_of(struct recovery *own, LLVMValueRef bytes, LLVMTypeRef *unit)
{
    bool shift = jit_has_opcode(bytes, LLVMShl);
    if (!shift && !jit_has_opcode(bytes, LLVMMul)) {
        return NULL;
    }
    LLVMValueRef by = LLVMGetOperand(bytes, 1);
    if (!LLVMIsAConstantInt(by)) {
        return NULL;
    }
    uint64_t size = LLVMConstIntGetZExtValue(by);
    size = shift ? (size < 20 ? UINT64_C(1) << size : 0) : size;
    if (size < 2 || size > MAX_UNIT) {
        return NULL;
    }
    *unit = size == 2 || size == 4 || size == 8
                ? LLVMIntTypeInContext(own->jit->context, 8 * (unsigned)size)
                : LLVMArrayType2(own->jit->i8, size);
    return LLVMGetOperand(bytes, 0);
}

static LLVMValueRef
add_to_pointer(struct recovery *own, LLVMValueRef sum)
{
    LLVMBuilderRef builder = own->jit->builder;
    unsigned which = address_operand(sum);
    LLVMValueRef base = as_pointer(own, LLVMGetOperand(sum, which));
    LLVMValueRef bytes = LLVMGetOperand(sum, !which), factor;
    LLVMTypeRef unit = own->jit->i8;
    bool negative = jit_has_opcode(sum, LLVMSub);
    position_after(own, sum);
    factor = negative ? NULL : factor_of(own, bytes, &unit);
    if (negative) {
        bytes = LLVMBuildNeg(builder, bytes, "");
    }
    return LLVMBuildGEP2(builder, unit, base, factor ? &factor : &bytes, 1,
                         "");
}

static LLVMValueRef
make_phi(struct recovery *own, LLVMValueRef integer)
{
    LLVMPositionBuilderBefore(own->jit->builder, integer);
    LLVMValueRef made = LLVMBuildPhi(own->jit->builder, own->jit->pointer, "");
    add_made(own, integer, made);
    unsigned count = LLVMCountIncoming(integer);
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(integer, i);
        LLVMValueRef one = as_pointer(own, LLVMGetIncomingValue(integer, i));
        LLVMAddIncoming(made, &one, &from, 1);
    }
    return made;
}

/* Converts an address that is an integer to a pointer. */
static LLVMValueRef
as_pointer(struct recovery *own, LLVMValueRef integer)
{
    LLVMBuilderRef builder = own->jit->builder;
    LLVMValueRef made = own->made ? find_made(own, integer)->pointer : NULL;
    if (made) {
        return made;
    }
    if (is_pointer_cast(integer)) {
        return LLVMGetOperand(integer, 0);
    }
    if (jit_has_opcode(integer, LLVMPHI)) {
        return make_phi(own, integer);
    }
    if (jit_has_opcode(integer, LLVMAdd) || jit_has_opcode(integer, LLVMSub)) {
        made = add_to_pointer(own, integer);
    } else if (jit_has_opcode(integer, LLVMSelect)) {
        LLVMValueRef first = as_pointer(own, LLVMGetOperand(integer, 1));
        LLVMValueRef second = as_pointer(own, LLVMGetOperand(integer, 2));
        position_after(own, integer);
        made = LLVMBuildSelect(builder, LLVMGetOperand(integer, 0), first,
                               second, "");
    } else if (LLVMIsAConstant(integer)) {
        return LLVMConstIntToPtr(integer, own->jit->pointer);
    } else {
        position_after(own, integer);
        made = LLVMBuildIntToPtr(builder, integer, own->jit->pointer, "");
    }
    add_made(own, integer, made);
    return made;
}

/* List of the instructions to rewrite. They are collected before the function
 * is changed. */
struct list {
    LLVMValueRef *items;
    size_t count, capacity;
};

static void
add_to_list(struct list *list, LLVMValueRef item)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->items =
            realloc(list->items, list->capacity * sizeof *list->items);
        if (!list->items) {
            jit_die("out of memory");
        }
    }
    list->items[list->count++] = item;
}

static void
collect(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)jit;
    if (jit_has_opcode(instruction, LLVMIntToPtr)) {
        add_to_list(data, instruction);
    }
}

static void
rewrite_function(struct recovery *own, LLVMValueRef function)
{
    struct list list = {0};
    own->function = function;
    jit_each_instruction(own->jit, function, collect, &list);
    LLVMSetCurrentDebugLocation2(own->jit->builder, NULL);
    for (size_t i = 0; i < list.count; i++) {
        LLVMValueRef integer = LLVMGetOperand(list.items[i], 0);
        if (LLVMTypeOf(integer) == own->jit->i64) {
            LLVMValueRef pointer = as_pointer(own, integer);
            jit_replace(list.items[i], pointer);
        }
    }
    free(list.items);
}

/* Changes the type of those parameters of a kernel that are addresses to
 * pointers. */
static void
rewrite_parameters(struct recovery *own, LLVMValueRef kernel)
{
    own->function = kernel;
    own->is_address = jit_allocate(LLVMCountParams(kernel) + 1);
    own->seen_count = 0;
    jit_each_instruction(own->jit, kernel, mark_from, own);
    change_parameters(own);
}

void
ptx_recover_pointers(struct jit *jit, LLVMModuleRef module)
{
    struct recovery own = {.jit = jit};
    struct list kernels = {0};
    jit_run_passes(jit, "function(sroa,early-cse,simplifycfg)");
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!LLVMIsDeclaration(function) &&
            LLVMGetFunctionCallConv(function) == LLVMPTXKernelCallConv) {
            add_to_list(&kernels, function);
        }
        if (!LLVMIsDeclaration(function)) {
            ptx_restore_loops(jit, function);
            ptx_find_shared_variables(jit, function);
        }
    }
    for (size_t i = 0; i < kernels.count; i++) {
        rewrite_parameters(&own, kernels.items[i]);
    }
    function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!LLVMIsDeclaration(function)) {
            rewrite_function(&own, function);
        }
    }
    free(kernels.items);
    free(own.made);
    free(own.seen);
}
