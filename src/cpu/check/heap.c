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

struct waiting {
    void *block;
    size_t bytes;
};

static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;
static struct waiting waiting[MOST_BLOCKS]; /* a ring */
static size_t first, count, waiting_bytes;

static void
oldest_free(void)
{
    struct waiting *oldest = &waiting[first];

    first = (first + 1) % MOST_BLOCKS;
    count--;
    waiting_bytes -= oldest->bytes;
    free(oldest->block);
}

bool
cpu_check_quarantine(void *block, size_t bytes)
{
    if (!(cpu_check_flags & CPU_CHECK_MEMORY) || bytes > MOST_BYTES) {
        return false;
    }
    pthread_mutex_lock(&waiting_lock);
    while (count == MOST_BLOCKS || waiting_bytes + bytes > MOST_BYTES) {
        oldest_free();
    }
    waiting[(first + count++) % MOST_BLOCKS] = (struct waiting){block, bytes};
    waiting_bytes += bytes;
    pthread_mutex_unlock(&waiting_lock);
    return true;
}
