/* x86_64.c - table of targets for x86-64: one with AVX-512, one with AVX2.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "jit/target/target.h"

/* Vectors with scattered elements are loaded and stored by one instruction for
 * each element. Gather and scatter instructions are slower (Zen 4) or no
 * faster. */
#define FEATURES "+prefer-no-gather,+prefer-no-scatter"
#define TRIPLE   "x86_64-unknown-linux-gnu"

static void
open_x86(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

static bool
suits_level_4(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("x86-64-v4");
#else
    return false;
#endif
}

const struct jit_target jit_target_x86_64[] = {
    {
        .name = "x86-64-v4",
        .triple = TRIPLE,
        .cpu = "x86-64-v4",
        .features = FEATURES,
        .vector_bits = "512",
        .compress = "llvm.x86.avx512.mask.compress",
        .masks = true,
        .suits = suits_level_4,
        .open = open_x86,
    },
    {
        .name = "x86-64-v3",
        .triple = TRIPLE,
        .cpu = "x86-64-v3",
        .features = FEATURES,
        .vector_bits = "256",
        .open = open_x86,
    },
    {0},
};
