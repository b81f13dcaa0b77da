/* rows.c - accesses of whole loops are checked before the loops begin.
 *
 * Runs once bodies are inlined, so that threads of a row are rounds of a loop.
 * Before:  for (x...) { p = __pycuda_check(&a[x]...); *p ... }
 * After:   ok = __pycuda_check_rows(...);
 *          for (x...) { p = ok ? &a[x] : __pycuda_check(&a[x]...); *p ... }
 * LLVM then makes two loops of it, and vectorises the one without checks.
 * That is done for accesses whose addresses, and the conditions that they
 * stand under, grow by the same amount in each round; for one loop, or for
 * the two innermost.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "jit/checks/affine.h"
#include "jit/checks/checks.h"

enum { MOST_ROWS = IMAGE_CHECK_ROWS, MOST_BYTES = 64 };

/* The arguments of __pycuda_check. */
enum { ADDRESS, BYTES, OBJECT, OBJECT_BYTES, VALUE, SITE, LINEAR };

struct row {
    LLVMValueRef call;
    struct jit_term terms[IMAGE_CHECK_CONDITIONS];
    unsigned term_count;
};

struct hoist {
    struct jit *jit;
    struct jit_loops loops;
    LLVMValueRef function;
    LLVMValueRef *calls, *answers; /* calls, and what replaces them */
    unsigned count;
};

/* ---- which calls ---- */

static uint64_t
site_flags(LLVMValueRef call)
{
    LLVMValueRef site = LLVMGetOperand(call, SITE);
    LLVMValueRef data =
        LLVMIsAGlobalVariable(site) ? LLVMGetInitializer(site) : NULL;

    return data ? LLVMConstIntGetZExtValue(LLVMGetOperand(data, 4))
                : IMAGE_SITE_ATOMIC;
}

static bool
is_outside(const struct jit_view *view, LLVMValueRef value)
{
    return jit_is_outside(view->loops, jit_view_whole(view), value);
}

/* Whether some instruction of the loop is such a one. */
static bool
any_instruction(const struct jit_view *view,
                bool (*is)(LLVMValueRef at, const char *name),
                const char *name)
{
    const struct jit_loop *loop = jit_view_whole(view);

    for (unsigned b = 0; b < view->loops->cfg.count; b++) {
        LLVMValueRef at =
            loop->blocks[b]
                ? LLVMGetFirstInstruction(view->loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (is(at, name)) {
                return true;
            }
        }
    }
    return false;
}

static bool
calls_it(LLVMValueRef at, const char *name)
{
    return jit_calls(at, name);
}

static bool
has_call(const struct jit_view *view, const char *name)
{
    return any_instruction(view, calls_it, name);
}

static bool
pauses(LLVMValueRef at, const char *unused)
{
    LLVMValueRef callee = jit_callee(at);

    (void)unused;
    return LLVMIsACallInst(at) && (!callee || !LLVMIsDeclaration(callee) ||
                                   jit_may_stop(jit_name(callee)));
}

/* May another thread's turn come within the loop?  Then its accesses do not
 * all come before those of that turn. */
static bool
may_pause(const struct jit_view *view)
{
    return any_instruction(view, pauses, NULL);
}

/* May it be a private variable that is accessed? */
static bool
may_be_local(LLVMValueRef call)
{
    return !(site_flags(call) &
             (IMAGE_SITE_SHARED | IMAGE_SITE_VARIABLE | IMAGE_SITE_POINTER));
}

static bool
row_read(const struct jit_view *view, LLVMValueRef call, struct row *row)
{
    LLVMValueRef bytes = LLVMGetOperand(call, BYTES);
    unsigned block =
        jit_cfg_index(&view->loops->cfg, LLVMGetInstructionParent(call));

    row->call = call;
    return !(site_flags(call) & (IMAGE_SITE_ATOMIC | IMAGE_SITE_VOLATILE)) &&
           LLVMIsAConstantInt(bytes) &&
           LLVMConstIntGetZExtValue(bytes) <= MOST_BYTES &&
           is_outside(view, LLVMGetOperand(call, OBJECT)) &&
           is_outside(view, LLVMGetOperand(call, OBJECT_BYTES)) &&
           jit_is_affine(view, LLVMGetOperand(call, ADDRESS)) &&
           jit_is_affine(view, LLVMGetOperand(call, LINEAR)) &&
           jit_find_terms(view, block, row->terms, IMAGE_CHECK_CONDITIONS,
                          &row->term_count);
}

