/* flow.c - scopes, labels, branches and returns of PTX.
 *
 * A branch may use a label that is defined later, in the same scope or in an
 * enclosing one. So a branch to an unknown name creates an undefined label in
 * the current scope. When the scope ends, a label that is still undefined
 * becomes a label of the enclosing scope.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/ptx.h"
#include "jit/report.h"

enum { MAX_DEPTH = 1000 };

/* ---- blocks ---- */

static LLVMBasicBlockRef
current_block(struct ptx *ptx)
{
    return LLVMGetInsertBlock(ptx->jit->builder);
}

static LLVMBasicBlockRef
add_block(struct ptx *ptx)
{
    LLVMBasicBlockRef block =
        LLVMAppendBasicBlockInContext(ptx->jit->context, ptx->function, "");
    LLVMMoveBasicBlockAfter(block, current_block(ptx));
    return block;
}

/* Continues the code in `block`. If the current block has not ended yet, ends
 * it with a branch to `block`. */
static void
enter_block(struct ptx *ptx, LLVMBasicBlockRef block)
{
    if (!LLVMGetBasicBlockTerminator(current_block(ptx))) {
        LLVMBuildBr(ptx->jit->builder, block);
    }
    LLVMMoveBasicBlockAfter(block, current_block(ptx));
    LLVMPositionBuilderAtEnd(ptx->jit->builder, block);
    ptx->carry = NULL;
}

LLVMBasicBlockRef
ptx_new_block(struct ptx *ptx)
{
    LLVMBasicBlockRef block = add_block(ptx);
    LLVMPositionBuilderAtEnd(ptx->jit->builder, block);
    return block;
}

struct ptx_conditional
ptx_conditional_begin(struct ptx *ptx, LLVMValueRef condition)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(ptx->jit->builder);

    return (struct ptx_conditional){condition, from, ptx_new_block(ptx)};
}

void
ptx_conditional_end(struct ptx *ptx, const struct ptx_conditional *conditional)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMBasicBlockRef last = LLVMGetInsertBlock(builder);
    LLVMBasicBlockRef next = ptx_new_block(ptx);

    LLVMPositionBuilderAtEnd(builder, conditional->from);
    LLVMBuildCondBr(builder, conditional->condition, conditional->then, next);
    LLVMPositionBuilderAtEnd(builder, last);
    LLVMBuildBr(builder, next);
    LLVMPositionBuilderAtEnd(builder, next);
}

/* ---- labels ---- */

static struct ptx_label *
find_label(struct ptx_flow *flow, const char *name, unsigned depth)
{
    for (unsigned i = flow->label_count; i--;) {
        struct ptx_label *label = &flow->labels[i];
        if (label->depth == depth && strcmp(label->name, name) == 0) {
            return label;
        }
    }
    return NULL;
}

/* Returns the label `name` of the current scope. Adds the label if the scope
 * has none of this name. */
static struct ptx_label *
get_label(struct ptx *ptx, const char *name)
{
    struct ptx_flow *flow = ptx->flow;
    struct ptx_label *label = find_label(flow, name, flow->depth);
    if (label) {
        return label;
    }
    if (flow->label_count == flow->label_capacity) {
        flow->label_capacity = 2 * flow->label_capacity + 16;
        flow->labels =
            realloc(flow->labels, flow->label_capacity * sizeof *flow->labels);
        if (!flow->labels) {
            jit_die("out of memory");
        }
    }
    label = &flow->labels[flow->label_count++];
    *label = (struct ptx_label){name, add_block(ptx), flow->depth, false};
    return label;
}

bool
ptx_define_label(struct ptx *ptx, const char *name)
{
    struct ptx_label *label = get_label(ptx, name);
    if (label->defined) {
        return ptx_fail(ptx, "the label '%s' is defined twice", name);
    }
    label->defined = true;
    enter_block(ptx, label->block);
    return true;
}

/* ---- scopes ---- */

bool
ptx_open_scope(struct ptx *ptx)
{
    struct ptx_flow *flow = ptx->flow;
    if (flow->depth == MAX_DEPTH) {
        return ptx_fail(ptx, "it has more than %d scopes", MAX_DEPTH);
    }
    if (flow->depth == flow->scope_capacity) {
        flow->scope_capacity = 2 * flow->scope_capacity + 8;
        flow->scopes =
            realloc(flow->scopes, flow->scope_capacity * sizeof *flow->scopes);
        if (!flow->scopes) {
            jit_die("out of memory");
        }
    }
    flow->scopes[flow->depth++] = ptx->symbol_count;
    return true;
}

/* Moves an undefined label to the enclosing scope. If the enclosing scope
 * already has a label of this name, the code at `label` becomes a branch to
 * that one instead, and the result is false. */
static bool
move_label(struct ptx *ptx, struct ptx_label *label)
{
    struct ptx_label *outer =
        find_label(ptx->flow, label->name, label->depth - 1);
    if (!outer) {
        label->depth--;
        return true;
    }
    LLVMBasicBlockRef at = current_block(ptx);
    LLVMPositionBuilderAtEnd(ptx->jit->builder, label->block);
    LLVMBuildBr(ptx->jit->builder, outer->block);
    LLVMPositionBuilderAtEnd(ptx->jit->builder, at);
    return false;
}

