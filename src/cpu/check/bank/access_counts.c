/* access_counts.c - counts of memory transactions by source line.
 *
 * The check `bank` adds its counts here when a worker has run a part of a
 * launch. pycuda.debug.access_counts reads them as JSON. One lock guards the
 * list of counts; no other lock is taken while it is held. The entries of the
 * list own copies of their texts, since a module may be unloaded before its
 * counts are read.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/hooks.h"
#include "cpu/check/report_text.h"
#include "cpu/check/bank/warp_accesses.h"
#include "cpu/exports/visibility.h"
#include "image/abi.h"

struct row {
    char *kernel, *file, *source;
    const char *access; /* static text */
    unsigned line;
    bool shared;
    struct cpu_check_counts counts;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row *rows;
static size_t row_count, row_capacity;
/* Whether counts were lost because there was not enough memory. */
static bool incomplete;

static struct row *
row_find(const char *kernel, const struct image_site *site, bool shared)
{
    const char *access = cpu_check_access_name(site);

    for (size_t i = 0; i < row_count; i++) {
        struct row *row = &rows[i];

        if (row->line == site->line && row->shared == shared &&
            row->access == access && strcmp(row->kernel, kernel) == 0 &&
            strcmp(row->file, site->file) == 0) {
            return row;
        }
    }
    return NULL;
}

static void
row_free(struct row *row)
{
    free(row->kernel);
    free(row->file);
    free(row->source);
}

static struct row *
row_add(const char *kernel, const struct image_site *site, bool shared)
{
    if (row_count == row_capacity) {
        size_t capacity = 2 * row_capacity + 16;
        struct row *more = realloc(rows, capacity * sizeof *more);
        if (!more) {
            return NULL;
        }
        rows = more;
        row_capacity = capacity;
    }
    struct row *row = &rows[row_count];
    *row = (struct row){.kernel = strdup(kernel),
                        .file = strdup(site->file),
                        .source = strdup(site->text),
                        .access = cpu_check_access_name(site),
                        .line = site->line,
                        .shared = shared};
    if (!row->kernel || !row->file || !row->source) {
        row_free(row);
        return NULL;
    }
    row_count++;
    return row;
}

void
cpu_check_counts_add(const char *kernel, const struct image_site *site,
                     bool shared, const struct cpu_check_counts *counts)
{
    char name[200];

    cpu_check_kernel_name(name, sizeof name, kernel);
    pthread_mutex_lock(&lock);
    struct row *row = row_find(name, site, shared);
    row = row ? row : row_add(name, site, shared);
    if (row) {
        struct cpu_check_counts *sum = &row->counts;

        sum->requests += counts->requests;
        sum->transactions += counts->transactions;
        sum->ideal += counts->ideal;
        sum->uncounted += counts->uncounted;
        if (counts->worst > sum->worst) {
            sum->worst = counts->worst;
        }
    } else {
        incomplete = true;
    }
    pthread_mutex_unlock(&lock);
}

void
cpu_check_counts_lose(void)
{
    pthread_mutex_lock(&lock);
    incomplete = true;
    pthread_mutex_unlock(&lock);
}

/* Appends the counts of one source line to the text, as a line of JSON. */
static void
row_write(struct cpu_check_text *text, const struct row *row)
{
    const struct cpu_check_counts *counts = &row->counts;

    cpu_check_text_add(text, "{\"line\": %u", row->line);
    cpu_check_text_add_json(text, "kernel", row->kernel);
    cpu_check_text_add_json(text, "file", row->file);
    cpu_check_text_add_json(text, "source", row->source);
    cpu_check_text_add_json(text, "space", row->shared ? "shared" : "global");
    cpu_check_text_add_json(text, "access", row->access);
    cpu_check_text_add(
        text,
        ", \"requests\": %llu, \"transactions\": %llu, \"ideal\": %llu, "
        "\"worst\": %llu, \"uncounted\": %llu}\n",
        (unsigned long long)counts->requests,
        (unsigned long long)counts->transactions,
        (unsigned long long)counts->ideal, (unsigned long long)counts->worst,
        (unsigned long long)counts->uncounted);
}

/* Returns an upper limit for the number of bytes that row_write appends. An
 * escaped byte of a text needs up to 6 bytes. */
static size_t
row_bytes(const struct row *row)
{
    return 6 * (strlen(row->kernel) + strlen(row->file) +
                strlen(row->source)) +
           400;
}

CPU_API char *
pycuda_cpu_access_counts(int clear)
{
    size_t size = 30; /* the line "incomplete" and the NUL byte */

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < row_count; i++) {
        size += row_bytes(&rows[i]);
    }
    struct cpu_check_text text = {malloc(size), size, 0};
    for (size_t i = 0; text.bytes && i < row_count; i++) {
        row_write(&text, &rows[i]);
    }
    if (text.bytes && incomplete) {
        cpu_check_text_add(&text, "{\"incomplete\": true}\n");
    }
    if (text.bytes) {
        text.bytes[text.length] = 0;
    }
    for (size_t i = 0; text.bytes && clear && i < row_count; i++) {
        row_free(&rows[i]);
    }
    if (text.bytes && clear) {
        row_count = 0;
        incomplete = false;
    }
    pthread_mutex_unlock(&lock);
    return text.bytes;
}
