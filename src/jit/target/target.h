/* target.h - table of processors that kernels are compiled for.
 *
 * A family of processors is one file, with a row for each level and LLVM's
 * libraries for it. meson.build determines the families that are compiled in
 * (-Djit_targets), with the host's first. The runtime selects a row by name
 * (src/cpu/arch). Rows are constant and live for the whole process.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_TARGET_H
#define PYCUDA_JIT_TARGET_H

#include <stdbool.h>

struct jit_target {
    const char *name; /* for --target and images; NULL ends a family's rows */
    const char *triple;
    const char *cpu;         /* LLVM's name of the processor */
    const char *features;    /* of entries, in addition to the cpu's */
    const char *vector_bits; /* preferred vector width */
    const char *compress;    /* LLVM's intrinsic for compression, or NULL */
    bool masks;              /* masked vector operations cost nothing extra */
    bool (*suits)(void);     /* tests the processor of this process */
    void (*open)(void);      /* registers LLVM's libraries */
};

/* Returns the row of that name, or NULL. */
const struct jit_target *jit_target_find(const char *name);
/* Returns the row for the processor that runs this program. */
const struct jit_target *jit_target_host(void);
/* Returns the names of all rows, separated by `between`. */
const char *jit_target_names(const char *between);

#endif
