/* module.c - translates a module in PTX to an LLVM module.
 *
 * The result has the form that clang gives to CUDA C++ for nvptx64: kernels
 * are listed in the metadata "nvvm.annotations", variables are in nvptx's
 * address spaces. So the other passes of pycuda-jit handle PTX and CUDA C++ in
 * the same way.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/module.h"
#include "jit/ptx/ptx.h"
#include "jit/report.h"
#include "jit/text.h"

/* After this number of errors, the rest of the module is not read. */
enum { MAX_ERRORS = 20 };

static const char triple[] = "nvptx64-nvidia-cuda";
static const char layout[] = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64";

struct reader {
    struct jit *jit;
    struct ptx *ptx;
    struct ptx_lines *lines;
    LLVMModuleRef module;
    const char *text;
    /* `line` is the number of the line that contains `mark`. */
    const char *mark;
    unsigned line;
    unsigned errors;
    bool has_version, has_target;
};

/* ---- messages ---- */

static unsigned
line_of(struct reader *reader, const char *at)
{
    if (at < reader->mark) {
        reader->mark = reader->text;
        reader->line = 1;
    }
    for (; reader->mark < at; reader->mark++) {
        reader->line += *reader->mark == '\n';
    }
    return reader->line;
}

/* Reports the error ptx->wrong with the line of `at`, and clears the error. */
static void
report(struct reader *reader, const char *at)
{
    const char *wrong = reader->ptx->wrong;
    at = ptx_skip(at);
    size_t length = strcspn(at, ";\n");
    jit_line_error("ptx", line_of(reader, at), "%s: '%.*s'",
                   wrong ? wrong : "the syntax is not supported",
                   (int)(length > 100 ? 100 : length), at);
    reader->ptx->wrong = NULL;
    reader->errors++;
}

/* ---- functions ---- */

static void
add_annotation(struct reader *reader, LLVMValueRef function, const char *name,
               unsigned value)
{
    LLVMContextRef context = reader->jit->context;
    LLVMMetadataRef parts[] = {
        LLVMValueAsMetadata(function),
        LLVMMDStringInContext2(context, name, strlen(name)),
        LLVMValueAsMetadata(LLVMConstInt(reader->jit->i32, value, 0))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, parts, 3);
    LLVMAddNamedMetadataOperand(reader->module, "nvvm.annotations",
                                LLVMMetadataAsValue(context, node));
}

static void
set_byval(struct reader *reader, LLVMValueRef function, unsigned index,
          const struct ptx_parameter *parameter)
{
    LLVMContextRef context = reader->jit->context;
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddAttributeAtIndex(
        function, index + 1,
        LLVMCreateTypeAttribute(context, byval,
                                ptx_parameter_type(reader->ptx, parameter)));
    LLVMAddAttributeAtIndex(
        function, index + 1,
        LLVMCreateEnumAttribute(context, align, parameter->alignment));
}

/* Returns the LLVM function that a declaration names: an existing function of
 * this name, or a new one. */
static LLVMValueRef
get_function(struct reader *reader, const char *name,
             const struct ptx_signature *own, const char *linking)
{
    LLVMValueRef function = LLVMGetNamedFunction(reader->module, name);
    LLVMTypeRef type =
        own->known ? ptx_known_type(reader->ptx, name, own) : own->type;
    if (strcmp(name, "__assertfail") == 0) {
        name = "__pycuda_assert_fail";
        function = LLVMGetNamedFunction(reader->module, name);
    }
    if (function && LLVMGlobalGetValueType(function) == type) {
        return function;
    }
    if (function) {
        ptx_fail(reader->ptx, "'%s' is declared with other parameters", name);
        return NULL;
    }
    function = LLVMAddFunction(reader->module, name, type);
    LLVMSetLinkage(function, strcmp(linking, "weak") == 0
                                 ? LLVMWeakAnyLinkage
                                 : LLVMExternalLinkage);
    if (own->known && ptx_known_is_pure(name, type)) {
        jit_add_attribute(reader->jit, function, "nounwind");
        jit_add_attribute(reader->jit, function, "willreturn");
        /* the attribute "memory" with the value 0 means memory(none) */
        jit_add_attribute(reader->jit, function, "memory");
    }
    for (unsigned i = 0; i < own->parameter_count && !own->known; i++) {
        if (own->parameters[i].is_array) {
            set_byval(reader, function, i, &own->parameters[i]);
        }
    }
    return function;
}

/* Reads the directives, such as .maxntid, between the parameters and the body
 * of a function. */
