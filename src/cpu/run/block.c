/* block.c - runs blocks, either as a loop inside the kernel or with one fiber
 * per thread.
 *
 * Called by workers.c and launch.c with the calling thread's worker (struct
 * cpu_worker), which owns all state. Fibers run round-robin in the order of
 * their linear index; a fiber is suspended only inside a function of
 * image/abi.h. If no fiber can continue, the launch fails: it never hangs.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "cpu/arch/arch.h"
#include "cpu/check/hooks.h"
#include "cpu/device/clock.h"
#include "cpu/device/context.h"
#include "cpu/device/limits.h"
#include "cpu/exports/system_errors.h"
#include "cpu/module/module_state.h"
#include "cpu/run/block.h"
#include "cpu/run/cooperative.h"
#include "cpu/run/fiber.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/named_barrier.h"
#include "cpu/run/runtime.h"
#include "cpu/run/shared_memory.h"
#include "cpu/run/stack_memory.h"
#include "cpu/run/warp.h"
#include "cpu/run/watchdog.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"
#include "image/image.h"

/* Bytes of a fiber's stack beyond the frame size that LLVM reports for the
 * kernel. */
#define STACK_EXTRA (16u << 10)
/* Minimum size in bytes of the stack of a thread of a recursive kernel. */
#define STACK_RECURSIVE (256u << 10)
/* Minimum size in bytes of a worker's extra stack, on which kernels with large
 * frames run. */
#define EXTRA_STACK_MIN (1u << 20)
/* Offset between the stacks of successive fibers, in bytes, so that they use
 * different sets of the processor's cache. */
#define STACK_COLOUR 320
/* Kernels with stack frames of more than this number of bytes run on the
 * worker's extra stack. Such a frame may have an array, and an index out of
 * bounds must not reach the frames of the runtime on the thread's own
 * stack. */
#define INLINE_FRAME 72
#define PAGE_BYTES   CPU_ARCH_PAGE
/* Size in bytes of a guard region: inaccessible memory at the end of a stack.
 * No stack frame is larger, so an overflow hits the guard. */
#define GUARD_BYTES         (64u << 10)
#define YIELDS_BEFORE_SLEEP 4096
/* Maximum number of blocks along x of a launch that runs warp by warp. */
#define MAX_BLOCKS (1u << 21)

struct block_range {
    struct cpu_worker *worker;
    struct cpu_launch *launch;
    uint64_t first, count;
};

static size_t
round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static uint32_t
kernel_flags(const struct cpu_launch *launch)
{
    return launch->function->kernel->flags;
}

/* Returns true if the kernel runs warp by warp. The compiled code
 * (src/jit/warps/warps.h) has two requirements: each warp is complete and
 * consists of threads that are neighbours along x, and the grid has at most
 * MAX_BLOCKS blocks along x. */
static bool
runs_by_warps(const struct cpu_launch *launch)
{
    return kernel_flags(launch) & IMAGE_KERNEL_WARPS &&
           launch->block[0] % CPU_WARP == 0 && launch->grid[0] <= MAX_BLOCKS;
}

static bool
runs_on_fibers(const struct cpu_launch *launch)
{
    return kernel_flags(launch) & IMAGE_KERNEL_FIBERS &&
           !runs_by_warps(launch);
}

/* Returns the size in bytes of the stack for one fiber. If the kernel loops
 * over the threads of a block, returns the size of the stack for the whole
 * block. */
static uint32_t
frame_bytes(const struct cpu_worker *worker, const struct cpu_launch *launch)
{
    return runs_by_warps(launch) ? worker->version->warp_frame_bytes
                                 : worker->version->frame_bytes;
}

/* ---- stacks ---- */

/* Maps the worker's extra stack, for a kernel that recurses or has large
 * frames, with a guard at its low end. Does nothing if the worker already has
 * one that is large enough. */
