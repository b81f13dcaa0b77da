/* stack_memory.c - memory for the stacks on which kernels run.
 *
 * The memory above a stack is an inaccessible guard, so an index beyond the
 * end of a local array faults. Since an unsigned index that wraps around is
 * almost 2^32, the guard is as large as the one above shared memory
 * (shared_memory.c). A granule (64 KiB unit) of shadow memory never describes
 * both stack memory and other memory.
 *
 * No state; any thread may call these functions.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "cpu/check/hooks.h"
#include "cpu/run/shared_memory.h"
#include "cpu/run/stack_memory.h"

static char *
map_with_guard(size_t bytes, size_t *guard)
{
    size_t all = bytes + CPU_STACK_UNIT + *guard;
    char *at = mmap(NULL, all, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) {
        return NULL;
    }
    size_t before = -(uintptr_t)at % CPU_STACK_UNIT;
    if (mprotect(at + before, bytes, PROT_READ | PROT_WRITE)) {
        int error = errno;
        munmap(at, all);
        errno = error;
        return NULL;
    }
    if (before) {
        munmap(at, before);
    }
    *guard = all - before - bytes;
    return at + before;
}

char *
cpu_stack_map(size_t bytes, size_t *guard)
{
    char *stack;

    *guard = cpu_guard_bytes(true);
    stack = map_with_guard(bytes, guard);
    if (!stack) {
        *guard = cpu_guard_bytes(false);
        stack = map_with_guard(bytes, guard);
    }
    return stack;
}

void
cpu_stack_unmap(char *stack, size_t bytes, size_t guard)
{
    if (!stack) {
        return;
    }
    if (cpu_check_flags) {
        cpu_check_forget((uintptr_t)stack, bytes);
    }
    munmap(stack, bytes + guard);
}
