/* stream_report.c - reports of conflicting operations that are not ordered.
 *
 * Called by access_history.c, whose lock guards the static texts. A report
 * names both operations and their streams. It shows the lines of the program
 * that submitted the operations and, for kernels, the source lines of the
 * accesses. Each pair of lines is reported once until the host waits for the
 * device.
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
#include "cpu/check/report_text.h"
#include "cpu/check/streams/stream_order.h"
#include "cpu/device/context.h"
#include "image/abi.h"

enum { MAX_REPORTED = 1024 };

/* The texts are static, since a kernel that is reported may run on the small
 * stack of a fiber. */
static char message[2048], advice[1024], remedy[600], json[8192];
static char names[2][300];
/* Hash values of the pairs of lines that were reported. */
static uint64_t reported[MAX_REPORTED];
static unsigned reported_count;

/* ---- source lines ---- */

/* The list of all copied source lines. */
static struct line_row {
    struct cpu_check_line line;
    struct line_row *next;
} * lines;

const struct cpu_check_line *
cpu_check_line_of(const struct image_site *site)
{
    if (!site || !site->line) {
        return NULL;
    }
    for (struct line_row *row = lines; row; row = row->next) {
        if (row->line.line == site->line && row->line.column == site->column &&
            strcmp(row->line.file, site->file) == 0 &&
            strcmp(row->line.text, site->text) == 0) {
            return &row->line;
        }
    }
    struct line_row *row = malloc(sizeof *row);
    if (!row) {
        return NULL;
    }
    row->line = (struct cpu_check_line){strdup(site->file), strdup(site->text),
                                        site->line, site->column};
    if (!row->line.file || !row->line.text) {
        free((char *)row->line.file);
        free((char *)row->line.text);
        free(row);
        return NULL;
    }
    row->next = lines;
    lines = row;
    return &row->line;
}

/* ---- texts ---- */

/* Formats a description of an operation, such as "kernel k" or "a copy". */
static const char *
operation_text(const struct cpu_check_order *order, char text[300])
{
    if (*order->kernel) {
        snprintf(text, 300, "kernel %s", order->kernel);
    } else {
        snprintf(text, 300, "a %s",
                 order->what ? order->what : "host function");
    }
    return text;
}

static const char *
site_text(const struct cpu_check_order *order)
{
    return *order->site ? order->site : "an unknown line";
}

static const char *
verb(enum cpu_check_kind kind)
{
    return kind == CPU_CHECK_READS    ? "reads"
           : kind == CPU_CHECK_WRITES ? "writes"
                                      : "updates";
}

/* Appends the position of the address in its allocation, or the address if it
 * is in no allocation. */
static void
allocation_add(struct cpu_check_text *text, uintptr_t address)
{
    struct cpu_check_allocation found;

    if (cpu_check_find(address, &found) &&
        address - found.base < found.bytes) {
        cpu_check_text_add(
            text,
            ": offset %llu of the %zu bytes allocated by %s (allocation "
            "%llu, %s)",
            (unsigned long long)(address - found.base), found.bytes,
            found.maker, (unsigned long long)found.serial, found.made_at);
    } else {
        cpu_check_text_add(text, ": address 0x%llx",
                           (unsigned long long)address);
    }
}

static void
remedy_make(const struct cpu_check_order *first,
            const struct cpu_check_order *later)
{
    bool event =
        strncmp(later->stream, "stream ", 7) == 0 && !later->host_waits;
    const char *where =
        first->temporary ? "the stream of the graph" : first->stream;

    if (event) {
        snprintf(remedy, sizeof remedy,
                 "record an event in %s after %s (event.record), and let %s "
                 "wait for it before %s (stream.wait_for_event(event))",
                 where, site_text(first), later->stream, site_text(later));
    } else {
        snprintf(remedy, sizeof remedy,
                 "wait for %s, as with stream.synchronize(), before %s", where,
                 site_text(later));
    }
}

static void
source_add(struct cpu_check_text *text, const struct cpu_check_line *line)
{
    struct image_site site;

    if (line) {
        site = (struct image_site){.file = line->file,
                                   .line = line->line,
                                   .column = line->column,
                                   .text = line->text};
        cpu_check_text_add_source(text, &site);
    }
}

/* Appends a call site, a line of the program, as the JSON members "file",
 * "line" and "column". */
static void
json_site_add(struct cpu_check_text *text, const char *site)
{
    const char *colon = strrchr(site, ':');
    char file[CPU_CHECK_CALL_SITE_SIZE];

    snprintf(file, sizeof file, "%.*s",
             colon ? (int)(colon - site) : (int)strlen(site), site);
    cpu_check_text_add_json(text, "file", file);
    cpu_check_text_add(text, ", \"line\": %d, \"column\": 0",
                       colon ? atoi(colon + 1) : 0);
}

static void
json_access_add(struct cpu_check_text *text,
                const struct cpu_check_stream_access *access)
{
    static char operation[300];

    cpu_check_text_add_json(text, "operation",
                            operation_text(access->order, operation));
    cpu_check_text_add_json(text, "kernel", access->order->kernel);
    cpu_check_text_add_json(text, "stream", access->order->stream);
    cpu_check_text_add_json(text, "access", verb(access->kind));
    json_site_add(text, access->order->site);
    if (access->line) {
        cpu_check_text_add(text, ", \"source_line\": %u", access->line->line);
        cpu_check_text_add_json(text, "source", access->line->text);
    }
}

/* ---- reports ---- */

