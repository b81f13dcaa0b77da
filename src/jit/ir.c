/* ir.c - helpers for the LLVM-C API, shared by the passes.
 *
 * The helpers change only the module. ir.h describes each of them.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/report.h"

void
jit_each_instruction(struct jit *jit, LLVMValueRef function, jit_visit *visit,
                     void *data)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef next, at = LLVMGetFirstInstruction(block);
        for (; at; at = next) {
            next = LLVMGetNextInstruction(at);
            visit(jit, at, data);
        }
    }
}

void
jit_each_instruction_of_module(struct jit *jit, jit_visit *visit, void *data)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        jit_each_instruction(jit, function, visit, data);
    }
}

const char *
jit_name(LLVMValueRef value)
{
    size_t length;
    return LLVMGetValueName2(value, &length);
}

const char *
jit_section(LLVMValueRef variable)
{
    const char *section = LLVMGetSection(variable);
    return section ? section : "";
}

LLVMValueRef
jit_callee(LLVMValueRef instruction)
{
    if (!LLVMIsACallInst(instruction)) {
        return NULL;
    }
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    return LLVMIsAFunction(callee) ? callee : NULL;
}

bool
jit_has_opcode(LLVMValueRef value, LLVMOpcode opcode)
{
    return LLVMIsAInstruction(value) &&
           LLVMGetInstructionOpcode(value) == opcode;
}

LLVMValueRef
jit_incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    unsigned count = LLVMCountIncoming(phi);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMGetIncomingBlock(phi, i) == from) {
            return LLVMGetIncomingValue(phi, i);
        }
    }
    return NULL;
}

bool
jit_calls(LLVMValueRef instruction, const char *name)
{
    LLVMValueRef callee = jit_callee(instruction);
    return callee && strcmp(jit_name(callee), name) == 0;
}

bool
jit_is_call(LLVMValueRef instruction, const char *prefix)
{
    LLVMValueRef callee = jit_callee(instruction);
    return callee && strncmp(jit_name(callee), prefix, strlen(prefix)) == 0;
}

enum jit_sight
jit_sight(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
        return LLVMGetVolatile(instruction) || LLVMGetOrdering(instruction) !=
                                                   LLVMAtomicOrderingNotAtomic
                   ? JIT_SIGHT_READ
                   : JIT_SIGHT_NONE;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return JIT_SIGHT_READ;
    case LLVMFence:
        return JIT_SIGHT_FENCE;
    default:
        return JIT_SIGHT_NONE;
    }
}

bool
jit_is_extreme(LLVMValueRef instruction)
{
    return jit_is_call(instruction, "llvm.smin.") ||
           jit_is_call(instruction, "llvm.smax.") ||
           jit_is_call(instruction, "llvm.umin.") ||
           jit_is_call(instruction, "llvm.umax.");
}

bool
jit_is_element_type(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return true;
    case LLVMIntegerTypeKind: {
        unsigned bits = LLVMGetIntTypeWidth(type);
        return bits == 1 || bits == 8 || bits == 16 || bits == 32 ||
               bits == 64;
    }
    default:
        return false;
    }
}

bool
jit_is_arithmetic(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMGetElementPtr:
        return true;
    default:
        return false;
    }
}

LLVMIntPredicate
jit_predicate_inverse(LLVMIntPredicate predicate)
{
    static const LLVMIntPredicate table[] = {
        [LLVMIntULT] = LLVMIntUGE, [LLVMIntULE] = LLVMIntUGT,
        [LLVMIntUGT] = LLVMIntULE, [LLVMIntUGE] = LLVMIntULT,
        [LLVMIntSLT] = LLVMIntSGE, [LLVMIntSLE] = LLVMIntSGT,
        [LLVMIntSGT] = LLVMIntSLE, [LLVMIntSGE] = LLVMIntSLT,
        [LLVMIntEQ] = LLVMIntNE,   [LLVMIntNE] = LLVMIntEQ};
    return table[predicate];
}

LLVMIntPredicate
jit_predicate_mirrored(LLVMIntPredicate predicate)
{
    static const LLVMIntPredicate table[] = {
        [LLVMIntULT] = LLVMIntUGT, [LLVMIntULE] = LLVMIntUGE,
        [LLVMIntUGT] = LLVMIntULT, [LLVMIntUGE] = LLVMIntULE,
        [LLVMIntSLT] = LLVMIntSGT, [LLVMIntSLE] = LLVMIntSGE,
        [LLVMIntSGT] = LLVMIntSLT, [LLVMIntSGE] = LLVMIntSLE,
        [LLVMIntEQ] = LLVMIntEQ,   [LLVMIntNE] = LLVMIntNE};
    return table[predicate];
}

void
jit_replace(LLVMValueRef instruction, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(instruction, by);
    LLVMInstructionEraseFromParent(instruction);
}

/* Replaces the instruction by a new one without the fast-math flag `contract`:
 * LLVM-C can add fast-math flags to an instruction but not remove them. */
