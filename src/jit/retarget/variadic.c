/* variadic.c - lowers functions with a variable number of arguments.
 *
 * At each call, the arguments after the last named one are stored in a buffer,
 * each at its own alignment, and the buffer's address is passed as one more
 * argument. In the function, __pycuda_variadic(), which va_start calls,
 * returns that address, and the header memory.h reads the buffer.
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
#include "jit/retarget/retarget.h"
#include "jit/text.h"

enum { ATTRIBUTES_MOST = 64 };

static unsigned
kind_of(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

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

/* A variable argument (...) of a call, which is stored in the buffer that the
 * call passes instead. */
struct item {
    LLVMValueRef value; /* the value, or the address of a struct */
    LLVMTypeRef type;
    bool by_address;
    uint64_t offset, bytes;
    unsigned alignment;
};

/* Sets value, size and alignment (in bytes) of argument `index` of the
 * call. */
static void
item_measure(struct jit *jit, LLVMValueRef call, unsigned index,
             struct item *item)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(jit->module);
    LLVMAttributeRef byval =
        LLVMGetCallSiteEnumAttribute(call, index + 1, kind_of("byval"));
    LLVMAttributeRef align =
        LLVMGetCallSiteEnumAttribute(call, index + 1, kind_of("align"));
    item->value = LLVMGetOperand(call, index);
    item->by_address = byval != NULL;
    item->type =
        byval ? LLVMGetTypeAttributeValue(byval) : LLVMTypeOf(item->value);
    item->bytes = LLVMABISizeOfType(layout, item->type);
    item->alignment = LLVMABIAlignmentOfType(layout, item->type);
    if (byval && align) {
        item->alignment = (unsigned)LLVMGetEnumAttributeValue(align);
    }
}

static LLVMValueRef
address_at(struct jit *jit, LLVMValueRef base, uint64_t offset)
{
    LLVMValueRef index = LLVMConstInt(jit->i64, offset, 0);
    return LLVMBuildInBoundsGEP2(jit->builder, jit->i8, base, &index, 1, "");
}

/* Builds, before the call, a buffer and the stores of the items to it. Returns
 * the address of the buffer. */
static LLVMValueRef
pack(struct jit *jit, LLVMValueRef call, struct item *items, unsigned count)
{
    uint64_t end = 0;
    unsigned most = 16;
    for (unsigned i = 0; i < count; i++) {
        uint64_t step = items[i].alignment;
        items[i].offset = (end + step - 1) / step * step;
        end = items[i].offset + items[i].bytes;
        most = items[i].alignment > most ? items[i].alignment : most;
    }
    LLVMValueRef function =
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMPositionBuilderBefore(
        jit->builder,
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef buffer = LLVMBuildAlloca(
        jit->builder, LLVMArrayType2(jit->i8, end ? end : 1), "");
    LLVMSetAlignment(buffer, most);
    LLVMPositionBuilderBefore(jit->builder, call);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef to = address_at(jit, buffer, items[i].offset);
        if (items[i].by_address) {
            LLVMBuildMemCpy(jit->builder, to, items[i].alignment,
                            items[i].value, items[i].alignment,
                            LLVMConstInt(jit->i64, items[i].bytes, 0));
        } else {
            LLVMBuildStore(jit->builder, items[i].value, to);
        }
    }
    return buffer;
}

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
    unsigned count = LLVMGetNumArgOperands(at) - named;
    struct item *items = jit_allocate((count + 1) * sizeof *items);
    LLVMValueRef *arguments = jit_allocate((named + 1) * sizeof *arguments);
    for (unsigned i = 0; i < named; i++) {
        arguments[i] = LLVMGetOperand(at, i);
    }
    for (unsigned i = 0; i < count; i++) {
        item_measure(jit, at, named + i, &items[i]);
    }
    arguments[named] = pack(jit, at, items, count);
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
