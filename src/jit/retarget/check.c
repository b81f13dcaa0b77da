/* check.c - reports errors that the front end does not detect: undefined
 * names, reserved names, and assignments to constants.
 *
 * Runs while debug locations exist. Undefined names are reported after unused
 * functions are removed, so that a header may declare functions that it does
 * not define.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/image.h"
#include "image/symbols.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/slow_path.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"

#define NAME_ROW(result, name, arguments, stops) #name,
#define LIBM_ROW(name)                           #name, #name "f",
#define PLAIN_ROW(name)                          #name,
#define COMPLEX_ROW(name)                                                     \
    "__pycuda_" #name "_re", "__pycuda_" #name "_im",                         \
        "__pycuda_" #name "f_re", "__pycuda_" #name "f_im",

static const char *const known[] = {
    IMAGE_RUNTIME(NAME_ROW) IMAGE_LIBM(LIBM_ROW) IMAGE_LIBC(PLAIN_ROW)
        IMAGE_LIBGCC(PLAIN_ROW) IMAGE_COMPLEX(COMPLEX_ROW) "__pycuda_tid",
    "__pycuda_ctaid",
    "__pycuda_ntid",
    "__pycuda_nctaid",
    "__pycuda_linear",
    "__pycuda_dynamic_shared",
    "__pycuda_shared_window",
};

bool
jit_is_known_symbol(const char *name)
{
    const char *slow_path = jit_slow_path_function(name);
    name = slow_path ? slow_path : name;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- assignments to __constant__ scalars ---- */

enum { SPACE_CONSTANT = 4 };

/* Returns the global variable that begins at `address`, or NULL for other
 * addresses. */
static LLVMValueRef
variable_of(LLVMValueRef address)
{
    while (LLVMIsAConstantExpr(address) &&
           LLVMGetConstOpcode(address) == LLVMAddrSpaceCast) {
        address = LLVMGetOperand(address, 0);
    }
    return LLVMIsAGlobalVariable(address) ? address : NULL;
}

/* Tests whether the function stores the address in a local variable, such as a
 * C++ reference. A write through the reference then looks like a direct write
 * to the address. */
static bool
is_referred_to(LLVMValueRef address, LLVMValueRef function)
{
    LLVMUseRef use = LLVMGetFirstUse(address);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool is_in = LLVMIsAStoreInst(user) &&
                     LLVMGetOperand(user, 0) == address &&
                     LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) ==
                         function;
        if (is_in) {
            return true;
        }
    }
    return false;
}

/* Reports a direct assignment to a __constant__ variable as an error, like
 * NVRTC. Assignments to elements, to members and through pointers are
 * accepted. The check runs before any pass, because passes would make direct
 * and accepted assignments look alike. */
static void
check_store(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)jit;
    (void)data;
    if (!LLVMIsAStoreInst(instruction)) {
        return;
    }
    LLVMValueRef variable = variable_of(LLVMGetOperand(instruction, 1));
    if (!variable ||
        LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) != SPACE_CONSTANT) {
        return;
    }
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGlobalGetValueType(variable));
    LLVMValueRef function =
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind &&
        !is_referred_to(LLVMGetOperand(instruction, 1), function)) {
        jit_user_error(instruction,
                       "expression must be a modifiable lvalue: '%s' is "
                       "__constant__, kernels can't assign to it",
                       jit_name(variable));
    }
}

/* ---- frames ---- */

/* Adds the size of a local variable to the size of the function's stack frame.
 * Reports an error if the frame exceeds the limit, since code uses 32-bit
 * offsets in a frame. */
static void
check_local(struct jit *jit, LLVMValueRef at, void *data)
{
    uint64_t *sum = data;
    if (!LLVMIsAAllocaInst(at) || !LLVMIsAConstantInt(LLVMGetOperand(at, 0)) ||
        *sum > JIT_MAX_BYTES) {
        return;
    }
    uint64_t bytes = LLVMABISizeOfType(LLVMGetModuleDataLayout(jit->module),
                                       LLVMGetAllocatedType(at));
    *sum = bytes > UINT64_MAX - *sum ? UINT64_MAX : *sum + bytes;
    if (*sum > JIT_MAX_BYTES) {
        const char *name = jit_name(at);
        LLVMValueRef function =
            LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
        jit_user_error(NULL,
                       "the local variable '%s' of '%s' has %llu bytes, the "
                       "variables of the function have %llu: more than the "
                       "limit of the CPU device, %llu",
                       *name ? name : "(without a name)", jit_name(function),
                       (unsigned long long)bytes, (unsigned long long)*sum,
                       (unsigned long long)JIT_MAX_BYTES);
    }
}

static void
check_frames(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        uint64_t sum = 0;
        jit_each_instruction(jit, function, check_local, &sum);
    }
}

void
jit_check_declarations(struct jit *jit)
{
    LLVMValueRef at = LLVMGetFirstFunction(jit->module);
    if (!jit->options.constant_writes) {
        jit_each_instruction_of_module(jit, check_store, NULL);
    }
    check_frames(jit);
    for (; at; at = LLVMGetNextFunction(at)) {
        jit_check_own_function(at);
    }
}

/* ---- undefined names ---- */

/* Returns an instruction that uses the function, for the source location of an
 * error, or NULL. */
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

/* Reports an error if an unsupported builtin or an undefined function is
 * used. */
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

/* Reports an error for a static local variable with an initialiser that runs
 * at run time (recognised by its guard variable _ZGV...), and for an undefined
 * variable. */
static void
check_variable(LLVMValueRef variable)
{
    if (strncmp(jit_name(variable), "_ZGV", 4) == 0) {
        jit_user_error(NULL,
                       "dynamic initialization is not supported for a static "
                       "variable of a function ('%s')",
                       jit_name(variable) + 4);
        return;
    }
    if (LLVMIsDeclaration(variable) && LLVMGetFirstUse(variable) &&
        !jit_section(variable)[0]) {
        jit_user_error(NULL, "unresolved extern variable '%s'",
                       jit_name(variable));
    }
}

void
jit_check_source(struct jit *jit, bool linkable)
{
    LLVMValueRef at = linkable ? NULL : LLVMGetFirstFunction(jit->module);
    for (; at; at = LLVMGetNextFunction(at)) {
        check_function(at);
    }
    at = linkable ? NULL : LLVMGetFirstGlobal(jit->module);
    for (; at; at = LLVMGetNextGlobal(at)) {
        check_variable(at);
    }
    jit_stop_on_errors();
}
