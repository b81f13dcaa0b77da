/* check.c - tells what the CPU device cannot run: inline PTX, functions that
 * nobody defines.
 *
 * Runs while debug locations are still there, after unused functions were
 * dropped, so that a header may declare more than it has.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "image/abi.h"
#include "image/symbols.h"
#include "jit/jit.h"

#define NAME_ROW(result, name, arguments, stops) #name,
#define LIBM_ROW(name)                           #name, #name "f",
#define PLAIN_ROW(name)                          #name,

static const char *const known[] = {
    IMAGE_RUNTIME(NAME_ROW) IMAGE_LIBM(LIBM_ROW) IMAGE_LIBC(PLAIN_ROW)
        IMAGE_LIBGCC(PLAIN_ROW) "__pycuda_tid",
    "__pycuda_ctaid",
    "__pycuda_ntid",
    "__pycuda_nctaid",
    "__pycuda_linear",
    "__pycuda_dynamic_shared",
};

bool
jit_is_known_symbol(const char *name)
{
    const char *rare = jit_rare_function(name);
    name = rare ? rare : name;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *
shown(const char *text, size_t length)
{
    return jit_format("%.*s%s", (int)(length > 60 ? 60 : length), text,
                      length > 60 ? "..." : "");
}

static void
check_instruction(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)jit;
    (void)data;
    if (!LLVMIsACallInst(instruction)) {
        return;
    }
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    if (LLVMIsAInlineAsm(callee)) {
        size_t length;
        const char *text = LLVMGetInlineAsmAsmString(callee, &length);
        if (length) {
            jit_user_error(instruction,
                           "inline PTX cannot run on the CPU device: "
                           "asm(\"%s\")",
                           shown(text, length));
        }
    }
}

static LLVMValueRef
first_call(LLVMValueRef function)
{
    LLVMUseRef use = LLVMGetFirstUse(function);
    for (; use; use = LLVMGetNextUse(use)) {
        if (LLVMIsAInstruction(LLVMGetUser(use))) {
            return LLVMGetUser(use);
        }
    }
    return NULL;
}

static void
check_function(LLVMValueRef function)
{
    const char *name = jit_name(function);
    if (!LLVMIsDeclaration(function) || !LLVMGetFirstUse(function)) {
        return;
    }
    if (strncmp(name, "llvm.nvvm.", 10) == 0) {
        jit_user_error(first_call(function),
                       "the builtin '__%s' is not supported on the CPU "
                       "device",
                       name + strlen("llvm."));
    } else if (strncmp(name, "llvm.", 5) != 0 && !jit_is_known_symbol(name)) {
        jit_user_error(first_call(function), "unresolved extern function '%s'",
                       name);
    }
}

static void
check_variable(LLVMValueRef variable)
{
    if (LLVMIsDeclaration(variable) && LLVMGetFirstUse(variable) &&
        !jit_section(variable)[0]) {
        jit_user_error(NULL, "unresolved extern variable '%s'",
                       jit_name(variable));
    }
}

/* PTX has a letter for each type of register, the host one for them all. */
static LLVMValueRef
host_registers(LLVMValueRef code)
{
    size_t length;
    const char *given = LLVMGetInlineAsmConstraintString(code, &length);
    char *letters = jit_copy(given, length);
    bool in_name = false; /* ~{memory} */
    for (char *at = letters; *at; at++) {
        in_name = *at == '{' || (in_name && *at != '}');
        if (!in_name && strchr("hlfd", *at)) {
            *at = 'r';
        }
    }
    return LLVMGetInlineAsm(LLVMGetInlineAsmFunctionType(code), "", 0, letters,
                            length, LLVMGetInlineAsmHasSideEffects(code), 0,
                            LLVMInlineAsmDialectATT, 0);
}

/* asm volatile("" ::: "memory"), a compiler's barrier, is no PTX; nor is
 * asm("" : "+f"(x)), which hides from it what a variable holds. */
static void
settle_empty_asm(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)jit;
    (void)data;
    if (!LLVMIsACallInst(instruction) ||
        !LLVMIsAInlineAsm(LLVMGetCalledValue(instruction))) {
        return;
    }
    if (LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMVoidTypeKind) {
        LLVMInstructionEraseFromParent(instruction);
        return;
    }
    LLVMSetOperand(instruction, (unsigned)LLVMGetNumOperands(instruction) - 1,
                   host_registers(LLVMGetCalledValue(instruction)));
}

void
jit_check_source(struct jit *jit, bool linkable)
{
    LLVMValueRef at;
    jit_each_instruction_of_all(jit, check_instruction, NULL);
    if (!linkable) {
        at = LLVMGetFirstFunction(jit->module);
        for (; at; at = LLVMGetNextFunction(at)) {
            check_function(at);
        }
        at = LLVMGetFirstGlobal(jit->module);
        for (; at; at = LLVMGetNextGlobal(at)) {
            check_variable(at);
        }
    }
    jit_stop_on_errors();
    jit_each_instruction_of_all(jit, settle_empty_asm, NULL);
}
