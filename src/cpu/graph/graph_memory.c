/* graph_memory.c - memory that graphs allocate and free.
 *
 * Called by memory_nodes.c and exec_launch.c, and by mempool.c and memory.c
 * when a program frees such memory in a stream. A block is the memory of one
 * allocation node. A block gets its address when the node is added, and keeps
 * this address. A block counts as allocated or free from the time at which the
 * launch or free is submitted, not from the time at which it is executed. A
 * block without references stays in a free list of its device, from which a
 * new node can take it, until cuDeviceGraphMemTrim releases it.
 *
 * `blocks_lock` guards all state; it is acquired after the graph lock and
 * before the memory lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"

/* 64 KiB; sizes of allocations are rounded up to a multiple of 64 KiB */
#define UNIT ((size_t)64 << 10)

struct cpu_graph_memory {
    uintptr_t base;
    size_t bytes; /* size in bytes that the program requested */
    size_t room;
    int device;
    unsigned references;
    /* a launch of a graph has allocated the memory, and no node or call has
     * freed it since */
    bool allocated;
    /* the memory counts in the device's usage, since a launch has used it */
    bool reserved;
    /* temporary flag of launch_check: the launch that is being checked
     * allocates this memory */
    bool taken;
    /* next memory block in the free list of the device */
    struct cpu_graph_memory *next;
};

/* The values of cuDeviceGetGraphMemAttribute for a device, in bytes; the
 * members *_high are maxima (high-water marks). */
struct usage {
    size_t used, used_high, reserved, reserved_high;
};

static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cpu_graph_memory *free_blocks[CPU_MAX_DEVICES];
static struct usage usages[CPU_MAX_DEVICES];

/* ---- blocks; the caller holds blocks_lock ---- */

/* Adds the block's size, rounded up as in CUDA, to the used and reserved bytes
 * of its device, and updates their high-water marks. */
static void
usage_grow(struct cpu_graph_memory *memory)
{
    struct usage *usage = &usages[memory->device];

    usage->used += memory->room;
    usage->reserved += memory->room;
    if (usage->used > usage->used_high) {
        usage->used_high = usage->used;
    }
    if (usage->reserved > usage->reserved_high) {
        usage->reserved_high = usage->reserved;
    }
}

static void
block_reserve(struct cpu_graph_memory *memory)
{
    if (!memory->reserved) {
        memory->reserved = true;
        usage_grow(memory);
    }
}

static void
block_free(struct cpu_graph_memory *memory)
{
    if (memory->reserved) {
        usages[memory->device].used -= memory->room;
        usages[memory->device].reserved -= memory->room;
    }
    cpu_arena_free(memory->base, CPU_MEMORY_GRAPH);
    free(memory);
}

/* Drops a reference to the memory block of an allocation node. When the last
 * reference is dropped, a block that a launch has used is put into the free
 * list, and any other block is freed. */
static void
block_release(struct cpu_graph_memory *memory)
{
    if (--memory->references) {
        return;
    }
    if (!memory->reserved) {
        block_free(memory);
        return;
    }
    memory->next = free_blocks[memory->device];
    free_blocks[memory->device] = memory;
}

/* Marks the memory block of an allocation node as allocated or free. While it
 * is allocated, it holds a reference to itself. */
static void
block_set_allocated(struct cpu_graph_memory *memory, bool allocated)
{
    if (memory->allocated == allocated) {
        return;
    }
    memory->allocated = allocated;
    if (allocated) {
        memory->references++;
    } else {
        block_release(memory);
    }
}

/* Removes from the device's free list the smallest block that has at least
 * `room` and at most 2 * `room` bytes, and returns it. Returns NULL if there
 * is no such block. */
static struct cpu_graph_memory *
block_take(int device, size_t room)
{
    struct cpu_graph_memory **best = NULL;

    for (struct cpu_graph_memory **at = &free_blocks[device]; *at;
         at = &(*at)->next) {
        size_t has = (*at)->room;

        if (has >= room && has <= 2 * room && (!best || has < (*best)->room)) {
            best = at;
        }
    }
    struct cpu_graph_memory *memory = best ? *best : NULL;
    if (memory) {
        *best = memory->next;
    }
    return memory;
}

/* Allocates a new block of `room` bytes in the arena, the address range of
 * device memory. */
static CUresult
block_make(int device, size_t room, struct cpu_graph_memory **made)
{
    struct cpu_graph_memory *memory = calloc(1, sizeof *memory);
    struct cpu_allocation as = {
        .kind = CPU_MEMORY_GRAPH, .device = device, .graph = memory};

    if (!memory) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory->device = device;
    memory->room = room;
    CUresult code = cpu_arena_allocate(room, &as, &memory->base);
    if (code) {
        free(memory);
        return code;
    }
    *made = memory;
    return CUDA_SUCCESS;
}

/* ---- internal interface ---- */

CUresult
cpu_graph_memory_new(int device, size_t bytes, struct cpu_graph_memory **made)
{
    size_t room = (bytes + UNIT - 1) / UNIT * UNIT;
    CUresult code = CUDA_SUCCESS;

    if (!bytes || room < bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&blocks_lock);
    struct cpu_graph_memory *memory = block_take(device, room);
    if (!memory) {
        code = block_make(device, room, &memory);
    }
    if (!code) {
        if (memory->reserved) {
            usages[device].used += bytes - memory->bytes;
        }
        memory->bytes = bytes;
        memory->references = 1;
        *made = memory;
    }
    pthread_mutex_unlock(&blocks_lock);
    return code;
}

