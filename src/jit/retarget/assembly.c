/* assembly.c - lowers inline PTX (asm statements).
 *
 * An asm statement that has only comments produces no code. A few statements
 * without operands, such as `bar.sync 0`, become calls of runtime functions
 * with the same effect. ptx/inline.c translates all other statements. If it
 * rejects a statement, the statement is reported as an error of the user's
 * source.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/report.h"
#include "jit/ptx/ptx.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

enum effect {
    EFFECT_NONE,
    EFFECT_TRAP,
    EFFECT_EXIT,
    EFFECT_FENCE,
    EFFECT_BARRIER
};

static const struct {
    /* text of the PTX statement, with one blank between words */
    const char *words;
    enum effect effect;
} statements[] = {
    {"", EFFECT_NONE},
    {"brkpt", EFFECT_NONE},
    {"trap", EFFECT_TRAP},
    {"exit", EFFECT_EXIT},
    {"membar.cta", EFFECT_FENCE},
    {"membar.gl", EFFECT_FENCE},
    {"membar.sys", EFFECT_FENCE},
    {"fence.acq_rel.cta", EFFECT_FENCE},
    {"fence.acq_rel.gpu", EFFECT_FENCE},
    {"fence.acq_rel.sys", EFFECT_FENCE},
    {"fence.sc.cta", EFFECT_FENCE},
    {"fence.sc.gpu", EFFECT_FENCE},
    {"fence.sc.sys", EFFECT_FENCE},
    {"bar.sync 0", EFFECT_BARRIER},
    {"barrier.sync 0", EFFECT_BARRIER},
};

/* ---- the text ---- */

/* Returns a copy of the text in which comments, braces and newlines are
 * replaced by blanks. */
static char *
bare_text(const char *text, size_t length)
{
    char *bare = jit_allocate(length + 1);
    const char *at = text, *end = text + length;
    size_t n = 0;
    while (at < end) {
        if (end - at > 1 && at[0] == '/' && at[1] == '/') {
            while (at < end && *at != '\n') {
                at++;
            }
        } else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
            at += 2;
            while (at < end && !(at[-1] == '*' && *at == '/')) {
                at++;
            }
            at += at < end;
        } else {
            bool blank = isspace((unsigned char)*at) || strchr("{}", *at);
            bare[n++] = blank ? ' ' : *at;
            at++;
        }
    }
    bare[n] = 0;
    return bare;
}

/* Copies the first statement of the text `bare` to `words`, with one blank
 * between words. Returns the end of the statement in `bare`, or NULL after the
 * last one. */
static const char *
statement_read(const char *bare, char *words)
{
    size_t n = 0;
    for (; *bare && *bare != ';'; bare++) {
        if (*bare != ' ') {
            words[n++] = *bare;
        } else if (n && words[n - 1] != ' ') {
            words[n++] = ' ';
        }
    }
    n -= n && words[n - 1] == ' ';
    words[n] = 0;
    return *bare ? bare + 1 : NULL;
}

/* Returns the enum effect of a PTX statement, or -1 if the statement is not in
 * the table of known ones. */
static int
effect_of(const char *words)
{
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (strcmp(words, statements[i].words) == 0) {
            return (int)statements[i].effect;
        }
    }
    return -1;
}

/* ---- the code ---- */

static void
build_call(struct jit *jit, const char *name, bool returns)
{
    LLVMTypeRef result = LLVMVoidTypeInContext(jit->context);
    LLVMValueRef function = jit_declare(jit, name, result, NULL, 0);
    if (!returns) {
        jit_add_attribute(jit, function, "noreturn");
    }
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function), function,
                   NULL, 0, "");
}

/* Builds the call of a barrier of the whole thread block, __syncthreads(). */
static void
build_barrier(struct jit *jit)
{
    LLVMTypeRef types[] = {jit->i32, jit->i32};
    LLVMValueRef zero = jit_constant(jit, 0);
    LLVMValueRef arguments[] = {zero, zero};
    LLVMValueRef barrier =
        jit_declare(jit, "__pycuda_barrier", jit->i32, types, 2);
    jit_add_attribute(jit, barrier, "convergent");
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(barrier), barrier,
                   arguments, 2, "");
}

