/* values.c - writes the instructions of a function for a pack of threads,
 * except memory accesses and control flow.
 *
 * Called by flow.c. A linear value (shapes.c) is computed for lane 0 only, and
 * becomes a vector where one is needed. Other values are vectors.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/output/slow_path.h"
#include "jit/pack/assumptions.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

/* ---- vectors ---- */

static LLVMTypeRef
wide_type(const struct jit_pack_writer *to, LLVMTypeRef type)
{
    return LLVMVectorType(type, to->width);
}

LLVMValueRef
jit_pack_splat(struct jit_pack_writer *to, LLVMValueRef scalar)
{
    LLVMBuilderRef builder = to->builder;
    if (LLVMIsConstant(scalar)) {
        LLVMValueRef *all = jit_allocate(to->width * sizeof(LLVMValueRef));
        for (unsigned i = 0; i < to->width; i++) {
            all[i] = scalar;
        }
        LLVMValueRef constant = LLVMConstVector(all, to->width);
        free(all);
        return constant;
    }
    LLVMTypeRef type = wide_type(to, LLVMTypeOf(scalar));
    LLVMValueRef first = LLVMBuildInsertElement(
        builder, LLVMGetPoison(type), scalar, jit_constant(to->jit, 0), "");
    return LLVMBuildShuffleVector(builder, first, LLVMGetPoison(type),
                                  LLVMConstNull(wide_type(to, to->jit->i32)),
                                  "");
}

LLVMValueRef
jit_pack_steps(const struct jit_pack_writer *to, LLVMTypeRef type,
               int64_t stride)
{
    LLVMValueRef *all = jit_allocate(to->width * sizeof(LLVMValueRef));
    for (unsigned i = 0; i < to->width; i++) {
        all[i] = LLVMConstInt(type, (uint64_t)(stride * (int64_t)i), 0);
    }
    LLVMValueRef vector = LLVMConstVector(all, to->width);
    free(all);
    return vector;
}

/* ---- slots ---- */

LLVMValueRef
jit_pack_slot(struct jit_pack_writer *to, LLVMTypeRef type)
{
    LLVMBasicBlockRef now = LLVMGetInsertBlock(to->builder);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(to->entry);
    LLVMPositionBuilderBefore(to->builder, end);
    LLVMValueRef slot = LLVMBuildAlloca(to->builder, type, "");
    LLVMPositionBuilderAtEnd(to->builder, now);
    return slot;
}

LLVMTypeRef
jit_pack_type(const struct jit_pack_writer *to, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return jit_pack_is_linear(to->body, value) ? type : wide_type(to, type);
}

LLVMValueRef
jit_pack_slot_of(struct jit_pack_writer *to, LLVMValueRef value)
{
    unsigned *at = jit_map_slot(&to->slot_index, value);
    if (!*at) {
        *at = ++to->slot_count;
        to->slots[*at - 1] = jit_pack_slot(to, jit_pack_type(to, value));
    }
    return to->slots[*at - 1];
}

/* Tests whether another basic block may need the value. Operands of addresses
 * and of extended indices count as well: a load or store in another basic
 * block may use such an operand directly, instead of the address
 * (jit_pack_row_index). */
static bool
used_elsewhere(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAPHINode(user) || LLVMIsAGetElementPtrInst(user) ||
            LLVMIsAZExtInst(user) || LLVMIsASExtInst(user) ||
            jit_pack_is_low_half(user) ||
            LLVMGetInstructionParent(user) !=
                LLVMGetInstructionParent(value)) {
            return true;
        }
    }
    return false;
}

void
jit_pack_define(struct jit_pack_writer *to, LLVMValueRef value,
                LLVMValueRef by)
{
    to->locals[to->local_count] = by;
    *jit_map_slot(&to->local_index, value) = ++to->local_count;
    if (used_elsewhere(value)) {
        LLVMBuildStore(to->builder, by, jit_pack_slot_of(to, value));
    }
}

/* Returns, for a value of the kernel body, its value in lane 0 if it is linear
 * (grows by a constant from lane to lane); otherwise the vector of its values
 * in all lanes. */
static LLVMValueRef
form_of(struct jit_pack_writer *to, LLVMValueRef value)
{
    if (LLVMIsAArgument(value)) {
        LLVMValueRef body = to->body->kernel->body;
        for (unsigned i = 0; i < LLVMCountParams(body); i++) {
            if (LLVMGetParam(body, i) == value) {
                return LLVMGetParam(to->function, i);
            }
        }
    }
    if (!LLVMIsAInstruction(value)) {
        return value;
    }
    unsigned local = jit_map_get(&to->local_index, value);
    bool here = jit_cfg_index(&to->body->cfg,
                              LLVMGetInstructionParent(value)) == to->block;
    return local && here
               ? to->locals[local - 1]
               : LLVMBuildLoad2(to->builder, jit_pack_type(to, value),
                                jit_pack_slot_of(to, value), "");
}

