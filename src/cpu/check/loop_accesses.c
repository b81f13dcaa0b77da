/* loop_accesses.c - checks all accesses of a loop before it begins.
 *
 * Called by kernel code (src/jit/checks/access_ranges.c) for loops in which
 * each address changes by a constant amount per iteration: the loop over
 * threads, or a loop of one thread. __pycuda_check_rows returns true only if
 * every access passes all checks, in every possible order of the accesses. It
 * then records the accesses as if each had been checked. Otherwise it records
 * nothing, and the kernel checks the accesses one by one.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/access_range.h"
#include "cpu/check/hooks.h"
#include "cpu/check/race.h"
#include "cpu/check/streams/stream_order.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

enum {
    NEST_WORDS = sizeof(struct image_check_nest) / 8,
    MAX_WORDS = NEST_WORDS + IMAGE_CHECK_ROWS * 37,
    MAX_ROUNDS = 1 << 20,
};

/* ---- bounds ---- */

static bool
memory_is_valid(struct cpu_check *check, const struct cpu_check_range *range)
{
    struct cpu_check_access access = {
        range->low, range->high - range->low, (uintptr_t)range->row->object,
        range->row->object_bytes, range->row->site};
    unsigned alignment = range->row->site->alignment;

    if (range->flags & IMAGE_SITE_NO_MEMORY) {
        return true;
    }
    for (int i = 0; alignment > 1 && i < 2; i++) {
        if (range->count[i] > 1 &&
            !cpu_check_is_aligned((uint64_t)range->step[i], alignment)) {
            return false;
        }
    }
    return (access.object || !range->stack) &&
           cpu_check_access_is_valid(check, &access);
}

/* ---- uninitialized memory ---- */

/* Function that is called for each run of adjacent bytes of an access range.
 * Returns true to end the loop over the runs. `known` points to the byte
 * states (written or not) of the 64 KiB granule; NULL: they must be looked
 * up. */
typedef bool byte_visitor(uintptr_t address, uint64_t bytes,
                          const uint8_t *known);

static inline bool
bytes_are_uninitialized(uintptr_t address, uint64_t bytes,
                        const uint8_t *known)
{
    uint32_t word;

    if (!known) {
        return cpu_check_has_uninitialized(address, bytes);
    }
    known += address % CPU_SHADOW_GRANULE;
    if (bytes != sizeof word) {
        return memchr(known, 1, bytes) != NULL;
    }
    memcpy(&word, known, sizeof word);
    return word != 0;
}

static inline __attribute__((always_inline)) bool
byte_runs_visit(const struct cpu_check_range *range, byte_visitor *visit)
{
    bool row = range->step[0] == (int64_t)range->bytes || !range->step[0] ||
               range->count[0] == 1;
    bool one = range->low / CPU_SHADOW_GRANULE ==
               (range->high - 1) / CPU_SHADOW_GRANULE;
    const uint8_t *known =
        one ? cpu_shadow_find(CPU_SHADOW_BYTES, range->low) : NULL;
    uint64_t rounds = row ? 1 : range->count[0];
    uint64_t bytes =
        row && range->step[0] ? range->bytes * range->count[0] : range->bytes;
    uint64_t rows = range->step[1] ? range->count[1] : 1;

    if (one && !known) {
        return false;
    }
    for (uint64_t y = 0; y < rows; y++) {
        uintptr_t at = range->address + y * (uint64_t)range->step[1];
        for (uint64_t x = 0; x < rounds; x++) {
            if (visit(at, bytes, known)) {
                return true;
            }
            at += (uintptr_t)range->step[0];
        }
    }
    return false;
}

static inline bool
bytes_mark_written(uintptr_t address, uint64_t bytes, const uint8_t *known)
{
    if (bytes_are_uninitialized(address, bytes, known)) {
        cpu_check_set_written(address, bytes, true);
    }
    return false;
}

/* ---- races ---- */

