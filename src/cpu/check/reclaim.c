/* reclaim.c - what is known of old accesses goes while no kernel runs.
 *
 * Called by block.c and launch.c.  Races are those of one launch, so that
 * nothing that is known of words is of any use while none runs.  Cells that
 * were used lately are kept, since they will be again; others give their pages
 * back, and are given back as a whole when nobody has used them for longer:
 * those of shared memory are asked for by each launch and hardly ever used.
 * One lock, which launches take when they begin and end; nothing is locked
 * below it.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/check/race.h"

#define RECENT_INTERVALS 256 /* intervals, at least */
#define MOST_UNUSED      16  /* looks; cells are given back then */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned running; /* launches */
static uint32_t last_reclaim;

static bool
granule_used_since(const struct cpu_shadow_granule *granule, uint32_t number)
{
    return !cpu_race_stamp_is_past(&granule->written, number) ||
           !cpu_race_stamp_is_past(&granule->read, number);
}

/* Are they to be given back? */
static bool
granule_is_expired(struct cpu_shadow_granule *granule, uint32_t since)
{
    granule->unused =
        granule_used_since(granule, since) ? 0 : granule->unused + 1;
    if (granule->unused == 1) {
        cpu_shadow_granule_clear(granule);
    }
    return granule->unused == MOST_UNUSED;
}

static void
granules_reclaim(uint32_t since)
{
    struct cpu_shadow_granule *granule =
        atomic_exchange(&cpu_shadow_granules, NULL);
    struct cpu_shadow_granule *kept = NULL, *next;

    for (; granule; granule = next) {
        next = granule->next;
        if (granule_is_expired(granule, since)) {
            cpu_shadow_granule_free(granule);
        } else {
            granule->next = kept;
            kept = granule;
        }
    }
    atomic_store(&cpu_shadow_granules, kept);
}

void
cpu_check_launch_begin(struct cpu_launch *launch)
{
    if (cpu_check_flags & CPU_CHECK_RACE &&
        !atomic_exchange(&launch->checked, true)) {
        pthread_mutex_lock(&lock);
        running++;
        pthread_mutex_unlock(&lock);
    }
}

void
cpu_check_launch_end(struct cpu_launch *launch)
{
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
