/* memory.c - writes the memory accesses of a function for a pack (neighbouring
 * threads that run as lanes of vectors).
 *
 * Called by values.c. If all lanes access one address, the access is a scalar
 * load or store. If the lanes access neighbouring elements, it is a vector
 * load or store. Any other access is a gather or scatter, or a scalar access
 * for each lane. Only the lanes of the current mask access memory.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

static LLVMValueRef
call_intrinsic(struct jit_pack_writer *to, const char *name,
               LLVMTypeRef *types, LLVMValueRef *arguments, unsigned count)
{
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(
        to->jit->module, LLVMLookupIntrinsicID(name, strlen(name)), types, 2);
    return LLVMBuildCall2(to->builder, LLVMGlobalGetValueType(callee), callee,
                          arguments, count, "");
}

/* Returns 1 if the lanes of the address access neighbouring elements in
 * ascending order, -1 in descending order, 0 otherwise. */
static int
direction(const struct jit_pack_writer *to, LLVMValueRef address,
          LLVMTypeRef type)
{
    struct jit_shape shape = jit_pack_shape(to->body, address);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(to->jit->module);
    int64_t size = (int64_t)LLVMABISizeOfType(layout, type);
    if (shape.kind == JIT_SHAPE_VECTOR ||
        LLVMGetTypeKind(type) == LLVMPointerTypeKind || type == to->jit->i1) {
        return 0;
    }
    return shape.stride == size ? 1 : shape.stride == -size ? -1 : 0;
}

static LLVMValueRef
reversed(struct jit_pack_writer *to, LLVMValueRef vector)
{
    LLVMValueRef order[128]; /* the widest pack */
    for (unsigned i = 0; i < to->width; i++) {
        order[i] = jit_constant(to->jit, to->width - 1 - i);
    }
    return LLVMBuildShuffleVector(to->builder, vector,
                                  LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(order, to->width), "");
}

/* Returns the lowest address of the consecutive elements that the lanes
 * access. */
static LLVMValueRef
row_start(struct jit_pack_writer *to, LLVMValueRef address, LLVMTypeRef type,
          int way)
{
    LLVMValueRef first = jit_pack_scalar(to, address);
    LLVMValueRef back =
        LLVMConstInt(to->jit->i64, (uint64_t)(1 - (int64_t)to->width), 1);
    return way > 0 ? first
                   : LLVMBuildGEP2(to->builder, type, first, &back, 1, "");
}

static void
copy_scalar(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMValueRef copy = LLVMInstructionClone(at);
    int count = LLVMGetNumOperands(at);
    for (int i = 0; i < count; i++) {
        LLVMSetOperand(copy, (unsigned)i,
                       jit_pack_scalar(to, LLVMGetOperand(at, (unsigned)i)));
    }
    LLVMInstructionSetDebugLoc(copy, NULL);
    LLVMInsertIntoBuilder(to->builder, copy);
    if (LLVMIsALoadInst(at)) {
        jit_pack_define(to, at, copy);
    }
}

static LLVMValueRef write_serial(struct jit_pack_writer *to, LLVMValueRef at);

/* `lanes` is a vector with an index for each lane, which is expected to grow
 * by 1 from lane to lane. Returns the index that lane 0 should have: the first
 * element of the vector or, if lane 0 is not in the mask, the index of the
 * middle lane minus the number of that lane. */
static LLVMValueRef
row_index_of_lane_0(struct jit_pack_writer *to, LLVMValueRef lanes)
{
    LLVMBuilderRef builder = to->builder;
    LLVMValueRef zero = jit_constant(to->jit, 0);
    LLVMValueRef half = jit_constant(to->jit, to->width / 2);
    LLVMValueRef low = LLVMBuildExtractElement(builder, lanes, zero, "");
    LLVMValueRef middle = LLVMBuildSub(
        builder, LLVMBuildExtractElement(builder, lanes, half, ""),
        LLVMConstInt(LLVMTypeOf(low), to->width / 2, 0), "");
    return LLVMBuildSelect(
        builder, LLVMBuildExtractElement(builder, to->mask, zero, ""), low,
        middle, "");
}

/* Writes a test of whether `value` grows by 1 from each lane of the mask to
 * the next, and returns its result, an i1. Sets *low to the value of lane 0.
 * If lane 0 is not in the mask, *low is computed from the middle lane. If the
 * middle lane is not in the mask either, the result may be false although the
 * values grow by 1. */
