/* inline.c - translates one asm statement of inline PTX into LLVM
 * instructions.
 *
 * Called by assembly.c. An asm statement may contain several PTX statements.
 * Code that branches, waits for other threads or uses unsupported features is
 * rejected with a reason.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/ptx.h"
#include "jit/text.h"

/* ---- moves and declarations ---- */

/* Builds mov d, {a, b}: packs several values into one register, with the first
 * value in the lowest bits. */
static bool
pack(struct ptx *ptx, const struct ptx_operand *to, struct ptx_type type,
     const struct ptx_operand *parts)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef whole = LLVMIntTypeInContext(ptx->jit->context, type.bits);
    struct ptx_type part = {'b', type.bits / parts->count};
    LLVMValueRef value = LLVMConstInt(whole, 0, 0);
    for (unsigned i = 0; i < parts->count; i++) {
        LLVMValueRef one = ptx_read_name(ptx, parts->names[i], part, false);
        if (!one) {
            return false;
        }
        one = LLVMBuildZExt(builder, one, whole, "");
        one = LLVMBuildShl(builder, one, LLVMConstInt(whole, i * part.bits, 0),
                           "");
        value = LLVMBuildOr(builder, value, one, "");
    }
    return ptx_write(ptx, to->names[0], type, value, false);
}

static bool
unpack(struct ptx *ptx, const struct ptx_operand *parts, struct ptx_type type,
       LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    struct ptx_type part = {'b', type.bits / parts->count};
    LLVMTypeRef whole = LLVMIntTypeInContext(ptx->jit->context, type.bits);
    LLVMTypeRef narrow = LLVMIntTypeInContext(ptx->jit->context, part.bits);
    value = LLVMBuildBitCast(builder, value, whole, "");
    for (unsigned i = 0; i < parts->count; i++) {
        LLVMValueRef one = LLVMBuildLShr(
            builder, value, LLVMConstInt(whole, i * part.bits, 0), "");
        one = LLVMBuildTrunc(builder, one, narrow, "");
        if (!ptx_write(ptx, parts->names[i], part, one, false)) {
            return false;
        }
    }
    return true;
}

/* Builds the PTX statements mov and cvta. The latter converts addresses
 * between address spaces and is a copy here, as all addresses are generic. */
static bool
build_move(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type;
    const struct ptx_operand *to = &statement->operands[0];
    const struct ptx_operand *from = &statement->operands[1];
    unsigned n = statement->modifier_count;
    if (!n || !ptx_parse_type(statement->modifiers[n - 1], &type) ||
        statement->operand_count != 2 ||
        !ptx_only(statement, " to global const ")) {
        return ptx_fail(ptx, "'%s' does not exist in a supported form",
                        statement->operation);
    }
    if (from->kind == PTX_VECTOR && to->kind == PTX_REGISTER) {
        return pack(ptx, to, type, from);
    }
    LLVMValueRef value = ptx_read(ptx, from, type, false);
    if (!value) {
        return false;
    }
    return to->kind == PTX_VECTOR
               ? unpack(ptx, to, type, value)
               : ptx_write(ptx, to->names[0], type, value, false);
}

/* Declares a range of registers: t<4> is t0 to t3. */
static bool
declare_range(struct ptx *ptx, const char *range, struct ptx_type type)
{
    const char *angle = strchr(range, '<');
    int length = (int)(angle - range);
    unsigned long count = strtoul(angle + 1, NULL, 10);
    for (unsigned long i = 0; i < count; i++) {
        char name[2 * PTX_NAME];
        snprintf(name, sizeof name, "%.*s%lu", length, range, i);
        if (strlen(name) >= PTX_NAME || !ptx_declare(ptx, name, type, NULL)) {
            return ptx_fail(ptx, "it declares too many registers");
        }
    }
    return true;
}

