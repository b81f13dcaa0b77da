/* image_elf.c - loads and relocates the ELF object of a native image.
 *
 * One anonymous mapping contains the code (later made executable and
 * read-only), a stub for each undefined symbol, and the data. A stub is a jump
 * to the address that the following eight bytes contain. So functions may be
 * farther away than a call instruction reaches. These eight bytes are also the
 * symbol's GOT entry. Every offset in the object is checked, since an image
 * may come from a damaged cache. Processor-specific parts are in cpu/arch.
 *
 * The code regions are in a list whose nodes are never freed, so that the
 * fault handler can traverse it at any time. Objects may be loaded
 * concurrently.
 *
 * SPDX-License-Identifier: MIT */
#include <elf.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/arch/arch.h"
#include "cpu/memory/budget.h"
#include "cpu/module/image.h"

enum { STUB_BYTES = CPU_ARCH_STUB_BYTES, MAX_ALIGNMENT = 4096 };

/* For an image of more than this many bytes, the available memory is checked
 * before it is loaded. */
#define ASKED_BYTES (1u << 20)

struct cpu_region {
    _Atomic uintptr_t start, end, data_end;
    atomic_bool used;
    struct cpu_region *next;
};

static _Atomic(struct cpu_region *) regions;

bool
cpu_image_contains_code(const void *address)
{
    struct cpu_region *at = atomic_load(&regions);
    for (; at; at = at->next) {
        if ((uintptr_t)address >= atomic_load(&at->start) &&
            (uintptr_t)address < atomic_load(&at->end)) {
            return true;
        }
    }
    return false;
}

bool
cpu_image_contains(const void *address)
{
    struct cpu_region *at = atomic_load(&regions);
    for (; at; at = at->next) {
        if ((uintptr_t)address >= atomic_load(&at->start) &&
            (uintptr_t)address < atomic_load(&at->data_end)) {
            return true;
        }
    }
    return false;
}

/* Adds the address range of loaded code to the list of code regions. Reuses an
 * unused list node if there is one. Uses no lock, because the fault handler
 * reads the list. */
static struct cpu_region *
region_new(const char *start, size_t bytes, size_t all)
{
    struct cpu_region *at = atomic_load(&regions);
    bool used = false;
    for (; at; at = at->next) {
        used = false;
        if (atomic_compare_exchange_strong(&at->used, &used, true)) {
            break;
        }
    }
    if (!at) {
        at = calloc(1, sizeof *at);
        if (!at) {
            return NULL;
        }
        atomic_store(&at->used, true);
        at->next = atomic_load(&regions);
        while (!atomic_compare_exchange_weak(&regions, &at->next, at)) {
        }
    }
    atomic_store(&at->start, (uintptr_t)start);
    atomic_store(&at->end, (uintptr_t)start + bytes);
    atomic_store(&at->data_end, (uintptr_t)start + all);
    return at;
}

static void
region_release(struct cpu_region *region)
{
    atomic_store(&region->end, 0);
    atomic_store(&region->data_end, 0);
    atomic_store(&region->start, 0);
    atomic_store(&region->used, false);
}

/* State of an ELF object that is being loaded. */
struct loading {
    struct cpu_code *code;
    const Elf64_Shdr *sections;
    unsigned section_count;
    const Elf64_Sym *symbols;
    uint64_t symbol_count;
    const char *strings;
    uint64_t string_bytes;
    char *stubs; /* a stub for each symbol; only undefined symbols use it */
    size_t stub_start;
    /* image whose variables the code uses instead of variables of the same
     * name in the object; or NULL */
    const struct cpu_image *variables;
    char *error;
    size_t error_size;
};

static CUresult
fail(struct loading *load, CUresult code, const char *text, const char *name)
{
    if (load->error && load->error_size) {
        snprintf(load->error, load->error_size, "%s%s", text, name);
    }
    return code;
}

