/* race.h - packed records of word accesses and their ordering.
 *
 * race.c uses them for one access, word_ranges.c for the accesses of whole
 * loops. No locks: workers read and write the records with relaxed atomic
 * operations. If two workers record accesses of one word at the same time, one
 * of the two records may be lost.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_RACE_H
#define PYCUDA_CPU_CHECK_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/check/shadow.h"
#include "image/abi.h"

/* A slot: the record of one access of a 4-byte word, packed into 64 bits. The
 * fields, from the lowest bit: 1 bit: the access was atomic or volatile; 4
 * bits: mask of the accessed bytes; 10 bits: the thread; 1 bit: the record
 * merges accesses of several threads in the same time interval, and the thread
 * is the last of them; 16 bits: number of the source location; 32 bits: number
 * of the time interval (the time between two synchronization events of the
 * thread block) in which the access was made. A slot of 0 means no access. */
#define CPU_RACE_ATOMIC      ((uint64_t)1)
#define CPU_RACE_SEVERAL     ((uint64_t)1 << 15)
#define CPU_RACE_BYTES_AT    1
#define CPU_RACE_THREAD_AT   5
#define CPU_RACE_SITE_AT     16
#define CPU_RACE_INTERVAL_AT 32
/* Mask of those bits of a slot (access record) that identify who made the
 * access: the number of the time interval, and the thread. */
#define CPU_RACE_ACCESSOR 0xffffffff00007fe0u

/* Returns the linear index of the thread that made the access recorded in the
 * slot. */
static inline unsigned
cpu_race_thread(uint64_t slot)
{
    return slot >> CPU_RACE_THREAD_AT & 1023;
}

/* Returns the mask of the bytes of the word that the recorded access
 * touched. */
static inline unsigned
cpu_race_bytes(uint64_t slot)
{
    return slot >> CPU_RACE_BYTES_AT & 15;
}

/* Returns an access record (slot) that contains only the number of the current
 * time interval and `thread`. */
static inline uint64_t
cpu_race_accessor(const struct cpu_check *check, unsigned thread)
{
    return (uint64_t)check->interval << CPU_RACE_INTERVAL_AT |
           (uint64_t)thread << CPU_RACE_THREAD_AT;
}

/* Returns whether the time interval with this number (epoch_interval.c) is
 * interval `past` or an earlier one. Interval numbers wrap around, so the
 * comparison is modular. */
static inline bool
cpu_race_number_is_past(uint32_t number, uint32_t past)
{
    return number - past - 1 >= 0x7fffffffu;
}

/* Returns whether the access recorded in `slot` was made in time interval
 * number `past` or earlier. */
static inline bool
cpu_race_is_past(uint64_t slot, uint32_t past)
{
    return cpu_race_number_is_past((uint32_t)(slot >> CPU_RACE_INTERVAL_AT),
                                   past);
}

/* Returns the number of the last time interval whose accesses all happen
 * before the current ones: for global memory the last interval before the
 * launch, for shared memory the last one before the latest barrier of the
 * thread block. */
static inline uint32_t
cpu_race_past(const struct cpu_check *check, bool shared)
{
    return shared ? check->since_barrier - 1 : check->before_launch;
}

/* Stores the number of the current time interval in *slot_address, the member
 * `written` or `read` of a granule. Concurrent updates by other workers never
 * replace it by the number of an earlier interval. */
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

/* Returns whether the time interval number in *slot_address, the member
 * `written` or `read` of a granule, is `past` or an earlier one. */
static inline bool
cpu_race_stamp_is_past(const uint32_t *slot_address, uint32_t past)
{
    return cpu_race_number_is_past(
        __atomic_load_n(slot_address, __ATOMIC_RELAXED), past);
}

/* Returns the number of the site (source location), shifted to its position in
 * a slot. Assigns a number on the first use. */
uint64_t cpu_race_site(struct image_site *site);
/* Returns whether the access recorded in `slot` happens before the access that
 * `thread` makes now. */
bool cpu_race_ordered(struct cpu_check *check, uint64_t slot, unsigned thread,
                      bool shared);

/* ---- equal_writes.c: unordered writes of equal values ---- */

/* The part of a write that falls into one 4-byte word. */
struct cpu_check_write {
    const struct cpu_check_access *what;
    uint64_t value; /* the value that the kernel is about to write */
    /* address of the first byte that the write stores in this word */
    uintptr_t address;
    uint64_t bytes;
};

