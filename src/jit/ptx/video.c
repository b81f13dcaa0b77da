/* video.c - scalar video instructions of PTX: vadd, vmad, vset and others.
 *
 * An operand may be a byte or a half of a register. The operation is computed
 * with 64 bits, or 128 for vmad. Its result may be limited (.sat), and then be
 * combined with operand c (.add, .min, .max) or replace a byte or half of it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/video.h"

static const struct ptx_type word = {'u', 32};

/* ---- operands ---- */

/* Returns the name of a register without its selector. */
static const char *
register_name(struct ptx *ptx, const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? ptx_join_words(ptx, name, (size_t)(dot - name), "") : name;
}

bool
ptx_read_part(struct ptx *ptx, const struct ptx_operand *operand,
              struct ptx_part *part)
{
    *part = (struct ptx_part){.selector = ""};
    if (operand->kind != PTX_REGISTER) {
        part->value = ptx_read(ptx, operand, word, false);
        return part->value != NULL;
    }
    const char *name = operand->names[0];
    part->negated = name[0] == '-';
    name += part->negated;
    const char *dot = strrchr(name, '.');
    part->selector = dot ? dot + 1 : "";
    part->value = ptx_read_name(ptx, register_name(ptx, name), word, false);
    return part->value != NULL;
}

bool
ptx_write_part(struct ptx *ptx, const struct ptx_operand *operand,
               LLVMValueRef value)
{
    if (operand->kind != PTX_REGISTER) {
        return ptx_fail(ptx, "it has no operand for the result");
    }
    return ptx_write(ptx, register_name(ptx, operand->names[0]), word, value,
                     false);
}

LLVMValueRef
ptx_extract_part(struct ptx *ptx, LLVMValueRef value, unsigned from,
                 unsigned bits, bool is_signed)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef narrow = LLVMIntTypeInContext(jit->context, bits);
    value = LLVMBuildLShr(builder, value, jit_constant(jit, from), "");
    value = bits < 32 ? LLVMBuildTrunc(builder, value, narrow, "") : value;
    return is_signed ? LLVMBuildSExt(builder, value, jit->i64, "")
                     : LLVMBuildZExt(builder, value, jit->i64, "");
}

LLVMValueRef
ptx_insert_part(struct ptx *ptx, LLVMValueRef into, LLVMValueRef value,
                unsigned from, unsigned bits)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    uint32_t mask = (uint32_t)(((1ull << bits) - 1) << from);
    value = LLVMBuildTrunc(builder, value, jit->i32, "");
    value = LLVMBuildShl(builder, value, jit_constant(jit, from), "");
    value = LLVMBuildAnd(builder, value, jit_constant(jit, mask), "");
    into = LLVMBuildAnd(builder, into, jit_constant(jit, (uint32_t)~mask), "");
    return LLVMBuildOr(builder, into, value, "");
}

/* Returns the smaller or the larger of two signed integers. */
static LLVMValueRef
extreme(struct ptx *ptx, bool larger, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef pair[] = {a, b};
    return ptx_intrinsic(ptx, larger ? "llvm.smax" : "llvm.smin",
                         LLVMTypeOf(a), pair, 2);
}

LLVMValueRef
ptx_limit_part(struct ptx *ptx, LLVMValueRef value, unsigned bits,
               bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t high = ((int64_t)1 << (bits - is_signed)) - 1;
    value = extreme(ptx, true, value, LLVMConstInt(type, (uint64_t)low, 1));
    return extreme(ptx, false, value, LLVMConstInt(type, (uint64_t)high, 1));
}

unsigned
ptx_part_types(const struct ptx_statement *statement, bool *is_signed,
               unsigned most)
{
    unsigned count = 0;
    for (unsigned i = 0; i < statement->modifier_count && count < most; i++) {
        const char *name = statement->modifiers[i];
        if (strcmp(name, "u32") == 0 || strcmp(name, "s32") == 0) {
            is_signed[count++] = name[0] == 's';
        }
    }
    return count;
}

/* ---- operations on one element ---- */

LLVMValueRef
ptx_combine_parts(struct ptx *ptx, const struct ptx_statement *statement,
                  LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    const char *name = statement->operation + 1;
    LLVMValueRef zero = LLVMConstInt(ptx->jit->i64, 0, 0);
    LLVMValueRef one = LLVMConstInt(ptx->jit->i64, 1, 0);
    if (strncmp(name, "add", 3) == 0) {
        return LLVMBuildAdd(builder, a, b, "");
    }
    if (strncmp(name, "sub", 3) == 0) {
        return LLVMBuildSub(builder, a, b, "");
    }
    if (strncmp(name, "absdiff", 7) == 0) {
        LLVMValueRef rest = LLVMBuildSub(builder, a, b, "");
        return extreme(ptx, true, rest, LLVMBuildNeg(builder, rest, ""));
    }
    if (strncmp(name, "min", 3) == 0 || strncmp(name, "max", 3) == 0) {
        return extreme(ptx, name[1] == 'a', a, b);
    }
    if (strncmp(name, "avrg", 4) == 0) {
        LLVMValueRef sum = LLVMBuildAdd(builder, a, b, "");
        LLVMValueRef positive =
            LLVMBuildICmp(builder, LLVMIntSGE, sum, zero, "");
        LLVMValueRef more = LLVMBuildAdd(builder, sum, one, "");
        sum = LLVMBuildSelect(builder, positive, more, sum, "");
        return LLVMBuildAShr(builder, sum, one, "");
    }
    return NULL;
}

