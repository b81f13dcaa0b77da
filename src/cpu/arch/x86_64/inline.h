/* inline.h - x86-64: constants and inline functions of cpu/arch/arch.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_ARCH_INLINE_H
#define PYCUDA_CPU_ARCH_INLINE_H

#include <elf.h>
#include <stdbool.h>
#include <ucontext.h>

#include "image/symbols.h"

#define CPU_ARCH_TRIPLE        "x86_64-unknown-linux-gnu"
#define CPU_ARCH_FAULT_SIGNALS SIGSEGV, SIGBUS, SIGFPE, SIGILL
#define CPU_ARCH_PAGE          4096
#define CPU_ARCH_LIBGCC        IMAGE_LIBGCC_HALF

/* Pauses in a loop that waits, so that the other hardware thread of the core
 * can run. */
static inline void
cpu_arch_relax(void)
{
    __builtin_ia32_pause();
}

/* Returns the address at which a signal interrupted the thread. */
static inline const void *
cpu_arch_program_counter(const void *state)
{
    const ucontext_t *context = state;

    return (const void *)context->uc_mcontext.gregs[REG_RIP];
}

/* Returns whether this type of relocation fills a table of function
 * addresses. */
static inline bool
cpu_arch_is_table_entry(unsigned type)
{
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

#endif
