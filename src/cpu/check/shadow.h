/* shadow.h - shadow memory: state of each byte and each word of memory.
 *
 * shadow.c finds and allocates it; race.c, span_reads.c and uninitialized.c
 * define its contents. It is read and written without locks: accesses of one
 * word by two thread blocks at the same time are recorded in either order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_SHADOW_H
#define PYCUDA_CPU_CHECK_SHADOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/check/check.h"

/* Size of a granule, the unit in which shadow memory is allocated: the number
 * of bytes of memory that one granule describes. */
#define CPU_SHADOW_GRANULE ((uintptr_t)65536)
#define CPU_SHADOW_WORDS   (CPU_SHADOW_GRANULE / 4)
/* Number of 4-byte words in a span. span_reads.c records a read of a whole
 * span as one access. */
#define CPU_SHADOW_SPAN  16
#define CPU_SHADOW_SPANS (CPU_SHADOW_WORDS / CPU_SHADOW_SPAN)

/* Access records of a granule (64 KiB of memory): the last accesses of each of
 * its 4-byte words, as slots (race.h). 0 means no access. */
struct cpu_shadow_granule {
    /* next granule in the list cpu_shadow_granules */
    struct cpu_shadow_granule *next;
    /* entry of cpu_shadow_tables that points to this granule */
    void *_Atomic *table_slot;
    /* Number of successive reclaim passes in which no access used this granule
     * (64 KiB of memory). */
    unsigned unused;
    /* Numbers of the latest time intervals (epoch_interval.c) in which a word
     * of the granule was written, and in which a read was recorded; 0:
     * none. */
    uint32_t written, read;
    uint64_t writes[CPU_SHADOW_WORDS];
    uint64_t reads[2][CPU_SHADOW_WORDS];
    /* Reads of whole spans (16 consecutive words): two access records (slots)
     * per span. A slot describes the read of the span's first word; each
     * further word was read by the next thread. */
    uint64_t spans[2][CPU_SHADOW_SPANS];
};

/* The two kinds of shadow memory: states of bytes, and access records of
 * 4-byte words. */
enum cpu_shadow_kind {
    CPU_SHADOW_BYTES, /* one byte per byte of memory: 1 if never written */
    /* access records of a granule (struct cpu_shadow_granule): the last
     * accesses of each 4-byte word */
    CPU_SHADOW_ACCESSES,
    CPU_SHADOW_KINDS,
};

/* Two-level tables of shadow memory, one table for each kind. An entry points
 * to the shadow memory of a 64 KiB granule. The first level is indexed by bits
 * 32 to 46 of the address, the second one by bits 16 to 31. */
extern void *_Atomic *_Atomic cpu_shadow_tables[CPU_SHADOW_KINDS][1 << 15];

/* Returns the shadow memory of the 64 KiB granule that contains `address`, or
 * NULL if that granule has no shadow memory of this kind. */
static inline void *
cpu_shadow_find(enum cpu_shadow_kind kind, uintptr_t address)
{
    void *_Atomic *table =
        atomic_load_explicit(&cpu_shadow_tables[kind][address >> 32 & 0x7fff],
                             memory_order_acquire);

    return table ? atomic_load_explicit(&table[address >> 16 & 0xffff],
                                        memory_order_acquire)
                 : NULL;
}

/* List of all granules (64 KiB of memory) that have access records. Access
 * records are not freed while a kernel runs. */
extern struct cpu_shadow_granule *_Atomic cpu_shadow_granules;
/* Returns the access records of the granule (64 KiB of memory) that contains
 * `address`, and allocates them if necessary. Returns NULL if there is not
 * enough memory. */
struct cpu_shadow_granule *cpu_shadow_granule_get(uintptr_t address);
/* Returns the pages of the granule's access records to the system; all records
 * read as 0 (no access) afterwards. */
void cpu_shadow_granule_clear(struct cpu_shadow_granule *granule);
/* Unmaps the access records of a granule and removes them from the table. The
 * caller must have removed the granule from the list of granules, and no
 * kernel may be running. */
void cpu_shadow_granule_free(struct cpu_shadow_granule *granule);

/* Marks bytes as written or as uninitialized. Bytes that were never marked
 * count as written. */
void cpu_check_set_written(uintptr_t address, uint64_t bytes, bool written);
/* Returns whether any of the bytes is uninitialized. */
bool cpu_check_has_uninitialized(uintptr_t address, uint64_t bytes);

#endif