void
jit_forbid_contraction(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    (void)data;
    if (opcode != LLVMFAdd && opcode != LLVMFSub && opcode != LLVMFMul) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMValueRef made =
        LLVMBuildBinOp(jit->builder, opcode, LLVMGetOperand(at, 0),
                       LLVMGetOperand(at, 1), "");
    if (LLVMIsAInstruction(made)) {
        LLVMSetFastMathFlags(
            made, LLVMGetFastMathFlags(at) &
                      ~(LLVMFastMathFlags)LLVMFastMathAllowContract);
    }
    jit_replace(at, made);
}

static unsigned
attribute_kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

void
jit_add_attribute(struct jit *jit, LLVMValueRef function, const char *name)
{
    LLVMAddAttributeAtIndex(
        function, LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(jit->context, attribute_kind(name), 0));
}

void
jit_drop_attribute(LLVMValueRef function, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                   attribute_kind(name));
}

bool
jit_has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       attribute_kind(name)) != NULL;
}

LLVMValueRef
jit_constant(struct jit *jit, uint64_t value)
{
    return LLVMConstInt(jit->i32, value, 0);
}

LLVMValueRef
jit_declare(struct jit *jit, const char *name, LLVMTypeRef result,
            LLVMTypeRef *types, unsigned count)
{
    LLVMValueRef function = LLVMGetNamedFunction(jit->module, name);
    if (!function) {
        function = LLVMAddFunction(jit->module, name,
                                   LLVMFunctionType(result, types, count, 0));
        jit_add_attribute(jit, function, "nounwind");
    }
    return function;
}

void
jit_run_passes(struct jit *jit, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error =
        LLVMRunPasses(jit->module, passes, jit->machine, options);
    if (error) {
        jit_die("passes: %s", LLVMGetErrorMessage(error));
    }
    LLVMDisposePassBuilderOptions(options);
}

bool
jit_address_taken(LLVMValueRef function)
{
    LLVMUseRef use = LLVMGetFirstUse(function);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function) {
            return true;
        }
        unsigned count = LLVMGetNumArgOperands(user);
        for (unsigned i = 0; i < count; i++) {
            if (LLVMGetOperand(user, i) == function) {
                return true;
            }
        }
    }
    return false;
}

/* Inserts instructions before `at` that compute a constant expression with
 * `by` in place of `value`. Returns the instruction that computes the
 * result. */
