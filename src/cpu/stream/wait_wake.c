/* wait_wake.c - wakes the threads that wait for operations.
 *
 * wait.c lets threads sleep, the scheduler wakes them.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <time.h>

#include "cpu/stream/wait_wake.h"

unsigned cpu_wait_sleepers;
pthread_cond_t cpu_wait_changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
changed_init(void)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&cpu_wait_changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void
cpu_wait_prepare(void)
{
    pthread_once(&once, changed_init);
}

void
cpu_wait_wake(void)
{
    pthread_cond_broadcast(&cpu_wait_changed);
}
