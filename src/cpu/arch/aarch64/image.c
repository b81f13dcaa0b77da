/* image.c - stubs and relocations of aarch64 images.
 *
 * Called by module/image.c and module/image_elf.c. A call instruction reaches
 * targets at a distance of up to 128 MiB. Functions outside an image may be
 * farther away, so they are called through stubs, which follow the image's
 * code. Two instructions compute an address: adrp computes the start of the 4
 * KiB page that contains it (4 KiB is independent of the system's page size),
 * and the next instruction adds the offset in this page.
 *
 * SPDX-License-Identifier: MIT */
#include <elf.h>
#include <string.h>

#include "cpu/arch/arch.h"

const unsigned cpu_arch_machine = EM_AARCH64;
const unsigned cpu_arch_unwind_type = SHT_NULL;

static const char level[] = "aarch64";

const char *
cpu_arch_target(void)
{
    return level;
}

bool
cpu_arch_runs(const char *target)
{
    return strncmp(target, level, 32) == 0;
}

/* Instructions of a stub: ldr x16, #8; br x16 */
static const uint32_t jump[] = {0x58000050, 0xd61f0200};
const size_t cpu_arch_stub_address = sizeof jump;

void
cpu_arch_stub_write(char *stub, const void *address)
{
    memcpy(stub, jump, sizeof jump);
    memcpy(stub + sizeof jump, &address, sizeof address);
}

enum base { VALUE, ADDRESS, ENTRY };
enum distance { WHOLE, FROM_HERE, PAGE_FROM_HERE, IN_PAGE };
enum field { DATA, AT_0, AT_5, AT_10, ADR };

/* Describes how relocations of one ELF type are applied. The value is the
 * target address (base + addend), or the distance from the relocated field to
 * that address. The value is shifted right by `shift` bits, and the low `bits`
 * bits of the result are stored. */
struct row {
    unsigned type;
    enum base base;
    enum distance distance;
    enum field field;
    unsigned shift, bits;
};

static const struct row rows[] = {
    {R_AARCH64_ABS64, ADDRESS, WHOLE, DATA, 0, 64},
    {R_AARCH64_PREL64, VALUE, FROM_HERE, DATA, 0, 64},
    {R_AARCH64_PREL32, VALUE, FROM_HERE, DATA, 0, 32},
    {R_AARCH64_CALL26, VALUE, FROM_HERE, AT_0, 2, 26},
    {R_AARCH64_JUMP26, VALUE, FROM_HERE, AT_0, 2, 26},
    {R_AARCH64_CONDBR19, VALUE, FROM_HERE, AT_5, 2, 19},
    {R_AARCH64_LD_PREL_LO19, VALUE, FROM_HERE, AT_5, 2, 19},
    {R_AARCH64_TSTBR14, VALUE, FROM_HERE, AT_5, 2, 14},
    {R_AARCH64_ADR_PREL_LO21, VALUE, FROM_HERE, ADR, 0, 21},
    {R_AARCH64_ADR_PREL_PG_HI21, VALUE, PAGE_FROM_HERE, ADR, 12, 21},
    {R_AARCH64_ADR_GOT_PAGE, ENTRY, PAGE_FROM_HERE, ADR, 12, 21},
    {R_AARCH64_ADD_ABS_LO12_NC, VALUE, IN_PAGE, AT_10, 0, 12},
    {R_AARCH64_LDST8_ABS_LO12_NC, VALUE, IN_PAGE, AT_10, 0, 12},
    {R_AARCH64_LDST16_ABS_LO12_NC, VALUE, IN_PAGE, AT_10, 1, 12},
    {R_AARCH64_LDST32_ABS_LO12_NC, VALUE, IN_PAGE, AT_10, 2, 12},
    {R_AARCH64_LDST64_ABS_LO12_NC, VALUE, IN_PAGE, AT_10, 3, 12},
    {R_AARCH64_LDST128_ABS_LO12_NC, VALUE, IN_PAGE, AT_10, 4, 12},
    {R_AARCH64_LD64_GOT_LO12_NC, ENTRY, IN_PAGE, AT_10, 3, 12},
};

/* Returns the entry of the table `rows` for a type of relocation, or NULL. */
static const struct row *
row_find(unsigned type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].type == type) {
            return &rows[i];
        }
    }
    return NULL;
}

size_t
cpu_arch_relocation_bytes(unsigned type)
{
    const struct row *row = row_find(type);

    return row == NULL ? 0 : row->field == DATA ? row->bits / 8 : 4;
}

/* Returns the address to which the relocation refers. If the relocation goes
 * through the image's table of addresses (base ENTRY), fills the symbol's
 * entry in that table and returns the address of the entry. */
static uint64_t
base_address(const struct cpu_relocation *at, enum base base)
{
    if (base == ENTRY) {
        memcpy(at->entry, &at->address, sizeof at->address);
        return (uintptr_t)at->entry;
    }
    return base == ADDRESS ? at->address : at->value;
}

/* Returns the value that the relocation stores, before it is shifted right by
 * row->shift bits. */
static int64_t
relocation_value(const struct cpu_relocation *at, const struct row *row)
{
    const uint64_t page = ~(uint64_t)0xfff;
    uint64_t to = base_address(at, row->base) + (uint64_t)at->addend;
    uint64_t here = (uintptr_t)at->location;

    switch (row->distance) {
    case FROM_HERE:
        return (int64_t)(to - here);
    case PAGE_FROM_HERE:
        return (int64_t)((to & page) - (here & page));
    case IN_PAGE:
        return (int64_t)(to & ~page);
    default:
        return (int64_t)to;
    }
}

/* Returns the instruction `code` with its immediate field set to the low bits
 * of `value`. */
static uint32_t
field_set(uint32_t code, const struct row *row, uint32_t value)
{
    uint32_t mask = (1u << row->bits) - 1;
    unsigned at = row->field == AT_5 ? 5 : row->field == AT_10 ? 10 : 0;

    value &= mask;
    /* bits 29 and 30 of ADR contain the two low bits of the immediate; the
     * other bits of the immediate start at bit 5 */
    if (row->field == ADR) {
        code &= ~(3u << 29 | 0x7ffffu << 5);
        return code | (value & 3) << 29 | value >> 2 << 5;
    }
    return (code & ~(mask << at)) | value << at;
}

const char *
cpu_arch_relocate(const struct cpu_relocation *at)
{
    const struct row *row = row_find(at->type);
    uint32_t code;

    if (row == NULL) {
        return at->type == R_AARCH64_NONE ? NULL
                                          : "unknown kind of relocation";
    }
    int64_t value = relocation_value(at, row);
    if (row->bits == 64) {
        memcpy(at->location, &value, sizeof value);
        return NULL;
    }
    int64_t limit = (int64_t)1 << (row->bits - 1 + row->shift);
    if (row->distance != IN_PAGE && (value < -limit || value >= limit)) {
        return "a relocation does not reach";
    }
    if (row->distance != PAGE_FROM_HERE &&
        value & (((int64_t)1 << row->shift) - 1)) {
        return "a relocation's address is not aligned";
    }
    memcpy(&code, at->location, sizeof code);
    value >>= row->shift;
    code = row->field == DATA ? (uint32_t)value
                              : field_set(code, row, (uint32_t)value);
    memcpy(at->location, &code, sizeof code);
    return NULL;
}
