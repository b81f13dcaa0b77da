/* tables.c - copies constant tables that contain addresses of shared memory.
 *
 * For `float *tile[2] = {a, b}` with shared arrays a and b, clang makes a
 * constant. But shared memory has a different address for each block. Each
 * function that uses such a table therefore gets a local copy of it, which
 * later passes split into scalars like any local array.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

/* A local copy (an alloca) of a constant table, and the function that contains
 * this copy. */
struct copy {
    LLVMValueRef function, address;
    struct copy *next;
};

struct table {
    LLVMValueRef variable;
    struct copy *copies;
};

/* Tests whether the constant contains the address of a shared variable. */
static bool
holds_shared(LLVMValueRef constant)
{
    if (LLVMIsAGlobalValue(constant)) {
        const char *section =
            LLVMIsAGlobalVariable(constant) ? jit_section(constant) : "";
        return strcmp(section, "shared") == 0 ||
               strcmp(section, "dynamic") == 0;
    }
    if (!LLVMIsAUser(constant)) {
        /* the constant is the address of a label: its operand is a basic
         * block */
        return false;
    }
    for (int i = 0; i < LLVMGetNumOperands(constant); i++) {
        if (holds_shared(LLVMGetOperand(constant, (unsigned)i))) {
            return true;
        }
    }
    return false;
}

/* Builds code that stores a constant to a local copy. Arrays and structs that
 * contain addresses of shared variables are stored element by element, since
 * these addresses are not constant on the host. */
static void
store(struct jit *jit, LLVMValueRef constant, LLVMValueRef address)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    bool is_aggregate =
        LLVMIsAConstantArray(constant) || LLVMIsAConstantStruct(constant);
    if (!is_aggregate || !holds_shared(constant)) {
        LLVMBuildStore(jit->builder, constant, address);
        return;
    }
    for (int i = 0; i < LLVMGetNumOperands(constant); i++) {
        LLVMValueRef path[] = {LLVMConstInt(jit->i32, 0, 0),
                               LLVMConstInt(jit->i32, (unsigned)i, 0)};
        store(jit, LLVMGetOperand(constant, (unsigned)i),
              LLVMBuildGEP2(jit->builder, type, address, path, 2, ""));
    }
}

/* Returns the function's local copy of the table; creates it when first called
 * for that function. */
static LLVMValueRef
copy_in(struct jit *jit, LLVMValueRef function, void *data)
{
    struct table *table = data;
    for (struct copy *at = table->copies; at; at = at->next) {
        if (at->function == function) {
            return at->address;
        }
    }
    struct copy *made = jit_allocate(sizeof *made);
    LLVMPositionBuilderBefore(
        jit->builder,
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    made->function = function;
    made->address = LLVMBuildAlloca(
        jit->builder, LLVMGlobalGetValueType(table->variable), "");
    LLVMSetAlignment(made->address, LLVMGetAlignment(table->variable));
    store(jit, LLVMGetInitializer(table->variable), made->address);
    made->next = table->copies;
    table->copies = made;
    return made->address;
}

void
jit_copy_tables(struct jit *jit)
{
    LLVMValueRef at = LLVMGetFirstGlobal(jit->module);
    for (; at; at = LLVMGetNextGlobal(at)) {
        struct table table = {.variable = at};
        if (LLVMIsGlobalConstant(at) && LLVMGetInitializer(at) &&
            holds_shared(LLVMGetInitializer(at))) {
            jit_expand_constant(jit, at, copy_in, &table);
        }
    }
}
