/* reclaim.c - frees access records of old launches while no kernel runs.
 *
 * Called by block.c and launch.c. Data races can only occur within a launch,
 * so the access records are obsolete while no launch runs. A granule has the
 * records of 64 KiB of memory. After a launch, a reclaim pass goes over all
 * granules. Those that were used since the previous pass are kept, since the
 * next launch will probably use them. The first pass that finds a granule
 * unused returns its pages to the system. After MAX_UNUSED such passes in a
 * row, the granule is freed, too. Most of the freed granules describe shared
 * memory: each launch allocates them but rarely uses them. One lock, taken
 * when a launch begins and ends; no other lock is taken while it is held.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/check/hooks.h"
#include "cpu/check/race.h"
#include "cpu/run/launch_state.h"

/* A reclaim pass, which frees access records, is made only if this many time
 * intervals have begun since the previous pass. A time interval is the time
 * between two synchronization events of a thread block. */
#define RECENT_INTERVALS 256
/* A granule is freed after this many successive reclaim passes (passes that
 * free access records) in which it was unused. */
#define MAX_UNUSED 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Number of launches that are running in the process. */
static unsigned running;
static uint32_t last_reclaim;

static bool
granule_used_since(const struct cpu_shadow_granule *granule, uint32_t number)
{
    return !cpu_race_stamp_is_past(&granule->written, number) ||
           !cpu_race_stamp_is_past(&granule->read, number);
}

/* Counts the reclaim passes since the granule was last used. Clears its access
 * records in the first pass that finds it unused. Returns whether the caller
 * must free the granule. */
static bool
granule_is_expired(struct cpu_shadow_granule *granule, uint32_t since)
{
    granule->unused =
        granule_used_since(granule, since) ? 0 : granule->unused + 1;
    if (granule->unused == 1) {
        cpu_shadow_granule_clear(granule);
    }
    return granule->unused == MAX_UNUSED;
}

static void
granules_reclaim(uint32_t since)
{
    struct cpu_shadow_granule *granule =
        atomic_exchange(&cpu_shadow_granules, NULL);
    struct cpu_shadow_granule *remaining = NULL, *next;

    for (; granule; granule = next) {
        next = granule->next;
        if (granule_is_expired(granule, since)) {
            cpu_shadow_granule_free(granule);
        } else {
            granule->next = remaining;
            remaining = granule;
        }
    }
    atomic_store(&cpu_shadow_granules, remaining);
}

void
cpu_check_launch_begin(struct cpu_launch *launch)
{
    if (!atomic_exchange(&launch->checked, true)) {
        cpu_check_launch_written(launch);
        pthread_mutex_lock(&lock);
        running++;
        pthread_mutex_unlock(&lock);
    }
}

void
cpu_check_launch_end(struct cpu_launch *launch)
{
    cpu_check_kernel_end(launch);
    if (!atomic_exchange(&launch->checked, false)) {
        return;
    }
    pthread_mutex_lock(&lock);
    uint32_t now = cpu_check_interval_last();
    if (--running == 0 && now - last_reclaim >= RECENT_INTERVALS) {
        granules_reclaim(last_reclaim);
        last_reclaim = now;
    }
    pthread_mutex_unlock(&lock);
}
