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

#define NAME_VARIABLE "__pycuda_name_"

/* Returns the operator to put before the expression to get an address: "&" for
 * a kernel (kernel<int>), "" for an expression that is an address (&table). */
static const char *
address_of(const char *expression)
{
    expression += strspn(expression, " \t\n");
    return *expression == '&' ? "" : "&";
}

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
                         "%zu() { (void)(%s%s); }\n",
                         i + 1, i, address_of(text), text);
    }
    nvrtc_text_print(source, "}\n");
}

void
nvrtc_names_ask(const struct _nvrtcProgram *program, struct nvrtc_text *source)
{
    nvrtc_text_print(source, "\nextern \"C++\" {\n");
    for (size_t i = 0; i < program->expression_count; i++) {
        const char *text = program->expressions[i].text;
        nvrtc_text_print(source,
                         "#line 1 \"name expression %zu\"\n"
                         "extern __device__ const void *const " NAME_VARIABLE
                         "%zu = (const void *)(%s%s);\n",
                         i + 1, i, address_of(text), text);
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

    if (at == NULL) {
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

/* Searches the textual IR for the variable that nvrtc_names_ask has added for
 * expression `index`. Returns the symbol in its initializer, or NULL. */
static char *
lowered_find(const char *ir, size_t index)
{
    char key[64];

    snprintf(key, sizeof key, NAME_VARIABLE "%zu", index);
    for (const char *at = strstr(ir, key); at; at = strstr(at + 1, key)) {
        const char *rest = at + strlen(key);
        /* If a digit follows, the variable has a longer index: "1" is also the
         * start of "12". Other characters may follow, since the name is
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

bool
nvrtc_names_read(struct _nvrtcProgram *program, const char *ir,
                 struct nvrtc_text *log)
{
    for (size_t i = 0; i < program->expression_count; i++) {
        struct nvrtc_expression *expression = &program->expressions[i];
        free(expression->lowered);
        expression->lowered = lowered_find(ir, i);
        if (expression->lowered == NULL) {
            nvrtc_text_print(log,
                             "nvrtc: error: name expression \"%s\" names no "
                             "kernel and no variable\n",
                             expression->text);
            return false;
        }
    }
    return true;
}