static const char *
read_hints(struct reader *reader, const char *at, LLVMValueRef function)
{
    struct ptx *ptx = reader->ptx;
    const char *word;
    for (at = ptx_skip(at); *at == '.'; at = ptx_skip(at)) {
        at = ptx_read_word(ptx, at + 1, &word, "");
        if (!at) {
            return NULL;
        }
        unsigned sizes[3] = {1, 1, 1}, count = 0;
        for (at = ptx_skip(at); isdigit((unsigned char)*at);) {
            char *end;
            unsigned long size = strtoul(at, &end, 0);
            sizes[count < 3 ? count : 2] = size > 1024 ? 1024 : (unsigned)size;
            count++;
            at = ptx_skip(end);
            at = *at == ',' ? ptx_skip(at + 1) : at;
        }
        bool limit =
            strcmp(word, "maxntid") == 0 || strcmp(word, "reqntid") == 0;
        if (limit && count) {
            add_annotation(reader, function, "maxntidx",
                           sizes[0] * sizes[1] * sizes[2] > 1024
                               ? 1024
                               : sizes[0] * sizes[1] * sizes[2]);
        } else if (strcmp(word, "noreturn") == 0) {
            jit_add_attribute(reader->jit, function, "noreturn");
        } else if (strcmp(word, "pragma") == 0) {
            at += strcspn(at, ";");
            at += *at == ';';
        }
    }
    return at;
}

/* Makes the parameters of the function known to its code as variables of the
 * space .param, or as registers. */
static void
declare_parameters(struct reader *reader, LLVMValueRef function,
                   const struct ptx_signature *own)
{
    struct ptx *ptx = reader->ptx;
    for (unsigned i = 0; i < own->parameter_count; i++) {
        const struct ptx_parameter *parameter = &own->parameters[i];
        LLVMValueRef value = LLVMGetParam(function, i);
        if (parameter->is_register) {
            ptx_declare(ptx, parameter->name, parameter->type, value);
            continue;
        }
        if (!parameter->is_array) {
            LLVMValueRef memory =
                ptx_local(ptx, LLVMTypeOf(value), parameter->alignment);
            LLVMBuildStore(reader->jit->builder, value, memory);
            value = memory;
        }
        struct ptx_symbol *symbol =
            ptx_add_symbol(ptx, parameter->name, PTX_SYMBOL_VARIABLE);
        symbol->space = PTX_SPACE_PARAM;
        symbol->type = parameter->type;
        symbol->bytes = parameter->bytes;
        symbol->value = value;
    }
}

static void
declare_results(struct ptx *ptx, const struct ptx_signature *own)
{
    ptx->flow->results =
        jit_allocate((own->result_count + 1) * sizeof(LLVMValueRef));
    for (unsigned i = 0; i < own->result_count; i++) {
        const struct ptx_parameter *result = &own->results[i];
        LLVMValueRef memory =
            ptx_local(ptx, ptx_parameter_type(ptx, result), result->alignment);
        ptx->flow->results[i] = memory;
        struct ptx_symbol *symbol = ptx_add_symbol(
            ptx, result->name,
            result->is_register ? PTX_SYMBOL_REGISTER : PTX_SYMBOL_VARIABLE);
        symbol->space = PTX_SPACE_PARAM;
        symbol->type = result->type;
        symbol->bytes = result->bytes;
        symbol->value = memory;
    }
}

/* Translates the statements of a function's body up to the closing brace.
 * Returns the text after this brace. */
static const char *
read_statements(struct reader *reader, const char *at)
{
    struct ptx *ptx = reader->ptx;
    struct ptx_statement statement;
    while (ptx->flow->depth && reader->errors < MAX_ERRORS) {
        const char *start = ptx_skip(at);
        if (!*start) {
            ptx_fail(ptx, "the file ends in a function");
            report(reader, start);
            return start;
        }
        at = start;
        bool right = ptx_parse(ptx, &at, &statement);
        if (right && statement.kind == PTX_DIRECTIVE &&
            strcmp(statement.operation, "loc") == 0) {
            ptx_lines_loc(reader->lines, statement.raw);
            continue;
        }
        if (right) {
            ptx_lines_at(reader->lines, line_of(reader, start));
            right = ptx_build_statement(ptx, &statement);
        } else {
            at += strcspn(at, ";}\n");
            at += *at == ';' || (at == start && *at);
        }
        if (!right) {
            report(reader, start);
        }
    }
    return at;
}

