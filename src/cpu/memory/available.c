/* available.c - reads how much memory the system can provide to this process.
 *
 * Called by budget.c and at cuInit, by one thread at a time. The sources are
 * MemAvailable, the limits of the process's cgroup and its ancestors,
 * RLIMIT_AS, RLIMIT_DATA and CommitLimit. Cgroups may be of version 1, 2 or
 * both, and the process may be in a container. Caches the mount points of the
 * cgroup file systems.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cpu/memory/available.h"

#define TEXT_BYTES 8192

/* ---- files ---- */

bool
cpu_system_file_read(const char *root, const char *path, char *text,
                     size_t bytes)
{
    char name[PATH_MAX];
    FILE *file = NULL;

    if (snprintf(name, sizeof name, "%s%s", root, path) < PATH_MAX) {
        file = fopen(name, "re");
    }
    if (!file) {
        return false;
    }
    size_t length = fread(text, 1, bytes - 1, file);
    fclose(file);
    text[length] = 0;
    return length > 0;
}

/* Returns the number that follows `key` at the start of a line of the text, or
 * `none` if no line starts with `key`. */
static uint64_t
text_number(const char *text, const char *key, uint64_t none)
{
    size_t n = strlen(key);

    for (const char *line = text; line && *line;) {
        if (!strncmp(line, key, n) && (line[n] == ' ' || line[n] == ':')) {
            const char *value = line + n + strspn(line + n, ": \t");
            return strtoull(value, NULL, 10);
        }
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return none;
}

/* Reads a file that contains one number. Returns the number, or `none` if the
 * file does not exist or contains "max". */
static uint64_t
file_number(const char *root, const char *folder, const char *name,
            uint64_t none)
{
    char path[PATH_MAX], text[64];

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX ||
        !cpu_system_file_read(root, path, text, sizeof text) || *text < '0' ||
        *text > '9') {
        return none;
    }
    return strtoull(text, NULL, 10);
}

/* ---- bounds ---- */

/* Returns the reserve: the bytes that the device must leave free for other
 * uses, such as growth of other processes, page tables and thread stacks.
 * `total` is the memory of the machine or cgroup. */
static uint64_t
reserve_of(uint64_t total)
{
    return total / 64 + ((uint64_t)16 << 20);
}

static uint64_t
less(uint64_t from, uint64_t bytes)
{
    return from > bytes ? from - bytes : 0;
}

/* Lowers the bound to `bytes` if the bound is higher. `source` names the
 * system limit that `bytes` comes from. */
static void
bound_lower(struct cpu_bound *bound, uint64_t bytes, const char *source)
{
    if (bytes < bound->bytes) {
        bound->bytes = bytes;
        snprintf(bound->source, sizeof bound->source, "%s", source);
    }
}

/* Limits found->pages to `bytes` minus a reserve. `bytes` is the free memory
 * of a machine or cgroup. `limit` is the total memory of the machine or
 * cgroup, and determines the size of the reserve. */
static void
pages_bound(struct cpu_available *found, uint64_t limit, uint64_t bytes,
            const char *source)
{
    uint64_t reserve = reserve_of(limit);

    if (limit < found->total) {
        found->total = limit;
    }
    if (less(bytes, reserve) < found->pages.bytes) {
        found->reserve = reserve;
    }
    bound_lower(&found->pages, less(bytes, reserve), source);
}

/* Reads how much memory the machine has free, and the commit limit if the
 * system does not overcommit. */
static void
machine_read(const char *root, struct cpu_available *found)
{
    char text[TEXT_BYTES], source[CPU_SOURCE_BYTES], mode[16] = "";

    found->total =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (!cpu_system_file_read(root, "/proc/meminfo", text, sizeof text)) {
        return;
    }
    uint64_t total = text_number(text, "MemTotal", 0) << 10;
    uint64_t left = text_number(text, "MemAvailable", UINT64_MAX >> 10) << 10;
    if (total && left <= total) {
        snprintf(source, sizeof source,
                 "the machine has %llu bytes available (MemAvailable)",
                 (unsigned long long)left);
        found->total = total;
        pages_bound(found, total, left, source);
    }
    if (cpu_system_file_read(root, "/proc/sys/vm/overcommit_memory", mode,
                             sizeof mode) &&
        *mode == '2') {
        uint64_t limit = text_number(text, "CommitLimit", 0) << 10;
        uint64_t taken = text_number(text, "Committed_AS", 0) << 10;
        bound_lower(&found->mappings, less(limit, taken),
                    "vm.overcommit_memory is 2: the system promises no "
                    "more than CommitLimit");
    }
}