static CUresult
damaged(struct loading *load, const char *text)
{
    return fail(load, CUDA_ERROR_INVALID_IMAGE, "damaged image: ", text);
}

static bool
inside(uint64_t offset, uint64_t bytes, uint64_t limit)
{
    return offset <= limit && bytes <= limit - offset;
}

/* Checks the ELF header, and that all sections of the section table are inside
 * the object. */
static CUresult
find_sections(struct loading *load)
{
    const char *elf = load->code->elf;
    uint64_t size = load->code->elf_bytes;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)elf;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
        header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_type != ET_REL ||
        header->e_machine != cpu_arch_machine) {
        return damaged(load, "no ELF object for this processor");
    }
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 ||
        !inside(header->e_shoff,
                (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), size)) {
        return damaged(load, "section table");
    }
    load->sections = (const Elf64_Shdr *)(elf + header->e_shoff);
    load->section_count = header->e_shnum;
    for (unsigned i = 0; i < load->section_count; i++) {
        const Elf64_Shdr *row = &load->sections[i];
        if (row->sh_type != SHT_NOBITS &&
            !inside(row->sh_offset, row->sh_size, size)) {
            return damaged(load, "section outside the object");
        }
        if (row->sh_addralign > MAX_ALIGNMENT ||
            (row->sh_addralign & (row->sh_addralign - 1)) ||
            row->sh_size > (1u << 30)) {
            return damaged(load, "section size or alignment");
        }
    }
    return CUDA_SUCCESS;
}

/* Finds and checks the symbol table. Also checks that the string table ends
 * with a zero byte. */
static CUresult
find_symbols(struct loading *load)
{
    const Elf64_Shdr *table = NULL;
    for (unsigned i = 0; i < load->section_count; i++) {
        if (load->sections[i].sh_type == SHT_SYMTAB) {
            table = &load->sections[i];
        }
    }
    if (!table || table->sh_entsize != sizeof(Elf64_Sym) ||
        table->sh_offset % 8 || table->sh_link >= load->section_count) {
        return damaged(load, "symbol table");
    }
    const Elf64_Shdr *strings = &load->sections[table->sh_link];
    if (strings->sh_type != SHT_STRTAB || !strings->sh_size) {
        return damaged(load, "symbol names");
    }
    load->symbols = (const Elf64_Sym *)(load->code->elf + table->sh_offset);
    load->symbol_count = table->sh_size / sizeof(Elf64_Sym);
    load->strings = load->code->elf + strings->sh_offset;
    load->string_bytes = strings->sh_size;
    if (load->strings[load->string_bytes - 1]) {
        return damaged(load, "symbol names");
    }
    for (uint64_t i = 0; i < load->symbol_count; i++) {
        if (load->symbols[i].st_name >= load->string_bytes) {
            return damaged(load, "symbol name");
        }
    }
    return CUDA_SUCCESS;
}

static size_t
align_up(size_t offset, size_t alignment)
{
    alignment = alignment ? alignment : 1;
    return (offset + alignment - 1) / alignment * alignment;
}

/* Assigns offsets from `end` on to the sections of one kind (code or data).
 * Returns the offset after the last one. */
static size_t
lay_out(struct loading *load, bool code, size_t end)
{
    for (unsigned i = 0; i < load->section_count; i++) {
        const Elf64_Shdr *row = &load->sections[i];
        bool is_code = (row->sh_flags & SHF_EXECINSTR) != 0;
        if (!(row->sh_flags & SHF_ALLOC) || is_code != code ||
            row->sh_type == cpu_arch_unwind_type) {
            continue;
        }
        end = align_up(end, row->sh_addralign);
        /* The offset is stored plus 1, since 0 means that the section has no
         * address. */
        load->code->sections[i] = end + 1;
        end += row->sh_size;
    }
    return end;
}

