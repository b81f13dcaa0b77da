/* compare.c - comparisons of PTX: setp and set.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"
#include "jit/ptx/compare.h"
#include "jit/ptx/halves.h"
#include "jit/ptx/ptx.h"

static const struct ptx_type predicate = {'p', 1};

static const struct comparison {
    const char *name;
    /* LLVM's predicates for integers; 0 means that the comparison is for
     * floats only */
    LLVMIntPredicate is_signed, is_unsigned;
    /* LLVM's predicate for floats; LLVMRealPredicateFalse means that the
     * comparison is for integers only */
    LLVMRealPredicate real;
} comparisons[] = {
    {"eq", LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ},
    {"ne", LLVMIntNE, LLVMIntNE, LLVMRealONE},
    {"lt", LLVMIntSLT, LLVMIntULT, LLVMRealOLT},
    {"le", LLVMIntSLE, LLVMIntULE, LLVMRealOLE},
    {"gt", LLVMIntSGT, LLVMIntUGT, LLVMRealOGT},
    {"ge", LLVMIntSGE, LLVMIntUGE, LLVMRealOGE},
    {"lo", LLVMIntULT, LLVMIntULT, LLVMRealPredicateFalse},
    {"ls", LLVMIntULE, LLVMIntULE, LLVMRealPredicateFalse},
    {"hi", LLVMIntUGT, LLVMIntUGT, LLVMRealPredicateFalse},
    {"hs", LLVMIntUGE, LLVMIntUGE, LLVMRealPredicateFalse},
    {"equ", 0, 0, LLVMRealUEQ},
    {"neu", 0, 0, LLVMRealUNE},
    {"ltu", 0, 0, LLVMRealULT},
    {"leu", 0, 0, LLVMRealULE},
    {"gtu", 0, 0, LLVMRealUGT},
    {"geu", 0, 0, LLVMRealUGE},
    {"num", 0, 0, LLVMRealORD},
    {"nan", 0, 0, LLVMRealUNO},
};

/* A comparison with one or, for pairs of halves, two results. */
struct compare {
    struct ptx *ptx;
    const struct ptx_statement *statement;
    const struct comparison *row;
    const struct ptx_operand *in; /* the operands a and b */
    struct ptx_type type;
    /* the type, if it is f16, bf16 or a pair of one of these; otherwise
     * half.count is 0 */
    struct ptx_half half;
    /* The modifier .and, .or or .xor, which combines the result with the
     * operand c, or NULL */
    const char *combine;
    LLVMValueRef c;
};

/* Reads the modifiers of the instruction, and the operand c if there is one.
 * `results` is the number of results. */
static bool
read_form(struct compare *compare, unsigned results)
{
    static const char *const words[] = {"and", "or", "xor"};
    const struct ptx_statement *statement = compare->statement;
    unsigned n = statement->modifier_count;
    const char *type = n ? statement->modifiers[n - 1] : "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ptx_has(statement, words[i])) {
            compare->combine = words[i];
        }
    }
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (n && strcmp(statement->modifiers[0], comparisons[i].name) == 0) {
            compare->row = &comparisons[i];
        }
    }
    if (!compare->row ||
        (!ptx_half_parse(type, &compare->half) &&
         !ptx_parse_type(type, &compare->type)) ||
        statement->operand_count != results + 2 + (compare->combine != NULL)) {
        return ptx_form_refuse(compare->ptx, statement->operation);
    }
    compare->in = &statement->operands[results];
    if (compare->combine) {
        compare->c = ptx_read(compare->ptx, &compare->in[2], predicate, false);
        return compare->c != NULL;
    }
    return true;
}

/* Compares elements `i` of a and b. */
static LLVMValueRef
compare_elements(struct compare *compare, unsigned i)
{
    LLVMBuilderRef builder = compare->ptx->jit->builder;
    LLVMValueRef in[2];
    bool flushes = ptx_has(compare->statement, "ftz");
    bool small = compare->half.count && !compare->half.brain;
    if (flushes && !small &&
        (compare->type.letter != 'f' || compare->type.bits != 32)) {
        ptx_fail(compare->ptx, "'%s.ftz' is for f16 and f32 only",
                 compare->statement->operation);
        return NULL;
    }
    for (unsigned k = 0; k < 2; k++) {
        in[k] = compare->half.count
                    ? ptx_half_read(compare->ptx, compare->half,
                                    &compare->in[k], i)
                    : ptx_read(compare->ptx, &compare->in[k], compare->type,
                               false);
        if (!in[k]) {
            return NULL;
        }
        if (flushes) {
            in[k] = small ? ptx_half_flush(compare->ptx, compare->half, in[k])
                          : ptx_flush(compare->ptx, in[k]);
        }
    }
    bool real = compare->half.count || compare->type.letter == 'f';
    LLVMIntPredicate integer = compare->type.letter == 's'
                                   ? compare->row->is_signed
                                   : compare->row->is_unsigned;
    if (real && compare->row->real) {
        return LLVMBuildFCmp(builder, compare->row->real, in[0], in[1], "");
    }
    if (!real && integer) {
        return LLVMBuildICmp(builder, integer, in[0], in[1], "");
    }
    ptx_fail(compare->ptx, "this comparison is not supported");
    return NULL;
}

