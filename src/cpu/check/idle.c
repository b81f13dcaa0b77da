/* idle.c - what is known of old accesses goes while no kernel runs.
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

#define LATELY 256 /* intervals, at least */
#define UNUSED 16  /* looks; cells are given back then */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned running; /* launches */
static uint32_t last_look;

static bool
used_since(const struct cpu_check_words *words, uint32_t number)
{
    return !cpu_race_stamp_is_past(&words->written, number) ||
           !cpu_race_stamp_is_past(&words->read, number);
}

/* Are they to be given back? */
static bool
is_of_no_use(struct cpu_check_words *words, uint32_t since)
{
    words->unused = used_since(words, since) ? 0 : words->unused + 1;
    if (words->unused == 1) {
        cpu_shadow_drop(words);
    }
    return words->unused == UNUSED;
}

static void
cells_drop(uint32_t since)
{
    struct cpu_check_words *words = atomic_exchange(&cpu_shadow_cells, NULL);
    struct cpu_check_words *kept = NULL, *next;

    for (; words; words = next) {
        next = words->next;
        if (is_of_no_use(words, since)) {
            cpu_shadow_free(words);
        } else {
            words->next = kept;
            kept = words;
        }
    }
    atomic_store(&cpu_shadow_cells, kept);
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
    if (--running == 0 && now - last_look >= LATELY) {
        cells_drop(last_look);
        last_look = now;
    }
    pthread_mutex_unlock(&lock);
}
