/* rows.c - all accesses of a loop, looked at before it begins.
 *
 * Called by the code of kernels (src/jit/checks/rows.c) for loops whose
 * addresses grow by the same amount each round: a row of threads, or a loop
 * of one thread.  Says yes only if no access is wrong by any check, whatever
 * order they come in, and then notes them as if each had been looked at.
 * Else nothing is noted, and they are looked at one by one.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "cpu/check/area.h"
#include "cpu/check/race.h"

enum {
    MOST_ROWS = 64,
    MOST_ROUNDS = 1 << 20,
};

/* ---- memory ---- */

static bool
memory_is_right(struct cpu_check *check, const struct cpu_check_area *area)
{
    struct cpu_check_access access = {
        area->low, area->high - area->low, (uintptr_t)area->row->object,
        area->row->object_bytes, area->row->site};
    unsigned alignment = area->row->site->alignment;

    if (area->flags & IMAGE_SITE_NO_MEMORY) {
        return true;
    }
    for (int i = 0; alignment > 1 && i < 2; i++) {
        if (area->count[i] > 1 && area->step[i] % (int64_t)alignment) {
            return false;
        }
    }
    return (access.object || !area->stack) &&
           cpu_check_memory_is_right(check, &access);
}

/* ---- what was written ---- */

/* Calls for each run of bytes that lie together; ends when one says yes. */
typedef bool visit_bytes(uintptr_t address, uint64_t bytes,
                         const uint8_t *known);

static inline bool
bytes_unset(uintptr_t address, uint64_t bytes, const uint8_t *known)
{
    uint32_t word;

    if (!known) {
        return cpu_check_unset(address, bytes);
    }
    known += address % CPU_SHADOW_GRANULE;
    if (bytes != sizeof word) {
        return memchr(known, 1, bytes) != NULL;
    }
    memcpy(&word, known, sizeof word);
    return word != 0;
}

static inline __attribute__((always_inline)) bool
runs_visit(const struct cpu_check_area *area, visit_bytes *visit)
{
    bool row = area->step[0] == (int64_t)area->bytes || !area->step[0] ||
               area->count[0] == 1;
    bool one = area->low / CPU_SHADOW_GRANULE ==
               (area->high - 1) / CPU_SHADOW_GRANULE;
    const uint8_t *known =
        one ? cpu_shadow_find(CPU_SHADOW_BYTES, area->low) : NULL;
    uint64_t rounds = row ? 1 : area->count[0];
    uint64_t bytes =
        row && area->step[0] ? area->bytes * area->count[0] : area->bytes;
    uint64_t rows = area->step[1] ? area->count[1] : 1;

    if (one && !known) {
        return false;
    }
    for (uint64_t y = 0; y < rows; y++) {
        uintptr_t at = area->address + y * (uint64_t)area->step[1];
        for (uint64_t x = 0; x < rounds; x++) {
            if (visit(at, bytes, known)) {
                return true;
            }
            at += (uintptr_t)area->step[0];
        }
    }
    return false;
}

static inline bool
bytes_write(uintptr_t address, uint64_t bytes, const uint8_t *known)
{
    if (bytes_unset(address, bytes, known)) {
        cpu_check_mark(address, bytes, true);
    }
    return false;
}

/* ---- races ---- */

/* Do two threads never mean the same byte? */
static bool
threads_are_apart(const struct cpu_check_area *area)
{
    bool several[2];
    uint64_t size[2], reach[2];

    for (int i = 0; i < 2; i++) {
        several[i] = area->count[i] > 1;
        size[i] = cpu_check_area_size(area->step[i]);
        reach[i] = size[i] * (area->count[i] - 1) + area->bytes;
    }
    if (!(several[0] && area->linear_step[0]) &&
        !(several[1] && area->linear_step[1])) {
        return true;
    }
    return ((!several[0] || size[0] >= area->bytes) &&
            (!several[1] || size[1] >= reach[0])) ||
           ((!several[1] || size[1] >= area->bytes) &&
            (!several[0] || size[0] >= reach[1]));
}

static bool
is_same_way(const struct cpu_check_area *one, const struct cpu_check_area *two)
{
    return one->address == two->address && one->bytes == two->bytes &&
           one->linear == two->linear &&
           !memcmp(one->count, two->count, sizeof one->count) &&
           (one->count[0] == 1 || one->step[0] == two->step[0]) &&
           (one->count[1] == 1 || one->step[1] == two->step[1]);
}

