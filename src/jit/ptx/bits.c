/* bits.c - shifts, bit counts and bit fields of PTX.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/ptx/ptx.h"

LLVMValueRef
ptx_make_bits(struct ptx_work *work)
{
    LLVMOpcode code = strcmp(work->statement->operation, "and") == 0 ? LLVMAnd
                      : strcmp(work->statement->operation, "or") == 0
                          ? LLVMOr
                          : LLVMXor;
    return LLVMBuildBinOp(work->builder, code, work->in[0], work->in[1], "");
}

LLVMValueRef
ptx_make_not(struct ptx_work *work)
{
    return LLVMBuildNot(work->builder, work->in[0], "");
}

LLVMValueRef
ptx_make_cnot(struct ptx_work *work)
{
    LLVMValueRef zero = LLVMBuildICmp(work->builder, LLVMIntEQ, work->in[0],
                                      ptx_number(work, 0), "");
    return LLVMBuildZExt(work->builder, zero, work->llvm, "");
}

/* Builds shl and shr. Shift counts have 32 bits. A count that is not below the
 * operand's width shifts all bits out. */
LLVMValueRef
ptx_make_shift(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    struct ptx_type word = {'u', 32};
    bool left = strcmp(work->statement->operation, "shl") == 0;
    bool fills = !left && work->type.letter == 's';
    LLVMOpcode code = left ? LLVMShl : fills ? LLVMAShr : LLVMLShr;
    LLVMValueRef by =
        ptx_read(work->ptx, &work->statement->operands[2], word, false);
    if (!by) {
        return NULL;
    }
    LLVMValueRef far =
        LLVMBuildICmp(builder, LLVMIntUGE, by,
                      jit_constant(work->ptx->jit, work->type.bits), "");
    LLVMValueRef most = jit_constant(work->ptx->jit, work->type.bits - 1);
    by = LLVMBuildSelect(builder, far, most, by, "");
    by = LLVMBuildIntCast2(builder, by, work->llvm, 0, "");
    LLVMValueRef shifted = LLVMBuildBinOp(builder, code, work->in[0], by, "");
    return fills || PLANTED_FAULT(ptx_shift_stays)
               ? shifted
               : LLVMBuildSelect(builder, far, ptx_number(work, 0), shifted,
                                 "");
}

/* Builds shf.l and shf.r: shifts the 64-bit value with b as its high half and
 * a as its low half, and returns 32 bits of it. */
LLVMValueRef
ptx_make_funnel(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    struct jit *jit = work->ptx->jit;
    LLVMValueRef low = LLVMBuildZExt(builder, work->in[0], jit->i64, "");
    LLVMValueRef high = LLVMBuildZExt(builder, work->in[1], jit->i64, "");
    LLVMValueRef half = LLVMConstInt(jit->i64, 32, 0);
    if (PLANTED_FAULT(ptx_funnel_order)) {
        LLVMValueRef other = low;
        low = high;
        high = other;
    }
    LLVMValueRef by = work->in[2];
    if (ptx_has(work->statement, "wrap")) {
        by = LLVMBuildAnd(builder, by, ptx_number(work, 31), "");
    } else {
        LLVMValueRef pair[] = {by, ptx_number(work, 32)};
        by = ptx_intrinsic(work->ptx, "llvm.umin", work->llvm, pair, 2);
    }
    by = LLVMBuildZExt(builder, by, jit->i64, "");
    LLVMValueRef all =
        LLVMBuildOr(builder, LLVMBuildShl(builder, high, half, ""), low, "");
    if (ptx_has(work->statement, "l")) {
        all = LLVMBuildLShr(builder, LLVMBuildShl(builder, all, by, ""), half,
                            "");
    } else {
        all = LLVMBuildLShr(builder, all, by, "");
    }
    return LLVMBuildTrunc(builder, all, work->llvm, "");
}

/* Builds popc (number of set bits) and clz (number of leading zeros). Their
 * results have 32 bits. */
