/* addresses.c - addresses of PTX as LLVM pointers.
 *
 * The device has one address space: an address of the state space .global,
 * .const, .local or .param is a generic address. An address in .shared is the
 * offset from the start of the block's shared memory (the "window"), because
 * programs often use only 32 bits for such an address. Code gets the address
 * of the window from calls of __pycuda_shared_window, which
 * retarget/geometry.c replaces.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/ptx.h"

enum ptx_space
ptx_space_of(const struct ptx_statement *statement)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } rows[] = {
        {"global", PTX_SPACE_GLOBAL},
        {"const", PTX_SPACE_CONST},
        {"shared", PTX_SPACE_SHARED},
        {"shared::cta", PTX_SPACE_SHARED},
        {"shared::cluster", PTX_SPACE_SHARED},
        {"local", PTX_SPACE_LOCAL},
        {"param", PTX_SPACE_PARAM},
        {"param::entry", PTX_SPACE_PARAM},
        {"param::func", PTX_SPACE_PARAM},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ptx_has(statement, rows[i].name)) {
            return rows[i].space;
        }
    }
    return PTX_SPACE_GENERIC;
}

LLVMValueRef
ptx_build_window(struct jit *jit)
{
    static const char name[] = "__pycuda_shared_window";
    bool declared = LLVMGetNamedFunction(jit->module, name) != NULL;
    LLVMValueRef function = jit_declare(jit, name, jit->pointer, NULL, 0);
    if (!declared) {
        jit_add_attribute(jit, function, "willreturn");
        /* the attribute "memory" with the value 0 means memory(none) */
        jit_add_attribute(jit, function, "memory");
    }
    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                          function, NULL, 0, "");
}

static LLVMValueRef
window(struct ptx *ptx)
{
    return ptx_build_window(ptx->jit);
}

static LLVMValueRef
as_integer(struct ptx *ptx, LLVMValueRef pointer)
{
    return LLVMBuildPtrToInt(ptx->jit->builder, pointer, ptx->jit->i64, "");
}

LLVMValueRef
ptx_to_generic(struct ptx *ptx, LLVMValueRef address, enum ptx_space space)
{
    if (space != PTX_SPACE_SHARED) {
        return address;
    }
    return LLVMBuildAdd(ptx->jit->builder, as_integer(ptx, window(ptx)),
                        address, "");
}

LLVMValueRef
ptx_from_generic(struct ptx *ptx, LLVMValueRef address, enum ptx_space space)
{
    if (space != PTX_SPACE_SHARED) {
        return address;
    }
    return LLVMBuildSub(ptx->jit->builder, address,
                        as_integer(ptx, window(ptx)), "");
}

LLVMValueRef
ptx_symbol_address(struct ptx *ptx, struct ptx_symbol *symbol)
{
    LLVMValueRef address = as_integer(ptx, symbol->value);
    return symbol->kind == PTX_SYMBOL_VARIABLE
               ? ptx_from_generic(ptx, address, symbol->space)
               : address;
}

static LLVMValueRef
add_bytes(struct ptx *ptx, LLVMValueRef pointer, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(ptx->jit->builder, ptx->jit->i8, pointer, &bytes, 1,
                         "");
}

/* Returns the address that an operand names, as an i64: the value of a
 * register or a number, plus the offset. If the space is .shared and the
 * register has 32 bits, the sum is computed with 32 bits. */
static LLVMValueRef
register_address(struct ptx *ptx, const struct ptx_operand *operand,
                 enum ptx_space space)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    struct ptx_type type = {'u', 64};
    struct ptx_symbol *own = ptx_find(ptx, operand->names[0]);
    if (space == PTX_SPACE_SHARED && own && own->type.bits == 32) {
        type.bits = 32;
    }
    LLVMValueRef value = ptx_read_name(ptx, operand->names[0], type, false);
    if (value && operand->offset) {
        value = LLVMBuildAdd(
            builder, value,
            LLVMConstInt(LLVMTypeOf(value), (uint64_t)operand->offset, 1), "");
    }
    return value && type.bits == 32
               ? LLVMBuildZExt(builder, value, ptx->jit->i64, "")
               : value;
}

/* Returns the index of an array element as an i64. With a register of 32 bits
 * the index is computed with 32 bits and then extended with zeros. */
static LLVMValueRef
element_index(struct ptx *ptx, const struct ptx_operand *operand)
{
    struct jit *jit = ptx->jit;
    uint64_t offset = (uint64_t)operand->offset;
    const char *name = operand->names[1];
    if (!*name) {
        return LLVMConstInt(jit->i64, offset, 1);
    }
    struct ptx_symbol *own = ptx_find(ptx, name);
    struct ptx_type type = {'u', own && own->type.bits == 32 ? 32 : 64};
    LLVMValueRef index = ptx_read_name(ptx, name, type, false);
    if (!index) {
        return NULL;
    }
    index = LLVMBuildAdd(jit->builder, index,
                         LLVMConstInt(LLVMTypeOf(index), offset, 1), "");
    return LLVMBuildZExt(jit->builder, index, jit->i64, "");
}

LLVMValueRef
ptx_element_address(struct ptx *ptx, const struct ptx_operand *operand)
{
    struct jit *jit = ptx->jit;
    struct ptx_symbol *own = ptx_find(ptx, operand->names[0]);
    if (!own || own->kind != PTX_SYMBOL_VARIABLE || !own->is_array) {
        ptx_fail(ptx, "'%s' is no array", operand->names[0]);
        return NULL;
    }
    struct ptx_symbol array = *own;
    LLVMValueRef index = element_index(ptx, operand);
    if (!index) {
        return NULL;
    }
    uint64_t bytes = array.type.letter == 'p' ? 1 : array.type.bits / 8;
    index = LLVMBuildMul(jit->builder, index, LLVMConstInt(jit->i64, bytes, 0),
                         "");
    return LLVMBuildAdd(jit->builder, ptx_symbol_address(ptx, &array), index,
                        "");
}

LLVMValueRef
ptx_address(struct ptx *ptx, const struct ptx_operand *operand,
            enum ptx_space space)
{
    struct jit *jit = ptx->jit;
    const char *name = operand->names[0];
    LLVMValueRef offset = LLVMConstInt(jit->i64, (uint64_t)operand->offset, 1);
    if (operand->kind == PTX_ELEMENT) {
        LLVMValueRef value = ptx_element_address(ptx, operand);
        struct ptx_symbol *array = ptx_find(ptx, name);
        value = value ? ptx_to_generic(ptx, value, array->space) : NULL;
        return value ? LLVMBuildIntToPtr(jit->builder, value, jit->pointer, "")
                     : NULL;
    }
    if (operand->kind != PTX_ADDRESS || operand->count != 1) {
        ptx_fail(ptx, "its address is not in brackets");
        return NULL;
    }
    struct ptx_symbol *own = ptx_find(ptx, name);
    if (own && own->kind == PTX_SYMBOL_VARIABLE) {
        return operand->offset ? add_bytes(ptx, own->value, offset)
                               : own->value;
    }
    LLVMValueRef value = register_address(ptx, operand, space);
    if (!value) {
        return NULL;
    }
    return space == PTX_SPACE_SHARED
               ? add_bytes(ptx, window(ptx), value)
               : LLVMBuildIntToPtr(jit->builder, value, jit->pointer, "");
}