static LLVMValueRef
test_lanes(struct jit_pack_writer *to, LLVMValueRef value, LLVMValueRef *low)
{
    LLVMBuilderRef builder = to->builder;
    static const char name[] = "llvm.vector.reduce.or";
    LLVMValueRef lanes =
        LLVMBuildFreeze(builder, jit_pack_vector(to, value), "");
    *low = row_index_of_lane_0(to, lanes);
    LLVMValueRef row =
        LLVMBuildAdd(builder, jit_pack_splat(to, *low),
                     jit_pack_steps(to, LLVMTypeOf(value), 1), "");
    LLVMValueRef off = LLVMBuildSelect(
        builder, to->mask, LLVMBuildICmp(builder, LLVMIntNE, lanes, row, ""),
        LLVMConstNull(LLVMTypeOf(to->mask)), "");
    LLVMTypeRef bits = LLVMTypeOf(off);
    LLVMValueRef reduce = LLVMGetIntrinsicDeclaration(
        to->jit->module, LLVMLookupIntrinsicID(name, sizeof name - 1), &bits,
        1);
    return LLVMBuildNot(builder,
                        LLVMBuildCall2(builder, LLVMGlobalGetValueType(reduce),
                                       reduce, &off, 1, ""),
                        "");
}

/* Writes a run-time test of whether the index of an access grows by 1 from
 * each lane to the next, and returns its result, an i1. Sets *first to the
 * index of lane 0, with 64 bits. If the index is an extension of a value that
 * grows by 1 from lane to lane, it suffices that this value does not wrap. */
static LLVMValueRef
test_row(struct jit_pack_writer *to, LLVMValueRef index, LLVMValueRef *first)
{
    LLVMBuilderRef builder = to->builder;
    LLVMTypeRef i32 = to->jit->i32;
    LLVMValueRef linear = jit_pack_unwrapped(to->body, index), low;
    bool half = linear && jit_pack_is_low_half(index);
    bool zero = half || LLVMIsAZExtInst(index);
    bool wide = zero || LLVMIsASExtInst(index);
    LLVMValueRef narrow = wide ? LLVMGetOperand(index, 0) : index;
    LLVMTypeRef type = half ? i32 : LLVMTypeOf(narrow);
    LLVMValueRef fits = LLVMConstInt(to->jit->i1, 1, 0);
    if (linear) {
        low = LLVMBuildFreeze(builder, jit_pack_scalar(to, linear), "");
        low = half ? LLVMBuildTrunc(builder, low, i32, "") : low;
    } else {
        fits = test_lanes(to, narrow, &low);
    }
    *first = low;
    if (wide || LLVMGetIntTypeWidth(type) < 64) {
        /* Also test that the index does not wrap in any lane, as the index of
         * lane 0 is extended to 64 bits. */
        unsigned size = LLVMGetIntTypeWidth(type);
        uint64_t most = ~UINT64_C(0) >> (64 - size + !zero);
        LLVMValueRef last = LLVMConstInt(type, most - to->width, 0);
        LLVMValueRef inside = LLVMBuildICmp(
            builder, zero ? LLVMIntULE : LLVMIntSLE, low,
            PLANTED_FAULT(pack_wraps) ? LLVMConstAllOnes(type) : last, "");
        fits = LLVMBuildAnd(builder, fits, inside, "");
        *first = LLVMBuildCast(builder, zero ? LLVMZExt : LLVMSExt, low,
                               to->jit->i64, "");
    }
    return fits;
}

LLVMValueRef
jit_pack_gather(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMTypeRef wide = LLVMVectorType(LLVMTypeOf(at), to->width);
    LLVMValueRef arguments[4] = {jit_pack_vector(to, LLVMGetOperand(at, 0)),
                                 jit_constant(to->jit, LLVMGetAlignment(at)),
                                 to->mask, LLVMGetPoison(wide)};
    LLVMTypeRef types[2] = {wide, LLVMTypeOf(arguments[0])};
    return call_intrinsic(to, "llvm.masked.gather", types, arguments, 4);
}

static LLVMValueRef
write_one_by_one(struct jit_pack_writer *to, LLVMValueRef at)
{
    enum { SHORT = 16 };
    return LLVMIsALoadInst(at) && to->width <= SHORT ? jit_pack_gather(to, at)
                                                     : write_serial(to, at);
}

/* Writes the address of the first of the consecutive elements that the lanes
 * access: a copy of the instruction `address` with `first` as the last
 * index. */
static LLVMValueRef
row_address(struct jit_pack_writer *to, LLVMValueRef address,
            LLVMValueRef first)
{
    LLVMValueRef operands[16];
    unsigned count = (unsigned)LLVMGetNumOperands(address);
    for (unsigned i = 0; i + 1 < count; i++) {
        operands[i] = jit_pack_scalar(to, LLVMGetOperand(address, i));
    }
    operands[count - 1] = first;
    return LLVMBuildGEP2(to->builder, LLVMGetGEPSourceElementType(address),
                         operands[0], operands + 1, count - 1, "");
}

