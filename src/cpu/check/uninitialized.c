/* uninitialized.c - detects reads of memory that was never written.
 *
 * Called by checked kernels at each access, and by copy.c and fill.c. Device
 * allocations, shared memory and private variables are tracked; all other
 * memory counts as written. Copying uninitialized bytes is not reported: the
 * copy inherits the state of its source. A copy to the host gives a warning
 * (unwritten_copies.c).
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/deferred_read.h"
#include "cpu/check/hooks.h"
#include "cpu/check/shadow.h"
#include "cpu/check/streams/stream_order.h"
#include "cpu/check/unwritten_copies.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/module/module_state.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"
#include "image/image.h"

static void
report(uintptr_t address, uint64_t bytes, const struct image_site *site)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_check_allocation found;
    char detail[640], parameter[80];
    bool shared = cpu_check_is_shared(cpu_check_self(), address);
    bool local = !shared && cpu_check_is_stack(worker, address);
    bool global = !shared && !local && cpu_check_find(address, &found) &&
                  address - found.base < found.bytes;

    if (global) {
        cpu_check_parameter_text(parameter, site);
        snprintf(detail, sizeof detail,
                 "never written: offset %llu of the %zu bytes allocated by %s "
                 "(allocation %llu, %s%s)",
                 (unsigned long long)(address - found.base), found.bytes,
                 found.maker, (unsigned long long)found.serial, found.made_at,
                 parameter);
    } else {
        snprintf(detail, sizeof detail, "never written: %s%s%s%s",
                 shared  ? "shared memory"
                 : local ? "the thread's own memory"
                         : "device memory",
                 *site->object ? " ('" : "", site->object,
                 *site->object ? "')" : "");
    }
    struct cpu_check_finding finding = {.check = "init",
                                        .kind = shared ? "uninitialised-shared"
                                                : local
                                                    ? "uninitialised-local"
                                                    : "uninitialised-global",
                                        .site = site,
                                        .code = CUDA_ERROR_LAUNCH_FAILED,
                                        .has_address = true,
                                        .address = address,
                                        .bytes = bytes,
                                        .detail = detail,
                                        .allocation = global ? &found : NULL};
    cpu_check_report(&finding);
}

/* Returns whether each 4-byte part of the access has an uninitialized byte.
 * Only then is a read of a vector reported, since a program may leave some
 * members of a vector unset on purpose. */
static bool
all_uninitialized(uintptr_t address, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += 4) {
        if (!cpu_check_has_uninitialized(address + i,
                                         bytes - i < 4 ? bytes - i : 4)) {
            return false;
        }
    }
    return true;
}

/* Delays the report of a read of shared memory (deferred_read.c). Returns
 * false if the caller must write the report at once. */
static bool
report_defer(uintptr_t address, uint64_t bytes, const struct image_site *site)
{
    struct cpu_check *check = cpu_check_self();

    return !(site->flags & IMAGE_SITE_WRITE) &&
           cpu_check_is_shared(check, address) &&
           cpu_check_deferred_add(check, address, bytes, site);
}

void
cpu_check_uninitialized(uintptr_t address, uint64_t bytes,
                        struct image_site *site)
{
    if (!cpu_check_has_uninitialized(address, bytes)) {
        return;
    }
    if (site->flags & IMAGE_SITE_READ &&
        (bytes <= 8 || all_uninitialized(address, bytes)) &&
        !report_defer(address, bytes, site)) {
        report(address, bytes, site);
    }
    if (site->flags & IMAGE_SITE_WRITE) {
        cpu_check_deferred_written(cpu_check_self(), address, bytes, site);
        cpu_check_set_written(address, bytes, true);
    }
}

/* If the address is in shared memory, stops comparing accesses with those of
 * the previous thread block (trace.c), so that all earlier accesses are
 * recorded in shadow memory. */
static void
shared_trace_stop(const void *address)
{
    struct cpu_check *check = cpu_check_self();

    if (cpu_check_is_shared(check, (uintptr_t)address)) {
        cpu_check_trace_stop(check);
    }
}

