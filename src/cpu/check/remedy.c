/* remedy.c - proposes a change of the program for each report of a check.
 *
 * A remedy is a guess from the kinds and source lines of the accesses: the
 * change that usually corrects such an error.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/remedy.h"
#include "cpu/module/module_state.h"
#include "cpu/run/launch_state.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"
#include "image/image.h"

/* Returns whether both accesses are in the same source line and the line has
 * an update operator such as `+=`. */
static bool
are_updates(const struct image_site *one, const struct image_site *two)
{
    return one->line == two->line && strcmp(one->file, two->file) == 0 &&
           (strstr(one->text, "+=") || strstr(one->text, "-=") ||
            strstr(one->text, "++") || strstr(one->text, "--") ||
            strstr(one->text, "|=") || strstr(one->text, "&=") ||
            strstr(one->text, "^="));
}

/* Returns the line of a barrier between two lines of one kernel; 0 if there is
 * none, or if an access is in a function that was inlined. */
static unsigned
barrier_between(const struct image_site *upper, const struct image_site *lower)
{
    bool inlined = (upper->flags | lower->flags) & IMAGE_SITE_INLINED;

    return !inlined && upper->barrier < lower->line ? upper->barrier : 0;
}

/* Returns whether the running thread reached the line of `lower` on a path
 * without the barriers between the lines, so that these do not order the two
 * accesses. Both were made since the last barrier that all threads passed. If
 * that barrier is one of those between the lines, the path is that of a loop,
 * and the result is false. Kernels without fibers do not record their
 * barriers, since all threads reach each of them. */
static bool
is_barrier_skipped(const struct image_site *upper,
                   const struct image_site *lower)
{
    const struct cpu_worker *worker = cpu_worker_tls;
    const struct image_site *last = worker->check->sites[cpu_check_thread()];

    if (!(worker->launch->function->kernel->flags & IMAGE_KERNEL_FIBERS)) {
        return false;
    }
    return !last || (last->flags & IMAGE_SITE_BARRIER &&
                     (last->line <= upper->line || last->line >= lower->line));
}

/* Writes the remedy for accesses in two lines of a kernel that a barrier must
 * order. `upper` has the lower line number. Texts of the caller may precede
 * the remedy if it adds a barrier: `missing` is such a text. */
static void
barrier_remedy(const struct image_site *upper, const struct image_site *lower,
               const char *missing, char *text, size_t size)
{
    unsigned barrier = barrier_between(upper, lower);

    if (!barrier) {
        snprintf(text, size, "%sadd __syncthreads() between lines %u and %u",
                 missing, upper->line, lower->line);
    } else if (is_barrier_skipped(upper, lower)) {
        snprintf(text, size,
                 "the barrier in line %u is not reached by all threads of the "
                 "block: move it out of the branch or loop",
                 barrier);
    } else {
        snprintf(text, size,
                 "line %u has a barrier, but another path between lines %u "
                 "and %u has none: add __syncthreads() there, for example at "
                 "the end of the loop",
                 barrier, upper->line, lower->line);
    }
}

/* Writes the remedy for a race between accesses that must be ordered, for
 * example by a barrier. `same_block`: both accesses were made by one thread
 * block. */
static void
order_remedy(const struct cpu_check_finding *finding, bool same_block,
             char *text, size_t size)
{
    const struct image_site *one = finding->site, *two = finding->second;
    bool known = one->line && two->line && strcmp(one->file, two->file) == 0;
    bool forward = one->line < two->line;

    if (!same_block) {
        snprintf(text, size,
                 "use atomic operations, or a launch for each step");
    } else if (known && one->line != two->line) {
        barrier_remedy(forward ? one : two, forward ? two : one, "", text,
                       size);
    } else {
        snprintf(text, size,
                 "add __syncthreads() between the read and the write");
    }
}

/* Coordinates of a thread in the grid: blockIdx * blockDim + threadIdx. */
struct position {
    int64_t x, y;
};

static struct position
grid_position(const struct cpu_launch *launch, uint64_t block, unsigned thread)
{
    uint64_t row = block / launch->grid[0] % launch->grid[1];
    unsigned thread_row = thread / launch->block[0] % launch->block[1];

    return (struct position){
        (int64_t)(block % launch->grid[0] * launch->block[0] +
                  thread % launch->block[0]),
        (int64_t)(row * launch->block[1] + thread_row)};
}

