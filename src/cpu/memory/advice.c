/* advice.c - advice about managed memory, prefetches, and queries of both.
 *
 * Called by users of the library. Host and devices share one memory, so
 * nothing is migrated. The advice is stored per page and returned by queries.
 * Pages are stored as segments in a sorted list; segments of freed memory are
 * removed when their addresses are next accessed.
 *
 * `advice_lock` guards the list; it is acquired before the memory lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/memory.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"

#define PAGE ((uintptr_t)4096)

struct advice {
    bool read_mostly;
    bool host_accesses;
    /* bit mask of the devices with advice SET_ACCESSED_BY */
    uint64_t device_accesses;
    /* location of the advice SET_PREFERRED_LOCATION; type NONE: no such
     * advice */
    CUmemLocation preferred;
    CUmemLocation prefetched; /* destination of the last prefetch */
};

struct segment {
    uintptr_t start, end;
    uint64_t allocation; /* id of the allocation that the pages belong to */
    struct advice advice;
    struct segment *next;
};

static pthread_mutex_t advice_lock = PTHREAD_MUTEX_INITIALIZER;
/* first element of the list of all segments (ranges of pages with equal
 * advice), which is sorted by address */
static struct segment *segments;

/* ---- segments; the caller holds advice_lock ---- */

static struct segment *
segment_new(uintptr_t start, uintptr_t end, uint64_t allocation,
            struct segment *next)
{
    struct segment *segment = calloc(1, sizeof *segment);

    if (segment) {
        segment->start = start;
        segment->end = end;
        segment->allocation = allocation;
        segment->next = next;
    }
    return segment;
}

/* Removes the segments in the range that belong to a freed allocation, that
 * is, to one with an id other than `allocation`. A segment is a range of pages
 * with equal advice. */
static void
stale_drop(uintptr_t start, uintptr_t end, uint64_t allocation)
{
    struct segment **at = &segments;

    while (*at) {
        struct segment *segment = *at;

        if (segment->start < end && segment->end > start &&
            segment->allocation != allocation) {
            *at = segment->next;
            free(segment);
        } else {
            at = &segment->next;
        }
    }
}

/* Splits the segment (range of pages with equal advice) that contains
 * `address` in two at this address. Does nothing if `address` is at the border
 * of two segments or in none. */
