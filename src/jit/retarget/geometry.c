/* geometry.c - makes kernels into bodies, and lowers reads of geometry.
 *
 * "Geometry" is threadIdx, blockIdx, blockDim, gridDim and the values that are
 * computed from them. Each kernel is replaced by its body: a copy of the
 * kernel function with the geometry, the address of shared memory and the
 * address of the thread's struct image_thread as further arguments. The
 * entries (entries/loop.c, entries/thread.c) supply these arguments, and the
 * body is inlined into them. Device functions that are not inlined call
 * __pycuda_self and load the geometry from struct image_thread.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

struct geometry {
    const char *name;
    int argument;
    /* true: the value is a member of struct image_block; false: of struct
     * image_thread */
    bool in_block;
    bool has_axis;
    uint64_t offset;
};

static const struct geometry table[] = {
    {"__pycuda_tid", JIT_TID, false, true, offsetof(struct image_thread, tid)},
    {"__pycuda_ctaid", JIT_CTAID, true, true,
     offsetof(struct image_block, ctaid)},
    {"__pycuda_ntid", JIT_NTID, true, true,
     offsetof(struct image_block, ntid)},
    {"__pycuda_nctaid", JIT_NCTAID, true, true,
     offsetof(struct image_block, nctaid)},
    {"__pycuda_linear", JIT_LINEAR, false, false,
     offsetof(struct image_thread, linear)},
    {"__pycuda_dynamic_shared", JIT_DYNAMIC_BYTES, true, false,
     offsetof(struct image_block, dynamic_shared)},
    {"__pycuda_shared_window", JIT_SHARED, true, false,
     offsetof(struct image_block, shared)},
};

/* Returns the table entry of the function, such as __pycuda_tid for threadIdx,
 * that the instruction calls, or NULL for other instructions. */
