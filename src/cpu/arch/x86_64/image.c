/* image.c - processor levels, stubs and relocations of x86-64 images.
 *
 * Called by module/image.c and module/image_elf.c.
 *
 * SPDX-License-Identifier: MIT */
#include <elf.h>
#include <string.h>

#include "cpu/arch/arch.h"

const unsigned cpu_arch_machine = EM_X86_64;
const unsigned cpu_arch_unwind_type = SHT_X86_64_UNWIND;

static const char level_3[] = "x86-64-v3", level_4[] = "x86-64-v4";

/* Returns the target x86-64-v4 if the processor has AVX-512, otherwise
 * x86-64-v3, the baseline. */
const char *
cpu_arch_target(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v4") ? level_4 : level_3;
}

bool
cpu_arch_runs(const char *target)
{
    __builtin_cpu_init();
    if (strncmp(target, level_3, 32) == 0) {
        return __builtin_cpu_supports("x86-64-v3");
    }
    return strncmp(target, level_4, 32) == 0 &&
           __builtin_cpu_supports("x86-64-v4");
}

/* Instruction of a stub: jmp *0(%rip) */
static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
const size_t cpu_arch_stub_address = sizeof jump;

void
cpu_arch_stub_write(char *stub, const void *address)
{
    memcpy(stub, jump, sizeof jump);
    memcpy(stub + sizeof jump, &address, sizeof address);
}

size_t
cpu_arch_relocation_bytes(unsigned type)
{
    switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64:
        return 8;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        return 4;
    default:
        return 0;
    }
}

/* Stores the 32-bit distance from `location` to `to`. Returns an error text if
 * the distance does not fit. */
static const char *
store_distance(char *location, uint64_t to)
{
    int64_t full = (int64_t)(to - (uintptr_t)location);
    int32_t low = (int32_t)full;

    if (low != full) {
        return "a relocation does not reach";
    }
    memcpy(location, &low, sizeof low);
    return NULL;
}

static const char *
store_64(char *location, uint64_t full)
{
    memcpy(location, &full, sizeof full);
    return NULL;
}

const char *
cpu_arch_relocate(const struct cpu_relocation *at)
{
    uint64_t addend = (uint64_t)at->addend, location = (uintptr_t)at->location;

    switch (at->type) {
    case R_X86_64_NONE:
        return NULL;
    case R_X86_64_64:
        return store_64(at->location, at->address + addend);
    case R_X86_64_PC64:
        return store_64(at->location, at->value + addend - location);
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        return store_distance(at->location, at->value + addend);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        memcpy(at->entry, &at->address, sizeof at->address);
        return store_distance(at->location, (uintptr_t)at->entry + addend);
    default:
        return "unknown kind of relocation";
    }
}
