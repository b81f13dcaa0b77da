/* name_expressions.c - name expressions: lowers "kernel<int>" to its symbol.
 *
 * Called by compile.c. The front end is run a second time and generates
 * textual IR with one variable per expression, initialized with the address of
 * the named object. The symbol is read from the initializer. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/name_expressions.h"
#include "cpu/nvrtc/program.h"
#include "cpu/nvrtc/text.h"
#include "cpu/nvrtc/rewrite.h"
#include "image/names.h"

#define NAME_VARIABLE "__pycuda_name_"

/* Format of the initializer for a name expression. An expression is an address
 * such as &table, or the name of a kernel, which C++ converts to its address.
 * The line break ends a // comment at the end of the expression. */
#define ADDRESS_FORMAT "(const void *)(%s\n)"

void
nvrtc_names_use(const struct _nvrtcProgram *program, struct nvrtc_text *source)
{
    if (program->expression_count == 0) {
        return;
    }
    nvrtc_text_print(source, "\nextern \"C++\" {\n");
    for (size_t i = 0; i < program->expression_count; i++) {
        const char *text = program->expressions[i].text;
        nvrtc_text_print(source,
                         "#line 1 \"name expression %zu\"\n"
                         "static __device__ inline void " NAME_VARIABLE
                         "%zu() { (void)" ADDRESS_FORMAT "; }\n",
                         i + 1, i, text);
    }
    nvrtc_text_print(source, "}\n");
}

void
nvrtc_names_request(const struct _nvrtcProgram *program,
                    struct nvrtc_text *source)
{
    nvrtc_text_print(source, "\nextern \"C++\" {\n");
    for (size_t i = 0; i < program->expression_count; i++) {
        const char *text = program->expressions[i].text;
        nvrtc_text_print(source,
                         "#line 1 \"name expression %zu\"\n"
                         "extern __device__ const void *const " NAME_VARIABLE
                         "%zu = " ADDRESS_FORMAT ";\n",
                         i + 1, i, text);
    }
    nvrtc_text_print(source, "}\n");
}

static char *
symbol_copy(const char *name, size_t n)
{
    char *copy = strndup(name, n);

    nvrtc_memory_failed |= copy == NULL;
    return copy;
}

/* Returns the symbol in an initializer such as `ptr @_Z1kIiEvv,` or `ptr
 * addrspacecast (ptr addrspace(1) @table to ptr),`, or NULL. */
static char *
symbol_read(const char *initialiser)
{
    size_t line = strcspn(initialiser, "\n");
    const char *at = memchr(initialiser, '@', line);

    /* An expression such as &table[1] has no symbol: its initializer is the
     * address of an element and not of a whole variable. */
    if (at == NULL || memmem(initialiser, line, "getelementptr", 13)) {
        return NULL;
    }
    at++;
    if (*at == '"') {
        return symbol_copy(at + 1, strcspn(at + 1, "\"\n"));
    }
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || (at[n] && strchr("_.$-", at[n]))) {
        n++;
    }
    return n ? symbol_copy(at, n) : NULL;
}

/* Searches the textual IR for the variable that nvrtc_names_request has added
 * for expression `index`. Returns the symbol in its initializer, or NULL. */
static char *
lowered_find(const char *ir, size_t index)
{
    char key[64];

    snprintf(key, sizeof key, NAME_VARIABLE "%zu", index);
    for (const char *at = strstr(ir, key); at; at = strstr(at + 1, key)) {
        const char *rest = at + strlen(key);
        /* Skip variables with a longer index: "1" is also the start of
         * "12". Characters other than digits may follow, since the name is
         * mangled. */
        if (isdigit((unsigned char)*rest)) {
            continue;
        }
        const char *equals = strstr(rest, " = ");
        if (equals && equals < rest + strcspn(rest, "\n")) {
            return symbol_read(equals);
        }
    }
    return NULL;
}

