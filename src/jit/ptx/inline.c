/* inline.c - translates one asm statement of inline PTX into LLVM
 * instructions.
 *
 * Called by assembly.c. An asm statement may contain several PTX statements,
 * with scopes, labels and branches. If the PTX has labels, branches,
 * predicates or loops, the basic block that contains the asm statement is
 * split in two.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/ptx.h"
#include "jit/text.h"

/* ---- operands of the asm statement ---- */

/* Returns the PTX type of a register for an LLVM type. The letter 'b' means
 * untyped bits. The size is 0 if the type is unsupported. */
static struct ptx_type
type_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return (struct ptx_type){'b', LLVMGetIntTypeWidth(type)};
    case LLVMFloatTypeKind:
        return (struct ptx_type){'b', 32};
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return (struct ptx_type){'b', 64};
    case LLVMHalfTypeKind:
        return (struct ptx_type){'b', 16};
    default:
        return (struct ptx_type){'b', 0};
    }
}

static LLVMValueRef
as_bits(struct jit *jit, LLVMValueRef value)
{
    struct ptx_type type = type_of(LLVMTypeOf(value));
    LLVMTypeRef bits = LLVMIntTypeInContext(jit->context, type.bits);
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind
               ? LLVMBuildPtrToInt(jit->builder, value, bits, "")
               : LLVMBuildBitCast(jit->builder, value, bits, "");
}

static LLVMTypeRef
result_type(LLVMValueRef call, unsigned i)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    return LLVMGetTypeKind(type) == LLVMStructTypeKind
               ? LLVMStructGetTypeAtIndex(type, i)
               : type;
}

/* Stores a value in the register $index, if the register is declared. */
static void
set_operand(struct ptx *ptx, unsigned long index, LLVMValueRef value)
{
    char name[24];
    snprintf(name, sizeof name, "$%lu", index);
    struct ptx_symbol *own = ptx_find(ptx, name);
    if (own) {
        LLVMBuildStore(ptx->jit->builder, value, ptx_slot(ptx, own));
    }
}

/* Declares the operands of the asm statement as registers $0, $1, ...: first
 * results, then inputs. If an input's constraint is a number n, the input is
 * the initial value of register $n, a result. */
static bool
declare_operands(struct ptx *ptx, LLVMValueRef call, unsigned *results)
{
    size_t length;
    const char *given =
        LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length);
    char *text = jit_copy(given, length), *save = NULL;
    unsigned index = 0, input = 0;
    *results = 0;
    for (char *item = strtok_r(text, ",", &save); item;
         item = strtok_r(NULL, ",", &save)) {
        char name[16];
        struct ptx_type type;
        snprintf(name, sizeof name, "$%u", index);
        const char *own = jit_copy(name, strlen(name));
        if (item[0] == '~') {
            continue;
        }
        index++;
        if (item[0] == '=' && item[1] != '*') {
            type = type_of(result_type(call, (*results)++));
            if (!type.bits || !ptx_declare(ptx, own, type, NULL)) {
                return ptx_fail(ptx, "a result has an unsupported type");
            }
            continue;
        }
        LLVMValueRef value = LLVMGetOperand(call, input++);
        type = type_of(LLVMTypeOf(value));
        if (item[0] == '=' || strchr(item, '*') || !type.bits) {
            return ptx_fail(ptx, "an operand is in memory");
        }
        value = as_bits(ptx->jit, value);
        if (item[0] >= '0' && item[0] <= '9') {
            set_operand(ptx, strtoul(item, NULL, 10), value);
        }
        if (!ptx_declare(ptx, own, type, value)) {
            return false;
        }
    }
    return true;
}

/* Returns the value of register $i, a result of the asm statement. */
static LLVMValueRef
result(struct ptx *ptx, LLVMValueRef call, unsigned i)
{
    LLVMTypeRef type = result_type(call, i);
    char name[24];
    snprintf(name, sizeof name, "$%u", i);
    struct ptx_symbol *own = ptx_find(ptx, name);
    LLVMValueRef slot = own ? ptx_slot(ptx, own) : NULL;
    return slot ? LLVMBuildLoad2(ptx->jit->builder, type, slot, "")
                : LLVMGetUndef(type);
}

