/* shadow.h - what is known of each byte and each word of memory.
 *
 * shadow.c finds the cells; race.c, span_reads.c and uninitialized.c say what is
 * in them.  They are read and written without locks: what two blocks do to
 * the same word at the same time is seen in some order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_SHADOW_H
#define PYCUDA_CPU_CHECK_SHADOW_H

#include "cpu/check/check.h"

#define CPU_SHADOW_GRANULE ((uintptr_t)65536) /* bytes of memory */
#define CPU_SHADOW_WORDS   (CPU_SHADOW_GRANULE / 4)
#define CPU_SHADOW_SPAN    16 /* words that may be noted as one; span_reads.c */
#define CPU_SHADOW_SPANS   (CPU_SHADOW_WORDS / CPU_SHADOW_SPAN)

/* The last accesses of each word, as race.c packs them; 0: none. */
struct cpu_shadow_granule {
    struct cpu_shadow_granule *next; /* of all there are, see reclaim.c */
    void *_Atomic *table_slot;       /* where it is found */
    unsigned unused; /* so often reclaim.c has seen no use of it */
    /* Numbers of the last intervals in which a word was written, or read and
     * that noted; 0: none. */
    uint32_t written, read;
    uint64_t writes[CPU_SHADOW_WORDS];
    uint64_t reads[2][CPU_SHADOW_WORDS];
    /* Reads of whole spans: what `reads` would have of the first word, each
     * next one by the next thread. */
    uint64_t spans[2][CPU_SHADOW_SPANS];
};

enum cpu_shadow_kind {
    CPU_SHADOW_BYTES,    /* a byte a byte: 1 if nobody has written it */
    CPU_SHADOW_ACCESSES, /* struct cpu_shadow_granule */
    CPU_SHADOW_KINDS,
};

/* By the address's bits 32 to 46, then by its bits 16 to 31. */
extern void *_Atomic *_Atomic cpu_shadow_tables[CPU_SHADOW_KINDS][1 << 15];

/* What there is for the granule of an address; NULL: nothing. */
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

/* All cells there are; they stay while a kernel runs. */
extern struct cpu_shadow_granule *_Atomic cpu_shadow_granules;
/* NULL: no memory. */
struct cpu_shadow_granule *cpu_shadow_granule_get(uintptr_t address);
/* Gives the pages of what they hold back; they are 0 then. */
void cpu_shadow_granule_clear(struct cpu_shadow_granule *granule);
/* They are no longer found, and their memory is given back.  No kernel runs,
 * and they are taken out of the list. */
void cpu_shadow_granule_free(struct cpu_shadow_granule *granule);

/* Marks bytes as written or not; those that nobody marked count as written.
 * cpu_check_has_uninitialized: is one of them not? */
void cpu_check_mark(uintptr_t address, uint64_t bytes, bool written);
bool cpu_check_has_uninitialized(uintptr_t address, uint64_t bytes);

#endif