LLVMValueRef
ptx_compare_parts(struct ptx *ptx, const struct ptx_statement *statement,
                  LLVMValueRef a, LLVMValueRef b)
{
    static const struct {
        const char *name;
        LLVMIntPredicate test;
    } rows[] = {{"eq", LLVMIntEQ},  {"ne", LLVMIntNE},  {"lt", LLVMIntSLT},
                {"le", LLVMIntSLE}, {"gt", LLVMIntSGT}, {"ge", LLVMIntSGE}};
    LLVMBuilderRef builder = ptx->jit->builder;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ptx_has(statement, rows[i].name)) {
            a = LLVMBuildICmp(builder, rows[i].test, a, b, "");
            return LLVMBuildZExt(builder, a, ptx->jit->i64, "");
        }
    }
    return NULL;
}

/* ---- scalar instructions ---- */

/* Finds the bit position and the width of the part of a register that a
 * selector names: b0 to b3 for a byte, h0 or h1 for a half, "" for the whole
 * register. Returns false for other selectors. */
static bool
find_part(const char *selector, unsigned *from, unsigned *bits)
{
    *from = 0;
    *bits = 32;
    if (!selector[0]) {
        return true;
    }
    *bits = selector[0] == 'b' ? 8 : 16;
    unsigned index = (unsigned)(selector[1] - '0');
    *from = index * *bits;
    return strchr("bh", selector[0]) && !selector[2] && index < 32 / *bits;
}

/* Reads an operand. Returns the part that the operand's selector names,
 * extended to an i64. */
static LLVMValueRef
read_selected(struct ptx *ptx, const struct ptx_operand *operand,
              bool is_signed, struct ptx_part *part)
{
    unsigned from, bits;
    if (!ptx_read_part(ptx, operand, part)) {
        return NULL;
    }
    if (!find_part(part->selector, &from, &bits)) {
        ptx_fail(ptx, "'.%s' selects no part of a register", part->selector);
        return NULL;
    }
    return ptx_extract_part(ptx, part->value, from, bits, is_signed);
}

/* Builds vshl and vshr: shifts `a` by `b`, which is limited to 32 (.clamp) or
 * taken modulo 32 (.wrap). Returns NULL if the statement has neither
 * modifier. */
static LLVMValueRef
shift(struct ptx *ptx, const struct ptx_statement *statement, LLVMValueRef a,
      LLVMValueRef b)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef i64 = ptx->jit->i64;
    if (ptx_has(statement, "wrap")) {
        b = LLVMBuildAnd(builder, b, LLVMConstInt(i64, 31, 0), "");
    } else if (ptx_has(statement, "clamp")) {
        LLVMValueRef pair[] = {b, LLVMConstInt(i64, 32, 0)};
        b = ptx_intrinsic(ptx, "llvm.umin", i64, pair, 2);
    } else {
        return NULL;
    }
    /* A left shift uses 128 bits, since the result has up to 64 bits and a
     * sign. */
    if (statement->operation[3] == 'r') {
        return LLVMBuildAShr(builder, a, b, "");
    }
    LLVMTypeRef wide = LLVMIntTypeInContext(ptx->jit->context, 128);
    a = LLVMBuildSExt(builder, a, wide, "");
    b = LLVMBuildZExt(builder, b, wide, "");
    return LLVMBuildShl(builder, a, b, "");
}

/* Combines the result with operand c by the statement's modifier .add, .min or
 * .max. */
static LLVMValueRef
apply_second(struct ptx *ptx, const struct ptx_statement *statement,
             LLVMValueRef value, LLVMValueRef c)
{
    return ptx_has(statement, "add")
               ? LLVMBuildAdd(ptx->jit->builder, value, c, "")
               : extreme(ptx, ptx_has(statement, "max"), value, c);
}

static bool
has_second(const struct ptx_statement *statement)
{
    return ptx_has(statement, "add") || ptx_has(statement, "min") ||
           ptx_has(statement, "max");
}

