/* harness.c - see harness.h.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "harness.h"

enum { STACK = 256 << 10, MOST = 1024 };

struct fiber {
    ucontext_t context;
    struct image_thread thread;
    enum { RUNNING, AT_BARRIER, DONE } state;
    char *stack;
};

static struct fiber fibers[MOST];
static struct fiber *current;
static struct image_thread *scratch;
static ucontext_t scheduler;
static image_thread_entry *running_entry;
static const void *running_params;

double
harness_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct cpu_image *
harness_load(const char *path)
{
    static char error[200];
    struct cpu_image *image = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    char *bytes = malloc(size);
    rewind(file);
    if (!bytes || fread(bytes, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    CUresult result = cpu_image_load(bytes, size, &image, error, sizeof error);
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "%s: %s\n", path, error);
        exit(1);
    }
    return image;
}

struct cpu_image_kernel
harness_kernel(struct cpu_image *image, const char *name)
{
    struct cpu_image_kernel kernel;
    if (!cpu_image_find_kernel(image, name, &kernel)) {
        fprintf(stderr, "no kernel %s\n", name);
        exit(1);
    }
    return kernel;
}

static void
fiber_main(void)
{
    running_entry(running_params, &current->thread);
    current->state = DONE;
    swapcontext(&current->context, &scheduler);
}

static void
start_fiber(struct fiber *fiber, struct image_block *block, unsigned linear)
{
    if (!fiber->stack) {
        fiber->stack = malloc(STACK);
    }
    fiber->thread.tid[0] = linear % block->ntid[0];
    fiber->thread.tid[1] = linear / block->ntid[0] % block->ntid[1];
    fiber->thread.tid[2] = linear / block->ntid[0] / block->ntid[1];
    fiber->thread.linear = linear;
    fiber->thread.block = block;
    fiber->state = RUNNING;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK;
    makecontext(&fiber->context, fiber_main, 0);
}

/* Runs every fiber to its next suspension point until all are done. */
static void
run_fibers(unsigned count)
{
    unsigned done = 0;
    while (done < count) {
        unsigned waiting = 0;
        done = 0;
        for (unsigned i = 0; i < count; i++) {
            if (fibers[i].state == RUNNING) {
                current = &fibers[i];
                swapcontext(&scheduler, &current->context);
            }
            waiting += fibers[i].state == AT_BARRIER;
            done += fibers[i].state == DONE;
        }
        for (unsigned i = 0; waiting + done == count && i < count; i++) {
            if (fibers[i].state == AT_BARRIER) {
                fibers[i].state = RUNNING;
            }
        }
    }
}

static void
run_block(struct image_block *block)
{
    unsigned count = block->ntid[0] * block->ntid[1] * block->ntid[2];
    for (unsigned i = 0; i < count; i++) {
        start_fiber(&fibers[i], block, i);
    }
    run_fibers(count);
}

void
harness_run(struct cpu_image *image, const char *name, struct shape grid,
            struct shape shape, unsigned dynamic_shared, const void *params)
{
    static char shared[200 << 10] __attribute__((aligned(128)));
    struct cpu_image_kernel kernel = harness_kernel(image, name);
    struct image_block block = {
        .ntid = {shape.x, shape.y, shape.z},
        .nctaid = {grid.x, grid.y, grid.z},
        .dynamic_shared = dynamic_shared,
        .shared = shared,
    };
    struct image_thread thread = {.block = &block};
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    if (!(kernel.row->flags & IMAGE_KERNEL_FIBERS)) {
        image_loop_entry *entry = (image_loop_entry *)(uintptr_t)kernel.entry;
        scratch = &thread;
        entry(params, &thread, 0, blocks);
        scratch = NULL;
        return;
    }
    running_entry = (image_thread_entry *)(uintptr_t)kernel.entry;
    running_params = params;
    for (uint64_t b = 0; b < blocks; b++) {
        block.ctaid[0] = (uint32_t)(b % grid.x);
        block.ctaid[1] = (uint32_t)(b / grid.x % grid.y);
        block.ctaid[2] = (uint32_t)(b / grid.x / grid.y);
        run_block(&block);
    }
}

/* Runtime functions declared in image/abi.h. */

struct image_thread *
__pycuda_self(void)
{
    return scratch ? scratch : &current->thread;
}

int32_t
__pycuda_barrier(int32_t kind, int32_t predicate)
{
    (void)kind;
    (void)predicate;
    current->state = AT_BARRIER;
    swapcontext(&current->context, &scheduler);
    return 0;
}

void
__pycuda_yield(void)
{
    swapcontext(&current->context, &scheduler);
}

void *
__pycuda_malloc(size_t bytes)
{
    return malloc(bytes);
}

void
__pycuda_free(void *pointer)
{
    free(pointer);
}