static const struct geometry *
geometry_of(LLVMValueRef instruction)
{
    LLVMValueRef callee = jit_callee(instruction);
    for (size_t i = 0; callee && i < sizeof table / sizeof *table; i++) {
        if (strcmp(jit_name(callee), table[i].name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

/* Returns the constant axis argument (0: x, 1: y, 2: z) of the call; 0 for
 * functions without an axis. */
static unsigned
axis_of(const struct geometry *row, LLVMValueRef call)
{
    if (!row->has_axis) {
        return 0;
    }
    LLVMValueRef axis = LLVMGetOperand(call, 0);
    if (!LLVMIsAConstantInt(axis) || LLVMConstIntGetZExtValue(axis) > 2) {
        jit_die("%s: the axis is not a constant 0, 1 or 2", row->name);
    }
    return (unsigned)LLVMConstIntGetZExtValue(axis);
}

/* In a kernel body: replaces a call such as __pycuda_tid, which reads
 * threadIdx, by the argument of the body with that value. */
static void
geometry_to_argument(struct jit *jit, LLVMValueRef at, void *data)
{
    const struct geometry *row = geometry_of(at);
    (void)jit;
    if (row) {
        int which = row->argument + (int)axis_of(row, at);
        which -= PLANTED_FAULT(wrong_axis) && which == JIT_TID + 2;
        jit_replace(at, jit_body_argument(data, which));
    } else if (jit_calls(at, "__pycuda_self")) {
        jit_replace(at, jit_body_argument(data, JIT_THREAD));
    }
}

static LLVMValueRef
load_at(struct jit *jit, LLVMValueRef base, uint64_t offset, LLVMTypeRef type)
{
    LLVMValueRef index = LLVMConstInt(jit->i64, offset, 0);
    LLVMValueRef address =
        LLVMBuildInBoundsGEP2(jit->builder, jit->i8, base, &index, 1, "");
    return LLVMBuildLoad2(jit->builder, type, address, "");
}

/* In a device function that is not inlined: replaces a call such as
 * __pycuda_tid, which reads threadIdx, by a load from the running thread's
 * struct image_thread. */
static void
geometry_to_load(struct jit *jit, LLVMValueRef at, void *data)
{
    const struct geometry *row = geometry_of(at);
    (void)data;
    if (!row) {
        return;
    }
    uint64_t offset = row->offset + 4 * axis_of(row, at);
    LLVMValueRef self =
        jit_declare(jit, "__pycuda_self", jit->pointer, NULL, 0);
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMValueRef base = LLVMBuildCall2(
        jit->builder, LLVMGlobalGetValueType(self), self, NULL, 0, "");
    if (row->in_block) {
        base = load_at(jit, base, offsetof(struct image_thread, block),
                       jit->pointer);
    }
    jit_replace(at, load_at(jit, base, offset, LLVMTypeOf(at)));
}

static LLVMTypeRef
argument_type(struct jit *jit, int which)
{
    if (which == JIT_SHARED || which == JIT_THREAD) {
        return jit->pointer;
    }
    if (which == JIT_WHOLE) {
        return jit->i1;
    }
    return which == JIT_WIDE_INDEX || which == JIT_VOTE ? jit->i64 : jit->i32;
}

/* Tests whether the memory at the pointer is only read: by loads and copies,
 * also after address arithmetic. Tests of the pointer's address space are
 * allowed too. */
static bool
only_loaded(LLVMValueRef pointer)
{
    LLVMUseRef use = LLVMGetFirstUse(pointer);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool derived = LLVMIsAGetElementPtrInst(user) != NULL;
        bool asked = jit_calls(user, "__pycuda_space");
        bool copied = LLVMIsAMemCpyInst(user) &&
                      LLVMGetOperand(user, 1) == pointer &&
                      LLVMGetOperand(user, 0) != pointer;
        if (!LLVMIsALoadInst(user) && !asked && !copied &&
            !(derived && only_loaded(user))) {
            return false;
        }
    }
    return true;
}

/* If the kernel only reads a struct parameter, makes it read the parameter
 * buffer directly. Otherwise every thread gets its own copy of the struct, as
 * the attribute byval requires. */
static void
move_parameter(struct jit *jit, struct jit_kernel *kernel, unsigned index)
{
    LLVMAttributeRef list[64];
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMValueRef old = LLVMGetParam(kernel->function, index);
    bool shared_copy = only_loaded(old);
    unsigned count = LLVMGetAttributeCountAtIndex(kernel->function, index + 1);
    if (count > 64) {
        jit_die("%s: parameter %u has %u attributes", kernel->name, index,
                count);
    }
    LLVMGetAttributesAtIndex(kernel->function, index + 1, list);
    for (unsigned i = 0; i < count; i++) {
        bool is_byval = LLVMIsTypeAttribute(list[i]) &&
                        LLVMGetEnumAttributeKind(list[i]) == byval;
        if (!is_byval || !shared_copy) {
            LLVMAddAttributeAtIndex(kernel->body, index + 1, list[i]);
        }
    }
    LLVMReplaceAllUsesWith(old, LLVMGetParam(kernel->body, index));
    (void)jit;
}

/* Moves the kernel's basic blocks to a new function, the body, which has
 * threadIdx, blockIdx, blockDim and gridDim as further arguments. Deletes
 * kernel->function. */
static void
make_body(struct jit *jit, struct jit_kernel *kernel)
{
    unsigned own = kernel->parameter_count;
    LLVMTypeRef types[JIT_MAX_PARAMETERS + JIT_BODY_ARGUMENTS];
    LLVMGetParamTypes(LLVMGlobalGetValueType(kernel->function), types);
    for (int i = 0; i < JIT_BODY_ARGUMENTS; i++) {
        types[own + (unsigned)i] = argument_type(jit, i);
    }
    kernel->body =
        LLVMAddFunction(jit->module, jit_format("body.%s", kernel->name),
                        LLVMFunctionType(LLVMVoidTypeInContext(jit->context),
                                         types, own + JIT_BODY_ARGUMENTS, 0));
    for (unsigned i = 0; i < own; i++) {
        move_parameter(jit, kernel, i);
    }
    LLVMBasicBlockRef block;
    while ((block = LLVMGetFirstBasicBlock(kernel->function))) {
        LLVMRemoveBasicBlockFromParent(block);
        LLVMAppendExistingBasicBlock(kernel->body, block);
    }
    /* Device code can take the address of a kernel but cannot call it, so the
     * value that replaces the address does not matter. */
    LLVMReplaceAllUsesWith(kernel->function,
                           LLVMConstNull(LLVMTypeOf(kernel->function)));
    LLVMDeleteFunction(kernel->function);
    kernel->function = NULL;
    jit_add_attribute(jit, kernel->body, "nounwind");
    jit_add_attribute(jit, kernel->body, "null_pointer_is_valid");
    jit_each_instruction(jit, kernel->body, geometry_to_argument, kernel);
}

static void
store_at(struct jit *jit, LLVMValueRef value, LLVMValueRef base,
         uint64_t offset)
{
    LLVMValueRef index = LLVMConstInt(jit->i64, offset, 0);
    LLVMBuildStore(
        jit->builder, value,
        LLVMBuildInBoundsGEP2(jit->builder, jit->i8, base, &index, 1, ""));
}

/* Builds stores of a thread's threadIdx and blockIdx to the one struct
 * image_thread that the loop over threads uses for all threads. Device
 * functions that are not inlined read the indices there. */
static void
publish_geometry(struct jit *jit, struct jit_kernel *kernel,
                 LLVMValueRef before)
{
    LLVMValueRef thread = jit_body_argument(kernel, JIT_THREAD);
    LLVMPositionBuilderBefore(jit->builder, before);
    LLVMValueRef block = load_at(
        jit, thread, offsetof(struct image_thread, block), jit->pointer);
    for (int axis = 0; axis < 3; axis++) {
        uint64_t offset = 4 * (uint64_t)axis;
        store_at(jit, jit_body_argument(kernel, JIT_TID + axis), thread,
                 offsetof(struct image_thread, tid) + offset);
        store_at(jit, jit_body_argument(kernel, JIT_CTAID + axis), block,
                 offsetof(struct image_block, ctaid) + offset);
    }
    store_at(jit, jit_body_argument(kernel, JIT_LINEAR), thread,
             offsetof(struct image_thread, linear));
}

/* If the instruction is a call that reports a failed assertion, stores
 * threadIdx and blockIdx in struct image_thread before it, since the message
 * contains them. */
static void
publish_before_failure(struct jit *jit, LLVMValueRef at, void *data)
{
    if (jit_calls(at, "__pycuda_assert_fail")) {
        publish_geometry(jit, data, at);
    }
}

void
jit_publish_failures(struct jit *jit, struct jit_kernel *kernel)
{
    jit_each_instruction(jit, kernel->body, publish_before_failure, kernel);
}

void
jit_make_bodies(struct jit *jit)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        make_body(jit, &jit->kernels[i]);
    }
}

void
jit_publish_geometry(struct jit *jit)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        struct jit_kernel *kernel = &jit->kernels[i];
        if (kernel->fibers) {
            continue;
        }
        jit_publish_failures(jit, kernel);
        if (kernel->calls_functions) {
            kernel->sequential = true;
            publish_geometry(
                jit, kernel,
                LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel->body)));
        }
    }
    jit_each_instruction_of_module(jit, geometry_to_load, NULL);
}