/* Translates the body of a function, which begins at `at` with a brace. */
static const char *
read_body(struct reader *reader, const char *at, LLVMValueRef function,
          const struct ptx_signature *own)
{
    struct ptx *ptx = reader->ptx;
    struct ptx_flow flow = {.signature = own};
    LLVMBuilderRef builder = reader->jit->builder;
    const char *start = at;
    unsigned symbols = ptx->symbol_count;
    if (own->known || !LLVMIsDeclaration(function)) {
        ptx_fail(ptx, "the function is defined twice, or by the device");
        return NULL;
    }
    ptx->function = function;
    ptx->flow = &flow;
    ptx->carry = NULL;
    LLVMBasicBlockRef entry =
        LLVMAppendBasicBlockInContext(reader->jit->context, function, "");
    LLVMBasicBlockRef code =
        LLVMAppendBasicBlockInContext(reader->jit->context, function, "");
    LLVMPositionBuilderAtEnd(builder, entry);
    ptx_lines_function(reader->lines, function, line_of(reader, at));
    ptx_lines_at(reader->lines, line_of(reader, at));
    ptx_open_scope(ptx);
    declare_results(ptx, own);
    declare_parameters(reader, function, own);
    LLVMBuildBr(builder, code);
    LLVMPositionBuilderAtEnd(builder, code);
    at = read_statements(reader, at + 1);
    if (!ptx_close_labels(ptx)) {
        report(reader, start);
    }
    ptx_end_function(ptx);
    ptx_drop_symbols(ptx, symbols);
    ptx->function = NULL;
    LLVMSetCurrentDebugLocation2(builder, NULL);
    free(flow.labels);
    free(flow.scopes);
    return at;
}

/* Reads a function or a kernel, after .func or .entry. */
static const char *
read_function(struct reader *reader, const char *at, bool is_entry,
              const char *linking)
{
    struct ptx *ptx = reader->ptx;
    struct ptx_signature *own = jit_allocate(sizeof *own);
    const char *name = NULL;
    own->is_entry = is_entry;
    at = ptx_skip(at);
    if (*at == '(' && !is_entry) {
        at = ptx_read_parameters(ptx, at, &own->results, &own->result_count);
    }
    at = at ? ptx_read_word(ptx, ptx_skip(at), &name, "") : NULL;
    at = at ? ptx_skip(at) : NULL;
    if (at && *at == '(') {
        at = ptx_read_parameters(ptx, at, &own->parameters,
                                 &own->parameter_count);
    }
    if (!at || own->parameter_count > JIT_MAX_PARAMETERS) {
        ptx_fail(ptx, "the parameters of a function are not correct");
        return NULL;
    }
    ptx_complete_signature(ptx, own);
    own->known = !is_entry && ptx_known_type(ptx, name, own) &&
                 strcmp(linking, "extern") == 0;
    LLVMValueRef function = get_function(reader, name, own, linking);
    if (!function) {
        return NULL;
    }
    if (!ptx_find(ptx, name)) {
        struct ptx_symbol *symbol =
            ptx_add_symbol(ptx, name, PTX_SYMBOL_FUNCTION);
        symbol->value = function;
        symbol->signature = own;
    }
    at = read_hints(reader, at, function);
    if (at && *at == '{') {
        if (is_entry) {
            add_annotation(reader, function, "kernel", 1);
            LLVMSetFunctionCallConv(function, LLVMPTXKernelCallConv);
        }
        return read_body(reader, at, function, own);
    }
    return at && *at == ';' ? at + 1 : NULL;
}

/* ---- directives of a module ---- */

/* Skips a section in braces, such as debug information. */
static const char *
skip_section(const char *at)
{
    at = strchr(at, '{');
    at = at ? strchr(at, '}') : NULL;
    return at ? at + 1 : NULL;
}

/* Reads .alias name, function. */
static const char *
read_alias(struct reader *reader, const char *at)
{
    struct ptx *ptx = reader->ptx;
    const char *name, *of;
    at = ptx_read_word(ptx, ptx_skip(at), &name, "");
    at = at ? ptx_skip(at) : "";
    at = *at == ',' ? ptx_read_word(ptx, ptx_skip(at + 1), &of, "") : NULL;
    struct ptx_symbol *to = at ? ptx_find(ptx, of) : NULL;
    LLVMValueRef old = at ? LLVMGetNamedFunction(reader->module, name) : NULL;
    if (!to || to->kind != PTX_SYMBOL_FUNCTION || to->value == old) {
        ptx_fail(ptx, "an alias needs a function");
        return NULL;
    }
    if (old && LLVMIsDeclaration(old)) {
        LLVMReplaceAllUsesWith(old, to->value);
        struct ptx_symbol *own = ptx_find(ptx, name);
        own->value = to->value;
    }
    return at;
}

static const char *
read_target(struct reader *reader, const char *at, const char *word)
{
    reader->has_target |= strcmp(word, "target") == 0;
    reader->has_version |= strcmp(word, "version") == 0;
    if (strcmp(word, "address_size") == 0 && strtoul(at, NULL, 10) != 64) {
        ptx_fail(reader->ptx, "only addresses of 64 bits are supported");
        return NULL;
    }
    return at + strcspn(at, "\n");
}