/* Allocates the memory of the object and copies the sections into it. */
static CUresult
map_sections(struct loading *load)
{
    struct cpu_code *code = load->code;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    code->sections = calloc(load->section_count, sizeof *code->sections);
    if (!code->sections) {
        return fail(load, CUDA_ERROR_OUT_OF_MEMORY, "out of memory", "");
    }
    load->stub_start = align_up(lay_out(load, true, 0), STUB_BYTES);
    code->code_bytes =
        align_up(load->stub_start + load->symbol_count * STUB_BYTES, page);
    code->bytes = align_up(lay_out(load, false, code->code_bytes) + 1, page);
    if (code->bytes > ASKED_BYTES && !cpu_arena_admit(code->bytes)) {
        return fail(load, CUDA_ERROR_OUT_OF_MEMORY,
                    "no memory for the module's variables: ",
                    cpu_budget_refusal() ? cpu_budget_refusal()
                                         : "they exceed the machine's");
    }
    code->memory = mmap(NULL, code->bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code->memory == MAP_FAILED) {
        code->memory = NULL;
        return fail(load, CUDA_ERROR_OUT_OF_MEMORY,
                    "no address space for the image", "");
    }
    load->stubs = code->memory + load->stub_start;
    for (unsigned i = 0; i < load->section_count; i++) {
        const Elf64_Shdr *row = &load->sections[i];
        if (!code->sections[i]) {
            continue;
        }
        code->sections[i] += (uintptr_t)code->memory - 1;
        if (row->sh_type != SHT_NOBITS) {
            memcpy((void *)(uintptr_t)code->sections[i],
                   code->elf + row->sh_offset, row->sh_size);
        }
    }
    return CUDA_SUCCESS;
}

/* Finds the address of a symbol. For an undefined symbol this is the address
 * of its stub. */
static CUresult
symbol_address(struct loading *load, uint64_t index, struct cpu_relocation *at)
{
    const Elf64_Sym *symbol = &load->symbols[index];
    char *stub = load->stubs + index * STUB_BYTES;

    at->entry = stub + cpu_arch_stub_address;
    if (symbol->st_shndx == SHN_UNDEF) {
        const char *name = load->strings + symbol->st_name;
        void *address = cpu_image_symbol(name);

        if (!address) {
            return fail(load, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
                        "the image calls an unknown function: ", name);
        }
        cpu_arch_stub_write(stub, address);
        at->value = (uintptr_t)stub;
        at->address = (uintptr_t)address;
        return CUDA_SUCCESS;
    }
    if (symbol->st_shndx >= load->section_count ||
        !load->code->sections[symbol->st_shndx] ||
        symbol->st_value > load->sections[symbol->st_shndx].sh_size) {
        return damaged(load, "symbol outside its section");
    }
    at->value = load->code->sections[symbol->st_shndx] + symbol->st_value;
    if (load->variables) {
        const char *name = load->strings + symbol->st_name;
        void *other = cpu_image_variable(load->variables, name);
        at->value = other ? (uintptr_t)other : at->value;
    }
    at->address = at->value;
    return CUDA_SUCCESS;
}

/* Checks that a relocation is inside its section, and applies it. */
static CUresult
relocate(struct loading *load, const Elf64_Shdr *target, uint64_t base,
         const Elf64_Rela *row)
{
    uint64_t index = ELF64_R_SYM(row->r_info);
    struct cpu_relocation at = {
        .location = (char *)(uintptr_t)(base + row->r_offset),
        .type = ELF64_R_TYPE(row->r_info),
        .addend = row->r_addend,
    };

    if (index >= load->symbol_count ||
        !inside(row->r_offset, cpu_arch_relocation_bytes(at.type),
                target->sh_size)) {
        return damaged(load, "relocation");
    }
    CUresult result = symbol_address(load, index, &at);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    const char *wrong = cpu_arch_relocate(&at);
    return wrong ? damaged(load, wrong) : CUDA_SUCCESS;
}

/* Applies the relocations of one section. Ignores sections that are not
 * loaded. */
