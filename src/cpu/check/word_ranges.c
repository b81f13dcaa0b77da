/* word_ranges.c - race check of access ranges, word by word.
 *
 * Called by loop_accesses.c for ranges that do not conflict with each other,
 * and by pending_accesses.c. All words of a range are checked first; its
 * accesses are recorded only if there is no conflict. The time of the last
 * write and read of a whole granule (64 KiB) often shows that its words need
 * not be examined.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cpu/check/access_range.h"
#include "cpu/check/race.h"
#include "image/abi.h"

/* A slot is the record of one access. It contains the number of the time
 * interval of the access: the time between two synchronization events of a
 * thread block, such as barriers. The age of a slot is that number minus the
 * number of the first interval whose accesses may conflict, modulo 2^32. An
 * age of PAST_AGE or more means a negative difference: the access cannot
 * conflict. */
#define PAST_AGE ((int64_t)0x7fffffff)

#define LANES 4
/* number of 4-byte words that slots_record handles at once */
#define BATCH 8

typedef uint64_t lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t masks __attribute__((vector_size(8 * LANES)));
typedef double doubles __attribute__((vector_size(8 * LANES)));

/* Access records (slots) to store for reads of consecutive words: `slot` for
 * the first word, and a value greater by `step` for each next word. */
struct readers {
    uint64_t slot, step;
    /* number of the first time interval (epoch_interval.c) whose accesses may
     * conflict */
    uint64_t since;
    /* number of the time interval that the thread block is in now */
    uint64_t interval;
    /* Access records whose age (see PAST_AGE) is less than this value belong
     * to thread blocks that may run at the same time as this one. */
    int64_t others;
};

static inline lanes
lanes_load(const uint64_t *from)
{
    lanes loaded;

    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

static inline bool
all_of(masks which)
{
#ifdef __AVX__
    return __builtin_ia32_movmskpd256((doubles)which) == 15;
#else
    return (which[0] & which[1] & which[2] & which[3]) != 0;
#endif
}

static inline masks
lanes_age(const struct readers *readers, lanes known)
{
    return (masks)(((known >> CPU_RACE_INTERVAL_AT) - readers->since) &
                   0xffffffffu);
}

static inline masks
lanes_are_free(const struct readers *readers, lanes known)
{
    return lanes_age(readers, known) >= PAST_AGE;
}

/* Returns whether all accesses recorded in the slots (access records) were
 * made in time interval number `past` or earlier. */
static inline bool
slots_are_past(const uint64_t *slots, uint64_t count, uint32_t past)
{
    const struct readers since = {.since = (uint64_t)past + 1};
    masks all = {-1, -1, -1, -1};
    uint64_t i = 0;

    for (; i + LANES <= count; i += LANES) {
        all &= lanes_are_free(&since, lanes_load(slots + i));
    }
    bool rest = all_of(all);
    for (; rest && i < count; i++) {
        rest = cpu_race_is_past(slots[i], past);
    }
    return rest;
}

static bool
slots_are_ordered(struct cpu_check *check, const struct cpu_check_run *run,
                  const uint64_t *slots, bool shared)
{
    for (uint64_t i = 0; i < run->count; i++) {
        unsigned thread = cpu_check_run_thread(run, i);
        if (!cpu_race_ordered(check, slots[i], thread, shared) ||
            (!run->alone &&
             slots[i] >> CPU_RACE_INTERVAL_AT == check->interval)) {
            return false;
        }
    }
    return true;
}

static inline bool
run_slots_are_ordered(struct cpu_check *check, const struct cpu_check_run *run,
                      const uint64_t *slots, bool shared)
{
    return slots_are_past(slots, run->count, cpu_race_past(check, shared)) ||
           slots_are_ordered(check, run, slots, shared);
}

typedef bool run_visitor(struct cpu_check *check,
                         const struct cpu_check_range *range,
                         const struct cpu_check_run *run);

static inline bool
run_is_race_free(struct cpu_check *check, const struct cpu_check_range *range,
                 const struct cpu_check_run *run)
{
    struct cpu_shadow_granule *granule = run->granule;
    uint32_t past = cpu_race_past(check, range->shared);

    return (cpu_race_stamp_is_past(&granule->written, past) ||
            run_slots_are_ordered(check, run, granule->writes + run->at,
                                  range->shared)) &&
           (!(range->flags & IMAGE_SITE_WRITE) ||
            cpu_race_stamp_is_past(&granule->read, past) ||
            (run_slots_are_ordered(check, run, granule->reads[0] + run->at,
                                   range->shared) &&
             run_slots_are_ordered(check, run, granule->reads[1] + run->at,
                                   range->shared) &&
             cpu_race_spans_ordered(check, run, range->shared)));
}

static inline masks
lanes_are_own(lanes known, lanes mine)
{
    return ((known ^ mine) & CPU_RACE_ACCESSOR) == 0;
}

/* `known` has the recorded read of each word in a SIMD vector of words.
 * Returns a mask of the lanes whose recorded read is kept, so that the new
 * read is not recorded. It is kept if it was made after the latest
 * synchronization of the running thread block, or by a thread block that may
 * run at the same time. */
static inline masks
lanes_are_unchanged(const struct readers *readers, lanes known)
{
    return (lanes_age(readers, known) < readers->others) |
           ((known >> CPU_RACE_INTERVAL_AT) == readers->interval);
}

static inline void
slots_fill(const struct readers *readers, uint64_t *slots)
{
    for (uint64_t i = 0; i < BATCH; i++) {
        slots[i] = readers->slot + i * readers->step;
    }
}

static inline void
lanes_store(uint64_t *slots, masks which, lanes mine)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (which[i]) {
            slots[i] = mine[i];
        }
    }
}