/* Can no two of the loop's own accesses be at odds? */
static bool
areas_are_apart(const struct cpu_check_area *areas, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool writes = areas[i].flags & IMAGE_SITE_WRITE;

        if (writes && !threads_are_apart(&areas[i])) {
            return false;
        }
        for (unsigned k = 0; k < i; k++) {
            if ((writes || areas[k].flags & IMAGE_SITE_WRITE) &&
                areas[i].low < areas[k].high && areas[k].low < areas[i].high &&
                !is_same_way(&areas[i], &areas[k])) {
                return false;
            }
        }
    }
    return true;
}

/* One line of words that belong to one row of threads, or to one thread. */
struct line {
    struct cpu_check_words *words;
    uintptr_t at;    /* the first word */
    uint64_t count;  /* words */
    unsigned linear; /* of the first word's thread */
    int linear_step;
    unsigned wide; /* words of a thread */
    bool alone;    /* no other thread's turn follows for these words */
};

static inline bool
line_is_past(const uint64_t *slots, uint64_t count, uint32_t past)
{
    uint32_t recent = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)(slots[i] >> CPU_RACE_INTERVAL_AT);
        recent |= (uint32_t)(number - past - 1 < 0x7fffffffu);
    }
    return !recent;
}

static inline unsigned
line_thread(const struct line *line, uint64_t i)
{
    return line->linear + (unsigned)line->linear_step *
                              (unsigned)(line->wide > 1 ? i / line->wide : i);
}

static bool
slots_are_ordered(struct cpu_check *check, const struct line *line,
                  const uint64_t *slots, bool shared)
{
    for (uint64_t i = 0; i < line->count; i++) {
        unsigned thread = line_thread(line, i);
        if (!cpu_race_ordered(check, slots[i], thread, shared) ||
            (!line->alone &&
             slots[i] >> CPU_RACE_INTERVAL_AT == check->interval)) {
            return false;
        }
    }
    return true;
}

static inline bool
line_is_ordered(struct cpu_check *check, const struct line *line,
                const uint64_t *slots, bool shared)
{
    return line_is_past(slots, line->count, cpu_race_past(check, shared)) ||
           slots_are_ordered(check, line, slots, shared);
}

typedef bool visit_line(struct cpu_check *check,
                        const struct cpu_check_area *area,
                        const struct line *line);

static inline bool
line_is_right(struct cpu_check *check, const struct cpu_check_area *area,
              const struct line *line)
{
    struct cpu_check_words *words = line->words;

    return line_is_ordered(check, line, words->writes + line->at,
                           area->shared) &&
           (!(area->flags & IMAGE_SITE_WRITE) ||
            (line_is_ordered(check, line, words->reads[0] + line->at,
                             area->shared) &&
             line_is_ordered(check, line, words->reads[1] + line->at,
                             area->shared)));
}

/* How the accesses of some words, all of one interval or all past, stand to
 * those that follow. */
enum state {
    FREE,  /* they are done before */
    OWN,   /* they are the same threads', in this interval */
    KEPT,  /* nothing orders them */
    MIXED, /* it depends on the thread */
};

static enum state
state_now(const uint64_t *slots, uint64_t count, uint64_t slot, uint64_t step)
{
    uint64_t same = 0;

    for (uint64_t i = 0; i < count; i++) {
        same += !((slots[i] ^ (slot + i * step)) & CPU_RACE_WHO);
    }
    return same == count ? OWN : same ? MIXED : KEPT;
}

/* Of the words from the first on that are alike; sets how many. */
static enum state
state_of(struct cpu_check *check, const uint64_t *slots, uint64_t *count,
         uint64_t slot, uint64_t step, bool shared)
{
    uint32_t past = cpu_race_past(check, shared);
    uint32_t number = (uint32_t)(slots[0] >> CPU_RACE_INTERVAL_AT);
    uint64_t n = 1;

    if (cpu_race_is_past(slots[0], past)) {
        while (n < *count && cpu_race_is_past(slots[n], past)) {
            n++;
        }
        *count = n;
        return FREE;
    }
    while (n < *count &&
           (uint32_t)(slots[n] >> CPU_RACE_INTERVAL_AT) == number) {
        n++;
    }
    *count = n;
    if (number == check->interval) {
        return state_now(slots, n, slot, step);
    }
    const struct cpu_check_interval *then = cpu_check_interval_find(number);
    if (!then || then->serial != (uint32_t)check->serial) {
        return FREE;
    }
    if (then->block != (uint32_t)check->block) {
        return cpu_race_ordered(check, slots[0], 0, shared) ? FREE : KEPT;
    }
    return then->epoch != check->epoch ? FREE : MIXED;
}

