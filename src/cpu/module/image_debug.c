/* image_debug.c - registers kernels with line tables at debuggers.
 *
 * Called by image_elf.c for images that have line tables. Implements GDB's
 * "JIT compilation interface": a debugger sets a breakpoint in
 * __jit_debug_register_code and reads the list in __jit_debug_descriptor. One
 * lock guards the list.
 *
 * SPDX-License-Identifier: MIT */
#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/module/image.h"

/* GDB defines the names and the layout of the following declarations. */
enum { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version;
    uint32_t action_flag;
    struct jit_code_entry *relevant_entry;
    struct jit_code_entry *first_entry;
};

void __jit_debug_register_code(void);
extern struct jit_descriptor __jit_debug_descriptor;

struct jit_descriptor __jit_debug_descriptor = {1, JIT_NOACTION, NULL, NULL};

__attribute__((noinline)) void
__jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns true if the ELF object has a .debug_line section. `names` is the
 * index of the section with the section names. */
static bool
has_lines(const char *elf, const Elf64_Shdr *sections, unsigned count,
          unsigned names)
{
    if (names >= count || sections[names].sh_type == SHT_NOBITS) {
        return false; /* SHT_NOBITS: the section has no contents in the file */
    }
    for (unsigned i = 0; i < count; i++) {
        uint64_t at = sections[i].sh_name;

        if (at + sizeof ".debug_line" <= sections[names].sh_size &&
            strcmp(elf + sections[names].sh_offset + at, ".debug_line") == 0) {
            return true;
        }
    }
    return false;
}

/* Makes a copy of the ELF object whose section headers contain the addresses
 * at which the sections are loaded. Returns NULL if there is not enough
 * memory. */
static struct jit_code_entry *
entry_make(const struct cpu_code *code, const Elf64_Ehdr *header)
{
    struct jit_code_entry *entry = calloc(1, sizeof *entry);
    char *copy = malloc(code->elf_bytes);

    if (!entry || !copy) {
        free(entry);
        free(copy);
        return NULL;
    }
    memcpy(copy, code->elf, code->elf_bytes);
    Elf64_Shdr *sections = (Elf64_Shdr *)(copy + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        sections[i].sh_addr = code->sections[i];
    }
    entry->symfile_addr = copy;
    entry->symfile_size = code->elf_bytes;
    return entry;
}

/* Tells debuggers that an entry was added to or removed from the list. The
 * caller holds the lock. */
static void
debugger_notify(struct jit_code_entry *entry, uint32_t action)
{
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = action;
    __jit_debug_register_code();
}

void
cpu_code_publish(struct cpu_code *code)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)code->elf;
    const Elf64_Shdr *sections =
        (const Elf64_Shdr *)(code->elf + header->e_shoff);

    if (!has_lines(code->elf, sections, header->e_shnum, header->e_shstrndx)) {
        return;
    }
    struct jit_code_entry *entry = entry_make(code, header);
    if (!entry) {
        /* no memory for the list entry: kernels run without debug
         * information */
        return;
    }
    pthread_mutex_lock(&list_lock);
    entry->next_entry = __jit_debug_descriptor.first_entry;
    if (entry->next_entry) {
        entry->next_entry->prev_entry = entry;
    }
    __jit_debug_descriptor.first_entry = entry;
    debugger_notify(entry, JIT_REGISTER_FN);
    pthread_mutex_unlock(&list_lock);
    code->debug = entry;
}

void
cpu_code_withdraw(struct cpu_code *code)
{
    struct jit_code_entry *entry = code->debug;

    if (!entry) {
        return;
    }
    pthread_mutex_lock(&list_lock);
    if (entry->prev_entry) {
        entry->prev_entry->next_entry = entry->next_entry;
    } else {
        __jit_debug_descriptor.first_entry = entry->next_entry;
    }
    if (entry->next_entry) {
        entry->next_entry->prev_entry = entry->prev_entry;
    }
    debugger_notify(entry, JIT_UNREGISTER_FN);
    pthread_mutex_unlock(&list_lock);
    free((char *)entry->symfile_addr);
    free(entry);
    code->debug = NULL;
}