/* Records one read for each of LANES words (one SIMD vector), as
 * cpu_race_record_read does for one word. Returns false if the caller must
 * call cpu_race_record_read for each word instead. Stores only the slots that
 * change, because other workers may store slots at the same time, and stores
 * them one by one, because masked stores are very slow on some processors. */
static inline bool
lanes_record(const struct readers *readers, uint64_t *one, uint64_t *two,
             lanes mine)
{
    lanes first = lanes_load(one), second = lanes_load(two);
    masks free_one = lanes_are_free(readers, first);
    masks own = lanes_are_own(first, mine);
    masks other = ~free_one & ~own & lanes_are_unchanged(readers, first);
    masks free_two = other & lanes_are_free(readers, second);
    masks known = own | (other & (lanes_are_own(second, mine) |
                                  lanes_are_unchanged(readers, second)));

    if (!all_of(known)) {
        lanes_store(one, free_one, mine);
        lanes_store(two, free_two, mine);
    }
    return all_of(free_one | free_two | known);
}

/* Returns whether the first of the two read records of each of BATCH words may
 * be overwritten: it is empty, or so old that its read cannot conflict with
 * later accesses. */
static inline bool
slots_are_free(const struct readers *readers, const uint64_t *one)
{
    masks free_one = lanes_are_free(readers, lanes_load(one));

    for (unsigned i = LANES; i < BATCH; i += LANES) {
        free_one &= lanes_are_free(readers, lanes_load(one + i));
    }
    return all_of(free_one);
}

/* Records reads of BATCH words in shadow memory. *fresh is true if the read
 * records of the preceding words could be overwritten. The function then first
 * tries to overwrite the records of these words, too, and sets *fresh to false
 * if this is not possible. Returns false if the caller must record the reads
 * one by one. */
static inline bool
slots_record(const struct readers *readers, uint64_t *one, uint64_t *two,
             bool *fresh)
{
    lanes mine = readers->slot + readers->step * (lanes){0, 1, 2, 3};
    bool noted = true;

    *fresh = *fresh && slots_are_free(readers, one);
    if (*fresh) {
        slots_fill(readers, one);
        return true;
    }
    for (unsigned i = 0; i < BATCH; i += LANES) {
        noted &= lanes_record(readers, one + i, two + i, mine);
        mine += LANES * readers->step;
    }
    return noted;
}

