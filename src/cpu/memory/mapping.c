/* mapping.c - virtual memory management: cuMemCreate, cuMemAddressReserve,
 * cuMemMap.
 *
 * Called by users of the library. Physical memory is a memory file, which is
 * closed when it is not mapped any more and its handle was released. A
 * reservation is an address range without memory. A mapping is registered with
 * arena.c when the first device gains access to it. All devices share one
 * memory, so from then on every device can access it.
 *
 * `mapping_lock` guards the lists; it is acquired before the memory lock.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/system_errors.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/budget.h"

/* Sizes and offsets of mappings, in bytes, must be multiples of this. */
#define UNIT ((size_t)2 << 20)

struct physical {
    void *handle;
    int fd;
    size_t bytes;
    /* Number of open handles to the physical memory, from cuMemCreate,
     * cuMemImportFromShareableHandle and cuMemRetainAllocationHandle. */
    unsigned handles;
    unsigned mappings; /* number of mappings of this memory */
    CUmemAllocationProp prop;
};

struct mapping {
    uintptr_t base;
    size_t bytes;
    struct physical *physical;
    /* Bit mask of the devices that may access the mapping, as set by
     * cuMemSetAccess. */
    uint64_t devices;
    struct mapping *next;
};

struct reservation {
    uintptr_t base;
    size_t bytes;
    struct reservation *next;
};

static pthread_mutex_t mapping_lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *mappings;
static struct reservation *reservations;

static bool
size_is_right(size_t bytes)
{
    return bytes && bytes % UNIT == 0;
}

/* ---- physical memory ---- */

/* Frees the physical memory if it has neither handles nor mappings. The caller
 * holds mapping_lock. */
static void
physical_end(struct physical *physical)
{
    if (!physical->handles && !physical->mappings) {
        close(physical->fd);
        free(physical);
    }
}

static struct physical *
physical_of(CUmemGenericAllocationHandle handle)
{
    return cpu_handle_object(CPU_PHYSICAL, (void *)(uintptr_t)handle);
}

/* Creates physical memory with one handle. `fd` is the descriptor of the
 * memory file; on success the physical memory owns it. */
static CUresult
physical_new(int fd, size_t bytes, const CUmemAllocationProp *prop,
             CUmemGenericAllocationHandle *handle)
{
    struct physical *physical = calloc(1, sizeof *physical);

    if (physical) {
        *physical = (struct physical){
            .fd = fd, .bytes = bytes, .handles = 1, .prop = *prop};
        physical->handle = cpu_handle_new(CPU_PHYSICAL, physical, 0);
    }
    if (!physical || !physical->handle) {
        free(physical);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical->handle;
    return CUDA_SUCCESS;
}

/* Checks allocation properties. File descriptors are the only supported kind
 * of shareable handle. */
static CUresult
prop_check(const CUmemAllocationProp *prop)
{
    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED &&
        prop->type != CU_MEM_ALLOCATION_TYPE_MANAGED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (prop->requestedHandleTypes &
        ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
        return cpu_device_check(prop->location.id) ? CUDA_ERROR_INVALID_DEVICE
                                                   : CUDA_SUCCESS;
    }
    return prop->location.type >= CU_MEM_LOCATION_TYPE_HOST &&
                   prop->location.type <=
                       CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
            const CUmemAllocationProp *prop, unsigned long long flags)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!handle || !prop || flags || !size_is_right(bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = prop_check(prop);
    if (code) {
        return code;
    }
    if (bytes > cpu_state.memory_bytes || !cpu_arena_admit(bytes)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    int fd = memfd_create("pycuda", MFD_CLOEXEC);
    if (fd < 0) {
        return cpu_system_error_set(errno, "a file of %zu bytes of memory",
                                    bytes);
    }
    int failed;
    while ((failed = ftruncate(fd, (off_t)bytes)) && errno == EINTR) {
    }
    if (failed) {
        code = cpu_memory_error_set(errno, bytes, "memory that can be mapped");
    }
    code = code ? code : physical_new(fd, bytes, prop, handle);
    if (code) {
        close(fd);
    }
    return code;
}

CPU_API CUresult
cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&mapping_lock);
    struct physical *physical = physical_of(handle);
    if (!code && !physical) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code && !--physical->handles) {
        cpu_handle_delete(physical->handle);
        physical_end(physical);
    }
    pthread_mutex_unlock(&mapping_lock);
    return code;
}

