/* calls.c - calls of functions in PTX.
 *
 * An argument is a .param variable of the caller, which is in memory, or a
 * register, which is stored to memory first. The call loads each argument from
 * memory with the type that the called function declares, so that integers of
 * PTX become the pointers and floats of the runtime's functions.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/ptx.h"
#include "jit/text.h"

enum { MAX_ARGUMENTS = 256 };

/* Operands of a call: names of registers and parameters, or numbers. */
struct call {
    const char *results[MAX_ARGUMENTS];
    const char *arguments[MAX_ARGUMENTS];
    unsigned result_count, argument_count;
    const char *callee, *prototype;
};

LLVMTypeRef
ptx_parameter_type(struct ptx *ptx, const struct ptx_parameter *parameter)
{
    struct jit *jit = ptx->jit;
    return parameter->is_array
               ? LLVMArrayType2(jit->i8, parameter->bytes)
               : LLVMIntTypeInContext(jit->context, parameter->type.bits);
}

void
ptx_complete_signature(struct ptx *ptx, struct ptx_signature *signature)
{
    struct jit *jit = ptx->jit;
    unsigned count = signature->parameter_count;
    unsigned results = signature->result_count;
    LLVMTypeRef *types = jit_allocate((count + 1) * sizeof *types);
    LLVMTypeRef *out = jit_allocate((results + 1) * sizeof *out);
    for (unsigned i = 0; i < count; i++) {
        types[i] = signature->parameters[i].is_array
                       ? jit->pointer
                       : ptx_parameter_type(ptx, &signature->parameters[i]);
    }
    for (unsigned i = 0; i < results; i++) {
        out[i] = ptx_parameter_type(ptx, &signature->results[i]);
    }
    LLVMTypeRef result = LLVMVoidTypeInContext(jit->context);
    if (results == 1 && !signature->results[0].is_array) {
        result = out[0];
    } else if (results) {
        result = LLVMStructTypeInContext(jit->context, out, results, 0);
    }
    signature->type = LLVMFunctionType(result, types, count, 0);
}

/* ---- the text of the operands ---- */

/* Reads a list of names in parentheses. Returns the text after it, or NULL. */
static const char *
read_list(struct ptx *ptx, const char *at, const char **list, unsigned *count)
{
    at = ptx_skip(at + 1);
    while (*at && *at != ')') {
        if (*count == MAX_ARGUMENTS) {
            return NULL;
        }
        at = ptx_read_word(ptx, at, &list[(*count)++], ".-");
        at = at ? ptx_skip(at) : "";
        if (*at == ',') {
            at = ptx_skip(at + 1);
        } else if (*at != ')') {
            return NULL;
        }
    }
    return *at == ')' ? ptx_skip(at + 1) : NULL;
}

static const char *
skip_comma(const char *at)
{
    at = ptx_skip(at);
    return *at == ',' ? ptx_skip(at + 1) : at;
}

/* Reads the operands `(results), function, (arguments), prototype`, of which
 * all but the function may be absent. */
static bool
read_call(struct ptx *ptx, const char *at, struct call *call)
{
    at = ptx_skip(at);
    if (*at == '(') {
        at = read_list(ptx, at, call->results, &call->result_count);
        at = at ? skip_comma(at) : NULL;
    }
    at = at ? ptx_read_word(ptx, at, &call->callee, "") : NULL;
    at = at ? skip_comma(at) : NULL;
    if (at && *at == '(') {
        at = read_list(ptx, at, call->arguments, &call->argument_count);
        at = at ? skip_comma(at) : NULL;
    }
    if (at && *at != ';' && *at) {
        at = ptx_read_word(ptx, at, &call->prototype, "");
        at = at ? ptx_skip(at) : NULL;
    }
    return at && (*at == ';' || !*at)
               ? true
               : ptx_fail(ptx, "the operands of 'call' are not correct");
}

/* Reads a prototype: `(.param .b32 _) _ (.param .b64 _)`. */
static struct ptx_signature *
read_prototype(struct ptx *ptx, const char *at)
{
    struct ptx_signature *own = jit_allocate(sizeof *own);
    const char *word;
    at = ptx_skip(at);
    if (*at == '(') {
        at = ptx_read_parameters(ptx, at, &own->results, &own->result_count);
    }
    at = at ? ptx_read_word(ptx, ptx_skip(at), &word, "") : NULL;
    at = at ? ptx_skip(at) : NULL;
    if (at && *at == '(') {
        at = ptx_read_parameters(ptx, at, &own->parameters,
                                 &own->parameter_count);
    }
    if (!at) {
        ptx_fail(ptx, "a prototype is not correct");
        return NULL;
    }
    ptx_complete_signature(ptx, own);
    return own;
}

/* ---- the call ---- */

/* Returns a pointer to the argument in memory. */
static LLVMValueRef
argument_memory(struct ptx *ptx, const char *name,
                const struct ptx_parameter *parameter)
{
    struct ptx_symbol *own = ptx_find(ptx, name);
    if (own && own->kind == PTX_SYMBOL_VARIABLE &&
        own->space == PTX_SPACE_PARAM) {
        if (own->bytes < parameter->bytes) {
            ptx_fail(ptx, "'%s' is smaller than the parameter", name);
            return NULL;
        }
        return own->value;
    }
    if (parameter->is_array) {
        ptx_fail(ptx, "'%s' is no array", name);
        return NULL;
    }
    LLVMValueRef value = ptx_read_name(ptx, name, parameter->type, false);
    if (!value) {
        return NULL;
    }
    LLVMValueRef memory = ptx_local(ptx, LLVMTypeOf(value), 8);
    LLVMBuildStore(ptx->jit->builder, value, memory);
    return memory;
}

