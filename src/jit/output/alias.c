/* alias.c - alias analysis of the accesses of one thread.
 *
 * Called by join.c after bodies are inlined into their entries, so that the
 * kernel's parameters are loads from the entry's first argument. Two
 * parameters may be the same array; a pointer from a phi, a select or a load
 * may point anywhere.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/address.h"

enum { MAX_ROOTS = 8, DEPTH = 8, MAX_SCOPES = 64 };

/* The values from which an address may be computed. */
struct roots {
    LLVMValueRef values[MAX_ROOTS];
    unsigned count;
    /* true: the address may also be computed from values that are not in the
     * list */
    bool lost;
};

enum memory {
    ANYWHERE,
    LOADED,    /* memory to which a pointer loaded from memory refers */
    PARAMETER, /* memory that a pointer parameter of the kernel refers to */
    GLOBAL,
    CONSTANT, /* constant memory: never written */
    BLOCK,    /* shared memory; other pointers may refer to it too */
    SHARED,   /* shared memory; no other pointer refers to it */
    PARAMETERS,
    FRAME
};

static LLVMValueRef
without_steps(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) &&
            LLVMGetConstOpcode(pointer) == LLVMGetElementPtr)) {
        pointer = LLVMGetOperand(pointer, 0);
    }
    return pointer;
}

static void
roots_find(struct roots *roots, LLVMValueRef pointer, int depth)
{
    pointer = without_steps(pointer);
    bool phi = LLVMIsAPHINode(pointer), select = LLVMIsASelectInst(pointer);
    if (roots->lost || (phi || select ? depth == 0 : false)) {
        roots->lost = true;
        return;
    }
    for (unsigned i = 0; phi && i < LLVMCountIncoming(pointer); i++) {
        roots_find(roots, LLVMGetIncomingValue(pointer, i), depth - 1);
    }
    for (unsigned i = 1; select && i < 3; i++) {
        roots_find(roots, LLVMGetOperand(pointer, i), depth - 1);
    }
    if (phi || select) {
        return;
    }
    roots->lost = roots->count == MAX_ROOTS;
    if (!roots->lost) {
        roots->values[roots->count++] = pointer;
    }
}

/* Returns which argument of the entry the value is (0 for the first), or -1
 * for other values. */
static int
argument_number(LLVMValueRef value)
{
    if (!LLVMIsAArgument(value)) {
        return -1;
    }
    LLVMValueRef function = LLVMGetParamParent(value);
    int number = 0;
    while (LLVMGetParam(function, (unsigned)number) != value) {
        number++;
    }
    return number;
}

/* If the pointer was loaded from memory, returns the base of the address from
 * which it was loaded, else NULL. */
static LLVMValueRef
loaded_from(LLVMValueRef root)
{
    return LLVMIsALoadInst(root) ? without_steps(LLVMGetOperand(root, 0))
                                 : NULL;
}

/* Returns the kind of memory that `root`, the value from which an address is
 * computed, refers to. The kernel's parameters are loaded from the entry's
 * first argument; data of the thread block is reached through its second
 * argument. */
static enum memory
memory_of(LLVMValueRef root)
{
    if (LLVMIsAGlobalVariable(root)) {
        return LLVMIsGlobalConstant(root) ? CONSTANT : GLOBAL;
    }
    if (LLVMIsAAllocaInst(root)) {
        return FRAME;
    }
    if (jit_calls(root, JIT_UNALIASED)) {
        return SHARED;
    }
    LLVMValueRef from = loaded_from(root);
    LLVMValueRef behind = from ? loaded_from(from) : NULL;
    if (argument_number(root) == 0) {
        return PARAMETERS;
    }
    if (from && argument_number(from) == 0) {
        return PARAMETER;
    }
    if (behind && argument_number(behind) == 1) {
        return BLOCK;
    }
    return from ? LOADED : ANYWHERE;
}

/* Tests whether two roots (values from which addresses are computed) certainly
 * refer to different memory. */
static bool
roots_differ(LLVMValueRef one, LLVMValueRef other)
{
    enum memory a = memory_of(one), b = memory_of(other);
    if (a > b) {
        enum memory greater = a;
        a = b;
        b = greater;
    }
    if (one == other || a == ANYWHERE) {
        return false;
    }
    switch (b) {
    case LOADED:
    case PARAMETER:
        return false;
    case GLOBAL:
        return a == GLOBAL;
    case BLOCK:
        return a != LOADED && a != BLOCK;
    case FRAME:
        return a != LOADED;
    default:
        return true;
    }
}

static bool
bases_differ(LLVMValueRef one, LLVMValueRef other)
{
    struct roots a = {.count = 0}, b = {.count = 0};
    roots_find(&a, one, DEPTH);
    roots_find(&b, other, DEPTH);
    bool differ = !a.lost && !b.lost;
    for (unsigned i = 0; differ && i < a.count; i++) {
        for (unsigned k = 0; differ && k < b.count; k++) {
            differ = roots_differ(a.values[i], b.values[k]);
        }
    }
    return differ;
}

bool
jit_bases_meet(LLVMValueRef one, LLVMValueRef other)
{
    struct roots a = {.count = 0}, b = {.count = 0};
    if (one == other) {
        return true;
    }
    roots_find(&a, one, DEPTH);
    roots_find(&b, other, DEPTH);
    bool meet = a.lost || b.lost;
    for (unsigned i = 0; !meet && i < a.count; i++) {
        for (unsigned k = 0; !meet && k < b.count; k++) {
            meet = a.values[i] == b.values[k] ||
                   (memory_of(a.values[i]) == LOADED &&
                    memory_of(b.values[k]) == LOADED);
        }
    }
    return meet;
}

/* Stores the operands of the instruction's metadata `kind` to `scopes`.
 * Returns their number. Returns 0 if there are no operands, or more than
 * `scopes` has space for. */
static unsigned
scopes_read(LLVMValueRef at, const char *kind, LLVMValueRef *scopes)
{
    unsigned length = 0;
    while (kind[length]) {
        length++;
    }
    LLVMValueRef list = LLVMGetMetadata(at, LLVMGetMDKindID(kind, length));
    unsigned count = list ? (unsigned)LLVMGetMDNodeNumOperands(list) : 0;
    if (count == 0 || count > MAX_SCOPES) {
        return 0;
    }
    LLVMGetMDNodeOperands(list, scopes);
    return count;
}

/* Tests whether `__restrict__` guarantees that the first access does not
 * overlap the other: all alias scopes of the first are in the `noalias` list
 * of the other. */
static bool
is_restricted(LLVMValueRef one, LLVMValueRef other)
{
    LLVMValueRef own[MAX_SCOPES], others[MAX_SCOPES];
    unsigned count = scopes_read(one, "alias.scope", own);
    unsigned known = scopes_read(other, "noalias", others);
    for (unsigned i = 0; i < count; i++) {
        unsigned k = 0;
        while (k < known && others[k] != own[i]) {
            k++;
        }
        if (k == known) {
            return false;
        }
    }
    return count > 0;
}

bool
jit_accesses_overlap(const struct jit_access *a, const struct jit_access *b)
{
    if (a->address.base == b->address.base) {
        int64_t distance = b->address.offset - a->address.offset;
        return !jit_address_like(&a->address, &b->address) ||
               (distance < a->bytes && -distance < b->bytes);
    }
    return !bases_differ(a->address.base, b->address.base) &&
           !is_restricted(a->at, b->at) && !is_restricted(b->at, a->at);
}