CPU_API CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                       CUmemGenericAllocationHandle handle)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&mapping_lock);
    struct physical *physical = physical_of(handle);
    if (!code && (!physical || !prop)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *prop = physical->prop;
    }
    pthread_mutex_unlock(&mapping_lock);
    return code;
}

CPU_API CUresult
cuMemGetAllocationGranularity(size_t *granularity,
                              const CUmemAllocationProp *prop,
                              CUmemAllocationGranularity_flags option)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!granularity || !prop ||
        (unsigned)option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = prop_check(prop);
    if (!code) {
        *granularity = UNIT;
    }
    return code;
}

/* ---- other processes ---- */

CPU_API CUresult
cuMemExportToShareableHandle(void *exported,
                             CUmemGenericAllocationHandle handle,
                             CUmemAllocationHandleType type,
                             unsigned long long flags)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&mapping_lock);
    struct physical *physical = physical_of(handle);
    if (!code && (!exported || flags || !physical ||
                  type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
                  !(physical->prop.requestedHandleTypes & (unsigned)type))) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        int fd = fcntl(physical->fd, F_DUPFD_CLOEXEC, 0);

        if (fd < 0) {
            code = cpu_system_error_set(
                errno, "a file descriptor of exported memory");
        } else {
            *(int *)exported = fd;
        }
    }
    pthread_mutex_unlock(&mapping_lock);
    return code;
}

CPU_API CUresult
cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
                               void *given, CUmemAllocationHandleType type)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes =
                                    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    struct stat status;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        fstat((int)(intptr_t)given, &status) ||
        !size_is_right((size_t)status.st_size)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    int fd = fcntl((int)(intptr_t)given, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        return cpu_system_error_set(errno,
                                    "a file descriptor of imported memory");
    }
    code = physical_new(fd, (size_t)status.st_size, &prop, handle);
    if (code) {
        close(fd);
    }
    return code;
}

/* ---- reservations ---- */

/* Reserves an address range without memory, at the address `wish` if possible.
 * Returns NULL on failure. */
static void *
range_reserve(size_t bytes, size_t alignment, uintptr_t wish)
{
    size_t all = bytes + alignment;
    char *at = mmap((void *)wish, all, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) {
        return NULL;
    }
    size_t before = (alignment - (uintptr_t)at % alignment) % alignment;
    if (before) {
        munmap(at, before);
    }
    munmap(at + before + bytes, all - before - bytes);
    return at + before;
}

CPU_API CUresult
cuMemAddressReserve(CUdeviceptr *pointer, size_t bytes, size_t alignment,
                    CUdeviceptr wish, unsigned long long flags)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!pointer || flags || !size_is_right(bytes) ||
        bytes > (size_t)1 << 46 || alignment & (alignment - 1) ||
        alignment > (size_t)1 << 40) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct reservation *made = calloc(1, sizeof *made);
    void *at = made ? range_reserve(bytes, alignment > UNIT ? alignment : UNIT,
                                    (uintptr_t)wish)
                    : NULL;
    if (!at) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->base = (uintptr_t)at;
    made->bytes = bytes;
    pthread_mutex_lock(&mapping_lock);
    made->next = reservations;
    reservations = made;
    pthread_mutex_unlock(&mapping_lock);
    *pointer = (CUdeviceptr)made->base;
    return CUDA_SUCCESS;
}

/* Returns true if the range contains a mapping. The caller holds
 * mapping_lock. */
static bool
range_is_mapped(uintptr_t base, size_t bytes)
{
    for (struct mapping *m = mappings; m; m = m->next) {
        if (m->base < base + bytes && base < m->base + m->bytes) {
            return true;
        }
    }
    return false;
}