bool
ptx_close_scope(struct ptx *ptx)
{
    struct ptx_flow *flow = ptx->flow;
    unsigned left = 0;
    if (!flow->depth) {
        return ptx_fail(ptx, "a brace closes no scope");
    }
    for (unsigned i = 0; i < flow->label_count; i++) {
        struct ptx_label *label = &flow->labels[i];
        bool inner = label->depth == flow->depth;
        if (!inner || (!label->defined && move_label(ptx, label))) {
            flow->labels[left++] = *label;
        }
    }
    flow->label_count = left;
    flow->depth--;
    if (!PLANTED_FAULT(ptx_scope_leaks)) {
        ptx_drop_symbols(ptx, flow->scopes[flow->depth]);
    }
    return true;
}

bool
ptx_close_labels(struct ptx *ptx)
{
    struct ptx_flow *flow = ptx->flow;
    bool right = true;
    for (unsigned i = 0; i < flow->label_count; i++) {
        struct ptx_label *label = &flow->labels[i];
        if (!label->defined) {
            right =
                ptx_fail(ptx, "the label '%s' is not defined", label->name);
            LLVMPositionBuilderAtEnd(ptx->jit->builder, label->block);
            LLVMBuildUnreachable(ptx->jit->builder);
        }
    }
    flow->label_count = 0;
    return right;
}

/* ---- branches ---- */

bool
ptx_build_branch(struct ptx *ptx, const struct ptx_statement *statement)
{
    if (statement->operand_count != 1 ||
        statement->operands[0].kind != PTX_REGISTER) {
        return ptx_fail(ptx, "bra needs a label");
    }
    LLVMBasicBlockRef to =
        get_label(ptx, statement->operands[0].names[0])->block;
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMBasicBlockRef next = add_block(ptx);
    if (ptx->predicate) {
        LLVMBuildCondBr(builder, ptx->predicate, to, next);
    } else {
        LLVMBuildBr(builder, to);
    }
    LLVMPositionBuilderAtEnd(builder, next);
    return true;
}

bool
ptx_build_indexed_branch(struct ptx *ptx,
                         const struct ptx_statement *statement)
{
    struct ptx_type type = {'u', 32};
    LLVMBuilderRef builder = ptx->jit->builder;
    if (statement->operand_count != 2) {
        return ptx_fail(ptx, "brx.idx needs an index and a list of labels");
    }
    struct ptx_symbol *list = ptx_find(ptx, statement->operands[1].names[0]);
    if (!list || list->kind != PTX_SYMBOL_TARGETS) {
        return ptx_fail(ptx, "'%s' is not a list of labels",
                        statement->operands[1].names[0]);
    }
    const char *at = list->raw, *word;
    LLVMValueRef index = ptx_read(ptx, &statement->operands[0], type, false);
    if (!index) {
        return false;
    }
    LLVMBasicBlockRef from = current_block(ptx);
    LLVMBasicBlockRef wrong = add_block(ptx);
    LLVMPositionBuilderAtEnd(builder, wrong);
    LLVMBuildUnreachable(builder);
    LLVMPositionBuilderAtEnd(builder, from);
    LLVMValueRef jump = LLVMBuildSwitch(builder, index, wrong, 8);
    for (unsigned i = 0;; i++) {
        at = ptx_read_word(ptx, ptx_skip(at), &word, "");
        if (!at) {
            return ptx_fail(ptx, "a list of labels is not correct");
        }
        LLVMAddCase(jump,
                    jit_constant(ptx->jit, i ^ PLANTED_FAULT(ptx_table_pairs)),
                    get_label(ptx, word)->block);
        at = ptx_skip(at);
        if (*at != ',') {
            break;
        }
        at++;
    }
    ptx_new_block(ptx);
    return true;
}

/* ---- the end of a function ---- */

static void
build_return(struct ptx *ptx)
{
    const struct ptx_signature *own = ptx->flow->signature;
    LLVMBuilderRef builder = ptx->jit->builder;
    if (own->is_entry || !own->result_count) {
        LLVMBuildRetVoid(builder);
        return;
    }
    LLVMTypeRef type = LLVMGetReturnType(own->type);
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind) {
        LLVMBuildRet(builder,
                     LLVMBuildLoad2(builder, type, ptx->flow->results[0], ""));
        return;
    }
    LLVMValueRef all = LLVMGetUndef(type);
    for (unsigned i = 0; i < own->result_count; i++) {
        LLVMValueRef one =
            LLVMBuildLoad2(builder, LLVMStructGetTypeAtIndex(type, i),
                           ptx->flow->results[i], "");
        all = LLVMBuildInsertValue(builder, all, one, i, "");
    }
    LLVMBuildRet(builder, all);
}

bool
ptx_build_return(struct ptx *ptx, const struct ptx_statement *statement)
{
    (void)statement;
    if (!ptx->flow->signature) {
        return ptx_fail(ptx, "'ret' is not possible in an asm statement");
    }
    build_return(ptx);
    ptx_new_block(ptx);
    return true;
}

bool
ptx_build_exit(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    (void)statement;
    if (ptx->flow->signature && ptx->flow->signature->is_entry) {
        LLVMBuildRetVoid(jit->builder);
        ptx_new_block(ptx);
        return true;
    }
    LLVMValueRef function = jit_declare(
        jit, "__pycuda_exit", LLVMVoidTypeInContext(jit->context), NULL, 0);
    jit_add_attribute(jit, function, "noreturn");
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function), function,
                   NULL, 0, "");
    return true;
}

void
ptx_end_function(struct ptx *ptx)
{
    if (!LLVMGetBasicBlockTerminator(current_block(ptx))) {
        build_return(ptx);
    }
}