/* Writes a load or store of base[index] with a run-time test: if the indices
 * of the lanes are consecutive, a vector access, else an access for each
 * element. Returns the result of a load. */
static LLVMValueRef
write_tested(struct jit_pack_writer *to, LLVMValueRef at, LLVMValueRef index)
{
    LLVMBuilderRef builder = to->builder;
    LLVMContextRef context = to->jit->context;
    bool store = LLVMIsAStoreInst(at) != NULL;
    LLVMValueRef address = LLVMGetOperand(at, store), first, made = NULL;
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(at, 0) : at);
    LLVMTypeRef wide = LLVMVectorType(type, to->width);
    LLVMValueRef value =
        store ? jit_pack_vector(to, LLVMGetOperand(at, 0)) : NULL;
    LLVMValueRef fits = test_row(to, index, &first);
    LLVMBasicBlockRef blocks[3], from[2];
    for (int i = 0; i < 3; i++) {
        blocks[i] = LLVMAppendBasicBlockInContext(context, to->function, "");
    }
    LLVMBuildCondBr(builder, fits, blocks[0], blocks[1]);
    LLVMPositionBuilderAtEnd(builder, blocks[0]);
    LLVMValueRef row = row_address(to, address, first);
    LLVMValueRef align = jit_constant(to->jit, LLVMGetAlignment(at));
    LLVMTypeRef types[2] = {wide, to->jit->pointer};
    LLVMValueRef loads[4] = {row, align, to->mask, LLVMGetPoison(wide)};
    LLVMValueRef stores[4] = {value, row, align, to->mask};
    made = call_intrinsic(to, store ? "llvm.masked.store" : "llvm.masked.load",
                          types, store ? stores : loads, 4);
    LLVMBuildBr(builder, blocks[2]);
    LLVMPositionBuilderAtEnd(builder, blocks[1]);
    LLVMValueRef values[2] = {made, write_one_by_one(to, at)};
    from[0] = blocks[0];
    from[1] = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, blocks[2]);
    LLVMPositionBuilderAtEnd(builder, blocks[2]);
    if (store) {
        return NULL;
    }
    LLVMValueRef phi = LLVMBuildPhi(builder, wide, "");
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

void
jit_pack_load(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMValueRef address = LLVMGetOperand(at, 0);
    LLVMTypeRef type = LLVMTypeOf(at);
    int way = direction(to, address, type);
    if (jit_sight(at) != JIT_SIGHT_NONE) {
        jit_pack_serial(to, at);
        return;
    }
    if (jit_pack_is_linear(to->body, at)) {
        copy_scalar(to, at);
        return;
    }
    const struct jit_pack_buffered *row = jit_pack_buffered(to->body, at);
    if (row) {
        jit_pack_define(to, at, jit_pack_load_buffered(to, row));
        return;
    }
    LLVMValueRef index = jit_pack_row_index(to->body, address, type);
    if (index) {
        jit_pack_define(to, at, write_tested(to, at, index));
        return;
    }
    LLVMTypeRef wide = LLVMVectorType(type, to->width);
    LLVMValueRef mask = way < 0 ? reversed(to, to->mask) : to->mask;
    LLVMValueRef arguments[4] = {way ? row_start(to, address, type, way)
                                     : jit_pack_vector(to, address),
                                 jit_constant(to->jit, LLVMGetAlignment(at)),
                                 mask, LLVMGetPoison(wide)};
    LLVMTypeRef types[2] = {wide, LLVMTypeOf(arguments[0])};
    LLVMValueRef made =
        call_intrinsic(to, way ? "llvm.masked.load" : "llvm.masked.gather",
                       types, arguments, 4);
    jit_pack_define(to, at, way < 0 ? reversed(to, made) : made);
}

