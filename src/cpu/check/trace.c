/* trace.c - skips checks of shared-memory accesses that equal those of the
 * previous thread block.
 *
 * Called by loop_accesses.c, by checked kernels at barriers, and by code
 * that needs up-to-date shadow memory. Most thread blocks of a launch access
 * their shared memory in the same way: the same access ranges between the same
 * barriers. So the calls of __pycuda_check_rows are recorded for one thread
 * block. While the next thread block makes equal calls, the accesses of these
 * calls are neither checked nor recorded in shadow memory. At the first
 * difference, all calls that were skipped are checked and recorded. The state
 * belongs to the worker; no locks.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/access_range.h"
#include "cpu/check/deferred_read.h"
#include "cpu/run/runtime.h"
#include "cpu/check/bank/warp_accesses.h"
#include "image/abi.h"

/* capacity of a trace (a record of the checked calls), in 64-bit words */
#define TRACE_WORDS 16384

/* A sequence of records, one for each call of __pycuda_check_rows and each
 * barrier. The record of a call consists of: a pointer to its form, the
 * constant description of a loop and its accesses; a bit set of the accesses
 * that need no check; the values of the call; and for each value a mask of the
 * bits that must be equal in the next thread block's call. A barrier's record
 * is a single 0. */
struct cpu_check_trace {
    /* serial number of the launch whose accesses are recorded */
    uint64_t serial;
    /* true: the thread block's accesses are compared with the trace; false:
     * they are recorded */
    bool replaying;
    /* index in `list` of the running thread block's next record */
    unsigned at;
    /* Index in `list` of the first record after the latest barrier that the
     * thread block has passed. */
    unsigned last_barrier;
    unsigned end; /* number of used 64-bit words of `list` */
    uint64_t list[TRACE_WORDS];
};

enum { HEAD_WORDS = 2 };

static unsigned
record_size(const struct image_check_form *form)
{
    return HEAD_WORDS + 2 * form->values;
}

static const struct image_check_form *
record_form(const struct cpu_check_trace *trace, unsigned at)
{
    return (const struct image_check_form *)(uintptr_t)trace->list[at];
}

bool
cpu_check_trace_open(struct cpu_check *check)
{
    check->trace = calloc(1, sizeof *check->trace);
    return check->trace != NULL;
}

void
cpu_check_trace_begin(struct cpu_check *check)
{
    struct cpu_check_trace *trace = check->trace;

    if (trace->serial != check->serial) {
        trace->serial = check->serial;
        trace->end = 0;
    }
    trace->at = trace->last_barrier = 0;
    trace->replaying = trace->end > 0;
    check->traced = check->shared_bytes > 0;
}

/* ---- replaying ---- */

static inline uint64_t
record_match(const struct cpu_check *check,
             const struct image_check_form *form, const uint64_t *values)
{
    const struct cpu_check_trace *trace = check->trace;
    const uint64_t *known = trace->list + trace->at + HEAD_WORDS;
    const uint64_t *masks = known + form->values;
    unsigned count = form->values;

    if (!check->traced || !trace->replaying || trace->at == trace->end ||
        record_form(trace, trace->at) != form) {
        return 0;
    }
    /* The loop compares one value at a time. The values have just been stored
     * one by one, so a vector load of them would wait for these stores (store
     * forwarding). */
    uint64_t other = 0;
    for (unsigned i = 0; i < count; i++) {
        other |= (known[i] ^ values[i]) & masks[i];
        __asm__("" : "+r"(other)); /* prevents vectorization */
    }
    return other ? 0 : trace->list[trace->at + 1];
}

uint64_t
cpu_check_trace_match(struct cpu_check *check,
                      const struct image_check_form *form,
                      const uint64_t *values, uint64_t all)
{
    uint64_t known = record_match(check, form, values);

    if (known == all) {
        check->trace->at += record_size(form);
    }
    return known;
}

void
cpu_check_trace_advance(struct cpu_check *check,
                        const struct image_check_form *form)
{
    check->trace->at += record_size(form);
}

static void
trace_flush(struct cpu_check *check, struct cpu_check_trace *trace)
{
    trace->end = trace->at;
    trace->replaying = false;
    for (unsigned at = 0; at < trace->end;) {
        const struct image_check_form *form = record_form(trace, at);

        if (form) {
            cpu_check_loop_replay(check, form, trace->list + at + HEAD_WORDS,
                                  trace->list[at + 1],
                                  at < trace->last_barrier);
        }
        at += form ? record_size(form) : 1;
    }
}

void
cpu_check_trace_stop_slow(struct cpu_check *check)
{
    check->traced = false;
    if (check->trace->replaying) {
        trace_flush(check, check->trace);
    }
}