/* Returns the number of elements of a row if both threads access element
 * `index` as y * length + x, where x of one thread is beyond the end of its
 * row. Returns 0 if they do not. */
static int64_t
row_length(struct position a, struct position b, int64_t index)
{
    int64_t across = a.x - b.x, down = b.y - a.y;

    if (across == 0 || down == 0 || across % down != 0) {
        return 0;
    }
    int64_t length = across / down;
    return length > 0 && index == a.y * length + a.x ? length : 0;
}

/* Writes the remedy for a race between two threads of a 2-D grid, one of which
 * is beyond the end of a row and so accesses an element of another row.
 * Returns false, without a text, if the race is of another kind. */
static bool
row_guard_remedy(const struct cpu_check_finding *finding, char *text,
                 size_t size)
{
    const struct cpu_launch *launch = cpu_worker_tls->launch;
    const struct image_site *one = finding->site, *two = finding->second;
    struct cpu_check_allocation found;

    if (one->line != two->line || strcmp(one->file, two->file) != 0 ||
        !finding->has_address || finding->bytes == 0 ||
        !cpu_check_find(finding->address, &found) ||
        finding->address < found.base) {
        return false;
    }
    unsigned thread = finding->thread ? *finding->thread : cpu_check_thread();
    struct position a =
        grid_position(launch, cpu_worker_tls->check->block, thread);
    struct position b =
        grid_position(launch, finding->second_block, finding->second_thread);
    int64_t index =
        (int64_t)((finding->address - found.base) / finding->bytes);
    int64_t row = row_length(a, b, index);
    struct position swapped_a = {a.y, a.x}, swapped_b = {b.y, b.x};
    int64_t column = row_length(swapped_a, swapped_b, index);

    if (row) {
        snprintf(text, size,
                 "a row of %lld elements ends before x = %lld: guard the "
                 "access, as in `if (x < width && y < height)`",
                 (long long)row, (long long)(a.x > b.x ? a.x : b.x));
    } else if (column) {
        snprintf(text, size,
                 "a column of %lld elements ends before y = %lld: guard the "
                 "access, as in `if (x < width && y < height)`",
                 (long long)column, (long long)(a.y > b.y ? a.y : b.y));
    }
    return row || column;
}

static void
race_remedy(const struct cpu_check_finding *finding, char *text, size_t size)
{
    bool same_block = strcmp(finding->kind, "block-race") != 0;
    const unsigned writes = IMAGE_SITE_WRITE;

    if (row_guard_remedy(finding, text, size)) {
        return;
    }
    if (are_updates(finding->site, finding->second)) {
        snprintf(text, size, "use atomicAdd, or another atomic function");
    } else if (finding->site == finding->second &&
               (finding->site->flags & writes)) {
        snprintf(text, size,
                 "let one thread write it, or use an atomic function");
    } else {
        order_remedy(finding, same_block, text, size);
    }
}

/* Writes the remedy for a read of shared memory before a thread wrote it.
 * `finding->second` is the source location of the later write; NULL if there
 * was none before the next barrier. */
static void
shared_init_remedy(const struct cpu_check_finding *finding, char *text,
                   size_t size)
{
    const struct image_site *read = finding->site, *write = finding->second;
    bool known = write && write->line && read->line &&
                 strcmp(write->file, read->file) == 0 &&
                 write->line != read->line;

    if (!write) {
        snprintf(text, size,
                 "write it before line %u, and add __syncthreads() after the "
                 "write if another thread writes it",
                 read->line);
    } else if (finding->thread && *finding->thread == finding->second_thread) {
        snprintf(text, size, "write it before line %u reads it", read->line);
    } else if (known && write->line < read->line) {
        barrier_remedy(write, read, "a barrier is missing: ", text, size);
    } else {
        snprintf(text, size,
                 "write it before line %u, with __syncthreads() in between",
                 read->line);
    }
}

