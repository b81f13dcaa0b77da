/* ipc_event.c - state of interprocess events.
 *
 * Called by event.c for events with CU_EVENT_INTERPROCESS. The state is one
 * page of a memory file, which other processes map through /proc, as ipc.c
 * does with allocations. Each record has a number. The page stores the number
 * and the process of the last record issued, and the number of the last record
 * reached. Waiting threads sleep on the latter number (a futex). A record of a
 * dead process counts as reached, since no process will complete it.
 *
 * A stream that waits for a record gets an operation that no worker runs. A
 * thread is started that waits for the record and then finishes this
 * operation. The mapping is reference-counted: pending records and waits keep
 * it mapped after the event is destroyed.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu/check/hooks.h"
#include "cpu/device/process_end.h"
#include "cpu/exports/system_errors.h"
#include "cpu/stream/ipc_event.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/worker.h"
#include "cpu/stream/workers.h"

#define MAGIC 0x70796375657665ull
#define PAGE  4096
/* Time in ns after which a waiter checks again whether the process that
 * issued the record has ended. */
#define CHECK_NS     50000000
#define WAITER_STACK (64u << 10)

/* The page of the memory file that several processes map and write. */
struct page {
    uint64_t magic;
    /* Low 32 bits: number of times that the event was recorded
     * (cuEventRecord). High 32 bits: id of the process that recorded it
     * last. */
    _Atomic uint64_t issued;
    /* Number of the latest record that its stream has reached; used as a
     * futex. */
    _Atomic uint32_t reached;
};

struct cpu_ipc_event {
    atomic_uint references;
    int fd; /* memory file; -1 if another process created the event */
    struct page *page;
};

/* Contents of a CUipcEventHandle. */
struct handle {
    uint64_t magic;
    int32_t pid, fd;
    uint64_t inode;
};

_Static_assert(sizeof(struct handle) <= sizeof(CUipcEventHandle),
               "the description must fit in a handle");

void
cpu_ipc_event_release(struct cpu_ipc_event *event)
{
    if (!event || atomic_fetch_sub(&event->references, 1) != 1) {
        return;
    }
    munmap(event->page, PAGE);
    if (event->fd >= 0) {
        close(event->fd);
    }
    free(event);
}

/* Maps the page of the memory file `fd`. Stores `fd` in the event if `keep` is
 * true. Returns NULL on failure. */
static struct cpu_ipc_event *
event_map(int fd, bool keep)
{
    struct cpu_ipc_event *event = malloc(sizeof *event);

    if (!event) {
        return NULL;
    }
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        free(event);
        return NULL;
    }
    *event = (struct cpu_ipc_event){
        .references = 1, .fd = keep ? fd : -1, .page = page};
    return event;
}

CUresult
cpu_ipc_event_new(struct cpu_ipc_event **made)
{
    int fd = memfd_create("pycuda-event", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0) {
        return cpu_system_error_set(errno,
                                    "a file of memory for an event that "
                                    "processes share");
    }
    /* With this seal no process can shrink the file. Otherwise accesses of the
     * other processes could fail with SIGBUS. */
    int failed;
    while ((failed = ftruncate(fd, PAGE)) && errno == EINTR) {
    }
    bool sized =
        !failed && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    int error = errno;
    *made = sized ? event_map(fd, true) : NULL;
    if (!*made) {
        close(fd);
        return sized ? CUDA_ERROR_OUT_OF_MEMORY
                     : cpu_system_error_set(error,
                                            "to size and seal an event's file "
                                            "of %d bytes of memory",
                                            (int)PAGE);
    }
    (*made)->page->magic = MAGIC;
    return CUDA_SUCCESS;
}

CUresult
cpu_ipc_event_export(struct cpu_ipc_event *event, CUipcEventHandle *handle)
{
    struct stat status;

    if (event->fd < 0) {
        /* this process has no descriptor: another process created the event */
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (fstat(event->fd, &status)) {
        return cpu_system_error_set(errno,
                                    "to query the memory file of an event");
    }
    struct handle exported = {.magic = MAGIC,
                              .pid = getpid(),
                              .fd = event->fd,
                              .inode = (uint64_t)status.st_ino};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &exported, sizeof exported);
    return CUDA_SUCCESS;
}

CUresult
cpu_ipc_event_open(const CUipcEventHandle *imported,
                   struct cpu_ipc_event **made)
{
    struct handle handle;
    struct stat status;
    char path[64];