static void
replace_call(struct ptx *ptx, LLVMValueRef call, unsigned results)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    if (!results) {
        LLVMInstructionEraseFromParent(call);
        return;
    }
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind) {
        jit_replace(call, result(ptx, call, 0));
        return;
    }
    LLVMValueRef all = LLVMGetUndef(type);
    for (unsigned i = 0; i < results; i++) {
        all = LLVMBuildInsertValue(ptx->jit->builder, all,
                                   result(ptx, call, i), i, "");
    }
    jit_replace(call, all);
}

/* Moves the instructions before `call` to a new block, and redirects branches
 * to the new block. The block of `call` then still ends with the branch to
 * later blocks, so that their phis need no change. Returns the new block,
 * which has no terminator yet. */
static LLVMBasicBlockRef
split_before(struct jit *jit, LLVMValueRef call)
{
    LLVMBasicBlockRef tail = LLVMGetInstructionParent(call);
    LLVMValueRef function = LLVMGetBasicBlockParent(tail);
    LLVMBasicBlockRef head =
        LLVMAppendBasicBlockInContext(jit->context, function, "");
    LLVMMoveBasicBlockBefore(head, tail);
    jit_redirect_branches(function, tail, head);
    LLVMPositionBuilderAtEnd(jit->builder, head);
    for (LLVMValueRef at = LLVMGetFirstInstruction(tail); at != call;
         at = LLVMGetFirstInstruction(tail)) {
        LLVMInstructionRemoveFromParent(at);
        LLVMInsertIntoBuilder(jit->builder, at);
    }
    return head;
}

/* Returns true if the PTX text may need more than one basic block, because it
 * has a predicate, a label, or an instruction that becomes a loop or a branch.
 * (Names such as shared::cta, which contain a colon, are not distinguished
 * from labels.) */
static bool
needs_blocks(const char *text)
{
    return strpbrk(text, "@:") || strstr(text, ".noftz") ||
           strstr(text, "sured") || strstr(text, "cp.reduce");
}

static bool
translate(struct ptx *ptx, const char *text)
{
    struct ptx_statement statement;
    bool right = true;
    while (right && *text) {
        right = ptx_parse(ptx, &text, &statement) &&
                ptx_build_statement(ptx, &statement);
    }
    while (right && ptx->flow->depth) {
        right = ptx_close_scope(ptx);
    }
    return ptx_close_labels(ptx) && right;
}

const char *
jit_translate_ptx(struct jit *jit, LLVMValueRef call)
{
    size_t length;
    const char *given =
        LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &length);
    const char *text = jit_copy(given, length);
    struct ptx *ptx = jit_allocate(sizeof *ptx);
    struct ptx_flow flow = {0};
    LLVMBasicBlockRef tail = LLVMGetInstructionParent(call);
    unsigned results;
    ptx->jit = jit;
    ptx->flow = &flow;
    ptx->function = LLVMGetBasicBlockParent(tail);
    ptx->entry = LLVMCreateBuilderInContext(jit->context);
    bool split = needs_blocks(text);
    if (split) {
        split_before(jit, call);
    } else {
        LLVMPositionBuilderBefore(jit->builder, call);
    }
    LLVMSetCurrentDebugLocation2(jit->builder,
                                 LLVMInstructionGetDebugLoc(call));
    bool right = declare_operands(ptx, call, &results) && translate(ptx, text);
    if (split) {
        LLVMBuildBr(jit->builder, tail);
        LLVMPositionBuilderBefore(jit->builder, call);
    }
    if (right) {
        replace_call(ptx, call, results);
    }
    LLVMSetCurrentDebugLocation2(jit->builder, NULL);
    LLVMDisposeBuilder(ptx->entry);
    const char *wrong = ptx->wrong;
    free(ptx->symbols);
    free(ptx);
    return right ? NULL : wrong ? wrong : "its syntax is not supported";
}
