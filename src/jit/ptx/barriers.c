/* barriers.c - mbarrier objects of PTX.
 *
 * The 64 bits of an object have four fields, beginning with the lowest bits:
 * 20 bits for the arrivals that the current phase still expects, 20 for the
 * arrivals of each phase, 3 for the number of ended phases, and 21 for the
 * bytes that copies still have to write (the "tx-count"). All threads of a
 * block run on one host thread and switch only inside runtime functions. So an
 * object is updated by a plain load and store, without an atomic operation.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/barriers.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

enum { COUNT_BITS = 20, PHASE_BITS = 3, BYTES_BITS = 21 };

/* The fields of an mbarrier object, each an i64. */
struct fields {
    LLVMValueRef pending, expected, phase, bytes;
};

static const struct ptx_type word = {'u', 32};
static const struct ptx_type state = {'b', 64};

static LLVMValueRef
number(struct ptx *ptx, uint64_t value)
{
    return LLVMConstInt(ptx->jit->i64, value, 0);
}

/* Extracts `bits` bits of `value`, beginning at bit `from`. */
static LLVMValueRef
field(struct ptx *ptx, LLVMValueRef value, unsigned from, unsigned bits)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    value = LLVMBuildLShr(builder, value, number(ptx, from), "");
    return LLVMBuildAnd(builder, value, number(ptx, (1ull << bits) - 1), "");
}

static LLVMValueRef
load(struct ptx *ptx, LLVMValueRef at)
{
    LLVMValueRef value =
        LLVMBuildLoad2(ptx->jit->builder, ptx->jit->i64, at, "");
    LLVMSetOrdering(value, LLVMAtomicOrderingAcquire);
    LLVMSetAlignment(value, 8);
    return value;
}

static void
store(struct ptx *ptx, LLVMValueRef value, LLVMValueRef at)
{
    LLVMValueRef made = LLVMBuildStore(ptx->jit->builder, value, at);
    LLVMSetOrdering(made, LLVMAtomicOrderingRelease);
    LLVMSetAlignment(made, 8);
}

static struct fields
split(struct ptx *ptx, LLVMValueRef value)
{
    return (struct fields){
        field(ptx, value, 0, COUNT_BITS),
        field(ptx, value, COUNT_BITS, COUNT_BITS),
        field(ptx, value, 2 * COUNT_BITS, PHASE_BITS),
        field(ptx, value, 2 * COUNT_BITS + PHASE_BITS, BYTES_BITS),
    };
}

/* Stores the fields of an mbarrier object at `at`. If the current phase
 * expects no more arrivals and no more bytes, first begins the next phase. */
static void
store_fields(struct ptx *ptx, struct fields fields, LLVMValueRef at)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMValueRef missing =
        field(ptx, LLVMBuildOr(builder, fields.pending, fields.bytes, ""), 0,
              BYTES_BITS);
    LLVMValueRef over =
        LLVMBuildICmp(builder, LLVMIntEQ, missing, number(ptx, 0), "");
    LLVMValueRef next =
        LLVMBuildAdd(builder, fields.phase, number(ptx, 1), "");
    LLVMValueRef parts[] = {
        LLVMBuildSelect(builder, over, fields.expected, fields.pending, ""),
        fields.expected,
        LLVMBuildSelect(builder, over, next, fields.phase, ""), fields.bytes};
    static const unsigned widths[] = {COUNT_BITS, COUNT_BITS, PHASE_BITS,
                                      BYTES_BITS};
    LLVMValueRef all = number(ptx, 0);
    unsigned from = 0;
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef part = field(ptx, parts[i], 0, widths[i]);
        part = LLVMBuildShl(builder, part, number(ptx, from), "");
        all = LLVMBuildOr(builder, all, part, "");
        from += widths[i];
    }
    store(ptx, all, at);
}

/* Reads an operand of 32 bits as an i64. */
static LLVMValueRef
read_count(struct ptx *ptx, const struct ptx_operand *operand)
{
    LLVMValueRef value = ptx_read(ptx, operand, word, false);
    return value ? LLVMBuildZExt(ptx->jit->builder, value, ptx->jit->i64, "")
                 : NULL;
}

void
ptx_complete_bytes(struct ptx *ptx, LLVMValueRef at, LLVMValueRef bytes)
{
    struct fields fields = split(ptx, load(ptx, at));
    fields.bytes = LLVMBuildSub(ptx->jit->builder, fields.bytes, bytes, "");
    store_fields(ptx, fields, at);
}

/* ---- statements ---- */

static bool
build_init(struct ptx *ptx, const struct ptx_statement *statement,
           LLVMValueRef at)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    if (ptx_has(statement, "inval")) {
        store(ptx, number(ptx, 0), at);
        return true;
    }
    LLVMValueRef count = statement->operand_count == 2
                             ? read_count(ptx, &statement->operands[1])
                             : NULL;
    if (!count) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef high =
        LLVMBuildShl(builder, count, number(ptx, COUNT_BITS), "");
    store(ptx, LLVMBuildOr(builder, count, high, ""), at);
    return true;
}

