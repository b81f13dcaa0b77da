/* fiber.c - switches stacks on aarch64, in assembly.
 *
 * Called by block.c (one fiber per CUDA thread) and fault.c (leaving a failed
 * kernel). Saves only callee-saved state: x19 to x30, the low halves of v8 to
 * v15 and the floating-point control register. Owns nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/arch/arch.h"

__asm__(".text\n"
        ".hidden cpu_fiber_switch\n.globl cpu_fiber_switch\n"
        ".type cpu_fiber_switch,%function\n"
        ".p2align 4\n"
        "cpu_fiber_switch:\n"
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mrs x9, fpcr\n    str x9, [sp, #160]\n"
        "    mov x9, sp\n    str x9, [x0]\n"
        "    mov sp, x1\n"
        "cpu_fiber_restore:\n"
        "    ldr x9, [sp, #160]\n    msr fpcr, x9\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #176\n"
        "    ret\n"
        ".size cpu_fiber_switch,.-cpu_fiber_switch\n"
        ".hidden cpu_fiber_guard\n.globl cpu_fiber_guard\n"
        ".type cpu_fiber_guard,%function\n"
        ".p2align 4\n"
        "cpu_fiber_guard:\n"
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mrs x9, fpcr\n    str x9, [sp, #160]\n"
        "    mov x19, sp\n    str x19, [x0]\n"
        "    cbz x3, 1f\n    mov sp, x3\n"
        "1:  mov x0, x2\n"
        "    blr x1\n"
        "    mov sp, x19\n"
        "    mov w0, #0\n"
        "    b cpu_fiber_restore\n"
        ".size cpu_fiber_guard,.-cpu_fiber_guard\n"
        ".hidden cpu_fiber_unwind\n.globl cpu_fiber_unwind\n"
        ".type cpu_fiber_unwind,%function\n"
        ".p2align 4\n"
        "cpu_fiber_unwind:\n"
        "    mov sp, x0\n"
        "    mov w0, w1\n"
        "    b cpu_fiber_restore\n"
        ".size cpu_fiber_unwind,.-cpu_fiber_unwind\n");

/* Registers that cpu_fiber_switch saves on a stack, lowest address first. */
struct fiber_frame {
    uint64_t x19_to_x28[10];
    uint64_t x29;
    void (*x30)(void);
    uint64_t d8_to_d15[8];
    uint64_t fpcr;
    uint64_t unused;
};

void *
cpu_fiber_prepare(char *top, void (*entry)(void))
{
    uintptr_t end = (uintptr_t)top & ~(uintptr_t)15;
    struct fiber_frame *frame = (void *)(end - sizeof *frame);

    /* The field fpcr (floating-point control) stays 0: round to nearest, no
     * traps. */
    *frame = (struct fiber_frame){.x30 = entry};
    return frame;
}
