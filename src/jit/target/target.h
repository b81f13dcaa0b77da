/* target.h - table of processors that kernels are compiled for.
 *
 * Each family of processors, such as x86-64, has one file with a table: a row
 * for each level of instruction set extensions, from the highest to the
 * lowest. meson.build determines the families that are compiled in
 * (-Djit_targets), with that of the host first. The runtime selects a row by
 * name (src/cpu/arch). Rows are constant.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_TARGET_H
#define PYCUDA_JIT_TARGET_H

#include <stdbool.h>

struct jit_target {
    /* name of the target as in --target and images; NULL: end of a table */
    const char *name;
    const char *triple;
    const char *cpu; /* LLVM's name of the processor */
    /* LLVM features for kernels, in addition to those of `cpu` */
    const char *features;
    const char *vector_bits; /* vector width in bits that LLVM prefers */
    /* LLVM intrinsic that compresses a vector, or NULL */
    const char *compress;
    /* true: masked vector operations are as fast as unmasked ones */
    bool masks;
    /* returns whether the processor of this machine can run code for the
     * target */
    bool (*suits)(void);
    void (*open)(void); /* registers LLVM's code generator for the family */
};

/* Returns the processor with that name from the tables of all processor
 * families, or NULL. */
const struct jit_target *jit_target_find(const char *name);
/* Returns the best target for this machine: the first one in the table of the
 * machine's processor family whose code the machine can run. */
const struct jit_target *jit_target_host(void);
/* Returns the names of all processors in the tables of all processor families,
 * separated by `between`. */
const char *jit_target_names(const char *between);

#endif