static void
init_remedy(const struct cpu_check_finding *finding, char *text, size_t size)
{
    if (strcmp(finding->kind, "uninitialised-shared") == 0) {
        shared_init_remedy(finding, text, size);
    } else if (strcmp(finding->kind, "uninitialised-global") == 0) {
        snprintf(text, size,
                 "fill it first, or check that enough threads ran");
    } else {
        snprintf(text, size, "assign a value first, such as 0");
    }
}

/* Form of an access to an array in the source line. */
enum form {
    UNKNOWN_FORM,    /* such as a member of an element: `points[i].x` */
    ONE_INDEX,       /* a whole element: `tile[i]` */
    SEVERAL_INDICES, /* an element of an array of arrays: `tile[y][x]` */
};

/* Finds the form of the access from the text of its source line. */
static enum form
form_of(const struct image_site *site)
{
    size_t length = strlen(site->object);
    const char *at = length ? strstr(site->text, site->object) : NULL;
    enum form form = UNKNOWN_FORM;

    for (; at; at = strstr(at, site->object)) {
        int depth = at[length] == '[';
        for (at += length + (size_t)depth; *at && depth; at++) {
            depth += (*at == '[') - (*at == ']');
        }
        bool bare = at[-1] != ']'; /* the name without an index */

        at += bare ? 0 : strspn(at, " ");
        if (*at == '[' && !bare) {
            return SEVERAL_INDICES;
        }
        if (!bare && (*at == '.' || strncmp(at, "->", 2) == 0)) {
            return UNKNOWN_FORM;
        }
        form = bare ? form : ONE_INDEX;
    }
    return site->flags & IMAGE_SITE_PART ? UNKNOWN_FORM : form;
}

/* Writes the remedy for an access after the end of a variable of the kernel,
 * such as a shared array. */
static void
variable_remedy(const struct cpu_check_finding *finding, char *text,
                size_t size)
{
    const struct image_site *site = finding->site;
    unsigned long long count = finding->object_bytes / finding->bytes;
    bool dynamic = site->flags & IMAGE_SITE_SHARED && !*site->object;
    enum form form = form_of(site);

    if (dynamic) {
        snprintf(text, size,
                 "keep the index within the %llu bytes, or pass more bytes as "
                 "shared= of the launch",
                 (unsigned long long)finding->object_bytes);
    } else if (form == SEVERAL_INDICES) {
        snprintf(text, size,
                 "'%.60s' has %llu elements in all: each index must be less "
                 "than the length of its dimension",
                 site->object, count);
    } else if (form == ONE_INDEX) {
        snprintf(text, size,
                 "'%.60s' has %llu elements of %llu bytes: the index must be "
                 "less than %llu",
                 site->object, count, (unsigned long long)finding->bytes,
                 count);
    } else {
        snprintf(text, size,
                 "the index must be less than the number of elements%s%.60s%s",
                 *site->object ? " of '" : "", site->object,
                 *site->object ? "'" : "");
    }
}

/* Finds the index of an access such as `x[i + 1]` in its source line. Returns
 * its length and sets *index; returns 0 if the access is not of this form, or
 * accesses only a part of the element. */
static int
index_find(const struct image_site *site, const char **index)
{
    size_t column = site->column, length = strlen(site->text);
    const char *at = site->text + column - 1;
    int depth = 1;

    if (!column || column > length) {
        return 0;
    }
    while (isalnum((unsigned char)*at) || *at == '_') {
        at++;
    }
    if (*at != '[') {
        return 0;
    }
    *index = ++at;
    for (; *at && depth; at++) {
        depth += (*at == '[') - (*at == ']');
    }
    bool whole = !depth && *at != '[' && *at != '.' && strncmp(at, "->", 2);
    return whole ? (int)(at - 1 - *index) : 0;
}

static bool
is_identifier(const char *text, int length)
{
    for (int i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') {
            return false;
        }
    }
    return !isdigit((unsigned char)*text);
}

/* Writes the remedy for an access after the end of an array. If the index is
 * an expression, names it and its limit, since a guard of `i` alone may be
 * there already. */
static void
guard_remedy(const struct cpu_check_finding *finding, char *text, size_t size)
{
    const char *index = "";
    int length = index_find(finding->site, &index);
    int used = snprintf(text, size,
                        "guard the access with the number of elements, as in "
                        "`if (i < n)`");

    if (length && length <= 60 && !is_identifier(index, length) &&
        finding->bytes && finding->object_bytes % finding->bytes == 0) {
        snprintf(text + used, size - (size_t)used,
                 ": the index `%.*s` must be less than %llu", length, index,
                 (unsigned long long)(finding->object_bytes / finding->bytes));
    }
}

