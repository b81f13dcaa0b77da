/* forms.c - the combinations of modifiers and types that the instructions of
 * PTX have.
 *
 * Each row is a form of the instructions that it names. A form is a list of
 * groups; a group is a list of modifiers, of which a statement has exactly
 * one, or at most one if a question mark follows the group. A statement that
 * no row describes is an error: without this check, a modifier such as .sat on
 * an instruction that does not support it would be ignored, and the result
 * would be wrong. Modifiers may be in any order, but types follow the order of
 * the groups.
 *
 * The rows are those of the PTX ISA document, as ptxas accepts them. An
 * instruction without a row, such as cp or wmma, checks its modifiers where
 * its code is built. So does one whose form depends on more than one group,
 * such as mma, whose shape depends on its types.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "jit/ptx/ptx.h"

#define SIGNED        "s16|s32|s64"
#define UNSIGNED      "u16|u32|u64"
#define INTEGER       UNSIGNED "|" SIGNED
#define WIDE          "u32|s32|u64|s64"
#define WORD          "u32|s32"
#define BITS          "b16|b32|b64"
#define ANY           BITS "|" INTEGER "|f32|f64"
#define BYTES         "u8|s8|" INTEGER
#define F16           "f16|f16x2"
#define BF16          "bf16|bf16x2"
#define ROUND         "rn|rz|rm|rp"
#define WHOLE         "rni|rzi|rmi|rpi"
#define EQUAL         "eq|ne"
#define COMPARE       EQUAL "|lt|le|gt|ge"
#define COMPARE_U     COMPARE "|lo|ls|hi|hs"
#define COMPARE_F     COMPARE "|equ|neu|ltu|leu|gtu|geu|num|nan"
#define LOGIC         "and|or|xor? "
#define SHARED        "shared|shared::cta|shared::cluster"
#define SPACE         "global|" SHARED "|const|local|param|param::entry"
#define OWN_SHARED    "shared|shared::cta"
#define SCOPE         "cta|cluster|gpu|sys"
#define BARRIER_SPACE SHARED "? b64"
#define ACCESS        "b8|" BYTES "|" BITS "|b128|f32|f64"
#define L1_HINT                                                               \
    "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|"    \
    "L1::no_allocate? "
#define CACHE_SIZE "L2::64B|L2::128B|L2::256B? "
#define UPDATE     "add|min|max|inc|dec|and|or|xor"
#define UPDATED    BITS "|b128|u32|u64|s32|s64|f32|f64|" F16 "|" BF16
#define SHAPE                                                                 \
    "m8n8k4|m8n8k16|m8n8k32|m8n8k128|m16n8k4|m16n8k8|m16n8k16|m16n8k32|"      \
    "m16n8k64|m16n8k128|m16n8k256"
#define MMA           "sync aligned " SHAPE " row col "
#define MMA_SPARSE    "sp|sp::ordered_metadata " MMA
#define SMALL_FLOAT   "f16|bf16|tf32|e4m3|e5m2 "
#define SMALL_INTEGER "s8|u8|s4|u4 "
#define TEXEL         "v2|v4 u32|s32|f32|f16x2 s32|f32"
#define SURFACE       "1d|2d|3d|a1d|a2d "
#define OUTSIDE       "trap|clamp|zero"
#define PRIORITY                                                              \
    "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"
#define VIDEO_SCALAR " vadd vsub vabsdiff vmin vmax "
#define VIDEO_LANES                                                           \
    " vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vadd4 vsub4 vavrg4 vabsdiff4 " \
    "vmin4 vmax4 "

static const struct form {
    const char *operations; /* names, each with a blank before and after it */
    const char *groups;     /* separated by blanks */
} forms[] = {
    /* integers */
    {" add sub ", UNSIGNED "|s16|s64"},
    {" add sub ", "sat? s32"},
    {" add ", "u16x2|s16x2"},
    {" add sub addc subc ", "cc " WIDE},
    {" addc subc ", WIDE},
    {" mul mad ", "hi|lo " INTEGER},
    {" mul mad ", "wide u16|s16|u32|s32"},
    {" mad mad24 ", "hi sat s32"},
    {" mad madc ", "hi|lo cc " WIDE},
    {" madc ", "hi|lo " WIDE},
    {" mul24 mad24 ", "hi|lo " WORD},
    {" sad div rem ", INTEGER},
    {" abs neg ", SIGNED},
    {" min max ", UNSIGNED "|s16|s64|u16x2"},
    {" min max ", "relu? s32|s16x2"},
    {" popc clz brev bfi ", "b32|b64"},
    {" bfind ", "shiftamt? " WIDE},
    {" fns ", "b32"},
    {" bfe ", WIDE},
    {" szext ", "clamp|wrap " WORD},
    {" bmsk ", "clamp|wrap b32"},
    {" dp4a ", WORD " " WORD},
    {" dp2a ", "lo|hi " WORD " " WORD},
    /* floats of 32 and 64 bits */
    {" testp ", "finite|infinite|number|notanumber|normal|subnormal f32|f64"},
    {" copysign ", "f32|f64"},
    {" add sub mul ", ROUND "? ftz? sat? f32"},
    {" add sub mul ", ROUND "? f64"},
    {" fma mad ", ROUND " ftz? sat? f32"},
    {" fma mad div rcp sqrt ", ROUND " f64"},
    {" div ", "approx|full|" ROUND " ftz? f32"},
    {" abs neg ", "ftz? f32|" F16},
    {" abs neg min max ", "f64"},
    {" min max ", "ftz? NaN? f32|" F16},
    {" min max ", "ftz? NaN? xorsign abs f32|" F16},
    {" rcp sqrt ", "approx|" ROUND " ftz? f32"},
    {" rcp ", "approx ftz f64"},
    {" rsqrt ", "approx ftz? f32|f64"},
    {" sin cos lg2 ex2 ", "approx ftz? f32"},
    {" tanh ", "approx f32"},
    /* floats of 16 bits */
    {" add sub mul ", "rn? ftz? sat? " F16},
    {" add sub mul ", "rn? " BF16},
    {" fma ", "rn ftz? sat|relu? " F16},
    {" fma ", "rn relu? " BF16},
    {" abs neg ", BF16},
    {" min max ", "NaN? " BF16},
    {" min max ", "NaN? xorsign abs " BF16},
    {" tanh ex2 ", "approx " F16},
    {" tanh ", "approx " BF16},
    {" ex2 ", "approx ftz " BF16},
    /* comparisons */
    {" setp ", COMPARE " " LOGIC SIGNED},
    {" setp ", COMPARE_U " " LOGIC UNSIGNED},
    {" setp ", EQUAL " " LOGIC BITS},
    {" setp ", COMPARE_F " " LOGIC "ftz? f32|" F16},
    {" setp ", COMPARE_F " " LOGIC "f64|" BF16},
    {" set ", COMPARE " " LOGIC "u32|s32|f32|f16|bf16 " SIGNED},
    {" set ", COMPARE_U " " LOGIC "u32|s32|f32|f16|bf16 " UNSIGNED},
    {" set ", EQUAL " " LOGIC "u32|s32|f32|f16|bf16 " BITS},
    {" set ", COMPARE_F " " LOGIC "ftz? u32|s32|f32|f16|bf16 f32"},
    {" set ", COMPARE_F " " LOGIC "u32|s32|f32|f16|bf16 f64"},
    {" set ", COMPARE_F " " LOGIC "ftz? f16|u16|s16|u32|s32 f16"},
    {" set ", COMPARE_F " " LOGIC "bf16|u16|s16|u32|s32 bf16"},
    {" set ", COMPARE_F " " LOGIC "ftz? f16x2|u32|s32 f16x2"},
    {" set ", COMPARE_F " " LOGIC "bf16x2|u32|s32 bf16x2"},
    {" selp ", ANY},
    {" slct ", ANY " s32"},
    {" slct ", "ftz? " ANY " f32"},
    /* logic, shifts and moves */
    {" and or xor not ", BITS "|pred"},
    {" cnot shl ", BITS},
    {" lop3 ", "and|or? b32"},
    {" shf ", "l|r clamp|wrap b32"},
    {" shr ", BITS "|" INTEGER},
    {" mov ", ANY "|b128|pred"},
    {" prmt ", "b32 f4e|b4e|rc8|ecl|ecr|rc16?"},
    {" cvta ", "to? " SPACE " u32|u64"},
    {" isspacep ", SPACE},
    {" alloca stacksave stackrestore ", "u32|u64"},
    {" mapa getctarank ", "shared::cluster? u32|u64"},
    /* conversions */
    {" cvt ", "sat? " BYTES " " BYTES},
    {" cvt ", ROUND " sat? f16|f32|f64 " BYTES},
    {" cvt ", ROUND " bf16 " INTEGER},
    {" cvt ", WHOLE " ftz? sat? " BYTES " f32"},
    {" cvt ", WHOLE " sat? " BYTES " f16|f64"},
    {" cvt ", WHOLE " " INTEGER " bf16"},
    {" cvt ", WHOLE "? ftz? sat? f32 f32"},
    {" cvt ", WHOLE "? sat? f64 f64"},
    {" cvt ", WHOLE "? sat? f16 f16"},
    {" cvt ", WHOLE " bf16 bf16"},
    {" cvt ", "ftz? sat? f64 f32"},
    {" cvt ", ROUND " ftz? sat? f32 f64"},
    {" cvt ", ROUND " ftz? sat? f16 f32"},
    {" cvt ", ROUND " sat? f16 f64"},
    {" cvt ", "ftz? sat? f32 f16"},
    {" cvt ", "sat? f64 f16"},
    {" cvt ", "rn|rz relu? satfinite? f16|bf16|f16x2|bf16x2 f32"},
    {" cvt ", ROUND " bf16 f16|f32|f64"},
    {" cvt ", "ftz? f32 bf16"},
    {" cvt ", "f64 bf16"},
    {" cvt ", ROUND "? f16 bf16"},
    {" cvt ", "rna satfinite? tf32 f32"},
    {" cvt ", "rn|rz relu? tf32 f32"},
    {" cvt ", "rn satfinite relu? e4m3x2|e5m2x2 f32|f16x2"},
    {" cvt ", "rn relu? f16x2 e4m3x2|e5m2x2"},
    {" cvt ", "pack sat u16|s16 s32"},
    {" cvt ", "pack sat u8|s8|u4|s4|u2|s2 s32 b32"},
    /* video instructions */
    {VIDEO_SCALAR, WORD " " WORD " " WORD " sat? add|min|max?"},
    {" vshl vshr ", WORD " " WORD " u32 sat? clamp|wrap add|min|max?"},
    {" vmad ", WORD " " WORD " " WORD " po? sat? shr7|shr15?"},
    {" vset ", WORD " " WORD " " COMPARE " add|min|max?"},
    {VIDEO_LANES, WORD " " WORD " " WORD " sat|add?"},
    {" vset2 vset4 ", WORD " " WORD " " COMPARE " add?"},
    /* control flow, and instructions without a result */
    {" bra call ret ", "uni?"},
    {" brx ", "idx uni?"},
    {" exit trap brkpt nop ", ""},
    {" nanosleep ", "u32"},
    {" activemask ", "b32"},
    {" pmevent ", "mask?"},
    {" setmaxnreg ", "inc|dec sync aligned u32"},
    {" griddepcontrol ", "launch_dependents|wait"},
    {" prefetch ", "global|local? L1|L2"},
    {" prefetch ", "global L2::evict_last|L2::evict_normal"},
    {" prefetch ", "const|param|param::entry? tensormap"},
    {" prefetchu ", "L1"},
    {" applypriority ", "global? L2::evict_normal"},
    {" discard ", "global? L2"},
    {" createpolicy ",
     "fractional " PRIORITY " L2::evict_first|L2::evict_unchanged? b64"},
    {" createpolicy ",
     "range global? " PRIORITY " L2::evict_first|L2::evict_unchanged? b64"},
    {" createpolicy ", "cvt L2 b64"},
    /* memory */
    {" ld ", "weak? " SPACE "|param::func? ca|cg|cs|lu|cv? nc? " L1_HINT
             "L2::cache_hint? " CACHE_SIZE "v2|v4|v8? " ACCESS},
    {" ld ", "volatile " SPACE "? v2|v4? " ACCESS},
    {" ld ", "relaxed|acquire " SCOPE " global|" SHARED "? " L1_HINT
             "L2::cache_hint? " CACHE_SIZE "v2|v4|v8? " ACCESS},
    {" ld st ", "mmio relaxed sys global? " ACCESS},
    {" ldu ", "global? v2|v4? " ACCESS},
    {" st ",
     "weak? global|" SHARED "|local|param|param::func? wb|cg|cs|wt? " L1_HINT
     "L2::cache_hint? v2|v4|v8? " ACCESS},
    {" st ", "volatile global|" SHARED "|local? v2|v4? " ACCESS},
    {" st ", "relaxed|release " SCOPE " global|" SHARED "? " L1_HINT
             "L2::cache_hint? v2|v4|v8? " ACCESS},
    {" st ", "async weak? shared::cluster mbarrier::complete_tx::bytes "
             "v2|v4? " ACCESS},
    {" atom ", "relaxed|acquire|release|acq_rel? " SCOPE "? global|" SHARED
               "? exch|cas|" UPDATE " L2::cache_hint? v2|v4? " UPDATED},
    {" atom red ",
     "relaxed|acquire|release|acq_rel? " SCOPE "? global|" SHARED
     "? add|min|max noftz L2::cache_hint? v2|v4|v8? " F16 "|" BF16},
    {" red ", "relaxed|release? " SCOPE "? global|" SHARED "? " UPDATE
              " L2::cache_hint? v2|v4? " UPDATED},
    {" red ", "async relaxed? cluster? shared::cluster? "
              "mbarrier::complete_tx::bytes " UPDATE " b32|u32|s32|u64"},
    {" tex ", "level|grad? 1d|2d|3d|a1d|a2d|cube|acube " TEXEL},
    {" tld4 ", "r|g|b|a 2d|a2d|cube|acube v4 u32|s32|f32 f32"},
    {" suld ", "b " SURFACE "ca|cg|cs|cv? v2|v4? b8|" BITS " " OUTSIDE},
    {" sust ", "b " SURFACE "wb|cg|cs|wt? v2|v4? b8|" BITS " " OUTSIDE},
    {" sured ", "b add|min|max " SURFACE "u32|s32|u64|s64 " OUTSIDE},
    {" sured ", "b and|or " SURFACE "b32 " OUTSIDE},
    /* warps; .sync is necessary since PTX 6.4 */
    {" shfl ", "sync? up|down|bfly|idx b32"},
    {" vote ", "sync? all|any|uni pred"},
    {" vote ", "sync? ballot b32"},
    {" match ", "any|all sync b32|b64"},
    {" redux ", "sync add|min|max " WORD},
    {" redux ", "sync and|or|xor b32"},
    {" elect ", "sync"},
    /* barriers and fences */
    {" bar ", "warp sync"},
    {" bar ", "cta? sync|arrive"},
    {" bar ", "cta? red popc u32"},
    {" bar ", "cta? red and|or pred"},
    {" barrier ", "cta? sync|arrive aligned?"},
    {" barrier ", "cta? red popc aligned? u32"},
    {" barrier ", "cta? red and|or aligned? pred"},
    {" barrier ", "cluster arrive release|relaxed? aligned?"},
    {" barrier ", "cluster wait acquire? aligned?"},
    {" membar ", "cta|gl|sys"},
    {" membar fence ", "proxy alias"},
    {" fence ", "sc|acq_rel|acquire|release? " SCOPE},
    {" fence ", "proxy async global|shared::cta|shared::cluster?"},
    {" fence ", "mbarrier_init release cluster"},
    {" fence ", "proxy tensormap::generic acquire|release " SCOPE},
    {" fence ", "proxy? async::generic? acquire "
                "sync_restrict::shared::cluster cluster"},
    {" fence ", "proxy? async::generic? release "
                "sync_restrict::shared::cta cluster"},
    {" mbarrier ", "init|inval " OWN_SHARED "? b64"},
    {" mbarrier ",
     "expect_tx|complete_tx relaxed? cta|cluster? " BARRIER_SPACE},
    {" mbarrier ", "arrive|arrive_drop expect_tx? release|relaxed? "
                   "cta|cluster? " BARRIER_SPACE},
    {" mbarrier ",
     "arrive|arrive_drop noComplete release? cta? " BARRIER_SPACE},
    {" mbarrier ", "test_wait|try_wait parity? acquire|relaxed? "
                   "cta|cluster? " BARRIER_SPACE},
    {" mbarrier ", "pending_count b64"},
    /* matrices */
    {" ldmatrix stmatrix ",
     "sync aligned m8n8 x1|x2|x4 trans? " OWN_SHARED "? b16"},
    {" movmatrix ", "sync aligned m8n8 trans b16"},
    {" mma ", MMA ROUND "? f64 f64 f64 f64"},
    {" mma ", "sync aligned m8n8k4 row|col row|col f16|f32 f16 f16 f16|f32"},
    {" mma ", MMA "f16|f32 " SMALL_FLOAT SMALL_FLOAT "f16|f32"},
    {" mma ", MMA "satfinite? s32 " SMALL_INTEGER SMALL_INTEGER "s32"},
    {" mma ", MMA "s32 b1 b1 s32 xor|and popc"},
    {" mma ", MMA_SPARSE "f16|f32 " SMALL_FLOAT SMALL_FLOAT "f16|f32"},
    {" mma ", MMA_SPARSE "satfinite? s32 " SMALL_INTEGER SMALL_INTEGER "s32"},
};

