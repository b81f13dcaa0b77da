/* carry.c - how values get from one thread loop to the next.
 *
 * What lives over a barrier and is the same for all threads goes through a
 * variable of the entry; what is cheap to compute from such values and the
 * thread's index is computed again; everything else has an array in the
 * context, memory that the entry owns, indexed by the thread's number.
 * Private memory lies in the context as well, one piece for each thread.
 *
 * The body is taken out of SSA form for that: every carried value gets a
 * variable, which the next pass makes a value again.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "jit/regions/regions.h"
#include "jit/warps/warps.h"

enum {
    CHEAP = 12, /* instructions that are done again rather than carried */
    LINE = 64,
    MOST_CONTEXT = 16 << 20, /* bytes */
};

struct carried {
    LLVMValueRef value;
    LLVMValueRef slot;
    uint64_t live; /* the points where it lives */
    bool uniform;
    bool in_lanes;   /* in an array of the warp's lanes */
    unsigned number; /* of the uniform ones, or of the array */
    uint64_t offset; /* of the others, in the context */
};

struct carry {
    struct jit *jit;
    struct jit_split *split;
    LLVMValueRef *values; /* all instructions of the body */
    unsigned value_count;
    struct carried *list;
    unsigned count;
    LLVMBasicBlockRef before; /* runs at every point */
    LLVMValueRef linear;      /* 64 bits */
    LLVMValueRef lane;        /* the same */
    uint64_t context_bytes;
};

static void
note_value(struct jit *jit, LLVMValueRef at, void *data)
{
    struct carry *carry = data;
    (void)jit;
    carry->values[carry->value_count++] = at;
}

static bool
differs(const struct carry *carry, LLVMValueRef value)
{
    return jit_map_get(&carry->split->differs, value) != 0;
}

/* ---- computing again ---- */

/* Where the computation of a value may start. */
static bool
is_leaf(const struct carry *carry, LLVMValueRef value, bool uniform)
{
    return !LLVMIsAInstruction(value) || LLVMIsAAllocaInst(value) ||
           (!uniform && !differs(carry, value));
}

static bool
is_cheap(const struct carry *carry, LLVMValueRef value, bool uniform,
         int *budget)
{
    if (!jit_is_arithmetic(value) || --*budget < 0) {
        return false;
    }
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
        if (!is_leaf(carry, operand, uniform) &&
            !is_cheap(carry, operand, uniform, budget)) {
            return false;
        }
    }
    return true;
}

bool
jit_is_cheap(struct jit_split *split, LLVMValueRef value)
{
    struct carry carry = {.split = split};
    int budget = CHEAP;
    return is_cheap(&carry, value, !differs(&carry, value), &budget);
}

struct again {
    struct carry *carry;
    bool uniform; /* is the value the same for all threads? */
};

static LLVMValueRef
compute_again(LLVMValueRef value, LLVMValueRef at, void *data)
{
    struct again *again = data;
    struct carry *carry = again->carry;
    LLVMValueRef copy = LLVMInstructionClone(value);
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
        if (!is_leaf(carry, operand, again->uniform)) {
            LLVMSetOperand(copy, (unsigned)i,
                           compute_again(operand, at, data));
        }
    }
    LLVMPositionBuilderBefore(carry->jit->builder, at);
    LLVMInsertIntoBuilder(carry->jit->builder, copy);
    *jit_map_place(&carry->split->differs, copy) = differs(carry, value);
    return copy;
}

/* The entry needs the limits of bounds. */
static bool
is_limit(const struct carry *carry, LLVMValueRef value)
{
    for (unsigned i = 0; i < carry->split->soft_count; i++) {
        const struct jit_soft_point *soft = &carry->split->soft[i];
        for (unsigned k = 0; k < soft->bound_count; k++) {
            if (soft->bounds[k].limit == value) {
                return true;
            }
        }
    }
    return false;
}

static void
compute_cheap_again(struct carry *carry)
{
    for (unsigned i = 0; i < carry->value_count; i++) {
        LLVMValueRef value = carry->values[i];
        struct again again = {carry, !differs(carry, value)};
        int budget = CHEAP;
        if (!is_limit(carry, value) &&
            is_cheap(carry, value, again.uniform, &budget) &&
            jit_live_points(carry->split, value)) {
            jit_replace_elsewhere(value, compute_again, &again);
        }
    }
}

