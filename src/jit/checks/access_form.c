/* access_form.c - builds struct image_check_form, a list of 64-bit words from
 * which the runtime learns the accesses of a loop.
 *
 * jit_ranges_build_check, called by access_ranges.c, passes all words as
 * arguments of a placeholder call. LLVM then simplifies the words, and
 * optimise.c calls jit_lower_range_checks. This function moves the constant
 * words to a global variable. It adds code before the loop that stores the
 * other words in the stack frame, each distinct value once.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "image/image.h"
#include "jit/checks/access_ranges.h"
#include "jit/checks/affine.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/text.h"

#define ROW_WORDS                                                             \
    ((sizeof(struct image_check_range) +                                      \
      IMAGE_CHECK_CONDITIONS * sizeof(struct image_check_condition)) /        \
     8)

enum {
    NEST_WORDS = sizeof(struct image_check_nest) / 8,
    MAX_WORDS = NEST_WORDS + JIT_MOST_ROWS * ROW_WORDS
};

#define ASK "__pycuda_check_ask"

/* The words of a struct image_check_form (the description of a loop for the
 * runtime), as LLVM values. */
struct form {
    struct jit *jit;
    LLVMValueRef words[MAX_WORDS];
    unsigned count;
};

static void
put_at(struct form *form, unsigned position, LLVMValueRef value)
{
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
    form->words[position] =
        pointer
            ? LLVMBuildPtrToInt(form->jit->builder, value, form->jit->i64, "")
            : value;
}

static void
put(struct form *form, LLVMValueRef value)
{
    put_at(form, form->count++, value);
}

static void
put_numbers(struct form *form, uint64_t low, uint64_t high)
{
    put(form, LLVMConstInt(form->jit->i64, low | high << 32, 0));
}

/* Appends the words of a comparison to the description of the loop. The
 * runtime only evaluates `value < limit` for unsigned numbers, or its
 * negation, so other predicates are converted. */
static void
put_compare(struct form *form, struct jit_view *view,
            const struct jit_term *term)
{
    struct jit *jit = view->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef type = LLVMTypeOf(term->value);
    unsigned bits = LLVMGetIntTypeWidth(type);
    struct jit_affine made = jit_make_affine(view, term->value);
    LLVMValueRef limit =
        LLVMBuildZExtOrBitCast(builder, term->limit, jit->i64, "");
    LLVMIntPredicate predicate = term->predicate;
    bool is_signed = predicate >= LLVMIntSGT;
    bool otherwise = predicate == LLVMIntNE || predicate == LLVMIntUGT ||
                     predicate == LLVMIntUGE || predicate == LLVMIntSGT ||
                     predicate == LLVMIntSGE;
    bool next = predicate == LLVMIntUGT || predicate == LLVMIntULE ||
                predicate == LLVMIntSGT || predicate == LLVMIntSLE;
    if (predicate == LLVMIntEQ || predicate == LLVMIntNE) {
        made.value = LLVMBuildSub(builder, made.value, limit, "");
        limit = LLVMConstInt(jit->i64, 1, 0);
    }
    if (is_signed) {
        LLVMValueRef bias =
            LLVMConstInt(jit->i64, UINT64_C(1) << (bits - 1), 0);
        made.value = LLVMBuildAdd(builder, made.value, bias, "");
        limit = LLVMBuildAdd(builder, limit, bias, "");
    }
    /* `value <= limit` becomes `value < limit + 1`; the check before the loop
     * is only valid if limit + 1 does not wrap */
    if (next) {
        limit = LLVMBuildAdd(builder, limit, LLVMConstInt(jit->i64, 1, 0), "");
        LLVMValueRef mask =
            LLVMConstInt(jit->i64, bits == 64 ? ~UINT64_C(0) : 0xffffffffu, 0);
        LLVMValueRef rest = LLVMBuildAnd(builder, limit, mask, "");
        LLVMValueRef some = LLVMBuildICmp(builder, LLVMIntNE, rest,
                                          LLVMConstInt(jit->i64, 0, 0), "");
        view->consistent = LLVMBuildAnd(builder, view->consistent, some, "");
    }
    put(form, made.value);
    put(form, made.step[0]);
    put(form, made.step[1]);
    put(form, limit);
    put_numbers(form, bits, otherwise == term->holds);
}

/* Appends the condition that the truth value `term->value` equals
 * `term->holds`. The condition is written as the comparison `value < 1`, which
 * means that the value is false, or as the negation of this comparison. */
