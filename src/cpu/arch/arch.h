/* arch.h - interface to processor-specific code: one folder per processor.
 *
 * Each folder has three files. inline.h: the macros and inline functions
 * listed below; fiber.c: switching stacks; image.c: checks that an image can
 * run here, and relocates its code. meson.build compiles the folder of the
 * target processor. To add a processor, add a folder, an #include below and an
 * entry in meson.build; the part for pycuda-jit is in src/jit/target.
 *
 * inline.h defines: CPU_ARCH_TRIPLE, the host's triple as clang names it;
 * CPU_ARCH_FAULT_SIGNALS, the signals that report faults; CPU_ARCH_PAGE, the
 * largest page size of Linux on the processor; CPU_ARCH_LIBGCC(ROW), functions
 * of libgcc that only some processors need; cpu_arch_relax(), for loops that
 * wait for another thread; cpu_arch_is_table_entry(type), whether a relocation
 * fills a table of function addresses; cpu_arch_program_counter(ucontext), the
 * address at which a signal interrupted the thread.
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
#error "the CPU device supports x86-64 and little-endian aarch64"
#endif

/* ---- fiber.c ---- */

/* Saves the callee-saved registers and the floating-point control register on
 * the current stack, and stores the stack pointer in *from. Then continues on
 * the stack whose saved stack pointer is `to`. */
void cpu_fiber_switch(void **from, void *to);
/* Calls function(argument) on `stack`, or on the current stack if `stack` is
 * NULL. Stores in *saved the pointer with which cpu_fiber_unwind leaves the
 * call. Returns 0 after a normal return of `function`, or the value that was
 * passed to cpu_fiber_unwind. */
int cpu_fiber_guard(void **saved, void (*function)(void *), void *argument,
                    void *stack);
/* Unwinds to the call of cpu_fiber_guard that stored `saved`; cpu_fiber_guard
 * then returns `value`. cpu_fiber_unwind and cpu_fibers_fail never return, but
 * they are not declared noreturn: ASan clears its records of the current stack
 * before each call of a noreturn function. On a fiber, ASan would clear the
 * records of another stack. */
void cpu_fiber_unwind(void *saved, int value);
/* Prepares a new stack whose highest address is `top`. Returns the pointer
 * with which cpu_fiber_switch runs `entry` on it. */
void *cpu_fiber_prepare(char *top, void (*entry)(void));

/* ---- image.c ---- */

/* Returns the name of the compilation target (image/image.h) for this machine,
 * a static string. */
const char *cpu_arch_target(void);
/* Returns whether this machine can run code for `target`. `target` is
 * zero-terminated or 32 bytes long. */
bool cpu_arch_runs(const char *target);

/* Value of e_machine in ELF objects for this processor. */
extern const unsigned cpu_arch_machine;
/* Type (sh_type) of the ELF sections that contain unwind tables; sections of
 * this type are not loaded. 0 if the processor has no such section type. */
extern const unsigned cpu_arch_unwind_type;

/* Size of a stub in bytes. A stub jumps to a function outside the image. The
 * function's address is stored in the stub, at the offset
 * cpu_arch_stub_address, aligned as the processor requires. */
enum { CPU_ARCH_STUB_BYTES = 16 };
/* Offset, in a stub, of the address to which the stub jumps. */
extern const size_t cpu_arch_stub_address;
/* Writes a stub that jumps to `address`. */
void cpu_arch_stub_write(char *stub, const void *address);

/* A relocation of loaded code. */
struct cpu_relocation {
    char *location;
    unsigned type;
    int64_t addend;
    /* Address to which a call of the symbol jumps: the address of its stub if
     * the symbol is outside the image, else of the symbol. */
    uint64_t value;
    uint64_t address; /* address of the symbol, not of its stub */
    /* Entry of the image's table of addresses, 8 bytes. A relocation through
     * this table stores `address` in the entry. */
    char *entry;
};

/* Returns how many bytes a relocation of this type changes: 0 if the type is
 * unknown or means that nothing is changed. */
size_t cpu_arch_relocation_bytes(unsigned type);
/* Applies the relocation. Returns NULL, or a static text that describes the
 * error. */
const char *cpu_arch_relocate(const struct cpu_relocation *relocation);

#endif
