/* program_handlers.c - the program's handlers of fault signals.
 *
 * Kernels need our handler to stay installed even if the program installs
 * handlers later. Querying the system's handlers before each launch costs more
 * than a short launch. Instead, calls of sigaction() and signal() are
 * diverted: their entries in the procedure linkage tables of all loaded
 * objects point to functions of this file. These functions store handlers of
 * fault signals, and pass calls for other signals on to the C library. Calls
 * of these functions through addresses from dlsym() are not diverted;
 * cpu_fault_check detects handlers that such calls install.
 *
 * Signal handlers read the program's handler, so each change fills a new row
 * of a table and publishes it by an atomic store. Rows are reused after ROWS
 * changes. A thread holds `change_lock` while it changes the table.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/arch/arch.h"
#include "cpu/run/program_handlers.h"

#define ROWS 16

const int cpu_fault_signals[] = {CPU_ARCH_FAULT_SIGNALS};
const size_t cpu_fault_signal_count =
    sizeof cpu_fault_signals / sizeof *cpu_fault_signals;

static struct sigaction rows[CPU_FAULT_SIGNALS_MAX][ROWS];
static atomic_uint current[CPU_FAULT_SIGNALS_MAX];
static pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER;
/* owner: the process whose signal handlers the table `rows` contains.
 * installed: the handler of this library. */
static _Atomic pid_t owner;
static cpu_fault_function *installed;

/* ---- handlers ---- */

/* Returns the signal's index in the list of fault signals, or -1. */
static int
signal_index(int number)
{
    for (size_t i = 0; i < cpu_fault_signal_count; i++) {
        if (cpu_fault_signals[i] == number) {
            return (int)i;
        }
    }
    return -1;
}

struct sigaction
cpu_program_handler(int number)
{
    /* `number` is always a fault signal. The remainder only shows the compiler
     * that the index is in range. */
    unsigned index = (unsigned)signal_index(number) % CPU_FAULT_SIGNALS_MAX;

    return rows[index][atomic_load(&current[index]) % ROWS];
}

void
cpu_program_handler_set(int number, const struct sigaction *handler)
{
    int index = signal_index(number);

    pthread_mutex_lock(&change_lock);
    unsigned next = atomic_load(&current[index]) + 1;
    rows[index][next % ROWS] = *handler;
    atomic_store(&current[index], next);
    pthread_mutex_unlock(&change_lock);
}

void
cpu_program_handler_reset(int number)
{
    int index = signal_index(number);
    unsigned next = atomic_load(&current[index]) + 1;

    rows[index][next % ROWS] = (struct sigaction){.sa_handler = SIG_DFL};
    atomic_store(&current[index], next);
}

int
cpu_program_sigaction(int number, const struct sigaction *handler)
{
    return sigaction(number, handler, NULL);
}

/* Returns whether our handler was installed in the system. If it was and the
 * program ignores the signal, makes the system ignore the signal instead: a
 * program that this process executes inherits ignored signals, but no
 * handlers. */
static bool
ours_is_installed(int number, const struct sigaction *program)
{
    struct sigaction now;
    bool is_ours = !sigaction(number, NULL, &now) &&
                   now.sa_flags & SA_SIGINFO && now.sa_sigaction == installed;

    if (is_ours && !(program->sa_flags & SA_SIGINFO) &&
        program->sa_handler == SIG_IGN) {
        sigaction(number, program, NULL);
    }
    return is_ours;
}

void
cpu_program_handlers_pass_on(void)
{
    for (size_t i = 0; installed && i < cpu_fault_signal_count; i++) {
        struct sigaction program = cpu_program_handler(cpu_fault_signals[i]);

        ours_is_installed(cpu_fault_signals[i], &program);
    }
}

/* sigaction() in a child process, which runs no kernels. A child of vfork()
 * shares the table with its parent, so the table is not changed. */
static int
child_sigaction(int number, const struct sigaction *handler,
                struct sigaction *old)
{
    struct sigaction program = cpu_program_handler(number);
    bool is_ours = ours_is_installed(number, &program);

    if (sigaction(number, handler, old)) {
        return -1;
    }
    if (is_ours && old) {
        *old = program;
    }
    return 0;
}

/* ---- functions that replace sigaction() and signal() ---- */

static int
diverted_sigaction(int number, const struct sigaction *handler,
                   struct sigaction *old)
{
    if (signal_index(number) < 0) {
        return sigaction(number, handler, old);
    }
    if (getpid() != atomic_load(&owner)) {
        return child_sigaction(number, handler, old);
    }
    struct sigaction before = cpu_program_handler(number);

    if (handler) {
        cpu_program_handler_set(number, handler);
    }
    if (old) {
        *old = before;
    }
    return 0;
}

typedef void handler_function(int);

static handler_function *
handler_replace(int number, const struct sigaction *handler)
{
    struct sigaction old;

    return diverted_sigaction(number, handler, &old) ? SIG_ERR
                                                     : old.sa_handler;
}

/* signal() with BSD semantics, as in the C library: the handler stays
 * installed, and interrupted system calls are restarted. */
