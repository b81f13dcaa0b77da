/* available.h - how much memory the system can give this process.
 *
 * available.c reads the system's files; budget.c decides on allocations.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_AVAILABLE_H
#define PYCUDA_CPU_AVAILABLE_H

#include <stdint.h>

#define CPU_NO_LIMIT     UINT64_MAX
#define CPU_SOURCE_BYTES 256

/* The smallest of several bounds, and the words that say which it is. */
struct cpu_bound {
    uint64_t bytes; /* that may still be taken; CPU_NO_LIMIT: any number */
    char source[CPU_SOURCE_BYTES];
};

struct cpu_available {
    /* Pages that may still be filled: of the machine and of each cgroup that
     * holds the process, less a reserve that others need. */
    struct cpu_bound pages;
    /* Memory that may still be mapped for writing, whether or not it is filled
     * later: RLIMIT_DATA, and CommitLimit where the system promises no more
     * than it has. */
    struct cpu_bound mappings;
    struct cpu_bound addresses; /* that may still be reserved: RLIMIT_AS */
    uint64_t reserve;           /* held back from `pages` */
    uint64_t total; /* of the machine, or the smallest limit of a cgroup */
};

/* Reads them below `root`, which is "" but in tests.  What cannot be read does
 * not count.  Takes about 100 microseconds; one thread at a time. */
void cpu_available_read(const char *root, struct cpu_available *found);

#endif
