/* ptx.c - fuzz target: the text of inline PTX.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "jit/ptx/ptx.h"
#include "jit/report.h"

bool
ptx_fail(struct ptx *ptx, const char *format, ...)
{
    ptx->wrong = format;
    return false;
}

void
jit_die(const char *format, ...)
{
    (void)format;
    abort();
}

static void
statement_use(const struct ptx_statement *statement)
{
    struct ptx_type type;

    FUZZ_REQUIRE(statement->modifier_count <= PTX_MAX_MODIFIERS);
    FUZZ_REQUIRE(statement->operand_count <= PTX_MAX_OPERANDS);
    for (unsigned i = 0; i < statement->modifier_count; i++) {
        if (ptx_parse_type(statement->modifiers[i], &type)) {
            FUZZ_REQUIRE(type.bits == 1 || type.bits % 8 == 0);
        }
    }
    for (unsigned i = 0; i < statement->operand_count; i++) {
        FUZZ_REQUIRE(statement->operands[i].count <= PTX_MAX_ELEMENTS);
    }
    ptx_has(statement, "rn");
    ptx_only(statement, " rn rz to ");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ptx ptx;
    static char names[1 << 22];
    struct ptx_statement statement;
    char *text = fuzz_copy(data, size, true);

    /* Names of one input are in the buffer, which the next one reuses. */
    ptx.names = (struct ptx_arena){names, sizeof names, 0};
    for (const char *at = text; *at;) {
        const char *before = at;
        if (!ptx_parse(&ptx, &at, &statement)) {
            break;
        }
        FUZZ_REQUIRE(at > before && at <= text + size);
        statement_use(&statement);
    }
    free(text);
    return 0;
}
