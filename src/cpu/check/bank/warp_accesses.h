/* warp_accesses.h - the `bank` check: memory transactions of warps.
 *
 * A request is one execution of an access by the threads of a warp. The
 * hardware serves a request by one or more transactions. A transaction of
 * shared memory serves accesses to different banks; one of global memory
 * transfers a sector of 32 bytes.
 * warp_accesses.c collects requests, warp_transactions.c counts the
 * transactions of a request, access_counts.c adds the counts of all launches
 * by source line.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_BANK_WARP_ACCESSES_H
#define PYCUDA_CPU_CHECK_BANK_WARP_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/check/check.h"
#include "cpu/device/limits.h"

struct image_site;

/* One request: the address and the size in bytes of the access of each lane
 * whose bit is set in `lanes`. */
struct cpu_check_request {
    uintptr_t addresses[CPU_WARP];
    uint8_t bytes[CPU_WARP];
    uint32_t lanes;
};

/* Sums over requests. `ideal` is the smallest possible number of transactions:
 * without bank conflicts in shared memory, and with contiguous bytes in global
 * memory. */
struct cpu_check_counts {
    uint64_t requests, transactions, ideal;
    /* maximum ratio of a request's transactions to its ideal number of
     * transactions, rounded down: 32 for a conflict of all lanes in one
     * bank */
    uint64_t worst;
    /* number of accesses, counted for each thread, that belong to no counted
     * request */
    uint64_t uncounted;
};

/* warp_transactions.c: adds one request of shared or of global memory to
 * `counts`. `atomic`: lanes that access the same word of shared memory need a
 * transaction each. */
void cpu_check_request_count(const struct cpu_check_request *request,
                             bool shared, bool atomic,
                             struct cpu_check_counts *counts);

/* ---- warp_accesses.c ---- */

/* Adds one access of the running thread to the request of its warp. Called on
 * the worker's thread before the access. */
void cpu_check_warp_access(struct cpu_check *check,
                           const struct cpu_check_access *access);
/* Counts all requests of the running thread block that are complete because
 * all its threads have reached a barrier or ended. */
void cpu_check_warp_accesses_flush(struct cpu_check *check);
/* Counts the recorded requests (accesses of a warp by one instruction) that
 * are not counted yet, and adds the counts to the totals of the process.
 * Called when a worker has run a part of a launch. */
void cpu_check_warp_accesses_end(struct cpu_check *check);
/* Frees the worker's state of the check `bank`. */
void cpu_check_warp_accesses_free(struct cpu_check *check);

/* access_counts.c: adds counts to the total of a kernel, a source line, a
 * memory space and a kind of access. Takes the lock of access_counts.c. */
void cpu_check_counts_add(const char *kernel, const struct image_site *site,
                          bool shared, const struct cpu_check_counts *counts);
/* Marks the counts as incomplete, since there was not enough memory to count
 * an access. Takes the lock of access_counts.c. */
void cpu_check_counts_lose(void);

#endif
