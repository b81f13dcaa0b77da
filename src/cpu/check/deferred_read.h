/* deferred_read.h - delayed reports of reads of unwritten shared memory.
 *
 * Called on a worker's thread with the state of its running thread block; no
 * locks. The functions may end the launch and leave the kernel, as
 * cpu_check_report does, if they write the delayed report.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEFERRED_READ_H
#define PYCUDA_CPU_DEFERRED_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/check/check.h"
#include "image/abi.h"

/* A report is delayed at most until the threads of the block have made this
 * number of further checked accesses. */
#define CPU_CHECK_DEFERRED_ACCESSES (1u << 20)

/* Delays the report of the running thread's read of unwritten shared memory,
 * and sets the unwritten bytes to 0. Returns false if the caller must report
 * the read itself, since the report of a read at another source location is
 * delayed already. */
bool cpu_check_deferred_add(struct cpu_check *check, uintptr_t address,
                            uint64_t bytes, const struct image_site *site);
/* Called when the running thread writes unwritten shared memory at `site`.
 * Writes the delayed report if the read that it reports touches these
 * bytes. */
void cpu_check_deferred_written(struct cpu_check *check, uintptr_t address,
                                uint64_t bytes, const struct image_site *site);
/* Called before another fault is reported. Unless the fault is a race with the
 * delayed read, writes the delayed report and returns false. For such a race,
 * only one of the two reports is useful. If that is the report of the race,
 * discards the delayed report and returns false. Otherwise returns true, and
 * the caller must not report the race. In continue mode, returns false and
 * keeps the delayed report, so that both are written. */
bool cpu_check_deferred_precedes(struct cpu_check *check,
                                 const struct cpu_check_finding *finding);
/* Prints the delayed report, if there is one. The report names no thread that
 * wrote the memory, since none was found. */
void cpu_check_deferred_flush(struct cpu_check *check);
/* Called at each checked access. After CPU_CHECK_DEFERRED_ACCESSES of them,
 * writes the delayed report, since the kernel may be in an endless loop. */
static inline void
cpu_check_deferred_count(struct cpu_check *check)
{
    if (check->deferred.site &&
        ++check->deferred.accesses > CPU_CHECK_DEFERRED_ACCESSES) {
        cpu_check_deferred_flush(check);
    }
}

#endif
