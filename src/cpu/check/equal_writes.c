/* equal_writes.c - compares the values of two unordered writes.
 *
 * Called by race.c on the worker's thread when two unordered writes of the
 * same bytes conflict. A write is recorded before it is executed, so memory
 * may not contain the value of the other thread block's write yet. If memory
 * does not contain the value of the new write, cpu_race_write_becomes_equal
 * waits until the other thread block has executed its write, and compares
 * again. No locks.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "cpu/check/race.h"
#include "cpu/device/clock.h"
#include "image/abi.h"

/* Times in ns: a check waits at most MAX_WAIT_NS until another thread block
 * has executed its write, and sleeps PAUSE_NS between two tests. */
#define MAX_WAIT_NS 1000000000
#define PAUSE_NS    20000

bool
cpu_race_write_is_equal(const struct cpu_check_write *write)
{
    unsigned flags = write->what->site->flags;
    const void *now = (const void *)write->address; // NOLINT
    uint32_t filled = (uint8_t)write->value * 0x01010101u;
    const char *from = flags & IMAGE_SITE_COPY
                           ? (const char *)(uintptr_t)write->value // NOLINT
                           : (const char *)&write->value;

    if (flags & IMAGE_SITE_FILL) {
        return memcmp(now, &filled, write->bytes) == 0;
    }
    return !(flags & IMAGE_SITE_READ) &&
           (flags & IMAGE_SITE_COPY ||
            write->what->bytes <= sizeof write->value) &&
           memcmp(now, from + (write->address - write->what->address),
                  write->bytes) == 0;
}

/* Returns whether the write recorded in `slot` has certainly been executed. */
static bool
write_is_done(const struct cpu_check *check, uint64_t slot)
{
    uint32_t number = (uint32_t)(slot >> CPU_RACE_INTERVAL_AT);
    const struct cpu_check_interval *then = cpu_check_interval_find(number);

    return !then || then->block == (uint32_t)check->block ||
           cpu_check_interval_has_ended(number);
}

bool
cpu_race_write_becomes_equal(const struct cpu_check *check,
                             const struct cpu_check_write *write,
                             uint64_t slot)
{
    static const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const struct image_site *site = write->what->site;
    uint64_t start = cpu_now_ns();

    if (site->flags & IMAGE_SITE_READ) {
        return false;
    }
    for (;;) {
        /* Test before reading memory: if the other write is done at the time
         * of the test, cpu_race_write_is_equal reads the value that it has
         * stored. */
        bool done = write_is_done(check, slot);

        if (cpu_race_write_is_equal(write)) {
            return true;
        }
        if (done || cpu_check_is_reported(site, "block-race") ||
            cpu_now_ns() - start > MAX_WAIT_NS) {
            return false;
        }
        nanosleep(&pause, NULL);
    }
}
