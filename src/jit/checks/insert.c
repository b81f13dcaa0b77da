/* insert.c - inserts the calls of __pycuda_check* into checked kernels.
 *
 * Called by main.c after device functions are inlined. Only checks that
 * jit_options.checks names are inserted.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/checks/checks.h"
#include "jit/fibers/runtime_stops.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/options.h"
#include "jit/text.h"

static LLVMValueRef
call_check(struct jit *jit, const char *name, LLVMTypeRef result,
           LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef types[8];

    for (unsigned i = 0; i < count; i++) {
        types[i] = LLVMTypeOf(arguments[i]);
    }
    LLVMValueRef function = jit_declare(jit, name, result, types, count);
    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                          function, arguments, count, "");
}

static LLVMTypeRef
no_result(struct jit *jit)
{
    return LLVMVoidTypeInContext(jit->context);
}

static LLVMValueRef
as_long(struct jit *jit, LLVMValueRef value)
{
    return LLVMBuildZExtOrBitCast(jit->builder, value, jit->i64, "");
}

/* Returns, as i64, what the access stores: for a value of at most 8 bytes its
 * bits, for a copy the source address, for a fill the byte. Returns 0 for
 * other accesses. */
static LLVMValueRef
value_bits(struct jit *jit, const struct jit_access *access)
{
    bool range = access->flags & (IMAGE_SITE_COPY | IMAGE_SITE_FILL);
    LLVMValueRef value = range ? LLVMGetOperand(access->at, 1) : access->value;
    LLVMTypeRef type = value ? LLVMTypeOf(value) : NULL;

    if (!type || (!range && access->size > 8)) {
        return LLVMConstInt(jit->i64, 0, 0);
    }
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        return LLVMBuildPtrToInt(jit->builder, value, jit->i64, "");
    }
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) {
        return as_long(jit, value);
    }
    LLVMTypeRef bits =
        LLVMIntTypeInContext(jit->context, (unsigned)access->size * 8);
    return as_long(jit, LLVMBuildBitCast(jit->builder, value, bits, ""));
}

/* Tests whether the access begins at the start of a variable and does not
 * exceed it. */
static bool
is_plainly_inside(const struct jit_access *access,
                  const struct jit_object *object, LLVMValueRef address)
{
    return access->size && object->base == address &&
           access->size <= object->size;
}

/* Tests whether the load belongs to a write of a bit field, `s.field = v`.
 * Such a load also reads neighbouring bits, which may be uninitialized and are
 * written back unchanged. */
static bool
is_bit_field_read(LLVMValueRef load)
{
    LLVMUseRef use = LLVMGetFirstUse(load);

    if (!use || LLVMGetNextUse(use) || !LLVMIsALoadInst(load)) {
        return false;
    }
    LLVMValueRef user = LLVMGetUser(use);
    return LLVMIsABinaryOperator(user) &&
           LLVMGetInstructionOpcode(user) == LLVMAnd &&
           LLVMIsAConstantInt(LLVMGetOperand(user, 1)) &&
           LLVMGetFirstUse(user) &&
           LLVMGetInstructionOpcode(LLVMGetUser(LLVMGetFirstUse(user))) ==
               LLVMOr;
}

LLVMValueRef
jit_linear_index(struct jit *jit)
{
    LLVMValueRef function =
        jit_declare(jit, "__pycuda_linear", jit->i32, NULL, 0);

    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                          function, NULL, 0, "");
}

/* Tests whether the value was loaded as a part of a struct copy, which SROA
 * split into loads and stores. */
static bool
is_copied_load(LLVMValueRef value)
{
    return value && LLVMIsALoadInst(value) && jit_is_copy(value);
}

/* Tests whether the access is a copy. A copy gives its destination the
 * "initialized" state of its source, and does not count as a use of
 * uninitialized memory. */
static bool
is_copy(const struct jit_access *access)
{
    if (LLVMIsAMemCpyInst(access->at) || LLVMIsAMemMoveInst(access->at)) {
        return true;
    }
    return jit_is_copy(access->at) &&
           (!access->value || LLVMIsUndef(access->value) ||
            is_copied_load(access->value));
}

/* Returns IMAGE_SITE_NO_* flags for the kinds of check that the access does
 * not need. */
