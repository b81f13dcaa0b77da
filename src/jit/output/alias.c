/* alias.c - which accesses of a thread may be to the same memory.
 *
 * Called by join.c, once bodies are inlined into their entries, so that the
 * kernel's parameters are loads from the entry's first argument.  Parameters
 * may be the same array; what was chosen or loaded may be anything.
 *
 * SPDX-License-Identifier: MIT */
#include "jit/output/address.h"

enum { MOST_ROOTS = 8, DEPTH = 8, MOST_SCOPES = 64 };

/* What an address may come from. */
struct roots {
    LLVMValueRef values[MOST_ROOTS];
    unsigned count;
    bool lost; /* and from others */
};

enum memory {
    ANYWHERE,
    LOADED,    /* where a pointer that was loaded points to */
    PARAMETER, /* where one of the kernel's parameters points to */
    GLOBAL,
    CONSTANT, /* nobody writes it */
    BLOCK,    /* its shared memory, which others may know */
    SHARED,   /* the block's, known by this pointer alone */
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
    roots->lost = roots->count == MOST_ROOTS;
    if (!roots->lost) {
        roots->values[roots->count++] = pointer;
    }
}

/* The number of the entry's argument that it is, or -1. */
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

/* What a loaded pointer comes from, NULL if it is none. */
static LLVMValueRef
loaded_from(LLVMValueRef root)
{
    return LLVMIsALoadInst(root) ? without_steps(LLVMGetOperand(root, 0))
                                 : NULL;
}

/* Parameters are the entry's first argument, what knows the block comes from
 * its second one. */
static enum memory
memory_of(LLVMValueRef root)
{
    if (LLVMIsAGlobalVariable(root)) {
        return LLVMIsGlobalConstant(root) ? CONSTANT : GLOBAL;
    }
    if (LLVMIsAAllocaInst(root)) {
        return FRAME;
    }
    if (jit_calls(root, JIT_OWN)) {
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

/* Is no byte part of both? */
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

/* Items of an instruction's metadata, NULL or more than fit being none. */
static unsigned
scopes_read(LLVMValueRef at, const char *kind, LLVMValueRef *scopes)
{
    unsigned length = 0;
    while (kind[length]) {
        length++;
    }
    LLVMValueRef list = LLVMGetMetadata(at, LLVMGetMDKindID(kind, length));
    unsigned count = list ? (unsigned)LLVMGetMDNodeNumOperands(list) : 0;
    if (count == 0 || count > MOST_SCOPES) {
        return 0;
    }
    LLVMGetMDNodeOperands(list, scopes);
    return count;
}

/* Does `__restrict__` tell the first from the other? */
static bool
is_restricted(LLVMValueRef one, LLVMValueRef other)
{
    LLVMValueRef own[MOST_SCOPES], others[MOST_SCOPES];
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