/* ---- what is carried, and where ---- */

static LLVMTypeRef
memory_type(struct jit *jit, LLVMTypeRef type)
{
    bool small = LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
                 LLVMGetIntTypeWidth(type) < 8;
    return small ? jit->i8 : type;
}

static bool
has_plain_type(LLVMValueRef value)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    return kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind;
}

static unsigned
threads_of(const struct carry *carry)
{
    unsigned most = carry->split->kernel->max_threads;
    return most && most < 1024 ? most : 1024;
}

static uint64_t
take_context(struct carry *carry, uint64_t bytes)
{
    uint64_t at = carry->context_bytes;
    uint64_t all = bytes * threads_of(carry);
    carry->context_bytes += (all + LINE - 1) / LINE * LINE;
    return at;
}

static uint64_t
size_of(struct jit *jit, LLVMTypeRef type)
{
    return LLVMABISizeOfType(LLVMGetModuleDataLayout(jit->module), type);
}

static uint64_t
alloca_bytes(struct jit *jit, LLVMValueRef at)
{
    uint64_t alignment = LLVMGetAlignment(at);
    uint64_t bytes = size_of(jit, LLVMGetAllocatedType(at)) *
                     LLVMConstIntGetZExtValue(LLVMGetOperand(at, 0));
    alignment = alignment < 16 ? 16 : alignment;
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Of no use beyond the next barrier?  Warps go there one after the other. */
static bool
is_of_warp(const struct carry *carry, uint64_t live)
{
    const struct jit_split *split = carry->split;
    return split->warps && !(live & ~split->kernel->regions->warp_points);
}

static void
choose_place(struct carry *carry, struct carried *row)
{
    struct jit_regions *regions = carry->split->kernel->regions;
    LLVMTypeRef type = memory_type(carry->jit, LLVMTypeOf(row->value));
    bool warp = is_of_warp(carry, row->live);
    bool shared =
        !differs(carry, row->value) ||
        (warp && !jit_map_get(&carry->split->lanes_differ, row->value));
    row->uniform = shared && has_plain_type(row->value);
    row->in_lanes = !row->uniform && warp;
    if (row->uniform) {
        row->number = regions->uniform_count++;
    } else if (row->in_lanes) {
        jit_add_lanes(carry->jit, carry->split, type, &row->number);
    } else {
        row->offset = take_context(carry, size_of(carry->jit, type));
    }
}

static void
find_carried(struct carry *carry)
{
    struct jit_regions *regions = carry->split->kernel->regions;
    carry->list = jit_allocate(carry->value_count * sizeof *carry->list);
    for (unsigned i = 0; i < carry->value_count; i++) {
        LLVMValueRef value = carry->values[i];
        uint64_t live = jit_live_points(carry->split, value);
        if (!live) {
            continue;
        }
        struct carried *row = &carry->list[carry->count++];
        *row = (struct carried){.value = value, .live = live};
        choose_place(carry, row);
    }
    regions->uniform_types =
        jit_allocate(regions->uniform_count * sizeof *regions->uniform_types);
    regions->uniform_live =
        jit_allocate(regions->uniform_count * sizeof *regions->uniform_live);
    for (unsigned i = 0; i < carry->count; i++) {
        struct carried *row = &carry->list[i];
        if (row->uniform) {
            regions->uniform_types[row->number] = LLVMTypeOf(row->value);
            regions->uniform_live[row->number] = row->live;
        }
    }
}

/* The limit's text at the point's start, or NULL. */
static const char *
limit_text(const struct carry *carry, unsigned point, LLVMValueRef limit)
{
    if (LLVMIsAConstantInt(limit) || LLVMIsAArgument(limit)) {
        return jit_text_operand(NULL, carry->split->kernel, limit);
    }
    for (unsigned i = 0; i < carry->count; i++) {
        const struct carried *row = &carry->list[i];
        if (row->value == limit && row->uniform && row->live >> point & 1) {
            return jit_format("%%i%u.%u", row->number, point);
        }
    }
    return NULL;
}

static void
find_bounds(struct carry *carry, unsigned point)
{
    struct jit_regions *regions = carry->split->kernel->regions;
    const struct jit_soft_point *soft = carry->split->points[point].soft;
    for (unsigned i = 0; soft && i < soft->bound_count; i++) {
        const struct jit_bound *bound = &soft->bounds[i];
        const char *text = limit_text(carry, point, bound->limit);
        if (!text) {
            regions->bound_counts[point] = 0;
            return;
        }
        regions->bounds[point][i] = (struct jit_region_bound){
            .axis = bound->axis,
            .limit = text,
            .bits = LLVMGetIntTypeWidth(LLVMTypeOf(bound->limit)),
            .predicate = bound->predicate};
        regions->bound_counts[point] = i + 1;
    }
}

/* The entry decides who gets there: no need to ask again. */
static void
use_bounds(struct carry *carry)
{
    struct jit_split *split = carry->split;
    for (unsigned k = 1; k < split->count; k++) {
        if (!split->kernel->regions->bound_counts[k]) {
            continue;
        }
        LLVMValueRef end = LLVMGetBasicBlockTerminator(split->points[k].next);
        LLVMValueRef whole = jit_body_argument(split->kernel, JIT_WHOLE);
        LLVMPositionBuilderBefore(carry->jit->builder, end);
        if (split->points[k].soft->inverted) {
            whole = LLVMBuildNot(carry->jit->builder, whole, "");
        }
        LLVMSetCondition(end, whole);
    }
}

/* A variable of the source, not one that stands for lanes. */
static bool
is_private(const struct carry *carry, LLVMValueRef value)
{
    const struct jit_split *split = carry->split;
    for (unsigned i = 0; i < split->kernel->regions->lane_count; i++) {
        if (split->lanes[i] == value) {
            return false;
        }
    }
    return LLVMIsAAllocaInst(value) != NULL;
}

static bool
context_fits(struct carry *carry)
{
    uint64_t bytes = carry->context_bytes;
    for (unsigned i = 0; i < carry->value_count; i++) {
        if (is_private(carry, carry->values[i])) {
            bytes +=
                alloca_bytes(carry->jit, carry->values[i]) * threads_of(carry);
        }
    }
    return bytes <= MOST_CONTEXT;
}

/* ---- the body's further arguments ---- */

static LLVMValueRef
extra(const struct carry *carry, unsigned which)
{
    const struct jit_kernel *kernel = carry->split->kernel;
    return LLVMGetParam(kernel->body,
                        kernel->parameter_count + JIT_BODY_ARGUMENTS + which);
}

static LLVMValueRef
uniform_in(const struct carry *carry, unsigned number)
{
    return extra(carry, JIT_REGION_UNIFORMS + 2 * number);
}

static LLVMValueRef
uniform_out(const struct carry *carry, unsigned number)
{
    return extra(carry, JIT_REGION_UNIFORMS + 2 * number + 1);
}

static void
move_arguments(LLVMValueRef from, LLVMValueRef to)
{
    unsigned count = LLVMCountParams(from);
    for (unsigned i = 0; i < count; i++) {
        unsigned attributes = LLVMGetAttributeCountAtIndex(from, i + 1);
        LLVMAttributeRef *list =
            jit_allocate(attributes * sizeof(LLVMAttributeRef));
        LLVMGetAttributesAtIndex(from, i + 1, list);
        for (unsigned k = 0; k < attributes; k++) {
            LLVMAddAttributeAtIndex(to, i + 1, list[k]);
        }
        LLVMReplaceAllUsesWith(LLVMGetParam(from, i), LLVMGetParam(to, i));
    }
}

/* A function with more arguments takes the body's place. */
static void
add_arguments(struct carry *carry)
{
    struct jit *jit = carry->jit;
    struct jit_kernel *kernel = carry->split->kernel;
    struct jit_regions *regions = kernel->regions;
    LLVMValueRef old = kernel->body;
    unsigned own = LLVMCountParams(old);
    unsigned lanes = own + JIT_REGION_UNIFORMS + 2 * regions->uniform_count;
    unsigned count = lanes + regions->lane_count;
    LLVMTypeRef *types = jit_allocate(count * sizeof(LLVMTypeRef));
    LLVMGetParamTypes(LLVMGlobalGetValueType(old), types);
    types[own + JIT_REGION_CONTEXT] = jit->pointer;
    types[own + JIT_REGION_POINT] = jit->i32;
    types[own + JIT_REGION_NEXT] = jit->pointer;
    types[own + JIT_REGION_VOTES] = jit->pointer;
    types[own + JIT_REGION_VOTED] = jit->i32;
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        unsigned at = own + JIT_REGION_UNIFORMS + 2 * i;
        types[at] = regions->uniform_types[i];
        types[at + 1] = jit->pointer;
    }
    for (unsigned i = 0; i < regions->lane_count; i++) {
        types[lanes + i] = jit->pointer;
    }
    kernel->body =
        LLVMAddFunction(jit->module, "",
                        LLVMFunctionType(LLVMVoidTypeInContext(jit->context),
                                         types, count, 0));
    move_arguments(old, kernel->body);
    LLVMBasicBlockRef block;
    while ((block = LLVMGetFirstBasicBlock(old))) {
        LLVMRemoveBasicBlockFromParent(block);
        LLVMAppendExistingBasicBlock(kernel->body, block);
    }
    LLVMDeleteFunction(old);
    const char *name = jit_format("body.%s", kernel->name);
    LLVMSetValueName2(kernel->body, name, strlen(name));
    jit_add_attribute(jit, kernel->body, "nounwind");
}