void
__pycuda_check_written(const void *pointer, uint64_t bytes)
{
    if (cpu_check_flags & CPU_CHECK_INIT) {
        shared_trace_stop(pointer);
        cpu_check_deferred_written(cpu_check_self(), (uintptr_t)pointer, bytes,
                                   NULL);
        cpu_check_set_written((uintptr_t)pointer, bytes, true);
    }
}

void
__pycuda_check_local(const void *variable, uint64_t bytes)
{
    if (cpu_check_flags & CPU_CHECK_INIT) {
        cpu_check_set_written((uintptr_t)variable, bytes, false);
    }
}

static void
state_copy(const void *to, const void *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        cpu_check_set_written(
            (uintptr_t)to + i, 1,
            !cpu_check_has_uninitialized((uintptr_t)from + i, 1));
    }
}

void
__pycuda_check_copy(const void *to, const void *from, uint64_t bytes)
{
    if (cpu_check_flags & CPU_CHECK_INIT) {
        shared_trace_stop(to);
        shared_trace_stop(from);
        state_copy(to, from, bytes);
    }
}

void
__pycuda_check_value(uint32_t undefined, struct image_site *site,
                     uint32_t linear)
{
    char detail[200];

    if (!undefined || !(cpu_check_flags & CPU_CHECK_INIT)) {
        return;
    }
    /* The compiler may have added a suffix such as .0 or .lcssa to the
     * variable's name; the report leaves it out. */
    int length = (int)strcspn(site->object, ".");
    cpu_check_self()->thread = linear;
    snprintf(detail, sizeof detail,
             "a variable%s%.*s%s is used before it is assigned a value",
             length ? " ('" : "", length, site->object, length ? "')" : "");
    struct cpu_check_finding finding = {.check = "init",
                                        .kind = "uninitialised-value",
                                        .site = site,
                                        .code = CUDA_ERROR_LAUNCH_FAILED,
                                        .detail = detail};
    cpu_check_report(&finding);
}

/* ---- kernels that record no writes ---- */

void
cpu_check_launch_written(const struct cpu_launch *launch)
{
    const struct cpu_function *function = launch->function;
    const struct image_header *header = function->module->bytes;
    struct cpu_check_allocation found;
    uintptr_t address;

    if (!(cpu_check_flags & CPU_CHECK_INIT) ||
        header->checks & IMAGE_CHECK_INIT) {
        return;
    }
    for (size_t at = 0;
         at + sizeof address <= function->kernel->parameter_bytes;
         at += sizeof address) {
        memcpy(&address, (const char *)launch->params + at, sizeof address);
        if (cpu_check_find(address, &found) && !found.freed && found.tracked &&
            address - found.base < found.bytes) {
            cpu_check_set_written(found.base, found.bytes, true);
        }
    }
}

/* ---- copies and fills by the host ---- */

void
cpu_check_filled(const void *to, size_t bytes)
{
    if (cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_history_range(to, bytes, CPU_CHECK_WRITES, "fill");
    }
    if (cpu_check_flags & CPU_CHECK_INIT) {
        cpu_check_set_written((uintptr_t)to, bytes, true);
    }
}

/* Host memory counts as written: it is not tracked, since the library does not
 * see the host's writes. */
void
cpu_check_copied(const void *to, const void *from, size_t bytes)
{
    struct cpu_allocation found;

    if (cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_history_range(from, bytes, CPU_CHECK_READS, "copy");
        cpu_check_history_range(to, bytes, CPU_CHECK_WRITES, "copy");
    }
    if (!(cpu_check_flags & CPU_CHECK_INIT)) {
        return;
    }
    if (!cpu_arena_find((uintptr_t)to, &found)) {
        cpu_check_unwritten_copy(from, bytes);
        return;
    }
    if (found.kind == CPU_MEMORY_HOST || found.kind == CPU_MEMORY_REGISTERED) {
        cpu_check_unwritten_copy(from, bytes);
    }
    if (cpu_arena_find((uintptr_t)from, &found) &&
        cpu_check_has_uninitialized((uintptr_t)from, bytes)) {
        state_copy(to, from, bytes);
    } else {
        cpu_check_set_written((uintptr_t)to, bytes, true);
    }
}
