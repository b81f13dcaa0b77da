/* synchronization.c - detects barriers and warp operations that not all
 * threads reach.
 *
 * Called by block.c and warp.c when threads synchronize, exit or cannot
 * continue. Threads announce each barrier or warp operation by
 * __pycuda_check_at before they stop there. While other threads wait at a
 * barrier, a thread may end by a `return` in the source; if it reaches the end
 * of the kernel instead, this is reported as a fault.
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/hooks.h"
#include "cpu/device/limits.h"
#include "cpu/run/runtime.h"
#include "cpu/run/warp.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

struct text {
    char bytes[700];
    size_t length;
};

static void text_add(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void
text_add(struct text *text, const char *format, ...)
{
    size_t free_bytes = sizeof text->bytes - text->length;
    va_list list;

    va_start(list, format);
    int n = vsnprintf(text->bytes + text->length, free_bytes, format, list);
    va_end(list);
    text->length += n < 0                    ? 0
                    : (size_t)n < free_bytes ? (size_t)n
                                             : free_bytes - 1;
}

/* ---- groups of threads ---- */

enum state { LIVE, AT_BARRIER, AT_WARP, ENDED, RETURNED };

static enum state
state_of(const struct cpu_worker *worker, const struct cpu_check *check,
         unsigned thread)
{
    const struct cpu_warp *warp = &worker->warps[thread / CPU_WARP];
    uint32_t bit = 1u << (thread % CPU_WARP);

    if (!(warp->live & bit)) {
        return check->returned[thread / CPU_WARP] & bit ? RETURNED : ENDED;
    }
    if (warp->stopped & bit) {
        return AT_BARRIER;
    }
    return (warp->waiting | warp->asking) & bit ? AT_WARP : LIVE;
}

static bool
same_group(const struct cpu_worker *worker, const struct cpu_check *check,
           unsigned one, unsigned two)
{
    enum state state = state_of(worker, check, one);

    return state == state_of(worker, check, two) &&
           (state >= ENDED || state == LIVE ||
            check->sites[one] == check->sites[two]);
}

/* Appends to the text the indices of a group of threads, such as "0-15, 20":
 * the thread `member`, and all later threads that are in the same state (such
 * as waiting) at the same source location as `member`. */
static void
group_add(struct text *text, const struct cpu_worker *worker,
          const struct cpu_check *check, unsigned member)
{
    unsigned ranges = 0, most = 6;

    for (unsigned i = member; i < worker->threads; i++) {
        if (!same_group(worker, check, member, i)) {
            continue;
        }
        unsigned end = i;
        while (end + 1 < worker->threads &&
               same_group(worker, check, member, end + 1)) {
            end++;
        }
        if (ranges++ < most) {
            text_add(text, ranges > 1 ? ", %u" : "%u", i);
            text_add(text, end > i ? "-%u" : "", end);
        }
        i = end;
    }
    if (ranges > most) {
        text_add(text, " and others");
    }
}

static void
site_add(struct text *text, const struct image_site *site)
{
    if (site && site->line) {
        text_add(text, "%s:%u:%u", site->file, site->line, site->column);
    } else {
        text_add(text, "an unknown location");
    }
}

/* Appends to the text all groups of threads, such as "threads 0-15 wait at the
 * barrier of k.cu:4:5". */
static void
groups_add(struct text *text, const struct cpu_worker *worker,
           const struct cpu_check *check)
{
    static const char *const phrases[] = {
        [LIVE] = "have not arrived",
        [AT_BARRIER] = "wait at the barrier of ",
        [AT_WARP] = "wait at the warp operation of ",
        [ENDED] = "have ended without arriving",
        [RETURNED] = "have returned"};

    for (unsigned i = 0; i < worker->threads; i++) {
        bool first = true;

        for (unsigned k = 0; k < i && first; k++) {
            first = !same_group(worker, check, k, i);
        }
        if (!first) {
            continue;
        }
        enum state state = state_of(worker, check, i);
        text_add(text, i ? "; threads " : "threads ");
        group_add(text, worker, check, i);
        text_add(text, " %s", phrases[state]);
        if (state == AT_BARRIER || state == AT_WARP) {
            site_add(text, check->sites[i]);
        }
    }
}

static void
report(const char *kind, const struct image_site *site, const unsigned *thread,
       const struct text *text)
{
    struct cpu_check_finding finding = {.check = "sync",
                                        .kind = kind,
                                        .site = site,
                                        .code = CUDA_ERROR_LAUNCH_FAILED,
                                        .detail = text->bytes,
                                        .thread = thread};

    cpu_check_report(&finding);
}

/* ---- block barriers ---- */

/* Called when all threads have arrived at a block barrier, before they
 * continue. Reports an error if the threads wait at different barriers, or if
 * a thread has reached the end of the kernel instead. */
void
cpu_check_barrier(struct cpu_worker *worker)
{
    struct cpu_check *check = cpu_check_self();
    struct text text = {.length = 0};
    unsigned first = worker->threads, other = worker->threads;

    for (unsigned i = 0; i < worker->threads; i++) {
        enum state state = state_of(worker, check, i);

        if (state == AT_BARRIER && first == worker->threads) {
            first = i;
        } else if (state == ENDED ||
                   (state == AT_BARRIER &&
                    check->sites[i] != check->sites[first])) {
            other = other < i ? other : i;
        }
    }
    __pycuda_check_meet();
    if (other == worker->threads || first == worker->threads ||
        !(cpu_check_flags & CPU_CHECK_SYNC)) {
        return;
    }
    text_add(&text, "barrier in divergent code: ");
    groups_add(&text, worker, check);
    report("divergent-barrier", check->sites[first], &first, &text);
}