static inline struct readers
readers_make(const struct cpu_check *check, uint64_t slot, uint64_t step,
             bool shared)
{
    uint32_t past = cpu_race_past(check, shared);
    bool alone = shared || check->acquired;

    return (struct readers){
        .slot = slot,
        .step = step,
        .since = (uint64_t)past + 1,
        .interval = check->interval,
        .others = alone ? 0 : (int64_t)(check->first_interval - past - 1)};
}

/* Records reads of consecutive words in shadow memory: each word is read by a
 * different thread, or all words are read by one thread. The last BATCH words
 * may be recorded twice, which has no effect. */
static void
slots_record_reads(struct cpu_check *check, struct cpu_shadow_granule *granule,
                   uintptr_t at, uint64_t count, uint64_t slot, uint64_t step,
                   bool shared)
{
    struct readers readers = readers_make(check, slot, step, shared);
    uint64_t most = count < BATCH ? count : BATCH;
    bool fresh = true;

    while (count) {
        if (count < most) {
            at -= most - count;
            readers.slot -= (most - count) * step;
            count = most;
            fresh = false;
        }
        bool noted =
            most == BATCH && slots_record(&readers, granule->reads[0] + at,
                                          granule->reads[1] + at, &fresh);

        for (uint64_t i = 0; !noted && i < most; i++) {
            cpu_race_record_read(check, granule, at + i,
                                 readers.slot + i * step, shared);
        }
        at += most;
        count -= most;
        readers.slot += most * step;
    }
}

/* Records reads of spans (16 words) that have no earlier readers, LANES spans
 * (one SIMD vector of records) at a time. Returns the number of words
 * recorded. */
static uint64_t
spans_fill(const struct readers *readers, struct cpu_shadow_granule *granule,
           uintptr_t at, uint64_t count)
{
    const uint64_t next = CPU_SHADOW_SPAN * readers->step;
    uint64_t *readers_at = granule->spans[0] + at / CPU_SHADOW_SPAN;
    lanes mine = readers->slot + next * (lanes){0, 1, 2, 3};
    uint64_t done = 0;

    while (at % CPU_SHADOW_SPAN == 0 &&
           count - done >= LANES * CPU_SHADOW_SPAN &&
           all_of(lanes_are_free(readers, lanes_load(readers_at)))) {
        memcpy(readers_at, &mine, sizeof mine);
        mine += LANES * next;
        readers_at += LANES;
        done += LANES * CPU_SHADOW_SPAN;
    }
    return done;
}

/* Records reads of words by consecutive threads. Where possible, a whole span
 * (16 words) gets only one access record. */
static void
slots_record_consecutive(struct cpu_check *check,
                         const struct cpu_check_run *run, uint64_t slot,
                         bool shared)
{
    const uint64_t step = (uint64_t)1 << CPU_RACE_THREAD_AT;
    struct readers readers = readers_make(check, slot, step, shared);
    uint64_t start = spans_fill(&readers, run->granule, run->at, run->count);
    /* Index in the run of the first word whose read is not recorded yet. */
    uint64_t i = start;

    while (i < run->count) {
        uintptr_t at = run->at + i;
        uint64_t n = CPU_SHADOW_SPAN - at % CPU_SHADOW_SPAN;

        n = n < run->count - i ? n : run->count - i;
        bool noted = cpu_race_span_read(check, run->granule, at, n,
                                        slot + i * step, shared);
        i += n;
        if (noted || i == run->count) {
            uint64_t end = noted ? i - n : i;

            if (end > start) {
                slots_record_reads(check, run->granule, run->at + start,
                                   end - start, slot + start * step, step,
                                   shared);
            }
            start = i;
        }
    }
}

static inline void
run_record_reads(struct cpu_check *check, const struct cpu_check_run *run,
                 uint64_t slot, bool shared)
{
    uint64_t step = (uint64_t)run->linear_step << CPU_RACE_THREAD_AT;

    for (uint64_t i = 0; run->wide > 1 && i < run->count; i++) {
        uint64_t thread = cpu_check_run_thread(run, i) - run->linear;
        cpu_race_record_read(check, run->granule, run->at + i,
                             slot + (thread << CPU_RACE_THREAD_AT), shared);
    }
    if (run->wide == 1 && run->linear_step == 1) {
        slots_record_consecutive(check, run, slot, shared);
    } else if (run->wide == 1) {
        slots_record_reads(check, run->granule, run->at, run->count, slot,
                           step, shared);
    }
}

