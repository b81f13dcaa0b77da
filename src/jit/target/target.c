/* target.c - finds a processor in the tables of the processor families (x86,
 * Arm) that pycuda-jit was built for.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "jit/target/target.h"
#include "jit/text.h"

/* JIT_FAMILIES(ROW) expands ROW for each family; meson.build defines it. */
#define DECLARE(family) extern const struct jit_target jit_target_##family[];
JIT_FAMILIES(DECLARE)

#define ADDRESS(family) jit_target_##family,
static const struct jit_target *const families[] = {JIT_FAMILIES(ADDRESS)};

#define FAMILIES (sizeof families / sizeof *families)

const struct jit_target *
jit_target_find(const char *name)
{
    for (size_t i = 0; i < FAMILIES; i++) {
        for (const struct jit_target *at = families[i]; at->name; at++) {
            if (strcmp(at->name, name) == 0) {
                return at;
            }
        }
    }
    return NULL;
}

/* Returns the first processor in the first family's table whose code can run
 * on the processor of this machine. If there is none, returns the last one of
 * the table, whose code runs on all processors of the family. */
const struct jit_target *
jit_target_host(void)
{
    const struct jit_target *at = families[0];

    while (at[1].name && !at->suits()) {
        at++;
    }
    return at;
}

const char *
jit_target_names(const char *between)
{
    struct jit_text text = {0};

    for (size_t i = 0; i < FAMILIES; i++) {
        for (const struct jit_target *at = families[i]; at->name; at++) {
            jit_text_add(&text, "%s%s", text.length ? between : "", at->name);
        }
    }
    return text.bytes;
}