static CUresult
relocate_section(struct loading *load, const Elf64_Shdr *list)
{
    if (list->sh_info >= load->section_count) {
        return damaged(load, "relocations without a section");
    }
    const Elf64_Shdr *target = &load->sections[list->sh_info];
    uint64_t base = load->code->sections[list->sh_info];
    if (!base) {
        return CUDA_SUCCESS;
    }
    if (list->sh_entsize != sizeof(Elf64_Rela) || list->sh_offset % 8) {
        return damaged(load, "relocation table");
    }
    const Elf64_Rela *rows =
        (const Elf64_Rela *)(load->code->elf + list->sh_offset);
    for (uint64_t i = 0; i < list->sh_size / sizeof *rows; i++) {
        CUresult result = relocate(load, target, base, &rows[i]);
        if (result != CUDA_SUCCESS) {
            return result;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult
relocate_all(struct loading *load)
{
    for (unsigned i = 0; i < load->section_count; i++) {
        if (load->sections[i].sh_type == SHT_REL) {
            return damaged(load, "relocations without addends");
        }
        if (load->sections[i].sh_type != SHT_RELA) {
            continue;
        }
        CUresult result = relocate_section(load, &load->sections[i]);
        if (result != CUDA_SUCCESS) {
            return result;
        }
    }
    return CUDA_SUCCESS;
}

/* Makes the code executable and read-only, and registers it with the fault
 * handler. */
static CUresult
make_executable(struct loading *load)
{
    struct cpu_code *code = load->code;
    __builtin___clear_cache(code->memory, code->memory + code->code_bytes);
    code->region = region_new(code->memory, code->code_bytes, code->bytes);
    if (!code->region ||
        mprotect(code->memory, code->code_bytes, PROT_READ | PROT_EXEC)) {
        return fail(load, CUDA_ERROR_OUT_OF_MEMORY,
                    "the code cannot be made executable", "");
    }
    return CUDA_SUCCESS;
}

CUresult
cpu_code_load(struct cpu_code *code, const void *elf, size_t size,
              const struct cpu_image *variables, char *error,
              size_t error_size)
{
    static CUresult (*const steps[])(struct loading *) = {
        find_sections, find_symbols, map_sections, relocate_all,
        make_executable};
    struct loading load = {.code = code,
                           .variables = variables,
                           .error = error,
                           .error_size = error_size};
    CUresult result = CUDA_SUCCESS;
    memset(code, 0, sizeof *code);
    code->elf = elf;
    code->elf_bytes = size;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        result = steps[i](&load);
        if (result != CUDA_SUCCESS) {
            cpu_code_unload(code);
            return result;
        }
    }
    cpu_code_publish(code);
    return result;
}

void
cpu_code_unload(struct cpu_code *code)
{
    cpu_code_withdraw(code);
    if (code->region) {
        region_release(code->region);
    }
    if (code->memory) {
        munmap(code->memory, code->bytes);
    }
    free(code->sections);
    memset(code, 0, sizeof *code);
}

/* Finds a symbol without checking the ELF tables, since cpu_code_load has
 * already checked them. */
void *
cpu_code_find(const struct cpu_code *code, const char *symbol, uint64_t bytes)
{
    struct loading load = {.code = (struct cpu_code *)code};
    if (find_sections(&load) != CUDA_SUCCESS ||
        find_symbols(&load) != CUDA_SUCCESS) {
        return NULL;
    }
    for (uint64_t i = 0; i < load.symbol_count; i++) {
        const Elf64_Sym *at = &load.symbols[i];
        if (at->st_shndx == SHN_UNDEF || at->st_shndx >= load.section_count ||
            strcmp(load.strings + at->st_name, symbol)) {
            continue;
        }
        uint64_t base = code->sections[at->st_shndx];
        if (!base || !inside(at->st_value, bytes,
                             load.sections[at->st_shndx].sh_size)) {
            return NULL;
        }
        return (void *)(uintptr_t)(base + at->st_value);
    }
    return NULL;
}