static CUresult
extra_stack_reserve(struct cpu_worker *worker, const struct cpu_launch *launch)
{
    const struct cpu_function *function = launch->function;
    size_t limit = function->module->ctx->limits[CU_LIMIT_STACK_SIZE];
    size_t bytes =
        round_up((size_t)frame_bytes(worker, launch) + STACK_EXTRA + limit,
                 CPU_STACK_UNIT);

    bytes = (bytes < EXTRA_STACK_MIN ? EXTRA_STACK_MIN : bytes) + GUARD_BYTES;
    if (bytes <= worker->deep_bytes) {
        return CUDA_SUCCESS;
    }
    size_t guard;
    char *deep = cpu_stack_map(bytes, &guard);
    if (!deep || mprotect(deep, GUARD_BYTES, PROT_NONE)) {
        int error = errno;
        cpu_stack_unmap(deep, bytes, guard);
        return cpu_memory_error_set(error, bytes, "the stack of a kernel");
    }
    cpu_stack_unmap(worker->deep, worker->deep_bytes, worker->deep_guard);
    worker->deep = deep;
    worker->deep_bytes = bytes;
    worker->deep_guard = guard;
    return CUDA_SUCCESS;
}

static void
stacks_drop(struct cpu_worker *worker)
{
    cpu_stack_unmap(worker->stacks, worker->stacks_bytes,
                    worker->stacks_guard);
    worker->stacks = NULL;
    worker->stacks_bytes = worker->stride = worker->guard_bytes = 0;
}

void
cpu_block_close(struct cpu_worker *worker)
{
    stacks_drop(worker);
    cpu_stack_unmap(worker->deep, worker->deep_bytes, worker->deep_guard);
    worker->deep = NULL;
    cpu_shared_drop(worker);
}

static CUresult
stacks_guard(struct cpu_worker *worker, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        if (mprotect(worker->stacks + i * worker->stride, GUARD_BYTES,
                     PROT_NONE)) {
            int error = errno;
            stacks_drop(worker);
            return cpu_memory_error_set(error, GUARD_BYTES,
                                        "a guard below a thread's stack");
        }
    }
    worker->guard_bytes = GUARD_BYTES;
    return CUDA_SUCCESS;
}

/* Allocates stacks for all threads of a block. Stacks of recursive kernels
 * have guard pages below them. Such stacks are unmapped after each chunk of
 * blocks, because Linux permits about 65,000 mappings per process. */
static CUresult
stacks_reserve(struct cpu_worker *worker, const struct cpu_launch *launch)
{
    const struct cpu_function *function = launch->function;
    bool recursive = kernel_flags(launch) & IMAGE_KERNEL_RECURSIVE;
    size_t stack = worker->version->frame_bytes +
                   (size_t)(cpu_check_flags ? 2 * STACK_EXTRA : STACK_EXTRA);
    size_t stride;

    if (recursive) {
        stack += function->module->ctx->limits[CU_LIMIT_STACK_SIZE];
        stack = stack < STACK_RECURSIVE ? STACK_RECURSIVE : stack;
        stride = round_up(stack, PAGE_BYTES) + GUARD_BYTES;
    } else {
        stride = round_up(stack, PAGE_BYTES) + STACK_COLOUR;
    }
    if (worker->stride >= stride && !recursive && !worker->guard_bytes &&
        worker->stacks_bytes >= worker->stride * launch->threads) {
        return CUDA_SUCCESS;
    }
    stacks_drop(worker);
    size_t bytes = round_up(stride * launch->threads, CPU_STACK_UNIT);
    worker->stacks = cpu_stack_map(bytes, &worker->stacks_guard);
    if (!worker->stacks) {
        return cpu_memory_error_set(errno, bytes,
                                    "the stacks of a block's threads");
    }
    worker->stacks_bytes = bytes;
    worker->stride = stride;
    return recursive ? stacks_guard(worker, launch->threads) : CUDA_SUCCESS;
}

CUresult
cpu_fibers_prepare(struct cpu_worker *worker, struct cpu_launch *launch)
{
    if (!worker->fibers) {
        worker->fibers = calloc(CPU_MAX_THREADS, sizeof *worker->fibers);
    }
    /* An earlier call may have allocated only one of the arrays `fibers` and
     * `warps`. */
    if (!worker->warps) {
        worker->warps =
            calloc(CPU_MAX_THREADS / CPU_WARP, sizeof *worker->warps);
    }
    if (!worker->fibers || !worker->warps) {
        return cpu_memory_error_set(ENOMEM,
                                    CPU_MAX_THREADS * sizeof *worker->fibers,
                                    "the state of a block's threads");
    }
    worker->threads = launch->threads;
    return stacks_reserve(worker, launch);
}

/* ---- fibers ---- */

/* Returns the index of the first ready fiber after `from`, continuing at 0
 * after the end of the block; -1 if no fiber is ready. */
