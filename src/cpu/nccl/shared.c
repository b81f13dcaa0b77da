/* shared.c - the memory that the ranks of a communicator share.
 *
 * Called by the other files of this folder. Collective operations synchronize
 * the ranks by barriers. Each rank counts its arrivals at barriers, so that a
 * waiting rank knows which rank is missing. Every 20 ms the waiting rank
 * checks whether the missing rank has left the communicator, whether the
 * process of the missing rank has ended, whether the time limit has passed,
 * and whether the context of the waiting rank's operation has failed.
 *
 * Threads: a struct nccl_shared is used by its rank's progress thread, and by
 * the thread that creates and destroys the communicator. There are no locks.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/nccl/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cpu/device/context.h"
#include "cpu/device/process_end.h"
#include "cpu/run/watchdog.h"

#define MAGIC    0x70796375636c6c31ull
#define PAGE     4096u
#define PAUSE_NS 20000000
/* time limit: seconds that a rank waits for another one */
#define DEFAULT_LIMIT 600.0

enum failure { FAILURE_NONE, FAILURE_WRITING, FAILURE_SET };

struct nccl_file {
    uint64_t magic;
    /* number of ranks of the communicator; 0 before the first one has
     * joined */
    _Atomic int32_t ranks;
    /* whether an operation has failed: a value of enum failure */
    _Atomic int32_t failure;
    _Atomic int32_t closed; /* not 0: the file's creator has closed it */
    /* number of ranks that have joined; used as a futex */
    _Atomic uint32_t joined;
    char text[NCCL_TEXT];
    struct nccl_rank slots[NCCL_RANKS];
};

/* Contents of an ncclUniqueId, with which other processes find the shared
 * memory. */
struct id {
    uint64_t magic;
    int32_t pid, fd;
    uint64_t inode;
    /* random number that identifies the file, since a later file may get the
     * same inode number */
    uint64_t nonce;
};

_Static_assert(sizeof(struct id) <= sizeof(ncclUniqueId),
               "the description must fit in an id");

double
nccl_shared_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void
futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};

    syscall(SYS_futex, word, FUTEX_WAIT, value, &pause, NULL, 0);
}

static void
futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* ---- layout ---- */