CPU_API CUresult
cuMemAddressFree(CUdeviceptr pointer, size_t bytes)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    pthread_mutex_lock(&mapping_lock);
    struct reservation **at = &reservations, *found;
    while (*at && (*at)->base != (uintptr_t)pointer) {
        at = &(*at)->next;
    }
    found = *at;
    if (!found || found->bytes != bytes ||
        range_is_mapped(found->base, bytes)) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else {
        *at = found->next;
        munmap((void *)found->base, bytes);
        free(found);
    }
    pthread_mutex_unlock(&mapping_lock);
    return code;
}

/* ---- mappings; the caller holds mapping_lock ---- */

static bool
range_is_reserved(uintptr_t base, size_t bytes)
{
    for (struct reservation *r = reservations; r; r = r->next) {
        if (base >= r->base && base - r->base <= r->bytes &&
            bytes <= r->bytes - (base - r->base)) {
            return true;
        }
    }
    return false;
}

/* Maps physical memory into the reserved address range, at first without
 * access, and adds the mapping to the list. */
static CUresult
range_map(uintptr_t base, size_t bytes, struct physical *physical)
{
    struct mapping *mapping = calloc(1, sizeof *mapping);

    if (!mapping) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (mmap((void *)base, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
             physical->fd, 0) == MAP_FAILED) {
        free(mapping);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *mapping = (struct mapping){
        .base = base, .bytes = bytes, .physical = physical, .next = mappings};
    mappings = mapping;
    physical->mappings++;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset,
         CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    uintptr_t base = (uintptr_t)pointer;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    pthread_mutex_lock(&mapping_lock);
    struct physical *physical = physical_of(handle);
    if (!physical || flags || offset || base % UNIT || !size_is_right(bytes) ||
        bytes > physical->bytes || !range_is_reserved(base, bytes) ||
        range_is_mapped(base, bytes)) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else {
        code = range_map(base, bytes, physical);
    }
    pthread_mutex_unlock(&mapping_lock);
    return code;
}

/* Returns true if every address of the range is in a mapping. */
static bool
mappings_fill(uintptr_t base, size_t bytes)
{
    size_t filled = 0;

    for (struct mapping *m = mappings; m; m = m->next) {
        if (m->base >= base && m->base + m->bytes <= base + bytes) {
            filled += m->bytes;
        }
    }
    return bytes && filled == bytes;
}

/* Removes the access of all devices to the mapping. */
static void
mapping_hide(struct mapping *mapping)
{
    if (mapping->devices) {
        cpu_arena_remove_external(mapping->base, CPU_MEMORY_MAPPED);
        mprotect((void *)mapping->base, mapping->bytes, PROT_NONE);
    }
    mapping->devices = 0;
}

/* Permits devices to access the mapping. For the first device, makes the pages
 * accessible and registers them with arena.c. */
static CUresult
mapping_show(struct mapping *mapping, uint64_t devices)
{
    const CUmemLocation *location = &mapping->physical->prop.location;
    bool of_device = location->type == CU_MEM_LOCATION_TYPE_DEVICE;
    struct cpu_allocation as = {.base = mapping->base,
                                .bytes = mapping->bytes,
                                .kind = CPU_MEMORY_MAPPED,
                                .device = of_device ? location->id : 0};

    if (mapping->devices) {
        mapping->devices = devices;
        return CUDA_SUCCESS;
    }
    if (mprotect((void *)mapping->base, mapping->bytes,
                 PROT_READ | PROT_WRITE)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult code = cpu_arena_add_external(&as);
    if (!code) {
        mapping->devices = devices;
    }
    return code;
}

CPU_API CUresult
cuMemUnmap(CUdeviceptr pointer, size_t bytes)
{
    uintptr_t base = (uintptr_t)pointer;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    pthread_mutex_lock(&mapping_lock);
    if (!mappings_fill(base, bytes)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    for (struct mapping **at = &mappings; !code && *at;) {
        struct mapping *mapping = *at;

        if (mapping->base < base || mapping->base >= base + bytes) {
            at = &mapping->next;
            continue;
        }
        *at = mapping->next;
        mapping_hide(mapping);
        mmap((void *)mapping->base, mapping->bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        mapping->physical->mappings--;
        physical_end(mapping->physical);
        free(mapping);
    }
    pthread_mutex_unlock(&mapping_lock);
    return code;
}

/* ---- access ---- */

/* Computes the bit of a location in a mask of locations. The device with
 * ordinal n has bit n; the host has bit 63. */
static CUresult
location_bit(const CUmemLocation *location, uint64_t *bit)
{
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE) {
        *bit = 1ull << (location->id & 63);
        return cpu_device_check(location->id) ? CUDA_ERROR_INVALID_DEVICE
                                              : CUDA_SUCCESS;
    }
    *bit = 1ull << 63;
    return location->type >= CU_MEM_LOCATION_TYPE_HOST &&
                   location->type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* Computes two bit masks from the list: the locations that gain access, and
 * the locations that lose it. */
static CUresult
accesses_read(const CUmemAccessDesc *accesses, size_t count, uint64_t *gain,
              uint64_t *lose)
{
    *gain = *lose = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bit;
        CUresult code = location_bit(&accesses[i].location, &bit);

        if (code) {
            return code;
        }
        switch ((int)accesses[i].flags) {
        case CU_MEM_ACCESS_FLAGS_PROT_NONE:
            *lose |= bit;
            break;
        case CU_MEM_ACCESS_FLAGS_PROT_READWRITE:
            *gain |= bit;
            break;
        case CU_MEM_ACCESS_FLAGS_PROT_READ:
            return CUDA_ERROR_NOT_SUPPORTED;
        default:
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemSetAccess(CUdeviceptr pointer, size_t bytes,
               const CUmemAccessDesc *accesses, size_t count)
{
    uintptr_t base = (uintptr_t)pointer;
    uint64_t gain, lose;
    CUresult code = cpu_ready();

    if (!code && (!accesses || !count)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : accesses_read(accesses, count, &gain, &lose);
    if (code) {
        return code;
    }
    pthread_mutex_lock(&mapping_lock);
    if (!mappings_fill(base, bytes)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    for (struct mapping *m = mappings; m && !code; m = m->next) {
        if (m->base < base || m->base >= base + bytes) {
            continue;
        }
        uint64_t devices = (m->devices & ~lose) | gain;
        if (devices) {
            code = mapping_show(m, devices);
        } else {
            mapping_hide(m);
        }
    }
    pthread_mutex_unlock(&mapping_lock);
    return code;
}

/* Returns the mapping that contains the address, or NULL. */
static struct mapping *
mapping_at(uintptr_t address)
{
    struct mapping *mapping = mappings;

    while (mapping && address - mapping->base >= mapping->bytes) {
        mapping = mapping->next;
    }
    return mapping;
}

CPU_API CUresult
cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
               CUdeviceptr pointer)
{
    uint64_t bit;
    CUresult code = cpu_ready();

    if (!code && (!flags || !location)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : location_bit(location, &bit);
    if (code) {
        return code;
    }
    pthread_mutex_lock(&mapping_lock);
    struct mapping *mapping = mapping_at((uintptr_t)pointer);
    if (mapping) {
        *flags = mapping->devices & bit ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                        : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    } else {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&mapping_lock);
    return code;
}

CPU_API CUresult
cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle,
                            void *address)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    pthread_mutex_lock(&mapping_lock);
    struct mapping *mapping = mapping_at((uintptr_t)address);
    struct physical *physical = mapping ? mapping->physical : NULL;
    if (!physical || !handle) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (!physical->handles) { /* no handle exists: create one */
        physical->handle = cpu_handle_new(CPU_PHYSICAL, physical, 0);
        code = physical->handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!code) {
        physical->handles++;
        *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical->handle;
    }
    pthread_mutex_unlock(&mapping_lock);
    return code;
}