static int
ready_next(const struct cpu_worker *worker, unsigned from)
{
    unsigned words = (worker->threads + 63) / 64;
    unsigned start = from / 64, bit = from % 64;
    uint64_t word =
        bit == 63 ? 0 : worker->ready[start] & (~0ull << (bit + 1));

    for (unsigned i = 0; i <= words; i++) {
        unsigned at = (start + i) % words;

        if (i) {
            word = worker->ready[at];
        }
        if (word) {
            return (int)(at * 64 + (unsigned)__builtin_ctzll(word));
        }
    }
    return -1;
}

/* Ends the launch on the calling thread with error `code`. Does not return. */
CPU_ON_FIBER void
cpu_fibers_fail(CUresult code)
{
    struct cpu_worker *worker = cpu_worker_tls;

    worker->in_kernel = 0;
    cpu_fiber_unwind(worker->guard, (int)code);
}

/* Calls `function` on the worker's main stack, which is larger than that of a
 * fiber. */
CPU_ON_FIBER void
cpu_fibers_call_large_stack(struct cpu_worker *worker,
                            void (*function)(void *), void *argument)
{
    void *unused;

    if (worker->self == &worker->loop_thread) {
        function(argument);
    } else {
        /* Call the function on the stack of the calling thread, below the
         * frames that wait for the end of the block. */
        cpu_fiber_guard(&unused, function, argument, worker->main_sp);
    }
}

/* Suspends the current fiber and resumes the next ready one. If no fiber is
 * ready, the block is in a deadlock and the launch fails. */
CPU_ON_FIBER void
cpu_fibers_next(struct cpu_worker *worker)
{
    unsigned from = worker->current;
    int to = ready_next(worker, from);

    if (to < 0) {
        if (cpu_check_flags) {
            cpu_check_deadlock(worker);
        }
        /* All fibers wait for each other. */
        cpu_fibers_fail(CUDA_ERROR_LAUNCH_FAILED);
    }
    if ((unsigned)to == from) {
        return;
    }
    worker->current = (unsigned)to;
    worker->self = &worker->fibers[to].thread;
    cpu_fiber_switch(&worker->fibers[from].sp, worker->fibers[to].sp);
}

/* Ends the current fiber and switches to another one; does not return. */
CPU_ON_FIBER static void
fiber_exit(struct cpu_worker *worker)
{
    unsigned linear = worker->current;
    void *unused;

    worker->ready[linear / 64] &= ~(1ull << (linear % 64));
    worker->warps[linear / CPU_WARP].live &= ~(1u << (linear % CPU_WARP));
    worker->live--;
    if (cpu_check_flags) {
        cpu_check_exit(worker);
    }
    if (!worker->live) {
        cpu_fiber_switch(&unused, worker->main_sp);
    }
    cpu_warp_resolve(worker, linear / CPU_WARP);
    cpu_fibers_barrier_check(worker);
    cpu_fibers_next(worker);
}

CPU_ON_FIBER static void
fiber_main(void)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_launch *launch = worker->launch;
    image_thread_entry *entry = (image_thread_entry *)worker->version->entry;

    entry(launch->params, worker->self);
    fiber_exit(worker);
}

static void
fibers_reset(struct cpu_worker *worker, const struct cpu_launch *launch)
{
    unsigned threads = worker->threads, linear = 0;

    memset(worker->ready, 0, sizeof worker->ready);
    memset(worker->warps, 0,
           (threads + CPU_WARP - 1) / CPU_WARP * sizeof *worker->warps);
    worker->live = threads;
    worker->arrived = 0;
    cpu_named_barriers_reset(worker);
    worker->barrier_count = 0;
    for (uint32_t z = 0; z < launch->block[2]; z++) {
        for (uint32_t y = 0; y < launch->block[1]; y++) {
            for (uint32_t x = 0; x < launch->block[0]; x++, linear++) {
                struct cpu_fiber *fiber = &worker->fibers[linear];
                char *top = worker->stacks + (linear + 1) * worker->stride;

                fiber->thread = (struct image_thread){.tid = {x, y, z},
                                                      .linear = linear,
                                                      .block = &worker->block,
                                                      .runtime = worker};
                fiber->sp = cpu_fiber_prepare(top, fiber_main);
                cpu_fiber_ready(worker, linear);
                worker->warps[linear / CPU_WARP].live |=
                    1u << (linear % CPU_WARP);
            }
        }
    }
}

