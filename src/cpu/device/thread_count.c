/* thread_count.c - determines the number of worker threads.
 *
 * Called once, by cuInit. The result is the smallest of three numbers: the
 * processors in the affinity mask, those that the cgroup's CPU quota allows,
 * and PYCUDA_CPU_THREADS. The MPI ranks on one machine divide the processors
 * among them, unless the ranks are bound to cores.
 *
 * SPDX-License-Identifier: MIT */
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpu/device/device.h"
#include "cpu/memory/available.h"

/* Environment variables in which MPI launchers pass the number of ranks on
 * this machine. */
static const char *const rank_variables[] = {
    "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE",
    "MV2_COMM_WORLD_LOCAL_SIZE",  "PALS_LOCAL_SIZE",
};

/* Returns the cgroup's CPU quota in processors, rounded to an integer of at
 * least 1. Reads the files of cgroup version 2 or, if they do not exist, of
 * version 1. Returns 0 if there is no quota. */
static int
quota_threads(void)
{
    char text[64];
    double quota = 0, period = 0;

    if (cpu_system_file_read("", "/sys/fs/cgroup/cpu.max", text,
                             sizeof text)) {
        if (sscanf(text, "%lf %lf", &quota, &period) != 2) {
            return 0;
        }
    } else {
        if (!cpu_system_file_read("", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                                  text, sizeof text)) {
            return 0;
        }
        quota = atof(text);
        if (!cpu_system_file_read("", "/sys/fs/cgroup/cpu/cpu.cfs_period_us",
                                  text, sizeof text)) {
            return 0;
        }
        period = atof(text);
    }
    if (quota <= 0 || period <= 0) {
        return 0;
    }
    int threads = (int)(quota / period + 0.5);
    return threads > 0 ? threads : 1;
}

/* Returns the number of processors in the process's affinity mask. */
static int
affinity_threads(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set)) {
        /* sched_getaffinity has failed: the machine has more processors than a
         * cpu_set_t. */
        return (int)sysconf(_SC_NPROCESSORS_ONLN);
    }
    return CPU_COUNT(&set);
}

/* Returns the number of MPI ranks on this machine; 1 without MPI. */
static int
local_ranks(void)
{
    for (size_t i = 0; i < sizeof rank_variables / sizeof *rank_variables;
         i++) {
        const char *text = getenv(rank_variables[i]);
        int ranks = text ? atoi(text) : 0;

        if (ranks > 0) {
            return ranks;
        }
    }
    return 1;
}

int
cpu_thread_count(int most)
{
    int online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int threads = affinity_threads();
    int quota = quota_threads();
    bool bound = threads < online;

    if (quota && quota < threads) {
        threads = quota;
    }
    if (!bound) {
        threads /= local_ranks();
    }
    threads = threads > most ? most : threads;
    return threads < 1 ? 1 : threads > 256 ? 256 : threads;
}