/* Tests whether the first `length` characters of `group`, a list such as
 * "rn|rz", contain the word. */
static bool
group_has(const char *group, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t at = 0; at < length; at++) {
        size_t end = at;
        while (end < length && group[end] != '|') {
            end++;
        }
        if (end - at == size && strncmp(group + at, word, size) == 0) {
            return true;
        }
        at = end;
    }
    return false;
}

/* Tests whether the statement's modifiers are those of the form. */
static bool
fits(const struct ptx_statement *statement, const char *groups)
{
    bool used[PTX_MAX_MODIFIERS] = {0};
    unsigned count = 0, first_type = 0;
    for (const char *at = groups; *at;) {
        size_t size = strcspn(at, " "), next = size + (at[size] == ' ');
        bool optional = at[size - 1] == '?';
        bool found = false;
        for (unsigned i = 0; i < statement->modifier_count; i++) {
            const char *word = statement->modifiers[i];
            bool type = ptx_names_type(word);
            if (used[i] || (type && i < first_type) ||
                !group_has(at, size - optional, word)) {
                continue;
            }
            first_type = type ? i + 1 : first_type;
            used[i] = found = true;
            count++;
            break;
        }
        if (!found && !optional) {
            return false;
        }
        at += next;
    }
    return count == statement->modifier_count;
}

