/* stubs.c - library functions that the image loader needs.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "cpu/memory/budget.h"
#include "cpu/module/image.h"

/* Larger images are rejected, as on a machine with little memory. */
#define MAX_BYTES ((size_t)16 << 20)

bool
cpu_arena_admit(size_t bytes)
{
    return bytes <= MAX_BYTES;
}

const char *
cpu_budget_refusal(void)
{
    return "the fuzz target has little memory";
}

void *
cpu_image_symbol(const char *name)
{
    return name[0] == '_' || name[0] == 's' ? (void *)(uintptr_t)abort : NULL;
}