/* Returns whether no byte of the access range is accessed by two threads. */
static bool
threads_are_disjoint(const struct cpu_check_range *range)
{
    bool several[2];
    uint64_t size[2], reach[2];

    for (int i = 0; i < 2; i++) {
        several[i] = range->count[i] > 1;
        size[i] = cpu_check_step_size(range->step[i]);
        reach[i] = size[i] * (range->count[i] - 1) + range->bytes;
    }
    if (!(several[0] && range->linear_step[0]) &&
        !(several[1] && range->linear_step[1])) {
        return true;
    }
    return ((!several[0] || size[0] >= range->bytes) &&
            (!several[1] || size[1] >= reach[0])) ||
           ((!several[1] || size[1] >= range->bytes) &&
            (!several[0] || size[0] >= reach[1]));
}

bool
cpu_check_ranges_equal(const struct cpu_check_range *one,
                       const struct cpu_check_range *two)
{
    return one->address == two->address && one->bytes == two->bytes &&
           one->linear == two->linear &&
           !memcmp(one->linear_step, two->linear_step,
                   sizeof one->linear_step) &&
           !memcmp(one->count, two->count, sizeof one->count) &&
           (one->count[0] == 1 || one->step[0] == two->step[0]) &&
           (one->count[1] == 1 || one->step[1] == two->step[1]);
}

/* Returns whether no two accesses of the loop nest conflict. */
static bool
ranges_are_disjoint(const struct cpu_check_range *ranges, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool writes = ranges[i].flags & IMAGE_SITE_WRITE;

        if (writes && !threads_are_disjoint(&ranges[i])) {
            return false;
        }
        for (unsigned k = 0; k < i; k++) {
            if ((writes || ranges[k].flags & IMAGE_SITE_WRITE) &&
                ranges[i].low < ranges[k].high &&
                ranges[k].low < ranges[i].high &&
                !cpu_check_ranges_equal(&ranges[i], &ranges[k])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- all checks of a range ---- */

static bool
range_needs(const struct cpu_check_range *range, unsigned check,
            unsigned never)
{
    return range->count[1] && cpu_check_flags & check &&
           !(range->flags & never);
}

static bool
range_needs_race(const struct cpu_check_range *range)
{
    return range_needs(range, CPU_CHECK_RACE, IMAGE_SITE_NO_RACE) &&
           !range->stack;
}

static bool
range_is_valid(struct cpu_check *check, const struct cpu_check_range *range)
{
    if (!range->count[1]) {
        return true;
    }
    if (cpu_check_flags & CPU_CHECK_MEMORY && !memory_is_valid(check, range)) {
        return false;
    }
    if (range_needs(range, CPU_CHECK_INIT, IMAGE_SITE_NO_INIT) &&
        range->flags & IMAGE_SITE_READ &&
        byte_runs_visit(range, bytes_are_uninitialized)) {
        return false;
    }
    return !range_needs_race(range) ||
           cpu_check_range_is_race_free(check, range);
}

/* Sets the members `shared` and `stack`: whether the range is in shared memory
 * or on a stack. If the race check examines the range, also sets `granule`,
 * the access records of the 64 KiB of memory that contain the range, and
 * `site`, the number of its source location. */
static void
range_locate(const struct cpu_check *check, const struct cpu_worker *worker,
             struct cpu_check_range *range)
{
    range->shared = cpu_check_is_shared(check, range->low);
    range->stack = !range->shared && cpu_check_is_stack(worker, range->low);
    if (range_needs_race(range)) {
        bool one = range->low / CPU_SHADOW_GRANULE ==
                   (range->high - 1) / CPU_SHADOW_GRANULE;
        range->granule = one ? cpu_shadow_granule_get(range->low) : NULL;
        range->site = cpu_race_site(range->row->site);
    }
}

/* Sets `covered` for reads that are not recorded because, later in the loop,
 * the same threads write the same bytes. */
static void
reads_mark_covered(struct cpu_check_range *ranges, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = i + 1; !ranges[i].covered && k < count; k++) {
            ranges[i].covered = !(ranges[i].flags & IMAGE_SITE_WRITE) &&
                                ranges[k].flags & IMAGE_SITE_WRITE &&
                                ranges[i].count[1] &&
                                cpu_check_ranges_equal(&ranges[i], &ranges[k]);
        }
    }
}

/* Records the accesses of a range of global memory for the check
 * `streams`. */
static void
range_touch(struct cpu_check *check, const struct cpu_check_range *range)
{
    bool solid = range->step[0] == (int64_t)range->bytes;
    uint64_t turns = solid ? 1 : range->count[0];
    uint64_t bytes = solid ? range->bytes * range->count[0] : range->bytes;

    for (uint64_t y = 0; y < range->count[1]; y++) {
        uintptr_t at = range->address + y * (uint64_t)range->step[1];
        for (uint64_t x = 0; x < turns; x++) {
            cpu_check_touch(check, at, bytes, range->row->site);
            at += (uintptr_t)range->step[0];
        }
    }
}

static void
range_record_all(struct cpu_check *check, const struct cpu_check_range *range)
{
    if (range_needs(range, CPU_CHECK_INIT, IMAGE_SITE_NO_INIT) &&
        range->flags & IMAGE_SITE_WRITE) {
        byte_runs_visit(range, bytes_mark_written);
    }
    if (range_needs_race(range) && !range->covered &&
        !(range->shared && cpu_check_pending_add(check, range))) {
        cpu_check_range_record(check, range);
    }
    if (cpu_check_flags & CPU_CHECK_STREAMS && !range->shared &&
        !range->stack) {
        range_touch(check, range);
    }
}

static bool
ranges_are_valid(struct cpu_check *check, struct cpu_check_range *ranges,
                 unsigned count)
{
    if (cpu_check_flags & CPU_CHECK_RACE &&
        !ranges_are_disjoint(ranges, count)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!range_is_valid(check, &ranges[i])) {
            return false;
        }
    }
    return true;
}