static handler_function *
diverted_signal(int number, handler_function *function)
{
    struct sigaction handler = {.sa_handler = function,
                                .sa_flags = SA_RESTART};

    if (signal_index(number) < 0) {
        return signal(number, function);
    }
    if (function == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    sigaddset(&handler.sa_mask, number);
    return handler_replace(number, &handler);
}

/* signal() with System V semantics: the handler is called once, and its signal
 * is not blocked while it runs. */
static handler_function *
diverted_sysv_signal(int number, handler_function *function)
{
    struct sigaction handler = {.sa_handler = function,
                                .sa_flags = (int)SA_RESETHAND | SA_NODEFER};

    if (signal_index(number) < 0) {
        return sysv_signal(number, function);
    }
    return handler_replace(number, &handler);
}

static const struct {
    const char *name;
    void *function;
} diverted[] = {
    {"sigaction", (void *)diverted_sigaction},
    {"__sigaction", (void *)diverted_sigaction},
    {"signal", (void *)diverted_signal},
    {"bsd_signal", (void *)diverted_signal},
    {"ssignal", (void *)diverted_signal},
    {"sysv_signal", (void *)diverted_sysv_signal},
    {"__sysv_signal", (void *)diverted_sysv_signal},
};

static void *
diverted_find(const char *name)
{
    for (size_t i = 0; i < sizeof diverted / sizeof *diverted; i++) {
        if (!strcmp(name, diverted[i].name)) {
            return diverted[i].function;
        }
    }
    return NULL;
}

/* ---- linkage tables (GOT entries) of a loaded object ---- */

struct object {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *strings;
    uintptr_t protected_start,
        /* address range of the object that the loader has made read-only */
        protected_end;
};

/* Overwrites one entry of a linkage table with the address of our function. */
static void
entry_divert(const struct object *object, void **entry, void *function)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)entry & ~(page - 1);
    bool protected = (uintptr_t)entry >= object->protected_start &&
                     (uintptr_t)entry < object->protected_end;

    if (protected && mprotect((void *)first, page, PROT_READ | PROT_WRITE)) {
        /* The entry of the linkage table cannot be changed. cpu_fault_check
         * detects handlers that are set through it. */
        return;
    }
    __atomic_store_n(entry, function, __ATOMIC_RELEASE);
    if (protected) {
        mprotect((void *)first, page, PROT_READ);
    }
}

static void
relocations_divert(const struct object *object, const ElfW(Rela) * row,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!cpu_arch_is_table_entry((unsigned)ELF64_R_TYPE(row[i].r_info))) {
            continue;
        }
        const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(row[i].r_info)];
        void *function = symbol->st_shndx == SHN_UNDEF
                             ? diverted_find(object->strings + symbol->st_name)
                             : NULL;
        if (function) {
            entry_divert(object, (void **)(object->base + row[i].r_offset),
                         function);
        }
    }
}

/* Returns the address that an entry of the dynamic section contains. Only some
 * systems' loaders add the object's base to these values; a small value is an
 * offset from the base. */
static const void *
dynamic_address(const struct object *object, ElfW(Addr) value)
{
    return (const void *)(value < object->base ? object->base + value : value);
}

static void
object_divert(struct object *object, const ElfW(Dyn) * dynamic)
{
    const ElfW(Rela) *rows_all = NULL, *rows_calls = NULL;
    size_t bytes_all = 0, bytes_calls = 0, relative = 0;

    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        ElfW(Addr) value = dynamic->d_un.d_ptr;
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            object->symbols = dynamic_address(object, value);
            break;
        case DT_STRTAB:
            object->strings = dynamic_address(object, value);
            break;
        case DT_RELA:
            rows_all = dynamic_address(object, value);
            break;
        case DT_RELASZ:
            bytes_all = dynamic->d_un.d_val;
            break;
        case DT_RELACOUNT:
            relative = dynamic->d_un.d_val;
            break;
        case DT_JMPREL:
            rows_calls = dynamic_address(object, value);
            break;
        case DT_PLTRELSZ:
            bytes_calls = dynamic->d_un.d_val;
            break;
        default:
            break;
        }
    }
    size_t count = bytes_all / sizeof *rows_all;

    if (!object->symbols || !object->strings) {
        return;
    }
    /* the table begins with relative relocations, which refer to no function
     * by name */
    if (rows_all && relative < count) {
        relocations_divert(object, rows_all + relative, count - relative);
    }
    if (rows_calls) {
        relocations_divert(object, rows_calls,
                           bytes_calls / sizeof *rows_calls);
    }
}

/* Returns true if the object contains the code of this library, whose own
 * calls must not be diverted. */
static bool
object_is_ours(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD &&
            (uintptr_t)cpu_fault_signals - start < header->p_memsz) {
            return true;
        }
    }
    return false;
}

/* Diverts the calls of sigaction() and signal() in one loaded object. The
 * vDSO and this library are left out. Calls inside the C library are not
 * diverted, since they do not use linkage tables. */
static int
object_visit(struct dl_phdr_info *info, size_t size, void *seen)
{
    struct object object = {.base = info->dlpi_addr};
    const ElfW(Dyn) *dynamic = NULL;
    unsigned long long *adds = seen;

    (void)size;
    if (*adds == info->dlpi_adds) {
        /* no object was loaded since the last call: end the iteration */
        return 1;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_DYNAMIC) {
            dynamic = (const ElfW(Dyn) *)start;
        } else if (header->p_type == PT_GNU_RELRO) {
            object.protected_start = start & ~(uintptr_t)4095;
            object.protected_end = start + header->p_memsz;
        }
    }
    if (dynamic && strstr(info->dlpi_name, "linux-vdso") == NULL &&
        !object_is_ours(info)) {
        object_divert(&object, dynamic);
    }
    return 0;
}

static int
adds_count(struct dl_phdr_info *info, size_t size, void *adds)
{
    (void)size;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1;
}

void
cpu_program_calls_divert(cpu_fault_function *ours)
{
    static unsigned long long seen;
    unsigned long long adds = 0;

    installed = ours;
    atomic_store(&owner, getpid());

    dl_iterate_phdr(object_visit, &seen);
    dl_iterate_phdr(adds_count, &adds);
    seen = adds;
}
