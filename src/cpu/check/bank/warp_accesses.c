/* warp_accesses.c - collects the accesses of the lanes of a warp.
 *
 * Called by single_access.c for each access of shared and global memory while
 * the check `bank` is selected. The CPU device runs the threads of a block one
 * after the other, so an access waits here until the other lanes have made
 * theirs. The n-th execution of an access by a lane belongs to the same
 * request as the n-th executions by the other lanes of the warp; n counts from
 * the last barrier. Accesses of a struct such as float4, which LLVM has split,
 * are joined again.
 *
 * The state belongs to one worker and needs no lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/hooks.h"
#include "cpu/check/bank/warp_accesses.h"
#include "cpu/module/module_state.h"
#include "cpu/run/launch_state.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"
#include "image/image.h"

/* Maximum number of executions of one access by a warp that are counted
 * between two barriers. */
enum { MAX_REQUESTS = 4096 };
/* Maximum size in bytes of an access by one lane that counts as one request. A
 * larger access is split into several requests. */
enum { MAX_BYTES = 16 };
enum { WARPS = CPU_MAX_THREADS / CPU_WARP };

/* The requests of a warp at one site (source location) that are not counted
 * yet: requests number `first` to `first + count - 1` since the last
 * barrier. */
struct open_requests {
    struct cpu_check_request *list;
    uint32_t first, count, capacity;
};

/* State of one site (source location and properties of an access) of the
 * running kernel. */
struct site_state {
    const struct image_site *site;
    bool shared;
    /* number of executions by each thread since the last barrier */
    uint32_t executions[CPU_MAX_THREADS];
    struct open_requests warps[WARPS];
    struct cpu_check_counts counts;
};

/* The last access of the running thread. If the program accesses a struct, the
 * compiler may split the access into several parts. Each further part extends
 * this access, so that all parts count as one access. */
struct last_access {
    struct site_state *state;
    struct cpu_check_request *request; /* NULL: not counted */
    unsigned linear;
    uintptr_t end;   /* address after the last byte of the access */
    uintptr_t limit; /* highest possible `end` after parts are added */
};

struct cpu_check_warps {
    struct site_state **sites; /* owned array, in order of first use */
    unsigned count, capacity;
    struct site_state *recent; /* the site that was found last */
    struct last_access last;
    unsigned warp; /* warp of the last access */
    char kernel[200];
};

/* ---- sites ---- */

static struct site_state *
site_add(struct cpu_check_warps *warps, const struct image_site *site,
         bool shared)
{
    if (warps->count == warps->capacity) {
        unsigned capacity = 2 * warps->capacity + 16;
        void *more =
            realloc(warps->sites, capacity * sizeof(struct site_state *));
        if (!more) {
            return NULL;
        }
        warps->sites = more;
        warps->capacity = capacity;
    }
    struct site_state *state = calloc(1, sizeof *state);
    if (state) {
        state->site = site;
        state->shared = shared;
        warps->sites[warps->count++] = state;
    }
    return state;
}

/* Returns the state of a site. A generic access may use both shared and global
 * memory; its site then has one state for each of the two. Adds the state if
 * there is none. Returns NULL if there is not enough memory. */
static struct site_state *
site_find(struct cpu_check_warps *warps, const struct image_site *site,
          bool shared)
{
    struct site_state *state = warps->recent;

    if (state && state->site == site && state->shared == shared) {
        return state;
    }
    for (unsigned i = 0; i < warps->count; i++) {
        state = warps->sites[i];
        if (state->site == site && state->shared == shared) {
            warps->recent = state;
            return state;
        }
    }
    warps->recent = site_add(warps, site, shared);
    return warps->recent;
}

/* ---- requests ---- */

/* Counts the transactions of a warp's open requests at one site, and closes
 * these requests. */
static void
requests_close(struct site_state *state, struct open_requests *open)
{
    bool atomic = state->site->flags & IMAGE_SITE_ATOMIC;

    for (uint32_t i = 0; i < open->count; i++) {
        cpu_check_request_count(&open->list[i], state->shared, atomic,
                                &state->counts);
    }
    open->first += open->count;
    open->count = 0;
}

/* Returns request number `n` of a warp, counted from the last barrier. Returns
 * NULL if the request cannot be counted: it is already closed, there are too
 * many requests, or there is not enough memory. */
static struct cpu_check_request *
request_find(struct open_requests *open, uint32_t n)
{
    if (n < open->first || n - open->first >= MAX_REQUESTS) {
        return NULL;
    }
    uint32_t at = n - open->first;
    if (at >= open->capacity) {
        uint32_t capacity = 2 * at + 4;
        void *more = realloc(open->list, capacity * sizeof *open->list);
        if (!more) {
            return NULL;
        }
        open->list = more;
        open->capacity = capacity;
    }
    for (; open->count <= at; open->count++) {
        open->list[open->count].lanes = 0;
    }
    return &open->list[at];
}

/* Called before a thread of warp number `warp` makes an access. If another
 * warp made the previous access, closes that warp's requests, unless the
 * kernel runs on fibers. Without fibers, a warp has made all its accesses
 * before the next barrier when another warp runs. */
static void
warp_select(struct cpu_check *check, unsigned warp)
{
    struct cpu_check_warps *warps = check->warp_accesses;
    const struct cpu_function *function = check->launch->function;

    if (warps->warp != warp &&
        !(function->kernel->flags & IMAGE_KERNEL_FIBERS)) {
        for (unsigned i = 0; i < warps->count; i++) {
            struct site_state *state = warps->sites[i];
            requests_close(state, &state->warps[warps->warp]);
        }
        warps->last.request = NULL;
    }
    warps->warp = warp;
}

