/* bounds.c - checks that an access is inside memory that the kernel may use.
 *
 * Called by checked kernels before each access. If the compiler knows from
 * which object an address was computed, the access must be inside this object:
 * a variable, or the allocation that a pointer parameter points into.
 * Otherwise the access may be anywhere in the memory that the thread may use.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/check/shadow.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/module/image.h"
#include "cpu/module/module_state.h"
#include "cpu/run/fiber.h"
#include "cpu/run/runtime.h"
#include "cpu/run/shared_memory.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"
#include "image/image.h"

#define NEAR_SHARED ((uintptr_t)256 << 10)
/* An access below this address is reported as an access through a null
 * pointer. */
#define NULL_BYTES 4096

struct range {
    uintptr_t base;
    size_t bytes;
};

static bool
range_contains(uintptr_t address, uint64_t bytes, uintptr_t base,
               uint64_t size)
{
    uintptr_t offset = address - base;

    return offset <= size && bytes <= size - offset;
}

/* ---- memory spaces ---- */

/* Returns whether the address is on the running thread's stack, between the
 * current frame and the stack's start. A thread without a fiber may run on the
 * worker's extra stack (`deep`). */
bool
cpu_check_is_stack(const struct cpu_worker *worker, uintptr_t address)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (worker->launch->function->kernel->flags & IMAGE_KERNEL_FIBERS) {
        uintptr_t top =
            (uintptr_t)worker->stacks + (worker->current + 1) * worker->stride;
        return address >= here && address < top;
    }
    if (worker->deep &&
        range_contains(here, 1, (uintptr_t)worker->deep, worker->deep_bytes)) {
        return address >= here &&
               address < (uintptr_t)worker->deep + worker->deep_bytes;
    }
    return address >= here && address < (uintptr_t)worker->guard;
}

/* Returns the __shared__ variable, or the dynamic shared memory, that contains
 * all bytes of the access; NULL if there is none. */
static const struct cpu_check_variable *
shared_find(const struct cpu_check *check, uintptr_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < check->shared_count; i++) {
        const struct cpu_check_variable *row = &check->shared[i];

        if (range_contains(address, bytes, row->base, row->bytes)) {
            return row;
        }
    }
    return NULL;
}

static void
recent_add(struct cpu_check *check, uintptr_t base, size_t bytes)
{
    unsigned at = check->recent_next++ % CPU_CHECK_RECENT;

    check->recent[at].base = base;
    check->recent[at].bytes = bytes;
}

/* Returns the address range of the live global allocation that contains the
 * address; an empty range if there is none. Looks in the worker's cache
 * first. */
static struct range
global_find(struct cpu_check *check, uintptr_t address)
{
    struct cpu_check_allocation found;
    struct cpu_allocation other;
    unsigned frees = atomic_load(&cpu_check_frees);

    if (check->frees != frees) {
        check->frees = frees;
        memset(check->recent, 0, sizeof check->recent);
    }
    for (unsigned k = 0; k < CPU_CHECK_RECENT; k++) {
        unsigned i = (check->recent_last + k) % CPU_CHECK_RECENT;
        if (address - check->recent[i].base < check->recent[i].bytes) {
            check->recent_last = i;
            return (struct range){check->recent[i].base,
                                  check->recent[i].bytes};
        }
    }
    if (cpu_check_find(address, &found) && !found.freed &&
        address - found.base < found.bytes) {
        recent_add(check, found.base, found.bytes);
        return (struct range){found.base, found.bytes};
    }
    if (cpu_arena_find(address, &other)) {
        /* The list of allocations has the size that the program requested,
         * which may be smaller than the block of memory. */
        if (cpu_check_find(other.base, &found) && !found.freed &&
            found.base == other.base) {
            other.bytes = found.bytes;
        }
        recent_add(check, other.base, other.bytes);
        return (struct range){other.base, other.bytes};
    }
    return (struct range){0, 0};
}