/* Declares the registers of a statement such as `.reg .b32 a, b, t<4>;`. */
static bool
declare(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type;
    if (statement->modifier_count != 1 ||
        !ptx_parse_type(statement->modifiers[0], &type)) {
        return ptx_fail(ptx, "'.%s' does not exist in a supported form",
                        statement->operation);
    }
    for (unsigned i = 0; i < statement->operand_count; i++) {
        const char *name = statement->operands[i].names[0];
        bool right = statement->operands[i].kind == PTX_REGISTER;
        if (right) {
            right = strchr(name, '<') ? declare_range(ptx, name, type)
                                      : ptx_declare(ptx, name, type, NULL);
        }
        if (!right) {
            return ptx_fail(
                ptx, "the syntax of a register's name is not supported");
        }
    }
    return true;
}

/* ---- statements ---- */

/* Builds a PTX statement; arithmetic is in the table of operations.c. The
 * predicate of the statement is applied elsewhere, where results are written.
 */
static bool
build_unpredicated(struct ptx *ptx, const struct ptx_statement *statement)
{
    static const struct {
        const char *operation;
        bool (*make)(struct ptx *, const struct ptx_statement *);
    } rows[] = {
        {"atom", ptx_build_atomic}, {"cvt", ptx_build_convert},
        {"cvta", build_move},       {"ld", ptx_build_load},
        {"ldu", ptx_build_load},    {"mov", build_move},
        {"red", ptx_build_atomic},  {"reg", declare},
        {"st", ptx_build_store},
    };
    bool shared =
        strcmp(statement->operation, "cvta") == 0 &&
        (ptx_has(statement, "shared") || ptx_has(statement, "local"));
    if (shared) {
        return ptx_fail(ptx, "it uses an address space that is not generic");
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(statement->operation, rows[i].operation) == 0) {
            return rows[i].make(ptx, statement);
        }
    }
    return ptx_build(ptx, statement);
}

static bool
is_hint(const struct ptx_statement *statement)
{
    return !statement->operation[0] ||
           strcmp(statement->operation, "prefetch") == 0 ||
           strcmp(statement->operation, "prefetchu") == 0;
}

/* Builds a PTX statement. Reads its predicate to ptx->predicate first, where
 * ptx_write and the functions for stores find it. */
static bool
build_statement(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type = {'p', 1};
    ptx->predicate = NULL;
    if (is_hint(statement)) {
        return true;
    }
    if (statement->predicate[0]) {
        LLVMValueRef when =
            ptx_read_name(ptx, statement->predicate, type, false);
        if (!when) {
            return false;
        }
        ptx->predicate = statement->inverted
                             ? LLVMBuildNot(ptx->jit->builder, when, "")
                             : when;
    }
    return build_unpredicated(ptx, statement);
}

/* ---- operands of the asm statement ---- */

/* Returns the PTX register type ('b': bits) for an LLVM type; its size is 0 if
 * the type is unsupported. */
static struct ptx_type
type_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return (struct ptx_type){'b', LLVMGetIntTypeWidth(type)};
    case LLVMFloatTypeKind:
        return (struct ptx_type){'b', 32};
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return (struct ptx_type){'b', 64};
    case LLVMHalfTypeKind:
        return (struct ptx_type){'b', 16};
    default:
        return (struct ptx_type){'b', 0};
    }
}

static LLVMValueRef
as_bits(struct jit *jit, LLVMValueRef value)
{
    struct ptx_type type = type_of(LLVMTypeOf(value));
    LLVMTypeRef bits = LLVMIntTypeInContext(jit->context, type.bits);
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind
               ? LLVMBuildPtrToInt(jit->builder, value, bits, "")
               : LLVMBuildBitCast(jit->builder, value, bits, "");
}

static LLVMTypeRef
result_type(LLVMValueRef call, unsigned i)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    return LLVMGetTypeKind(type) == LLVMStructTypeKind
               ? LLVMStructGetTypeAtIndex(type, i)
               : type;
}