/* Writes the remedy for an access before the start of an array. */
static void
negative_remedy(const struct image_site *site, char *text, size_t size)
{
    const char *index = "";
    bool constant = index_find(site, &index) > 1 && index[0] == '-' &&
                    isdigit((unsigned char)index[1]);

    snprintf(text, size,
             "the access is before the first element: check that the "
             "index is not negative, as in `if (i >= 0)`%s",
             constant ? "; C++ does not count from the end: the last element "
                        "is `x[n - 1]`"
                      : "");
}

/* Writes the remedy for an access outside of an object. It claims nothing of
 * the object if the compiler does not know from which object the address was
 * computed: the object of the report is then the nearest one. */
static void
bounds_remedy(const struct cpu_check_finding *finding, char *text, size_t size)
{
    const struct cpu_launch *launch = cpu_worker_tls->launch;
    unsigned known = IMAGE_SITE_SHARED | IMAGE_SITE_LOCAL |
                     IMAGE_SITE_VARIABLE | IMAGE_SITE_POINTER;

    if (!finding->object || !(finding->site->flags & known)) {
        snprintf(text, size,
                 "check that each index is at least 0 and less than the "
                 "number of elements");
    } else if (finding->address < finding->object) {
        negative_remedy(finding->site, text, size);
    } else if (!finding->allocation && finding->bytes &&
               finding->object_bytes % finding->bytes == 0) {
        variable_remedy(finding, text, size);
    } else if ((uint64_t)launch->grid[1] * launch->block[1] > 1) {
        snprintf(text, size,
                 "guard each index, as in `if (x < width && y < height)`");
    } else {
        guard_remedy(finding, text, size);
    }
}

static void
memory_remedy(const struct cpu_check_finding *finding, char *text, size_t size)
{
    if (strcmp(finding->kind, "out-of-bounds") == 0) {
        bounds_remedy(finding, text, size);
    } else if (strcmp(finding->kind, "use-after-free") == 0) {
        snprintf(text, size, "keep the array alive until the kernel is done");
    } else if (strcmp(finding->kind, "null") == 0) {
        snprintf(text, size,
                 "pass memory of the device: a GPUArray, or drv.In(array)");
    } else if (strcmp(finding->kind, "wild-address") == 0) {
        snprintf(text, size,
                 "pass an address of the device's memory: the pointer was not "
                 "set, or has another value");
    } else if (strcmp(finding->kind, "misaligned") == 0) {
        snprintf(text, size,
                 "use an address that is a multiple of the size of the type");
    }
}

static void
sync_remedy(const struct cpu_check_finding *finding, char *text, size_t size)
{
    static const struct {
        const char *kind, *remedy;
    } rows[] = {
        {"divergent-barrier", "move the barrier out of the branch or loop, so "
                              "that all threads of the block reach it"},
        {"deadlock", "let all threads that wait for each other reach the same "
                     "barrier or warp operation"},
        {"mask-without-caller",
         "pass a mask that names all lanes that make the call"},
        {"mask-names-ended",
         "pass a mask of the lanes that still run, or let all lanes reach the "
         "call"},
        {"shuffle-width", "pass a power of two from 1 to 32"},
        {"shuffle-from-absent",
         "let the source lane take part: name it in the mask, or launch whole "
         "warps"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(finding->kind, rows[i].kind) == 0) {
            snprintf(text, size, "%s", rows[i].remedy);
        }
    }
}

void
cpu_check_remedy(const struct cpu_check_finding *finding, char *text,
                 size_t size)
{
    *text = 0;
    if (!finding->site) {
        return;
    }
    if (strcmp(finding->check, "race") == 0 && finding->second) {
        race_remedy(finding, text, size);
    } else if (strcmp(finding->check, "init") == 0) {
        init_remedy(finding, text, size);
    } else if (strcmp(finding->check, "memory") == 0) {
        memory_remedy(finding, text, size);
    } else if (strcmp(finding->check, "sync") == 0) {
        sync_remedy(finding, text, size);
    }
}