/* Calls that cannot. */
struct left {
    LLVMValueRef calls[MOST_ROWS];
    unsigned count;
    bool more; /* than that */
};

/* May the one write what the other accesses? */
static bool
may_meet(LLVMValueRef one, LLVMValueRef two)
{
    LLVMValueRef first = LLVMGetOperand(one, OBJECT);
    LLVMValueRef second = LLVMGetOperand(two, OBJECT);
    uint64_t flags = site_flags(one) | site_flags(two);

    return flags & IMAGE_SITE_WRITE &&
           (first == second || LLVMIsNull(first) || LLVMIsNull(second));
}

static bool
meets_left(const struct left *left, LLVMValueRef call)
{
    for (unsigned i = 0; i < left->count; i++) {
        if (may_meet(left->calls[i], call)) {
            return true;
        }
    }
    return left->more;
}

static void
add_left(struct left *left, LLVMValueRef call)
{
    if (left->count == MOST_ROWS) {
        left->more = true;
    } else {
        left->calls[left->count++] = call;
    }
}

/* Which of two accesses came first, a race's report must tell: those that
 * may meet one that is looked at in its turn are, too. */
static unsigned
drop_meeting(struct left *left, struct row *rows, unsigned count)
{
    for (unsigned i = 0; i < count;) {
        if (meets_left(left, rows[i].call)) {
            add_left(left, rows[i].call);
            rows[i] = rows[--count];
            i = 0;
        } else {
            i++;
        }
    }
    return count;
}

/* The calls of the inner loop that can be looked at before. */
static unsigned
rows_read(const struct jit_view *view, struct row rows[MOST_ROWS])
{
    const struct jit_loops *loops = view->loops;
    int inner = (int)(view->nest[0] - loops->rows);
    struct left left = {.count = 0};
    unsigned count = 0;
    /* private variables that begin to exist in the loop's rounds */
    bool local = has_call(view, "__pycuda_check_local");

    /* a copy must see what was written before, and no more */
    if (has_call(view, "__pycuda_check_copy") || may_pause(view)) {
        return 0;
    }
    for (unsigned b = 0; b < loops->cfg.count; b++) {
        LLVMValueRef at =
            view->nest[0]->blocks[b] && jit_loop_of(loops, b) == inner
                ? LLVMGetFirstInstruction(loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (!jit_calls(at, "__pycuda_check")) {
                continue;
            }
            if (count < MOST_ROWS && !(local && may_be_local(at)) &&
                row_read(view, at, &rows[count])) {
                count++;
            } else {
                add_left(&left, at);
            }
        }
    }
    return view->jit->options.checks & JIT_CHECK_RACE
               ? drop_meeting(&left, rows, count)
               : count;
}

/* Nothing in the outer loop but the inner one may tell threads' accesses
 * apart in time. */
static bool
outer_is_quiet(const struct jit_loops *loops, const struct jit_loop *outer,
               const struct jit_loop *inner)
{
    for (unsigned b = 0; b < loops->cfg.count; b++) {
        LLVMValueRef at =
            outer->blocks[b] && !inner->blocks[b]
                ? LLVMGetFirstInstruction(loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (LLVMIsACallInst(at) && !jit_is_call(at, "llvm.")) {
                return false;
            }
        }
    }
    return true;
}

