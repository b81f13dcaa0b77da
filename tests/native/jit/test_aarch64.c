/* test_aarch64.c - relocations of aarch64, on any processor.
 *
 * Built with src/cpu/arch/aarch64/image.c alone. The expected instructions are
 * those that GNU's assembler generates.
 *
 * SPDX-License-Identifier: MIT */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "cpu/arch/arch.h"

#define PLACE 0x10000ff8u /* assumed address of each instruction */

static int failures;

struct row {
    unsigned type;
    uint32_t before;
    uint64_t value;
    int64_t addend;
    uint32_t after; /* 0: rejected */
};

static const struct row rows[] = {
    /* bl, b: 4 bytes forward, 8 back; at the limits and beyond */
    {R_AARCH64_CALL26, 0x94000000, PLACE + 4, 0, 0x94000001},
    {R_AARCH64_JUMP26, 0x14000000, PLACE, -8, 0x17fffffe},
    {R_AARCH64_CALL26, 0x94000000, PLACE + 0x7fffffc, 0, 0x95ffffff},
    {R_AARCH64_CALL26, 0x94000000, PLACE - 0x8000000, 0, 0x96000000},
    {R_AARCH64_CALL26, 0x94000000, PLACE + 0x8000000, 0, 0},
    {R_AARCH64_CALL26, 0x94000000, PLACE - 0x8000004, 0, 0},
    {R_AARCH64_CALL26, 0x94000000, PLACE + 2, 0, 0},
    /* b.ne, tbz w0 #0, ldr x0 */
    {R_AARCH64_CONDBR19, 0x54000001, PLACE + 16, 0, 0x54000081},
    {R_AARCH64_TSTBR14, 0x36000000, PLACE + 8, 0, 0x36000040},
    {R_AARCH64_TSTBR14, 0x36000000, PLACE + 0x8000, 0, 0},
    {R_AARCH64_LD_PREL_LO19, 0x58000000, PLACE + 12, 0, 0x58000060},
    /* adr x1; adrp x1: the next page, the previous page, this page */
    {R_AARCH64_ADR_PREL_LO21, 0x10000001, PLACE + 7, 0, 0x70000021},
    {R_AARCH64_ADR_PREL_LO21, 0x10000001, PLACE + 0x100000, 0, 0},
    {R_AARCH64_ADR_PREL_PG_HI21, 0x90000001, PLACE + 8, 0, 0xb0000001},
    {R_AARCH64_ADR_PREL_PG_HI21, 0x90000001, PLACE - 0xff9, 0, 0xf0ffffe1},
    {R_AARCH64_ADR_PREL_PG_HI21, 0x90000001, PLACE + 4, 0, 0x90000001},
    {R_AARCH64_ADR_PREL_PG_HI21, 0x90000001, PLACE, 0x100000008, 0},
    /* add x0, x0, and loads of 1 to 16 bytes from x0 */
    {R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0x12345234, 0, 0x9108d000},
    {R_AARCH64_LDST8_ABS_LO12_NC, 0x39400000, 0x12345fff, 0, 0x397ffc00},
    {R_AARCH64_LDST16_ABS_LO12_NC, 0x79400000, 0x12345006, 0, 0x79400c00},
    {R_AARCH64_LDST32_ABS_LO12_NC, 0xb9400000, 0x12345008, 4, 0xb9400c00},
    {R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0x12345008, 0, 0xf9400400},
    {R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0x12345004, 0, 0},
    {R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00000, 0x12345020, 0, 0x3dc00800},
    /* .word a - . */
    {R_AARCH64_PREL32, 0, PLACE, -8, 0xfffffff8},
    {R_AARCH64_PREL32, 0, PLACE + 0x80000000u, 0, 0},
    {R_AARCH64_MOVW_UABS_G0, 0xd2800000, 0, 0, 0}, /* not supported */
};

/* A target near PLACE is mapped to the same distance from `place`, which has
 * the same offset in its page. */
static void
try_row(uint32_t *place, const struct row *row)
{
    bool absolute = row->value >> 12 == 0x12345;
    struct cpu_relocation at = {
        .location = (char *)place,
        .type = row->type,
        .addend = row->addend,
        .value = absolute ? row->value : row->value - PLACE + (uintptr_t)place,
    };

    *place = row->before;
    const char *wrong = cpu_arch_relocate(&at);
    if (row->after ? wrong || *place != row->after : !wrong) {
        printf("type %u: %08x became %08x, expected %08x: %s\n", row->type,
               row->before, *place, row->after, wrong ? wrong : "taken");
        failures++;
    }
}

/* A stub's target, and a GOT entry that holds an address. */
static void
try_entries(char *page)
{
    uint64_t entry = 0, number = 0;
    char *place = page + 0x10;
    struct cpu_relocation at = {.location = place,
                                .type = R_AARCH64_ABS64,
                                .addend = 2,
                                .value = 5,
                                .address = 0x123456789abcdef0,
                                .entry = page + 0x1008};

    failures += cpu_arch_relocate(&at) != NULL;
    memcpy(&number, place, sizeof number);
    failures += number != at.address + 2;
    at.addend = 0;
    at.type = R_AARCH64_ADR_GOT_PAGE;
    memcpy(place, "\x00\x00\x00\x90", 4); /* adrp x0 */
    failures += cpu_arch_relocate(&at) != NULL;
    failures += memcmp(place, "\x00\x00\x00\xb0", 4) != 0;
    memcpy(&entry, page + 0x1008, sizeof entry);
    failures += entry != at.address;
    at.type = R_AARCH64_LD64_GOT_LO12_NC;
    memcpy(place, "\x00\x00\x40\xf9", 4); /* ldr x0, [x0] */
    failures += cpu_arch_relocate(&at) != NULL;
    failures += memcmp(place, "\x00\x04\x40\xf9", 4) != 0;
    failures += cpu_arch_relocation_bytes(R_AARCH64_ABS64) != 8;
    failures += cpu_arch_relocation_bytes(R_AARCH64_CALL26) != 4;
    failures += cpu_arch_relocation_bytes(R_AARCH64_COPY) != 0;
    failures += cpu_arch_stub_address % 8 != 0;
    failures += !cpu_arch_runs("aarch64") || cpu_arch_runs("x86-64-v3");
}

int
main(void)
{
    static _Alignas(4096) char pages[3 * 4096];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        try_row((uint32_t *)(void *)(pages + 4096 + PLACE % 4096), &rows[i]);
    }
    try_entries(pages);
    printf(failures ? "%d failures\n" : "right\n", failures);
    return failures != 0;
}