void
jit_pack_store(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMValueRef value = LLVMGetOperand(at, 0),
                 address = LLVMGetOperand(at, 1);
    LLVMTypeRef type = LLVMTypeOf(value);
    int way = direction(to, address, type);
    bool single = jit_pack_is_uniform(to->body, address);
    if (single && jit_pack_is_uniform(to->body, value) &&
        jit_sight(at) == JIT_SIGHT_NONE && !LLVMGetVolatile(at)) {
        copy_scalar(to, at);
        return;
    }
    if (single || LLVMGetVolatile(at) ||
        LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic) {
        jit_pack_serial(to, at);
        return;
    }
    LLVMValueRef index = jit_pack_row_index(to->body, address, type);
    if (index) {
        write_tested(to, at, index);
        return;
    }
    LLVMValueRef vector = jit_pack_vector(to, value);
    LLVMValueRef mask = way < 0 ? reversed(to, to->mask) : to->mask;
    if (PLANTED_FAULT(pack_store)) {
        mask = to->all;
    }
    LLVMValueRef arguments[4] = {
        way < 0 ? reversed(to, vector) : vector,
        way ? row_start(to, address, type, way) : jit_pack_vector(to, address),
        jit_constant(to->jit, LLVMGetAlignment(at)), mask};
    LLVMTypeRef types[2] = {LLVMTypeOf(vector), LLVMTypeOf(arguments[1])};
    call_intrinsic(to, way ? "llvm.masked.store" : "llvm.masked.scatter",
                   types, arguments, 4);
}

/* Writes the copy of the instruction for one lane, and inserts its result in
 * the vector in `result`. */
static void
write_lane(struct jit_pack_writer *to, LLVMValueRef at, LLVMValueRef *operands,
           LLVMValueRef lane, LLVMValueRef result)
{
    LLVMBuilderRef builder = to->builder;
    LLVMValueRef copy = LLVMInstructionClone(at);
    int count = LLVMGetNumOperands(at);
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = operands[i];
        if (!operand) {
            continue;
        }
        if (LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMVectorTypeKind) {
            operand = LLVMBuildExtractElement(builder, operand, lane, "");
        }
        LLVMSetOperand(copy, (unsigned)i, operand);
    }
    LLVMInstructionSetDebugLoc(copy, NULL);
    LLVMInsertIntoBuilder(builder, copy);
    if (result) {
        LLVMTypeRef wide = LLVMVectorType(LLVMTypeOf(at), to->width);
        LLVMValueRef old = LLVMBuildLoad2(builder, wide, result, "");
        LLVMBuildStore(builder,
                       LLVMBuildInsertElement(builder, old, copy, lane, ""),
                       result);
    }
}

/* Writes a loop over the lanes of the mask, with a scalar copy of the
 * instruction. Returns the vector of the results, or NULL if the instruction
 * has no result. */
static LLVMValueRef
write_serial(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMBuilderRef builder = to->builder;
    LLVMContextRef context = to->jit->context;
    LLVMTypeRef type = LLVMTypeOf(at);
    bool returns = LLVMGetTypeKind(type) != LLVMVoidTypeKind;
    unsigned count = (unsigned)LLVMGetNumOperands(at);
    LLVMValueRef *operands = jit_allocate(count * sizeof(LLVMValueRef));
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, i);
        operands[i] = LLVMIsAFunction(operand) ? NULL
                      : jit_pack_is_uniform(to->body, operand)
                          ? jit_pack_scalar(to, operand)
                          : jit_pack_vector(to, operand);
    }
    LLVMValueRef result =
        returns ? jit_pack_slot(to, LLVMVectorType(type, to->width)) : NULL;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), blocks[4];
    for (int i = 0; i < 4; i++) {
        blocks[i] = LLVMAppendBasicBlockInContext(context, to->function, "");
    }
    LLVMBuildBr(builder, blocks[0]);
    LLVMPositionBuilderAtEnd(builder, blocks[0]);
    LLVMValueRef lane = LLVMBuildPhi(builder, to->jit->i32, "");
    LLVMValueRef active = LLVMBuildExtractElement(builder, to->mask, lane, "");
    LLVMBuildCondBr(builder, active, blocks[1], blocks[2]);
    LLVMPositionBuilderAtEnd(builder, blocks[1]);
    write_lane(to, at, operands, lane, result);
    LLVMBuildBr(builder, blocks[2]);
    LLVMPositionBuilderAtEnd(builder, blocks[2]);
    LLVMValueRef next =
        LLVMBuildAdd(builder, lane, jit_constant(to->jit, 1), "");
    LLVMValueRef starts[2] = {jit_constant(to->jit, 0), next};
    LLVMBasicBlockRef from[2] = {before, blocks[2]};
    LLVMAddIncoming(lane, starts, from, 2);
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntULT, next,
                                      jit_constant(to->jit, to->width), "");
    LLVMBuildCondBr(builder, more, blocks[0], blocks[3]);
    LLVMPositionBuilderAtEnd(builder, blocks[3]);
    return returns ? LLVMBuildLoad2(builder, LLVMVectorType(type, to->width),
                                    result, "")
                   : NULL;
}

void
jit_pack_serial(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMValueRef results = write_serial(to, at);
    if (results) {
        jit_pack_define(to, at, results);
    }
}