static LLVMValueRef
lanes_in(const struct carry *carry, unsigned number)
{
    unsigned uniforms = carry->split->kernel->regions->uniform_count;
    return extra(carry, JIT_REGION_UNIFORMS + 2 * uniforms + number);
}

/* ---- private memory ---- */

static void
drop_lifetimes(LLVMValueRef pointer)
{
    LLVMUseRef next, use = LLVMGetFirstUse(pointer);
    for (; use; use = next) {
        next = LLVMGetNextUse(use);
        if (jit_is_call(LLVMGetUser(use), "llvm.lifetime")) {
            LLVMInstructionEraseFromParent(LLVMGetUser(use));
        }
    }
}

static LLVMValueRef
context_place(struct carry *carry, LLVMTypeRef type, uint64_t offset,
              LLVMValueRef index)
{
    LLVMBuilderRef builder = carry->jit->builder;
    LLVMValueRef start = LLVMConstInt(carry->jit->i64, offset, 0);
    LLVMValueRef base =
        LLVMBuildInBoundsGEP2(builder, carry->jit->i8,
                              extra(carry, JIT_REGION_CONTEXT), &start, 1, "");
    return LLVMBuildInBoundsGEP2(builder, type, base, &index, 1, "");
}

/* The builder stands in `before`. */
static void
move_private_memory(struct carry *carry)
{
    for (unsigned i = 0; i < carry->value_count; i++) {
        LLVMValueRef at = carry->values[i];
        if (!is_private(carry, at)) {
            continue;
        }
        uint64_t bytes = alloca_bytes(carry->jit, at);
        LLVMTypeRef piece =
            LLVMArrayType2(carry->jit->i8, (unsigned long long)bytes);
        uint64_t offset = take_context(carry, bytes);
        carry->split->kernel->local_bytes += (uint32_t)bytes;
        drop_lifetimes(at);
        jit_replace(at, context_place(carry, piece, offset, carry->linear));
    }
}

