/* report.c - writes reports of the checks, as text and as JSON.
 *
 * Called by the checks on a worker's thread, often on the small stack of a
 * fiber, so texts are built in static buffers that one lock guards. A report
 * goes to stderr and, as a line of JSON, to the file that
 * PYCUDA_CPU_CHECK_REPORT names. The last report becomes part of the launch's
 * error text (cuGetErrorString).
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/deferred_read.h"
#include "cpu/check/hooks.h"
#include "cpu/check/remedy.h"
#include "cpu/check/report_text.h"
#include "cpu/exports/error_rows.h"
#include "cpu/module/module_state.h"
#include "cpu/run/fiber.h"
#include "cpu/run/launch_state.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"

/* capacity of the list of reports already written, in reports */
#define SEEN_MAX 1024

static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static char message[2048], json[8192], report_texts[4][4096];
static char advice[1024], remedy[300];
static unsigned report_next;
static CUresult report_code;
/* Source location and kind of each report already written. In continue mode,
 * an equal report is written only once per launch. */
static struct {
    const struct image_site *site;
    const char *kind;
    uint64_t serial;
} seen[SEEN_MAX];
static unsigned seen_count;

void
cpu_check_triple(char text[40], uint64_t linear, const uint32_t size[3])
{
    uint64_t x = linear % size[0], rest = linear / size[0];

    snprintf(text, 40, "(%llu,%llu,%llu)", (unsigned long long)x,
             (unsigned long long)(rest % size[1]),
             (unsigned long long)(rest / size[1]));
}

const char *
cpu_check_access_name(const struct image_site *site)
{
    unsigned both = IMAGE_SITE_READ | IMAGE_SITE_WRITE;

    if (site->flags & IMAGE_SITE_ATOMIC) {
        return "atomic operation";
    }
    if ((site->flags & both) == both) {
        return "update";
    }
    return site->flags & IMAGE_SITE_WRITE ? "write" : "read";
}

void
cpu_check_parameter_text(char text[80], const struct image_site *site)
{
    text[0] = 0;
    if (site->flags & IMAGE_SITE_POINTER && *site->object) {
        snprintf(text, 80, ", parameter '%.60s'", site->object);
    }
}

static unsigned
thread_of(const struct cpu_check_finding *finding)
{
    return finding->thread ? *finding->thread : cpu_check_thread();
}

/* Returns whether the kernel is one of the package's own, which array
 * functions run. pycuda/_kernels/building.py names their sources
 * "pycuda/sum_stage1.cu", for example. */
static bool
is_package_kernel(const struct image_site *site)
{
    return site && strncmp(site->file, "pycuda/", 7) == 0;
}

/* ---- text for stderr ---- */

/* Begins the message about a kernel of the package. The program's author knows
 * the line that allocated the array, but not the kernel. */
static void
package_kernel_add(struct cpu_check_text *text,
                   const struct cpu_check_finding *finding)
{
    char name[200];

    cpu_check_kernel_name(name, sizeof name,
                          cpu_worker_tls->launch->function->name);
    if (finding->allocation) {
        cpu_check_text_add(text, "%s: the array allocated here was passed to ",
                           finding->allocation->made_at);
    }
    cpu_check_text_add(text,
                       "%s, a kernel of the package pycuda that runs array "
                       "functions: ",
                       name);
}

static void
message_make(struct cpu_check_text *text,
             const struct cpu_check_finding *finding)
{
    const struct cpu_launch *launch = cpu_worker_tls->launch;
    const struct cpu_check *check = cpu_worker_tls->check;
    char name[200], thread[40], block[40];

    cpu_check_kernel_name(name, sizeof name, launch->function->name);
    cpu_check_triple(thread, thread_of(finding), launch->block);
    cpu_check_triple(block, check->block, launch->grid);
    if (is_package_kernel(finding->site)) {
        package_kernel_add(text, finding);
    }
    cpu_check_text_add_site(text, finding->site);
    cpu_check_text_add(text, ": %s: ", finding->check);
    if (finding->has_address) {
        cpu_check_text_add(text, "%s of %llu bytes, ",
                           cpu_check_access_name(finding->site),
                           (unsigned long long)finding->bytes);
    }
    cpu_check_text_add(text, "%s [kernel %s, block %s, thread %s]",
                       finding->detail, name, block, thread);
    if (finding->second) {
        cpu_check_triple(thread, finding->second_thread, launch->block);
        cpu_check_triple(block, finding->second_block, launch->grid);
        cpu_check_text_add(text, " %s the %s at ",
                           strcmp(finding->check, "init") ? "against"
                                                          : "before",
                           cpu_check_access_name(finding->second));
        cpu_check_text_add_site(text, finding->second);
        cpu_check_text_add(text, " [block %s, thread %s]", block, thread);
    }
}