/* ---- limits of the process ---- */

static bool
is_limited(int which)
{
    struct rlimit limit;

    return !getrlimit(which, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

/* Reads RLIMIT_AS and RLIMIT_DATA, and subtracts what the process uses now. */
static void
limits_read(const char *root, struct cpu_available *found)
{
    static const struct {
        int limit;
        /* index in /proc/self/statm of the number of pages that count toward
         * this limit */
        int field;
        const char *name;
    } rows[] = {{RLIMIT_AS, 0, "RLIMIT_AS"}, {RLIMIT_DATA, 5, "RLIMIT_DATA"}};
    unsigned long long pages[6] = {0};
    char text[256], source[CPU_SOURCE_BYTES];
    uint64_t unit = (uint64_t)sysconf(_SC_PAGESIZE);

    if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) {
        return;
    }
    if (cpu_system_file_read(root, "/proc/self/statm", text, sizeof text)) {
        sscanf(text, "%llu %llu %llu %llu %llu %llu", &pages[0], &pages[1],
               &pages[2], &pages[3], &pages[4], &pages[5]);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rlimit limit;
        if (getrlimit(rows[i].limit, &limit) ||
            limit.rlim_cur == RLIM_INFINITY) {
            continue;
        }
        snprintf(source, sizeof source, "%s of the process is %llu bytes",
                 rows[i].name, (unsigned long long)limit.rlim_cur);
        bound_lower(i ? &found->mappings : &found->addresses,
                    less(limit.rlim_cur, pages[rows[i].field] * unit), source);
    }
}

/* ---- cgroups ---- */

/* Names of the files of cgroup version 1 or 2. `cache` is the part of the used
 * memory that the system reclaims before it kills a process. */
struct version {
    /* type of the cgroup file system, as named in /proc/self/mountinfo */
    const char *type;
    /* mount option that identifies the file system, or "" if `type` is
     * enough */
    const char *option;
    /* names of the files that contain a limit in bytes */
    const char *files[2];
    const char *current;
    /* key of the line in memory.stat that says how many bytes of cache the
     * system can reclaim */
    const char *cache;
    /* Mount point of the cgroup file system that is assumed if
     * /proc/self/mountinfo cannot be read. */
    const char *default_mount;
};

static const struct version versions[] = {
    {"cgroup2",
     "",
     {"memory.max", "memory.high"},
     "memory.current",
     "inactive_file",
     "/sys/fs/cgroup"},
    {"cgroup",
     "memory",
     {"memory.limit_in_bytes", NULL},
     "memory.usage_in_bytes",
     "total_inactive_file",
     "/sys/fs/cgroup/memory"},
};

/* Reads the limits of one cgroup, and lowers the values in `found` if the
 * limits are lower. Cache that the system can reclaim does not count as memory
 * in use. */
static void
group_read(const char *root, const struct version *version, const char *folder,
           struct cpu_available *found)
{
    char path[PATH_MAX], stat[TEXT_BYTES] = "", source[CPU_SOURCE_BYTES];

    for (int i = 0; i < 2 && version->files[i]; i++) {
        uint64_t limit =
            file_number(root, folder, version->files[i], CPU_NO_LIMIT);
        if (limit >= found->total) {
            continue;
        }
        uint64_t used = file_number(root, folder, version->current, 0);
        if (snprintf(path, sizeof path, "%s/memory.stat", folder) < PATH_MAX) {
            cpu_system_file_read(root, path, stat, sizeof stat);
        }
        used = less(used, text_number(stat, version->cache, 0));
        snprintf(source, sizeof source,
                 "%s of the cgroup %.120s is %llu bytes, %llu are in use",
                 version->files[i], folder, (unsigned long long)limit,
                 (unsigned long long)used);
        pages_bound(found, limit, less(limit, used), source);
    }
}

/* Returns true if the comma-separated list contains the word. */
static bool
list_has(const char *list, const char *word)
{
    size_t n = strlen(word);

    while (n && list && *list) {
        if (!strncmp(list, word, n) &&
            (list[n] == ',' || list[n] == 0 || list[n] == '\n')) {
            return true;
        }
        list = strchr(list, ',');
        list += list != NULL;
    }
    return n == 0;
}

/* Reads the path of the process's cgroup from /proc/self/cgroup. The lines are
 * like "4:memory:/path" or, for version 2, "0::/path". */
static bool
group_path(const char *root, const struct version *version,
           char path[PATH_MAX])
{
    char text[TEXT_BYTES], *rest = NULL;

    if (!cpu_system_file_read(root, "/proc/self/cgroup", text, sizeof text)) {
        return false;
    }
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *names = strchr(line, ':');
        char *at = names ? strchr(names + 1, ':') : NULL;
        if (!at) {
            continue;
        }
        *at = 0;
        bool wanted = *version->option ? list_has(names + 1, version->option)
                                       : names[1] == 0;
        if (wanted) {
            snprintf(path, PATH_MAX, "%s", at + 1);
            return true;
        }
    }
    return false;
}