static bool
may_nest(const struct jit_loops *loops, const struct jit_loop *inner)
{
    const struct jit_loop *outer =
        inner->outer < 0 ? NULL : &loops->rows[inner->outer];

    return outer && outer->counted &&
           jit_is_outside(loops, outer, inner->start) &&
           jit_is_outside(loops, outer, inner->end) &&
           outer_is_quiet(loops, outer, inner);
}

/* ---- telling the run time ---- */

#define ROW_WORDS                                                             \
    ((sizeof(struct image_check_row) +                                        \
      IMAGE_CHECK_CONDITIONS * sizeof(struct image_check_condition)) /        \
     8)

enum {
    NEST_WORDS = sizeof(struct image_check_nest) / 8,
    MOST_WORDS = NEST_WORDS + MOST_ROWS * ROW_WORDS
};

/* struct image_check_form, as it is made. */
struct form {
    struct jit *jit;
    LLVMValueRef words[MOST_WORDS];  /* constants; 0 where there is a value */
    LLVMValueRef values[MOST_WORDS]; /* 64 bits */
    unsigned places[MOST_WORDS];     /* of the values */
    unsigned count, value_count;
};

static void
put_at(struct form *form, unsigned place, LLVMValueRef value)
{
    struct jit *jit = form->jit;
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;

    form->words[place] = LLVMConstInt(jit->i64, 0, 0);
    if (LLVMIsAConstantInt(value)) {
        form->words[place] = value;
    } else if (LLVMIsAGlobalVariable(value)) {
        form->words[place] = LLVMConstPtrToInt(value, jit->i64);
    } else if (!(pointer && LLVMIsNull(value))) {
        form->places[form->value_count] = place;
        form->values[form->value_count++] =
            pointer ? LLVMBuildPtrToInt(jit->builder, value, jit->i64, "")
                    : value;
    }
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

/* value < limit without signs, or not: what the run time knows. */
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
    if (next) { /* a limit that has no next is no limit of a real loop */
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

/* 0 < 1 if the condition is false. */
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

static void
put_row(struct form *form, struct jit_view *view, const struct row *row)
{
    struct jit_affine made =
        jit_make_affine(view, LLVMGetOperand(row->call, ADDRESS));
    LLVMValueRef bytes = LLVMGetOperand(row->call, BYTES);

    put(form, made.value);
    put(form, LLVMGetOperand(row->call, OBJECT));
    put(form, LLVMGetOperand(row->call, OBJECT_BYTES));
    put(form, made.step[0]);
    put(form, made.step[1]);
    put(form, LLVMGetOperand(row->call, SITE));
    put_numbers(form, LLVMConstIntGetZExtValue(bytes), row->term_count);
    for (unsigned i = 0; i < row->term_count; i++) {
        if (row->terms[i].kind == JIT_TERM_TRUTH) {
            put_truth(form, &row->terms[i]);
        } else {
            put_compare(form, view, &row->terms[i]);
        }
    }
}

/* Comes last, when it is known whether all is consistent. */
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

static void
count_rounds(struct jit_view *view)
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

/* The form as a constant of the module. */
static LLVMValueRef
form_global(const struct form *form)
{
    struct jit *jit = form->jit;
    unsigned count = form->count + (form->value_count + 3) / 4 + 1;
    LLVMValueRef *list = jit_allocate(count * sizeof *list);

    list[0] = LLVMConstInt(jit->i64,
                           form->count | (uint64_t)form->value_count << 32, 0);
    memcpy(list + 1, form->words, form->count * sizeof *list);
    for (unsigned i = 0; i < form->value_count; i += 4) {
        uint64_t word = 0;
        for (unsigned k = i; k < i + 4 && k < form->value_count; k++) {
            word |= (uint64_t)form->places[k] << (k - i) * 16;
        }
        list[1 + form->count + i / 4] = LLVMConstInt(jit->i64, word, 0);
    }
    LLVMValueRef data = LLVMConstArray2(jit->i64, list, count);
    LLVMValueRef made =
        LLVMAddGlobal(jit->module, LLVMTypeOf(data), "__pycuda_check_form");
    LLVMSetInitializer(made, data);
    LLVMSetGlobalConstant(made, 1);
    LLVMSetLinkage(made, LLVMInternalLinkage);
    return made;
}

/* Memory of the function with the form's values. */
static LLVMValueRef
form_values(const struct form *form, LLVMValueRef function,
            LLVMValueRef before)
{
    struct jit *jit = form->jit;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);

    LLVMPositionBuilderBefore(jit->builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef made = LLVMBuildAlloca(
        jit->builder, LLVMArrayType2(jit->i64, form->value_count + 1), "");
    LLVMPositionBuilderBefore(jit->builder, before);
    for (unsigned i = 0; i < form->value_count; i++) {
        LLVMValueRef index = LLVMConstInt(jit->i64, i, 0);
        LLVMValueRef place =
            LLVMBuildInBoundsGEP2(jit->builder, jit->i64, made, &index, 1, "");
        LLVMBuildStore(jit->builder, form->values[i], place);
    }
    return made;
}

/* Is everything right?  i1, before the loops. */
static LLVMValueRef
ask(struct hoist *hoist, struct jit_view *view, const struct row *rows,
    unsigned count)
{
    struct jit *jit = hoist->jit;
    struct form *form = jit_allocate(sizeof *form);
    LLVMTypeRef types[2] = {jit->pointer, jit->pointer};
    LLVMBasicBlockRef block =
        hoist->loops.cfg.blocks[jit_view_whole(view)->preheader].block;
    LLVMValueRef before = LLVMGetBasicBlockTerminator(block);

    LLVMPositionBuilderBefore(jit->builder, before);
    form->jit = jit;
    form->count = NEST_WORDS;
    count_rounds(view);
    for (unsigned i = 0; i < count; i++) {
        put_row(form, view, &rows[i]);
    }
    put_nest(form, view, LLVMGetOperand(rows[0].call, LINEAR), count);
    LLVMValueRef arguments[2] = {form_global(form),
                                 form_values(form, hoist->function, before)};
    LLVMValueRef function =
        jit_declare(jit, "__pycuda_check_rows", jit->i32, types, 2);
    LLVMValueRef answer =
        LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                       function, arguments, 2, "");
    return LLVMBuildICmp(jit->builder, LLVMIntNE, answer, jit_constant(jit, 0),
                         "");
}

static void
look_at_loop(struct hoist *hoist, const struct jit_loop *loop)
{
    struct row *one = jit_allocate(2 * MOST_ROWS * sizeof *one);
    struct row *two = one + MOST_ROWS;
    struct jit_view view = {
        .jit = hoist->jit, .loops = &hoist->loops, .nest = {loop, NULL}};
    unsigned count = rows_read(&view, one), both = 0;

    if (!count) {
        return;
    }
    if (may_nest(&hoist->loops, loop)) {
        view.nest[1] = &hoist->loops.rows[loop->outer];
        both = rows_read(&view, two);
        view.nest[1] = both == count ? view.nest[1] : NULL;
    }
    const struct row *rows = view.nest[1] ? two : one;
    LLVMValueRef answer = ask(hoist, &view, rows, count);
    for (unsigned i = 0; i < count; i++) {
        hoist->calls[hoist->count] = rows[i].call;
        hoist->answers[hoist->count++] = answer;
    }
}

/* ---- the loops themselves ---- */

static void
redirect(LLVMValueRef function, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function);

    for (; at; at = LLVMGetNextBasicBlock(at)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
        unsigned count = end ? LLVMGetNumSuccessors(end) : 0;
        for (unsigned i = 0; i < count; i++) {
            if (LLVMGetSuccessor(end, i) == from) {
                LLVMSetSuccessor(end, i, to);
            }
        }
    }
}

