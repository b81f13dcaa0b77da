/* target.h - the processors that kernels are compiled for, as rows.
 *
 * A family of processors is one file, with a row for each level of it and
 * LLVM's libraries for it; meson.build says which families are compiled in
 * (-Djit_targets), the host's first.  The run time names the row
 * (src/cpu/arch).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_TARGET_H
#define PYCUDA_JIT_TARGET_H

#include <stdbool.h>

struct jit_target {
    const char *name; /* in --target and images; NULL ends a family's rows */
    const char *triple;
    const char *cpu;         /* as LLVM calls it */
    const char *features;    /* of entries, besides the cpu's */
    const char *vector_bits; /* of the vectors to prefer */
    const char *compress;    /* LLVM's name of that operation, or NULL */
    bool masks;              /* vectors of which parts count cost nothing */
    bool (*suits)(void);     /* is it what to compile for, run by itself? */
    void (*open)(void);      /* registers LLVM's libraries */
};

/* NULL: no such row. */
const struct jit_target *jit_target_find(const char *name);
/* For the processor that this program runs on. */
const struct jit_target *jit_target_host(void);
/* The names of all rows, with `between` between. */
const char *jit_target_names(const char *between);

#endif