static CUresult
segment_split(uintptr_t address)
{
    for (struct segment *s = segments; s; s = s->next) {
        if (s->start < address && address < s->end) {
            struct segment *rest =
                segment_new(address, s->end, s->allocation, s->next);

            if (!rest) {
                return CUDA_ERROR_OUT_OF_MEMORY;
            }
            rest->advice = s->advice;
            s->end = address;
            s->next = rest;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_SUCCESS;
}

/* Adds segments (list elements) without advice for all pages of the range that
 * have none. */
static CUresult
segments_cover(uintptr_t start, uintptr_t end, uint64_t allocation)
{
    struct segment **at = &segments;

    while (start < end) {
        while (*at && (*at)->end <= start) {
            at = &(*at)->next;
        }
        if (*at && (*at)->start <= start) {
            start = (*at)->end;
            continue;
        }
        uintptr_t stop = *at && (*at)->start < end ? (*at)->start : end;
        struct segment *made = segment_new(start, stop, allocation, *at);
        if (!made) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        *at = made;
        start = stop;
    }
    return CUDA_SUCCESS;
}

/* ---- ranges ---- */

struct range {
    /* address of the first page, and end address of the last page */
    uintptr_t start, end;
    uint64_t allocation;
};

/* Rounds a range of addresses to whole pages, and checks that advice can be
 * given for these pages. */
static CUresult
range_find(CUdeviceptr pointer, size_t bytes, struct range *range)
{
    struct cpu_allocation found;
    CUresult code = cpu_ready();

    if (!code && !bytes) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : cpu_memory_check(pointer, bytes);
    if (code) {
        return code;
    }
    cpu_arena_find((uintptr_t)pointer, &found);
    if (found.kind == CPU_MEMORY_DEVICE || found.kind == CPU_MEMORY_IPC) {
        /* Only managed memory and pageable host memory can have advice. */
        return CUDA_ERROR_INVALID_VALUE;
    }
    range->start = (uintptr_t)pointer & ~(PAGE - 1);
    range->end = ((uintptr_t)pointer + bytes + PAGE - 1) & ~(PAGE - 1);
    /* the first page may begin before the allocation: exclude these bytes */
    if (range->start < found.base) {
        range->start = found.base;
    }
    if (range->end > found.base + found.bytes) {
        range->end = found.base + found.bytes;
    }
    range->allocation = found.id;
    return CUDA_SUCCESS;
}

/* Function that changes the advice of a segment. It is called for each segment
 * of a range. */
typedef void change(struct advice *advice, const void *argument);

/* Applies the change `how` to each segment (range of pages with equal advice)
 * in the range. First creates segments for pages that have none, and splits
 * the segments at both ends of the range. Returns OUT_OF_MEMORY on failure. */
static CUresult
range_change(const struct range *range, change *how, const void *argument)
{
    pthread_mutex_lock(&advice_lock);
    stale_drop(range->start, range->end, range->allocation);
    CUresult code =
        segments_cover(range->start, range->end, range->allocation);
    code = code ? code : segment_split(range->start);
    code = code ? code : segment_split(range->end);
    for (struct segment *s = segments; s && !code; s = s->next) {
        if (s->start >= range->start && s->end <= range->end) {
            how(&s->advice, argument);
        }
    }
    pthread_mutex_unlock(&advice_lock);
    return code;
}

/* ---- advice ---- */

struct advising {
    CUmem_advise advice;
    CUmemLocation location;
};

/* Adds a device to the devices that access the pages, or removes it. */
static void
accesses_set(struct advice *advice, CUmemLocation location, bool set)
{
    uint64_t bit = 1ull << (location.id & 63);

    if (location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        advice->host_accesses = set;
    } else if (set) {
        advice->device_accesses |= bit;
    } else {
        advice->device_accesses &= ~bit;
    }
}

/* Function of type `change`: applies a call of cuMemAdvise to a segment. */
static void
advice_apply(struct advice *advice, const void *argument)
{
    const struct advising *a = argument;

    switch ((int)a->advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        advice->read_mostly = a->advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
        break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        advice->preferred = a->location;
        break;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        advice->preferred = (CUmemLocation){CU_MEM_LOCATION_TYPE_NONE, 0};
        break;
    default:
        accesses_set(advice, a->location,
                     a->advice == CU_MEM_ADVISE_SET_ACCESSED_BY);
    }
}

/* Returns true if the location exists. */
static bool
location_exists(CUmemLocation location)
{
    switch ((int)location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return !cpu_device_check(location.id);
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return true;
    default:
        return false;
    }
}

/* Returns true if this kind of advice does not refer to a location. */
static bool
advice_is_placeless(CUmem_advise advice)
{
    return advice == CU_MEM_ADVISE_SET_READ_MOSTLY ||
           advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY ||
           advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
}

CPU_API CUresult
cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice,
               CUmemLocation location)
{
    struct advising a = {.advice = advice, .location = location};
    struct range range;
    CUresult code = range_find(pointer, bytes, &range);

    if (code) {
        return code;
    }
    if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY ||
        advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY ||
        (!advice_is_placeless(advice) && !location_exists(location))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return range_change(&range, advice_apply, &a);
}

/* Returns the location of a device number; CU_DEVICE_CPU is the host. */
static CUmemLocation
device_location(CUdevice device)
{
    return (CUmemLocation){device == CU_DEVICE_CPU
                               ? CU_MEM_LOCATION_TYPE_HOST
                               : CU_MEM_LOCATION_TYPE_DEVICE,
                           device == CU_DEVICE_CPU ? 0 : device};
}

CPU_API CUresult
cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice,
            CUdevice device)
{
    return cuMemAdvise_v2(pointer, bytes, advice, device_location(device));
}

/* ---- prefetches ---- */

static void
prefetch_apply(struct advice *advice, const void *argument)
{
    advice->prefetched = *(const CUmemLocation *)argument;
}

CPU_API CUresult
cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes,
                      CUmemLocation location, unsigned flags, CUstream handle)
{
    struct cpu_stream *stream;
    struct range range;
    CUresult code = range_find(pointer, bytes, &range);

    code = code ? code : cpu_stream_any(handle, &stream);
    if (code) {
        return code;
    }
    if (flags || !location_exists(location)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return range_change(&range, prefetch_apply, &location);
}

CPU_API CUresult
cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device,
                   CUstream stream)
{
    return cuMemPrefetchAsync_v2(pointer, bytes, device_location(device), 0,
                                 stream);
}

/* Checks the stream and the address ranges of a batch of prefetches. */
static CUresult
batch_check(CUdeviceptr *pointers, size_t *bytes, size_t count,
            unsigned long long flags, CUstream handle)
{
    struct cpu_stream *stream;
    struct range range;
    CUresult code = cpu_stream_any(handle, &stream);

    if (code) {
        return code;
    }
    if (!pointers || !bytes || !count || flags) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count && !code; i++) {
        code = range_find(pointers[i], bytes[i], &range);
    }
    return code;
}

/* locations[i] applies to the address ranges with the indices firsts[i] to
 * firsts[i + 1] - 1. */
CPU_API CUresult
cuMemPrefetchBatchAsync(CUdeviceptr *pointers, size_t *bytes, size_t count,
                        CUmemLocation *locations, size_t *firsts,
                        size_t location_count, unsigned long long flags,
                        CUstream stream)
{
    CUresult code = batch_check(pointers, bytes, count, flags, stream);
    size_t which = 0;

    if (code) {
        return code;
    }
    if (!locations || !firsts || !location_count || location_count > count ||
        firsts[0]) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < location_count; i++) {
        if (!location_exists(locations[i]) || firsts[i] >= count ||
            (i && firsts[i] <= firsts[i - 1])) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    for (size_t i = 0; i < count && !code; i++) {
        if (which + 1 < location_count && firsts[which + 1] <= i) {
            which++;
        }
        code = cuMemPrefetchAsync_v2(pointers[i], bytes[i], locations[which],
                                     0, stream);
    }
    return code;
}