/* Mount point of a cgroup file system, and the folder of that file system
 * which is mounted there. */
struct mount {
    bool looked, found;
    char folder[PATH_MAX], point[PATH_MAX];
};

/* The mounts of both cgroup versions, found at the first call. */
static struct mount mounts[sizeof versions / sizeof *versions];

/* Finds the mount of a cgroup file system in mountinfo. The lines are like "36
 * 35 98:0 /folder /point options - type source options". */
static void
mount_find(const char *root, const struct version *version,
           struct mount *mount)
{
    char name[PATH_MAX], line[2 * PATH_MAX];

    snprintf(name, sizeof name, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(name, "re");
    *mount = (struct mount){.looked = true};
    while (file && !mount->found && fgets(line, sizeof line, file)) {
        char type[64] = "", options[512] = "";
        const char *rest = strstr(line, " - ");
        mount->found = rest &&
                       sscanf(line, "%*s %*s %*s %4095s %4095s", mount->folder,
                              mount->point) == 2 &&
                       sscanf(rest, " - %63s %*s %511s", type, options) >= 1 &&
                       !strcmp(type, version->type) &&
                       list_has(options, version->option);
    }
    if (file) {
        fclose(file);
    }
}

/* Reads the limits of the process's cgroup and of its ancestors. */
static void
groups_read(const char *root, size_t which, struct cpu_available *found)
{
    struct mount *mount = &mounts[which];
    char path[PATH_MAX], group[2 * PATH_MAX];

    group_read(root, &versions[which], versions[which].default_mount, found);
    if (*root || !mount->looked) {
        mount_find(root, &versions[which], mount);
    }
    if (!mount->found || !group_path(root, &versions[which], path)) {
        return;
    }
    size_t n = strcmp(mount->folder, "/") ? strlen(mount->folder) : 0;
    bool below =
        !strncmp(path, mount->folder, n) && (path[n] == '/' || !path[n]);
    /* If the path from /proc/self/cgroup is not below `folder` (possible in a
     * container), it is already relative to the mount point. */
    const char *rest = below ? path + n : path;
    snprintf(group, sizeof group, "%s%s", mount->point,
             strcmp(rest, "/") ? rest : "");
    for (size_t top = strlen(mount->point); strlen(group) >= top;) {
        group_read(root, &versions[which], group, found);
        char *slash = strrchr(group, '/');
        if (!slash || strlen(group) == top) {
            break;
        }
        *slash = 0;
    }
}

void
cpu_available_read(const char *root, struct cpu_available *found)
{
    *found = (struct cpu_available){.pages = {.bytes = CPU_NO_LIMIT},
                                    .mappings = {.bytes = CPU_NO_LIMIT},
                                    .addresses = {.bytes = CPU_NO_LIMIT}};
    machine_read(root, found);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        groups_read(root, i, found);
    }
    limits_read(root, found);
}
