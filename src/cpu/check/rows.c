/* rows.c - all accesses of a loop, looked at before it begins.
 *
 * Called by the code of kernels (src/jit/checks/rows.c) for loops whose
 * addresses grow by the same amount each round: a row of threads, or a loop
 * of one thread.  Says yes only if no access is wrong by any check, whatever
 * order they come in, and then notes them as if each had been looked at.
 * Else nothing is noted, and they are looked at one by one.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/check/area.h"
#include "cpu/check/race.h"

enum {
    NEST_WORDS = sizeof(struct image_check_nest) / 8,
    MOST_WORDS = NEST_WORDS + IMAGE_CHECK_ROWS * 37,
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
        if (area->count[i] > 1 &&
            !cpu_check_is_aligned((uint64_t)area->step[i], alignment)) {
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

bool
cpu_check_areas_same(const struct cpu_check_area *one,
                     const struct cpu_check_area *two)
{
    return one->address == two->address && one->bytes == two->bytes &&
           one->linear == two->linear &&
           !memcmp(one->linear_step, two->linear_step,
                   sizeof one->linear_step) &&
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
                !cpu_check_areas_same(&areas[i], &areas[k])) {
                return false;
            }
        }
    }
    return true;
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
    return !wants_race(area) || cpu_check_area_race_is_right(check, area);
}

/* Where it lies, and what is found out once. */
static void
area_place(const struct cpu_check *check, const struct cpu_worker *worker,
           struct cpu_check_area *area)
{
    area->shared = cpu_check_is_shared(check, area->low);
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
                               cpu_check_areas_same(&areas[i], &areas[k]);
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
    if (wants_race(area) && !area->covered &&
        !(area->shared && cpu_check_pending_add(check, area))) {
        cpu_check_area_note(check, area);
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

/* ---- what a kernel says ---- */

/* The rows of a call that are looked at.  Too large for the stack of a thread:
 * a worker has as many as may be in use at a time. */
enum { LOOKS = 4 };

struct cpu_check_look {
    struct cpu_check_area areas[IMAGE_CHECK_ROWS];
    unsigned count;
    uint64_t idle; /* bits of what the next block need not look at */
    bool shared;   /* there are some in shared memory */
    uint64_t words[MOST_WORDS];
};

static void
words_fill(struct cpu_check_look *rows, const struct image_check_form *form,
           const uint64_t *values)
{
    const struct image_check_place *places = cpu_check_form_places(form);

    memcpy(rows->words, form->list, form->words * sizeof *rows->words);
    for (unsigned i = 0; i < form->places; i++) {
        rows->words[places[i].word] = values[places[i].value];
    }
}

static bool
meets_shared(const struct cpu_check *check, const struct cpu_check_area *area)
{
    return area->count[1] &&
           area->low < check->shared_base + check->shared_bytes &&
           check->shared_base < area->high;
}

/* Makes the areas of all rows but those in `known`. */
static bool
rows_make(struct cpu_check *check, struct cpu_check_look *rows, uint64_t known)
{
    const struct cpu_worker *worker = cpu_worker_tls;
    const struct image_check_nest *nest = (const void *)rows->words;
    const char *at = (const char *)(nest + 1);

    rows->count = 0;
    rows->idle = 0;
    rows->shared = false;
    for (unsigned i = 0; i < nest->rows; i++) {
        const struct image_check_row *row = (const void *)at;
        struct cpu_check_area *area = &rows->areas[rows->count];

        at += cpu_check_row_bytes(row);
        if (known >> i & 1) {
            continue;
        }
        if (!cpu_check_area_make(area, nest, row)) {
            return false;
        }
        if (area->count[1]) {
            area_place(check, worker, area);
            rows->count++;
        }
        bool shared = meets_shared(check, area);
        rows->shared |= shared;
        bool never = !area->count[1] && cpu_check_row_never(row) >= 0;
        rows->idle |= (uint64_t)(shared || never) << i;
    }
    return true;
}

static void
rows_note(struct cpu_check *check, struct cpu_check_look *rows)
{
    if (rows->count == 1) {
        area_note(check, &rows->areas[0]);
        return;
    }
    if (cpu_check_flags & CPU_CHECK_RACE) {
        areas_cover(rows->areas, rows->count);
    }
    /* Those that begin with a span first: others may then need no note. */
    for (int turn = 0; turn < 2; turn++) {
        for (unsigned i = 0; i < rows->count; i++) {
            bool first = !(rows->areas[i].address % (4 * CPU_SHADOW_SPAN));

            if (first == !turn) {
                area_note(check, &rows->areas[i]);
            }
        }
    }
}

static bool
nest_is_small(const struct image_check_nest *nest)
{
    return nest->count[0] && nest->count[1] && nest->count[0] <= MOST_ROUNDS &&
           nest->count[1] <= MOST_ROUNDS;
}

bool
cpu_check_looks_open(struct cpu_check *check)
{
    check->looks = calloc(LOOKS, sizeof *check->looks);
    return check->looks != NULL;
}

static bool
rows_are_right(struct cpu_check *check, struct cpu_check_look *rows,
               const struct image_check_form *form, const uint64_t *values,
               uint64_t known)
{
    words_fill(rows, form, values);
    if (!nest_is_small((const void *)rows->words)) {
        return false;
    }
    if (cpu_check_flags & CPU_CHECK_RACE) {
        cpu_check_interval_need(check);
        cpu_check_acquire_need(check);
    }
    if (!rows_make(check, rows, known)) {
        return false;
    }
    if (rows->shared && cpu_check_trace_part(check) && known) {
        return rows_are_right(check, rows, form, values, 0);
    }
    if (!areas_are_right(check, rows->areas, rows->count)) {
        return false;
    }
    rows_note(check, rows);
    if (known) {
        cpu_check_trace_pass(check, form);
    } else if (rows->shared) {
        cpu_check_trace_add(check, form, values, rows->words, rows->idle);
    }
    return true;
}

/* Looks at all rows but those in `known`, which the block before had too. */
static __attribute__((noinline)) bool
rows_look(struct cpu_check *check, const struct image_check_form *form,
          const uint64_t *values, uint64_t known)
{
    struct cpu_check_look *rows = &check->looks[check->looking++];
    bool right = rows_are_right(check, rows, form, values, known);

    check->looking--;
    return right;
}

int32_t
__pycuda_check_rows(const struct image_check_form *form,
                    const uint64_t *values)
{
    struct cpu_check *check = cpu_check_self();
    const struct image_check_nest *nest = (const void *)form->list;

    if (check->fenced) {
        return 0;
    }
    uint64_t all = ~UINT64_C(0) >> (IMAGE_CHECK_ROWS - nest->rows);
    uint64_t known = cpu_check_trace_find(check, form, values, all);
    if (known == all) {
        return 1;
    }
    return rows_look(check, form, values, known);
}

/* What was written is no longer uninitialised. */
static void
rows_write(struct cpu_check_look *rows)
{
    for (unsigned i = 0; i < rows->count; i++) {
        if (wants(&rows->areas[i], CPU_CHECK_INIT, IMAGE_SITE_NO_INIT) &&
            rows->areas[i].flags & IMAGE_SITE_WRITE) {
            runs_visit(&rows->areas[i], bytes_write);
        }
    }
}

void
cpu_check_rows_again(struct cpu_check *check,
                     const struct image_check_form *form,
                     const uint64_t *values, uint64_t which, bool past)
{
    struct cpu_check_look *rows = &check->looks[check->looking++];

    words_fill(rows, form, values);
    if (rows_make(check, rows, ~which)) {
        if (past) {
            rows_write(rows);
        } else {
            areas_are_right(check, rows->areas, rows->count);
            rows_note(check, rows);
        }
    }
    check->looking--;
}
