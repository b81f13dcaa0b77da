/* variadic.c - lowers functions with a variable number of arguments.
 *
 * At each call, the arguments after the last named one are stored in a buffer,
 * each at its own alignment, and the buffer's address is passed as one more
 * argument. In the function, __pycuda_variadic(), which va_start calls,
 * returns the address of the buffer, and the header memory.h reads the buffer.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/report.h"
#include "jit/retarget/argument_buffer.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

enum { ATTRIBUTES_MOST = 64 };

/* Returns the function type without variable arguments, but with the buffer's
 * address as last parameter. */
static LLVMTypeRef
fixed_type(struct jit *jit, LLVMTypeRef type)
{
    unsigned count = LLVMCountParamTypes(type);
    LLVMTypeRef *types = jit_allocate((count + 1) * sizeof *types);
    LLVMGetParamTypes(type, types);
    types[count] = jit->pointer;
    return LLVMFunctionType(LLVMGetReturnType(type), types, count + 1, 0);
}

/* ---- calls ---- */

static void
copy_call_attributes(LLVMValueRef from, LLVMValueRef to, unsigned named)
{
    LLVMAttributeRef list[ATTRIBUTES_MOST];
    for (unsigned index = 0; index <= named; index++) {
        unsigned count = LLVMGetCallSiteAttributeCount(from, index);
        if (count > ATTRIBUTES_MOST) {
            jit_die("an argument has %u attributes", count);
        }
        LLVMGetCallSiteAttributes(from, index, list);
        for (unsigned i = 0; i < count; i++) {
            LLVMAddCallSiteAttribute(to, index, list[i]);
        }
    }
}

static void
lower_call(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)data;
    if (!LLVMIsACallInst(at) || LLVMIsAInlineAsm(LLVMGetCalledValue(at))) {
        return;
    }
    LLVMTypeRef type = LLVMGetCalledFunctionType(at);
    if (!LLVMIsFunctionVarArg(type) || jit_is_call(at, "llvm.")) {
        return;
    }
    unsigned named = LLVMCountParamTypes(type);
    LLVMValueRef *arguments = jit_allocate((named + 1) * sizeof *arguments);
    for (unsigned i = 0; i < named; i++) {
        arguments[i] = LLVMGetOperand(at, i);
    }
    struct jit_argument_buffer buffer;
    jit_store_arguments(jit, at, named, &buffer);
    arguments[named] = buffer.address;
    LLVMValueRef call =
        LLVMBuildCall2(jit->builder, fixed_type(jit, type),
                       LLVMGetCalledValue(at), arguments, named + 1, "");
    copy_call_attributes(at, call, named);
    jit_replace(at, call);
}

/* ---- functions ---- */

static void
replace_start(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    if (jit_calls(at, "__pycuda_variadic")) {
        jit_replace(at, data);
    }
}

static void
copy_attributes(LLVMValueRef from, LLVMValueRef to, unsigned index)
{
    LLVMAttributeRef list[ATTRIBUTES_MOST];
    unsigned count = LLVMGetAttributeCountAtIndex(from, index);
    if (count > ATTRIBUTES_MOST) {
        jit_die("%s: %u attributes", jit_name(from), count);
    }
    LLVMGetAttributesAtIndex(from, index, list);
    for (unsigned i = 0; i < count; i++) {
        LLVMAddAttributeAtIndex(to, index, list[i]);
    }
}

static void
lower_function(struct jit *jit, LLVMValueRef old)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(old);
    unsigned named = LLVMCountParamTypes(type);
    char *name = jit_copy(jit_name(old), strlen(jit_name(old)));
    LLVMValueRef function =
        LLVMAddFunction(jit->module, "", fixed_type(jit, type));
    LLVMSetLinkage(function, LLVMGetLinkage(old));
    copy_attributes(old, function, LLVMAttributeFunctionIndex);
    for (unsigned i = 0; i <= named; i++) {
        copy_attributes(old, function, i);
    }
    for (unsigned i = 0; i < named; i++) {
        LLVMReplaceAllUsesWith(LLVMGetParam(old, i),
                               LLVMGetParam(function, i));
    }
    LLVMBasicBlockRef block;
    while ((block = LLVMGetFirstBasicBlock(old))) {
        LLVMRemoveBasicBlockFromParent(block);
        LLVMAppendExistingBasicBlock(function, block);
    }
    LLVMReplaceAllUsesWith(old, function);
    LLVMDeleteFunction(old);
    LLVMSetValueName2(function, name, strlen(name));
    jit_each_instruction(jit, function, replace_start,
                         LLVMGetParam(function, named));
}

void
jit_lower_variadic(struct jit *jit)
{
    LLVMValueRef next, function = LLVMGetFirstFunction(jit->module);
    jit_each_instruction_of_module(jit, lower_call, NULL);
    for (; function; function = next) {
        next = LLVMGetNextFunction(function);
        if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) &&
            strncmp(jit_name(function), "llvm.", 5) != 0) {
            lower_function(jit, function);
        }
    }
}
