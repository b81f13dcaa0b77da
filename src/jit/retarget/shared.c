/* shared.c - converts shared variables to offsets in the block's shared
 * memory.
 *
 * Each kernel has its own layout, so that its static size is exact. A device
 * function that is not inlined may be called by several kernels. Therefore the
 * variables that such functions use are in a common part at the start of
 * shared memory, which has the same layout in all kernels that call such
 * functions. Dynamic shared memory follows the static part, aligned to 16
 * bytes. If a function that is not inlined uses dynamic memory, all static
 * variables are in the common part.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

enum { NOWHERE = -1 };

/* A __shared__ variable, with its offsets in bytes in the block's shared
 * memory. */
struct variable {
    LLVMValueRef value;
    bool dynamic;
    uint64_t bytes, alignment;
    bool used_by_functions;
    /* offset in the common part, which is the same in all kernels that call
     * functions; NOWHERE: the variable is not in that part */
    int64_t common;
    int64_t *offsets; /* for each kernel: offset of the variable, or NOWHERE */
};

struct layout {
    struct jit *jit;
    struct variable *variables;
    unsigned count;
    uint64_t common_bytes;
};

static uint64_t
align_up(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* Fills layout->variables with the __shared__ variables of the module, which
 * variables.c marked by their section names. */
static void
collect(struct jit *jit, struct layout *layout)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(jit->module);
    unsigned count = 0;
    LLVMValueRef at = LLVMGetFirstGlobal(jit->module);
    for (; at; at = LLVMGetNextGlobal(at)) {
        count++;
    }
    layout->variables = jit_allocate(count * sizeof *layout->variables);
    at = LLVMGetFirstGlobal(jit->module);
    for (; at; at = LLVMGetNextGlobal(at)) {
        const char *section = jit_section(at);
        bool dynamic = strcmp(section, "dynamic") == 0;
        if (!dynamic && strcmp(section, "shared") != 0) {
            continue;
        }
        struct variable *row = &layout->variables[layout->count++];
        row->value = at;
        row->dynamic = dynamic;
        row->bytes =
            dynamic ? 0 : LLVMABISizeOfType(data, LLVMGlobalGetValueType(at));
        row->alignment = LLVMGetAlignment(at) ? LLVMGetAlignment(at) : 16;
        row->common = NOWHERE;
        row->offsets = jit_allocate(jit->kernel_count * sizeof *row->offsets);
        for (unsigned k = 0; k < jit->kernel_count; k++) {
            row->offsets[k] = NOWHERE;
        }
    }
}

static unsigned
kernel_of_body(struct jit *jit, LLVMValueRef function)
{
    unsigned k = 0;
    while (k < jit->kernel_count && jit->kernels[k].body != function) {
        k++;
    }
    return k;
}

/* Finds the functions that use `value`: the shared variable of `row`, or a
 * constant expression that contains it. For a kernel k that uses it, sets
 * row->offsets[k] to 0 (instead of NOWHERE); its real offset is assigned
 * later. For a device function, sets row->used_by_functions. */
static void
mark_users(struct layout *layout, struct variable *row, LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAConstantExpr(user)) {
            mark_users(layout, row, user);
        } else if (LLVMIsAInstruction(user)) {
            unsigned k = kernel_of_body(
                layout->jit,
                LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
            if (k < layout->jit->kernel_count) {
                row->offsets[k] = 0;
            } else {
                row->used_by_functions = true;
            }
        }
    }
}

/* Assigns offsets in the common part, the start of shared memory that is the
 * same in all kernels that call device functions which are not inlined. The
 * part has the shared variables that such functions use or, if they use
 * dynamic shared memory, all static variables; dynamic memory then follows. */
