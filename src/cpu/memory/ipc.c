/* ipc.c - sharing of device memory with other processes.
 *
 * Called by users of the library. When a process first requests a handle of an
 * allocation, arena.c moves the pages of the allocation into a memory file.
 * The handle contains the process id, the descriptor of the file in that
 * process, and the allocation's offset in the file. The opening process maps
 * the same pages through /proc, which the system permits to processes of the
 * same user. When the processes end, the system frees all resources.
 *
 * `opened_lock` guards the list of memory that this process has opened; it is
 * acquired before the memory lock.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/arch/arch.h"
#include "cpu/device/context.h"
#include "cpu/exports/system_errors.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/ipc.h"
#include "cpu/stream/wait.h"

#define MAGIC    0x70796375636d656dull
#define PAGE     ((uint64_t)CPU_ARCH_PAGE)
#define ALL_OPEN CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS

struct handle {
    uint64_t magic;
    int32_t pid, fd;
    uint64_t inode;
    /* offset of the allocation in the memory file, and its size, in bytes */
    uint64_t offset, bytes;
};

_Static_assert(sizeof(struct handle) <= sizeof(CUipcMemHandle),
               "the description must fit in a handle");

struct opened {
    struct opened *next;
    struct handle handle;
    uint64_t context_id;
    unsigned users;
    void *mapping;
    size_t mapped;
    uintptr_t base;
};

static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;
static struct opened *opened_list;

CPU_API CUresult
cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr pointer)
{
    struct cpu_context *ctx;
    struct cpu_shared shared;
    struct stat status;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!handle) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = cpu_arena_share((uintptr_t)pointer, false, &shared);
    if (!code && shared.fd < 0) {
        /* wait for the current context's kernels and copies: no thread may
         * write while the pages move */
        cpu_scheduler_drain(ctx);
        code = cpu_arena_share((uintptr_t)pointer, true, &shared);
    }
    if (!code && fstat(shared.fd, &status)) {
        code =
            cpu_system_error_set(errno, "to query the file of shared memory");
    }
    if (code) {
        return code;
    }
    struct handle told = {.magic = MAGIC,
                          .pid = getpid(),
                          .fd = shared.fd,
                          .inode = (uint64_t)status.st_ino,
                          .offset = shared.offset,
                          .bytes = shared.bytes};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &told, sizeof told);
    return CUDA_SUCCESS;
}

/* Maps the memory that the handle describes. The handle may be outdated or
 * invalid. */
static CUresult
opened_map(struct opened *opened)
{
    const struct handle *handle = &opened->handle;
    uint64_t first = handle->offset / PAGE * PAGE;
    uint64_t end = handle->offset + handle->bytes;
    char path[64];
    struct stat status;

    if (handle->pid <= 0 || handle->fd < 0 || !handle->bytes ||
        end < handle->offset) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    snprintf(path, sizeof path, "/proc/%d/fd/%d", handle->pid, handle->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    void *mapping = MAP_FAILED;
    if (!fstat(fd, &status) && (uint64_t)status.st_ino == handle->inode &&
        (uint64_t)status.st_size >= end) {
        mapping = mmap(NULL, end - first, PROT_READ | PROT_WRITE, MAP_SHARED,
                       fd, (off_t)first);
    }
    close(fd);
    if (mapping == MAP_FAILED) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    opened->mapping = mapping;
    opened->mapped = end - first;
    opened->base = (uintptr_t)mapping + (handle->offset - first);
    return CUDA_SUCCESS;
}

/* Maps the memory of the handle and adds it to the list of opened memory. The
 * caller holds opened_lock. */
static CUresult
opened_new(struct cpu_context *ctx, const struct handle *handle,
           struct opened **made)
{
    struct opened *opened = calloc(1, sizeof *opened);

    if (!opened) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    opened->handle = *handle;
    opened->context_id = ctx->id;
    CUresult code = opened_map(opened);
    if (!code) {
        struct cpu_allocation as = {.base = opened->base,
                                    .bytes = handle->bytes,
                                    .kind = CPU_MEMORY_IPC,
                                    .device = ctx->device,
                                    .context_id = ctx->id};
        code = cpu_arena_add_external(&as);
        if (code) {
            munmap(opened->mapping, opened->mapped);
        }
    }
    if (code) {
        free(opened);
        return code;
    }
    opened->next = opened_list;
    opened_list = opened;
    *made = opened;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuIpcOpenMemHandle_v2(CUdeviceptr *pointer, CUipcMemHandle given,
                      unsigned flags)
{
    struct cpu_context *ctx;
    struct handle handle;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!pointer || flags & ~(unsigned)ALL_OPEN) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(&handle, &given, sizeof handle);
    if (handle.magic != MAGIC) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (handle.pid == getpid()) {
        /* If the calling process has created the handle, CUDA returns
         * INVALID_CONTEXT as well. */
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    pthread_mutex_lock(&opened_lock);
    struct opened *opened = opened_list;
    while (opened && (opened->context_id != ctx->id ||
                      memcmp(&opened->handle, &handle, sizeof handle))) {
        opened = opened->next;
    }
    code = opened ? CUDA_SUCCESS : opened_new(ctx, &handle, &opened);
    if (!code) {
        opened->users++;
        *pointer = (CUdeviceptr)opened->base;
    }
    pthread_mutex_unlock(&opened_lock);
    return code;
}

CPU_API CUresult
cuIpcOpenMemHandle(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned flags)
{
    return cuIpcOpenMemHandle_v2(pointer, handle, flags);
}

/* Unmaps opened memory and removes it from the list. The caller holds
 * opened_lock. */
static void
opened_end(struct opened **link)
{
    struct opened *opened = *link;

    *link = opened->next;
    cpu_arena_remove_external(opened->base, CPU_MEMORY_IPC);
    munmap(opened->mapping, opened->mapped);
    free(opened);
}

CPU_API CUresult
cuIpcCloseMemHandle(CUdeviceptr pointer)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    cpu_scheduler_drain(ctx);
    pthread_mutex_lock(&opened_lock);
    struct opened **link = &opened_list;
    while (*link && (*link)->base != (uintptr_t)pointer) {
        link = &(*link)->next;
    }
    if (!*link) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (!--(*link)->users) {
        opened_end(link);
    }
    pthread_mutex_unlock(&opened_lock);
    return code;
}

void
cpu_ipc_close(struct cpu_context *ctx)
{
    pthread_mutex_lock(&opened_lock);
    for (struct opened **link = &opened_list; *link;) {
        if ((*link)->context_id == ctx->id) {
            opened_end(link);
        } else {
            link = &(*link)->next;
        }
    }
    pthread_mutex_unlock(&opened_lock);
}