static void
slots_fill(uint64_t *slots, uint64_t count, uint64_t slot, uint64_t step)
{
    for (uint64_t i = 0; i < count; i++) {
        slots[i] = slot + i * step;
    }
}

/* Notes reads of words that each belong to a thread of its own, or to one. */
static void
slots_note_reads(struct cpu_check *check, struct cpu_check_words *words,
                 uintptr_t at, uint64_t count, uint64_t slot, uint64_t step,
                 bool shared)
{
    while (count) {
        uint64_t *one = words->reads[0] + at, *two = words->reads[1] + at;
        uint64_t n = count;
        enum state state = state_of(check, one, &n, slot, step, shared);

        if (state == FREE) {
            slots_fill(one, n, slot, step);
        } else if (state == KEPT) {
            state = state_of(check, two, &n, slot, step, shared);
            if (state == FREE) {
                slots_fill(two, n, slot, step);
            }
        }
        for (uint64_t i = 0; state == MIXED && i < n; i++) {
            cpu_race_note_read(check, words, at + i, slot + i * step, shared);
        }
        at += n;
        count -= n;
        slot += n * step;
    }
}

static inline void
line_note_reads(struct cpu_check *check, const struct line *line,
                uint64_t slot, bool shared)
{
    uint64_t step = (uint64_t)line->linear_step << CPU_RACE_THREAD_AT;

    for (uint64_t i = 0; line->wide > 1 && i < line->count; i++) {
        uint64_t thread = line_thread(line, i) - line->linear;
        cpu_race_note_read(check, line->words, line->at + i,
                           slot + (thread << CPU_RACE_THREAD_AT), shared);
    }
    if (line->wide == 1) {
        slots_note_reads(check, line->words, line->at, line->count, slot, step,
                         shared);
    }
}

static inline void
line_clear(uint64_t *slots, uint64_t count)
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
line_note_writes(const struct line *line, uint64_t slot)
{
    uint64_t *writes = line->words->writes + line->at;
    uint64_t step = (uint64_t)line->linear_step << CPU_RACE_THREAD_AT;

    line_clear(line->words->reads[0] + line->at, line->count);
    line_clear(line->words->reads[1] + line->at, line->count);
    for (uint64_t i = 0; line->wide == 1 && i < line->count; i++) {
        writes[i] = slot + i * step;
    }
    for (uint64_t i = 0; line->wide > 1 && i < line->count; i++) {
        uint64_t thread = line_thread(line, i) - line->linear;
        writes[i] = slot + (thread << CPU_RACE_THREAD_AT);
    }
}

static inline uint64_t
area_slot(struct cpu_check *check, const struct cpu_check_area *area,
          unsigned linear)
{
    return cpu_race_who(check, linear) | area->site |
           (uint64_t)15 << CPU_RACE_BYTES_AT;
}

static inline bool
line_note(struct cpu_check *check, const struct cpu_check_area *area,
          const struct line *line)
{
    uint64_t slot = area_slot(check, area, line->linear);

    if (area->flags & IMAGE_SITE_READ) {
        line_note_reads(check, line, slot, area->shared);
    }
    if (area->flags & IMAGE_SITE_WRITE) {
        line_note_writes(line, slot);
    }
    return true;
}

/* Words of [address, address + bytes), granule by granule. */
static inline __attribute__((always_inline)) bool
line_visit(struct cpu_check *check, const struct cpu_check_area *area,
           struct line *line, uintptr_t address, uint64_t words,
           visit_line *visit)
{
    while (words) {
        uintptr_t at = address % CPU_SHADOW_GRANULE / 4;
        uint64_t n = CPU_SHADOW_WORDS - at;

        n = n < words ? n : words;
        line->words = area->words ? area->words : cpu_shadow_words(address);
        line->at = at;
        line->count = n;
        if (!line->words || (n < words && line->wide > 1) ||
            !visit(check, area, line)) {
            return false;
        }
        line->linear += (unsigned)line->linear_step * (unsigned)n;
        address += 4 * n;
        words -= n;
    }
    return true;
}