LLVMValueRef
jit_pack_scalar(struct jit_pack_writer *to, LLVMValueRef value)
{
    return form_of(to, value);
}

LLVMValueRef
jit_pack_vector(struct jit_pack_writer *to, LLVMValueRef value)
{
    struct jit_shape shape = jit_pack_shape(to->body, value);
    LLVMValueRef form = form_of(to, value);
    LLVMTypeRef type = LLVMTypeOf(value);
    if (shape.kind == JIT_SHAPE_VECTOR) {
        return form;
    }
    int64_t stride =
        shape.stride + PLANTED_FAULT(pack_stride) * (shape.stride == 1);
    if (stride == 0) {
        return jit_pack_splat(to, form);
    }
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMValueRef bytes = jit_pack_steps(to, to->jit->i64, stride);
        return LLVMBuildGEP2(to->builder, to->jit->i8, form, &bytes, 1, "");
    }
    return LLVMBuildAdd(to->builder, jit_pack_splat(to, form),
                        jit_pack_steps(to, type, stride), "");
}

LLVMValueRef
jit_pack_as(struct jit_pack_writer *to, LLVMValueRef value, LLVMValueRef like)
{
    return jit_pack_is_linear(to->body, like) ? jit_pack_scalar(to, value)
                                              : jit_pack_vector(to, value);
}

/* ---- which instructions a pack can contain ---- */

bool
jit_pack_ignores(LLVMValueRef at)
{
    return jit_is_note(at) || jit_is_call(at, "llvm.lifetime.");
}

static bool
type_fits(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMPointerTypeKind:
    case LLVMVoidTypeKind:
        return true;
    default:
        return jit_is_element_type(type);
    }
}

bool
jit_pack_accepts(LLVMValueRef at)
{
    enum { MOST_INDICES = 15 };
    int count = LLVMGetNumOperands(at);
    if (jit_pack_ignores(at)) {
        return true;
    }
    if (LLVMIsAGetElementPtrInst(at) && count > 1 + MOST_INDICES) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, (unsigned)i);
        if (!LLVMValueIsBasicBlock(operand) && !LLVMIsAFunction(operand) &&
            !type_fits(LLVMTypeOf(operand))) {
            return false;
        }
    }
    if (!type_fits(LLVMTypeOf(at))) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMAlloca:
    case LLVMFence:
    case LLVMVAArg:
    case LLVMIndirectBr:
    case LLVMInvoke:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return false;
    case LLVMCall:
        return jit_callee(at) != NULL;
    default:
        return true;
    }
}

/* ---- instructions ---- */

/* Removes the flags nsw and nuw from a copy for lane 0. With these flags, the
 * result is poison if the operation wraps. In lane 0 it may wrap if lane 0
 * does not execute the instruction. */
static void
drop_flags(LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNSW(at, 0);
        LLVMSetNUW(at, 0);
        break;
    default:
        break;
    }
}

/* Returns the index of the first lane in the mask. */
static LLVMValueRef
first_lane(struct jit_pack_writer *to)
{
    static const char name[] = "llvm.cttz";
    LLVMTypeRef type = LLVMIntTypeInContext(to->jit->context, to->width);
    LLVMValueRef count = LLVMGetIntrinsicDeclaration(
        to->jit->module, LLVMLookupIntrinsicID(name, sizeof name - 1), &type,
        1);
    LLVMValueRef arguments[2] = {
        LLVMBuildBitCast(to->builder, to->mask, type, ""),
        LLVMConstNull(to->jit->i1)};

    return LLVMBuildCall2(to->builder, LLVMGlobalGetValueType(count), count,
                          arguments, 2, "");
}

/* Extends the linear value `operand` to the wider type. `first` is the value
 * of `operand` in lane 0. Returns the extended value e for lane 0 such that e
 * + l * stride is right for each lane l of the mask. If lane 0 is not in the
 * mask, its value may have wrapped around; so e is computed back from the
 * first lane in the mask. */
