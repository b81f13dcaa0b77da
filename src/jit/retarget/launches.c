/* launches.c - lowers launches of kernels by kernels.
 *
 * The front end (src/cpu/nvrtc/launches.c) writes k<<<config>>>(arguments) as
 *
 *   __pycuda_launch_end(config, (k(arguments), 0))
 *
 * so that clang selects the overload and converts the arguments. In the
 * bitcode, the last call before __pycuda_launch_end is the launch. This call
 * is replaced by a call of the runtime, which gets the arguments in a buffer,
 * at the offsets of the kernel's parameters. The address of a kernel becomes
 * the address of an object with the kernel's name (struct
 * image_kernel_address).
 *
 * Runs after the variables of the program have been listed, and before the
 * passes that change calls.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/report.h"
#include "jit/retarget/argument_buffer.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

#define LAUNCH_END "__pycuda_launch_end"

/* Returns true if the instruction is a call of a function. Returns false for
 * calls of intrinsics, such as those that mark the end of a variable's
 * lifetime. */
static bool
is_program_call(LLVMValueRef instruction)
{
    return LLVMIsACallInst(instruction) && !jit_is_call(instruction, "llvm.");
}

/* `end` is a call of __pycuda_launch_end. Returns the call of the kernel that
 * is launched, which is the last call before `end`, or NULL if there is
 * none. */
static LLVMValueRef
find_launch(LLVMValueRef end)
{
    LLVMValueRef at = LLVMGetPreviousInstruction(end);
    while (at && !is_program_call(at)) {
        at = LLVMGetPreviousInstruction(at);
    }
    return at;
}

/* Tests whether a call of a kernel has a configuration. */
static bool
is_configured(LLVMValueRef call)
{
    LLVMValueRef at = LLVMGetNextInstruction(call);
    while (at && !is_program_call(at)) {
        at = LLVMGetNextInstruction(at);
    }
    return at && jit_calls(at, LAUNCH_END);
}

/* ---- errors ---- */

/* Reports a call of a kernel without a configuration, and a call of a device
 * function with a configuration, with nvcc's error messages. */
static void
check_call(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMValueRef callee = jit_callee(at);
    (void)data;
    if (!callee || LLVMIsDeclaration(callee)) {
        return;
    }
    bool is_kernel = jit_is_kernel(jit, callee);
    if (is_kernel && !is_configured(at)) {
        jit_user_error(at, "a __global__ function call must be configured");
    }
    if (!is_kernel && is_configured(at) &&
        LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMVoidTypeKind &&
        strncmp(jit_name(callee), "_ZN15__pycuda_launch", 20) != 0) {
        jit_user_error(at, "a __device__ function call cannot be configured");
    }
}

/* Tests whether the module has code that launches kernels, calls them or takes
 * their addresses. */
static bool
uses_kernels(const struct jit *jit)
{
    bool uses = LLVMGetNamedFunction(jit->module, LAUNCH_END) != NULL;
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        uses |= LLVMGetFirstUse(jit->kernels[i].function) != NULL;
    }
    return uses;
}

void
jit_check_launches(struct jit *jit)
{
    if (uses_kernels(jit)) {
        jit_each_instruction_of_module(jit, check_call, NULL);
    }
}

/* ---- launches ---- */

static void
lower_launch(struct jit *jit, LLVMValueRef end, void *data)
{
    (void)data;
    if (!jit_calls(end, LAUNCH_END)) {
        return;
    }
    LLVMValueRef launch = find_launch(end);
    if (!launch) {
        jit_user_error(end, "a launch has no call of a kernel before it");
        return;
    }
    struct jit_argument_buffer buffer;
    jit_store_arguments(jit, launch, 0, &buffer);
    LLVMValueRef arguments[] = {LLVMGetOperand(end, 0),
                                LLVMGetCalledValue(launch), buffer.address,
                                LLVMConstInt(jit->i64, buffer.bytes, 0)};
    LLVMTypeRef types[] = {jit->pointer, jit->pointer, jit->pointer, jit->i64};
    LLVMValueRef function =
        jit_declare(jit, "__pycuda_child_launch", jit->i32, types, 4);
    LLVMBuildCall2(jit->builder, LLVMFunctionType(jit->i32, types, 4, 0),
                   function, arguments, 4, "");
    LLVMInstructionEraseFromParent(launch);
    LLVMInstructionEraseFromParent(end);
}

/* ---- addresses of kernels ---- */

/* Creates the global variable whose address is the value of `&kernel` in
 * device code. */
static LLVMValueRef
make_address(struct jit *jit, const struct jit_kernel *kernel)
{
    unsigned length = (unsigned)strlen(kernel->name);
    LLVMValueRef text =
        LLVMConstStringInContext(jit->context, kernel->name, length, 0);
    LLVMValueRef name =
        LLVMAddGlobal(jit->module, LLVMTypeOf(text), "kernel_name");
    LLVMSetInitializer(name, text);
    LLVMValueRef members[] = {LLVMConstInt(jit->i64, IMAGE_KERNEL_ADDRESS, 0),
                              name};
    LLVMValueRef both = LLVMConstStructInContext(jit->context, members, 2, 0);
    LLVMValueRef address =
        LLVMAddGlobal(jit->module, LLVMTypeOf(both), "kernel_address");
    LLVMSetInitializer(address, both);
    LLVMValueRef all[] = {name, address};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        LLVMSetLinkage(all[i], LLVMInternalLinkage);
        LLVMSetGlobalConstant(all[i], 1);
    }
    return address;
}

void
jit_lower_launches(struct jit *jit)
{
    LLVMValueRef end = LLVMGetNamedFunction(jit->module, LAUNCH_END);
    if (!uses_kernels(jit)) {
        return;
    }
    jit_check_launches(jit);
    jit_stop_on_errors();
    jit_each_instruction_of_module(jit, lower_launch, NULL);
    jit_stop_on_errors();
    if (end) {
        LLVMDeleteFunction(end);
    }
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        LLVMValueRef kernel = jit->kernels[i].function;
        if (LLVMGetFirstUse(kernel)) {
            LLVMReplaceAllUsesWith(kernel,
                                   make_address(jit, &jit->kernels[i]));
        }
    }
}
