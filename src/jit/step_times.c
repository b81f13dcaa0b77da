/* step_times.c - processor time of each step, for --show=times.
 *
 * Called by main.c and by the steps that have several parts. The state is
 * static: a process compiles one module.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "jit/step_times.h"

#define MAX_STEPS 64

static struct {
    const char *name;
    double seconds;
} steps[MAX_STEPS] = {{"start", 0}};

static bool is_enabled;
static unsigned step_count = 1;
static unsigned current;
/* processor time in seconds at which the current step began */
static double begin;

static double
processor_seconds(void)
{
    struct timespec time = {0};

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns the index of the row for the step `name`. Adds the row if there is
 * none. If the table is full, returns the index of the last row, which then
 * counts the time of several steps. */
static unsigned
step_find(const char *name)
{
    for (unsigned i = 0; i < step_count; i++) {
        if (strcmp(steps[i].name, name) == 0) {
            return i;
        }
    }
    if (step_count == MAX_STEPS) {
        return MAX_STEPS - 1;
    }
    steps[step_count].name = name;
    return step_count++;
}

void
jit_step_begin(const char *name)
{
    if (!is_enabled) {
        return;
    }
    double now = processor_seconds();
    steps[current].seconds += now - begin;
    begin = now;
    current = step_find(name);
}

void
jit_step_times_enable(void)
{
    is_enabled = true;
}

void
jit_step_times_write(void)
{
    jit_step_begin("end");
    for (unsigned i = 0; i < step_count; i++) {
        printf("%s\n \"%s\": %.6f", i ? "," : "{", steps[i].name,
               steps[i].seconds);
    }
    printf("}\n");
}