static void
put_truth(struct form *form, const struct jit_term *term)
{
    struct jit *jit = form->jit;

    put(form, LLVMBuildZExt(jit->builder, term->value, jit->i64, ""));
    put_numbers(form, 0, 0);
    put_numbers(form, 0, 0);
    put_numbers(form, 1, 0);
    put_numbers(form, 32, term->holds);
}

/* Appends the words of a struct image_check_range: a memory access in the
 * loop, and the conditions under which it runs. */
static void
put_row(struct form *form, struct jit_view *view,
        const struct jit_access_range *row)
{
    struct jit_affine made =
        jit_make_affine(view, LLVMGetOperand(row->call, JIT_ROW_ADDRESS));
    LLVMValueRef bytes = LLVMGetOperand(row->call, JIT_ROW_BYTES);

    put(form, made.value);
    put(form, LLVMGetOperand(row->call, JIT_ROW_OBJECT));
    put(form, LLVMGetOperand(row->call, JIT_ROW_OBJECT_BYTES));
    put(form, made.step[0]);
    put(form, made.step[1]);
    put(form, LLVMGetOperand(row->call, JIT_ROW_SITE));
    put_numbers(form, LLVMConstIntGetZExtValue(bytes), row->term_count);
    for (unsigned i = 0; i < row->term_count; i++) {
        if (row->terms[i].kind == JIT_TERM_TRUTH) {
            put_truth(form, &row->terms[i]);
        } else {
            put_compare(form, view, &row->terms[i]);
        }
    }
}

/* Fills the first words of the loop's description, which are a struct
 * image_check_nest. Called last, when all conditions have been added to
 * view->consistent. */
static void
put_nest(struct form *form, struct jit_view *view, LLVMValueRef linear,
         unsigned rows)
{
    struct jit *jit = view->jit;
    struct jit_affine made = jit_make_affine(view, linear);
    LLVMValueRef none = LLVMConstInt(jit->i64, 0, 0);
    LLVMValueRef words[NEST_WORDS] = {
        LLVMBuildSelect(jit->builder, view->consistent, view->count[0], none,
                        ""),
        view->count[1],
        made.value,
        made.step[0],
        made.step[1],
        LLVMConstInt(jit->i64, rows, 0)};

    for (unsigned i = 0; i < NEST_WORDS; i++) {
        put_at(form, i, words[i]);
    }
}

/* Builds the iteration counts of the loops in view->nest. */
static void
count_iterations(struct jit_view *view)
{
    struct jit *jit = view->jit;

    view->consistent = LLVMConstInt(jit->i1, 1, 0);
    view->count[1] = LLVMConstInt(jit->i64, 1, 0);
    for (int i = 0; i < 2 && view->nest[i]; i++) {
        LLVMValueRef rounds = LLVMBuildSub(jit->builder, view->nest[i]->end,
                                           view->nest[i]->start, "");
        rounds = LLVMBuildZExtOrBitCast(jit->builder, rounds, jit->i64, "");
        view->count[i] = LLVMBuildAdd(
            jit->builder, rounds,
            LLVMConstInt(jit->i64, view->nest[i]->inclusive, 0), "");
    }
}

LLVMValueRef
jit_ranges_build_check(struct jit_view *view,
                       const struct jit_access_range *rows, unsigned count)
{
    struct jit *jit = view->jit;
    struct form *form = jit_allocate(sizeof *form);
    LLVMBasicBlockRef block =
        view->loops->cfg.blocks[jit_view_outer_loop(view)->preheader].block;
    LLVMTypeRef type = LLVMFunctionType(jit->i32, NULL, 0, 1);
    LLVMValueRef function = LLVMGetNamedFunction(jit->module, ASK);

    LLVMPositionBuilderBefore(jit->builder,
                              LLVMGetBasicBlockTerminator(block));
    form->jit = jit;
    form->count = NEST_WORDS;
    count_iterations(view);
    for (unsigned i = 0; i < count; i++) {
        put_row(form, view, &rows[i]);
    }
    put_nest(form, view, LLVMGetOperand(rows[0].call, JIT_ROW_LINEAR), count);
    if (!function) {
        function = LLVMAddFunction(jit->module, ASK, type);
        jit_add_attribute(jit, function, "nounwind");
    }
    LLVMValueRef answer = LLVMBuildCall2(jit->builder, type, function,
                                         form->words, form->count, "");
    return LLVMBuildICmp(jit->builder, LLVMIntNE, answer, jit_constant(jit, 0),
                         "");
}

