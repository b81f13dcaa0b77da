/* heap.c - blocks of the device's heap that kernels have freed.
 *
 * Called by runtime.c.  Under the memory check they stay unused until newer
 * ones need their place, oldest first: an access to one is then known for a
 * use after free, whatever malloc does.  One lock, held for no call but
 * free's.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cpu/check/check.h"

#define MOST_BLOCKS 8192
#define MOST_BYTES  ((size_t)16 << 20)

struct quarantined {
    void *block;
    size_t bytes;
};

static pthread_mutex_t quarantine_lock = PTHREAD_MUTEX_INITIALIZER;
static struct quarantined quarantined[MOST_BLOCKS]; /* a ring */
static size_t quarantine_first, quarantine_count, quarantine_bytes;

static void
oldest_free(void)
{
    struct quarantined *oldest = &quarantined[quarantine_first];

    quarantine_first = (quarantine_first + 1) % MOST_BLOCKS;
    quarantine_count--;
    quarantine_bytes -= oldest->bytes;
    free(oldest->block);
}

bool
cpu_check_quarantine(void *block, size_t bytes)
{
    if (!(cpu_check_flags & CPU_CHECK_MEMORY) || bytes > MOST_BYTES) {
        return false;
    }
    pthread_mutex_lock(&quarantine_lock);
    while (quarantine_count == MOST_BLOCKS ||
           quarantine_bytes + bytes > MOST_BYTES) {
        oldest_free();
    }
    quarantined[(quarantine_first + quarantine_count++) % MOST_BLOCKS] =
        (struct quarantined){block, bytes};
    quarantine_bytes += bytes;
    pthread_mutex_unlock(&quarantine_lock);
    return true;
}