static LLVMValueRef
extend_linear(struct jit_pack_writer *to, LLVMValueRef operand,
              LLVMValueRef first, LLVMOpcode extension, LLVMTypeRef type)
{
    LLVMBuilderRef builder = to->builder;
    int64_t stride = jit_pack_shape(to->body, operand).stride;
    LLVMTypeRef narrow = LLVMTypeOf(first);
    if (stride == 0) {
        return LLVMBuildCast(builder, extension, first, type, "");
    }
    LLVMValueRef lane = first_lane(to);
    LLVMValueRef step =
        LLVMBuildMul(builder, LLVMBuildIntCast2(builder, lane, narrow, 0, ""),
                     LLVMConstInt(narrow, (uint64_t)stride, 1), "");
    LLVMValueRef far_step =
        LLVMBuildMul(builder, LLVMBuildIntCast2(builder, lane, type, 0, ""),
                     LLVMConstInt(type, (uint64_t)stride, 1), "");
    LLVMValueRef made = LLVMBuildCast(
        builder, extension, LLVMBuildAdd(builder, first, step, ""), type, "");
    return LLVMBuildSub(builder, made, far_step, "");
}

/* The result of the instruction `at` grows by a constant from lane to lane,
 * and `copy` computes it for lane 0. If lane 0 does not execute `at`, the
 * result of the copy might be poison. Replaces the copy by an instruction
 * whose result is never poison. Adding multiples of the constant to the result
 * gives the values of the other lanes. */
static LLVMValueRef
for_any_lane(struct jit_pack_writer *to, LLVMValueRef at, LLVMValueRef copy)
{
    LLVMBuilderRef builder = to->builder;
    LLVMValueRef first = LLVMGetOperand(copy, 0), made = copy, indices[15];
    unsigned count = (unsigned)LLVMGetNumOperands(copy);
    switch (LLVMGetInstructionOpcode(copy)) {
    /* An OR of operands without common bits is a sum. In lane 0 they may have
     * common bits if lane 0 does not execute the instruction. */
    case LLVMOr:
        made = LLVMBuildAdd(builder, first, LLVMGetOperand(copy, 1), "");
        break;
    case LLVMZExt:
    case LLVMSExt:
        made = extend_linear(to, LLVMGetOperand(at, 0), first,
                             LLVMGetInstructionOpcode(at), LLVMTypeOf(at));
        break;
    case LLVMTrunc:
        made = LLVMBuildTrunc(builder, first, LLVMTypeOf(at), "");
        break;
    case LLVMGetElementPtr:
        for (unsigned i = 1; i < count; i++) {
            LLVMValueRef index = LLVMGetOperand(copy, i);
            unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(index));
            indices[i - 1] =
                bits >= 64 || LLVMIsAConstant(index)
                    ? index
                    : extend_linear(to, LLVMGetOperand(at, i), index, LLVMSExt,
                                    to->jit->i64);
        }
        made = LLVMBuildGEP2(builder, LLVMGetGEPSourceElementType(at), first,
                             indices, count - 1, "");
        break;
    default:
        drop_flags(copy);
        return copy;
    }
    LLVMInstructionEraseFromParent(copy);
    return made;
}

/* Writes the instruction for lane 0 only. The result grows by a constant from
 * lane to lane, so the values of the other lanes follow from the value of lane
 * 0. */
static LLVMValueRef
write_scalar(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMValueRef copy = LLVMInstructionClone(at);
    int count = LLVMGetNumOperands(at);
    bool uniform =
        true; /* true if each operand has the same value in all lanes */
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, (unsigned)i);
        if (!LLVMIsAFunction(operand)) {
            uniform &= jit_pack_is_uniform(to->body, operand);
            LLVMSetOperand(copy, (unsigned)i, jit_pack_scalar(to, operand));
        }
    }
    LLVMInstructionSetDebugLoc(copy, NULL);
    LLVMInsertIntoBuilder(to->builder, copy);
    if (!to->whole && !uniform) {
        return for_any_lane(to, at, copy);
    }
    return copy;
}

static LLVMValueRef
write_address(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMValueRef operands[16];
    unsigned count = (unsigned)LLVMGetNumOperands(at);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, i);
        operands[i] = jit_pack_is_uniform(to->body, operand)
                          ? jit_pack_scalar(to, operand)
                          : jit_pack_vector(to, operand);
    }
    return LLVMBuildGEP2(to->builder, LLVMGetGEPSourceElementType(at),
                         operands[0], operands + 1, count - 1, "");
}

/* Returns the vector of the divisors. Lanes that do not execute the division
 * get 1, since their divisor might be 0. */
static LLVMValueRef
safe_divisor(struct jit_pack_writer *to, LLVMValueRef divisor)
{
    LLVMValueRef wide = jit_pack_vector(to, divisor);
    if (LLVMIsAConstantInt(divisor)) {
        return wide;
    }
    LLVMValueRef one =
        jit_pack_splat(to, LLVMConstInt(LLVMTypeOf(divisor), 1, 0));
    return LLVMBuildSelect(to->builder, to->mask, wide, one, "");
}

