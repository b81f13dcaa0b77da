/* variables.c - moves device variables to address space 0.
 *
 * nvptx bitcode has pointers in the address spaces 1 (global), 3 (shared) and
 * 4 (constant); the host has only space 0. Every variable is created again in
 * space 0, and the casts between spaces disappear. The variables are added to
 * the list of variables in the image. Static variables become external before
 * any pass sees them: the host program may write them, and passes may not rely
 * on the initialisers of external variables. Shared variables remain
 * declarations; shared.c assigns their offsets.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>

#include "image/image.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

enum { SPACE_GLOBAL = 1, SPACE_SHARED = 3, SPACE_CONSTANT = 4 };

/* Returns the variable's name in the source: t3 for _ZL2t3 (a static variable
 * t3). Other names are returned unchanged. */
static char *
source_name(const char *name)
{
    if (strncmp(name, "_ZL", 3) == 0 && isdigit((unsigned char)name[3])) {
        char *start;
        unsigned long length = strtoul(name + 3, &start, 10);
        if (strlen(start) >= length) {
            return jit_copy(start, length);
        }
    }
    return jit_copy(name, strlen(name));
}

/* Tests whether the variable has a name in the source, unlike string literals
 * and vtables. */
static bool
has_source_name(const char *name, LLVMLinkage linkage)
{
    static const char *const hidden[] = {
        "llvm.", ".str", "__const.", "_ZTV",
        "_ZTI",  "_ZTS", "_ZTT",     "__PRETTY_FUNCTION__"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        if (strncmp(name, hidden[i], strlen(hidden[i])) == 0) {
            return false;
        }
    }
    return *name && linkage != LLVMPrivateLinkage;
}

static void
list_variable(struct jit *jit, LLVMValueRef variable, const char *name,
              unsigned space)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(jit->module);
    struct jit_global *row = &jit->globals[jit->global_count++];
    const char *section = jit_section(variable);
    row->name = source_name(name);
    row->variable = variable;
    row->bytes = LLVMABISizeOfType(layout, LLVMGlobalGetValueType(variable));
    if (space == SPACE_CONSTANT) {
        row->flags |= IMAGE_GLOBAL_CONSTANT;
        jit->constant_bytes += (uint32_t)row->bytes;
    }
    if (strcmp(section, "pycuda_managed") == 0) {
        row->flags |= IMAGE_GLOBAL_MANAGED;
    }
    LLVMSetSection(variable, "");
}

/* Creates a variable like `old` in address space 0, and replaces all uses of
 * `old` by it. */
static LLVMValueRef
move_variable(struct jit *jit, LLVMValueRef old)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(old);
    LLVMValueRef twin = LLVMAddGlobalInAddressSpace(jit->module, type, "", 0);
    if (LLVMGetInitializer(old)) {
        LLVMSetInitializer(twin, LLVMGetInitializer(old));
    }
    LLVMSetAlignment(twin, LLVMGetAlignment(old));
    LLVMSetLinkage(twin, LLVMGetLinkage(old));
    LLVMSetGlobalConstant(twin, LLVMIsGlobalConstant(old));
    LLVMSetSection(twin, jit_section(old));
    LLVMReplaceAllUsesWith(old, LLVMConstAddrSpaceCast(twin, LLVMTypeOf(old)));
    char *name = jit_copy(jit_name(old), strlen(jit_name(old)));
    LLVMDeleteGlobal(old);
    LLVMSetValueName2(twin, name, strlen(name));
    return twin;
}

/* Turns a shared variable into a declaration and sets a section name that
 * shared.c looks for. All dynamic (extern __shared__) variables have the same
 * address, but passes assume that different variables never overlap. So all
 * dynamic variables become one variable. */
static void
keep_shared(struct jit *jit, LLVMValueRef variable)
{
    const char *all = "pycuda.dynamic";
    bool dynamic = LLVMIsDeclaration(variable);
    LLVMValueRef first = LLVMGetNamedGlobal(jit->module, all);
    if (dynamic && first) {
        LLVMReplaceAllUsesWith(variable, first);
        LLVMDeleteGlobal(variable);
        return;
    }
    if (dynamic) {
        LLVMSetValueName2(variable, all, strlen(all));
    }
    LLVMSetInitializer(variable, NULL);
    LLVMSetGlobalConstant(variable, 0);
    LLVMSetLinkage(variable, LLVMExternalLinkage);
    LLVMSetAlignment(variable, dynamic ? 16 : LLVMGetAlignment(variable));
    LLVMSetSection(variable, dynamic ? "dynamic" : "shared");
}

