/* quarantine.c - quarantine of heap blocks that kernels have freed.
 *
 * Called by runtime.c. With the memory check, a block that a kernel frees goes
 * into a first-in first-out quarantine before malloc can reuse it, so an
 * access to it is detected as a use after free. One lock; only free() is
 * called while it is held.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/check/check.h"
#include "cpu/check/hooks.h"

#define MAX_BLOCKS 8192
#define MAX_BYTES  ((size_t)16 << 20)

struct quarantined {
    void *block;
    size_t bytes;
};

static pthread_mutex_t quarantine_lock = PTHREAD_MUTEX_INITIALIZER;
/* freed heap blocks that free() has not been called for yet: a ring buffer,
 * oldest first */
static struct quarantined quarantined[MAX_BLOCKS];
static size_t quarantine_first, quarantine_count, quarantine_bytes;

static void
oldest_free(void)
{
    struct quarantined *oldest = &quarantined[quarantine_first];

    quarantine_first = (quarantine_first + 1) % MAX_BLOCKS;
    quarantine_count--;
    quarantine_bytes -= oldest->bytes;
    free(oldest->block);
}

bool
cpu_check_quarantine(void *block, size_t bytes)
{
    if (!(cpu_check_flags & CPU_CHECK_MEMORY) || bytes > MAX_BYTES) {
        return false;
    }
    pthread_mutex_lock(&quarantine_lock);
    while (quarantine_count == MAX_BLOCKS ||
           quarantine_bytes + bytes > MAX_BYTES) {
        oldest_free();
    }
    quarantined[(quarantine_first + quarantine_count++) % MAX_BLOCKS] =
        (struct quarantined){block, bytes};
    quarantine_bytes += bytes;
    pthread_mutex_unlock(&quarantine_lock);
    return true;
}