/* Builds mbarrier.expect_tx and mbarrier.complete_tx. */
static bool
build_bytes(struct ptx *ptx, const struct ptx_statement *statement,
            LLVMValueRef at)
{
    LLVMValueRef bytes = statement->operand_count == 2
                             ? read_count(ptx, &statement->operands[1])
                             : NULL;
    if (!bytes) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (ptx_has(statement, "expect_tx")) {
        bytes = LLVMBuildNeg(ptx->jit->builder, bytes, "");
    }
    ptx_complete_bytes(ptx, at, bytes);
    return true;
}

/* Builds mbarrier.arrive and mbarrier.arrive_drop. The operand after the
 * address is the number of arrivals. With .expect_tx, this operand is a number
 * of bytes instead, which is added to the bytes that the phase expects. */
static bool
build_arrive(struct ptx *ptx, const struct ptx_statement *statement,
             unsigned address, LLVMValueRef at)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    bool expects = ptx_has(statement, "expect_tx");
    LLVMValueRef old = load(ptx, at), count = number(ptx, 1);
    struct fields fields = split(ptx, old);
    if (statement->operand_count == address + 2) {
        LLVMValueRef given =
            read_count(ptx, &statement->operands[address + 1]);
        if (!given) {
            return false;
        }
        if (expects) {
            fields.bytes = LLVMBuildAdd(builder, fields.bytes, given, "");
        } else {
            count = given;
        }
    } else if (expects) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    fields.pending = LLVMBuildSub(builder, fields.pending, count, "");
    if (ptx_has(statement, "arrive_drop")) {
        fields.expected = LLVMBuildSub(builder, fields.expected, count, "");
    }
    store_fields(ptx, fields, at);
    return !address ||
           ptx_write(ptx, statement->operands[0].names[0], state, old, false);
}

/* Builds test_wait and try_wait. The code calls __pycuda_nanosleep before the
 * test, so that other threads run: a program repeats the instruction until the
 * phase is over, and only other threads can end the phase. */
static bool
build_wait(struct ptx *ptx, const struct ptx_statement *statement,
           LLVMValueRef at)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    struct ptx_type predicate = {'p', 1};
    bool parity = ptx_has(statement, "parity");
    const struct ptx_operand *operands = statement->operands;
    if (statement->operand_count < 3 || statement->operand_count > 4) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef wanted = parity ? read_count(ptx, &operands[2])
                                 : ptx_read(ptx, &operands[2], state, false);
    LLVMValueRef zero = jit_constant(jit, 0);
    if (!wanted) {
        return false;
    }
    ptx_call_runtime(ptx, "__pycuda_nanosleep",
                     LLVMVoidTypeInContext(jit->context), &zero, 1);
    unsigned bits = parity ? 1 : PHASE_BITS;
    LLVMValueRef now = field(ptx, load(ptx, at), 2 * COUNT_BITS, bits);
    wanted = field(ptx, wanted, parity ? 0 : 2 * COUNT_BITS, bits);
    LLVMValueRef over = LLVMBuildICmp(builder, LLVMIntNE, now, wanted, "");
    return ptx_write(ptx, operands[0].names[0], predicate, over, false);
}

static bool
build_pending(struct ptx *ptx, const struct ptx_statement *statement)
{
    const struct ptx_operand *operands = statement->operands;
    LLVMValueRef value = statement->operand_count == 2
                             ? ptx_read(ptx, &operands[1], state, false)
                             : NULL;
    if (!value) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    value = LLVMBuildTrunc(ptx->jit->builder, field(ptx, value, 0, COUNT_BITS),
                           ptx->jit->i32, "");
    return ptx_write(ptx, operands[0].names[0], word, value, false);
}

static const char modifiers[] =
    " init inval expect_tx complete_tx arrive arrive_drop test_wait try_wait "
    "parity pending_count noComplete release acquire relaxed cta cluster "
    "shared shared::cta shared::cluster ";

bool
ptx_build_mbarrier(struct ptx *ptx, const struct ptx_statement *statement)
{
    if (!ptx_only(statement, modifiers) || !statement->operand_count) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (ptx_has(statement, "pending_count")) {
        return build_pending(ptx, statement);
    }
    unsigned address = statement->operands[0].kind != PTX_ADDRESS;
    if (address >= statement->operand_count) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef at = ptx_address(ptx, &statement->operands[address],
                                  ptx_space_of(statement));
    if (!at) {
        return false;
    }
    if (ptx_has(statement, "arrive") || ptx_has(statement, "arrive_drop")) {
        return build_arrive(ptx, statement, address, at);
    }
    if (ptx_has(statement, "test_wait") || ptx_has(statement, "try_wait")) {
        return build_wait(ptx, statement, at);
    }
    return ptx_has(statement, "init") || ptx_has(statement, "inval")
               ? build_init(ptx, statement, at)
               : build_bytes(ptx, statement, at);
}

/* Builds cp.async.mbarrier.arrive. Without .noinc, the instruction first adds
 * 1 to the number of arrivals that are still expected and then arrives, so
 * that the number does not change and no code is needed. */
bool
ptx_build_copies_arrive(struct ptx *ptx, const struct ptx_statement *statement)
{
    if (statement->operand_count != 1 ||
        !ptx_only(statement, " async mbarrier arrive noinc shared "
                             "shared::cta ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef at =
        ptx_address(ptx, &statement->operands[0], ptx_space_of(statement));
    return at && (!ptx_has(statement, "noinc") ||
                  build_arrive(ptx, statement, 0, at));
}