LLVMValueRef
ptx_make_count(struct ptx_work *work)
{
    bool leading = strcmp(work->statement->operation, "clz") == 0;
    LLVMValueRef arguments[] = {work->in[0],
                                LLVMConstInt(work->ptx->jit->i1, 0, 0)};
    LLVMValueRef count =
        ptx_intrinsic(work->ptx, leading ? "llvm.ctlz" : "llvm.ctpop",
                      work->llvm, arguments, 1 + leading);
    work->result = (struct ptx_type){'u', 32};
    return LLVMBuildIntCast2(work->builder, count, work->ptx->jit->i32, 0, "");
}

LLVMValueRef
ptx_make_brev(struct ptx_work *work)
{
    return ptx_intrinsic(work->ptx, "llvm.bitreverse", work->llvm, work->in,
                         1);
}

/* Builds lop3: bit i of the result is bit (4a + 2b + c) of the table operand,
 * where a, b and c are the bits i of the three inputs. */
static LLVMValueRef
look_up(struct ptx_work *work, const struct ptx_operand *operand)
{
    if (operand->kind != PTX_INTEGER && operand->kind != PTX_REGISTER) {
        return ptx_give_up(work, "lop3 has no table");
    }
    LLVMValueRef table = ptx_read(work->ptx, operand, work->type, false);
    if (!table || !LLVMIsAConstantInt(table)) {
        return ptx_give_up(work, "the table of lop3 is no constant");
    }
    uint64_t bits = LLVMConstIntGetZExtValue(table);
    LLVMValueRef result = ptx_number(work, 0);
    for (unsigned row = 0; row < 8; row++) {
        LLVMValueRef all = ptx_number(work, ~0ull);
        for (unsigned k = 0; k < 3; k++) {
            LLVMValueRef term = work->in[k];
            term = row & (PLANTED_FAULT(ptx_table_order) ? 1u << k : 4u >> k)
                       ? term
                       : LLVMBuildNot(work->builder, term, "");
            all = LLVMBuildAnd(work->builder, all, term, "");
        }
        if (bits >> row & 1) {
            result = LLVMBuildOr(work->builder, result, all, "");
        }
    }
    return result;
}

LLVMValueRef
ptx_make_lop3(struct ptx_work *work)
{
    return look_up(work, &work->statement->operands[4]);
}

/* Builds lop3.and and lop3.or d|p, a, b, c, table, q. The predicate p tells
 * whether d is not 0; it is combined with the predicate q by the operation
 * `and` or `or`. */
bool
ptx_build_lop3(struct ptx *ptx, const struct ptx_statement *statement)
{
    static const struct ptx_type word = {'b', 32}, predicate = {'p', 1};
    LLVMBuilderRef builder = ptx->jit->builder;
    const struct ptx_operand *operands = statement->operands;
    struct ptx_work work = {.ptx = ptx,
                            .builder = builder,
                            .statement = statement,
                            .type = word,
                            .llvm = ptx->jit->i32};
    bool both = ptx_has(statement, "and");
    if (statement->operand_count != 7 || statement->modifier_count != 2 ||
        !(both || ptx_has(statement, "or")) || !ptx_has(statement, "b32")) {
        return ptx_form_refuse(ptx, "lop3");
    }
    for (unsigned i = 0; i < 3; i++) {
        work.in[i] = ptx_read(ptx, &operands[i + 2], word, false);
        if (!work.in[i]) {
            return false;
        }
    }
    LLVMValueRef value = look_up(&work, &operands[5]);
    LLVMValueRef old =
        value ? ptx_read(ptx, &operands[6], predicate, false) : NULL;
    if (!old) {
        return false;
    }
    LLVMValueRef any = LLVMBuildICmp(builder, LLVMIntNE, value,
                                     LLVMConstNull(ptx->jit->i32), "");
    any = LLVMBuildBinOp(builder, both ? LLVMAnd : LLVMOr, any, old, "");
    return ptx_write(ptx, operands[0].names[0], word, value, false) &&
           ptx_write(ptx, operands[1].names[0], predicate, any, false);
}

/* ---- fields ---- */