void
cpu_graph_memory_retain(struct cpu_graph_memory *memory)
{
    pthread_mutex_lock(&blocks_lock);
    memory->references++;
    pthread_mutex_unlock(&blocks_lock);
}

void
cpu_graph_memory_release(struct cpu_graph_memory *memory)
{
    pthread_mutex_lock(&blocks_lock);
    block_release(memory);
    pthread_mutex_unlock(&blocks_lock);
}

void
cpu_graph_memory_reserve(struct cpu_graph_memory *memory)
{
    pthread_mutex_lock(&blocks_lock);
    block_reserve(memory);
    pthread_mutex_unlock(&blocks_lock);
}

CUdeviceptr
cpu_graph_memory_base(const struct cpu_graph_memory *memory)
{
    return (CUdeviceptr)memory->base;
}

struct cpu_graph_memory *
cpu_graph_memory_at(CUdeviceptr pointer)
{
    struct cpu_allocation found;
    struct cpu_graph_memory *memory = NULL;

    pthread_mutex_lock(&blocks_lock);
    if (cpu_arena_find((uintptr_t)pointer, &found) &&
        found.kind == CPU_MEMORY_GRAPH && found.base == (uintptr_t)pointer &&
        found.graph && found.graph->references) {
        memory = found.graph;
        memory->references++;
    }
    pthread_mutex_unlock(&blocks_lock);
    return memory;
}

/* Checks the allocations and frees of a launch in the order of its steps.
 * Returns INVALID_VALUE if a task frees memory that is not allocated at that
 * point. Unless `auto_free` is true, also returns INVALID_VALUE if a task
 * allocates memory that an earlier launch has left allocated. */
static CUresult
launch_check(const struct cpu_node_task *const *tasks, size_t count,
             bool auto_free)
{
    for (size_t i = 0; i < count; i++) {
        cpu_node_task_memory(tasks[i])->taken = false;
    }
    for (size_t i = 0; i < count; i++) {
        struct cpu_graph_memory *memory = cpu_node_task_memory(tasks[i]);
        bool frees = tasks[i]->type == CU_GRAPH_NODE_TYPE_MEM_FREE;

        if (frees ? !memory->taken && !memory->allocated
                  : memory->allocated && !auto_free) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        memory->taken = !frees;
    }
    return CUDA_SUCCESS;
}

CUresult
cpu_graph_memory_launch(const struct cpu_node_task *const *tasks, size_t count,
                        bool auto_free)
{
    pthread_mutex_lock(&blocks_lock);
    CUresult code = launch_check(tasks, count, auto_free);
    for (size_t i = 0; i < count && !code; i++) {
        struct cpu_graph_memory *memory = cpu_node_task_memory(tasks[i]);

        block_reserve(memory);
        block_set_allocated(memory,
                            tasks[i]->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    }
    pthread_mutex_unlock(&blocks_lock);
    return code;
}

bool
cpu_graph_memory_unallocate(CUdeviceptr pointer,
                            struct cpu_graph_memory **memory)
{
    struct cpu_graph_memory *found = cpu_graph_memory_at(pointer);

    if (!found) {
        return false;
    }
    pthread_mutex_lock(&blocks_lock);
    bool allocated = found->allocated;
    block_set_allocated(found, false);
    if (!allocated) {
        block_release(found);
    }
    pthread_mutex_unlock(&blocks_lock);
    *memory = allocated ? found : NULL;
    return allocated;
}

/* ---- the API ---- */

CPU_API CUresult
cuDeviceGraphMemTrim(CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&blocks_lock);
    while (free_blocks[device]) {
        struct cpu_graph_memory *memory = free_blocks[device];

        free_blocks[device] = memory->next;
        block_free(memory);
    }
    pthread_mutex_unlock(&blocks_lock);
    return CUDA_SUCCESS;
}

/* Returns the address of the device's value for the attribute, or NULL if
 * there is no such attribute. */
static size_t *
usage_field(CUdevice device, CUgraphMem_attribute attribute)
{
    struct usage *usage = &usages[device];

    switch ((int)attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
        return &usage->used;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        return &usage->used_high;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        return &usage->reserved;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        return &usage->reserved_high;
    default:
        return NULL;
    }
}

CPU_API CUresult
cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                             void *value)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!value || !usage_field(device, attribute)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&blocks_lock);
    *(cuuint64_t *)value = *usage_field(device, attribute);
    pthread_mutex_unlock(&blocks_lock);
    return CUDA_SUCCESS;
}

/* Resets a high-water mark to the current value. As in CUDA, a program
 * requests this by setting the attribute to 0; other values and other
 * attributes are errors. */
CPU_API CUresult
cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                             void *value)
{
    bool used = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH;
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!value || *(const cuuint64_t *)value ||
        (!used && attribute != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&blocks_lock);
    struct usage *usage = &usages[device];
    *usage_field(device, attribute) = used ? usage->used : usage->reserved;
    pthread_mutex_unlock(&blocks_lock);
    return CUDA_SUCCESS;
}