/* Returns whether a report must be dropped. In continue mode, drops a report
 * if the same pair of lines was reported before; otherwise records the pair as
 * reported. In the normal mode, drops all reports once the context has
 * failed. */
static bool
is_reported(const char *one, const char *two, const char *kind,
            struct cpu_context *ctx)
{
    const char *texts[] = {one, two, kind};
    uint64_t hash = 14695981039346656037u;

    if (!(cpu_check_flags & CPU_CHECK_CONTINUE)) {
        return cpu_context_status(ctx) != CUDA_SUCCESS;
    }
    for (int i = 0; i < 3; i++) {
        for (const char *at = texts[i]; *at; at++) {
            hash = (hash ^ (unsigned char)*at) * 1099511628211u;
        }
        hash = (hash ^ 256) * 1099511628211u;
    }
    for (unsigned i = 0; i < reported_count; i++) {
        if (reported[i] == hash) {
            return true;
        }
    }
    if (reported_count < MAX_REPORTED) {
        reported[reported_count++] = hash;
    }
    return false;
}

void
cpu_check_stream_reports_clear(void)
{
    reported_count = 0;
}

static const char *
pair_kind(const struct cpu_check_stream_access *first,
          const struct cpu_check_stream_access *later)
{
    if (later->order->what && strcmp(later->order->what, "free") == 0) {
        return "unordered-free";
    }
    if (later->kind == CPU_CHECK_READS) {
        return "unordered-read";
    }
    return first->kind == CPU_CHECK_READS ? "unordered-write"
                                          : "unordered-writes";
}

/* Writes the report whose texts are in the static buffers. Also sets the
 * sticky error of the context, unless `continue` is selected. */
static void
report_finish(struct cpu_check_text *machine, struct cpu_context *ctx)
{
    bool continues = cpu_check_flags & CPU_CHECK_CONTINUE;

    cpu_check_text_add_json(machine, "remedy", remedy);
    cpu_check_text_add_json(machine, "message", message);
    cpu_check_text_add(machine, "}\n");
    cpu_check_report_write(continues ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED,
                           message, advice, machine);
    if (!continues) {
        cpu_context_fail(ctx, CUDA_ERROR_LAUNCH_FAILED);
    }
}

void
cpu_check_stream_report(struct cpu_check_stream_access one,
                        struct cpu_check_stream_access two, uintptr_t address)
{
    bool swapped = one.order->serial > two.order->serial;
    const struct cpu_check_stream_access *first = swapped ? &two : &one;
    const struct cpu_check_stream_access *later = swapped ? &one : &two;
    const char *kind = pair_kind(first, later);
    struct cpu_check_text text = {message, sizeof message, 0};
    struct cpu_check_text more = {advice, sizeof advice, 0};
    struct cpu_check_text machine = {json, sizeof json, 0};

    if (is_reported(first->order->site, later->order->site, kind,
                    two.order->ctx)) {
        return;
    }
    cpu_check_text_add(
        &text,
        "%s: streams: %s in %s %s memory that %s in %s (%s) %s, and nothing "
        "orders the two",
        site_text(later->order), operation_text(later->order, names[0]),
        later->order->stream, verb(later->kind),
        operation_text(first->order, names[1]), first->order->stream,
        site_text(first->order), verb(first->kind));
    allocation_add(&text, address);
    remedy_make(first->order, later->order);
    cpu_check_text_add(&more, "; %s", remedy);
    source_add(&more, later->line);
    source_add(&more, first->line);
    cpu_check_text_add(&machine, "{\"check\": \"streams\", \"kind\": \"%s\"",
                       kind);
    json_access_add(&machine, later);
    cpu_check_text_add(&machine, ", \"address\": \"0x%llx\"",
                       (unsigned long long)address);
    cpu_check_text_add(&machine, ", \"other\": {\"serial\": %llu",
                       (unsigned long long)first->order->serial);
    json_access_add(&machine, first);
    cpu_check_text_add(&machine, "}");
    report_finish(&machine, two.order->ctx);
}

void
cpu_check_free_report(const struct cpu_check_order *copy,
                      struct cpu_context *ctx, uintptr_t address,
                      const char *site)
{
    struct cpu_check_text text = {message, sizeof message, 0};
    struct cpu_check_text more = {advice, sizeof advice, 0};
    struct cpu_check_text machine = {json, sizeof json, 0};

    if (is_reported(copy->site, site, "freed-target", ctx)) {
        return;
    }
    cpu_check_text_add(
        &text,
        "%s: streams: page-locked memory is freed that %s in %s (%s) writes, "
        "and the host has not waited for it",
        *site ? site : "an unknown line", operation_text(copy, names[0]),
        copy->stream, site_text(copy));
    allocation_add(&text, address);
    snprintf(remedy, sizeof remedy,
             "wait for %s, as with stream.synchronize(), before the memory is "
             "read or freed",
             copy->stream);
    cpu_check_text_add(&more, "; %s", remedy);
    cpu_check_text_add(&machine,
                       "{\"check\": \"streams\", \"kind\": \"freed-target\", "
                       "\"operation\": \"free\", \"kernel\": \"\", "
                       "\"stream\": \"the host\", \"access\": \"frees\"");
    json_site_add(&machine, site);
    cpu_check_text_add(&machine, ", \"other\": {\"serial\": %llu",
                       (unsigned long long)copy->serial);
    json_access_add(&machine, &(struct cpu_check_stream_access){
                                  copy, CPU_CHECK_WRITES, NULL});
    cpu_check_text_add(&machine, "}");
    report_finish(&machine, ctx);
}