/* Sets ptx->wrong to an error that names the statement's form and, if there is
 * one, a form of the operation for the same type. Returns false. */
static bool
fail_with_forms(struct ptx *ptx, const struct ptx_statement *statement)
{
    unsigned n = statement->modifier_count;
    const char *type = n ? statement->modifiers[n - 1] : "";
    const char *name = statement->operation, *all = name, *like = NULL;
    for (unsigned i = 0; i < n; i++) {
        all = ptx_join_words(ptx, all, strlen(all), ".");
        all = ptx_join_words(ptx, all, strlen(all), statement->modifiers[i]);
    }
    for (size_t i = 0; !like && i < sizeof forms / sizeof *forms; i++) {
        const char *groups = forms[i].groups;
        const char *last = strrchr(groups, ' ');
        last = last ? last + 1 : groups;
        if (ptx_is_word(forms[i].operations, name) &&
            group_has(last, strlen(last), type)) {
            like = groups;
        }
    }
    return like ? ptx_fail(ptx,
                           "'%s' does not exist in the form '%s'; a form "
                           "that exists is '%s' with %s",
                           name, all, name, like)
                : ptx_fail(ptx, "'%s' does not exist in the form '%s'", name,
                           all);
}

bool
ptx_check_form(struct ptx *ptx, const struct ptx_statement *statement)
{
    char name[64];
    bool known = false;
    snprintf(name, sizeof name, " %s ", statement->operation);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!strstr(forms[i].operations, name)) {
            continue;
        }
        if (fits(statement, forms[i].groups)) {
            return true;
        }
        known = true;
    }
    return !known || fail_with_forms(ptx, statement);
}