/* Returns true if the expression has a comma outside brackets. */
static bool
is_list(const char *expression)
{
    int round = 0, angle = 0;

    for (const char *at = expression; *at; at++) {
        round += strchr("([{", *at) != NULL;
        round -= strchr(")]}", *at) != NULL;
        angle += round == 0 && *at == '<';
        angle -= round == 0 && *at == '>';
        if (*at == ',' && round == 0 && angle <= 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the IR contains the text of `format` with `symbol` in place
 * of its %s. */
static bool
ir_has(const char *ir, const char *format, const char *symbol)
{
    struct nvrtc_text line = {0};

    nvrtc_text_print(&line, format, symbol);
    bool found = line.bytes && strstr(ir, line.bytes);
    nvrtc_text_free(&line);
    return found;
}

/* Returns the start of the line of the textual IR that defines the variable or
 * function `symbol`, or "". */
static const char *
definition_find(const char *ir, const char *symbol)
{
    struct nvrtc_text line = {0};
    const char *found = NULL;

    nvrtc_text_print(&line, "\n@%s = ", symbol);
    found = line.bytes ? strstr(ir, line.bytes) : NULL;
    nvrtc_text_free(&line);
    return found ? found + 1 : "";
}

/* Returns the reason why NVRTC refuses the object `symbol`, or NULL. */
static const char *
object_refuse(const char *ir, const char *symbol)
{
    const char *line = definition_find(ir, symbol);
    size_t n = strcspn(line, "\n");

    if (*line == 0) {
        return ir_has(ir, "!{ptr @%s, !\"kernel\"", symbol)
                   ? NULL
                   : "names a function that is no kernel";
    }
    if (memmem(line, n, "pycuda_managed", strlen("pycuda_managed"))) {
        return "names a managed variable, whose address is not constant";
    }
    return nvrtc_begins(symbol, ".str") ? "names no kernel and no variable"
                                        : NULL;
}

/* Changes the symbol of a static function or variable to the name that NVRTC
 * gives it. A function gets the mangled name that it has without `static`. A
 * variable outside namespaces gets its plain name: _ZL1v becomes v. */
static void
symbol_publish(char *symbol, bool is_variable)
{
    char *rest;

    if (!is_variable) {
        image_kernel_name(symbol);
    } else if (nvrtc_begins(symbol, "_ZL")) {
        size_t n = strtoul(symbol + 3, &rest, 10);
        if (n == strlen(rest)) {
            memmove(symbol, rest, n + 1);
        }
    }
}

/* Returns the symbol that name expression `index` stands for; the caller frees
 * it. If there is none, adds the reason to the log and returns NULL. */
static char *
name_read(const struct nvrtc_expression *expression, size_t index,
          const char *ir, struct nvrtc_text *log)
{
    const char *reason = "names no kernel and no variable";
    char *symbol = lowered_find(ir, index);

    if (symbol) {
        reason = is_list(expression->text) ? "has more than one operand"
                                           : object_refuse(ir, symbol);
    }
    if (reason) {
        nvrtc_text_print(log, "nvrtc: error: name expression \"%s\" %s\n",
                         expression->text, reason);
        free(symbol);
        return NULL;
    }
    symbol_publish(symbol, *definition_find(ir, symbol) != 0);
    return symbol;
}

bool
nvrtc_names_read(struct _nvrtcProgram *program, const char *ir,
                 struct nvrtc_text *log)
{
    size_t count = program->expression_count, read = 0;
    char **symbols = calloc(count + 1, sizeof *symbols);

    nvrtc_memory_failed |= symbols == NULL;
    while (symbols && read < count) {
        symbols[read] = name_read(&program->expressions[read], read, ir, log);
        if (symbols[read] == NULL) {
            break;
        }
        read++;
    }
    /* The symbols of an earlier compilation are only replaced if all symbols
     * were found. */
    bool well = symbols && read == count;
    for (size_t i = 0; i < read; i++) {
        struct nvrtc_expression *expression = &program->expressions[i];
        free(well ? expression->lowered : symbols[i]);
        expression->lowered = well ? symbols[i] : expression->lowered;
    }
    free(symbols);
    return well;
}