/* Returns the size in bytes of the parts in which the hardware makes an
 * access: an access is split if its alignment is smaller than its size. */
static uint64_t
part_bytes(const struct cpu_check_access *access)
{
    uint64_t alignment = access->site->alignment ? access->site->alignment : 1;
    uint64_t part = alignment < MAX_BYTES ? alignment : MAX_BYTES;

    return part < access->bytes ? part : access->bytes;
}

static void
part_add(struct cpu_check *check, struct site_state *state, uintptr_t address,
         uint64_t bytes)
{
    struct cpu_check_warps *warps = check->warp_accesses;
    unsigned linear = check->thread, lane = linear % CPU_WARP;
    struct cpu_check_request *request = request_find(
        &state->warps[linear / CPU_WARP], state->executions[linear]++);

    if (request) {
        request->addresses[lane] = address;
        request->bytes[lane] = (uint8_t)bytes;
        request->lanes |= 1u << lane;
    } else {
        state->counts.uncounted++;
    }
    uint64_t alignment = state->site->alignment;
    warps->last = (struct last_access){
        state, request, linear, address + bytes,
        address + (alignment < MAX_BYTES ? alignment : MAX_BYTES)};
}

/* Returns whether two sites are parts of one access that LLVM has split: the
 * same kind of access at the same column. */
static bool
same_access(const struct image_site *one, const struct image_site *two)
{
    const unsigned kind =
        IMAGE_SITE_READ | IMAGE_SITE_WRITE | IMAGE_SITE_ATOMIC;

    return one != two && one->line && one->line == two->line &&
           one->column == two->column && !((one->flags ^ two->flags) & kind) &&
           !(one->flags & IMAGE_SITE_ATOMIC) &&
           strcmp(one->file, two->file) == 0;
}

/* Adds the access to the thread's last access if both are parts of one access
 * that the compiler has split. */
static bool
last_extend(struct cpu_check *check, const struct cpu_check_access *access)
{
    struct last_access *last = &check->warp_accesses->last;

    if (!last->request || last->linear != check->thread ||
        access->address != last->end ||
        access->bytes > last->limit - last->end ||
        !same_access(last->state->site, access->site)) {
        return false;
    }
    last->end += access->bytes;
    last->request->bytes[check->thread % CPU_WARP] += (uint8_t)access->bytes;
    return true;
}

static bool
warps_open(struct cpu_check *check)
{
    if (!check->warp_accesses) {
        check->warp_accesses = calloc(1, sizeof *check->warp_accesses);
    }
    struct cpu_check_warps *warps = check->warp_accesses;
    if (warps && !warps->count) {
        snprintf(warps->kernel, sizeof warps->kernel, "%s",
                 check->launch->function->name);
    }
    return warps != NULL;
}

void
cpu_check_warp_access(struct cpu_check *check,
                      const struct cpu_check_access *access)
{
    bool shared = cpu_check_is_shared(check, access->address);

    if (access->site->flags & (IMAGE_SITE_LOCAL | IMAGE_SITE_CONSTANT) ||
        (!shared && cpu_check_is_stack(cpu_worker_tls, access->address))) {
        return;
    }
    if (!warps_open(check)) {
        cpu_check_counts_lose();
        return;
    }
    warp_select(check, check->thread / CPU_WARP);
    if (last_extend(check, access)) {
        return;
    }
    struct site_state *state =
        site_find(check->warp_accesses, access->site, shared);
    if (!state) {
        cpu_check_counts_lose();
        return;
    }
    uint64_t part = part_bytes(access);
    for (uint64_t at = 0; at < access->bytes; at += part) {
        uint64_t rest = access->bytes - at;
        part_add(check, state, access->address + at,
                 rest < part ? rest : part);
    }
}

void
cpu_check_warp_accesses_flush(struct cpu_check *check)
{
    struct cpu_check_warps *warps = check->warp_accesses;

    if (!warps) {
        return;
    }
    for (unsigned i = 0; i < warps->count; i++) {
        struct site_state *state = warps->sites[i];

        for (unsigned w = 0; w < WARPS; w++) {
            requests_close(state, &state->warps[w]);
            state->warps[w].first = 0;
        }
        memset(state->executions, 0, sizeof state->executions);
    }
    warps->last.request = NULL;
}

static void
site_free(struct site_state *state)
{
    for (unsigned w = 0; w < WARPS; w++) {
        free(state->warps[w].list);
    }
    free(state);
}

void
cpu_check_warp_accesses_end(struct cpu_check *check)
{
    struct cpu_check_warps *warps = check->warp_accesses;

    if (!warps) {
        return;
    }
    cpu_check_warp_accesses_flush(check);
    for (unsigned i = 0; i < warps->count; i++) {
        struct site_state *state = warps->sites[i];

        cpu_check_counts_add(warps->kernel, state->site, state->shared,
                             &state->counts);
        site_free(state);
    }
    warps->count = 0;
    warps->recent = NULL;
}

void
cpu_check_warp_accesses_free(struct cpu_check *check)
{
    if (check->warp_accesses) {
        cpu_check_warp_accesses_end(check);
        free(check->warp_accesses->sites);
        free(check->warp_accesses);
        check->warp_accesses = NULL;
    }
}