/* Combines a result, or its negation, with the operand c. */
static LLVMValueRef
combined(struct compare *compare, LLVMValueRef value, bool inverted)
{
    LLVMBuilderRef builder = compare->ptx->jit->builder;
    if (inverted) {
        value = LLVMBuildNot(builder, value, "");
    }
    if (!compare->combine) {
        return value;
    }
    LLVMOpcode code = strcmp(compare->combine, "and") == 0  ? LLVMAnd
                      : strcmp(compare->combine, "or") == 0 ? LLVMOr
                                                            : LLVMXor;
    return LLVMBuildBinOp(builder, code, value, compare->c, "");
}

/* Builds setp p|q, a, b{, c}. The second result, q, is the negation of p or,
 * for pairs, the comparison of the second elements. */
bool
ptx_build_setp(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct compare compare = {.ptx = ptx, .statement = statement};
    bool combines = ptx_has(statement, "and") || ptx_has(statement, "or") ||
                    ptx_has(statement, "xor");
    unsigned results = statement->operand_count == 4u + combines ? 2 : 1;
    if (!read_form(&compare, results)) {
        return false;
    }
    LLVMValueRef first = compare_elements(&compare, 0);
    bool pair = compare.half.count == 2;
    if (!first || (pair && results != 2)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef second = pair ? compare_elements(&compare, 1) : first;
    const struct ptx_operand *to = statement->operands;
    return second &&
           ptx_write(ptx, to[0].names[0], predicate,
                     combined(&compare, first, false), false) &&
           (results == 1 ||
            ptx_write(ptx, to[1].names[0], predicate,
                      combined(&compare, second, !pair), false));
}

/* Writes the results of the PTX instruction `set`, which are numbers. True is
 * 1.0 or, for integers, all bits set; false is 0. */
static bool
write_numbers(struct compare *compare, LLVMValueRef *values,
              const char *type_name, const char *to)
{
    struct ptx *ptx = compare->ptx;
    LLVMBuilderRef builder = ptx->jit->builder;
    struct ptx_half half;
    struct ptx_type type;
    LLVMTypeRef i16 = LLVMInt16TypeInContext(ptx->jit->context);
    if (ptx_half_parse(type_name, &half)) {
        LLVMValueRef one = LLVMConstInt(i16, half.brain ? 0x3f80 : 0x3c00, 0);
        for (unsigned i = 0; i < half.count; i++) {
            values[i] = LLVMBuildSelect(builder, values[i], one,
                                        LLVMConstInt(i16, 0, 0), "");
        }
        return ptx_half_write(ptx, half, to, values);
    }
    if (!ptx_parse_type(type_name, &type)) {
        return ptx_form_refuse(ptx, compare->statement->operation);
    }
    if (compare->half.count == 2) {
        half.count = 2;
        for (unsigned i = 0; i < 2; i++) {
            values[i] = LLVMBuildSExt(builder, values[i], i16, "");
        }
        return ptx_half_write(ptx, half, to, values);
    }
    LLVMTypeRef llvm = ptx_llvm_type(ptx, type);
    LLVMValueRef one =
        type.letter == 'f' ? LLVMConstReal(llvm, 1.0) : LLVMConstAllOnes(llvm);
    values[0] =
        LLVMBuildSelect(builder, values[0], one, LLVMConstNull(llvm), "");
    return ptx_write(ptx, to, type, values[0], false);
}

bool
ptx_build_set(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct compare compare = {.ptx = ptx, .statement = statement};
    unsigned n = statement->modifier_count;
    LLVMValueRef values[2];
    if (n < 3 || !read_form(&compare, 1)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    for (unsigned i = 0; i < (compare.half.count == 2 ? 2u : 1u); i++) {
        values[i] = compare_elements(&compare, i);
        if (!values[i]) {
            return false;
        }
        values[i] = combined(&compare, values[i], false);
    }
    return write_numbers(&compare, values, statement->modifiers[n - 2],
                         statement->operands[0].names[0]);
}
