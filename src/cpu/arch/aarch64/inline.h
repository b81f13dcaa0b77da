/* inline.h - aarch64: constants and inline functions of cpu/arch/arch.h.
 *
 * Integer divisions do not trap. A trap instruction (`brk`) raises SIGTRAP.
 * The processor has instructions for conversions of half precision, so kernels
 * need no functions of libgcc for them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_ARCH_INLINE_H
#define PYCUDA_CPU_ARCH_INLINE_H

#include <elf.h>
#include <stdbool.h>
#include <ucontext.h>

#define CPU_ARCH_TRIPLE        "aarch64-unknown-linux-gnu"
#define CPU_ARCH_FAULT_SIGNALS SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP
#define CPU_ARCH_PAGE          65536
#define CPU_ARCH_LIBGCC(ROW)

/* Pauses briefly in a loop that waits. Uses `isb`, because `yield` does
 * nothing on most aarch64 processors. */
static inline void
cpu_arch_relax(void)
{
    __asm__ volatile("isb" ::: "memory");
}

/* Returns the address at which a signal interrupted the thread. */
static inline const void *
cpu_arch_program_counter(const void *state)
{
    const ucontext_t *context = state;

    return (const void *)context->uc_mcontext.pc;
}

/* Returns whether this type of relocation fills a table of function
 * addresses. */
static inline bool
cpu_arch_is_table_entry(unsigned type)
{
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
}

#endif