/* Stores the values that the call returns in its result operands. Returns
 * false after an error, which it reports. */
static bool
store_results(struct ptx *ptx, const struct call *call,
              const struct ptx_signature *signature, LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    for (unsigned i = 0; i < call->result_count; i++) {
        const struct ptx_parameter *result = &signature->results[i];
        struct ptx_symbol *own = ptx_find(ptx, call->results[i]);
        LLVMValueRef one =
            is_struct ? LLVMBuildExtractValue(builder, value, i, "") : value;
        if (own && own->kind == PTX_SYMBOL_VARIABLE &&
            own->space == PTX_SPACE_PARAM && own->bytes >= result->bytes) {
            LLVMValueRef store = LLVMBuildStore(builder, one, own->value);
            LLVMSetAlignment(store, result->alignment);
            continue;
        }
        if (LLVMGetTypeKind(LLVMTypeOf(one)) == LLVMPointerTypeKind) {
            one = LLVMBuildPtrToInt(builder, one, ptx->jit->i64, "");
        }
        if (result->is_array ||
            !ptx_write(ptx, call->results[i], result->type, one, false)) {
            return ptx_fail(ptx, "'%s' cannot receive the result",
                            call->results[i]);
        }
    }
    return true;
}

/* Finds the function that is called: by its name, or by an address in a
 * register, with the type that a prototype declares. */
static bool
find_callee(struct ptx *ptx, const struct call *call, LLVMValueRef *function,
            const struct ptx_signature **signature, LLVMTypeRef *type)
{
    struct ptx_symbol *own = ptx_find(ptx, call->callee);
    if (own && own->kind == PTX_SYMBOL_FUNCTION) {
        *function = own->value;
        *signature = own->signature;
        *type = LLVMGlobalGetValueType(own->value);
        return (*signature)->is_entry
                   ? ptx_fail(ptx, "'%s' is a kernel", call->callee)
                   : true;
    }
    struct ptx_symbol *list =
        call->prototype ? ptx_find(ptx, call->prototype) : NULL;
    if (!own || !list || list->kind != PTX_SYMBOL_TARGETS) {
        return ptx_fail(ptx, "the function '%s' is not declared",
                        call->callee);
    }
    struct ptx_type wide = {'u', 64};
    const char *raw = list->raw;
    LLVMValueRef address = ptx_read_name(ptx, call->callee, wide, false);
    *signature = address ? read_prototype(ptx, raw) : NULL;
    if (!*signature) {
        return false;
    }
    *type = (*signature)->type;
    *function =
        LLVMBuildIntToPtr(ptx->jit->builder, address, ptx->jit->pointer, "");
    return true;
}

static void
add_byval(struct ptx *ptx, LLVMValueRef call, unsigned index,
          const struct ptx_parameter *parameter)
{
    LLVMContextRef context = ptx->jit->context;
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(
        call, index + 1,
        LLVMCreateTypeAttribute(context, byval,
                                ptx_parameter_type(ptx, parameter)));
    LLVMAddCallSiteAttribute(
        call, index + 1,
        LLVMCreateEnumAttribute(context, align, parameter->alignment));
}

/* Loads an argument. A condition (i1) is loaded as a byte and then truncated,
 * because LLVM's pass sroa does not promote variables that are loaded as
 * i1. */
static LLVMValueRef
load_argument(struct ptx *ptx, LLVMTypeRef type, LLVMValueRef memory)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    if (type != ptx->jit->i1) {
        return LLVMBuildLoad2(builder, type, memory, "");
    }
    LLVMValueRef byte = LLVMBuildLoad2(builder, ptx->jit->i8, memory, "");
    return LLVMBuildTrunc(builder, byte, type, "");
}

bool
ptx_build_call(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct call *call = jit_allocate(sizeof *call);
    const struct ptx_signature *signature = NULL;
    LLVMValueRef function = NULL, arguments[MAX_ARGUMENTS];
    LLVMTypeRef type = NULL, types[MAX_ARGUMENTS];
    LLVMBuilderRef builder = ptx->jit->builder;
    if (!read_call(ptx, statement->raw, call) ||
        !find_callee(ptx, call, &function, &signature, &type)) {
        return false;
    }
    unsigned count = LLVMCountParamTypes(type);
    if (call->argument_count != signature->parameter_count ||
        call->result_count != signature->result_count ||
        count > MAX_ARGUMENTS || count > call->argument_count) {
        return ptx_fail(ptx, "'%s' has another number of parameters",
                        call->callee);
    }
    LLVMGetParamTypes(type, types);
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_parameter *own = &signature->parameters[i];
        LLVMValueRef memory = argument_memory(ptx, call->arguments[i], own);
        if (!memory) {
            return false;
        }
        arguments[i] =
            own->is_array ? memory : load_argument(ptx, types[i], memory);
    }
    LLVMValueRef value =
        LLVMBuildCall2(builder, type, function, arguments, count, "");
    for (unsigned i = 0; i < count; i++) {
        if (signature->parameters[i].is_array) {
            add_byval(ptx, value, i, &signature->parameters[i]);
        }
    }
    ptx->carry = NULL;
    return store_results(ptx, call, signature, value);
}