static LLVMValueRef
write_intrinsic(struct jit_pack_writer *to, LLVMValueRef at, bool same)
{
    LLVMValueRef arguments[8], callee = jit_callee(at);
    unsigned count = LLVMGetNumArgOperands(at);
    LLVMTypeRef types[2] = {wide_type(to, LLVMTypeOf(at))};
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, i);
        arguments[i] =
            same && i + 1 == count ? operand : jit_pack_vector(to, operand);
    }
    bool converts = jit_is_call(at, "llvm.fpto");
    types[1] = LLVMTypeOf(arguments[0]);
    callee = LLVMGetIntrinsicDeclaration(
        to->jit->module, LLVMGetIntrinsicID(callee), types, 1 + converts);
    return LLVMBuildCall2(to->builder, LLVMGlobalGetValueType(callee), callee,
                          arguments, count, "");
}

/* Writes the slow path of a mathematical function, `is_slow ? F(x, ...) :
 * fast_value`: calls F for the lanes of the mask for which the condition
 * `is_slow` is true. */
static LLVMValueRef
write_slow_path(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMValueRef arguments[4];
    unsigned count = LLVMGetNumArgOperands(at);
    for (unsigned i = 0; i < count; i++) {
        arguments[i] = jit_pack_vector(to, LLVMGetOperand(at, i));
    }
    arguments[0] =
        LLVMBuildSelect(to->builder, to->mask, arguments[0],
                        LLVMConstNull(LLVMTypeOf(arguments[0])), "");
    LLVMValueRef callee =
        jit_slow_path_variant(to->jit, jit_callee(at), to->width);
    return LLVMBuildCall2(to->builder, LLVMGlobalGetValueType(callee), callee,
                          arguments, count, "");
}

static void
write_call(struct jit_pack_writer *to, LLVMValueRef at)
{
    bool same = false;
    if (jit_is_elementwise(at, &same) || jit_is_call(at, "llvm.fptosi.sat") ||
        jit_is_call(at, "llvm.fptoui.sat")) {
        LLVMValueRef made = write_intrinsic(to, at, same);
        if (LLVMCanValueUseFastMathFlags(at)) {
            LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(at));
        }
        jit_pack_define(to, at, made);
    } else if (jit_slow_path_function(jit_name(jit_callee(at))) &&
               LLVMIsDeclaration(jit_callee(at))) {
        jit_pack_define(to, at, write_slow_path(to, at));
    } else {
        jit_pack_serial(to, at);
    }
}

static LLVMValueRef
write_operation(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    bool divides = opcode == LLVMUDiv || opcode == LLVMSDiv ||
                   opcode == LLVMURem || opcode == LLVMSRem;
    LLVMValueRef operands[3] = {NULL};
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(at); i++) {
        LLVMValueRef operand = LLVMGetOperand(at, i);
        bool scalar = opcode == LLVMSelect && i == 0 &&
                      jit_pack_is_uniform(to->body, operand);
        operands[i] = scalar              ? jit_pack_scalar(to, operand)
                      : divides && i == 1 ? safe_divisor(to, operand)
                                          : jit_pack_vector(to, operand);
    }
    return jit_repeat_operation(to->builder, at, operands,
                                wide_type(to, LLVMTypeOf(at)));
}

void
jit_pack_instruction(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    if (jit_pack_ignores(at)) {
        return;
    }
    if (jit_pack_assumes_choice(to->body, at)) {
        jit_pack_write_choice(to, at);
        return;
    }
    if (jit_pack_assumes_quotient(to->body, at)) {
        jit_pack_write_quotient(to, at);
        return;
    }
    if (jit_pack_assumes_divisor(to->body, at)) {
        jit_pack_write_divisor_case(to, at);
        return;
    }
    if (jit_pack_assumes(to->body, at)) {
        jit_pack_check(to, at);
    }
    if (opcode == LLVMLoad) {
        jit_pack_load(to, at);
    } else if (opcode == LLVMStore) {
        jit_pack_store(to, at);
    } else if (opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg) {
        jit_pack_serial(to, at);
    } else if (opcode == LLVMCall &&
               (!jit_pack_is_linear(to->body, at) ||
                LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMVoidTypeKind)) {
        write_call(to, at);
    } else if (jit_pack_is_linear(to->body, at)) {
        jit_pack_define(to, at, write_scalar(to, at));
    } else if (opcode == LLVMGetElementPtr) {
        jit_pack_define(to, at, write_address(to, at));
    } else {
        LLVMValueRef made = write_operation(to, at);
        if (LLVMIsAInstruction(made) && LLVMCanValueUseFastMathFlags(at) &&
            LLVMCanValueUseFastMathFlags(made)) {
            LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(at));
        }
        jit_pack_define(to, at, made);
    }
}