/* Two readers of a word are remembered: later ones change nothing. */
enum { READERS = 2 };

/* Rounds with the same address: the first ones tell, and who comes last. */
static inline __attribute__((always_inline)) bool
area_visit_row(struct cpu_check *check, const struct cpu_check_area *area,
               uintptr_t address, unsigned linear, bool alone,
               visit_line *visit)
{
    uint64_t words = area->bytes / 4;
    bool together = area->step[0] == (int64_t)area->bytes;
    uint64_t rounds = together ? 1 : area->count[0];
    bool same = !area->step[0] && area->count[0] > 1;

    if (same && rounds > READERS) {
        rounds = READERS;
    }
    for (uint64_t x = 0; x < rounds; x++) {
        struct line line = {.linear = linear + (unsigned)area->linear_step[0] *
                                                   (unsigned)x,
                            .linear_step = together ? area->linear_step[0] : 0,
                            .wide = (unsigned)words,
                            .alone = alone && !(same && area->linear_step[0])};

        if (!line.linear_step) {
            line.wide = 1;
        }
        if (!line_visit(check, area, &line,
                        address + x * (uint64_t)area->step[0],
                        together ? words * area->count[0] : words, visit)) {
            return false;
        }
    }
    return true;
}

static inline __attribute__((always_inline)) bool
area_visit(struct cpu_check *check, const struct cpu_check_area *area,
           visit_line *visit)
{
    bool same = !area->step[1] && area->count[1] > 1;
    uint64_t rows =
        same && area->count[1] > READERS ? READERS : area->count[1];

    for (uint64_t y = 0; y < rows; y++) {
        if (!area_visit_row(
                check, area, area->address + y * (uint64_t)area->step[1],
                area->linear + (unsigned)area->linear_step[1] * (unsigned)y,
                !(same && area->linear_step[1]), visit)) {
            return false;
        }
    }
    return true;
}

/* ---- a word that all threads of a row read ---- */

static bool
is_broadcast(const struct cpu_check_area *area)
{
    return area->words && area->bytes == 4 && !area->step[0] &&
           area->count[0] > 1 && area->linear_step[0] &&
           (area->step[1] || area->count[1] == 1) &&
           !(area->flags & IMAGE_SITE_WRITE);
}

static bool
broadcast_is_right(struct cpu_check *check, const struct cpu_check_area *area)
{
    uint32_t past = cpu_race_past(check, area->shared);

    for (uint64_t y = 0; y < area->count[1]; y++) {
        uintptr_t at = area->address + y * (uint64_t)area->step[1];
        uint64_t slot = area->words->writes[at % CPU_SHADOW_GRANULE / 4];
        struct line line = {.linear = area->linear, .wide = 1, .count = 1};

        if (!cpu_race_is_past(slot, past) &&
            !slots_are_ordered(check, &line, &slot, area->shared)) {
            return false;
        }
    }
    return true;
}

static void
broadcast_note(struct cpu_check *check, const struct cpu_check_area *area)
{
    uint32_t past = cpu_race_past(check, area->shared);
    struct cpu_check_words *words = area->words;
    uint64_t next = (uint64_t)area->linear_step[0] << CPU_RACE_THREAD_AT;

    for (uint64_t y = 0; y < area->count[1]; y++) {
        uintptr_t at = (area->address + y * (uint64_t)area->step[1]) %
                       CPU_SHADOW_GRANULE / 4;
        uint64_t one = words->reads[0][at], two = words->reads[1][at];
        uint64_t slot = area_slot(
            check, area,
            area->linear + (unsigned)area->linear_step[1] * (unsigned)y);

        if (cpu_race_is_past(one, past) && cpu_race_is_past(two, past)) {
            words->reads[0][at] = slot;
            words->reads[1][at] = slot + next;
        } else if (one >> CPU_RACE_INTERVAL_AT != check->interval ||
                   two >> CPU_RACE_INTERVAL_AT != check->interval) {
            cpu_race_note_read(check, words, at, slot, area->shared);
            cpu_race_note_read(check, words, at, slot + next, area->shared);
        }
    }
}