static inline void
slots_clear(uint64_t *slots, uint64_t count)
{
    uint64_t any = 0;

    for (uint64_t i = 0; i < count; i++) {
        any |= slots[i];
    }
    if (any) {
        memset(slots, 0, count * sizeof *slots);
    }
}

static inline void
run_record_writes(struct cpu_check *check, const struct cpu_check_run *run,
                  uint64_t slot, bool shared)
{
    uint64_t *writes = run->granule->writes + run->at;
    uint64_t step = (uint64_t)run->linear_step << CPU_RACE_THREAD_AT;

    cpu_race_stamp(check, &run->granule->written);
    if (!cpu_race_stamp_is_past(&run->granule->read,
                                cpu_race_past(check, shared))) {
        slots_clear(run->granule->reads[0] + run->at, run->count);
        slots_clear(run->granule->reads[1] + run->at, run->count);
    }
    for (uint64_t i = 0; run->wide == 1 && i < run->count; i++) {
        writes[i] = slot + i * step;
    }
    for (uint64_t i = 0; run->wide > 1 && i < run->count; i++) {
        uint64_t thread = cpu_check_run_thread(run, i) - run->linear;
        writes[i] = slot + (thread << CPU_RACE_THREAD_AT);
    }
}

static inline uint64_t
range_slot(struct cpu_check *check, const struct cpu_check_range *range,
           unsigned linear)
{
    return cpu_race_accessor(check, linear) | range->site |
           (uint64_t)15 << CPU_RACE_BYTES_AT;
}

static inline bool
run_record(struct cpu_check *check, const struct cpu_check_range *range,
           const struct cpu_check_run *run)
{
    uint64_t slot = range_slot(check, range, run->linear);

    if (range->flags & IMAGE_SITE_READ) {
        cpu_race_stamp(check, &run->granule->read);
        run_record_reads(check, run, slot, range->shared);
    }
    if (range->flags & IMAGE_SITE_WRITE) {
        run_record_writes(check, run, slot, range->shared);
    }
    return true;
}

/* Calls `visit` for `words` consecutive words from `address` on, in parts that
 * do not cross the end of a granule (64 KiB). Stops and returns false if a
 * call returns false. */
static inline __attribute__((always_inline)) bool
run_visit(struct cpu_check *check, const struct cpu_check_range *range,
          struct cpu_check_run *run, uintptr_t address, uint64_t words,
          run_visitor *visit)
{
    while (words) {
        uintptr_t at = address % CPU_SHADOW_GRANULE / 4;
        uint64_t n = CPU_SHADOW_WORDS - at;

        n = n < words ? n : words;
        run->granule =
            range->granule ? range->granule : cpu_shadow_granule_get(address);
        run->at = at;
        run->count = n;
        if (!run->granule || (n < words && run->wide > 1) ||
            !visit(check, range, run)) {
            return false;
        }
        run->linear += (unsigned)run->linear_step * (unsigned)n;
        address += 4 * n;
        words -= n;
    }
    return true;
}

/* Shadow memory keeps at most two reads per word (two read slots), so
 * recording reads by more threads changes nothing. */
enum { MAX_READERS = 2 };

/* Calls `visit` for the inner loop of the range, for one iteration of the
 * outer loop. If all inner iterations have the same address, it visits only
 * the first MAX_READERS of them. */