/* Appends two things to a report's message: the proposed remedy (remedy.c),
 * and the source lines of the accesses. */
static void
advice_make(struct cpu_check_text *text,
            const struct cpu_check_finding *finding)
{
    const struct image_site *other = finding->second;

    cpu_check_remedy(finding, remedy, sizeof remedy);
    cpu_check_text_add(text, "%s%s", *remedy ? "; " : "", remedy);
    cpu_check_text_add_source(text, finding->site);
    if (other && (!finding->site || other->line != finding->site->line)) {
        cpu_check_text_add_source(text, other);
    }
}

/* ---- JSON ---- */

static void
json_triple(struct cpu_check_text *text, const char *key, uint64_t linear,
            const uint32_t size[3])
{
    char triple[40];

    cpu_check_triple(triple, linear, size);
    triple[strlen(triple) - 1] = 0;
    cpu_check_text_add(text, ", \"%s\": [%s]", key, triple + 1);
}

static void
json_site(struct cpu_check_text *text, const struct image_site *site)
{
    cpu_check_text_add_json(text, "file", site ? site->file : "");
    cpu_check_text_add(text, ", \"line\": %u, \"column\": %u",
                       site ? site->line : 0, site ? site->column : 0);
}

static void
json_allocation(struct cpu_check_text *text,
                const struct cpu_check_allocation *allocation,
                uintptr_t address)
{
    cpu_check_text_add(text,
                       ", \"allocation\": {\"order\": %llu, \"bytes\": %zu, "
                       "\"offset\": %lld, \"freed\": %s",
                       (unsigned long long)allocation->serial,
                       allocation->bytes,
                       (long long)(address - allocation->base),
                       allocation->freed ? "true" : "false");
    cpu_check_text_add_json(text, "maker", allocation->maker);
    cpu_check_text_add_json(text, "made_at", allocation->made_at);
    if (allocation->freed) {
        cpu_check_text_add_json(text, "freed_at", allocation->freed_at);
    }
    cpu_check_text_add(text, "}");
}

static void
json_make(struct cpu_check_text *text, const struct cpu_check_finding *finding)
{
    const struct cpu_launch *launch = cpu_worker_tls->launch;
    char name[200];

    cpu_check_kernel_name(name, sizeof name, launch->function->name);
    cpu_check_text_add(text, "{\"check\": \"%s\", \"kind\": \"%s\"",
                       finding->check, finding->kind);
    cpu_check_text_add_json(text, "kernel", name);
    json_triple(text, "block", cpu_worker_tls->check->block, launch->grid);
    json_triple(text, "thread", thread_of(finding), launch->block);
    json_site(text, finding->site);
    if (finding->has_address) {
        cpu_check_text_add_json(text, "access",
                                cpu_check_access_name(finding->site));
        cpu_check_text_add(text, ", \"bytes\": %llu, \"address\": \"0x%llx\"",
                           (unsigned long long)finding->bytes,
                           (unsigned long long)finding->address);
    }
    if (finding->site && *finding->site->object) {
        cpu_check_text_add_json(text, "object", finding->site->object);
    }
    if (finding->allocation) {
        json_allocation(text, finding->allocation, finding->address);
    }
    if (finding->second) {
        cpu_check_text_add(text, ", \"other\": {\"access\": \"%s\"",
                           cpu_check_access_name(finding->second));
        json_site(text, finding->second);
        json_triple(text, "block", finding->second_block, launch->grid);
        json_triple(text, "thread", finding->second_thread, launch->block);
        cpu_check_text_add(text, "}");
    }
    if (finding->site) {
        cpu_check_text_add_json(text, "source", finding->site->text);
    }
    cpu_check_text_add_json(text, "remedy", remedy);
    cpu_check_text_add_json(text, "message", message);
    cpu_check_text_add(text, "}\n");
}