void
cpu_fibers_begin(struct cpu_worker *worker, uint64_t index)
{
    struct image_block *block = &worker->block;

    block->ctaid[0] = (uint32_t)(index % block->nctaid[0]);
    index /= block->nctaid[0];
    block->ctaid[1] = (uint32_t)(index % block->nctaid[1]);
    block->ctaid[2] = (uint32_t)(index / block->nctaid[1]);
    fibers_reset(worker, worker->launch);
    worker->current = 0;
    worker->self = &worker->fibers[0].thread;
    if (cpu_check_flags) {
        cpu_check_block_begin(worker);
    }
}

/* Resumes the worker's current fiber. Returns when the block has ended, or
 * when a cooperative block yields. */
void
cpu_fibers_resume(struct cpu_worker *worker)
{
    cpu_fiber_switch(&worker->main_sp, worker->fibers[worker->current].sp);
}

/* ---- block barrier and yielding ---- */

/* Makes all waiting fibers ready if all live threads have arrived at the
 * block's barrier. */
void
cpu_fibers_barrier_check(struct cpu_worker *worker)
{
    if (!worker->arrived || worker->arrived != worker->live) {
        return;
    }
    if (cpu_check_flags) {
        cpu_check_barrier(worker);
    }
    bool all = worker->barrier_count == (int)worker->live;
    worker->barrier_results[worker->barrier_phase & 1] =
        worker->barrier_count | (all ? 1 << 16 : 0);
    worker->barrier_phase++;
    worker->arrived = 0;
    worker->barrier_count = 0;
    for (unsigned i = 0; i < (worker->threads + 31) / 32; i++) {
        worker->ready[i / 2] |= (uint64_t)worker->warps[i].stopped
                                << (i % 2 * 32);
        worker->warps[i].stopped = 0;
    }
}

CPU_ON_FIBER int32_t
__pycuda_barrier(int32_t kind, int32_t predicate)
{
    struct cpu_worker *worker = cpu_worker_tls;
    unsigned linear = worker->current, phase = worker->barrier_phase;

    worker->barrier_count += predicate != 0;
    worker->arrived++;
    worker->warps[linear / CPU_WARP].stopped |= 1u << (linear % CPU_WARP);
    worker->ready[linear / 64] &= ~(1ull << (linear % 64));
    cpu_fibers_barrier_check(worker);
    if (worker->barrier_phase == phase) {
        cpu_warp_stop(worker, linear / CPU_WARP);
        cpu_fibers_next(worker);
    }
    int result = worker->barrier_results[phase & 1];
    switch (kind) {
    case IMAGE_BARRIER_COUNT:
        return result & 0xffff;
    case IMAGE_BARRIER_AND:
        return result >> 16;
    case IMAGE_BARRIER_OR:
        return (result & 0xffff) != 0;
    default:
        return 0;
    }
}

CPU_ON_FIBER void
cpu_fibers_leave_abandoned(struct cpu_worker *worker)
{
    int error =
        atomic_load_explicit(&worker->launch->error, memory_order_relaxed);

    if (!error && cpu_runner_abandoned(&error)) {
        atomic_store(&worker->launch->error, error);
    }
    if (error) {
        cpu_fibers_fail((CUresult)error);
    }
}

CPU_ON_FIBER void
__pycuda_yield(void)
{
    struct cpu_worker *worker = cpu_worker_tls;
    unsigned from = worker->current;

    cpu_warp_answer_spin(worker, from / CPU_WARP);
    if (worker->cooperative && ready_next(worker, from) <= (int)from) {
        cpu_cooperative_next(worker); /* all fibers of the block have yielded,
                                         so another block runs */
    }
    cpu_fibers_next(worker);
    if (++worker->yields % YIELDS_BEFORE_SLEEP == 0) {
        cpu_fibers_leave_abandoned(worker);
        /* The fiber may be waiting for a block that another thread of the
         * process runs, or for the host program. */
        sched_yield();
    }
}

CPU_ON_FIBER void
__pycuda_nanosleep(uint32_t nanoseconds)
{
    uint64_t until = cpu_now_ns() + nanoseconds;

    do {
        __pycuda_yield();
    } while (cpu_now_ns() < until);
}

CPU_ON_FIBER void
__pycuda_exit(void)
{
    fiber_exit(cpu_worker_tls);
}

/* ---- blocks ---- */

/* For builds with AddressSanitizer, after a kernel was unwound: clears the
 * shadow marks that its frames have left on the stacks. Otherwise ASan would
 * report valid accesses to later frames. */
#ifdef __SANITIZE_ADDRESS__
#define LEFT_FRAMES ((size_t)64 << 10)