static inline __attribute__((always_inline)) bool
range_visit_row(struct cpu_check *check, const struct cpu_check_range *range,
                uintptr_t address, unsigned linear, bool alone,
                run_visitor *visit)
{
    uint64_t words = range->bytes / 4;
    bool adjacent = range->step[0] == (int64_t)range->bytes;
    uint64_t rounds = adjacent ? 1 : range->count[0];
    bool same = !range->step[0] && range->count[0] > 1;

    if (same && rounds > MAX_READERS) {
        rounds = MAX_READERS;
    }
    for (uint64_t x = 0; x < rounds; x++) {
        struct cpu_check_run run = {
            .linear = linear + (unsigned)range->linear_step[0] * (unsigned)x,
            .linear_step = adjacent ? range->linear_step[0] : 0,
            .wide = (unsigned)words,
            .alone = alone && !(same && range->linear_step[0])};

        if (!run.linear_step) {
            run.wide = 1;
        }
        if (!run_visit(check, range, &run,
                       address + x * (uint64_t)range->step[0],
                       adjacent ? words * range->count[0] : words, visit)) {
            return false;
        }
    }
    return true;
}

static inline __attribute__((always_inline)) bool
range_visit(struct cpu_check *check, const struct cpu_check_range *range,
            run_visitor *visit)
{
    bool same = !range->step[1] && range->count[1] > 1;
    uint64_t rows =
        same && range->count[1] > MAX_READERS ? MAX_READERS : range->count[1];

    for (uint64_t y = 0; y < rows; y++) {
        if (!range_visit_row(
                check, range, range->address + y * (uint64_t)range->step[1],
                range->linear + (unsigned)range->linear_step[1] * (unsigned)y,
                !(same && range->linear_step[1]), visit)) {
            return false;
        }
    }
    return true;
}

/* ---- a word that all threads of a row read ---- */

static bool
is_broadcast(const struct cpu_check_range *range)
{
    return range->granule && range->bytes == 4 && !range->step[0] &&
           range->count[0] > 1 && range->linear_step[0] &&
           (range->step[1] || range->count[1] == 1) &&
           !(range->flags & IMAGE_SITE_WRITE);
}

static bool
broadcast_is_race_free(struct cpu_check *check,
                       const struct cpu_check_range *range)
{
    uint32_t past = cpu_race_past(check, range->shared);

    if (cpu_race_stamp_is_past(&range->granule->written, past)) {
        return true;
    }
    for (uint64_t y = 0; y < range->count[1]; y++) {
        uintptr_t at = range->address + y * (uint64_t)range->step[1];
        uint64_t slot = range->granule->writes[at % CPU_SHADOW_GRANULE / 4];
        struct cpu_check_run run = {
            .linear = range->linear, .wide = 1, .count = 1};

        if (!cpu_race_is_past(slot, past) &&
            !slots_are_ordered(check, &run, &slot, range->shared)) {
            return false;
        }
    }
    return true;
}

static void
broadcast_record(struct cpu_check *check, const struct cpu_check_range *range)
{
    uint32_t past = cpu_race_past(check, range->shared);
    struct cpu_shadow_granule *granule = range->granule;
    uint64_t next = (uint64_t)range->linear_step[0] << CPU_RACE_THREAD_AT;

    cpu_race_stamp(check, &granule->read);
    for (uint64_t y = 0; y < range->count[1]; y++) {
        uintptr_t at = (range->address + y * (uint64_t)range->step[1]) %
                       CPU_SHADOW_GRANULE / 4;
        uint64_t one = granule->reads[0][at], two = granule->reads[1][at];
        uint64_t slot = range_slot(
            check, range,
            range->linear + (unsigned)range->linear_step[1] * (unsigned)y);

        if (cpu_race_is_past(one, past) && cpu_race_is_past(two, past)) {
            granule->reads[0][at] = slot;
            granule->reads[1][at] = slot + next;
        } else if (one >> CPU_RACE_INTERVAL_AT != check->interval ||
                   two >> CPU_RACE_INTERVAL_AT != check->interval) {
            cpu_race_record_read(check, granule, at, slot, range->shared);
            cpu_race_record_read(check, granule, at, slot + next,
                                 range->shared);
        }
    }
}

/* ---- adjacent reads of bytes and half-words ---- */

static bool
is_narrow(const struct cpu_check_range *range)
{
    return range->bytes < 4 && range->address % range->bytes == 0 &&
           (range->step[0] == (int64_t)range->bytes || range->count[0] == 1) &&
           range->count[1] == 1 && range->granule && !range->shared &&
           !(range->flags & IMAGE_SITE_WRITE);
}