/* Turns the declaration of a __device__ or __constant__ variable into a
 * definition with the value 0, unless the module is linked with others. NVRTC
 * does the same. */
static void
define_extern(struct jit *jit, LLVMValueRef variable, unsigned space)
{
    bool is_device = space == SPACE_GLOBAL || space == SPACE_CONSTANT;
    if (is_device && !jit->linked && LLVMIsDeclaration(variable) &&
        has_source_name(jit_name(variable), LLVMExternalLinkage)) {
        LLVMSetInitializer(variable,
                           LLVMConstNull(LLVMGlobalGetValueType(variable)));
    }
}

/* Returns the name of a variable without its C++ scope: run()::s -> s. */
static const char *
short_name(const char *name)
{
    const char *at = name + strlen(name);
    while (at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) {
        at--;
        char *end;
        unsigned long length =
            isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        if (length && strlen(end) == length &&
            (at == name || !isdigit((unsigned char)at[-1]))) {
            return end;
        }
    }
    return name;
}

/* Reports an error for a variable above the size limit: the object file is
 * loaded as a whole, and code addresses variables with 32-bit offsets. */
static void
check_size(struct jit *jit, LLVMValueRef variable, unsigned space)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(jit->module);
    uint64_t bytes =
        LLVMABISizeOfType(layout, LLVMGlobalGetValueType(variable));
    bool shared = space == SPACE_SHARED;
    uint64_t *sum = shared ? &jit->shared_sum : &jit->device_sum;
    bool was_too_large = *sum > JIT_MAX_BYTES;
    *sum = bytes > UINT64_MAX - *sum ? UINT64_MAX : *sum + bytes;
    if (*sum > JIT_MAX_BYTES && !was_too_large) {
        jit_user_error(NULL,
                       "the %s variable '%s' has %llu bytes, all of them have "
                       "%llu: more than the limit of the CPU device, %llu",
                       shared ? "__shared__" : "device",
                       short_name(jit_name(variable)),
                       (unsigned long long)bytes, (unsigned long long)*sum,
                       (unsigned long long)JIT_MAX_BYTES);
    }
}

static void
lower_variable(struct jit *jit, LLVMValueRef variable)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
    LLVMLinkage linkage = LLVMGetLinkage(variable);
    define_extern(jit, variable, space);
    check_size(jit, variable, space);
    bool declared = LLVMIsDeclaration(variable);
    char *name = jit_copy(jit_name(variable), strlen(jit_name(variable)));
    if (space != 0) {
        variable = move_variable(jit, variable);
    }
    LLVMSetComdat(variable, NULL);
    if (space == SPACE_SHARED) {
        keep_shared(jit, variable);
        return;
    }
    if (declared || !has_source_name(name, linkage)) {
        if (!declared) {
            LLVMSetLinkage(variable, LLVMInternalLinkage);
        }
        return;
    }
    /* A variable that is constant in the module, such as a string literal,
     * stays constant. Every other variable becomes externally initialised, so
     * that passes do not assume its initial value. */
    bool literal = LLVMIsGlobalConstant(variable);
    LLVMSetLinkage(variable, LLVMExternalLinkage);
    if (!jit->options.replaces) {
        LLVMSetVisibility(variable, LLVMHiddenVisibility);
    }
    LLVMSetExternallyInitialized(variable, !literal);
    if (space == SPACE_CONSTANT) {
        LLVMSetGlobalConstant(variable, 1);
    }
    list_variable(jit, variable, name, space);
}

static void
delete_list(struct jit *jit, const char *name)
{
    LLVMValueRef list = LLVMGetNamedGlobal(jit->module, name);
    if (list) {
        LLVMDeleteGlobal(list);
    }
}

void
jit_lower_variables(struct jit *jit)
{
    unsigned count = 0;
    delete_list(jit, "llvm.used");
    delete_list(jit, "llvm.compiler.used");
    LLVMValueRef variable = LLVMGetFirstGlobal(jit->module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        count++;
    }
    LLVMValueRef *all = jit_allocate(count * sizeof *all);
    jit->globals = jit_allocate(count * sizeof *jit->globals);
    count = 0;
    variable = LLVMGetFirstGlobal(jit->module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        all[count++] = variable;
    }
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(jit_name(all[i]), "llvm.global_ctors") == 0) {
            jit_user_error(NULL, "a device variable needs a constructor; "
                                 "only constant initialisers are possible");
            continue;
        }
        lower_variable(jit, all[i]);
    }
}