/* ---- calls from kernels ---- */

/* Work areas for calls of __pycuda_check_rows. A work area is too large for a
 * thread's stack, so each worker has MAX_LOOPS of them: as many as can be in
 * use at the same time. */
enum { MAX_LOOPS = 4 };

struct cpu_check_loop {
    struct cpu_check_range ranges[IMAGE_CHECK_ROWS];
    unsigned count;
    /* Bit set of the loop's accesses that the next thread block need not check
     * if it passes equal values to __pycuda_check_rows. */
    uint64_t repeatable;
    bool shared; /* at least one access range is in shared memory */
    uint64_t words[MAX_WORDS];
};

static void
loop_fill(struct cpu_check_loop *loop, const struct image_check_form *form,
          const uint64_t *values)
{
    const struct image_check_operand *places = cpu_check_form_operands(form);

    memcpy(loop->words, form->list, form->words * sizeof *loop->words);
    for (unsigned i = 0; i < form->places; i++) {
        loop->words[places[i].word] = values[places[i].value];
    }
}

static bool
overlaps_shared(const struct cpu_check *check,
                const struct cpu_check_range *range)
{
    return range->count[1] &&
           range->low < check->shared_base + check->shared_bytes &&
           check->shared_base < range->high;
}

/* Computes the access range (the bytes that an access touches in the loop) of
 * each row whose bit is not set in `known`. A row describes one access. */
static bool
loop_make_ranges(struct cpu_check *check, struct cpu_check_loop *loop,
                 uint64_t known)
{
    const struct cpu_worker *worker = cpu_worker_tls;
    const struct image_check_nest *nest = (const void *)loop->words;
    const char *at = (const char *)(nest + 1);

    loop->count = 0;
    loop->repeatable = 0;
    loop->shared = false;
    for (unsigned i = 0; i < nest->rows; i++) {
        const struct image_check_range *row = (const void *)at;
        struct cpu_check_range *range = &loop->ranges[loop->count];

        at += cpu_check_range_bytes(row);
        if (known >> i & 1) {
            continue;
        }
        if (!cpu_check_range_make(range, nest, row)) {
            return false;
        }
        if (range->count[1]) {
            range_locate(check, worker, range);
            loop->count++;
        }
        bool shared = overlaps_shared(check, range);
        loop->shared |= shared;
        bool never =
            !range->count[1] && cpu_check_range_false_condition(row) >= 0;
        loop->repeatable |= (uint64_t)(shared || never) << i;
    }
    return true;
}

static void
loop_record(struct cpu_check *check, struct cpu_check_loop *loop)
{
    if (loop->count == 1) {
        range_record_all(check, &loop->ranges[0]);
        return;
    }
    if (cpu_check_flags & CPU_CHECK_RACE) {
        reads_mark_covered(loop->ranges, loop->count);
    }
    /* First record the ranges that begin at the start of a span (16 words).
     * Their records may make records of the other ranges unnecessary. */
    for (int turn = 0; turn < 2; turn++) {
        for (unsigned i = 0; i < loop->count; i++) {
            bool first = !(loop->ranges[i].address % (4 * CPU_SHADOW_SPAN));

            if (first == !turn) {
                range_record_all(check, &loop->ranges[i]);
            }
        }
    }
}

