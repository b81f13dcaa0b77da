/* fiber.c - switching stacks: the only assembly of the CPU device.
 *
 * Called by block.c (a fiber a CUDA thread) and fault.c (leaving a kernel
 * that failed).  Only what a C call must preserve is saved: callee-saved
 * registers and the floating-point control word.  Nothing is owned here.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

#if defined(__x86_64__)
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

/* What cpu_fiber_switch leaves on a stack, lowest address first. */
struct fiber_frame {
    uint64_t mxcsr;
    uint64_t r15, r14, r13, r12, rbx, rbp;
    void (*entry)(void);
    uint64_t end_of_calls; /* where a return address would be */
};

#define FIBER_CONTROL 0x1f80 /* round to nearest, no traps */

void *
cpu_fiber_prepare(char *top, void (*entry)(void))
{
    uintptr_t end = ((uintptr_t)top & ~(uintptr_t)15) - 8;
    struct fiber_frame *frame =
        (void *)(end - offsetof(struct fiber_frame, end_of_calls));

    *frame = (struct fiber_frame){.mxcsr = FIBER_CONTROL, .entry = entry};
    return frame;
}

#elif defined(__aarch64__)
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

    *frame = (struct fiber_frame){.x30 = entry};
    return frame;
}
#else
#error "the CPU device knows x86-64 and aarch64"
#endif