static LLVMValueRef
constant_to_instruction(struct jit *jit, LLVMValueRef constant,
                        LLVMValueRef value, LLVMValueRef by, LLVMValueRef at)
{
    if (constant == value) {
        return by;
    }
    if (!LLVMIsAConstantExpr(constant)) {
        return constant;
    }
    LLVMValueRef operands[64];
    int count = LLVMGetNumOperands(constant);
    if (count > 64) {
        jit_die("a constant expression has %d operands", count);
    }
    for (int i = 0; i < count; i++) {
        operands[i] = constant_to_instruction(
            jit, LLVMGetOperand(constant, (unsigned)i), value, by, at);
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMOpcode opcode = LLVMGetConstOpcode(constant);
    if (opcode == LLVMGetElementPtr) {
        return LLVMBuildGEP2(
            jit->builder, LLVMGetGEPSourceElementType(constant), operands[0],
            operands + 1, (unsigned)count - 1, "");
    }
    if (count == 1) {
        return LLVMBuildCast(jit->builder, opcode, operands[0],
                             LLVMTypeOf(constant), "");
    }
    return LLVMBuildBinOp(jit->builder, opcode, operands[0], operands[1], "");
}

struct expansion {
    LLVMValueRef value;
    jit_make *make;
    void *data;
};

static void
expand_operands(struct jit *jit, LLVMValueRef user, LLVMValueRef constant,
                struct expansion *how)
{
    LLVMValueRef function =
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    LLVMValueRef by = how->make(jit, function, how->data);
    int count = LLVMGetNumOperands(user);
    for (int i = 0; i < count; i++) {
        if (LLVMGetOperand(user, (unsigned)i) != constant) {
            continue;
        }
        LLVMValueRef at = user;
        if (LLVMIsAPHINode(user)) {
            at = LLVMGetBasicBlockTerminator(
                LLVMGetIncomingBlock(user, (unsigned)i));
        }
        LLVMSetOperand(
            user, (unsigned)i,
            constant_to_instruction(jit, constant, how->value, by, at));
    }
}

static void
expand_uses(struct jit *jit, LLVMValueRef constant, struct expansion *how)
{
    LLVMUseRef next, use = LLVMGetFirstUse(constant);
    for (; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user)) {
            expand_operands(jit, user, constant, how);
            next = LLVMGetFirstUse(constant);
            /* Find the next use by an instruction. Uses by constant
             * expressions are skipped here; the loop below replaces them. */
            while (next && !LLVMIsAInstruction(LLVMGetUser(next))) {
                next = LLVMGetNextUse(next);
            }
        }
    }
    for (use = LLVMGetFirstUse(constant); use; use = LLVMGetNextUse(use)) {
        if (LLVMIsAConstantExpr(LLVMGetUser(use))) {
            expand_uses(jit, LLVMGetUser(use), how);
        }
    }
}

void
jit_expand_constant(struct jit *jit, LLVMValueRef value, jit_make *make,
                    void *data)
{
    struct expansion how = {value, make, data};
    expand_uses(jit, value, &how);
}

void
jit_redirect_branches(LLVMValueRef function, LLVMBasicBlockRef from,
                      LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function);
    for (; at; at = LLVMGetNextBasicBlock(at)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
        unsigned count = end ? LLVMGetNumSuccessors(end) : 0;
        for (unsigned i = 0; i < count; i++) {
            if (LLVMGetSuccessor(end, i) == from) {
                LLVMSetSuccessor(end, i, to);
            }
        }
    }
}

LLVMValueRef
jit_repeat_operation(LLVMBuilderRef builder, LLVMValueRef at,
                     LLVMValueRef operands[3], LLVMTypeRef type)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    LLVMValueRef first = operands[0], second = operands[1];

    switch (opcode) {
    case LLVMICmp:
        return LLVMBuildICmp(builder, LLVMGetICmpPredicate(at), first, second,
                             "");
    case LLVMFCmp:
        return LLVMBuildFCmp(builder, LLVMGetFCmpPredicate(at), first, second,
                             "");
    case LLVMSelect:
        return LLVMBuildSelect(builder, first, second, operands[2], "");
    case LLVMFNeg:
        return LLVMBuildFNeg(builder, first, "");
    case LLVMFreeze:
        return LLVMBuildFreeze(builder, first, "");
    default:
        return second ? LLVMBuildBinOp(builder, opcode, first, second, "")
                      : LLVMBuildCast(builder, opcode, first, type, "");
    }
}

unsigned
jit_line_of(LLVMValueRef at)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(at);
    unsigned line = 0;

    for (; location; location = LLVMDILocationGetInlinedAt(location)) {
        unsigned length = 0;
        LLVMMetadataRef file =
            LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
        const char *name = file ? LLVMDIFileGetFilename(file, &length) : "";

        line = LLVMDILocationGetLine(location);
        if (!strstr(jit_copy(name, length), "/pycuda/cuda/")) {
            return line;
        }
    }
    return line;
}