static unsigned
unneeded(struct jit *jit, const struct jit_access *access,
         const struct jit_object *object, LLVMValueRef address)
{
    unsigned checks = jit->options.checks, flags = 0;

    if (!(checks & JIT_CHECK_MEMORY) ||
        is_plainly_inside(access, object, address)) {
        flags |= IMAGE_SITE_NO_MEMORY;
    }
    if (!(checks & JIT_CHECK_RACE) || object->flags & IMAGE_SITE_LOCAL) {
        flags |= IMAGE_SITE_NO_RACE;
    }
    if (!(checks & JIT_CHECK_INIT) || is_copy(access) ||
        is_bit_field_read(access->at)) {
        flags |= IMAGE_SITE_NO_INIT;
    }
    return flags;
}

/* Inserts the call of __pycuda_check. Returns the result of the call, which
 * replaces the address of the access. */
static LLVMValueRef
insert_check(struct jit *jit, const struct jit_access *access,
             const struct jit_object *object, LLVMValueRef address,
             unsigned flags)
{
    LLVMValueRef none = LLVMConstInt(jit->i64, 0, 0);
    bool race = !(flags & IMAGE_SITE_NO_RACE);
    LLVMValueRef arguments[] = {
        address,
        as_long(jit, access->bytes),
        object->base ? object->base : LLVMConstNull(jit->pointer),
        object->bytes ? object->bytes : none,
        race ? value_bits(jit, access) : none,
        jit_site(jit, access->at, object->name,
                 access->flags | object->flags | flags, access->alignment),
        jit_linear_index(jit)};

    return call_check(jit, "__pycuda_check", jit->pointer, arguments, 7);
}

/* Inserts a call that copies the "initialized" state of the source of a copy
 * to its destination. */
static void
insert_copy(struct jit *jit, const struct jit_access *access,
            LLVMValueRef address)
{
    bool whole =
        LLVMIsAMemCpyInst(access->at) || LLVMIsAMemMoveInst(access->at);
    bool piece = jit_is_copy(access->at) && is_copied_load(access->value);

    if (access->flags & IMAGE_SITE_WRITE && (whole || piece)) {
        LLVMValueRef from = whole ? LLVMGetOperand(access->at, 1)
                                  : LLVMGetOperand(access->value, 0);
        LLVMValueRef arguments[] = {address, from,
                                    as_long(jit, access->bytes)};
        call_check(jit, "__pycuda_check_copy", no_result(jit), arguments, 3);
    }
}

/* Tests whether the runtime must see the access because a selected check
 * records all accesses of shared and global memory. */
static bool
is_recorded(struct jit *jit, const struct jit_object *object)
{
    unsigned checks = jit->options.checks;

    return !(object->flags & IMAGE_SITE_LOCAL) &&
           (checks & JIT_CHECK_BANK || (checks & JIT_CHECK_STREAMS &&
                                        !(object->flags & IMAGE_SITE_SHARED)));
}

/* Inserts the checks of one access. A memory check returns an address that
 * replaces the address of the access. The returned address differs from the
 * original one if the check finds an error and the program continues after
 * errors. */
static void
instrument_access(struct jit *jit, const struct jit_access *access)
{
    enum {
        NOTHING =
            IMAGE_SITE_NO_MEMORY | IMAGE_SITE_NO_RACE | IMAGE_SITE_NO_INIT
    };
    LLVMValueRef address = LLVMGetOperand(access->at, access->operand);
    struct jit_object object;

    if (LLVMGetPointerAddressSpace(LLVMTypeOf(address)) != 0) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, access->at);
    jit_object_of(jit, address, &object);
    unsigned flags = unneeded(jit, access, &object, address);
    if (flags != NOTHING || is_recorded(jit, &object)) {
        address = insert_check(jit, access, &object, address, flags);
        if (jit->options.checks & JIT_CHECK_MEMORY) {
            LLVMSetOperand(access->at, access->operand, address);
        }
    }
    if (jit->options.checks & JIT_CHECK_INIT) {
        insert_copy(jit, access, address);
    }
}

static void
insert_local(struct jit *jit, LLVMValueRef variable)
{
    LLVMValueRef arguments[] = {variable, jit_alloca_bytes(jit, variable)};

    call_check(jit, "__pycuda_check_local", no_result(jit), arguments, 2);
}

static void
mark_written(struct jit *jit, LLVMValueRef address, uint64_t bytes)
{
    LLVMValueRef arguments[] = {address, LLVMConstInt(jit->i64, bytes, 0)};

    call_check(jit, "__pycuda_check_written", no_result(jit), arguments, 2);
}

/* Inserts code that marks all memory to which the call `at` may write as
 * initialized. Functions of the runtime and of libm are not instrumented, so
 * the checks would not see their writes otherwise. */