/* ---- variables for the carried values ---- */

struct loaded {
    const struct carry *carry;
    const struct carried *row;
};

static LLVMValueRef
load_slot(LLVMValueRef value, LLVMValueRef at, void *data)
{
    const struct loaded *loaded = data;
    LLVMBuilderRef builder = loaded->carry->jit->builder;
    LLVMPositionBuilderBefore(builder, at);
    return LLVMBuildLoad2(builder, LLVMTypeOf(value), loaded->row->slot, "");
}

static void
store_value(struct carry *carry, const struct carried *row)
{
    LLVMValueRef at = LLVMGetNextInstruction(row->value);
    while (LLVMIsAPHINode(at)) {
        at = LLVMGetNextInstruction(at);
    }
    LLVMPositionBuilderBefore(carry->jit->builder, at);
    LLVMBuildStore(carry->jit->builder, row->value, row->slot);
}

/* Where a value that differs between threads is kept. */
static LLVMValueRef
kept_place(struct carry *carry, const struct carried *row, LLVMTypeRef type)
{
    if (!row->in_lanes) {
        return context_place(carry, type, row->offset, carry->linear);
    }
    return LLVMBuildInBoundsGEP2(carry->jit->builder, type,
                                 lanes_in(carry, row->number), &carry->lane, 1,
                                 "");
}