static bool
nest_is_in_limits(const struct image_check_nest *nest)
{
    return nest->count[0] && nest->count[1] && nest->count[0] <= MAX_ROUNDS &&
           nest->count[1] <= MAX_ROUNDS;
}

bool
cpu_check_loops_open(struct cpu_check *check)
{
    check->loops = calloc(MAX_LOOPS, sizeof *check->loops);
    return check->loops != NULL;
}

static bool
loop_is_valid(struct cpu_check *check, struct cpu_check_loop *loop,
              const struct image_check_form *form, const uint64_t *values,
              uint64_t known)
{
    loop_fill(loop, form, values);
    if (!nest_is_in_limits((const void *)loop->words)) {
        return false;
    }
    if (cpu_check_flags & CPU_CHECK_RACE) {
        cpu_check_interval_ensure(check);
        cpu_check_acquire_ensure(check);
    }
    if (!loop_make_ranges(check, loop, known)) {
        return false;
    }
    if (loop->shared && cpu_check_trace_diverge(check) && known) {
        return loop_is_valid(check, loop, form, values, 0);
    }
    if (!ranges_are_valid(check, loop->ranges, loop->count)) {
        return false;
    }
    loop_record(check, loop);
    if (known) {
        cpu_check_trace_advance(check, form);
    } else if (loop->shared) {
        cpu_check_trace_append(check, form, values, loop->words,
                               loop->repeatable);
    }
    return true;
}

/* Checks and records the accesses of a loop, which `form` describes. Skips the
 * accesses in the bit set `known`: they equal valid accesses of the previous
 * thread block. Returns false if an access is invalid, or if the accesses can
 * only be checked one by one. */
static __attribute__((noinline)) bool
loop_check(struct cpu_check *check, const struct image_check_form *form,
           const uint64_t *values, uint64_t known)
{
    struct cpu_check_loop *loop = &check->loops[check->loops_used++];
    bool right = loop_is_valid(check, loop, form, values, known);

    check->loops_used--;
    return right;
}

int32_t
__pycuda_check_rows(const struct image_check_form *form,
                    const uint64_t *values)
{
    struct cpu_check *check = cpu_check_self();
    const struct image_check_nest *nest = (const void *)form->list;

    /* The accesses must be checked one by one in three cases: a thread of the
     * block has executed a memory fence, so that each write must update the
     * thread's clock; the check `bank` is on, which counts each access; or the
     * report of a read is delayed, since any write may be the one for which
     * the report waits. */
    if (check->fenced || check->deferred.site ||
        cpu_check_flags & CPU_CHECK_BANK) {
        return 0;
    }
    uint64_t all = ~UINT64_C(0) >> (IMAGE_CHECK_ROWS - nest->rows);
    uint64_t known = cpu_check_trace_match(check, form, values, all);
    if (known == all) {
        return 1;
    }
    return loop_check(check, form, values, known);
}

/* Marks as written all bytes that the accesses of the loop write. */
static void
loop_mark_written(struct cpu_check_loop *loop)
{
    for (unsigned i = 0; i < loop->count; i++) {
        if (range_needs(&loop->ranges[i], CPU_CHECK_INIT,
                        IMAGE_SITE_NO_INIT) &&
            loop->ranges[i].flags & IMAGE_SITE_WRITE) {
            byte_runs_visit(&loop->ranges[i], bytes_mark_written);
        }
    }
}

void
cpu_check_loop_replay(struct cpu_check *check,
                      const struct image_check_form *form,
                      const uint64_t *values, uint64_t selected,
                      bool behind_barrier)
{
    struct cpu_check_loop *loop = &check->loops[check->loops_used++];

    loop_fill(loop, form, values);
    if (loop_make_ranges(check, loop, ~selected)) {
        if (behind_barrier) {
            loop_mark_written(loop);
        } else {
            ranges_are_valid(check, loop->ranges, loop->count);
            loop_record(check, loop);
        }
    }
    check->loops_used--;
}