static bool
address_is_valid(struct cpu_check *check, const struct cpu_worker *worker,
                 uintptr_t address, uint64_t bytes)
{
    struct range global = global_find(check, address);

    if (global.bytes) {
        return range_contains(address, bytes, global.base, global.bytes);
    }
    if (cpu_check_is_shared(check, address)) {
        return shared_find(check, address, bytes) != NULL;
    }
    return cpu_check_is_stack(worker, address) ||
           range_contains(address, bytes, (uintptr_t)worker->launch->params,
                          worker->launch->function->kernel->parameter_bytes) ||
           cpu_image_contains((const void *)address);
}

/* ---- reports ---- */

/* Result of the bounds check of one access. */
enum verdict {
    UNKNOWN,
    VALID,
    BEYOND_VARIABLE,
    /* The access is outside the allocation that the pointer parameter of the
     * kernel points into. */
    BEYOND_ALLOCATION,
    BEYOND_MEMORY,
    MISALIGNED,
};

/* An invalid access, and the text that describes it in the report. */
struct fault {
    uintptr_t address;
    uint64_t bytes;
    uintptr_t object;
    uint64_t object_bytes;
    const struct image_site *site;
    char detail[640];
};

/* Formats where an access is relative to an object, such as "12 bytes after
 * the end of" or "4 bytes before". Returns snprintf's result. */
static int
offset_text(char *text, size_t size, uintptr_t address, uint64_t bytes,
            uintptr_t base, uint64_t object_bytes)
{
    if (address < base) {
        return snprintf(text, size, "%llu bytes before",
                        (unsigned long long)(base - address));
    }
    uint64_t offset = address - base;
    if (offset < object_bytes) {
        return snprintf(text, size, "the last %llu of them beyond the end of",
                        (unsigned long long)(offset + bytes - object_bytes));
    }
    return snprintf(text, size, "%llu bytes after the end of",
                    (unsigned long long)(offset - object_bytes));
}

static void
variable_describe(struct fault *fault, const char *space, const char *name)
{
    char where[80];

    offset_text(where, sizeof where, fault->address, fault->bytes,
                fault->object, fault->object_bytes);
    snprintf(fault->detail, sizeof fault->detail,
             "out of bounds: %s %s%s%s%s of %llu bytes (offset %lld)", where,
             space, *name ? " '" : "", name, *name ? "'" : "",
             (unsigned long long)fault->object_bytes,
             (long long)(fault->address - fault->object));
}

/* Treats the allocation as an array whose elements have the size of the
 * access, and formats the index of the accessed element: ": index 1000 of 1000
 * elements of 4 bytes". The result is "" if the access is not at the start of
 * an element. */
static const char *
index_text(char text[80], const struct fault *fault, uintptr_t base,
           size_t bytes)
{
    long long offset = (long long)(fault->address - base);
    long long size = (long long)fault->bytes;

    text[0] = 0;
    if (size > 0 && offset % size == 0 && bytes % fault->bytes == 0) {
        snprintf(text, 80, ": index %lld of %zu elements of %lld bytes",
                 offset / size, bytes / fault->bytes, size);
    }
    return text;
}

static void
allocation_describe(struct fault *fault,
                    const struct cpu_check_allocation *found)
{
    char where[80], index[80], parameter[80] = "";
    bool inside_freed =
        found->freed &&
        range_contains(fault->address, 1, found->base, found->bytes);

    if (fault->object) {
        cpu_check_parameter_text(parameter, fault->site);
    }
    offset_text(where, sizeof where, fault->address, fault->bytes, found->base,
                found->bytes);
    if (inside_freed) {
        snprintf(
            fault->detail, sizeof fault->detail,
            "use after free: offset %llu of the %zu bytes allocated by %s "
            "(allocation %llu, %s%s), freed by %s",
            (unsigned long long)(fault->address - found->base), found->bytes,
            found->maker, (unsigned long long)found->serial, found->made_at,
            parameter, found->freed_at);
        return;
    }
    snprintf(
        fault->detail, sizeof fault->detail,
        "out of bounds: %s the %zu bytes allocated by %s (allocation %llu, "
        "%s%s%s; offset %lld%s)",
        where, found->bytes, found->maker, (unsigned long long)found->serial,
        found->made_at, parameter, found->freed ? ", since freed" : "",
        (long long)(fault->address - found->base),
        index_text(index, fault, found->base, found->bytes));
}