static void
assign_common_offsets(struct layout *layout)
{
    bool all = false;
    for (unsigned i = 0; i < layout->count; i++) {
        struct variable *row = &layout->variables[i];
        all |= row->dynamic && row->used_by_functions;
    }
    for (unsigned i = 0; i < layout->count; i++) {
        struct variable *row = &layout->variables[i];
        if (!row->dynamic && (all || row->used_by_functions)) {
            row->common =
                (int64_t)align_up(layout->common_bytes, row->alignment);
            layout->common_bytes = (uint64_t)row->common + row->bytes;
        }
    }
    for (unsigned i = 0; i < layout->count; i++) {
        struct variable *row = &layout->variables[i];
        if (row->dynamic && all) {
            row->common = (int64_t)align_up(layout->common_bytes, 16);
        }
    }
}

/* Assigns the offsets of shared variables in kernel `k`. If the kernel calls
 * device functions that are not inlined, its memory begins with the common
 * part of assign_common_offsets, and its other variables follow. Otherwise it
 * has no common part. */
static void
assign_kernel_offsets(struct layout *layout, unsigned k)
{
    struct jit_kernel *kernel = &layout->jit->kernels[k];
    uint64_t end = kernel->calls_functions ? layout->common_bytes : 0;
    for (unsigned i = 0; i < layout->count; i++) {
        struct variable *row = &layout->variables[i];
        if (kernel->calls_functions && row->common != NOWHERE) {
            row->offsets[k] = row->common;
        } else if (!row->dynamic && row->offsets[k] != NOWHERE) {
            row->offsets[k] = (int64_t)align_up(end, row->alignment);
            end = (uint64_t)row->offsets[k] + row->bytes -
                  (PLANTED_FAULT(shared_overlap) ? row->alignment : 0);
        }
    }
    kernel->static_shared = (uint32_t)end;
    for (unsigned i = 0; i < layout->count; i++) {
        struct variable *row = &layout->variables[i];
        if (row->dynamic && row->offsets[k] != NOWHERE) {
            row->offsets[k] = (int64_t)align_up(end, 16);
        }
    }
}

/* Loads the address of the thread block's shared memory from the running
 * thread, for functions that are not kernel bodies. */
static LLVMValueRef
load_shared(struct jit *jit)
{
    LLVMValueRef self =
        jit_declare(jit, "__pycuda_self", jit->pointer, NULL, 0);
    LLVMValueRef value = LLVMBuildCall2(
        jit->builder, LLVMGlobalGetValueType(self), self, NULL, 0, "");
    static const uint64_t path[] = {offsetof(struct image_thread, block),
                                    offsetof(struct image_block, shared)};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef index = LLVMConstInt(jit->i64, path[i], 0);
        value = LLVMBuildGEP2(jit->builder, jit->i8, value, &index, 1, "");
        value = LLVMBuildLoad2(jit->builder, jit->pointer, value, "");
    }
    return value;
}

/* Builds the address of a shared variable at the start of the function:
 * address of shared memory plus the variable's offset. */
