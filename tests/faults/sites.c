/* sites.c - call sites of the package, and which of them fails when.
 *
 * Loaded by LD_PRELOAD with calls.c.  Python arms it through ctypes.  Tables
 * have a fixed size and are written with atomic operations, so that counting
 * works in any thread, under any lock of the program, and in signal handlers.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose.h"

static const char *const fault_names[CALL_COUNT] = {
    "malloc",
    "calloc",
    "realloc",
    "aligned_alloc",
    "strdup",
    "python",
    "mmap",
    "munmap",
    "mprotect",
    "madvise",
    "mincore",
    "memfd_create",
    "pipe2",
    "socketpair",
    "open",
    "openat",
    "fopen",
    "fdopen",
    "memstream",
    "opendir",
    "scandir",
    "fstat",
    "stat",
    "fstatat",
    "ftruncate",
    "fcntl",
    "read",
    "fread",
    "write",
    "fwrite",
    "send",
    "fsync",
    "rename",
    "unlink",
    "mkdir",
    "mkdtemp",
    "realpath",
    "futimens",
    "access",
    "close",
    "posix_spawn",
    "waitpid",
    "poll",
    "pthread_create",
    "pthread_key_create",
    "sigaltstack",
    "sched_getaffinity",
    "sysconf",
    "getrlimit",
    "dlopen",
    "process_vm_readv",
};

/* ---- libraries ---- */

/* The files whose calls count.  Names are parts of a file's name. */
static const char *const libraries[] = {"_driver.cpython", "libpycuda_cpu"};
#define LIBRARIES (sizeof libraries / sizeof *libraries)

/* Index of the library that has an address and its offset in it, or -1. */
static int
library_of(void *where, uintptr_t *offset)
{
    struct dl_find_object found;

    if (_dl_find_object(where, &found)) {
        return -1;
    }
    const char *path = found.dlfo_link_map->l_name;
    const char *name = strrchr(path, '/');
    *offset = (uintptr_t)where - (uintptr_t)found.dlfo_map_start;
    if (name == NULL) {
        return -1;
    }
    for (unsigned i = 0; i < LIBRARIES; i++) {
        if (!strncmp(name + 1, libraries[i], strlen(libraries[i]))) {
            return (int)i;
        }
    }
    return -1;
}

/* ---- sites ---- */

struct site {
    _Atomic(uintptr_t) key; /* offset, function and library; 0: free */
    atomic_uint calls;
    atomic_int blocks; /* allocated here and not freed */
};

#define SITES (1u << 13)
static struct site sites[SITES];

static uintptr_t
site_key(int library, uintptr_t offset, enum call call)
{
    return offset << 10 | (uintptr_t)call << 2 | (uintptr_t)library;
}

static struct site *
site_find(uintptr_t key)
{
    for (unsigned at = (unsigned)(key * 0x9e3779b97f4a7c15u >> 40) % SITES;;
         at = (at + 1) % SITES) {
        uintptr_t seen = sites[at].key;
        if (seen == 0 &&
            atomic_compare_exchange_strong(&sites[at].key, &seen, key)) {
            return &sites[at];
        }
        if (seen == key) {
            return &sites[at];
        }
    }
}

static struct {
    atomic_bool counting;
    uintptr_t key; /* of the site that fails; 0: none */
    unsigned nth;  /* first call that fails, from 1 */
    unsigned last; /* last call that fails */
    int error;
    atomic_uint fired;
} armed;

bool
fault_due(enum call call, void *where)
{
    uintptr_t offset;
    int saved = errno;

    if (!armed.counting) {
        return false;
    }
    int library = library_of(where, &offset);
    errno = saved;
    if (library < 0) {
        return false;
    }
    uintptr_t key = site_key(library, offset, call);
    unsigned calls = atomic_fetch_add(&site_find(key)->calls, 1) + 1;
    if (key != armed.key || calls < armed.nth || calls > armed.last) {
        return false;
    }
    atomic_fetch_add(&armed.fired, 1);
    errno = armed.error;
    return true;
}

bool
fault_is_ours(void *where)
{
    uintptr_t offset;

    return armed.counting && library_of(where, &offset) >= 0;
}

bool
fault_is_short(void)
{
    return armed.error == 0;
}

/* ---- blocks ---- */

struct block {
    _Atomic(uintptr_t) address; /* 0: free, 1: was used */
    struct site *site;
};

#define BLOCKS (1u << 18)
static struct block *blocks;
static atomic_bool blocks_counting;

static unsigned
block_hash(uintptr_t address)
{
    return (unsigned)(address * 0x9e3779b97f4a7c15u >> 40) % BLOCKS;
}

void
block_add(void *address, void *where)
{
    uintptr_t offset;

    if (address == NULL || !blocks_counting) {
        return;
    }
    int library = library_of(where, &offset);
    if (library < 0) {
        return;
    }
    struct site *site = site_find(site_key(library, offset, CALL_MALLOC));
    for (unsigned at = block_hash((uintptr_t)address), i = 0; i < BLOCKS;
         at = (at + 1) % BLOCKS, i++) {
        uintptr_t seen = blocks[at].address;
        if (seen <= 1 && atomic_compare_exchange_strong(
                             &blocks[at].address, &seen, (uintptr_t)address)) {
            blocks[at].site = site;
            atomic_fetch_add(&site->blocks, 1);
            return;
        }
    }
}

void
block_remove(void *address)
{
    if (address == NULL || blocks == NULL) {
        return;
    }
    for (unsigned at = block_hash((uintptr_t)address);;
         at = (at + 1) % BLOCKS) {
        uintptr_t seen = blocks[at].address;
        if (seen == 0) {
            return;
        }
        if (seen == (uintptr_t)address) {
            atomic_fetch_sub(&blocks[at].site->blocks, 1);
            blocks[at].address = 1;
            return;
        }
    }
}

/* ---- what Python calls ---- */

/* Starts to count calls, and makes the calls `nth` to `last` of one site fail
 * with `error` (0: transfer less).  `call` < 0: none fails. */
void
fault_arm(int library, unsigned long offset, int call, unsigned nth,
          unsigned last, int error)
{
    armed.key = call < 0 ? 0 : site_key(library, offset, (enum call)call);
    armed.nth = nth;
    armed.last = last;
    armed.error = error;
    armed.fired = 0;
    for (unsigned i = 0; i < SITES; i++) {
        sites[i].calls = 0;
    }
    armed.counting = true;
}

/* No call fails any more.  Returns how many did. */
unsigned
fault_disarm(void)
{
    armed.counting = false;
    return armed.fired;
}

/* Starts to count blocks. */
void
fault_count_blocks(void)
{
    blocks = calloc(BLOCKS, sizeof *blocks);
    blocks_counting = blocks != NULL;
}

/* Appends a line "library offset function calls blocks" for each site. */
int
fault_dump(const char *path)
{
    char line[160];
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    if (fd < 0) {
        return -1;
    }
    for (unsigned i = 0; i < SITES; i++) {
        uintptr_t key = sites[i].key;
        if (key) {
            int n = snprintf(line, sizeof line, "%d %lu %d %u %d\n",
                             (int)(key & 3), (unsigned long)(key >> 10),
                             (int)(key >> 2 & 0xff), sites[i].calls,
                             sites[i].blocks);
            if (write(fd, line, (size_t)n) != n) {
                break;
            }
        }
    }
    return close(fd);
}

const char *
fault_name(int call)
{
    return call >= 0 && call < CALL_COUNT ? fault_names[call] : NULL;
}
