/* argument_buffer.c - stores the arguments of a call in a buffer in memory.
 *
 * Called for variable arguments (variadic.c), and for launches by kernels
 * (launches.c). An integer of any width, such as an i1, takes as many bytes in
 * the buffer as it does in memory; a struct that is passed by value is copied.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/argument_buffer.h"
#include "jit/text.h"

static unsigned
kind_of(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* An argument of a call, which is stored in the buffer. */
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

/* Assigns an offset in the buffer to each item. Stores the end of the last
 * item in *end. Returns the alignment of the buffer, at least 16. */
static unsigned
lay_out(struct item *items, unsigned count, uint64_t *end)
{
    unsigned most = 16;
    *end = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t step = items[i].alignment;
        items[i].offset = (*end + step - 1) / step * step;
        *end = items[i].offset + items[i].bytes;
        most = items[i].alignment > most ? items[i].alignment : most;
    }
    return most;
}

/* Allocates the buffer in the entry block of the function that contains the
 * call. */
static LLVMValueRef
build_buffer(struct jit *jit, LLVMValueRef call, uint64_t bytes,
             unsigned alignment)
{
    LLVMValueRef function =
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMPositionBuilderBefore(
        jit->builder,
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef buffer = LLVMBuildAlloca(
        jit->builder, LLVMArrayType2(jit->i8, bytes ? bytes : 1), "");
    LLVMSetAlignment(buffer, alignment);
    LLVMPositionBuilderBefore(jit->builder, call);
    return buffer;
}

static void
build_store(struct jit *jit, const struct item *item, LLVMValueRef to)
{
    if (item->by_address) {
        LLVMBuildMemCpy(jit->builder, to, item->alignment, item->value,
                        item->alignment,
                        LLVMConstInt(jit->i64, item->bytes, 0));
    } else {
        LLVMBuildStore(jit->builder, item->value, to);
    }
}

void
jit_store_arguments(struct jit *jit, LLVMValueRef call, unsigned first,
                    struct jit_argument_buffer *buffer)
{
    unsigned count = LLVMGetNumArgOperands(call) - first;
    struct item *items = jit_allocate((count + 1) * sizeof *items);
    for (unsigned i = 0; i < count; i++) {
        item_measure(jit, call, first + i, &items[i]);
    }
    unsigned alignment = lay_out(items, count, &buffer->bytes);
    buffer->address = build_buffer(jit, call, buffer->bytes, alignment);
    for (unsigned i = 0; i < count; i++) {
        build_store(jit, &items[i],
                    address_at(jit, buffer->address, items[i].offset));
    }
}
