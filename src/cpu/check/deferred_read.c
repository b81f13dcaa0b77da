/* deferred_read.c - delays the report of a read of unwritten shared memory.
 *
 * In most programs that read a word of shared memory before any thread wrote
 * it, another thread writes the word later, and a barrier is missing. The
 * report of such a read therefore waits until a thread of the block writes the
 * word, so that it can name that thread and line. The report is written
 * without thread and line if one of these events comes first: a barrier, the
 * end of the thread block, another fault, many accesses
 * (cpu_check_deferred_count), or REPEATS_MAX further reads of unwritten
 * memory, since the kernel may wait in a loop for a value. Until then the
 * kernel reads zeros, so that indexes that depend on the value stay small. A
 * zero can make a loop endless; if the loop makes no access, nothing writes
 * the report while the loop runs. A worker delays one report at a time and
 * needs no lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/deferred_read.h"
#include "cpu/check/hooks.h"
#include "cpu/check/shadow.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

enum { REPEATS_MAX = 1000 };

/* Writes the report of the deferred read. `writer`: the source location at
 * which the thread `thread` writes the memory; NULL if no thread does. */
static void
deferred_report(struct cpu_check *check, const struct image_site *writer,
                unsigned thread)
{
    const struct cpu_check_deferred read = check->deferred;
    const char *object = read.site->object;
    char detail[200];

    check->deferred.site = NULL;
    snprintf(detail, sizeof detail, "never written: shared memory%s%.100s%s",
             *object ? " ('" : "", object, *object ? "')" : "");
    struct cpu_check_finding finding = {.check = "init",
                                        .kind = "uninitialised-shared",
                                        .site = read.site,
                                        .code = CUDA_ERROR_LAUNCH_FAILED,
                                        .has_address = true,
                                        .address = read.address,
                                        .bytes = read.bytes,
                                        .detail = detail,
                                        .thread = &read.thread,
                                        .second = writer,
                                        .second_thread = thread,
                                        .second_block = check->block};
    cpu_check_report(&finding);
}

static void
bytes_clear(uintptr_t address, uint64_t bytes)
{
    for (uintptr_t at = address; at < address + bytes; at++) {
        if (cpu_check_has_uninitialized(at, 1)) {
            *(char *)at = 0;
        }
    }
}

void
cpu_check_deferred_flush(struct cpu_check *check)
{
    if (check->deferred.site) {
        deferred_report(check, NULL, 0);
    }
}

bool
cpu_check_deferred_add(struct cpu_check *check, uintptr_t address,
                       uint64_t bytes, const struct image_site *site)
{
    struct cpu_check_deferred *read = &check->deferred;
    bool stops = !(cpu_check_flags & CPU_CHECK_CONTINUE);

    if (read->site && read->site != site && !stops) {
        return false;
    }
    bytes_clear(address, bytes);
    if (!read->site) {
        *read = (struct cpu_check_deferred){
            .address = address,
            .bytes = bytes,
            .site = cpu_check_is_reported(site, "uninitialised-shared") ? NULL
                                                                        : site,
            .thread = cpu_check_thread()};
    } else if (++read->repeats > REPEATS_MAX) {
        cpu_check_deferred_flush(check);
    }
    return true;
}

void
cpu_check_deferred_written(struct cpu_check *check, uintptr_t address,
                           uint64_t bytes, const struct image_site *site)
{
    const struct cpu_check_deferred *read = &check->deferred;

    if (read->site && address < read->address + read->bytes &&
        read->address < address + bytes) {
        deferred_report(check, site, cpu_check_thread());
    }
}

/* If the fault is a race with the deferred read at `read`, returns the source
 * location of the other access. Otherwise returns NULL. */
static const struct image_site *
racing_site(const struct cpu_check_finding *finding,
            const struct image_site *read)
{
    if (strcmp(finding->check, "race") != 0) {
        return NULL;
    }
    return finding->site == read     ? finding->second
           : finding->second == read ? finding->site
                                     : NULL;
}

bool
cpu_check_deferred_precedes(struct cpu_check *check,
                            const struct cpu_check_finding *finding)
{
    const struct image_site *read = check->deferred.site;
    const struct image_site *other = read ? racing_site(finding, read) : NULL;

    if (!other) {
        cpu_check_deferred_flush(check);
        return false;
    }
    if (cpu_check_flags & CPU_CHECK_CONTINUE) {
        return false;
    }
    /* If the write is in an earlier line than the read, a barrier between the
     * two lines is missing: the race is reported, and the delayed report is
     * discarded. Otherwise the delayed report has more information than the
     * report of the race. */
    if (other->line < read->line && strcmp(other->file, read->file) == 0) {
        check->deferred.site = NULL;
        return false;
    }
    return true;
}