/* answer ? address : call; the block's first part is a new one. */
static void
make_choice(struct hoist *hoist, LLVMValueRef call, LLVMValueRef answer)
{
    struct jit *jit = hoist->jit;
    LLVMBasicBlockRef next = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef slow =
        LLVMInsertBasicBlockInContext(jit->context, next, "look");
    LLVMBasicBlockRef head =
        LLVMInsertBasicBlockInContext(jit->context, slow, "choose");
    LLVMValueRef address = LLVMGetOperand(call, ADDRESS), at;

    redirect(hoist->function, next, head);
    LLVMPositionBuilderAtEnd(jit->builder, head);
    while ((at = LLVMGetFirstInstruction(next)) != call) {
        LLVMInstructionRemoveFromParent(at);
        LLVMInsertIntoBuilder(jit->builder, at);
    }
    LLVMBuildCondBr(jit->builder, answer, next, slow);
    LLVMPositionBuilderAtEnd(jit->builder, slow);
    LLVMInstructionRemoveFromParent(call);
    LLVMInsertIntoBuilder(jit->builder, call);
    LLVMBuildBr(jit->builder, next);
    LLVMPositionBuilderBefore(jit->builder, LLVMGetFirstInstruction(next));
    LLVMValueRef phi = LLVMBuildPhi(jit->builder, jit->pointer, "");
    LLVMReplaceAllUsesWith(call, phi);
    LLVMValueRef values[2] = {address, call};
    LLVMBasicBlockRef blocks[2] = {head, slow};
    LLVMAddIncoming(phi, values, blocks, 2);
}

