/* words.c - the words that rows of accesses touch, and who did before.
 *
 * Called by rows.c for accesses of whole loops that are no race among
 * themselves, and by pending.c.  First all of them are looked at, and only if
 * nothing is wrong with any they are noted.  What is known of a granule as a
 * whole (nobody has written it since the launch began) saves looking at words.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "cpu/check/area.h"
#include "cpu/check/race.h"

/* Ages from here on are past ones: cpu_race_number_is_past. */
#define PAST_AGE ((int64_t)0x7fffffff)

#define LANES 4
#define ALIKE 8 /* words that are looked at together */

typedef uint64_t lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t masks __attribute__((vector_size(8 * LANES)));
typedef double doubles __attribute__((vector_size(8 * LANES)));

/* Who reads a row of words: `slot` the first one, the next one `step` more. */
struct readers {
    uint64_t slot, step;
    uint64_t since; /* the first interval that is not past */
    uint64_t interval;
    int64_t others; /* ages below are those of blocks that hand on nothing */
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

/* Are all accesses past? */
static inline bool
line_is_past(const uint64_t *slots, uint64_t count, uint32_t past)
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
slots_are_ordered(struct cpu_check *check, const struct cpu_check_line *line,
                  const uint64_t *slots, bool shared)
{
    for (uint64_t i = 0; i < line->count; i++) {
        unsigned thread = cpu_check_line_thread(line, i);
        if (!cpu_race_ordered(check, slots[i], thread, shared) ||
            (!line->alone &&
             slots[i] >> CPU_RACE_INTERVAL_AT == check->interval)) {
            return false;
        }
    }
    return true;
}

static inline bool
line_is_ordered(struct cpu_check *check, const struct cpu_check_line *line,
                const uint64_t *slots, bool shared)
{
    return line_is_past(slots, line->count, cpu_race_past(check, shared)) ||
           slots_are_ordered(check, line, slots, shared);
}

typedef bool visit_line(struct cpu_check *check,
                        const struct cpu_check_area *area,
                        const struct cpu_check_line *line);

static inline bool
line_is_right(struct cpu_check *check, const struct cpu_check_area *area,
              const struct cpu_check_line *line)
{
    struct cpu_check_words *words = line->words;
    uint32_t past = cpu_race_past(check, area->shared);

    return (cpu_race_stamp_is_past(&words->written, past) ||
            line_is_ordered(check, line, words->writes + line->at,
                            area->shared)) &&
           (!(area->flags & IMAGE_SITE_WRITE) ||
            cpu_race_stamp_is_past(&words->read, past) ||
            (line_is_ordered(check, line, words->reads[0] + line->at,
                             area->shared) &&
             line_is_ordered(check, line, words->reads[1] + line->at,
                             area->shared) &&
             cpu_race_spans_ordered(check, line, area->shared)));
}

static inline masks
lanes_are_own(lanes known, lanes mine)
{
    return ((known ^ mine) & CPU_RACE_WHO) == 0;
}

/* Are they known of others that nothing orders with these?  (Or own.) */
static inline masks
lanes_are_kept(const struct readers *readers, lanes known)
{
    return (lanes_age(readers, known) < readers->others) |
           ((known >> CPU_RACE_INTERVAL_AT) == readers->interval);
}

static inline void
slots_fill(const struct readers *readers, uint64_t *slots)
{
    for (uint64_t i = 0; i < ALIKE; i++) {
        slots[i] = readers->slot + i * readers->step;
    }
}

static inline void
lanes_put(uint64_t *slots, masks which, lanes mine)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (which[i]) {
            slots[i] = mine[i];
        }
    }
}

/* What cpu_race_note_read does, for LANES words; false: not for all.  Stored
 * is only what must be, for other workers may store too; one by one, since
 * stores under masks cost some processors more than all the rest. */
static inline bool
lanes_note(const struct readers *readers, uint64_t *one, uint64_t *two,
           lanes mine)
{
    lanes first = lanes_load(one), second = lanes_load(two);
    masks free_one = lanes_are_free(readers, first);
    masks own = lanes_are_own(first, mine);
    masks other = ~free_one & ~own & lanes_are_kept(readers, first);
    masks free_two = other & lanes_are_free(readers, second);
    masks known = own | (other & (lanes_are_own(second, mine) |
                                  lanes_are_kept(readers, second)));

    if (!all_of(known)) {
        lanes_put(one, free_one, mine);
        lanes_put(two, free_two, mine);
    }
    return all_of(free_one | free_two | known);
}

/* Has nobody read any of ALIKE words? */
static inline bool
slots_are_free(const struct readers *readers, const uint64_t *one)
{
    masks free_one = lanes_are_free(readers, lanes_load(one));

    for (unsigned i = LANES; i < ALIKE; i += LANES) {
        free_one &= lanes_are_free(readers, lanes_load(one + i));
    }
    return all_of(free_one);
}

/* The same for ALIKE words.  `fresh`: nobody had read those before them, so
 * perhaps nobody has read these. */