/* Reads an operand that is the position or length of a bit field, in bits, and
 * limits it to the width of the operation's type. If the operand is a
 * register, a 32-bit operation uses only its low byte and a 64-bit operation
 * all its bits, as GPUs do (CUDA 13.0 on an H100). A constant above 255 is an
 * error, as in ptxas. */
static LLVMValueRef
distance(struct ptx_work *work, unsigned index, LLVMTypeRef type)
{
    struct ptx_type word = {'u', 32};
    const struct ptx_operand *operand = &work->statement->operands[index];
    if (operand->kind == PTX_INTEGER && operand->bits > 255) {
        return ptx_give_up(work, "the position and length of a bit field "
                                 "must be in [0, 255]");
    }
    LLVMValueRef value = ptx_read(work->ptx, operand, word, false);
    if (!value) {
        return NULL;
    }
    struct jit *jit = work->ptx->jit;
    if (work->type.bits == 32) {
        value = LLVMBuildAnd(work->builder, value, jit_constant(jit, 255), "");
    }
    LLVMValueRef pair[] = {value, jit_constant(jit, work->type.bits)};
    value = ptx_intrinsic(work->ptx, "llvm.umin", jit->i32, pair, 2);
    return LLVMBuildIntCast2(work->builder, value, type, 0, "");
}

/* Returns an integer of twice the operation's width with the lowest `length`
 * bits set. */
static LLVMValueRef
ones(struct ptx_work *work, LLVMValueRef length)
{
    LLVMValueRef one = LLVMConstInt(LLVMTypeOf(length), 1, 0);
    LLVMValueRef power = LLVMBuildShl(work->builder, one, length, "");
    return LLVMBuildSub(work->builder, power, one, "");
}

/* Builds bfe d, a, position, length: extracts a bit field of a. A signed field
 * is extended by its highest bit. If the field extends beyond the width of a,
 * the missing bits are copies of the highest bit of a. */
LLVMValueRef
ptx_make_extract(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    LLVMTypeRef wide =
        LLVMIntTypeInContext(work->ptx->jit->context, 2 * work->type.bits);
    bool is_signed =
        work->type.letter == 's' && !PLANTED_FAULT(ptx_field_sign);
    LLVMValueRef value =
        LLVMBuildIntCast2(builder, work->in[0], wide, is_signed, "");
    LLVMValueRef from = distance(work, 2, wide);
    LLVMValueRef length = distance(work, 3, wide);
    if (!from || !length) {
        return NULL;
    }
    if (!is_signed) {
        value = LLVMBuildLShr(builder, value, from, "");
        value = LLVMBuildAnd(builder, value, ones(work, length), "");
        return LLVMBuildTrunc(builder, value, work->llvm, "");
    }
    LLVMValueRef all = LLVMConstInt(wide, 2 * work->type.bits - 1, 0);
    LLVMValueRef none = LLVMBuildICmp(builder, LLVMIntEQ, length,
                                      LLVMConstInt(wide, 0, 0), "");
    LLVMValueRef up = LLVMBuildSub(builder, all, length, "");
    LLVMValueRef one = LLVMConstInt(wide, 1, 0);
    value = LLVMBuildAShr(builder, value, from, "");
    value =
        LLVMBuildShl(builder, LLVMBuildShl(builder, value, up, ""), one, "");
    value =
        LLVMBuildAShr(builder, LLVMBuildAShr(builder, value, one, ""), up, "");
    value = LLVMBuildTrunc(builder, value, work->llvm, "");
    return LLVMBuildSelect(builder, none, ptx_number(work, 0), value, "");
}

/* Builds bfi d, a, b, position, length: the result is b, with one bit field
 * replaced by the low bits of a. */