static size_t
round_page(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static size_t
channel_bytes(const struct nccl_shared *shared)
{
    return sizeof(struct nccl_channel) + shared->ring_bytes;
}

/* Computes the size of the shared file. The file has a ring buffer for each
 * pair of ranks; buffers that are never used take no physical memory. */
static size_t
file_bytes(const struct nccl_shared *shared)
{
    size_t ranks = (size_t)shared->ranks;

    return round_page(sizeof(struct nccl_file)) +
           2 * (ranks + 1) * NCCL_STAGE +
           ranks * ranks * channel_bytes(shared);
}

static char *
stage_at(const struct nccl_shared *shared, size_t index)
{
    return (char *)shared->file + round_page(sizeof(struct nccl_file)) +
           index * NCCL_STAGE;
}

char *
nccl_shared_stage(const struct nccl_shared *shared, int rank, unsigned parity)
{
    return stage_at(shared, 2 * (size_t)rank + parity);
}

char *
nccl_shared_result(const struct nccl_shared *shared, unsigned parity)
{
    return stage_at(shared, 2 * (size_t)shared->ranks + parity);
}

struct nccl_channel *
nccl_shared_channel(const struct nccl_shared *shared, int from, int to)
{
    char *first = stage_at(shared, 2 * ((size_t)shared->ranks + 1));
    size_t index = (size_t)from * (size_t)shared->ranks + (size_t)to;

    return (struct nccl_channel *)(first + index * channel_bytes(shared));
}

/* ---- failures ---- */

void
nccl_shared_fail(struct nccl_shared *shared, const char *format, ...)
{
    struct nccl_file *file = shared->file;
    int32_t none = FAILURE_NONE;
    va_list arguments;

    if (!atomic_compare_exchange_strong(&file->failure, &none,
                                        FAILURE_WRITING)) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(file->text, sizeof file->text, format, arguments);
    va_end(arguments);
    atomic_store(&file->failure, FAILURE_SET);
    for (int rank = 0; rank < shared->ranks; rank++) {
        futex_wake(&shared->slots[rank].step);
        futex_wake(&shared->slots[rank].bell);
    }
    futex_wake(&file->joined);
}

/* Returns the state of the failure (enum failure). If a rank is still writing
 * the error message, waits until it is written, for at most a second. */
static int32_t
failure_state(const struct nccl_shared *shared)
{
    const struct timespec step = {.tv_nsec = 1000000};
    int32_t state = atomic_load(&shared->file->failure);

    for (int i = 0; state == FAILURE_WRITING && i < 1000; i++) {
        nanosleep(&step, NULL);
        state = atomic_load(&shared->file->failure);
    }
    return state;
}

const char *
nccl_shared_failure(const struct nccl_shared *shared)
{
    int32_t state = failure_state(shared);

    if (state != FAILURE_NONE) {
        return state == FAILURE_SET ? shared->file->text
                                    : "another rank has failed";
    }
    return atomic_load(&shared->stopped)
               ? "the program has aborted the communicator"
               : NULL;
}

/* Returns whether the process of a rank has ended. */
static bool
process_ended(struct nccl_shared *shared, int rank)
{
    pid_t pid = atomic_load(&shared->slots[rank].pid);

    return pid != 0 && pid != getpid() &&
           cpu_process_ended(pid, &shared->processes[rank]);
}

bool
nccl_shared_gone(struct nccl_shared *shared, int rank)
{
    return atomic_load(&shared->slots[rank].presence) == NCCL_LEFT ||
           process_ended(shared, rank);
}

bool
nccl_shared_check(struct nccl_shared *shared, int rank, double since)
{
    int presence = atomic_load(&shared->slots[rank].presence);
    char mine[160], other[160];

    if (nccl_shared_failure(shared)) {
        return true;
    }
    nccl_describe_current(shared, shared->rank, mine, sizeof mine);
    if (presence == NCCL_LEFT) {
        nccl_shared_fail(shared,
                         "rank %d has left the communicator without the "
                         "operation for which rank %d waits: %s",
                         rank, shared->rank, mine);
    } else if (process_ended(shared, rank)) {
        nccl_shared_fail(shared,
                         "the process of rank %d (%d) has ended; rank %d "
                         "waits for it in %s",
                         rank, (int)atomic_load(&shared->slots[rank].pid),
                         shared->rank, mine);
    } else if (nccl_shared_now() - since > shared->limit) {
        nccl_describe_current(shared, rank, other, sizeof other);
        nccl_shared_fail(shared,
                         "rank %d has waited %.3g s for rank %d in %s; rank "
                         "%d %s (PYCUDA_NCCL_TIMEOUT sets the time limit)",
                         shared->rank, shared->limit, rank, mine, rank, other);
    }
    return nccl_shared_failure(shared) != NULL;
}

/* Reports a failure if the context of the running operation has an error, for
 * example because the program has interrupted a wait for the operation. */
static void
context_check(struct nccl_shared *shared)
{
    CUresult code =
        shared->context ? cpu_context_status(shared->context) : CUDA_SUCCESS;

    if (code) {
        nccl_shared_fail(shared,
                         "the context of rank %d has failed with error %d",
                         shared->rank, (int)code);
    }
}

/* ---- joining ---- */

/* Returns the seconds in PYCUDA_NCCL_TIMEOUT, or the default. A value that is
 * no positive number is ignored; the Python package reports it. */
static double
limit_read(void)
{
    const char *text = getenv("PYCUDA_NCCL_TIMEOUT");
    char *end;
    double seconds = text ? strtod(text, &end) : 0;

    return text && *text && !*end && seconds > 0 ? seconds : DEFAULT_LIMIT;
}

ncclResult_t
nccl_shared_make(ncclUniqueId *id, char text[NCCL_TEXT])
{
    struct stat status;
    struct id made = {.magic = MAGIC, .pid = getpid()};
    uint64_t magic = MAGIC;
    int fd = memfd_create("pycuda-nccl", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, (off_t)round_page(sizeof(struct nccl_file))) ||
        pwrite(fd, &magic, sizeof magic, 0) != sizeof magic ||
        fstat(fd, &status) ||
        getrandom(&made.nonce, sizeof made.nonce, 0) < 0) {
        snprintf(text, NCCL_TEXT, "no shared memory for a communicator: %s",
                 strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return ncclSystemError;
    }
    made.fd = fd;
    made.inode = (uint64_t)status.st_ino;
    memset(id, 0, sizeof *id);
    memcpy(id, &made, sizeof made);
    return ncclSuccess;
}

void
nccl_shared_discard(const ncclUniqueId *id)
{
    struct id known;

    memcpy(&known, id, sizeof known);
    if (known.pid == getpid()) {
        close(known.fd);
    }
}

/* Opens the shared file that an id describes. Returns the descriptor, or -1
 * with an error message in `text`. */
static int
file_open(const ncclUniqueId *id, char text[NCCL_TEXT])
{
    struct stat status;
    struct id known;
    char path[64];

    memcpy(&known, id, sizeof known);
    if (known.magic != MAGIC || known.pid <= 0 || known.fd < 0) {
        snprintf(text, NCCL_TEXT,
                 "this is no id of ncclGetUniqueId of the CPU device");
        return -1;
    }
    snprintf(path, sizeof path, "/proc/%d/fd/%d", known.pid, known.fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &status) &&
        (uint64_t)status.st_ino == known.inode) {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    snprintf(text, NCCL_TEXT,
             "the communicator of this id is not accessible: the process %d "
             "that made the id has ended, runs on another machine or belongs "
             "to another user",
             (int)known.pid);
    return -1;
}

/* Maps the file with the communicator's shared memory, after enlarging it to
 * the size for this number of ranks. */
static ncclResult_t
file_map(struct nccl_shared *shared, int fd, char text[NCCL_TEXT])
{
    size_t bytes = file_bytes(shared);
    struct stat status;
    bool sized = !fstat(fd, &status) && (status.st_size >= (off_t)bytes ||
                                         !ftruncate(fd, (off_t)bytes));
    void *file =
        sized ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
              : MAP_FAILED;

    if (file == MAP_FAILED) {
        snprintf(text, NCCL_TEXT,
                 "%zu bytes of shared memory for %d ranks are not available: "
                 "%s",
                 bytes, shared->ranks, strerror(errno));
        return ncclSystemError;
    }
    shared->file = file;
    shared->bytes = bytes;
    shared->slots = shared->file->slots;
    return ncclSuccess;
}

/* Occupies the calling rank's slot in shared memory. Fails if another process
 * or thread has already used the slot, or if the ranks passed different
 * numbers of ranks. */
static ncclResult_t
slot_take(struct nccl_shared *shared, char text[NCCL_TEXT])
{
    struct nccl_file *file = shared->file;
    struct nccl_rank *slot = &shared->slots[shared->rank];
    int32_t absent = NCCL_ABSENT, none = 0;

    if (!atomic_compare_exchange_strong(&file->ranks, &none, shared->ranks) &&
        none != shared->ranks) {
        snprintf(text, NCCL_TEXT,
                 "rank %d names %d ranks, but another rank names %d",
                 shared->rank, shared->ranks, (int)none);
        nccl_shared_fail(shared, "%s", text);
        return ncclInvalidUsage;
    }
    if (!atomic_compare_exchange_strong(&slot->presence, &absent,
                                        NCCL_PRESENT)) {
        snprintf(text, NCCL_TEXT,
                 "rank %d of this id has already been used; each communicator "
                 "needs a new id, and each of its ranks another number",
                 shared->rank);
        return ncclInvalidUsage;
    }
    atomic_store(&slot->pid, getpid());
    atomic_store(&slot->current, NCCL_IDLE);
    atomic_fetch_add(&file->joined, 1);
    futex_wake(&file->joined);
    return ncclSuccess;
}

ncclResult_t
nccl_shared_join(struct nccl_shared *shared, const ncclUniqueId *id, int ranks,
                 int rank, char text[NCCL_TEXT])
{
    struct id known;
    int fd = file_open(id, text);

    if (fd < 0) {
        return ncclInvalidArgument;
    }
    memcpy(&known, id, sizeof known);
    *shared = (struct nccl_shared){.ranks = ranks,
                                   .rank = rank,
                                   .limit = limit_read(),
                                   .ring_bytes = ranks > 32 ? 4096 : 65536};
    shared->kept_fd = known.pid == getpid() ? known.fd : -1;
    ncclResult_t result = file_map(shared, fd, text);
    close(fd);
    if (result) {
        return result;
    }
    shared->processes = malloc((size_t)ranks * sizeof *shared->processes);
    if (shared->processes) {
        memset(shared->processes, -1, (size_t)ranks * sizeof(int));
        result = slot_take(shared, text);
    } else {
        snprintf(text, NCCL_TEXT, "out of memory");
        result = ncclSystemError;
    }
    if (result) {
        free(shared->processes);
        munmap(shared->file, shared->bytes);
    }
    return result;
}

/* If this process created the shared file, closes its descriptor of the file.
 * Calls by further ranks of the process have no effect. */
static void
kept_close(struct nccl_shared *shared)
{
    if (shared->kept_fd >= 0 && !atomic_exchange(&shared->file->closed, 1)) {
        close(shared->kept_fd);
    }
    shared->kept_fd = -1;
}

bool
nccl_shared_wait_joined(struct nccl_shared *shared)
{
    double since = nccl_shared_now();
    uint32_t joined;

    while ((joined = atomic_load(&shared->file->joined)) <
           (uint32_t)shared->ranks) {
        futex_wait(&shared->file->joined, joined);
        if (cpu_interrupt_wanted()) {
            nccl_shared_fail(shared,
                             "rank %d was interrupted while it waited for the "
                             "other ranks; %u of %d have joined",
                             shared->rank, joined, shared->ranks);
        }
        for (int rank = 0; rank < shared->ranks; rank++) {
            bool joins = atomic_load(&shared->slots[rank].presence) != 0;
            if (nccl_shared_failure(shared) ||
                (joins && process_ended(shared, rank))) {
                nccl_shared_check(shared, rank, since);
                return false;
            }
        }
        if (nccl_shared_now() - since > shared->limit) {
            nccl_shared_fail(shared,
                             "only %u of %d ranks have created the "
                             "communicator within %.3g s",
                             joined, shared->ranks, shared->limit);
            return false;
        }
    }
    /* all ranks have mapped the file, so it need not be kept open */
    kept_close(shared);
    return nccl_shared_failure(shared) == NULL;
}

void
nccl_shared_leave(struct nccl_shared *shared)
{
    struct nccl_rank *slot = &shared->slots[shared->rank];

    atomic_store(&slot->presence, NCCL_LEFT);
    futex_wake(&slot->step);
    for (int rank = 0; rank < shared->ranks; rank++) {
        nccl_shared_ring(shared, rank);
        if (shared->processes[rank] >= 0) {
            close(shared->processes[rank]);
        }
    }
    kept_close(shared);
    free(shared->processes);
    munmap(shared->file, shared->bytes);
}

/* ---- waiting ---- */

bool
nccl_shared_step(struct nccl_shared *shared)
{
    struct nccl_rank *own = &shared->slots[shared->rank];
    uint32_t mine = atomic_fetch_add(&own->step, 1) + 1;
    double since = nccl_shared_now();

    futex_wake(&own->step);
    for (int rank = 0; rank < shared->ranks; rank++) {
        _Atomic uint32_t *step = &shared->slots[rank].step;
        uint32_t seen;

        while ((int32_t)((seen = atomic_load(step)) - mine) < 0) {
            futex_wait(step, seen);
            context_check(shared);
            /* First test whether the rank is gone, then read its `step` again.
             * A rank that arrived at the barrier and left afterwards is gone,
             * but did arrive. */
            bool gone = nccl_shared_gone(shared, rank) ||
                        nccl_shared_now() - since > shared->limit;
            if ((int32_t)(atomic_load(step) - mine) < 0 &&
                (gone || nccl_shared_failure(shared)) &&
                nccl_shared_check(shared, rank, since)) {
                return false;
            }
        }
    }
    return nccl_shared_failure(shared) == NULL;
}

void
nccl_shared_listen(struct nccl_shared *shared, uint32_t heard)
{
    futex_wait(&shared->slots[shared->rank].bell, heard);
    context_check(shared);
}

void
nccl_shared_ring(struct nccl_shared *shared, int rank)
{
    atomic_fetch_add(&shared->slots[rank].bell, 1);
    futex_wake(&shared->slots[rank].bell);
}
