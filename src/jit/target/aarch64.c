/* aarch64.c - table of targets for little-endian aarch64. Its only row fits
 * any ARMv8-A processor: no ARMv8.1 atomics, no half precision arithmetic,
 * vectors of 128 bits.
 *
 * SPDX-License-Identifier: MIT */
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "jit/target/target.h"

static void
open_aarch64(void)
{
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
}

const struct jit_target jit_target_aarch64[] = {
    {
        .name = "aarch64",
        .triple = "aarch64-unknown-linux-gnu",
        .cpu = "generic",
        .features = "",
        .vector_bits = "128",
        .open = open_aarch64,
    },
    {0},
};
