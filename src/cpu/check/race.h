/* race.h - accesses of a word, packed, and which of them are ordered.
 *
 * Shared by race.c, which looks at one access, and loop_accesses.c, which
 * looks at those of whole loops.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_RACE_H
#define PYCUDA_CPU_CHECK_RACE_H

#include "cpu/check/shadow.h"

/* One access of a word, as 64 bits: from the lowest on, was it atomic or
 * volatile (1), which of the four bytes (4), the thread (10), are the bytes
 * those of several threads of the interval, of which it is the last (1), the
 * site's number (16) and that of the interval (32).  0: none. */
#define CPU_RACE_ATOMIC      ((uint64_t)1)
#define CPU_RACE_SEVERAL     ((uint64_t)1 << 15)
#define CPU_RACE_BYTES_AT    1
#define CPU_RACE_THREAD_AT   5
#define CPU_RACE_SITE_AT     16
#define CPU_RACE_INTERVAL_AT 32
/* Interval and thread. */
#define CPU_RACE_ACCESSOR 0xffffffff00007fe0u

static inline unsigned
cpu_race_thread(uint64_t slot)
{
    return slot >> CPU_RACE_THREAD_AT & 1023;
}

static inline unsigned
cpu_race_bytes(uint64_t slot)
{
    return slot >> CPU_RACE_BYTES_AT & 15;
}

static inline uint64_t
cpu_race_accessor(const struct cpu_check *check, unsigned thread)
{
    return (uint64_t)check->interval << CPU_RACE_INTERVAL_AT |
           (uint64_t)thread << CPU_RACE_THREAD_AT;
}

/* Is the interval one that `past` had seen the end of?  `past` is
 * before_launch, or since_barrier - 1 for a block's shared memory. */
static inline bool
cpu_race_number_is_past(uint32_t number, uint32_t past)
{
    return number - past - 1 >= 0x7fffffffu;
}

static inline bool
cpu_race_is_past(uint64_t slot, uint32_t past)
{
    return cpu_race_number_is_past((uint32_t)(slot >> CPU_RACE_INTERVAL_AT),
                                   past);
}

static inline uint32_t
cpu_race_past(const struct cpu_check *check, bool shared)
{
    return shared ? check->since_barrier - 1 : check->before_launch;
}

/* Notes in a granule's `written` or `read` that it was, now.  What other
 * workers note at the same time may not make it older. */
