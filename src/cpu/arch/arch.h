/* arch.h - what differs between processors: a folder beside this file each.
 *
 * A folder has three files.  inline.h: the macros and inline functions below
 * that name a processor's own constants; fiber.c: switching stacks; image.c:
 * which images run here, and how their code is placed.  meson.build compiles
 * the folder of the processor that the library is for.  A new processor is a
 * folder, a line below and a row in meson.build; pycuda-jit's own part is
 * src/jit/target.
 *
 * inline.h has:
 *   CPU_ARCH_TRIPLE         of the host, as clang names it
 *   CPU_ARCH_FAULT_SIGNALS  signals by which the processor's faults are told
 *   CPU_ARCH_PAGE           the largest page that a kernel of Linux may have
 *   CPU_ARCH_LIBGCC(ROW)    functions of libgcc that only some processors need
 *   cpu_arch_relax()        in loops that wait for another thread
 *   cpu_arch_is_table_entry(type)  relocations that fill tables of calls
 *   cpu_arch_program_counter(ucontext)  where a signal stopped the thread
 *
 * No locks; nothing is owned here.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_ARCH_H
#define PYCUDA_CPU_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "cpu/arch/x86_64/inline.h"
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include "cpu/arch/aarch64/inline.h"
#else
#error "the CPU device knows x86-64 and little-endian aarch64"
#endif

/* ---- fiber.c ---- */

/* Saves what a C call must preserve, and the floating-point control word, on
 * the stack, stores the stack's top in *from, and goes on where `to` was
 * stored so. */
void cpu_fiber_switch(void **from, void *to);
/* Calls function(argument), on `stack` unless NULL, and returns 0, or what
 * cpu_fiber_unwind said. */
int cpu_fiber_guard(void **saved, void (*function)(void *), void *argument,
                    void *stack);
/* Does not return; nor does cpu_fibers_fail.  They are not declared so, since
 * ASan cleans the wrong stack before such calls. */
void cpu_fiber_unwind(void *saved, int value);
/* What to switch to so that `entry` runs on the stack that ends at `top`. */
void *cpu_fiber_prepare(char *top, void (*entry)(void));

/* ---- image.c ---- */

/* The target (image/image.h) to compile for here. */
const char *cpu_arch_target(void);
/* Can code for this target, zero-terminated or 32 bytes long, run here? */
bool cpu_arch_runs(const char *target);

extern const unsigned cpu_arch_machine;     /* e_machine of its objects */
extern const unsigned cpu_arch_unwind_type; /* of sections left out, or 0 */

/* A stub jumps to the address that it holds CPU_ARCH_STUB_ADDRESS bytes after
 * its start, aligned as a load of it needs. */
enum { CPU_ARCH_STUB_BYTES = 16 };
extern const size_t cpu_arch_stub_address;
void cpu_arch_stub_write(char *stub, const void *address);

/* One place to relocate. */
struct cpu_relocation {
    char *place;
    unsigned type;
    int64_t addend;
    uint64_t value;   /* where code finds the symbol: its stub if external */
    uint64_t address; /* the symbol itself */
    char *entry;      /* 8 bytes that may be made to hold `address` */
};

/* How many bytes such a relocation changes; 0: unknown, or none to change. */
size_t cpu_arch_relocation_bytes(unsigned type);
/* NULL, or what is wrong with it. */
const char *cpu_arch_relocate(const struct cpu_relocation *relocation);

#endif
