/* cblas_library.c - finds a CBLAS that the process has loaded, usually
 * NumPy's.
 *
 * Called by api.c when a handle is created. No new library is opened: the
 * loaded objects are searched for the functions' names in load order, and the
 * first one that has all of them stays open forever.
 *
 * Only optimized libraries are accepted, recognized by a symbol of their own,
 * since the reference BLAS is slower than the package's kernels.
 *
 * The size of the library's integers (32 or 64 bits) is not determined. Plain
 * names may have either, so all integers are passed as 64 bits: x86-64 and
 * aarch64 pass a 32-bit argument in a 64-bit register or stack slot, and a
 * function with 32-bit integers reads the lower half.
 *
 * The library is static and written once while cpu_blas_lock is held.
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

/* Symbols that only optimized libraries have. */
static const char *const fast_library_symbols[] = {
    "scipy_openblas_get_config64_", /* NumPy wheels */
    "scipy_openblas_get_config",    /* SciPy wheels */
    "openblas_get_config64_",       "openblas_get_config", "MKL_Get_Version",
    "bli_info_get_version_str", /* BLIS */
};

/* Prefix and suffix of a function's name, as in cblas_sgemm. */
static const struct {
    const char *prefix, *suffix;
} spellings[] = {
    {"scipy_cblas_", "64_"}, {"scipy_cblas_", ""}, {"cblas_", "64_"},
    {"cblas_", "_64"},       {"cblas_", ""},
};

static const char letters[BLAS_TYPES] = {'s', 'd', 'c', 'z'};
static const char *const routines[BLAS_ROUTINES] = {"gemm", "gemv", "syrk"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Looks up all functions with one spelling. Returns false if one is
 * missing. */
static bool
functions_find(void *handle, size_t spelling, struct blas_library *into)
{
    char name[64];

    for (int type = 0; type < BLAS_TYPES; type++) {
        for (int i = 0; i < BLAS_ROUTINES; i++) {
            snprintf(name, sizeof name, "%s%c%s%s", spellings[spelling].prefix,
                     letters[type], routines[i], spellings[spelling].suffix);
            into->function[type][i] = dlsym(handle, name);
            if (!into->function[type][i]) {
                return false;
            }
        }
    }
    return true;
}

/* Returns whether the object is an optimized CBLAS, and fills `into`. */
static bool
object_search(void *handle, struct blas_library *into)
{
    bool fast = false;

    for (size_t i = 0; i < COUNT(fast_library_symbols) && !fast; i++) {
        fast = dlsym(handle, fast_library_symbols[i]) != NULL;
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
    size_t count, capacity;
};

/* Appends the object's name to the list. Opening a library must wait until
 * dl_iterate_phdr has returned, since the loader's lock is held here. */
static int
name_append(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct names *names = argument;

    (void)size;
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? 2 * names->capacity : 64;
        char **more = realloc(names->name, capacity * sizeof *more);
        if (!more) {
            return 1;
        }
        names->name = more;
        names->capacity = capacity;
    }
    char *copy = strdup(info->dlpi_name);
    if (!copy) {
        return 1;
    }
    names->name[names->count++] = copy;
    return 0;
}

/* Searches a loaded object. The program itself has an empty name. */
static bool
library_search(const char *name, struct blas_library *into)
{
    void *handle =
        dlopen(*name ? name : NULL, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);

    if (!handle) {
        return false;
    }
    if (object_search(handle, into)) {
        return true; /* the library stays open */
    }
    dlclose(handle);
    return false;
}

const struct blas_library *
cpu_blas_library_find(void)
{
    struct names names = {0};

    pthread_mutex_lock(&cpu_blas_lock);
    if (!found) {
        dl_iterate_phdr(name_append, &names);
    }
    for (size_t i = 0; i < names.count; i++) {
        found = found || library_search(names.name[i], &library);
        free(names.name[i]);
    }
    free(names.name);
    const struct blas_library *result = found ? &library : NULL;
    pthread_mutex_unlock(&cpu_blas_lock);
    return result;
}