static void
build_effect(struct jit *jit, enum effect effect)
{
    switch (effect) {
    case EFFECT_NONE:
        break;
    case EFFECT_TRAP:
        build_call(jit, "__pycuda_trap", false);
        break;
    case EFFECT_EXIT:
        build_call(jit, "__pycuda_exit", false);
        break;
    case EFFECT_FENCE:
        LLVMBuildFence(jit->builder, LLVMAtomicOrderingSequentiallyConsistent,
                       0, "");
        break;
    case EFFECT_BARRIER:
        build_barrier(jit);
        break;
    }
}

/* Tests whether each PTX statement of the text is in the table of known ones.
 * If `has_results` is true (the asm statement has results), also tests that no
 * statement has an effect. */
static bool
is_known(const char *bare, char *words, bool has_results)
{
    for (const char *at = bare; at;) {
        at = statement_read(at, words);
        int effect = effect_of(words);
        if (effect < 0 ||
            (*words == 0 && at) /* an empty statement: a lone semicolon */ ||
            (effect != EFFECT_NONE && has_results)) {
            return false;
        }
    }
    return true;
}

/* Returns an empty asm statement for the host. In its constraints, the letters
 * h, l, f and d for PTX registers of one type become 'r', any register. */
static LLVMValueRef
host_registers(LLVMValueRef code)
{
    size_t length;
    const char *given = LLVMGetInlineAsmConstraintString(code, &length);
    char *letters = jit_copy(given, length);
    /* true inside the braces of a constraint such as ~{memory} */
    bool in_name = false;
    for (char *at = letters; *at; at++) {
        in_name = *at == '{' || (in_name && *at != '}');
        if (!in_name && strchr("hlfd", *at)) {
            *at = 'r';
        }
    }
    return LLVMGetInlineAsm(LLVMGetInlineAsmFunctionType(code), "", 0, letters,
                            length, LLVMGetInlineAsmHasSideEffects(code), 0,
                            LLVMInlineAsmDialectATT, 0);
}

/* The asm statements of a module. All statements are listed before the first
 * one is lowered, because lowering may split basic blocks. */
struct list {
    LLVMValueRef *items;
    size_t count, capacity;
};

static void
collect_assembly(struct jit *jit, LLVMValueRef instruction, void *data)
{
    struct list *list = data;
    (void)jit;
    if (!LLVMIsACallInst(instruction) ||
        !LLVMIsAInlineAsm(LLVMGetCalledValue(instruction))) {
        return;
    }
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->items =
            realloc(list->items, list->capacity * sizeof *list->items);
        if (!list->items) {
            jit_die("out of memory");
        }
    }
    list->items[list->count++] = instruction;
}

/* Lowers one asm statement. If it is empty and has operands, such as asm("" :
 * "+f"(x)), it stays in the code, since it hides the value of a variable from
 * the compiler. Known PTX statements without results are replaced by calls of
 * runtime functions; ptx/inline.c translates other PTX. */
static void
lower_assembly(struct jit *jit, LLVMValueRef instruction)
{
    LLVMValueRef code = LLVMGetCalledValue(instruction);
    bool has_results =
        LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMVoidTypeKind;
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(code, &length);
    char *bare = bare_text(text, length);
    char *words = jit_allocate(length + 1);
    if (!is_known(bare, words, has_results)) {
        const char *wrong = jit_translate_ptx(jit, instruction);
        if (wrong) {
            jit_user_error(instruction,
                           "inline PTX cannot run on the CPU device: "
                           "asm(\"%.*s%s\"): %s",
                           (int)(length > 60 ? 60 : length), text,
                           length > 60 ? "..." : "", wrong);
        }
        return;
    }
    if (has_results) {
        LLVMSetOperand(instruction,
                       (unsigned)LLVMGetNumOperands(instruction) - 1,
                       host_registers(code));
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, instruction);
    for (const char *at = bare; at;) {
        at = statement_read(at, words);
        build_effect(jit, (enum effect)effect_of(words));
    }
    LLVMInstructionEraseFromParent(instruction);
}

void
jit_lower_assembly(struct jit *jit)
{
    struct list list = {0};
    jit_each_instruction_of_module(jit, collect_assembly, &list);
    for (size_t i = 0; i < list.count; i++) {
        lower_assembly(jit, list.items[i]);
    }
    free(list.items);
}