/* Before the barrier: from the variables to where they are kept. */
static void
keep_values(struct carry *carry, unsigned point)
{
    struct jit *jit = carry->jit;
    for (unsigned i = 0; i < carry->count; i++) {
        const struct carried *row = &carry->list[i];
        LLVMTypeRef type = LLVMTypeOf(row->value);
        bool live = row->live >> point & 1;
        if (!live && row->uniform) {
            /* else the loop would carry the variable round */
            LLVMBuildStore(jit->builder, LLVMConstNull(type),
                           uniform_out(carry, row->number));
        }
        if (!live) {
            continue;
        }
        LLVMValueRef value = LLVMBuildLoad2(jit->builder, type, row->slot, "");
        if (row->uniform) {
            LLVMBuildStore(jit->builder, value,
                           uniform_out(carry, row->number));
            continue;
        }
        LLVMTypeRef kept = memory_type(jit, type);
        if (kept != type) {
            value = LLVMBuildZExt(jit->builder, value, kept, "");
        }
        LLVMBuildStore(jit->builder, value, kept_place(carry, row, kept));
    }
    LLVMBuildStore(jit->builder, jit_constant(jit, point),
                   extra(carry, JIT_REGION_NEXT));
    LLVMBuildRetVoid(jit->builder);
}

/* The load is of what was widened from the type: so it is if it is stored
 * again. */
static void
note_range(struct jit *jit, LLVMValueRef load, LLVMTypeRef type)
{
    LLVMValueRef ends[2] = {
        LLVMConstInt(jit->i8, 0, 0),
        LLVMConstInt(jit->i8, 1ull << LLVMGetIntTypeWidth(type), 0)};
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(jit->context, "range", 5),
                    LLVMMDNodeInContext(jit->context, ends, 2));
}

/* After the barrier: back into the variables. */
static void
fetch_values(struct carry *carry, unsigned point)
{
    struct jit *jit = carry->jit;
    for (unsigned i = 0; i < carry->count; i++) {
        const struct carried *row = &carry->list[i];
        LLVMTypeRef type = LLVMTypeOf(row->value);
        LLVMValueRef value;
        if (!(row->live >> point & 1)) {
            continue;
        }
        if (row->uniform) {
            value = uniform_in(carry, row->number);
        } else {
            LLVMTypeRef kept = memory_type(jit, type);
            value = LLVMBuildLoad2(jit->builder, kept,
                                   kept_place(carry, row, kept), "");
            if (kept != type) {
                note_range(jit, value, type);
                value = LLVMBuildTrunc(jit->builder, value, type, "");
            }
        }
        LLVMBuildStore(jit->builder, value, row->slot);
    }
}

/* The kernel's own ends say so. */
static void
end_returns(struct carry *carry)
{
    const struct jit_cfg *cfg = &carry->split->cfg;
    for (unsigned i = 0; i < cfg->count; i++) {
        if (cfg->blocks[i].returns) {
            LLVMInstructionEraseFromParent(
                LLVMGetBasicBlockTerminator(cfg->blocks[i].block));
            LLVMPositionBuilderAtEnd(carry->jit->builder,
                                     cfg->blocks[i].block);
            keep_values(carry, 0);
        }
    }
}