static bool
race_is_right(struct cpu_check *check, const struct cpu_check_area *area)
{
    return is_broadcast(area) ? broadcast_is_right(check, area)
                              : area_visit(check, area, line_is_right);
}

static void
race_note(struct cpu_check *check, const struct cpu_check_area *area)
{
    if (is_broadcast(area)) {
        broadcast_note(check, area);
    } else {
        area_visit(check, area, line_note);
    }
}

/* Whole words only. */
static bool
has_words(const struct cpu_check_area *area)
{
    return area->bytes % 4 == 0 && area->address % 4 == 0 &&
           area->step[0] % 4 == 0 && area->step[1] % 4 == 0;
}

/* ---- all of it ---- */

static bool
wants(const struct cpu_check_area *area, unsigned check, unsigned never)
{
    return area->count[1] && cpu_check_flags & check && !(area->flags & never);
}

static bool
wants_race(const struct cpu_check_area *area)
{
    return wants(area, CPU_CHECK_RACE, IMAGE_SITE_NO_RACE) && !area->stack;
}

static bool
area_is_right(struct cpu_check *check, const struct cpu_check_area *area)
{
    if (!area->count[1]) {
        return true;
    }
    if (cpu_check_flags & CPU_CHECK_MEMORY && !memory_is_right(check, area)) {
        return false;
    }
    if (wants(area, CPU_CHECK_INIT, IMAGE_SITE_NO_INIT) &&
        area->flags & IMAGE_SITE_READ && runs_visit(area, bytes_unset)) {
        return false;
    }
    return !wants_race(area) ||
           (has_words(area) && race_is_right(check, area));
}

/* Where it lies, and what is found out once. */
static void
area_place(const struct cpu_worker *worker, struct cpu_check_area *area)
{
    area->shared = cpu_check_is_shared(worker, area->low);
    area->stack = !area->shared && cpu_check_is_stack(worker, area->low);
    if (wants_race(area)) {
        bool one = area->low / CPU_SHADOW_GRANULE ==
                   (area->high - 1) / CPU_SHADOW_GRANULE;
        area->words = one ? cpu_shadow_words(area->low) : NULL;
        area->site = cpu_race_site(area->row->site);
    }
}

/* Reads that need no note, since a write of the same thread follows. */
static void
areas_cover(struct cpu_check_area *areas, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = i + 1; !areas[i].covered && k < count; k++) {
            areas[i].covered = !(areas[i].flags & IMAGE_SITE_WRITE) &&
                               areas[k].flags & IMAGE_SITE_WRITE &&
                               areas[i].count[1] &&
                               is_same_way(&areas[i], &areas[k]);
        }
    }
}

static void
area_note(struct cpu_check *check, const struct cpu_check_area *area)
{
    if (wants(area, CPU_CHECK_INIT, IMAGE_SITE_NO_INIT) &&
        area->flags & IMAGE_SITE_WRITE) {
        runs_visit(area, bytes_write);
    }
    if (wants_race(area) && !area->covered) {
        race_note(check, area);
    }
}

static bool
areas_are_right(struct cpu_check *check, struct cpu_check_area *areas,
                unsigned count)
{
    if (cpu_check_flags & CPU_CHECK_RACE && !areas_are_apart(areas, count)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!area_is_right(check, &areas[i])) {
            return false;
        }
    }
    return true;
}

int32_t
__pycuda_check_rows(const struct image_check_nest *nest,
                    const struct image_check_row *rows)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_check *check = worker->check;
    struct cpu_check_area areas[MOST_ROWS];
    unsigned count = nest->rows;

    if (count > MOST_ROWS || check->fenced || !nest->count[0] ||
        !nest->count[1] || nest->count[0] > MOST_ROUNDS ||
        nest->count[1] > MOST_ROUNDS) {
        return 0;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!cpu_check_area_make(&areas[i], nest, &rows[i])) {
            return 0;
        }
        area_place(worker, &areas[i]);
    }
    if (!areas_are_right(check, areas, count)) {
        return 0;
    }
    if (cpu_check_flags & CPU_CHECK_RACE) {
        areas_cover(areas, count);
    }
    for (unsigned i = 0; i < count; i++) {
        area_note(check, &areas[i]);
    }
    return 1;
}