/* Is it the loop over blocks? */
static bool
has_blocks(const struct jit_loops *loops, const struct jit_loop *loop)
{
    for (unsigned b = 0; b < loops->cfg.count; b++) {
        LLVMValueRef at =
            loop->blocks[b]
                ? LLVMGetFirstInstruction(loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (jit_calls(at, "__pycuda_check_block")) {
                return true;
            }
        }
    }
    return false;
}

/* Telling of a shared variable once a block is enough. */
static void
move_out(struct hoist *hoist, LLVMValueRef call)
{
    const struct jit_loops *loops = &hoist->loops;
    int at = jit_loop_of(
        loops, jit_cfg_index(&loops->cfg, LLVMGetInstructionParent(call)));
    unsigned to = NO_BLOCK;

    while (at >= 0) {
        const struct jit_loop *loop = &loops->rows[at];
        if (!loop->counted || has_blocks(loops, loop) ||
            !jit_is_outside(loops, loop, LLVMGetOperand(call, 0))) {
            break;
        }
        to = loop->preheader;
        at = loop->outer;
    }
    if (to != NO_BLOCK) {
        LLVMValueRef end =
            LLVMGetBasicBlockTerminator(loops->cfg.blocks[to].block);
        LLVMInstructionRemoveFromParent(call);
        LLVMPositionBuilderBefore(hoist->jit->builder, end);
        LLVMInsertIntoBuilder(hoist->jit->builder, call);
    }
}

static void
move_shared(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    if (jit_calls(at, "__pycuda_check_shared")) {
        move_out(data, at);
    }
}

static void
count_call(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    *(unsigned *)data += jit_is_call(at, "__pycuda_check");
}

void
jit_check_rows(struct jit *jit)
{
    LLVMValueRef at = LLVMGetFirstFunction(jit->module);
    for (; at; at = LLVMGetNextFunction(at)) {
        struct hoist hoist = {.jit = jit, .function = at};
        unsigned calls = 0;

        jit_each_instruction(jit, at, count_call, &calls);
        if (!calls) {
            continue;
        }
        jit_find_loops(at, &hoist.loops);
        jit_each_instruction(jit, at, move_shared, &hoist);
        hoist.calls = jit_allocate(calls * sizeof *hoist.calls);
        hoist.answers = jit_allocate(calls * sizeof *hoist.answers);
        for (unsigned i = 0; i < hoist.loops.count; i++) {
            if (hoist.loops.rows[i].counted) {
                look_at_loop(&hoist, &hoist.loops.rows[i]);
            }
        }
        for (unsigned i = 0; i < hoist.count; i++) {
            make_choice(&hoist, hoist.calls[i], hoist.answers[i]);
        }
    }
}
