/* quick_timer.c - the timer of processor time after which a compilation is
 * restarted.
 *
 * Started by quick.c; stopped by report.c and by the writer of the image, so
 * that a process which has begun its output is not restarted.
 *
 * SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "jit/quick_timer.h"

void
jit_quick_timer_start(long microseconds)
{
    struct itimerval timer = {.it_value = {.tv_usec = microseconds}};

    setitimer(ITIMER_PROF, &timer, NULL);
}

void
jit_quick_timer_stop(void)
{
    /* The timer may have sent a signal that is still pending. */
    signal(SIGPROF, SIG_IGN);
    jit_quick_timer_start(0);
}