static void
frames_forget(const struct cpu_worker *worker)
{
    __asan_unpoison_memory_region(worker->stacks, worker->stacks_bytes);
    __asan_unpoison_memory_region(worker->deep, worker->deep_bytes);
    __asan_unpoison_memory_region((char *)worker->guard - LEFT_FRAMES,
                                  LEFT_FRAMES);
}
#else
static void
frames_forget(const struct cpu_worker *worker)
{
    (void)worker;
}
#endif

static void
loop_run(void *argument)
{
    struct block_range *range = argument;
    struct cpu_worker *worker = range->worker;
    const struct cpu_version *version = worker->version;
    image_loop_entry *entry =
        (image_loop_entry *)(runs_by_warps(range->launch) ? version->warp_entry
                                                          : version->entry);

    entry(range->launch->params, &worker->loop_thread, range->first,
          range->count);
}

static void
fibers_range_run(void *argument)
{
    struct block_range *range = argument;
    struct cpu_worker *worker = range->worker;

    if (range->launch->cooperative) {
        cpu_cooperative_run(worker, range->launch, range->first, range->count);
        return;
    }
    for (uint64_t i = 0; i < range->count; i++) {
        cpu_fibers_begin(worker, range->first + i);
        cpu_fibers_resume(worker);
    }
}

CUresult
cpu_block_prepare(struct cpu_worker *worker, struct cpu_launch *launch,
                  void **stack)
{
    const struct image_kernel *kernel = launch->function->kernel;
    CUresult code = cpu_shared_reserve(worker, launch);

    *stack = NULL;
    if (code) {
        return code;
    }
    worker->launch = launch;
    worker->version =
        atomic_load_explicit(&launch->function->version, memory_order_acquire);
    worker->ctx = launch->function->module->ctx;
    worker->self = &worker->loop_thread;
    worker->cooperative = false;
    memcpy(worker->block.ntid, launch->block, sizeof launch->block);
    memcpy(worker->block.nctaid, launch->grid, sizeof launch->grid);
    worker->block.dynamic_shared = launch->dynamic_shared;
    worker->block.shared = worker->shared;
    worker->block.runtime = worker;
    if (cpu_check_flags) {
        cpu_check_launch_begin(launch);
        code = cpu_check_state_prepare(worker);
    }
    if (code) {
        return code;
    }
    if (runs_on_fibers(launch)) {
        return cpu_fibers_prepare(worker, launch);
    }
    if (kernel->flags & IMAGE_KERNEL_RECURSIVE ||
        frame_bytes(worker, launch) > INLINE_FRAME) {
        code = extra_stack_reserve(worker, launch);
        *stack = worker->deep + worker->deep_bytes;
    }
    return code;
}

/* Cleans up the worker after it has run a chunk of blocks. `code` is
 * CUDA_SUCCESS, or the error because of which the kernel's stack was unwound.
 * Returns the error of the chunk. If a kernel check has found an error, and
 * `code` is CUDA_SUCCESS or ILLEGAL_ADDRESS, this is the check's error,
 * otherwise `code`. */
static CUresult
block_leave(struct cpu_worker *worker, CUresult code)
{
    if (code) {
        frames_forget(worker);
    }
    if (worker->guard_bytes) {
        stacks_drop(worker);
    }
    if (cpu_check_flags) {
        CUresult found = cpu_check_deferred_end(worker);
        if (found) {
            frames_forget(worker);
        }
        if (found && (!code || code == CUDA_ERROR_ILLEGAL_ADDRESS)) {
            code = found;
        }
        cpu_check_block_end(worker);
    }
    return code;
}

CUresult
cpu_block_run(struct cpu_worker *worker, struct cpu_launch *launch,
              uint64_t first, uint64_t count)
{
    struct block_range range = {worker, launch, first, count};
    bool fibers = runs_on_fibers(launch);
    void *stack;
    CUresult code = cpu_block_prepare(worker, launch, &stack);

    if (code) {
        return code;
    }
    worker->in_kernel = 1;
    code = (CUresult)cpu_fiber_guard(
        &worker->guard, fibers ? fibers_range_run : loop_run, &range, stack);
    cpu_worker_tls = worker;
    worker->in_kernel = 0;
    code = block_leave(worker, code);
    if (launch->cooperative) {
        for (worker = worker->next_block; worker;
             worker = worker->next_block) {
            code = block_leave(worker, code);
        }
    }
    return code;
}
