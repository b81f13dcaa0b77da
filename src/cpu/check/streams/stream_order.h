/* stream_order.h - the `streams` check: the order of operations, and the
 * memory that they access.
 *
 * Each operation has a vector clock: for each timeline (a stream, or a chain
 * of graph nodes), the number of its operations that happen before. The clocks
 * follow the dependencies that the scheduler makes, and what the host has
 * waited for. access_history.c compares each access with earlier accesses of
 * the same bytes: if neither operation happens before the other, and one of
 * them writes, stream_report.c reports both.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_STREAMS_STREAM_ORDER_H
#define PYCUDA_CPU_CHECK_STREAMS_STREAM_ORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/check/check.h"

struct cpu_context;
struct cpu_op;

/* ---- stream_order.c ---- */

enum { CPU_CHECK_NAME_SIZE = 200 };
/* Number of timelines. Timeline 0 is that of operations whose order is
 * unknown. */
enum { CPU_CHECK_TIMELINES = 4096 };

/* Position of an operation in the order of all operations, and its description
 * for reports. The operation holds a reference, and so does each record of an
 * access. */
struct cpu_check_order {
    atomic_uint references;
    struct cpu_context *ctx; /* valid while the operation runs */
    uint64_t serial;         /* n for the n-th submission, from 1 */
    /* the operation's timeline, and its number in that timeline */
    unsigned timeline;
    uint32_t time;
    bool temporary; /* the timeline belongs to no stream */
    /* the host waits for the operation, as for a synchronous copy */
    bool host_waits;
    /* Clock with `count` elements: operation number clock[i] of timeline i,
     * and all before it, happen before this operation. The operation owns it;
     * NULL after the operation has ended. */
    uint32_t *clock;
    unsigned count;
    /* "copy", "fill" or "free"; NULL: a kernel, if `kernel` is not empty */
    const char *what;
    char kernel[CPU_CHECK_NAME_SIZE];
    char stream[60]; /* name of the stream for reports */
    char site[CPU_CHECK_CALL_SITE_SIZE];
    /* serial number of the operation with which the last conflict was found,
     * so that a conflict is reported once */
    uint64_t reported;
};

/* Returns whether operation number `time` of timeline `timeline` happens
 * before the operation that `order` describes. The operation that `order`
 * describes must not have ended. */
bool cpu_check_order_includes(const struct cpu_check_order *order,
                              unsigned timeline, uint32_t time);
/* Drops a reference. Frees the struct when no reference remains. */
void cpu_check_order_drop(struct cpu_check_order *order);
/* Returns the struct cpu_check_order of the operation whose host function,
 * such as a copy or a callback, the calling thread runs. Returns NULL if the
 * thread runs no such function, or if the order of the operation is
 * unknown. */
struct cpu_check_order *cpu_check_order_running(void);
/* Returns the order of the operation that contains the launch. Launches by
 * kernels count as parts of the kernel that the program launched. */
struct cpu_check_order *cpu_check_order_of(const struct cpu_launch *launch);
/* Returns whether any submitted operation has not ended yet. */
bool cpu_check_order_any_running(void);

/* ---- footprint.c: bytes that a kernel has accessed ---- */

/* Size in bytes of a page: the unit in which accesses are recorded. */
enum { CPU_CHECK_PAGE = 4096, CPU_CHECK_PAGE_WORDS = CPU_CHECK_PAGE / 64 };

/* Kinds of access. Updates are atomic or volatile writes. Two updates do not
 * conflict. */
enum cpu_check_kind {
    CPU_CHECK_READS,
    CPU_CHECK_WRITES,
    CPU_CHECK_UPDATES,
    CPU_CHECK_KINDS
};

/* The bytes of a page that an operation accesses. */
struct cpu_check_page {
    uintptr_t number; /* the page's address / CPU_CHECK_PAGE */
    bool ignored;     /* the page is not in memory of the device */
    /* for each kind, the location of one access, or NULL */
    const struct image_site *sites[CPU_CHECK_KINDS];
    /* for each kind, a bit for each byte of the page */
    uint64_t bits[CPU_CHECK_KINDS][CPU_CHECK_PAGE_WORDS];
};

/* Records an access of the running kernel. Ignores shared memory and stacks,
 * and atomic or volatile reads. */
void cpu_check_touch(struct cpu_check *check, uintptr_t address,
                     uint64_t bytes, const struct image_site *site);
/* Adds the recorded accesses of the worker to the history. Called when the
 * worker has run a part of a launch. */
void cpu_check_footprint_end(struct cpu_check *check);
/* Frees the accesses that the check `streams` has recorded for a worker. */
void cpu_check_footprint_free(struct cpu_check *check);
/* Sets the bits [first, first + count). */
void cpu_check_bits_set(uint64_t *bits, unsigned first, unsigned count);

/* ---- access_history.c ---- */

/* Adds the bytes of the page that the operation accesses to the history, and
 * reports conflicts with earlier accesses. Takes the lock of
 * access_history.c. */
void cpu_check_history_record(struct cpu_check_order *order,
                              const struct cpu_check_page *page);
/* Records an access to a range by a host function. Does nothing if no
 * operation runs on this thread, or if the memory is pageable. `what` is
 * static and describes the operation. */
void cpu_check_history_range(const void *start, size_t bytes,
                             enum cpu_check_kind kind, const char *what);
/* Discards the accesses to a range, since its memory is freed or new. */
void cpu_check_history_drop(uintptr_t start, size_t bytes);
/* Called when memory was freed. If the calling thread runs a free in stream
 * order (cuMemFreeAsync), records the free as a write, since the free may be
 * executed before an access for which it should have waited. Otherwise
 * discards the recorded accesses to the memory. */
void cpu_check_history_free(uintptr_t start, size_t bytes);
/* Discards all recorded accesses. Called when the host has waited for all
 * operations, so that later accesses cannot conflict with these. */
void cpu_check_history_clear(void);

/* ---- stream_report.c ---- */

/* Source line of an access. The texts are never freed, since a module may be
 * unloaded before the report. */
struct cpu_check_line {
    const char *file, *text;
    unsigned line, column;
};

/* An access of an operation, for a report. `line` is NULL if the operation is
 * not a kernel. */
struct cpu_check_stream_access {
    const struct cpu_check_order *order;
    enum cpu_check_kind kind;
    const struct cpu_check_line *line;
};

/* Returns a copy of the site's source location that lives as long as the
 * process, since the module may be unloaded; NULL if the location is unknown
 * or there is not enough memory. The caller holds the lock of
 * access_history.c. */
const struct cpu_check_line *cpu_check_line_of(const struct image_site *site);
/* Reports two accesses to the byte at `address` that are not ordered. Also
 * sets the sticky error of the context, unless `continue` is selected. */
void cpu_check_stream_report(struct cpu_check_stream_access one,
                             struct cpu_check_stream_access two,
                             uintptr_t address);
/* Forgets which pairs of lines were reported. The caller holds the lock of
 * access_history.c. */
void cpu_check_stream_reports_clear(void);
/* Reports that the host frees page-locked memory to which the operation `copy`
 * writes and that the host has not waited for this operation. `site` is the
 * call site of the free. The caller holds the lock of access_history.c. */
void cpu_check_free_report(const struct cpu_check_order *copy,
                           struct cpu_context *ctx, uintptr_t address,
                           const char *site);

#endif
