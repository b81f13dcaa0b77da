/* uninitialized.c - checks uses of uninitialized private variables.
 *
 * Called by insert.c. The value of a variable that was never set is `undef`
 * once the variable is a register. Where initialized and uninitialized paths
 * meet, a "shadow" (an i1) records which path was taken. A calculation,
 * comparison, store or call that uses the value then reports to
 * __pycuda_check_value. To pass a value on does not count as a use, and
 * neither does a copy of a struct with members that were never set.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/checks/checks.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/report.h"

/* A value that may be uninitialized. Its shadow is an i1 that is true at run
 * time if the value is uninitialized. */
struct uncertain_value {
    LLVMValueRef value, shadow;
};

struct uncertain_values {
    struct uncertain_value *rows;
    size_t count, capacity;
};

static struct {
    unsigned line, column;
} * copies; /* array of the source locations of struct copies */
static size_t copy_count;

static void
note_copy(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)data;
    if (LLVMIsAMemCpyInst(at) || LLVMIsAMemMoveInst(at)) {
        copies = realloc(copies, (copy_count + 1) * sizeof *copies);
        if (!copies) {
            jit_die("out of memory");
        }
        copies[copy_count].line = LLVMGetDebugLocLine(at);
        copies[copy_count++].column = LLVMGetDebugLocColumn(at);
    }
}

/* Records the source locations of all struct copies of the module. Called
 * before the pass SROA splits these copies into single loads and stores. */
void
jit_note_copies(struct jit *jit)
{
    jit_each_instruction_of_module(jit, note_copy, NULL);
}

bool
jit_is_copy(LLVMValueRef at)
{
    if (LLVMIsAMemCpyInst(at) || LLVMIsAMemMoveInst(at)) {
        /* a memcpy is a whole struct copy, not a part of one that SROA split
         */
        return false;
    }
    for (size_t i = 0; i < copy_count; i++) {
        if (copies[i].line == LLVMGetDebugLocLine(at) &&
            copies[i].column == LLVMGetDebugLocColumn(at)) {
            return true;
        }
    }
    return false;
}

static struct uncertain_value *
uncertain_find(struct uncertain_values *doubts, LLVMValueRef value)
{
    for (size_t i = 0; i < doubts->count; i++) {
        if (doubts->rows[i].value == value) {
            return &doubts->rows[i];
        }
    }
    return NULL;
}

static bool
propagates(LLVMValueRef at)
{
    return LLVMIsAPHINode(at) || LLVMIsASelectInst(at) ||
           LLVMIsACastInst(at) != NULL;
}

static bool
is_scalar(LLVMValueRef value)
{
    switch (LLVMGetTypeKind(LLVMTypeOf(value))) {
    case LLVMIntegerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return true;
    default:
        return false;
    }
}

static bool
is_uncertain(struct uncertain_values *doubts, LLVMValueRef value)
{
    return LLVMIsUndef(value) || uncertain_find(doubts, value);
}

static bool
accepts_uncertain(struct uncertain_values *doubts, LLVMValueRef at)
{
    int count = LLVMGetNumOperands(at);

    for (int i = LLVMIsASelectInst(at) ? 1 : 0; i < count; i++) {
        if (is_uncertain(doubts, LLVMGetOperand(at, (unsigned)i))) {
            return true;
        }
    }
    return false;
}

static void
uncertain_add(struct uncertain_values *doubts, LLVMValueRef value)
{
    if (doubts->count == doubts->capacity) {
        doubts->capacity = 2 * doubts->capacity + 16;
        doubts->rows =
            realloc(doubts->rows, doubts->capacity * sizeof *doubts->rows);
        if (!doubts->rows) {
            jit_die("out of memory");
        }
    }
    doubts->rows[doubts->count++] = (struct uncertain_value){value, NULL};
}

static void
find_uncertain(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    if (propagates(at) && is_scalar(at) && !uncertain_find(data, at) &&
        accepts_uncertain(data, at)) {
        uncertain_add(data, at);
    }
}

static LLVMValueRef
shadow_of(struct jit *jit, struct uncertain_values *doubts, LLVMValueRef value)
{
    struct uncertain_value *doubt = uncertain_find(doubts, value);

    return doubt && doubt->shadow
               ? doubt->shadow
               : LLVMConstInt(jit->i1, LLVMIsUndef(value) != 0, 0);
}

/* Creates an empty phi as the shadow of a phi. The shadow is an i1 that is
 * true if the value is uninitialized. fill_phi adds the operands later, since
 * phis may refer to each other in cycles. */
static void
make_phi(struct jit *jit, struct uncertain_value *doubt)
{
    LLVMPositionBuilderBefore(jit->builder, doubt->value);
    doubt->shadow = LLVMBuildPhi(jit->builder, jit->i1, "");
}

static void
fill_phi(struct jit *jit, struct uncertain_values *doubts,
         struct uncertain_value *doubt)
{
    for (unsigned i = 0; i < LLVMCountIncoming(doubt->value); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(doubt->value, i);
        LLVMValueRef shadow =
            shadow_of(jit, doubts, LLVMGetIncomingValue(doubt->value, i));
        LLVMAddIncoming(doubt->shadow, &shadow, &from, 1);
    }
}