/* Writes the result: limits it and combines it with operand c. */
static bool
finish(struct ptx *ptx, const struct ptx_statement *statement,
       LLVMValueRef value, bool is_signed)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    const struct ptx_operand *operands = statement->operands;
    const char *dot = operands->kind == PTX_REGISTER
                          ? strrchr(operands->names[0], '.')
                          : NULL;
    unsigned from, bits;
    bool second = has_second(statement);
    if (!find_part(dot ? dot + 1 : "", &from, &bits) ||
        statement->operand_count != 3u + (second || dot) || (second && dot)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (ptx_has(statement, "sat")) {
        value = ptx_limit_part(ptx, value, bits, is_signed);
    }
    value = LLVMBuildIntCast2(builder, value, ptx->jit->i64, 1, "");
    if (second || dot) {
        LLVMValueRef c = ptx_read(ptx, &operands[3], word, false);
        if (!c) {
            return false;
        }
        if (second) {
            c = ptx_extract_part(ptx, c, 0, 32, is_signed);
            value = apply_second(ptx, statement, value, c);
        } else {
            return ptx_write_part(ptx, operands,
                                  ptx_insert_part(ptx, c, value, from, bits));
        }
    }
    return ptx_write_part(ptx, operands,
                          LLVMBuildTrunc(builder, value, ptx->jit->i32, ""));
}

/* Adds operand c to the product of vmad. The product is negated if
 * `minus_product` is true, and c if `minus_c` is true; not both are. With .po,
 * 1 is added to the sum. */
static LLVMValueRef
add_to_product(struct ptx *ptx, const struct ptx_statement *statement,
               LLVMValueRef product, LLVMValueRef c, bool minus_product,
               bool minus_c)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = LLVMTypeOf(product);
    uint64_t more = 1;
    if (!ptx_has(statement, "po")) {
        if (minus_product) {
            product = LLVMBuildNot(builder, product, "");
        } else if (minus_c) {
            c = LLVMBuildNot(builder, c, "");
        } else {
            more = 0;
        }
    }
    product = LLVMBuildAdd(builder, product, c, "");
    product = LLVMBuildAdd(builder, product, LLVMConstInt(type, more, 0), "");
    unsigned by = ptx_has(statement, "shr7")    ? 7
                  : ptx_has(statement, "shr15") ? 15
                                                : 0;
    return LLVMBuildAShr(builder, product, LLVMConstInt(type, by, 0), "");
}

static bool
build_vmad(struct ptx *ptx, const struct ptx_statement *statement)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef wide = LLVMIntTypeInContext(ptx->jit->context, 128);
    bool types[3];
    struct ptx_part a, b, c;
    const struct ptx_operand *operands = statement->operands;
    if (statement->operand_count != 4 ||
        ptx_part_types(statement, types, 3) != 3) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef left = read_selected(ptx, &operands[1], types[1], &a);
    LLVMValueRef right =
        left ? read_selected(ptx, &operands[2], types[2], &b) : NULL;
    if (!right || !ptx_read_part(ptx, &operands[3], &c)) {
        return false;
    }
    bool minus = a.negated != b.negated;
    if (c.selector[0] || (minus && c.negated) ||
        (ptx_has(statement, "po") && (a.negated || b.negated || c.negated))) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    bool is_signed = types[1] || types[2] || minus || c.negated;
    left = LLVMBuildSExt(builder, left, wide, "");
    right = LLVMBuildSExt(builder, right, wide, "");
    LLVMValueRef value = LLVMBuildMul(builder, left, right, "");
    LLVMValueRef rest = is_signed ? LLVMBuildSExt(builder, c.value, wide, "")
                                  : LLVMBuildZExt(builder, c.value, wide, "");
    value = add_to_product(ptx, statement, value, rest, minus, c.negated);
    if (ptx_has(statement, "sat")) {
        value = ptx_limit_part(ptx, value, 32, is_signed);
    }
    return ptx_write_part(ptx, operands,
                          LLVMBuildTrunc(builder, value, ptx->jit->i32, ""));
}

bool
ptx_build_video(struct ptx *ptx, const struct ptx_statement *statement)
{
    static const char modifiers[] =
        " sat add min max clamp wrap po shr7 shr15 eq ne lt le gt ge ";
    const char *name = statement->operation;
    bool sets = strcmp(name, "vset") == 0;
    bool shifts = strncmp(name, "vsh", 3) == 0;
    bool types[3] = {0};
    struct ptx_part part;
    const struct ptx_operand *operands = statement->operands;
    unsigned wanted = sets ? 2 : 3;
    if (!ptx_only(statement, modifiers) || statement->operand_count < 3 ||
        ptx_part_types(statement, types, 3) != wanted) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (strcmp(name, "vmad") == 0) {
        return build_vmad(ptx, statement);
    }
    LLVMValueRef a =
        read_selected(ptx, &operands[1], types[wanted - 2], &part);
    LLVMValueRef b =
        a ? read_selected(ptx, &operands[2], types[wanted - 1], &part) : NULL;
    if (!b) {
        return false;
    }
    LLVMValueRef value = sets     ? ptx_compare_parts(ptx, statement, a, b)
                         : shifts ? shift(ptx, statement, a, b)
                                  : ptx_combine_parts(ptx, statement, a, b);
    return value ? finish(ptx, statement, value, types[0])
                 : ptx_form_refuse(ptx, statement->operation);
}