LLVMValueRef
ptx_make_insert(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    LLVMTypeRef wide =
        LLVMIntTypeInContext(work->ptx->jit->context, 2 * work->type.bits);
    LLVMValueRef from = distance(work, 3, wide);
    LLVMValueRef length = distance(work, 4, wide);
    if (!from || !length) {
        return NULL;
    }
    LLVMValueRef mask = LLVMBuildShl(builder, ones(work, length), from, "");
    LLVMValueRef value = LLVMBuildZExt(builder, work->in[0], wide, "");
    value = LLVMBuildShl(builder, value, from, "");
    mask = LLVMBuildTrunc(builder, mask, work->llvm, "");
    value = LLVMBuildTrunc(builder, value, work->llvm, "");
    value = LLVMBuildAnd(builder, value, mask, "");
    LLVMValueRef rest = LLVMBuildAnd(builder, work->in[1],
                                     LLVMBuildNot(builder, mask, ""), "");
    return LLVMBuildOr(builder, value, rest, "");
}

/* The modes of prmt, such as .f4e. Each row has the selectors of four bytes
 * for every value of the operand c modulo 4. */
static const struct {
    const char *mode;
    unsigned selectors[4];
} byte_modes[] = {
    {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}},
    {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
    {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}},
    {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
    {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}},
    {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
};

/* Replaces the operand c of prmt by the selectors of the statement's mode.
 * Returns false on failure. */
static bool
select_bytes(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    const struct ptx_statement *statement = work->statement;
    if (work->type.bits != 32 || statement->modifier_count > 2) {
        return ptx_give_up(work, "this mode of prmt is not supported");
    }
    for (size_t i = 0; i < sizeof byte_modes / sizeof *byte_modes; i++) {
        if (!ptx_has(statement, byte_modes[i].mode)) {
            continue;
        }
        LLVMValueRef own =
            LLVMBuildAnd(builder, work->in[2], ptx_number(work, 3), "");
        LLVMValueRef result = ptx_number(work, 0);
        for (unsigned k = 0; k < 4; k++) {
            LLVMValueRef test = LLVMBuildICmp(builder, LLVMIntEQ, own,
                                              ptx_number(work, k), "");
            result = LLVMBuildSelect(
                builder, test, ptx_number(work, byte_modes[i].selectors[k]),
                result, "");
        }
        work->in[2] = result;
        return true;
    }
    return statement->modifier_count == 1 ||
           ptx_give_up(work, "this mode of prmt is not supported");
}

/* Builds prmt: selects one of the eight bytes of a and b for each byte of the
 * result, or fills the byte of the result with the selected byte's sign
 * bit. */
LLVMValueRef
ptx_make_permute(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    struct jit *jit = work->ptx->jit;
    if (!select_bytes(work)) {
        return NULL;
    }
    LLVMValueRef high = LLVMBuildZExt(builder, work->in[1], jit->i64, "");
    LLVMValueRef all = LLVMBuildZExt(builder, work->in[0], jit->i64, "");
    high = LLVMBuildShl(builder, high, LLVMConstInt(jit->i64, 32, 0), "");
    all = LLVMBuildOr(builder, all, high, "");
    LLVMValueRef result = ptx_number(work, 0);
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef select =
            LLVMBuildLShr(builder, work->in[2], ptx_number(work, 4 * i), "");
        LLVMValueRef by =
            LLVMBuildAnd(builder, select, ptx_number(work, 7), "");
        by = LLVMBuildShl(builder, by, ptx_number(work, 3), "");
        by = LLVMBuildZExt(builder, by, jit->i64, "");
        LLVMValueRef byte = LLVMBuildTrunc(
            builder, LLVMBuildLShr(builder, all, by, ""), jit->i8, "");
        LLVMValueRef sign =
            LLVMBuildAShr(builder, byte, LLVMConstInt(jit->i8, 7, 0), "");
        LLVMValueRef signs =
            LLVMBuildAnd(builder, select, ptx_number(work, 8), "");
        signs =
            LLVMBuildICmp(builder, LLVMIntNE, signs, ptx_number(work, 0), "");
        if (!PLANTED_FAULT(ptx_byte_sign)) {
            byte = LLVMBuildSelect(builder, signs, sign, byte, "");
        }
        byte = LLVMBuildZExt(builder, byte, work->llvm, "");
        byte = LLVMBuildShl(builder, byte, ptx_number(work, 8 * i), "");
        result = LLVMBuildOr(builder, result, byte, "");
    }
    return result;
}