static void
fault_finish(struct fault *fault, const char *kind,
             const struct cpu_check_allocation *allocation, CUresult code)
{
    struct cpu_check_finding finding = {.check = "memory",
                                        .kind = kind,
                                        .site = fault->site,
                                        .code = code,
                                        .has_address = true,
                                        .address = fault->address,
                                        .bytes = fault->bytes,
                                        .detail = fault->detail,
                                        .allocation = allocation,
                                        .object = fault->object,
                                        .object_bytes = fault->object_bytes};

    cpu_check_report(&finding);
}

static const char *
variable_space(const struct image_site *site)
{
    return site->flags & IMAGE_SITE_SHARED  ? *site->object
                                                  ? "the shared variable"
                                                  : "the dynamic shared memory"
           : site->flags & IMAGE_SITE_LOCAL ? "the thread's own variable"
                                            : "the device variable";
}

/* Describes an access outside the variable from which its address was
 * computed. The compiler knows this variable. */
static void
fault_variable(struct fault *fault)
{
    variable_describe(fault, variable_space(fault->site), fault->site->object);
    fault_finish(fault, "out-of-bounds", NULL, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void
fault_shared(struct fault *fault, const struct cpu_worker *worker)
{
    fault->object = (uintptr_t)worker->shared;
    fault->object_bytes = cpu_block_shared(worker->launch);
    snprintf(fault->detail, sizeof fault->detail,
             "out of bounds: offset %lld of the block's %llu bytes of shared "
             "memory is not part of a variable of this kernel",
             (long long)(fault->address - fault->object),
             (unsigned long long)fault->object_bytes);
    fault_finish(fault, "out-of-bounds", NULL, CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* Returns whether the invalid address is close to the thread block's shared
 * memory and not in a live or freed heap block. The report then says that
 * shared memory was meant, since device memory is far from shared memory. */
static bool
is_near_shared(const struct cpu_worker *worker, uintptr_t address)
{
    uintptr_t start = (uintptr_t)worker->shared;
    struct cpu_check_allocation found;

    return start && address - start + NEAR_SHARED < 2 * NEAR_SHARED &&
           !(cpu_check_find(address, &found) &&
             range_contains(address, 1, found.base, found.bytes));
}

static void
fault_global(struct fault *fault, uintptr_t origin)
{
    struct cpu_check_allocation found;
    const char *kind = "out-of-bounds";

    cpu_check_adopt(origin);
    bool known = cpu_check_find(origin, &found);

    if (fault->address < NULL_BYTES && !(known && origin >= NULL_BYTES)) {
        kind = "null";
        known = false;
        snprintf(fault->detail, sizeof fault->detail,
                 "null pointer (address 0x%llx)",
                 (unsigned long long)fault->address);
    } else if (known) {
        /* The nearest allocation is that of the kernel's parameter only if
         * the parameter points into it. */
        bool meant = fault->object &&
                     range_contains(fault->object, 0, found.base, found.bytes);
        fault->object = meant ? found.base : 0;
        fault->object_bytes = found.bytes;
        allocation_describe(fault, &found);
        if (found.freed &&
            range_contains(fault->address, 1, found.base, found.bytes)) {
            kind = "use-after-free";
        }
    } else {
        kind = "wild-address";
        snprintf(fault->detail, sizeof fault->detail,
                 "the address 0x%llx is not near any device memory",
                 (unsigned long long)fault->address);
    }
    fault_finish(fault, kind, known ? &found : NULL,
                 CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void
fault_alignment(struct fault *fault)
{
    snprintf(fault->detail, sizeof fault->detail,
             "misaligned: the address 0x%llx is not a multiple of %u",
             (unsigned long long)fault->address, fault->site->alignment);
    fault_finish(fault, "misaligned", NULL, CUDA_ERROR_MISALIGNED_ADDRESS);
}

/* ---- the check ---- */

/* Checks an access whose address was computed from a pointer parameter of the
 * kernel. The access must stay in the allocation that the parameter points
 * into. If the parameter points into no allocation, the result is UNKNOWN, and
 * the caller checks whether the address is in any memory that the thread may
 * use. */
static enum verdict
pointer_judge(struct cpu_check *check, uintptr_t address, uint64_t bytes,
              uintptr_t pointer)
{
    struct range range = global_find(check, pointer);

    if (!range.bytes) {
        return UNKNOWN;
    }
    return range_contains(address, bytes, range.base, range.bytes)
               ? VALID
               : BEYOND_ALLOCATION;
}

static enum verdict
access_judge(struct cpu_check *check, const struct cpu_check_access *access)
{
    enum verdict verdict = UNKNOWN;

    if (access->object && !(access->site->flags & IMAGE_SITE_POINTER)) {
        verdict = range_contains(access->address, access->bytes,
                                 access->object, access->object_bytes)
                      ? VALID
                      : BEYOND_VARIABLE;
    } else if (access->object) {
        verdict = pointer_judge(check, access->address, access->bytes,
                                access->object);
    }
    if (verdict == UNKNOWN) {
        verdict = address_is_valid(check, cpu_worker_tls, access->address,
                                   access->bytes)
                      ? VALID
                      : BEYOND_MEMORY;
    }
    if (verdict == VALID &&
        !cpu_check_is_aligned(access->address, access->site->alignment)) {
        verdict = MISALIGNED;
    }
    return verdict;
}

static void
fault_report(const struct cpu_check_access *access, enum verdict verdict)
{
    const struct cpu_worker *worker = cpu_worker_tls;
    struct fault fault = {.address = access->address,
                          .bytes = access->bytes,
                          .object = access->object,
                          .object_bytes = access->object_bytes,
                          .site = access->site};

    if (verdict == BEYOND_VARIABLE) {
        fault_variable(&fault);
    } else if (verdict == MISALIGNED) {
        fault_alignment(&fault);
    } else if (verdict == BEYOND_ALLOCATION) {
        fault_global(&fault, access->object);
    } else if (is_near_shared(worker, access->address)) {
        fault_shared(&fault, worker);
    } else {
        fault_global(&fault, access->address);
    }
}

/* In continue mode, returns zeroed fallback memory to use instead of an
 * invalid address. Ends the launch if the access is larger than the fallback
 * memory. */
static void *
fallback_memory(struct cpu_check *check, uint64_t bytes)
{
    if (bytes > sizeof check->fallback) {
        cpu_fibers_fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    memset(check->fallback, 0, sizeof check->fallback);
    return check->fallback;
}

bool
cpu_check_access_is_valid(struct cpu_check *check,
                          const struct cpu_check_access *access)
{
    return access_judge(check, access) == VALID;
}

void *
cpu_check_access_resolve(struct cpu_check *check,
                         const struct cpu_check_access *access)
{
    enum verdict verdict = access_judge(check, access);

    if (verdict == VALID) {
        return (void *)access->address;
    }
    fault_report(access, verdict);
    return fallback_memory(check, access->bytes);
}

void
__pycuda_check_shared(void *variable, uint64_t bytes, struct image_site *site)
{
    struct cpu_check *check = cpu_check_self();
    uintptr_t base = (uintptr_t)variable;

    for (unsigned i = 0; i < check->shared_count; i++) {
        if (check->shared[i].base == base) {
            return;
        }
    }
    if (check->shared_count == CPU_CHECK_SHARED) {
        return;
    }
    if (!bytes) {
        bytes = cpu_worker_tls->launch->dynamic_shared;
    }
    if (cpu_check_flags & CPU_CHECK_INIT) {
        cpu_check_set_written(base, bytes, false);
    }
    check->shared[check->shared_count++] =
        (struct cpu_check_variable){base, bytes, site->object};
}