/* Leaves the range unchanged, since the contents of a discarded range are
 * undefined. */
CPU_API CUresult
cuMemDiscardBatchAsync(CUdeviceptr *pointers, size_t *bytes, size_t count,
                       unsigned long long flags, CUstream stream)
{
    return batch_check(pointers, bytes, count, flags, stream);
}

CPU_API CUresult
cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *pointers, size_t *bytes,
                                  size_t count, CUmemLocation *locations,
                                  size_t *firsts, size_t location_count,
                                  unsigned long long flags, CUstream stream)
{
    return cuMemPrefetchBatchAsync(pointers, bytes, count, locations, firsts,
                                   location_count, flags, stream);
}

/* ---- queries ---- */

static bool
location_same(CUmemLocation a, CUmemLocation b)
{
    return a.type == b.type && a.id == b.id;
}

/* Returns the advice that all pages of the range have. Advice that differs
 * between pages is returned as none. */
static struct advice
range_common(const struct range *range)
{
    struct advice common = {0};
    uintptr_t covered = range->start;
    bool first = true;

    for (struct segment *s = segments; s; s = s->next) {
        if (s->end <= range->start || s->start >= range->end) {
            continue;
        }
        if (first) {
            common = s->advice;
        }
        if (s->start > covered) {
            /* no segment (range of pages with equal advice) contains the next
             * pages, so they have no advice */
            break;
        }
        first = false;
        covered = s->end;
        common.read_mostly &= s->advice.read_mostly;
        common.host_accesses &= s->advice.host_accesses;
        common.device_accesses &= s->advice.device_accesses;
        if (!location_same(common.preferred, s->advice.preferred)) {
            common.preferred = (CUmemLocation){0};
        }
        if (!location_same(common.prefetched, s->advice.prefetched)) {
            common.prefetched = (CUmemLocation){0};
        }
    }
    return covered < range->end ? (struct advice){0} : common;
}

/* Converts the location to a device number: CU_DEVICE_CPU for the host,
 * CU_DEVICE_INVALID for none. */
static int
location_device(CUmemLocation location)
{
    switch ((int)location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return location.id;
    case CU_MEM_LOCATION_TYPE_NONE:
        return CU_DEVICE_INVALID;
    default:
        return CU_DEVICE_CPU;
    }
}

/* Writes a list of the devices that access the pages. `room` is the capacity
 * of the list. */
static void
accesses_list(const struct advice *advice, int *list, size_t room)
{
    size_t count = 0;

    if (advice->host_accesses && count < room) {
        list[count++] = CU_DEVICE_CPU;
    }
    for (int i = 0; i < cpu_state.device_count && count < room; i++) {
        if (advice->device_accesses >> i & 1) {
            list[count++] = i;
        }
    }
    while (count < room) {
        list[count++] = CU_DEVICE_INVALID;
    }
}

/* Reads an attribute of the range into `value`. The list of accessing devices
 * has several int elements; all other attributes have one. */
static CUresult
attribute_read(const struct advice *advice, CUmem_range_attribute attribute,
               int *value, size_t room)
{
    if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) {
        accesses_list(advice, value, room);
        return CUDA_SUCCESS;
    }
    if (room != 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch ((int)attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        *value = advice->read_mostly;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        *value = location_device(advice->preferred);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        *value = location_device(advice->prefetched);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        *value = (int)advice->preferred.type;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        *value = advice->preferred.id;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        *value = (int)advice->prefetched.type;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        *value = advice->prefetched.id;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CPU_API CUresult
cuMemRangeGetAttribute(void *data, size_t data_bytes,
                       CUmem_range_attribute attribute, CUdeviceptr pointer,
                       size_t bytes)
{
    struct range range;
    CUresult code = range_find(pointer, bytes, &range);

    if (code) {
        return code;
    }
    if (!data || !data_bytes || data_bytes % sizeof(int)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&advice_lock);
    stale_drop(range.start, range.end, range.allocation);
    struct advice advice = range_common(&range);
    pthread_mutex_unlock(&advice_lock);
    return attribute_read(&advice, attribute, data, data_bytes / sizeof(int));
}

CPU_API CUresult
cuMemRangeGetAttributes(void **data, size_t *data_bytes,
                        CUmem_range_attribute *attributes, size_t count,
                        CUdeviceptr pointer, size_t bytes)
{
    CUresult code = cpu_ready();

    if (!code && (!data || !data_bytes || !attributes || !count)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count && !code; i++) {
        code = cuMemRangeGetAttribute(data[i], data_bytes[i], attributes[i],
                                      pointer, bytes);
    }
    return code;
}
