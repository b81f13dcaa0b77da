/* statement.c - builds one statement of PTX: selects the function for its
 * operation and applies its predicate.
 *
 * Arithmetic under a predicate is always executed, and its result is written
 * only if the predicate holds. A branch skips other instructions under a
 * predicate.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/ptx/atomics.h"
#include "jit/ptx/barriers.h"
#include "jit/ptx/compare.h"
#include "jit/ptx/copies.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/misc.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/textures.h"
#include "jit/ptx/video.h"
#include "jit/ptx/warp.h"

/* How an operation runs under a predicate. */
enum guard {
    /* The instruction is always executed, but its result is only written if
     * the predicate holds. */
    GUARD_SELECT,
    /* A conditional branch skips the instruction unless the predicate holds.
     */
    GUARD_BRANCH,
    /* The function that builds the instruction handles the predicate. */
    GUARD_OWN
};

static const struct row {
    const char *operation;
    bool (*make)(struct ptx *, const struct ptx_statement *);
    enum guard guard;
} rows[] = {
    {"activemask", ptx_build_active, GUARD_BRANCH},
    {"alloca", ptx_build_stack, GUARD_BRANCH},
    {"applypriority", ptx_build_hint, GUARD_BRANCH},
    {"atom", ptx_build_atomic, GUARD_BRANCH},
    {"bar", ptx_build_barrier, GUARD_BRANCH},
    {"barrier", ptx_build_barrier, GUARD_BRANCH},
    {"bra", ptx_build_branch, GUARD_OWN},
    {"brkpt", ptx_build_effect, GUARD_BRANCH},
    {"brx", ptx_build_indexed_branch, GUARD_BRANCH},
    {"call", ptx_build_call, GUARD_BRANCH},
    {"cp", ptx_build_async_copy, GUARD_BRANCH},
    {"createpolicy", ptx_build_policy, GUARD_BRANCH},
    {"cvt", ptx_build_convert, GUARD_SELECT},
    {"cvta", ptx_build_move, GUARD_SELECT},
    {"discard", ptx_build_hint, GUARD_BRANCH},
    {"elect", ptx_build_elect, GUARD_BRANCH},
    {"exit", ptx_build_exit, GUARD_BRANCH},
    {"fence", ptx_build_effect, GUARD_BRANCH},
    {"getctarank", ptx_build_cluster_address, GUARD_BRANCH},
    {"griddepcontrol", ptx_build_hint, GUARD_BRANCH},
    {"isspacep", ptx_build_is_space, GUARD_BRANCH},
    {"ld", ptx_build_load, GUARD_BRANCH},
    {"ldmatrix", ptx_build_load_tiles, GUARD_BRANCH},
    {"ldu", ptx_build_load, GUARD_BRANCH},
    {"mapa", ptx_build_cluster_address, GUARD_BRANCH},
    {"match", ptx_build_match, GUARD_BRANCH},
    {"mbarrier", ptx_build_mbarrier, GUARD_BRANCH},
    {"membar", ptx_build_effect, GUARD_BRANCH},
    {"mma", ptx_build_product, GUARD_BRANCH},
    {"mov", ptx_build_move, GUARD_SELECT},
    {"movmatrix", ptx_build_turn_tile, GUARD_BRANCH},
    {"nanosleep", ptx_build_sleep, GUARD_BRANCH},
    {"nop", ptx_build_effect, GUARD_BRANCH},
    {"pmevent", ptx_build_hint, GUARD_BRANCH},
    {"prefetch", ptx_build_effect, GUARD_BRANCH},
    {"prefetchu", ptx_build_effect, GUARD_BRANCH},
    {"red", ptx_build_atomic, GUARD_BRANCH},
    {"redux", ptx_build_redux, GUARD_BRANCH},
    {"reg", ptx_declare_registers, GUARD_SELECT},
    {"ret", ptx_build_return, GUARD_BRANCH},
    {"set", ptx_build_set, GUARD_SELECT},
    {"setmaxnreg", ptx_build_hint, GUARD_BRANCH},
    {"setp", ptx_build_setp, GUARD_SELECT},
    {"shfl", ptx_build_shuffle, GUARD_BRANCH},
    {"slct", ptx_build_slct, GUARD_SELECT},
    {"st", ptx_build_store, GUARD_BRANCH},
    {"stackrestore", ptx_build_stack, GUARD_BRANCH},
    {"stacksave", ptx_build_stack, GUARD_BRANCH},
    {"stmatrix", ptx_build_store_tiles, GUARD_BRANCH},
    {"suld", ptx_build_surface, GUARD_BRANCH},
    {"suq", ptx_build_texture_query, GUARD_BRANCH},
    {"sured", ptx_build_surface, GUARD_BRANCH},
    {"sust", ptx_build_surface, GUARD_BRANCH},
    {"tex", ptx_build_texture, GUARD_BRANCH},
    {"tld4", ptx_build_texture, GUARD_BRANCH},
    {"trap", ptx_build_effect, GUARD_BRANCH},
    {"txq", ptx_build_texture_query, GUARD_BRANCH},
    {"vabsdiff", ptx_build_video, GUARD_SELECT},
    {"vabsdiff2", ptx_build_video_lanes, GUARD_SELECT},
    {"vabsdiff4", ptx_build_video_lanes, GUARD_SELECT},
    {"vadd", ptx_build_video, GUARD_SELECT},
    {"vadd2", ptx_build_video_lanes, GUARD_SELECT},
    {"vadd4", ptx_build_video_lanes, GUARD_SELECT},
    {"vavrg2", ptx_build_video_lanes, GUARD_SELECT},
    {"vavrg4", ptx_build_video_lanes, GUARD_SELECT},
    {"vmad", ptx_build_video, GUARD_SELECT},
    {"vmax", ptx_build_video, GUARD_SELECT},
    {"vmax2", ptx_build_video_lanes, GUARD_SELECT},
    {"vmax4", ptx_build_video_lanes, GUARD_SELECT},
    {"vmin", ptx_build_video, GUARD_SELECT},
    {"vmin2", ptx_build_video_lanes, GUARD_SELECT},
    {"vmin4", ptx_build_video_lanes, GUARD_SELECT},
    {"vset", ptx_build_video, GUARD_SELECT},
    {"vset2", ptx_build_video_lanes, GUARD_SELECT},
    {"vset4", ptx_build_video_lanes, GUARD_SELECT},
    {"vshl", ptx_build_video, GUARD_SELECT},
    {"vshr", ptx_build_video, GUARD_SELECT},
    {"vsub", ptx_build_video, GUARD_SELECT},
    {"vsub2", ptx_build_video_lanes, GUARD_SELECT},
    {"vsub4", ptx_build_video_lanes, GUARD_SELECT},
    {"vote", ptx_build_vote, GUARD_BRANCH},
    {"wmma", ptx_build_fragment, GUARD_BRANCH},
};

