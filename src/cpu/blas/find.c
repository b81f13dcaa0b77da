/* find.c - the CBLAS that the process has loaded already: NumPy's, as a rule.
 *
 * Called by api.c when a handle is made.  Nothing is opened that was not open:
 * the objects of the process are asked for names, in the order in which they
 * were loaded, and the first that has all of them stays open for ever.
 *
 * Only libraries that are made for speed are taken, which a name of their own
 * tells: the reference BLAS is slower than our kernels.
 *
 * Whether integers have 32 or 64 bits is not asked.  Plain names may be of
 * either kind, so all numbers are handed over as 64 bits: in registers and on
 * the stack, x86-64 and aarch64 give an argument of 32 bits a place of 64, of
 * which such a function reads the lower half.
 *
 * Owns the library found, which is written once under cpu_blas_lock.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/blas/blas.h"

pthread_mutex_t cpu_blas_lock = PTHREAD_MUTEX_INITIALIZER;

static struct blas_library library;
static bool found;

/* Names that only libraries made for speed have. */
static const char *const marks[] = {
    "scipy_openblas_get_config64_", /* NumPy's wheels */
    "scipy_openblas_get_config",    /* SciPy's wheels */
    "openblas_get_config64_",       "openblas_get_config", "MKL_Get_Version",
    "bli_info_get_version_str", /* BLIS */
};

/* What stands around a function's own name, as in cblas_sgemm. */
static const struct {
    const char *before, *after;
} spellings[] = {
    {"scipy_cblas_", "64_"}, {"scipy_cblas_", ""}, {"cblas_", "64_"},
    {"cblas_", "_64"},       {"cblas_", ""},
};

static const char letters[BLAS_TYPES] = {'s', 'd', 'c', 'z'};
static const char *const routines[BLAS_ROUTINES] = {"gemm", "gemv", "syrk"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool
functions_find(void *handle, size_t spelling, struct blas_library *into)
{
    char name[64];

    for (int type = 0; type < BLAS_TYPES; type++) {
        for (int i = 0; i < BLAS_ROUTINES; i++) {
            snprintf(name, sizeof name, "%s%c%s%s", spellings[spelling].before,
                     letters[type], routines[i], spellings[spelling].after);
            into->function[type][i] = dlsym(handle, name);
            if (!into->function[type][i]) {
                return false;
            }
        }
    }
    return true;
}

static bool
object_ask(void *handle, struct blas_library *into)
{
    bool fast = false;

    for (size_t i = 0; i < COUNT(marks) && !fast; i++) {
        fast = dlsym(handle, marks[i]) != NULL;
    }
    for (size_t i = 0; i < COUNT(spellings) && fast; i++) {
        if (functions_find(handle, i, into)) {
            return true;
        }
    }
    return false;
}

struct names {
    char **name;
    size_t count, room;
};

/* Only notes the name: the loader's lock is held, and must not be while a
 * library is opened. */
static int
name_note(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct names *names = argument;

    (void)size;
    if (names->count == names->room) {
        size_t room = names->room ? 2 * names->room : 64;
        char **more = realloc(names->name, room * sizeof *more);
        if (!more) {
            return 1;
        }
        names->name = more;
        names->room = room;
    }
    char *copy = strdup(info->dlpi_name);
    if (!copy) {
        return 1;
    }
    names->name[names->count++] = copy;
    return 0;
}

/* The program itself has no name. */
static bool
name_ask(const char *name, struct blas_library *into)
{
    void *handle =
        dlopen(*name ? name : NULL, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);

    if (!handle) {
        return false;
    }
    if (object_ask(handle, into)) {
        return true; /* and it stays open */
    }
    dlclose(handle);
    return false;
}

const struct blas_library *
cpu_blas_find(void)
{
    struct names names = {0};

    pthread_mutex_lock(&cpu_blas_lock);
    if (!found) {
        dl_iterate_phdr(name_note, &names);
    }
    for (size_t i = 0; i < names.count; i++) {
        found = found || name_ask(names.name[i], &library);
        free(names.name[i]);
    }
    free(names.name);
    const struct blas_library *result = found ? &library : NULL;
    pthread_mutex_unlock(&cpu_blas_lock);
    return result;
}