static void
trust_callee(struct jit *jit, LLVMValueRef at)
{
    enum { MAX_WRITTEN = 16 };
    unsigned count = LLVMGetNumArgOperands(at);

    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, i);
        struct jit_object object;

        if (LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMPointerTypeKind) {
            continue;
        }
        LLVMPositionBuilderBefore(jit->builder, at);
        jit_object_of(jit, operand, &object);
        if (object.flags & IMAGE_SITE_LOCAL) {
            mark_written(jit, object.base, object.size);
        } else if (!LLVMIsAConstant(operand)) {
            mark_written(jit, operand, MAX_WRITTEN);
        }
    }
}

/* Tests whether the callee is defined outside of the module and may write
 * memory. */
static bool
is_foreign(LLVMValueRef callee)
{
    static const char *const quiet[] = {
        "llvm.",           "__pycuda_check", "__pycuda_vprintf",
        "__pycuda_assert", "__pycuda_free",  "__pycuda_surface_write"};
    const char *name = jit_name(callee);

    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        if (strncmp(name, quiet[i], strlen(quiet[i])) == 0) {
            return false;
        }
    }
    return LLVMIsDeclaration(callee);
}

static void
insert_at(struct jit *jit, LLVMValueRef at, unsigned flags)
{
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMValueRef arguments[] = {jit_site(jit, at, NULL, flags, 0),
                                jit_linear_index(jit)};
    call_check(jit, "__pycuda_check_at", no_result(jit), arguments, 2);
}

/* Inserts a check before a call at which the thread may wait for others (a
 * barrier or a warp operation) or exits. */
static void
insert_stop(struct jit *jit, LLVMValueRef at, const char *name)
{
    unsigned flags = strcmp(name, "__pycuda_barrier") == 0 ? IMAGE_SITE_BARRIER
                     : strcmp(name, "__pycuda_exit") == 0  ? IMAGE_SITE_RETURN
                                                           : IMAGE_SITE_WARP;

    if (strcmp(name, "__pycuda_yield") == 0 ||
        strcmp(name, "__pycuda_nanosleep") == 0) {
        return;
    }
    insert_at(jit, at, flags);
}

/* Inserts the checks of fences, starts of variable lifetimes, calls and
 * returns. */
static void
instrument_other(struct jit *jit, LLVMValueRef at)
{
    unsigned checks = jit->options.checks;
    LLVMValueRef callee = jit_callee(at);
    const char *name = callee ? jit_name(callee) : "";

    if (checks & JIT_CHECK_RACE && LLVMIsAFenceInst(at)) {
        LLVMPositionBuilderBefore(jit->builder, at);
        LLVMValueRef linear = jit_linear_index(jit);
        call_check(jit, "__pycuda_check_fence", no_result(jit), &linear, 1);
    }
    if (checks & JIT_CHECK_INIT &&
        strncmp(name, "llvm.lifetime.start", 19) == 0 &&
        LLVMIsAAllocaInst(LLVMGetOperand(at, 1))) {
        LLVMPositionBuilderBefore(jit->builder, at);
        insert_local(jit, LLVMGetOperand(at, 1));
    }
    if (checks & JIT_CHECK_INIT && callee && is_foreign(callee)) {
        trust_callee(jit, at);
    }
    if (callee && jit_may_stop(name)) {
        insert_stop(jit, at, name);
    }
    if (checks & JIT_CHECK_SYNC && jit_is_return(jit, at)) {
        insert_at(jit, at, IMAGE_SITE_RETURN);
    }
}

/* Tests whether LLVM's lifetime intrinsics mark the lifetime of the private
 * variable. If not, the variable lives until the function returns. */
static bool
has_life(LLVMValueRef variable)
{
    LLVMUseRef use = LLVMGetFirstUse(variable);

    for (; use; use = LLVMGetNextUse(use)) {
        if (jit_is_call(LLVMGetUser(use), "llvm.lifetime.start")) {
            return true;
        }
    }
    return false;
}

/* ---- whole functions ---- */

struct list {
    LLVMValueRef *rows;
    size_t count;
};

static void
list_add(struct jit *jit, LLVMValueRef at, void *data)
{
    struct list *list = data;

    (void)jit;
    if (list->rows) {
        list->rows[list->count] = at;
    }
    list->count++;
}

static struct list
instructions_of(struct jit *jit, LLVMValueRef function)
{
    struct list list = {NULL, 0};

    jit_each_instruction(jit, function, list_add, &list);
    list.rows = jit_allocate(list.count * sizeof *list.rows);
    list.count = 0;
    jit_each_instruction(jit, function, list_add, &list);
    return list;
}