/* ---- reporting ---- */

/* Returns whether a report of the kind `kind` was already written for this
 * site (source location) in this launch. */
static bool
is_seen(const struct image_site *site, const char *kind)
{
    uint64_t serial = cpu_worker_tls->launch->serial;

    for (unsigned i = 0; i < seen_count; i++) {
        if (seen[i].site == site && strcmp(seen[i].kind, kind) == 0 &&
            seen[i].serial == serial) {
            return true;
        }
    }
    return false;
}

/* Returns whether the same fault was reported before in this launch. If not,
 * adds it to the list of reported faults. */
static bool
seen_add(const struct cpu_check_finding *finding)
{
    uint64_t serial = cpu_worker_tls->launch->serial;

    if (is_seen(finding->site, finding->kind)) {
        return true;
    }
    unsigned at = seen_count < SEEN_MAX ? seen_count++ : serial % SEEN_MAX;
    seen[at].site = finding->site;
    seen[at].kind = finding->kind;
    seen[at].serial = serial;
    return false;
}

bool
cpu_check_is_reported(const struct image_site *site, const char *kind)
{
    struct cpu_worker *worker = cpu_worker_tls;

    if (!(cpu_check_flags & CPU_CHECK_CONTINUE)) {
        return atomic_load(&worker->launch->error) != 0;
    }
    worker->in_kernel = 0;
    pthread_mutex_lock(&report_lock);
    bool reported = is_seen(site, kind);
    pthread_mutex_unlock(&report_lock);
    worker->in_kernel = 1;
    return reported;
}

static void
report_write(const struct cpu_check_finding *finding)
{
    struct cpu_check_text readable = {message, sizeof message, 0};
    struct cpu_check_text machine = {json, sizeof json, 0};

    struct cpu_check_text source = {advice, sizeof advice, 0};

    message_make(&readable, finding);
    *advice = 0;
    advice_make(&source, finding);
    json_make(&machine, finding);
    fprintf(stderr, "PYCUDA_CPU_CHECK: %s%s\n", message, advice);
    cpu_check_json_write(&machine);
}

static void
last_report_set(CUresult code)
{
    const struct cpu_error_row *row = cpu_error_row(code);
    unsigned next = (report_next + 1) % 4;

    snprintf(report_texts[next], sizeof report_texts[next], "%s: %s%s%s",
             row ? row->text : "error", message, advice,
             strchr(advice, '\n') ? "\n" : "");
    report_next = next;
    report_code = code;
}

void
cpu_check_report_write(CUresult code, const char *text, const char *more,
                       const struct cpu_check_text *machine)
{
    pthread_mutex_lock(&report_lock);
    snprintf(message, sizeof message, "%s", text);
    snprintf(advice, sizeof advice, "%s", more);
    fprintf(stderr, "PYCUDA_CPU_CHECK: %s%s\n", message, advice);
    cpu_check_json_write(machine);
    if (code) {
        last_report_set(code);
    }
    pthread_mutex_unlock(&report_lock);
}

void
cpu_check_report(const struct cpu_check_finding *finding)
{
    struct cpu_worker *worker = cpu_worker_tls;
    bool continues = cpu_check_flags & CPU_CHECK_CONTINUE;

    if (cpu_check_deferred_precedes(worker->check, finding)) {
        return;
    }
    worker->in_kernel = 0;
    pthread_mutex_lock(&report_lock);
    bool ended = !continues && atomic_load(&worker->launch->error);
    if (!ended && !(continues && seen_add(finding))) {
        report_write(finding);
    }
    if (!continues && !ended) {
        int none = 0;
        last_report_set(finding->code);
        atomic_compare_exchange_strong(&worker->launch->error, &none,
                                       (int)finding->code);
    }
    pthread_mutex_unlock(&report_lock);
    worker->in_kernel = 1;
    if (!continues) {
        cpu_fibers_fail(finding->code);
    }
}

const char *
cpu_check_last_report(CUresult code)
{
    return code && code == report_code ? report_texts[report_next] : NULL;
}
