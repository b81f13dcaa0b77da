/* indices.c - lowers reads of threadIdx, blockIdx, blockDim, gridDim and
 * warpSize.
 *
 * The headers declare these five objects as variables without a definition. A
 * read of a member, such as threadIdx.x, becomes a call of __pycuda_tid or a
 * similar function, which geometry.c lowers. A function that copies a whole
 * object or takes its address gets a local copy of the object, which is
 * initialised when the function begins.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"

enum { AXES = 3, WARP_SIZE = 32 };

struct object {
    const char *variable;
    /* runtime function that returns the member x, y or z of the object; NULL
     * for warpSize */
    const char *reader;
    LLVMValueRef global;
};

static const struct object objects[] = {
    {"__const.threadIdx", "__pycuda_tid", NULL},
    {"__const.blockIdx", "__pycuda_ctaid", NULL},
    {"__const.blockDim", "__pycuda_ntid", NULL},
    {"__const.gridDim", "__pycuda_nctaid", NULL},
    {"__const.warpSize", NULL, NULL},
};

/* ---- an index or a size along one axis, such as threadIdx.x ---- */

static LLVMValueRef
declare_reader(struct jit *jit, const char *name)
{
    LLVMValueRef reader = jit_declare(jit, name, jit->i32, &jit->i32, 1);
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAddAttributeAtIndex(reader, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(jit->context, memory, 0));
    jit_add_attribute(jit, reader, "willreturn");
    return reader;
}

/* Builds the value of the object's member `axis` (0: x, 1: y, 2: z) at the
 * builder's position. */
static LLVMValueRef
build_axis(struct jit *jit, const struct object *object, unsigned axis)
{
    if (!object->reader) {
        return jit_constant(jit, WARP_SIZE);
    }
    LLVMValueRef reader = declare_reader(jit, object->reader);
    LLVMValueRef argument = jit_constant(jit, axis);
    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(reader), reader,
                          &argument, 1, "");
}

/* ---- reads of members ---- */

/* Returns which member of the object (0: x, 1: y, 2: z) the address refers to,
 * or -1 if the address is computed in another way. */
static int
member_of(const struct object *object, LLVMValueRef address)
{
    while (LLVMIsAConstantExpr(address) &&
           LLVMGetConstOpcode(address) == LLVMAddrSpaceCast) {
        address = LLVMGetOperand(address, 0);
    }
    if (address == object->global) {
        return 0;
    }
    if (!LLVMIsAConstantExpr(address) ||
        LLVMGetConstOpcode(address) != LLVMGetElementPtr ||
        member_of(object, LLVMGetOperand(address, 0)) != 0) {
        return -1;
    }
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    unsigned last = (unsigned)LLVMGetNumOperands(address) - 1;
    uint64_t index = LLVMConstIntGetZExtValue(LLVMGetOperand(address, last));
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        return last == 2 && index < AXES ? (int)index : -1;
    }
    bool bytes = LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
                 LLVMGetIntTypeWidth(type) == 8;
    return bytes && last == 1 && index % 4 == 0 && index < 4 * AXES
               ? (int)index / 4
               : -1;
}

static void
replace_read(struct jit *jit, LLVMValueRef at, void *data)
{
    const struct object *object = data;
    if (!LLVMIsALoadInst(at) || LLVMTypeOf(at) != jit->i32) {
        return;
    }
    int axis = member_of(object, LLVMGetOperand(at, 0));
    if (axis >= 0) {
        LLVMPositionBuilderBefore(jit->builder, at);
        jit_replace(at, build_axis(jit, object, (unsigned)axis));
    }
}

/* ---- all other uses ---- */

static LLVMValueRef
make_copy(struct jit *jit, LLVMValueRef function, void *data)
{
    const struct object *object = data;
    LLVMTypeRef type = LLVMGlobalGetValueType(object->global);
    LLVMPositionBuilderBefore(
        jit->builder,
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef copy = LLVMBuildAlloca(jit->builder, type, "");
    unsigned count = object->reader ? AXES : 1;
    for (unsigned axis = 0; axis < count; axis++) {
        LLVMValueRef index = LLVMConstInt(jit->i64, 4 * axis, 0);
        LLVMValueRef value = build_axis(jit, object, axis);
        LLVMBuildStore(
            jit->builder, value,
            LLVMBuildInBoundsGEP2(jit->builder, jit->i8, copy, &index, 1, ""));
    }
    return copy;
}

void
jit_lower_indices(struct jit *jit)
{
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        struct object object = objects[i];
        object.global = LLVMGetNamedGlobal(jit->module, object.variable);
        if (object.global) {
            jit_each_instruction_of_module(jit, replace_read, &object);
            jit_expand_constant(jit, object.global, make_copy, &object);
        }
    }
}