    memcpy(&handle, imported, sizeof handle);
    if (handle.magic != MAGIC || handle.pid <= 0 || handle.fd < 0) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (handle.pid == getpid()) {
        /* INVALID_CONTEXT, as ipc.c returns for a handle of memory that the
         * calling process has exported */
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    snprintf(path, sizeof path, "/proc/%d/fd/%d", handle.pid, handle.fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    *made = NULL;
    if (!fstat(fd, &status) && (uint64_t)status.st_ino == handle.inode &&
        status.st_size == PAGE) {
        *made = event_map(fd, false);
    }
    close(fd);
    if (*made && (*made)->page->magic != MAGIC) {
        cpu_ipc_event_release(*made);
        *made = NULL;
    }
    return *made ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- recording ---- */

/* A record of an event, between the call that issues it and the time at which
 * its stream reaches it. */
struct mark {
    struct cpu_ipc_event *event;
    uint32_t number;
};

/* Stores in the page that the record is reached, unless a later record is
 * reached already. Wakes all waiting threads. */
static CUresult
record_reach(void *argument)
{
    struct mark *mark = argument;
    struct page *page = mark->event->page;
    uint32_t reached = atomic_load(&page->reached);

    while ((int32_t)(mark->number - reached) > 0 &&
           !atomic_compare_exchange_weak(&page->reached, &reached,
                                         mark->number)) {
    }
    syscall(SYS_futex, &page->reached, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    cpu_ipc_event_release(mark->event);
    return CUDA_SUCCESS;
}

/* Returns a new record number, and stores it in the page together with the id
 * of this process. */
static uint32_t
record_issue(struct page *page)
{
    uint64_t old = atomic_load(&page->issued), new;

    do {
        new = (uint64_t)getpid() << 32 | (uint32_t)((uint32_t)old + 1);
    } while (!atomic_compare_exchange_weak(&page->issued, &old, new));
    return (uint32_t) new;
}

CUresult
cpu_ipc_event_record(struct cpu_ipc_event *event, struct cpu_stream *stream)
{
    cpu_check_streams_stop();
    CUresult code = cpu_workers_start();
    struct cpu_op *op =
        code ? NULL
             : cpu_op_new(stream->ctx, CPU_OP_CALLER, sizeof(struct mark));

    if (!op) {
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    atomic_fetch_add(&event->references, 1);
    struct mark *mark = op->argument;
    *mark = (struct mark){event, record_issue(event->page)};
    op->kind_if_deferred = CPU_OP_CALL;
    /* The record also counts as reached if the context has failed, so that
     * waits for it end. */
    op->runs_after_failure = true;
    op->run = record_reach;
    if (cpu_op_submit(stream, op, NULL)) {
        record_reach(mark);
        cpu_op_finish(op);
    }
    cpu_op_release(op);
    return CUDA_SUCCESS;
}

/* ---- waiting ---- */

/* A record of an event: its number, and the process that issued it. */
struct record {
    uint32_t number;
    pid_t issuer;
};

static struct record
record_last(struct cpu_ipc_event *event)
{
    uint64_t issued = atomic_load(&event->page->issued);

    return (struct record){(uint32_t)issued, (pid_t)(issued >> 32)};
}

static bool
record_is_reached(struct page *page, uint32_t number)
{
    return (int32_t)(number - atomic_load(&page->reached)) <= 0;
}

/* Blocks until the record is reached, or until the process that issued it has
 * ended. */
static void
record_wait(struct page *page, struct record record)
{
    const struct timespec pause = {.tv_nsec = CHECK_NS};
    int process = -1;

    while (!record_is_reached(page, record.number)) {
        uint32_t reached = atomic_load(&page->reached);

        if ((int32_t)(record.number - reached) > 0 &&
            syscall(SYS_futex, &page->reached, FUTEX_WAIT, reached, &pause,
                    NULL, 0) &&
            (errno == ETIMEDOUT || errno == EINTR) &&
            cpu_process_ended(record.issuer, &process)) {
            break;
        }
    }
    if (process >= 0) {
        close(process);
    }
}

bool
cpu_ipc_event_done(struct cpu_ipc_event *event)
{
    struct record record = record_last(event);
    int process = -1;
    bool done = record_is_reached(event->page, record.number) ||
                cpu_process_ended(record.issuer, &process);

    if (process >= 0) {
        close(process);
    }
    return done;
}

void
cpu_ipc_event_wait(struct cpu_ipc_event *event)
{
    record_wait(event->page, record_last(event));
}

/* A stream that waits for a record of an event: the operation `gate` is
 * finished when the record is reached. */
struct waiter {
    struct cpu_ipc_event *event;
    struct cpu_op *gate;
    struct record record;
};

static void *
waiter_main(void *argument)
{
    struct waiter *waiter = argument;

    record_wait(waiter->event->page, waiter->record);
    cpu_op_finish(waiter->gate);
    cpu_op_release(waiter->gate);
    cpu_ipc_event_release(waiter->event);
    free(waiter);
    return NULL;
}

/* Starts a detached thread in which all signals are blocked. Returns false on
 * failure. */
static bool
waiter_start(struct waiter *waiter)
{
    pthread_attr_t attributes;
    sigset_t all, old;
    pthread_t thread;

    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WAITER_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = !pthread_create(&thread, &attributes, waiter_main, waiter);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

CUresult
cpu_ipc_event_gate(struct cpu_ipc_event *event, struct cpu_stream *stream)
{
    struct record record = record_last(event);

    if (record_is_reached(event->page, record.number)) {
        return CUDA_SUCCESS;
    }
    struct waiter *waiter = malloc(sizeof *waiter);
    struct cpu_op *gate = cpu_op_new(stream->ctx, CPU_OP_CALLER, 0);
    struct cpu_op *wait = cpu_op_new(stream->ctx, CPU_OP_MARK, 0);
    if (!waiter || !gate || !wait) {
        free(waiter);
        cpu_op_release(gate);
        cpu_op_release(wait);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    cpu_check_streams_stop();
    atomic_fetch_add(&event->references, 1);
    *waiter = (struct waiter){event, gate, record};
    /* cpu_op_submit sets the state of `gate` to RUNNING. No worker runs it;
     * waiter_main finishes it. */
    cpu_op_submit(NULL, gate, NULL);
    cpu_op_submit(stream, wait, gate);
    cpu_op_release(wait);
    if (!waiter_start(waiter)) {
        /* no thread could be started, so the calling thread waits for the
         * record */
        waiter_main(waiter);
    }
    return CUDA_SUCCESS;
}
