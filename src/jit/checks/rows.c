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

enum { MOST_ROWS = 64, MOST_BYTES = 64 };

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
    LLVMValueRef nest, list;       /* memory for the run time's view */
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

static bool
has_call(const struct jit_view *view, const char *name)
{
    const struct jit_loop *loop = jit_view_whole(view);

    for (unsigned b = 0; b < view->loops->cfg.count; b++) {
        LLVMValueRef at =
            loop->blocks[b]
                ? LLVMGetFirstInstruction(view->loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (jit_calls(at, name)) {
                return true;
            }
        }
    }
    return false;
}

/* May another thread's turn come within the loop?  Then its accesses do not
 * all come before those of that turn. */
static bool
may_pause(const struct jit_view *view)
{
    const struct jit_loop *loop = jit_view_whole(view);

    for (unsigned b = 0; b < view->loops->cfg.count; b++) {
        LLVMValueRef at =
            loop->blocks[b]
                ? LLVMGetFirstInstruction(view->loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            LLVMValueRef callee = jit_callee(at);
            if (LLVMIsACallInst(at) &&
                (!callee || !LLVMIsDeclaration(callee) ||
                 jit_may_stop(jit_name(callee)))) {
                return true;
            }
        }
    }
    return false;
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

static void
put(struct jit *jit, LLVMValueRef base, uint64_t offset, LLVMValueRef value)
{
    LLVMValueRef index = LLVMConstInt(jit->i64, offset, 0);
    LLVMValueRef place =
        LLVMBuildInBoundsGEP2(jit->builder, jit->i8, base, &index, 1, "");

    LLVMSetAlignment(LLVMBuildStore(jit->builder, value, place), 4);
}

static LLVMValueRef
narrow(struct jit *jit, LLVMValueRef value)
{
    return LLVMBuildTrunc(jit->builder, value, jit->i32, "");
}

/* value < limit without signs, or not: what the run time knows. */
static void
put_compare(struct jit_view *view, const struct jit_term *term,
            uint64_t offset, LLVMValueRef list)
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
    put(jit, list, offset, made.value);
    put(jit, list, offset + 8, made.step[0]);
    put(jit, list, offset + 16, made.step[1]);
    put(jit, list, offset + 24, limit);
    put(jit, list, offset + 32, jit_constant(jit, bits));
    put(jit, list, offset + 36, jit_constant(jit, otherwise == term->holds));
}

/* 0 < 1 if the condition is false. */
static void
put_truth(const struct jit_view *view, const struct jit_term *term,
          uint64_t offset, LLVMValueRef list)
{
    struct jit *jit = view->jit;
    LLVMValueRef none = LLVMConstInt(jit->i64, 0, 0);

    put(jit, list, offset,
        LLVMBuildZExt(jit->builder, term->value, jit->i64, ""));
    put(jit, list, offset + 8, none);
    put(jit, list, offset + 16, none);
    put(jit, list, offset + 24, LLVMConstInt(jit->i64, 1, 0));
    put(jit, list, offset + 32, jit_constant(jit, 32));
    put(jit, list, offset + 36, jit_constant(jit, term->holds));
}

static void
put_row(struct jit_view *view, const struct row *row, uint64_t offset,
        LLVMValueRef list)
{
    struct jit *jit = view->jit;
    struct jit_affine made =
        jit_make_affine(view, LLVMGetOperand(row->call, ADDRESS));

    put(jit, list, offset, made.value);
    put(jit, list, offset + 8, LLVMGetOperand(row->call, OBJECT));
    put(jit, list, offset + 16, LLVMGetOperand(row->call, OBJECT_BYTES));
    put(jit, list, offset + 24, made.step[0]);
    put(jit, list, offset + 32, made.step[1]);
    put(jit, list, offset + 40, LLVMGetOperand(row->call, SITE));
    put(jit, list, offset + 48, narrow(jit, LLVMGetOperand(row->call, BYTES)));
    put(jit, list, offset + 52, jit_constant(jit, row->term_count));
    for (unsigned i = 0; i < row->term_count; i++) {
        uint64_t at = offset + offsetof(struct image_check_row, conditions) +
                      i * sizeof(struct image_check_condition);
        if (row->terms[i].kind == JIT_TERM_TRUTH) {
            put_truth(view, &row->terms[i], at, list);
        } else {
            put_compare(view, &row->terms[i], at, list);
        }
    }
}

static void
put_nest(struct jit_view *view, LLVMValueRef linear, LLVMValueRef nest,
         unsigned rows)
{
    struct jit *jit = view->jit;
    struct jit_affine made = jit_make_affine(view, linear);
    LLVMValueRef none = LLVMConstInt(jit->i64, 0, 0);

    put(jit, nest, 0,
        LLVMBuildSelect(jit->builder, view->consistent, view->count[0], none,
                        ""));
    put(jit, nest, 8, view->count[1]);
    put(jit, nest, 16, narrow(jit, made.value));
    put(jit, nest, 20, narrow(jit, made.step[0]));
    put(jit, nest, 24, narrow(jit, made.step[1]));
    put(jit, nest, 28, jit_constant(jit, rows));
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

static LLVMValueRef
at_start(struct hoist *hoist, uint64_t bytes)
{
    struct jit *jit = hoist->jit;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(hoist->function);

    LLVMPositionBuilderBefore(jit->builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef made =
        LLVMBuildAlloca(jit->builder, LLVMArrayType2(jit->i8, bytes), "");
    LLVMSetAlignment(made, 8);
    return made;
}

/* Is everything right?  i1, before the loops. */
static LLVMValueRef
ask(struct hoist *hoist, struct jit_view *view, const struct row *rows,
    unsigned count)
{
    struct jit *jit = hoist->jit;
    LLVMTypeRef types[2] = {jit->pointer, jit->pointer};

    if (!hoist->nest) {
        hoist->nest = at_start(hoist, sizeof(struct image_check_nest));
        hoist->list =
            at_start(hoist, MOST_ROWS * sizeof(struct image_check_row));
    }
    LLVMBasicBlockRef before =
        hoist->loops.cfg.blocks[jit_view_whole(view)->preheader].block;
    LLVMPositionBuilderBefore(jit->builder,
                              LLVMGetBasicBlockTerminator(before));
    count_rounds(view);
    for (unsigned i = 0; i < count; i++) {
        put_row(view, &rows[i], i * sizeof(struct image_check_row),
                hoist->list);
    }
    put_nest(view, LLVMGetOperand(rows[0].call, LINEAR), hoist->nest, count);
    LLVMValueRef function =
        jit_declare(jit, "__pycuda_check_rows", jit->i32, types, 2);
    LLVMValueRef arguments[2] = {hoist->nest, hoist->list};
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