/* Inserts calls that mark struct parameters, which are passed by value, as
 * initialized, since the caller of the function writes them. */
static void
mark_parameters(struct jit *jit, LLVMValueRef function, LLVMValueRef before)
{
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(
            function, i + 1, LLVMGetEnumAttributeKindForName("byval", 5));
        if (byval) {
            LLVMPositionBuilderBefore(jit->builder, before);
            mark_written(
                jit, LLVMGetParam(function, i),
                LLVMABISizeOfType(LLVMGetModuleDataLayout(jit->module),
                                  LLVMGetTypeAttributeValue(byval)));
        }
    }
}

/* Inserts, at the start of a function, code that marks the function's
 * parameters as initialized and its private variables as uninitialized. */
static void
instrument_start(struct jit *jit, LLVMValueRef function,
                 const struct list *list)
{
    /* index of the first instruction after the allocas (definitions of private
     * variables) */
    size_t start = 0;

    while (LLVMIsAAllocaInst(list->rows[start])) {
        start++;
    }
    mark_parameters(jit, function, list->rows[start]);
    for (size_t i = 0; i < list->count; i++) {
        LLVMValueRef at = list->rows[i];
        if (LLVMIsAAllocaInst(at) && !has_life(at)) {
            LLVMPositionBuilderBefore(jit->builder,
                                      i < start ? list->rows[start]
                                                : LLVMGetNextInstruction(at));
            insert_local(jit, at);
        }
    }
}

static void
instrument_function(struct jit *jit, LLVMValueRef function)
{
    struct list list = instructions_of(jit, function);

    if (jit->options.checks & JIT_CHECK_INIT) {
        instrument_start(jit, function, &list);
    }
    for (size_t i = 0; i < list.count; i++) {
        LLVMValueRef at = list.rows[i];
        struct jit_access accesses[2];
        unsigned count = jit_accesses_of(jit, at, accesses);

        for (unsigned k = 0; k < count; k++) {
            instrument_access(jit, &accesses[k]);
        }
        if (!count) {
            instrument_other(jit, at);
        }
    }
}

static bool
uses_variable(LLVMValueRef value, LLVMValueRef function)
{
    LLVMUseRef use = LLVMGetFirstUse(value);

    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user)
                ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) ==
                      function
                : uses_variable(user, function)) {
            return true;
        }
    }
    return false;
}

/* Inserts calls at the start of a function, which inform the runtime of the
 * function's shared variables. The runtime needs this to check addresses of
 * unknown origin. */
static void
tell_shared(struct jit *jit, LLVMValueRef function)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(jit->module);
    LLVMValueRef first =
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    LLVMValueRef at = LLVMGetFirstGlobal(jit->module);

    while (LLVMIsAAllocaInst(first)) {
        first = LLVMGetNextInstruction(first);
    }
    for (; at; at = LLVMGetNextGlobal(at)) {
        const char *section = jit_section(at);
        bool dynamic = strcmp(section, "dynamic") == 0;

        if ((!dynamic && strcmp(section, "shared") != 0) ||
            !uses_variable(at, function)) {
            continue;
        }
        LLVMPositionBuilderBefore(jit->builder, first);
        uint64_t size =
            dynamic ? 0
                    : LLVMABISizeOfType(layout, LLVMGlobalGetValueType(at));
        LLVMValueRef arguments[] = {
            at, LLVMConstInt(jit->i64, size, 0),
            jit_site(jit, first, dynamic ? "" : jit_source_name(at),
                     IMAGE_SITE_SHARED, 0)};
        call_check(jit, "__pycuda_check_shared", no_result(jit), arguments, 3);
    }
}

void
jit_insert_checks(struct jit *jit)
{
    LLVMValueRef at = LLVMGetFirstFunction(jit->module);

    for (; at; at = LLVMGetNextFunction(at)) {
        if (LLVMIsDeclaration(at)) {
            continue;
        }
        if (jit->options.checks & JIT_CHECK_INIT) {
            jit_check_values(jit, at);
        }
        instrument_function(jit, at);
        tell_shared(jit, at);
    }
}

static void
forget_stop(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)data;
    if (jit_calls(at, "__pycuda_check_at")) {
        LLVMInstructionEraseFromParent(at);
    }
}

void
jit_remove_stop_checks(struct jit *jit, struct jit_kernel *kernel)
{
    jit_each_instruction(jit, kernel->body, forget_stop, NULL);
}
