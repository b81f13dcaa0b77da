/* available.h - memory that the system can provide to this process.
 *
 * available.c reads the available memory from /proc and the cgroup files.
 * budget.c decides whether an allocation is permitted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_AVAILABLE_H
#define PYCUDA_CPU_AVAILABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_NO_LIMIT     UINT64_MAX
#define CPU_SOURCE_BYTES 256

/* The lowest of several limits, and a text that names the source of this
 * limit. */
struct cpu_bound {
    uint64_t bytes; /* bytes the process can still use; or CPU_NO_LIMIT */
    char source[CPU_SOURCE_BYTES];
};

struct cpu_available {
    /* Bytes of pages that can still be filled: the lowest value of the machine
     * and of each cgroup of the process, minus a reserve for other
     * processes. */
    struct cpu_bound pages;
    /* Bytes that can still be mapped for writing, even if they are never
     * written: from RLIMIT_DATA, and from CommitLimit if the system does not
     * overcommit. */
    struct cpu_bound mappings;
    /* Address space in bytes that can still be reserved: RLIMIT_AS. */
    struct cpu_bound addresses;
    /* Bytes of the reserve that was subtracted from `pages`. */
    uint64_t reserve;
    /* Bytes of the machine's memory, or the lowest limit of a cgroup if that
     * is lower. */
    uint64_t total;
};

/* Reads the start of a file as text: at most bytes - 1 characters and the
 * terminating 0. The file's name is `root` followed by `path`. Returns false,
 * with `text` unchanged or empty, if the file is missing or empty.
 * Thread-safe. */
bool cpu_system_file_read(const char *root, const char *path, char *text,
                          size_t bytes);

/* Reads all limits of the memory that the process can still allocate: the
 * machine's, those of cgroups, and resource limits. `root` is put in front of
 * all file names; it is "" except in tests. Files that cannot be read are
 * ignored. Takes about 100 microseconds; not thread-safe. */
void cpu_available_read(const char *root, struct cpu_available *found);

#endif