/* Reads one directive of the module, whose name is `word`. */
static const char *
read_directive(struct reader *reader, const char *at, const char *word,
               const char *linking)
{
    enum ptx_space space;
    if (strcmp(word, "entry") == 0 || strcmp(word, "func") == 0) {
        return read_function(reader, at, word[0] == 'e', linking);
    }
    if (ptx_space_named(word, &space)) {
        at = ptx_read_variables(reader->ptx, at, space, linking);
        return at ? at + 1 : NULL;
    }
    if (strcmp(word, "file") == 0) {
        ptx_lines_file(reader->lines, at);
        return at + strcspn(at, "\n");
    }
    if (strcmp(word, "section") == 0) {
        return skip_section(at);
    }
    if (strcmp(word, "alias") == 0) {
        return read_alias(reader, at);
    }
    if (strcmp(word, "version") == 0 || strcmp(word, "target") == 0 ||
        strcmp(word, "address_size") == 0) {
        return read_target(reader, at, word);
    }
    if (strcmp(word, "pragma") == 0 || strcmp(word, "loc") == 0) {
        return at + strcspn(at, ";\n");
    }
    ptx_fail(reader->ptx, "the directive '.%s' is not supported", word);
    return NULL;
}

/* Reads one directive, and the words .visible, .extern, .weak or .common
 * before it. Returns NULL on failure. */
static const char *
read_item(struct reader *reader, const char *at)
{
    static const char *const links[] = {"visible", "extern", "weak", "common"};
    const char *linking = "", *word;
    if (*at == '@' || *at == ';') { /* skip @@DWARF or an empty statement */
        return *at == ';' ? at + 1 : at + strcspn(at, "\n");
    }
    for (;;) {
        bool is_link = false;
        at = *at == '.' ? ptx_read_word(reader->ptx, at + 1, &word, "") : NULL;
        if (!at) {
            return NULL;
        }
        for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
            is_link |= strcmp(word, links[i]) == 0;
        }
        if (!is_link) {
            return read_directive(reader, at, word, linking);
        }
        linking = word;
        at = ptx_skip(at);
    }
}

/* Called after an error, possibly inside a function. Returns the start of the
 * next directive: a line outside braces that begins with a dot. */
static const char *
next_item(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += *at == '{';
        depth -= *at == '}' && depth > 0;
        if (*at == '\n') {
            const char *next = ptx_skip(at);
            if (*next == '.' && !depth) {
                return at;
            }
            at = next - 1; /* the loop continues after the white space */
        }
    }
    return at;
}

/* ---- the module ---- */

bool
jit_is_ptx(const char *bytes, size_t length)
{
    if (!memmem(bytes, length, ".version", 8)) {
        return false;
    }
    const char *end = memchr(bytes, 0, length);
    size_t n = end ? (size_t)(end - bytes) : length;
    char *text = jit_copy(bytes, n);
    const char *at = ptx_skip(text);
    bool is = *at == '.' && strncmp(at, ".version", 8) == 0;
    free(text);
    return is;
}

static void
read_module(struct reader *reader)
{
    const char *at = ptx_skip(reader->text);
    while (*at && reader->errors < MAX_ERRORS) {
        const char *next = read_item(reader, at);
        if (!next) {
            report(reader, at);
            next = next_item(at);
        }
        at = ptx_skip(next);
    }
    if (!reader->errors && !reader->has_target) {
        ptx_fail(reader->ptx, "the module has no .target");
        report(reader, reader->text);
    }
}

LLVMModuleRef
jit_read_ptx(struct jit *jit, const char *bytes, size_t length)
{
    struct reader *reader = jit_allocate(sizeof *reader);
    LLVMModuleRef outer = jit->module;
    const char *end = memchr(bytes, 0, length);
    reader->jit = jit;
    reader->text = jit_copy(bytes, end ? (size_t)(end - bytes) : length);
    reader->mark = reader->text;
    reader->line = 1;
    reader->module = LLVMModuleCreateWithNameInContext("ptx", jit->context);
    LLVMSetTarget(reader->module, triple);
    LLVMSetDataLayout(reader->module, layout);
    reader->ptx = jit_allocate(sizeof *reader->ptx);
    reader->ptx->jit = jit;
    reader->ptx->entry = LLVMCreateBuilderInContext(jit->context);
    reader->lines = ptx_lines_open(jit, reader->module);
    jit->module = reader->module;
    read_module(reader);
    ptx_lines_close(reader->lines);
    if (!reader->errors) {
        char *why = NULL;
        if (LLVMVerifyModule(reader->module, LLVMReturnStatusAction, &why)) {
            jit_die("the code made from PTX is not valid: %s", why);
        }
        ptx_recover_pointers(jit, reader->module);
    }
    jit->module = outer;
    return reader->errors ? NULL : reader->module;
}