bool
cpu_check_trace_diverge(struct cpu_check *check)
{
    if (!check->traced || !check->trace->replaying) {
        return false;
    }
    check->traced = false;
    trace_flush(check, check->trace);
    check->traced = true;
    return true;
}

/* ---- recording ---- */

/* Reserves space in the trace for the record of a call or barrier. If the
 * trace is full, stops tracing for this thread block and returns NULL. */
static uint64_t *
record_reserve(struct cpu_check *check, unsigned words)
{
    struct cpu_check_trace *trace = check->trace;
    unsigned at = trace->end;

    if (TRACE_WORDS - at < words) {
        check->traced = false;
        return NULL;
    }
    trace->at = trace->end = at + words;
    return trace->list + at;
}

/* `row` describes one access in a loop; it consists of 8-byte words. Finds the
 * words [*first, *end) that must be equal in the next thread block's call, so
 * that the check of the access can be skipped. If a condition of the access,
 * such as i < n, is false in every iteration, these are the words of that
 * condition. Otherwise they are all words of the row. `at` is the index of the
 * row's first word in the description of the loop. */
static void
row_condition_words(const struct image_check_range *row, unsigned at,
                    unsigned *first, unsigned *end)
{
    const unsigned head = sizeof *row / 8, each = sizeof *row->conditions / 8;
    int never = cpu_check_range_false_condition(row);

    *first = never < 0 ? at : at + head + (unsigned)never * each;
    *end = never < 0 ? at + head + row->condition_count * each : *first + each;
}

/* `form` is the constant description of a loop, in 8-byte words. A call of
 * __pycuda_check_rows passes values that replace some of these words. For each
 * value that replaces one of the words [first, end), sets the mask to all
 * ones: all bits of the value must be equal in the next thread block's
 * call. */
static void
masks_set(const struct image_check_form *form, unsigned first, unsigned end,
          uint64_t *masks)
{
    const struct image_check_operand *places = cpu_check_form_operands(form);

    for (unsigned i = 0; i < form->places; i++) {
        if (places[i].word >= first && places[i].word < end) {
            masks[places[i].value] = ~UINT64_C(0);
        }
    }
}

/* Computes a mask for each value that a kernel passes to __pycuda_check_rows:
 * the bits that must be equal in the next thread block's call, so that the
 * checks can be skipped there. Each value replaces some words in the
 * description of the loop; `words` is the description with all values filled
 * in. A mask is all ones if the value replaces a word that describes the loop
 * itself, or a word that row_condition_words finds for an access in the bit
 * set `selected`. Otherwise the mask is 0. */
static void
masks_make(const struct image_check_form *form, const uint64_t *words,
           uint64_t selected, uint64_t *masks)
{
    const struct image_check_nest *nest = (const void *)words;
    unsigned at = sizeof *nest / 8, first, end;

    memset(masks, 0, form->values * sizeof *masks);
    masks_set(form, 0, at, masks);
    for (uint64_t n = 0; n < nest->rows; n++) {
        const struct image_check_range *row = (const void *)(words + at);

        if (selected >> n & 1) {
            row_condition_words(row, at, &first, &end);
            masks_set(form, first, end, masks);
        }
        at += cpu_check_range_bytes(row) / 8;
    }
}

void
cpu_check_trace_append(struct cpu_check *check,
                       const struct image_check_form *form,
                       const uint64_t *values, const uint64_t *words,
                       uint64_t selected)
{
    uint64_t *record =
        check->traced ? record_reserve(check, record_size(form)) : NULL;

    if (record) {
        record[0] = (uintptr_t)form;
        record[1] = selected;
        memcpy(record + HEAD_WORDS, values, form->values * sizeof *values);
        masks_make(form, words, selected, record + HEAD_WORDS + form->values);
    }
}

/* Appends a barrier to the trace (the record of this thread block's calls).
 * Called while the trace is recorded, and if the trace of the previous thread
 * block has no barrier at this position. */
static __attribute__((noinline)) void
barrier_append(struct cpu_check *check)
{
    cpu_check_trace_diverge(check);
    uint64_t *record = record_reserve(check, 1);
    if (record) {
        *record = 0;
    }
    check->trace->last_barrier = check->trace->at;
}

static inline void
trace_barrier(struct cpu_check *check)
{
    struct cpu_check_trace *trace = check->trace;

    if (!check->traced) {
        return;
    }
    if (trace->replaying && trace->at < trace->end &&
        !trace->list[trace->at]) {
        trace->last_barrier = ++trace->at;
    } else {
        barrier_append(check);
    }
}

void
__pycuda_check_meet(void)
{
    struct cpu_check *check = cpu_check_self();

    cpu_check_deferred_flush(check);
    if (check->warp_accesses) {
        cpu_check_warp_accesses_flush(check);
    }
    trace_barrier(check);
    check->epoch++;
    check->interval_due = true;
    cpu_check_pending_clear(check);
}
