/* fiber.c - switches stacks on x86-64, in assembly.
 *
 * Called by block.c (one fiber per CUDA thread) and fault.c (leaving a failed
 * kernel). Saves only callee-saved state: general registers and MXCSR, the
 * control register of SSE. Owns nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/arch/arch.h"

__asm__(".text\n"
        ".hidden cpu_fiber_switch\n.globl cpu_fiber_switch\n"
        ".type cpu_fiber_switch,@function\n"
        ".p2align 4\n"
        "cpu_fiber_switch:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n"
        "    push %r13\n    push %r14\n    push %r15\n"
        "    sub $8, %rsp\n    stmxcsr (%rsp)\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "cpu_fiber_restore:\n"
        "    ldmxcsr (%rsp)\n    add $8, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n"
        "    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size cpu_fiber_switch,.-cpu_fiber_switch\n"
        ".hidden cpu_fiber_guard\n.globl cpu_fiber_guard\n"
        ".type cpu_fiber_guard,@function\n"
        ".p2align 4\n"
        "cpu_fiber_guard:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n"
        "    push %r13\n    push %r14\n    push %r15\n"
        "    sub $8, %rsp\n    stmxcsr (%rsp)\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsp, %rbx\n"
        "    test %rcx, %rcx\n    cmovne %rcx, %rsp\n"
        "    mov %rdx, %rdi\n"
        "    call *%rsi\n"
        "    mov %rbx, %rsp\n"
        "    xor %eax, %eax\n"
        "    jmp cpu_fiber_restore\n"
        ".size cpu_fiber_guard,.-cpu_fiber_guard\n"
        ".hidden cpu_fiber_unwind\n.globl cpu_fiber_unwind\n"
        ".type cpu_fiber_unwind,@function\n"
        ".p2align 4\n"
        "cpu_fiber_unwind:\n"
        "    cld\n"
        "    mov %rdi, %rsp\n"
        "    mov %esi, %eax\n"
        "    jmp cpu_fiber_restore\n"
        ".size cpu_fiber_unwind,.-cpu_fiber_unwind\n");

/* Registers that cpu_fiber_switch saves on a stack, lowest address first. */
struct fiber_frame {
    uint64_t mxcsr;
    uint64_t r15, r14, r13, r12, rbx, rbp;
    void (*entry)(void);
    /* 0 in place of a return address: ends the call chain. */
    uint64_t end_of_calls;
};

#define FIBER_CONTROL 0x1f80 /* MXCSR: round to nearest, no traps */

void *
cpu_fiber_prepare(char *top, void (*entry)(void))
{
    uintptr_t end = ((uintptr_t)top & ~(uintptr_t)15) - 8;
    struct fiber_frame *frame =
        (void *)(end - offsetof(struct fiber_frame, end_of_calls));

    *frame = (struct fiber_frame){.mxcsr = FIBER_CONTROL, .entry = entry};
    return frame;
}
