/* shadow.h - what is known of each word of memory.
 *
 * shadow.c finds a word's cell; race.c and init.c say what
 * is in it.  A cell is used with its page's lock held.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_SHADOW_H
#define PYCUDA_CPU_CHECK_SHADOW_H

#include "cpu/check/check.h"

/* One access of a word.  serial 0: none. */
struct cpu_check_slot {
    uint32_t block;
    uint32_t serial; /* of the launch, its low bits */
    uint32_t epoch;
    uint32_t time; /* of the launch's orders, see race.c */
    uint16_t thread;
    uint16_t step; /* of the warp's meetings */
    uint8_t bytes; /* a bit for each of the word's four */
    bool atomic;   /* or volatile */
    const struct image_site *site;
};

/* Four bytes of memory. */
struct cpu_check_cell {
    struct cpu_check_slot write, reads[2];
};

/* Calls `visit` for each word that [address, address + bytes) touches, with
 * the bits of the bytes in it. */
typedef void cpu_check_visit(struct cpu_check_cell *cell, unsigned bits,
                             void *data);
void cpu_check_cells(uintptr_t address, uint64_t bytes, cpu_check_visit *visit,
                     void *data);

/* Marks bytes as written or not; those that nobody marked count as written.
 * cpu_check_unset: is one of them not? */
void cpu_check_mark(uintptr_t address, uint64_t bytes, bool written);
bool cpu_check_unset(uintptr_t address, uint64_t bytes);

#endif