/* Returns whether memory already holds the value to be written. The caller
 * must load the slot (access record) of the conflicting write before the
 * call. */
bool cpu_race_write_is_equal(const struct cpu_check_write *write);
/* Waits until the write recorded in `slot` has been executed, for at most a
 * second, and returns whether memory then holds the value to be written. The
 * write in `slot` belongs to the same launch as the new write, and no
 * synchronization orders the two. */
bool cpu_race_write_becomes_equal(const struct cpu_check *check,
                                  const struct cpu_check_write *write,
                                  uint64_t slot);

/* Loads a slot (access record) of shadow memory. Loads and stores of slots are
 * relaxed atomic operations, since workers access them concurrently. */
static inline uint64_t
cpu_race_load(const uint64_t *slot_address)
{
    return __atomic_load_n(slot_address, __ATOMIC_RELAXED);
}

/* Stores a slot (access record) in shadow memory. */
static inline void
cpu_race_store(uint64_t *slot_address, uint64_t slot)
{
    __atomic_store_n(slot_address, slot, __ATOMIC_RELAXED);
}

/* Merges two access records of the same thread block and time interval:
 * returns `slot` with the bytes of `known` added. Returns `slot` unchanged if
 * they cannot be merged. */
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

/* Records a read of a word in one of the two read slots of the word. Uses the
 * first slot that is free, or whose read happens before the new read or was
 * made by the same thread in the same time interval. If neither slot is
 * suitable, merges the read into the second slot where possible. The caller
 * updates the member `read` of the granule, the time interval of its latest
 * read. */
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

/* Clears those read slots of a word whose bytes are all overwritten by the
 * write recorded in `slot`. Such a read need not be stored any more: an access
 * that conflicts with it conflicts with the write too. */
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

/* A run: consecutive words in memory. Successive threads access them in order,
 * or one thread accesses all of them. */
struct cpu_check_run {
    struct cpu_shadow_granule *granule;
    /* index of the run's first word in its granule (64 KiB of memory), in
     * 4-byte words */
    uintptr_t at;
    /* Number of words in the run. */
    uint64_t count;
    /* Linear index of the thread that accesses the first `wide` words of the
     * run. The thread with index linear + linear_step accesses the next `wide`
     * words, and so on. */
    unsigned linear;
    int linear_step;
    /* Number of consecutive words that each thread accesses. */
    unsigned wide;
    /* true: in the loop over the threads of the block, no word of the run is
     * accessed by more than one thread */
    bool alone;
};

/* Returns the linear index of the thread that accesses word `i` of the run
 * (consecutive words). */
static inline unsigned
cpu_check_run_thread(const struct cpu_check_run *run, uint64_t i)
{
    return run->linear + (unsigned)run->linear_step *
                             (unsigned)(run->wide > 1 ? i / run->wide : i);
}

/* ---- span_reads.c: reads of consecutive words by consecutive threads ---- */

/* Records reads of a span (16 consecutive words), or of `count` of its words.
 * `slot` describes the read of the first word; each next word is read by the
 * next thread. Returns false if the caller must record the reads word by
 * word. */
bool cpu_race_span_read(struct cpu_check *check,
                        struct cpu_shadow_granule *granule, uintptr_t at,
                        uint64_t count, uint64_t slot, bool shared);
/* Returns whether all recorded reads of the words in `run` happen before the
 * accesses that are being checked now. Looks only at reads that are recorded
 * for whole spans (16 consecutive words), not at those of single words. */
bool cpu_race_spans_ordered(struct cpu_check *check,
                            const struct cpu_check_run *run, bool shared);
/* Returns the access record (slot) of a read of one word, computed from a span
 * record. A span is 16 consecutive words, and a span record stands for reads
 * of all of them. A span has two such records; `which` (0 or 1) selects one.
 * Returns 0 if there is none. */
static inline uint64_t
cpu_race_span_slot(const struct cpu_shadow_granule *granule, int which,
                   uintptr_t at)
{
    uint64_t known =
        cpu_race_load(&granule->spans[which][at / CPU_SHADOW_SPAN]);

    return known ? known + (at % CPU_SHADOW_SPAN << CPU_RACE_THREAD_AT) : 0;
}

#endif
