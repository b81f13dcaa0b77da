/* dialect.c - keywords of clang that NVRTC does not have.
 *
 * Called by frontend_retry.c for the text of a source, but not for included
 * files. A keyword that NVRTC lacks gets the prefix CUDA_has_no_, which makes
 * it an undeclared name and thus an error. So a source that compiles here also
 * compiles for a GPU. A source that contains the macro __PYCUDA_CPU__ is
 * written for this compiler and is not changed. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/dialect.h"
#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/tokens.h"

/* Keywords of clang that NVRTC does not have;
 * tests/oracle/language/extensions.cu checks the list. */
static const char *const words[] = {
    /* keywords of GNU C++ and of C */
    "__typeof__", "__typeof", "__auto_type", "_Complex", "__complex__",
    "__complex", "__real__", "__imag__", "__real", "__imag", "_Float16",
    "__fp16", "__bf16", "__const__", "__const", "__extension__", "_Alignas",
    "_Alignof", "__alignof", "_Generic", "_Atomic", "_Static_assert", "_Bool",
    "_Noreturn", "_Thread_local", "__label__", "__declspec", "_BitInt",
    "_ExtInt", "_Nonnull", "_Nullable", "__null", "__signed", "__thread",
    "alloca", "__asm__", "__asm", "vector_size", "ext_vector_type",
    /* type traits */
    "__is_same", "__is_convertible", "__is_integral", "__is_floating_point",
    "__is_scalar", "__is_pointer", "__is_array", "__is_const", "__is_void",
    "__is_reference", "__is_signed", "__is_unsigned", "__is_arithmetic",
    "__is_fundamental", "__is_member_pointer", "__remove_cv",
    "__remove_reference_t", "__remove_cvref", "__decay", "__make_signed",
    "__make_unsigned", "__add_pointer", "__make_integer_seq",
    "__type_pack_element", "__array_rank", "__datasizeof"};

static const char *const prefixes[] = {
    "__builtin_", "__sync_", "__atomic_", "__c11_", "__INT",  "__UINT",
    "__FLT",      "__DBL",   "__LDBL_",   "__SIZE", "__GCC_", "__nvvm_"};

/* Names that NVRTC has, although they begin with a prefix of names that it
 * lacks (the list `prefixes`). */
static const char *const known[] = {
    "__builtin_expect",         "__builtin_assume",
    "__builtin_assume_aligned", "__builtin_unreachable",
    "__builtin_bit_cast",       "__builtin_copysign",
    "__builtin_copysignf",      "__builtin_isnan",
    "__builtin_isinf",          "__builtin_isfinite",
    "__builtin_addressof",      "__builtin_is_constant_evaluated",
    "__builtin_LINE",           "__builtin_FILE",
    "__builtin_FUNCTION",       "__builtin_COLUMN",
    "__builtin_align__",        "__INTELLISENSE__"};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool
is_in(const char *const *table, size_t count, struct nvrtc_token token)
{
    for (size_t i = 0; i < count; i++) {
        if (nvrtc_token_is(token, table[i])) {
            return true;
        }
    }
    return false;
}

static bool
is_foreign(struct nvrtc_token token)
{
    for (size_t i = 0; i < COUNT(prefixes); i++) {
        size_t n = strlen(prefixes[i]);
        if (token.n > n && !memcmp(token.start, prefixes[i], n)) {
            return !is_in(known, COUNT(known), token);
        }
    }
    return is_in(words, COUNT(words), token);
}

static bool
has_foreign_letters(struct nvrtc_token token)
{
    for (size_t i = 0; i < token.n; i++) {
        if (token.start[i] & 0x80) {
            return true;
        }
    }
    return false;
}

/* Fast check of the token's first letter: returns false if no keyword that
 * NVRTC lacks begins with this letter. The result is false for most tokens. */
static bool
is_reserved(struct nvrtc_token token)
{
    return *token.start == '_' || *token.start == 'a' || *token.start == 'v' ||
           *token.start == 'e';
}

/* Returns true if a '&' between the tokens `before` and `object` takes the
 * address of a built-in variable such as threadIdx. */
static bool
takes_address(struct nvrtc_token before, struct nvrtc_token object)
{
    static const char *const objects[] = {"threadIdx", "blockIdx", "blockDim",
                                          "gridDim", "warpSize"};

    return is_in(objects, COUNT(objects), object) &&
           (before.start == NULL || nvrtc_token_is(before, "return") ||
            strchr("(,=;{}?:<+-!", *before.start));
}

/* Returns true for __device__ and __host__, which NVRTC rejects after the
 * captures of a lambda: [x] __device__ () {...}. */
static bool
is_space(struct nvrtc_token token)
{
    return nvrtc_token_is(token, "__device__") ||
           nvrtc_token_is(token, "__host__");
}

static void
token_mark(struct nvrtc_edits *edits, const char *source,
           struct nvrtc_token token, bool before_20)
{
    size_t at = (size_t)(token.start - source);

    if (!nvrtc_token_is_name(token) || token.start[token.n - 1] == '"') {
        return;
    }
    if (has_foreign_letters(token)) {
        nvrtc_edits_add(edits, at, 0, "CUDA_has_no_Unicode_names ");
    } else if ((is_reserved(token) && is_foreign(token)) ||
               (before_20 && nvrtc_token_is(token, "__VA_OPT__"))) {
        nvrtc_edits_add(edits, at, 0, "CUDA_has_no_");
    }
}

/* Skips a directive whose '#' has been read, except for a #define: the text of
 * the macro is read as tokens. */
static void
directive_skip(struct nvrtc_tokens *tokens)
{
    const char *end = tokens->line_end;

    tokens->line_end = NULL;
    if (!nvrtc_token_read(tokens) || !nvrtc_token_is(tokens->last, "define")) {
        tokens->at = end;
    }
}

void
nvrtc_dialect_mark(struct nvrtc_edits *edits, const char *source,
                   bool before_20)
{
    struct nvrtc_tokens tokens = {
        .at = source, .line_begins = true, .directives = true};
    /* the token that was read before `tokens.before` */
    struct nvrtc_token earlier = {0};

    if (strstr(source, "__PYCUDA_CPU__")) {
        return;
    }
    while (nvrtc_token_read(&tokens)) {
        if (tokens.line_end) {
            directive_skip(&tokens);
            continue;
        }
        token_mark(edits, source, tokens.last, before_20);
        if (nvrtc_token_is(tokens.before, "&") &&
            takes_address(earlier, tokens.last)) {
            nvrtc_edits_add(edits, (size_t)(tokens.last.start - source), 0,
                            "CUDA_has_no_address_of_");
        }
        if (nvrtc_token_is(tokens.before, "]") &&
            !nvrtc_token_is(earlier, "]") && is_space(tokens.last)) {
            nvrtc_edits_add(edits, (size_t)(tokens.last.start - source), 0,
                            "CUDA_has_no_spaces_of_lambdas ");
        }
        earlier = tokens.before;
    }
}
