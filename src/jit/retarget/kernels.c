/* kernels.c - finds the kernels of the module and their parameter layouts.
 *
 * clang 19 marks kernels in the named metadata "nvvm.annotations": nodes of
 * (function, "kernel", 1) or (function, "maxntidx", n).
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/names.h"
#include "jit/jit.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

static bool
node_says(LLVMValueRef key, const char *word)
{
    unsigned length = 0;
    const char *text =
        key && LLVMIsAMDString(key) ? LLVMGetMDString(key, &length) : NULL;
    return text && length == strlen(word) && memcmp(text, word, length) == 0;
}

struct jit_kernel *
jit_kernel_of(struct jit *jit, LLVMValueRef function)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        if (jit->kernels[i].function == function) {
            return &jit->kernels[i];
        }
    }
    return NULL;
}

bool
jit_is_kernel(struct jit *jit, LLVMValueRef function)
{
    return jit_kernel_of(jit, function) != NULL;
}

static uint32_t
align_up(uint64_t offset, uint64_t alignment)
{
    return (uint32_t)((offset + alignment - 1) / alignment * alignment);
}

static LLVMAttributeRef
parameter_attribute(LLVMValueRef function, unsigned index, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(
        function, index + 1,
        LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* Computes the size and alignment of a parameter in bytes. In LLVM, a struct
 * that is passed by value is a pointer with the attributes byval(type) and
 * align. */
static void
measure_parameter(struct jit *jit, LLVMValueRef function, unsigned index,
                  uint64_t *bytes, uint64_t *alignment)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(jit->module);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, index));
    LLVMAttributeRef byval = parameter_attribute(function, index, "byval");
    if (byval) {
        type = LLVMGetTypeAttributeValue(byval);
    }
    *bytes = LLVMABISizeOfType(layout, type);
    *alignment = LLVMABIAlignmentOfType(layout, type);
    LLVMAttributeRef align = parameter_attribute(function, index, "align");
    if (byval && align) {
        *alignment = LLVMGetEnumAttributeValue(align);
    }
}

/* Assigns to each parameter its offset in the parameter buffer, rounded up to
 * the parameter's own alignment. */
static void
lay_out_parameters(struct jit *jit, struct jit_kernel *kernel)
{
    LLVMValueRef function = kernel->function;
    unsigned count = LLVMCountParams(function);
    uint64_t end = 0;
    if (count > JIT_MAX_PARAMETERS) {
        jit_user_error(NULL, "%s: more than %d parameters", kernel->name,
                       JIT_MAX_PARAMETERS);
        jit_stop_on_errors();
    }
    kernel->parameters = jit_allocate(count * sizeof *kernel->parameters);
    kernel->parameter_count = count;
    for (unsigned i = 0; i < count; i++) {
        uint64_t bytes, alignment;
        measure_parameter(jit, function, i, &bytes, &alignment);
        kernel->parameters[i].offset = align_up(end, alignment);
        kernel->parameters[i].bytes = (uint32_t)bytes;
        kernel->parameters[i].is_struct =
            parameter_attribute(function, i, "byval") != NULL;
        end = kernel->parameters[i].offset + bytes;
    }
    kernel->parameter_bytes = (uint32_t)end;
}

static void
add_kernel(struct jit *jit, LLVMValueRef function)
{
    if (jit_kernel_of(jit, function) || LLVMIsDeclaration(function)) {
        return;
    }
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    struct jit_kernel *kernel = &jit->kernels[jit->kernel_count++];
    kernel->name = jit_copy(name, length);
    image_kernel_name(kernel->name);
    kernel->symbol = jit_format("kernel.%s", kernel->name);
    kernel->function = function;
    kernel->max_threads = 1024;
    lay_out_parameters(jit, kernel);
}

void
jit_find_kernels(struct jit *jit)
{
    const char *list = "nvvm.annotations";
    unsigned count = LLVMGetNamedMetadataNumOperands(jit->module, list);
    LLVMValueRef *nodes = jit_allocate(count * sizeof *nodes);
    LLVMGetNamedMetadataOperands(jit->module, list, nodes);
    jit->kernels = jit_allocate(count * sizeof *jit->kernels);
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < count; i++) {
            LLVMValueRef parts[16];
            unsigned size = LLVMGetMDNodeNumOperands(nodes[i]);
            if (size < 3 || size > 16) {
                continue;
            }
            LLVMGetMDNodeOperands(nodes[i], parts);
            if (!parts[0] || !LLVMIsAFunction(parts[0])) {
                continue;
            }
            if (round == 0 && node_says(parts[1], "kernel")) {
                add_kernel(jit, parts[0]);
            }
            struct jit_kernel *kernel = jit_kernel_of(jit, parts[0]);
            if (round == 1 && kernel && node_says(parts[1], "maxntidx") &&
                LLVMIsAConstantInt(parts[2])) {
                kernel->max_threads =
                    (uint32_t)LLVMConstIntGetZExtValue(parts[2]);
            }
        }
    }
}