static void
connect_points(struct carry *carry, LLVMBasicBlockRef start)
{
    struct jit *jit = carry->jit;
    struct jit_split *split = carry->split;
    LLVMPositionBuilderAtEnd(jit->builder, carry->before);
    LLVMValueRef choice = LLVMBuildSwitch(
        jit->builder, extra(carry, JIT_REGION_POINT), start, split->count);
    for (unsigned k = 1; k < split->count; k++) {
        LLVMBasicBlockRef fetch = LLVMAppendBasicBlockInContext(
            jit->context, split->kernel->body, "after.barrier");
        LLVMAddCase(choice, jit_constant(jit, k), fetch);
        LLVMPositionBuilderAtEnd(jit->builder, fetch);
        fetch_values(carry, k);
        LLVMBuildBr(jit->builder, split->points[k].next);
        LLVMBasicBlockRef head = split->points[k].head;
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
        LLVMPositionBuilderAtEnd(jit->builder, head);
        keep_values(carry, k);
    }
    end_returns(carry);
}

/* The arrays of a warp's lanes are arguments from here on. */
static void
use_lanes(struct carry *carry)
{
    struct jit_split *split = carry->split;
    carry->lane = jit_build_lane(carry->jit, split, carry->jit->i64);
    for (unsigned i = 0; i < split->kernel->regions->lane_count; i++) {
        jit_replace(split->lanes[i], lanes_in(carry, i));
    }
}

static void
lower_votes(struct carry *carry)
{
    struct jit_split *split = carry->split;
    for (unsigned k = 1; k < split->count; k++) {
        if (split->points[k].vote.kind) {
            jit_lower_vote(carry->jit, &split->points[k].vote,
                           extra(carry, JIT_REGION_VOTES),
                           extra(carry, JIT_REGION_VOTED));
            split->kernel->regions->votes = true;
        }
    }
}

static void
rewrite(struct carry *carry)
{
    struct jit *jit = carry->jit;
    add_arguments(carry);
    LLVMBasicBlockRef start =
        LLVMGetEntryBasicBlock(carry->split->kernel->body);
    carry->before = LLVMInsertBasicBlockInContext(jit->context, start, "");
    LLVMPositionBuilderAtEnd(jit->builder, carry->before);
    carry->linear = LLVMBuildZExt(
        jit->builder, jit_body_argument(carry->split->kernel, JIT_LINEAR),
        jit->i64, "");
    if (carry->split->warps) {
        use_lanes(carry);
    }
    for (unsigned i = 0; i < carry->count; i++) {
        struct carried *row = &carry->list[i];
        row->slot =
            LLVMBuildAlloca(jit->builder, LLVMTypeOf(row->value), "carried");
    }
    move_private_memory(carry);
    for (unsigned i = 0; i < carry->count; i++) {
        struct loaded loaded = {carry, &carry->list[i]};
        jit_replace_elsewhere(carry->list[i].value, load_slot, &loaded);
        store_value(carry, &carry->list[i]);
    }
    use_bounds(carry);
    connect_points(carry, start);
    lower_votes(carry);
    carry->split->kernel->regions->context_bytes = carry->context_bytes;
}

/* Lists the instructions of the body as they are now. */
static void
note_values(struct carry *carry)
{
    const struct jit_cfg *cfg = &carry->split->cfg;
    unsigned size = 0;
    for (unsigned i = 0; i < cfg->count; i++) {
        LLVMValueRef at = LLVMGetFirstInstruction(cfg->blocks[i].block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            size++;
        }
    }
    carry->values = jit_allocate(size * sizeof *carry->values);
    carry->value_count = 0;
    jit_each_instruction(carry->jit, carry->split->kernel->body, note_value,
                         carry);
}

bool
jit_carry_values(struct jit *jit, struct jit_split *split)
{
    struct carry carry = {.jit = jit, .split = split};
    note_values(&carry);
    compute_cheap_again(&carry);
    note_values(&carry);
    find_carried(&carry);
    for (unsigned k = 1; k < split->count; k++) {
        find_bounds(&carry, k);
    }
    if (!context_fits(&carry)) {
        return false;
    }
    rewrite(&carry);
    return true;
}