static bool
narrow_is_race_free(struct cpu_check *check,
                    const struct cpu_check_range *range)
{
    return cpu_race_stamp_is_past(&range->granule->written,
                                  cpu_race_past(check, false));
}

static inline uint64_t
narrow_slot(struct cpu_check *check, const struct cpu_check_range *range,
            uint64_t round)
{
    uintptr_t at = range->address + round * range->bytes;
    uint64_t bytes = ((1u << range->bytes) - 1) << at % 4;
    unsigned linear =
        range->linear + (unsigned)range->linear_step[0] * (unsigned)round;

    return cpu_race_accessor(check, linear) | range->site |
           bytes << CPU_RACE_BYTES_AT;
}

/* Records reads of bytes or half-words. Since a word has only two read slots,
 * not all reads are kept; those that are kept are the same as if each
 * iteration were recorded separately. */
static void
narrow_record(struct cpu_check *check, const struct cpu_check_range *range)
{
    uint32_t past = cpu_race_past(check, false);
    struct cpu_shadow_granule *granule = range->granule;
    uint64_t whole = 4 / range->bytes;
    bool apart = range->linear_step[0] != 0;

    cpu_race_stamp(check, &granule->read);
    for (uint64_t x = 0; x < range->count[0];) {
        uintptr_t byte = range->address + x * range->bytes;
        uintptr_t at = byte % CPU_SHADOW_GRANULE / 4;
        bool fresh = cpu_race_is_past(granule->reads[0][at], past) &&
                     cpu_race_is_past(granule->reads[1][at], past);

        if (fresh && apart && byte % 4 == 0 && x + whole <= range->count[0]) {
            uint64_t one = narrow_slot(check, range, x);
            uint64_t rest = (uint64_t)(15 & ~cpu_race_bytes(one));

            x += whole;
            granule->reads[0][at] = one;
            granule->reads[1][at] = narrow_slot(check, range, x - 1) |
                                    rest << CPU_RACE_BYTES_AT |
                                    (whole > 2 ? CPU_RACE_SEVERAL : 0);
        } else {
            cpu_race_record_read(check, granule, at,
                                 narrow_slot(check, range, x), false);
            x++;
        }
    }
}

/* ---- all kinds of ranges ---- */

/* Returns whether the range consists of accesses of whole, aligned 4-byte
 * words. */
static bool
is_whole_words(const struct cpu_check_range *range)
{
    return range->bytes % 4 == 0 && range->address % 4 == 0 &&
           range->step[0] % 4 == 0 && range->step[1] % 4 == 0;
}

/* Returns whether no access recorded for the granule (64 KiB) of the range can
 * conflict: its latest write and, if the range is written, its latest read are
 * older than the launch or, for shared memory, than the last barrier. */
static bool
granule_is_past(const struct cpu_check *check,
                const struct cpu_check_range *range)
{
    uint32_t past = cpu_race_past(check, range->shared);

    return range->granule &&
           cpu_race_stamp_is_past(&range->granule->written, past) &&
           (!(range->flags & IMAGE_SITE_WRITE) ||
            cpu_race_stamp_is_past(&range->granule->read, past));
}

bool
cpu_check_range_is_race_free(struct cpu_check *check,
                             const struct cpu_check_range *range)
{
    if (range->shared && is_whole_words(range) &&
        cpu_check_pending_is_disjoint(check, range)) {
        return true;
    }
    if (is_narrow(range)) {
        return narrow_is_race_free(check, range);
    }
    if (is_whole_words(range) && granule_is_past(check, range)) {
        return true;
    }
    return is_whole_words(range) &&
           (is_broadcast(range) ? broadcast_is_race_free(check, range)
                                : range_visit(check, range, run_is_race_free));
}

void
cpu_check_range_record(struct cpu_check *check,
                       const struct cpu_check_range *range)
{
    if (is_narrow(range)) {
        narrow_record(check, range);
    } else if (is_broadcast(range)) {
        broadcast_record(check, range);
    } else {
        range_visit(check, range, run_record);
    }
}