/* Declares the operands of the asm statement as registers $0, $1, ...: first
 * results, then inputs. If an input's constraint is a number n, the input is
 * the initial value of register $n, a result. */
static bool
declare_operands(struct ptx *ptx, LLVMValueRef call, unsigned *results)
{
    size_t length;
    const char *given =
        LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length);
    char *text = jit_copy(given, length), *save = NULL;
    unsigned index = 0, input = 0;
    *results = 0;
    for (char *item = strtok_r(text, ",", &save); item;
         item = strtok_r(NULL, ",", &save)) {
        char name[16];
        struct ptx_type type;
        snprintf(name, sizeof name, "$%u", index);
        if (item[0] == '~') {
            continue;
        }
        index++;
        if (item[0] == '=' && item[1] != '*') {
            type = type_of(result_type(call, (*results)++));
            if (!type.bits || !ptx_declare(ptx, name, type, NULL)) {
                return ptx_fail(ptx, "a result has an unsupported type");
            }
            continue;
        }
        LLVMValueRef value = LLVMGetOperand(call, input++);
        type = type_of(LLVMTypeOf(value));
        if (item[0] == '=' || strchr(item, '*') || !type.bits) {
            return ptx_fail(ptx, "an operand is in memory");
        }
        value = as_bits(ptx->jit, value);
        if (item[0] >= '0' && item[0] <= '9') {
            ptx->registers[strtoul(item, NULL, 10)].value = value;
        }
        if (!ptx_declare(ptx, name, type, value)) {
            return false;
        }
    }
    return true;
}

static LLVMValueRef
result(struct ptx *ptx, LLVMValueRef call, unsigned i)
{
    LLVMTypeRef type = result_type(call, i);
    LLVMValueRef value = ptx->registers[i].value;
    if (!value) {
        return LLVMGetUndef(type);
    }
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind
               ? LLVMBuildIntToPtr(ptx->jit->builder, value, type, "")
               : LLVMBuildBitCast(ptx->jit->builder, value, type, "");
}

static void
replace_call(struct ptx *ptx, LLVMValueRef call, unsigned results)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    if (!results) {
        LLVMInstructionEraseFromParent(call);
        return;
    }
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind) {
        jit_replace(call, result(ptx, call, 0));
        return;
    }
    LLVMValueRef all = LLVMGetUndef(type);
    for (unsigned i = 0; i < results; i++) {
        all = LLVMBuildInsertValue(ptx->jit->builder, all,
                                   result(ptx, call, i), i, "");
    }
    jit_replace(call, all);
}

/* Erases the instructions after `before` and ahead of `call`, which were built
 * before an unsupported PTX statement was found. */
static void
erase_built(LLVMValueRef before, LLVMValueRef call)
{
    for (;;) {
        LLVMValueRef last = LLVMGetPreviousInstruction(call);
        if (last == before || !last) {
            return;
        }
        LLVMReplaceAllUsesWith(last, LLVMGetUndef(LLVMTypeOf(last)));
        LLVMInstructionEraseFromParent(last);
    }
}

const char *
jit_translate_ptx(struct jit *jit, LLVMValueRef call)
{
    size_t length;
    const char *given =
        LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &length);
    const char *text = jit_copy(given, length);
    struct ptx *ptx = jit_allocate(sizeof *ptx);
    LLVMValueRef before = LLVMGetPreviousInstruction(call);
    struct ptx_statement statement;
    unsigned results;
    ptx->jit = jit;
    LLVMPositionBuilderBefore(jit->builder, call);
    bool right = declare_operands(ptx, call, &results);
    while (right && *text) {
        right = ptx_parse(ptx, &text, &statement) &&
                build_statement(ptx, &statement);
    }
    const char *wrong = ptx->wrong;
    if (right) {
        replace_call(ptx, call, results);
    } else {
        erase_built(before, call);
    }
    free(ptx);
    return right ? NULL : wrong ? wrong : "its syntax is not supported";
}