static const struct row *
find_row(const char *operation)
{
    static const struct row arithmetic = {"", ptx_build, GUARD_SELECT};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(operation, rows[i].operation) == 0) {
            return &rows[i];
        }
    }
    return &arithmetic;
}

/* If an operand is a vector of registers, declared as `.reg .v4 .f32 v`,
 * replaces the operand by the list v.x, v.y, .... */
static void
expand_vectors(struct ptx *ptx, struct ptx_statement *statement)
{
    static const char *const letters[] = {".x", ".y", ".z", ".w"};
    for (unsigned i = 0; i < statement->operand_count; i++) {
        struct ptx_operand *operand = &statement->operands[i];
        const char *name = operand->names[0];
        struct ptx_symbol *own =
            operand->kind == PTX_REGISTER ? ptx_find(ptx, name) : NULL;
        if (!own || own->kind != PTX_SYMBOL_VECTOR) {
            continue;
        }
        operand->kind = PTX_VECTOR;
        operand->count = (unsigned)own->bytes;
        for (unsigned k = 0; k < operand->count; k++) {
            operand->names[k] =
                ptx_join_words(ptx, name, strlen(name), letters[k]);
        }
    }
}

/* Tests whether no operand is an array element, such as array[4], or the
 * instruction may have such an operand. */
static bool
check_elements(struct ptx *ptx, const struct ptx_statement *statement)
{
    static const char takers[] = " cvta ld mov st ";
    for (unsigned i = 0; i < statement->operand_count; i++) {
        if (statement->operands[i].kind == PTX_ELEMENT &&
            !ptx_is_word(takers, statement->operation)) {
            return ptx_fail(ptx, "'%s' takes no array element as operand",
                            statement->operation);
        }
    }
    return true;
}

/* Builds the instruction in a basic block that runs only if the predicate
 * holds. */
static bool
build_guarded(struct ptx *ptx, const struct ptx_statement *statement,
              const struct row *row)
{
    struct ptx_conditional guarded =
        ptx_conditional_begin(ptx, ptx->predicate);
    ptx->predicate = NULL;
    bool right = row->make(ptx, statement);
    ptx_conditional_end(ptx, &guarded);
    return right;
}

static bool
build_instruction(struct ptx *ptx, struct ptx_statement *statement)
{
    const struct row *row = find_row(statement->operation);
    struct ptx_type type = {'p', 1};
    ptx->predicate = NULL;
    ptx_order_modifiers(statement);
    if (strcmp(statement->operation, "reg") != 0 &&
        !(ptx_check_modifiers(ptx, statement) &&
          check_elements(ptx, statement))) {
        return false;
    }
    if (statement->predicate[0]) {
        LLVMValueRef when =
            ptx_read_name(ptx, statement->predicate, type, false);
        if (!when) {
            return false;
        }
        ptx->predicate =
            statement->inverted && !PLANTED_FAULT(ptx_not_inverted)
                ? LLVMBuildNot(ptx->jit->builder, when, "")
                : when;
    }
    expand_vectors(ptx, statement);
    return ptx->predicate && row->guard == GUARD_BRANCH
               ? build_guarded(ptx, statement, row)
               : row->make(ptx, statement);
}

static bool
build_directive(struct ptx *ptx, const struct ptx_statement *statement)
{
    enum ptx_space space;
    const char *name = statement->operation;
    if (ptx_space_named(name, &space)) {
        return ptx_read_variables(ptx, statement->raw, space, "") != NULL;
    }
    if (strcmp(name, "pragma") == 0 || strcmp(name, "file") == 0 ||
        strcmp(name, "loc") == 0) {
        return true;
    }
    return ptx_fail(ptx, "the directive '.%s' is not supported here", name);
}

bool
ptx_build_statement(struct ptx *ptx, struct ptx_statement *statement)
{
    switch (statement->kind) {
    case PTX_OPEN:
        return ptx_open_scope(ptx);
    case PTX_CLOSE:
        return ptx_close_scope(ptx);
    case PTX_LABEL:
        return ptx_define_label(ptx, statement->operation);
    case PTX_TARGETS:
        ptx_add_symbol(ptx, statement->operation, PTX_SYMBOL_TARGETS)->raw =
            statement->raw;
        return true;
    case PTX_DIRECTIVE:
        return build_directive(ptx, statement);
    case PTX_CALL:
    case PTX_INSTRUCTION:
        break;
    }
    return !statement->operation[0] || build_instruction(ptx, statement);
}
