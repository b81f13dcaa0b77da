/* available.h - memory that the system can provide to this process.
 *
 * available.c reads the system's files; budget.c decides about allocations.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_AVAILABLE_H
#define PYCUDA_CPU_AVAILABLE_H

#include <stdint.h>

#define CPU_NO_LIMIT     UINT64_MAX
#define CPU_SOURCE_BYTES 256

/* The smallest of several bounds, and a text that names its source. */
struct cpu_bound {
    uint64_t bytes; /* bytes that can still be used; or CPU_NO_LIMIT */
    char source[CPU_SOURCE_BYTES];
};

struct cpu_available {
    /* Pages that can still be filled: the minimum over the machine and each
     * cgroup of the process, minus a reserve for other processes. */
    struct cpu_bound pages;
    /* Memory that can still be mapped for writing, even if it is never filled:
     * RLIMIT_DATA, and CommitLimit if the system does not overcommit. */
    struct cpu_bound mappings;
    struct cpu_bound addresses; /* reservable: RLIMIT_AS */
    uint64_t reserve;           /* reserve that was subtracted from `pages` */
    uint64_t total;             /* of the machine, or smallest cgroup limit */
};

/* Reads all bounds. `root` is a prefix of file names, "" except in tests.
 * Files that cannot be read are ignored. Takes about 100 microseconds; not
 * thread-safe. */
void cpu_available_read(const char *root, struct cpu_available *found);

#endif