void
__pycuda_check_at(const struct image_site *site, uint32_t thread)
{
    struct cpu_check *check = cpu_check_self();

    check->sites_used = check->launch->threads;
    if (site->flags & IMAGE_SITE_RETURN) {
        check->returned[thread / CPU_WARP] |= 1u << (thread % CPU_WARP);
    } else {
        check->sites[thread] = site;
    }
}

/* ---- warp operations ---- */

/* Checks the mask of a warp operation. It must contain the calling lane, and
 * no lane that ended without reaching the operation. */
void
cpu_check_mask(struct cpu_worker *worker, uint32_t mask)
{
    struct cpu_check *check = cpu_check_self();
    unsigned thread = worker->current;
    const struct cpu_warp *warp = &worker->warps[thread / CPU_WARP];
    unsigned first = thread / CPU_WARP * CPU_WARP;
    unsigned lanes = worker->threads - first;
    uint32_t exist = lanes >= CPU_WARP ? ~0u : (1u << lanes) - 1;
    uint32_t gone =
        mask & exist & ~warp->live & ~check->returned[thread / CPU_WARP];
    struct text text = {.length = 0};

    if (!(cpu_check_flags & CPU_CHECK_SYNC)) {
        return;
    }
    if (!(mask >> (thread % CPU_WARP) & 1)) {
        text_add(&text,
                 "the mask 0x%08x of a warp operation does not name the "
                 "calling lane %u",
                 mask, thread % CPU_WARP);
        report("mask-without-caller", check->sites[thread], &thread, &text);
    } else if (gone) {
        text_add(&text,
                 "the mask 0x%08x of a warp operation names lanes that have "
                 "ended without arriving (0x%08x); ",
                 mask, gone);
        groups_add(&text, worker, check);
        report("mask-names-ended", check->sites[thread], &thread, &text);
    }
}

/* Reports a shuffle with an undefined result: the source lane does not take
 * part, or CUDA does not define the width. */
void
cpu_check_shuffle(struct cpu_worker *worker, unsigned thread, unsigned source,
                  int width)
{
    struct cpu_check *check = cpu_check_self();
    const struct cpu_warp *warp = &worker->warps[thread / CPU_WARP];
    unsigned lane = thread % CPU_WARP, other = thread - lane + source;
    struct text text = {.length = 0};

    if (!(cpu_check_flags & CPU_CHECK_SYNC)) {
        return;
    }
    if (width < 1 || width > CPU_WARP || (width & (width - 1))) {
        text_add(&text,
                 "the width %d of lane %u's shuffle is not 1, 2, 4, 8, 16 or "
                 "32",
                 width, lane);
        report("shuffle-width", check->sites[thread], &thread, &text);
        return;
    }
    text_add(
        &text,
        "lane %u reads lane %u, which does not take part in the shuffle: ",
        lane, source);
    if (other >= worker->threads) {
        text_add(&text, "the block has %u threads", worker->threads);
    } else if (!(warp->mask[lane] >> source & 1)) {
        text_add(&text, "the mask 0x%08x does not name it", warp->mask[lane]);
    } else {
        groups_add(&text, worker, check);
    }
    report("shuffle-from-absent", check->sites[thread], &thread, &text);
}

/* Called when a thread exits. Reports lanes of its warp that wait for this
 * thread, since they would wait forever. Reports nothing if the thread ended
 * by a `return` in the source. */
void
cpu_check_exit(struct cpu_worker *worker)
{
    struct cpu_check *check = cpu_check_self();
    unsigned thread = worker->current, lane = thread % CPU_WARP;
    const struct cpu_warp *warp = &worker->warps[thread / CPU_WARP];
    struct text text = {.length = 0};

    if (!(cpu_check_flags & CPU_CHECK_SYNC) ||
        check->returned[thread / CPU_WARP] >> lane & 1) {
        return;
    }
    for (unsigned i = 0; i < CPU_WARP; i++) {
        unsigned waiting = thread - lane + i;

        if (warp->waiting >> i & 1 && warp->mask[i] >> lane & 1) {
            text_add(&text,
                     "the mask 0x%08x of a warp operation names lane %u, "
                     "which ends without arriving; ",
                     warp->mask[i], lane);
            groups_add(&text, worker, check);
            report("mask-names-ended", check->sites[waiting], &waiting, &text);
            return;
        }
    }
}

/* ---- deadlock ---- */

void
cpu_check_deadlock(struct cpu_worker *worker)
{
    struct cpu_check *check = cpu_check_self();
    struct text text = {.length = 0};
    unsigned thread = 0;

    while (thread + 1 < worker->threads &&
           state_of(worker, check, thread) >= ENDED) {
        thread++;
    }
    text_add(&text, "deadlock: ");
    groups_add(&text, worker, check);
    report("deadlock", check->sites[thread], &thread, &text);
}