/* ---- after simplification ---- */

/* The words of a placeholder call (__pycuda_check_ask) that are not constant.
 * `list` has their distinct values; each element of `places` has the index of
 * a word and the index of its value in `list`. */
struct values {
    /* the distinct values of words that are not constant */
    LLVMValueRef list[MAX_WORDS];
    struct image_check_operand places[MAX_WORDS];
    unsigned count, place_count;
};

static unsigned
value_number(struct values *values, LLVMValueRef value)
{
    unsigned i = 0;

    while (i < values->count && values->list[i] != value) {
        i++;
    }
    if (i == values->count) {
        values->list[values->count++] = value;
    }
    return i;
}

/* Creates a constant global variable with the words that are the arguments of
 * the placeholder call `ask`. Words that are not constant are 0 in the
 * variable, and are collected in `values`. */
static LLVMValueRef
form_global(struct jit *jit, LLVMValueRef ask, struct values *values)
{
    unsigned words = LLVMGetNumArgOperands(ask), at = 1;
    LLVMValueRef *list = jit_allocate((2 * words + 2) * sizeof *list);

    for (unsigned i = 0; i < words; i++) {
        LLVMValueRef value = LLVMGetOperand(ask, i);
        bool constant = LLVMIsConstant(value);
        list[at++] = constant ? value : LLVMConstInt(jit->i64, 0, 0);
        if (!constant) {
            values->places[values->place_count++] =
                (struct image_check_operand){
                    (uint16_t)i, (uint16_t)value_number(values, value)};
        }
    }
    list[0] = LLVMConstInt(jit->i64,
                           words | (uint64_t)values->count << 16 |
                               (uint64_t)values->place_count << 32,
                           0);
    for (unsigned i = 0; i < values->place_count; i += 2) {
        uint64_t word = 0;
        for (unsigned k = i; k < i + 2 && k < values->place_count; k++) {
            uint64_t one = values->places[k].word |
                           (uint64_t)values->places[k].value << 16;
            word |= one << (k - i) * 32;
        }
        list[at++] = LLVMConstInt(jit->i64, word, 0);
    }
    LLVMValueRef data = LLVMConstArray2(jit->i64, list, at);
    LLVMValueRef made =
        LLVMAddGlobal(jit->module, LLVMTypeOf(data), "__pycuda_check_form");
    LLVMSetInitializer(made, data);
    LLVMSetGlobalConstant(made, 1);
    LLVMSetLinkage(made, LLVMInternalLinkage);
    return made;
}

/* Allocates an array in the function's frame, and inserts before the
 * instruction `before` the stores of values->list to it. Returns the address
 * of the array. */
static LLVMValueRef
values_store(struct jit *jit, const struct values *values, LLVMValueRef before)
{
    LLVMValueRef function =
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(before));
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);

    LLVMPositionBuilderBefore(jit->builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef made = LLVMBuildAlloca(
        jit->builder, LLVMArrayType2(jit->i64, values->count + 1), "");
    LLVMPositionBuilderBefore(jit->builder, before);
    for (unsigned i = 0; i < values->count; i++) {
        LLVMValueRef index = LLVMConstInt(jit->i64, i, 0);
        LLVMBuildStore(jit->builder, values->list[i],
                       LLVMBuildInBoundsGEP2(jit->builder, jit->i64, made,
                                             &index, 1, ""));
    }
    return made;
}

/* If the instruction is a placeholder call (__pycuda_check_ask), replaces it
 * by a call of __pycuda_check_rows. */
static void
lower_check(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMTypeRef types[2] = {jit->pointer, jit->pointer};
    (void)data;

    if (!jit_calls(at, ASK)) {
        return;
    }
    struct values *values = jit_allocate(sizeof *values);
    LLVMValueRef form = form_global(jit, at, values);
    LLVMValueRef arguments[2] = {form, values_store(jit, values, at)};
    LLVMValueRef function =
        jit_declare(jit, "__pycuda_check_rows", jit->i32, types, 2);
    jit_replace(at,
                LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                               function, arguments, 2, ""));
}

void
jit_lower_range_checks(struct jit *jit)
{
    jit_each_instruction_of_module(jit, lower_check, NULL);
}