static LLVMValueRef
make_address(struct jit *jit, LLVMValueRef function, void *data)
{
    struct variable *row = data;
    unsigned k = kernel_of_body(jit, function);
    bool body = k < jit->kernel_count;
    int64_t offset = body ? row->offsets[k] : row->common;
    LLVMPositionBuilderBefore(
        jit->builder,
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef base = body ? jit_body_argument(&jit->kernels[k], JIT_SHARED)
                             : load_shared(jit);
    LLVMValueRef index = LLVMConstInt(jit->i64, (uint64_t)offset, 0);
    return LLVMBuildGEP2(jit->builder, jit->i8, base, &index, 1, "");
}

/* ---- atomic operations ---- */

static bool
is_shared_address(struct jit_kernel *kernel, LLVMValueRef at)
{
    while (LLVMIsAGetElementPtrInst(at)) {
        at = LLVMGetOperand(at, 0);
    }
    return at == jit_body_argument(kernel, JIT_SHARED);
}

static LLVMValueRef
choose(struct jit *jit, LLVMIntPredicate predicate, LLVMValueRef a,
       LLVMValueRef b)
{
    LLVMValueRef test = LLVMBuildICmp(jit->builder, predicate, a, b, "");
    return LLVMBuildSelect(jit->builder, test, a, b, "");
}

/* Builds the value that an atomic operation stores, from the old value a and
 * the operand b. Returns NULL for an unsupported operation. */
static LLVMValueRef
combine(struct jit *jit, LLVMAtomicRMWBinOp operation, LLVMValueRef a,
        LLVMValueRef b)
{
    switch (operation) {
    case LLVMAtomicRMWBinOpXchg:
        return b;
    case LLVMAtomicRMWBinOpAdd:
        return LLVMBuildAdd(jit->builder, a, b, "");
    case LLVMAtomicRMWBinOpSub:
        return LLVMBuildSub(jit->builder, a, b, "");
    case LLVMAtomicRMWBinOpAnd:
        return LLVMBuildAnd(jit->builder, a, b, "");
    case LLVMAtomicRMWBinOpOr:
        return LLVMBuildOr(jit->builder, a, b, "");
    case LLVMAtomicRMWBinOpXor:
        return LLVMBuildXor(jit->builder, a, b, "");
    case LLVMAtomicRMWBinOpMax:
        return choose(jit, LLVMIntSGT, a, b);
    case LLVMAtomicRMWBinOpMin:
        return choose(jit, LLVMIntSLT, a, b);
    case LLVMAtomicRMWBinOpUMax:
        return choose(
            jit, PLANTED_FAULT(atomic_sign) ? LLVMIntSGT : LLVMIntUGT, a, b);
    case LLVMAtomicRMWBinOpUMin:
        return choose(jit, LLVMIntULT, a, b);
    case LLVMAtomicRMWBinOpFAdd:
        return LLVMBuildFAdd(jit->builder, a, b, "");
    default:
        return NULL;
    }
}

/* Replaces an atomic operation on shared memory by a load and a store. All
 * threads of a block run on one host thread, so no other thread of the block
 * runs between the two. The load and the store are volatile, so that LLVM does
 * not vectorise the thread loop, in which several threads may access the same
 * address. */
static void
lower_atomic(struct jit *jit, LLVMValueRef at, void *data)
{
    if (!LLVMIsAAtomicRMWInst(at) ||
        !is_shared_address(data, LLVMGetOperand(at, 0))) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMValueRef address = LLVMGetOperand(at, 0);
    LLVMValueRef old =
        LLVMBuildLoad2(jit->builder, LLVMTypeOf(at), address, "");
    LLVMValueRef made =
        combine(jit, LLVMGetAtomicRMWBinOp(at), old, LLVMGetOperand(at, 1));
    if (!made) {
        LLVMInstructionEraseFromParent(old);
        return;
    }
    LLVMValueRef store = LLVMBuildStore(jit->builder, made, address);
    LLVMSetVolatile(old, !PLANTED_FAULT(lost_atomic));
    LLVMSetVolatile(store, !PLANTED_FAULT(lost_atomic));
    jit_replace(at, old);
}

void
jit_lower_shared(struct jit *jit)
{
    struct layout layout = {.jit = jit};
    collect(jit, &layout);
    for (unsigned i = 0; i < layout.count; i++) {
        mark_users(&layout, &layout.variables[i], layout.variables[i].value);
    }
    assign_common_offsets(&layout);
    for (unsigned k = 0; k < jit->kernel_count; k++) {
        assign_kernel_offsets(&layout, k);
    }
    for (unsigned i = 0; i < layout.count; i++) {
        jit_expand_constant(jit, layout.variables[i].value, make_address,
                            &layout.variables[i]);
    }
    for (unsigned k = 0; k < jit->kernel_count; k++) {
        struct jit_kernel *kernel = &jit->kernels[k];
        jit_each_instruction(jit, kernel->body, lower_atomic, kernel);
    }
}