/* Creates the shadow of a cast or select (an i1: the value is uninitialized).
 * Returns false if the shadow of an operand does not exist yet. */
static bool
make_cast_or_select(struct jit *jit, struct uncertain_values *doubts,
                    struct uncertain_value *doubt)
{
    LLVMValueRef at = doubt->value;
    int count = LLVMGetNumOperands(at);

    for (int i = 0; i < count; i++) {
        struct uncertain_value *operand =
            uncertain_find(doubts, LLVMGetOperand(at, (unsigned)i));
        if (operand && !operand->shadow) {
            return false;
        }
    }
    if (LLVMIsACastInst(at)) {
        doubt->shadow = shadow_of(jit, doubts, LLVMGetOperand(at, 0));
        return true;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    doubt->shadow =
        LLVMBuildSelect(jit->builder, LLVMGetOperand(at, 0),
                        shadow_of(jit, doubts, LLVMGetOperand(at, 1)),
                        shadow_of(jit, doubts, LLVMGetOperand(at, 2)), "");
    return true;
}

/* Creates the shadows of all values that may be uninitialized, in three steps:
 * empty phis; then casts and selects, each after its operands; then the
 * operands of the phis. */
static void
make_shadows(struct jit *jit, struct uncertain_values *doubts)
{
    bool changed = true;

    for (size_t i = 0; i < doubts->count; i++) {
        if (LLVMIsAPHINode(doubts->rows[i].value)) {
            make_phi(jit, &doubts->rows[i]);
        }
    }
    while (changed) {
        changed = false;
        for (size_t i = 0; i < doubts->count; i++) {
            if (!doubts->rows[i].shadow) {
                changed |= make_cast_or_select(jit, doubts, &doubts->rows[i]);
            }
        }
    }
    for (size_t i = 0; i < doubts->count; i++) {
        if (LLVMIsAPHINode(doubts->rows[i].value)) {
            fill_phi(jit, doubts, &doubts->rows[i]);
        }
    }
}

/* Tests whether the AND clears bits of a word before a bit field is written.
 * The write of a bit field reads a whole word, whose other bits may be
 * uninitialized. */
static bool
is_bit_field_write(LLVMValueRef at)
{
    LLVMUseRef use = LLVMGetFirstUse(at);

    return LLVMIsABinaryOperator(at) &&
           LLVMGetInstructionOpcode(at) == LLVMAnd &&
           LLVMIsAConstantInt(LLVMGetOperand(at, 1)) && use &&
           !LLVMGetNextUse(use) && LLVMIsABinaryOperator(LLVMGetUser(use)) &&
           LLVMGetInstructionOpcode(LLVMGetUser(use)) == LLVMOr;
}

/* If the instruction uses an operand that may be uninitialized, returns the
 * operand. Returns NULL if there is none, or if the instruction merely passes
 * it on. */
static LLVMValueRef
used_uncertain(struct uncertain_values *doubts, LLVMValueRef at)
{
    int count = LLVMIsASelectInst(at) ? 1 : LLVMGetNumOperands(at);
    bool uses = LLVMIsABinaryOperator(at) || LLVMIsACmpInst(at) ||
                LLVMIsAStoreInst(at) || LLVMIsALoadInst(at) ||
                LLVMIsABranchInst(at) || LLVMIsASwitchInst(at) ||
                LLVMIsASelectInst(at) || LLVMIsAUnaryOperator(at) ||
                LLVMIsAGetElementPtrInst(at) || LLVMIsACallInst(at);

    uses &= !is_bit_field_write(at);
    if (LLVMIsACallInst(at)) {
        count = (int)LLVMGetNumArgOperands(at);
    }
    for (int i = 0; uses && i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, (unsigned)i);
        bool undefined = LLVMIsUndef(operand);
        if (is_scalar(operand) && is_uncertain(doubts, operand) &&
            !(undefined && jit_is_copy(at)) &&
            !(undefined && LLVMIsACallInst(at))) {
            return operand;
        }
    }
    return NULL;
}

/* Inserts a call of __pycuda_check_value before an instruction that uses a
 * value that may be uninitialized. */
static void
report_use(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMValueRef value = used_uncertain(data, at);

    if (!value) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMValueRef shadow = shadow_of(jit, data, value);
    LLVMValueRef arguments[] = {
        LLVMBuildZExt(jit->builder, shadow, jit->i32, ""),
        jit_site(jit, at, LLVMIsUndef(value) ? "" : jit_name(value),
                 IMAGE_SITE_LOCAL, 0),
        jit_linear_index(jit)};
    LLVMTypeRef types[] = {jit->i32, jit->pointer, jit->i32};
    LLVMValueRef function =
        jit_declare(jit, "__pycuda_check_value",
                    LLVMVoidTypeInContext(jit->context), types, 3);
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function), function,
                   arguments, 3, "");
}

void
jit_check_values(struct jit *jit, LLVMValueRef function)
{
    struct uncertain_values doubts = {NULL, 0, 0};
    size_t before;

    do {
        before = doubts.count;
        jit_each_instruction(jit, function, find_uncertain, &doubts);
    } while (doubts.count != before);
    make_shadows(jit, &doubts);
    jit_each_instruction(jit, function, report_use, &doubts);
    free(doubts.rows);
}