static inline bool
slots_note(const struct readers *readers, uint64_t *one, uint64_t *two,
           bool *fresh)
{
    lanes mine = readers->slot + readers->step * (lanes){0, 1, 2, 3};
    bool noted = true;

    *fresh = *fresh && slots_are_free(readers, one);
    if (*fresh) {
        slots_fill(readers, one);
        return true;
    }
    for (unsigned i = 0; i < ALIKE; i += LANES) {
        noted &= lanes_note(readers, one + i, two + i, mine);
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

/* Notes reads of words that each belong to a thread of its own, or to one.
 * The last ALIKE words may be noted twice, which changes nothing. */
static void
slots_note_reads(struct cpu_check *check, struct cpu_check_words *words,
                 uintptr_t at, uint64_t count, uint64_t slot, uint64_t step,
                 bool shared)
{
    struct readers readers = readers_make(check, slot, step, shared);
    uint64_t most = count < ALIKE ? count : ALIKE;
    bool fresh = true;

    while (count) {
        if (count < most) {
            at -= most - count;
            readers.slot -= (most - count) * step;
            count = most;
            fresh = false;
        }
        bool noted =
            most == ALIKE && slots_note(&readers, words->reads[0] + at,
                                        words->reads[1] + at, &fresh);

        for (uint64_t i = 0; !noted && i < most; i++) {
            cpu_race_note_read(check, words, at + i, readers.slot + i * step,
                               shared);
        }
        at += most;
        count -= most;
        readers.slot += most * step;
    }
}

/* Notes reads of spans of which nobody has read any, LANES at a time; of how
 * many words. */
static uint64_t
spans_fill(const struct readers *readers, struct cpu_check_words *words,
           uintptr_t at, uint64_t count)
{
    const uint64_t next = CPU_SHADOW_SPAN * readers->step;
    uint64_t *place = words->spans[0] + at / CPU_SHADOW_SPAN;
    lanes mine = readers->slot + next * (lanes){0, 1, 2, 3};
    uint64_t done = 0;

    while (at % CPU_SHADOW_SPAN == 0 &&
           count - done >= LANES * CPU_SHADOW_SPAN &&
           all_of(lanes_are_free(readers, lanes_load(place)))) {
        memcpy(place, &mine, sizeof mine);
        mine += LANES * next;
        place += LANES;
        done += LANES * CPU_SHADOW_SPAN;
    }
    return done;
}

/* Each word is read by the next thread: span by span, where that is so. */
static void
slots_note_turns(struct cpu_check *check, const struct cpu_check_line *line,
                 uint64_t slot, bool shared)
{
    const uint64_t step = (uint64_t)1 << CPU_RACE_THREAD_AT;
    struct readers readers = readers_make(check, slot, step, shared);
    uint64_t start = spans_fill(&readers, line->words, line->at, line->count);
    uint64_t i = start; /* words; those from start on are to be noted */

    while (i < line->count) {
        uintptr_t at = line->at + i;
        uint64_t n = CPU_SHADOW_SPAN - at % CPU_SHADOW_SPAN;

        n = n < line->count - i ? n : line->count - i;
        bool noted = cpu_race_span_read(check, line->words, at, n,
                                        slot + i * step, shared);
        i += n;
        if (noted || i == line->count) {
            uint64_t end = noted ? i - n : i;

            if (end > start) {
                slots_note_reads(check, line->words, line->at + start,
                                 end - start, slot + start * step, step,
                                 shared);
            }
            start = i;
        }
    }
}

static inline void
line_note_reads(struct cpu_check *check, const struct cpu_check_line *line,
                uint64_t slot, bool shared)
{
    uint64_t step = (uint64_t)line->linear_step << CPU_RACE_THREAD_AT;

    for (uint64_t i = 0; line->wide > 1 && i < line->count; i++) {
        uint64_t thread = cpu_check_line_thread(line, i) - line->linear;
        cpu_race_note_read(check, line->words, line->at + i,
                           slot + (thread << CPU_RACE_THREAD_AT), shared);
    }
    if (line->wide == 1 && line->linear_step == 1) {
        slots_note_turns(check, line, slot, shared);
    } else if (line->wide == 1) {
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
line_note_writes(struct cpu_check *check, const struct cpu_check_line *line,
                 uint64_t slot, bool shared)
{
    uint64_t *writes = line->words->writes + line->at;
    uint64_t step = (uint64_t)line->linear_step << CPU_RACE_THREAD_AT;

    cpu_race_stamp(check, &line->words->written);
    if (!cpu_race_stamp_is_past(&line->words->read,
                                cpu_race_past(check, shared))) {
        line_clear(line->words->reads[0] + line->at, line->count);
        line_clear(line->words->reads[1] + line->at, line->count);
    }
    for (uint64_t i = 0; line->wide == 1 && i < line->count; i++) {
        writes[i] = slot + i * step;
    }
    for (uint64_t i = 0; line->wide > 1 && i < line->count; i++) {
        uint64_t thread = cpu_check_line_thread(line, i) - line->linear;
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
          const struct cpu_check_line *line)
{
    uint64_t slot = area_slot(check, area, line->linear);

    if (area->flags & IMAGE_SITE_READ) {
        cpu_race_stamp(check, &line->words->read);
        line_note_reads(check, line, slot, area->shared);
    }
    if (area->flags & IMAGE_SITE_WRITE) {
        line_note_writes(check, line, slot, area->shared);
    }
    return true;
}

/* Words of [address, address + bytes), granule by granule. */
static inline __attribute__((always_inline)) bool
line_visit(struct cpu_check *check, const struct cpu_check_area *area,
           struct cpu_check_line *line, uintptr_t address, uint64_t words,
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
        struct cpu_check_line line = {
            .linear = linear + (unsigned)area->linear_step[0] * (unsigned)x,
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

    if (cpu_race_stamp_is_past(&area->words->written, past)) {
        return true;
    }
    for (uint64_t y = 0; y < area->count[1]; y++) {
        uintptr_t at = area->address + y * (uint64_t)area->step[1];
        uint64_t slot = area->words->writes[at % CPU_SHADOW_GRANULE / 4];
        struct cpu_check_line line = {
            .linear = area->linear, .wide = 1, .count = 1};

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

    cpu_race_stamp(check, &words->read);
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

/* ---- reads of bytes and half-words that lie together ---- */

static bool
is_narrow(const struct cpu_check_area *area)
{
    return area->bytes < 4 && area->address % area->bytes == 0 &&
           (area->step[0] == (int64_t)area->bytes || area->count[0] == 1) &&
           area->count[1] == 1 && area->words && !area->shared &&
           !(area->flags & IMAGE_SITE_WRITE);
}

static bool
narrow_is_right(struct cpu_check *check, const struct cpu_check_area *area)
{
    return cpu_race_stamp_is_past(&area->words->written,
                                  cpu_race_past(check, false));
}

static inline uint64_t
narrow_slot(struct cpu_check *check, const struct cpu_check_area *area,
            uint64_t round)
{
    uintptr_t at = area->address + round * area->bytes;
    uint64_t bytes = ((1u << area->bytes) - 1) << at % 4;
    unsigned linear =
        area->linear + (unsigned)area->linear_step[0] * (unsigned)round;

    return cpu_race_who(check, linear) | area->site |
           bytes << CPU_RACE_BYTES_AT;
}

/* As the rounds would one after the other: a word has two places only. */
static void
narrow_note(struct cpu_check *check, const struct cpu_check_area *area)
{
    uint32_t past = cpu_race_past(check, false);
    struct cpu_check_words *words = area->words;
    uint64_t whole = 4 / area->bytes;
    bool apart = area->linear_step[0] != 0;

    cpu_race_stamp(check, &words->read);
    for (uint64_t x = 0; x < area->count[0];) {
        uintptr_t byte = area->address + x * area->bytes;
        uintptr_t at = byte % CPU_SHADOW_GRANULE / 4;
        bool fresh = cpu_race_is_past(words->reads[0][at], past) &&
                     cpu_race_is_past(words->reads[1][at], past);

        if (fresh && apart && byte % 4 == 0 && x + whole <= area->count[0]) {
            uint64_t one = narrow_slot(check, area, x);
            uint64_t rest = (uint64_t)(15 & ~cpu_race_bytes(one));

            x += whole;
            words->reads[0][at] = one;
            words->reads[1][at] = narrow_slot(check, area, x - 1) |
                                  rest << CPU_RACE_BYTES_AT |
                                  (whole > 2 ? CPU_RACE_SEVERAL : 0);
        } else {
            cpu_race_note_read(check, words, at, narrow_slot(check, area, x),
                               false);
            x++;
        }
    }
}

/* ---- any of them ---- */

/* Whole words only. */
static bool
has_words(const struct cpu_check_area *area)
{
    return area->bytes % 4 == 0 && area->address % 4 == 0 &&
           area->step[0] % 4 == 0 && area->step[1] % 4 == 0;
}

/* Did nobody access any of the granule in a way that matters? */
static bool
granule_is_past(const struct cpu_check *check,
                const struct cpu_check_area *area)
{
    uint32_t past = cpu_race_past(check, area->shared);

    return area->words &&
           cpu_race_stamp_is_past(&area->words->written, past) &&
           (!(area->flags & IMAGE_SITE_WRITE) ||
            cpu_race_stamp_is_past(&area->words->read, past));
}

bool
cpu_check_area_race_is_right(struct cpu_check *check,
                             const struct cpu_check_area *area)
{
    if (area->shared && has_words(area) &&
        cpu_check_pending_holds(check, area)) {
        return true;
    }
    if (is_narrow(area)) {
        return narrow_is_right(check, area);
    }
    if (has_words(area) && granule_is_past(check, area)) {
        return true;
    }
    return has_words(area) &&
           (is_broadcast(area) ? broadcast_is_right(check, area)
                               : area_visit(check, area, line_is_right));
}

void
cpu_check_area_note(struct cpu_check *check, const struct cpu_check_area *area)
{
    if (is_narrow(area)) {
        narrow_note(check, area);
    } else if (is_broadcast(area)) {
        broadcast_note(check, area);
    } else {
        area_visit(check, area, line_note);
    }
}