static inline void
cpu_race_stamp(const struct cpu_check *check, uint32_t *slot_address)
{
    uint32_t known = __atomic_load_n(slot_address, __ATOMIC_RELAXED);

    while (known != check->interval &&
           (cpu_race_number_is_past(known, check->before_launch) ||
            (int32_t)(check->interval - known) > 0) &&
           !__atomic_compare_exchange_n(slot_address, &known, check->interval,
                                        true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
}

/* Did nobody write, or read, any word of the granule since `past`? */
static inline bool
cpu_race_stamp_is_past(const uint32_t *slot_address, uint32_t past)
{
    return cpu_race_number_is_past(
        __atomic_load_n(slot_address, __ATOMIC_RELAXED), past);
}

/* The site's number, as part of a slot. */
uint64_t cpu_race_site(struct image_site *site);
/* Is what the slot says done before what `thread` does now? */
bool cpu_race_ordered(struct cpu_check *check, uint64_t slot, unsigned thread,
                      bool shared);

/* ---- equal_writes.c: two writes of the same value ---- */

struct cpu_check_write {
    const struct cpu_check_access *what;
    uint64_t value;    /* as __pycuda_check has it */
    uintptr_t address; /* of some of the bytes, all in one word */
    uint64_t bytes;
};

/* Are the bytes to become what they are?  A slot that is compared with the
 * write was read before. */
bool cpu_race_write_is_equal(const struct cpu_check_write *write);
/* Are they once what the slot says has been done?  It is of a write of the
 * same launch that nothing orders with this one. */
bool cpu_race_write_becomes_equal(const struct cpu_check *check,
                                  const struct cpu_check_write *write,
                                  uint64_t slot);

static inline uint64_t
cpu_race_load(const uint64_t *slot_address)
{
    return __atomic_load_n(slot_address, __ATOMIC_RELAXED);
}

static inline void
cpu_race_store(uint64_t *slot_address, uint64_t slot)
{
    __atomic_store_n(slot_address, slot, __ATOMIC_RELAXED);
}

/* The slot, with other bytes that its block accessed just before, which
 * `known` tells of; the slot alone, if that does not. */
static inline uint64_t
cpu_race_merge(uint64_t slot, uint64_t known)
{
    uint64_t rest = cpu_race_bytes(known) & ~cpu_race_bytes(slot);
    uint64_t other = (known ^ slot) & CPU_RACE_ACCESSOR;

    if (!rest || other >> CPU_RACE_INTERVAL_AT ||
        (known ^ slot) & CPU_RACE_ATOMIC) {
        return slot;
    }
    return slot | rest << CPU_RACE_BYTES_AT | (known & CPU_RACE_SEVERAL) |
           (other ? CPU_RACE_SEVERAL : 0);
}

/* Notes a read in the first of two places that is free.  Who calls it stamps
 * the granule. */
static inline void
cpu_race_record_read(struct cpu_check *check,
                     struct cpu_shadow_granule *granule, uintptr_t at,
                     uint64_t slot, bool shared)
{
    uint32_t past = cpu_race_past(check, shared);
    unsigned thread = cpu_race_thread(slot);
    uint64_t *slot_address, known = 0;

    for (int i = 0; i < 2; i++) {
        slot_address = &granule->reads[i][at];
        known = cpu_race_load(slot_address);

        if (!((known ^ slot) & CPU_RACE_ACCESSOR)) {
            slot |= known & (uint64_t)15 << CPU_RACE_BYTES_AT;
            cpu_race_store(slot_address, slot);
            return;
        }
        if (cpu_race_is_past(known, past) ||
            cpu_race_ordered(check, known, thread, shared)) {
            cpu_race_store(slot_address, slot);
            return;
        }
    }
    if (cpu_race_merge(slot, known) != slot) {
        cpu_race_store(slot_address, cpu_race_merge(slot, known));
    }
}

/* What was read before a write of the same bytes nobody needs to know. */
static inline void
cpu_race_clear_reads(struct cpu_shadow_granule *granule, uintptr_t at,
                     uint64_t slot)
{
    for (int i = 0; i < 2; i++) {
        uint64_t *slot_address = &granule->reads[i][at];

        if (cpu_race_bytes(cpu_race_load(slot_address)) &
            cpu_race_bytes(slot)) {
            cpu_race_store(slot_address, 0);
        }
    }
}

/* One line of words that belong to one row of threads, or to one thread. */
struct cpu_check_run {
    struct cpu_shadow_granule *granule;
    uintptr_t at;    /* the first word */
    uint64_t count;  /* words */
    unsigned linear; /* of the first word's thread */
    int linear_step;
    unsigned wide; /* words of a thread */
    bool alone;    /* no other thread's turn follows for these words */
};

static inline unsigned
cpu_check_run_thread(const struct cpu_check_run *run, uint64_t i)
{
    return run->linear + (unsigned)run->linear_step *
                             (unsigned)(run->wide > 1 ? i / run->wide : i);
}

/* ---- span_reads.c: reads of words that lie together, by threads in turn ---- */

/* Notes reads of a span, or of `count` of its words; `slot` is that of the
 * first, each next one is read by the next thread.  false: they have to be
 * noted word by word. */
bool cpu_race_span_read(struct cpu_check *check,
                        struct cpu_shadow_granule *granule, uintptr_t at,
                        uint64_t count, uint64_t slot, bool shared);
/* Are all reads of whole spans ordered with accesses of the line? */
bool cpu_race_spans_ordered(struct cpu_check *check,
                            const struct cpu_check_run *run, bool shared);
/* The slot of one of two readers of the word as part of a span; 0: none. */
static inline uint64_t
cpu_race_span_slot(const struct cpu_shadow_granule *granule, int which,
                   uintptr_t at)
{
    uint64_t known =
        cpu_race_load(&granule->spans[which][at / CPU_SHADOW_SPAN]);

    return known ? known + (at % CPU_SHADOW_SPAN << CPU_RACE_THREAD_AT) : 0;
}

#endif
