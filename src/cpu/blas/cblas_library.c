/* cblas_library.c - finds a CBLAS that the process has loaded, usually
 * NumPy's.
 *
 * Called by api.c when a handle is created. No new library is loaded. The
 * shared objects of the process are searched in load order for the names of
 * the CBLAS functions. The first one that has all of them stays open until the
 * process ends.
 *
 * Only optimized libraries are accepted, since the reference BLAS is slower
 * than PyCUDA's own kernels. They are recognized by a symbol that the
 * reference BLAS does not have.
 *
 * Integers of a CBLAS have 32 or 64 bits, and a name such as cblas_sgemm does
 * not tell which. All integers are passed as 64 bits: x86-64 and aarch64 pass
 * a 32-bit argument in a 64-bit register or stack slot, and a function with
 * 32-bit integers reads the lower half.
 *
 * The result is in a static variable that is written once, while cpu_blas_lock
 * is held.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/blas/blas.h"

pthread_mutex_t cpu_blas_lock = PTHREAD_MUTEX_INITIALIZER;

static struct blas_library library;
static bool found;

/* Symbols of optimized libraries; the reference BLAS has none of them. */
static const char *const fast_library_symbols[] = {
    "scipy_openblas_get_config64_", /* OpenBLAS in NumPy's wheels */
    "scipy_openblas_get_config",    /* OpenBLAS in SciPy's wheels */
    "openblas_get_config64_",       "openblas_get_config", "MKL_Get_Version",
    "bli_info_get_version_str", /* the library BLIS */
};

/* Prefix and suffix that libraries add to the name of a function. In
 * scipy_cblas_sgemm64_, for example, they surround sgemm. */
static const struct {
    const char *prefix, *suffix;
} spellings[] = {
    {"scipy_cblas_", "64_"}, {"scipy_cblas_", ""}, {"cblas_", "64_"},
    {"cblas_", "_64"},       {"cblas_", ""},
};

static const char letters[BLAS_TYPES] = {'s', 'd', 'c', 'z'};
static const char *const routines[BLAS_ROUTINES] = {"gemm", "gemv", "syrk"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Looks up all CBLAS functions in the shared object `handle`. Their names have
 * the prefix and suffix spellings[spelling]. Returns false if a function is
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

/* Returns true if the shared object is an optimized CBLAS; `into` then has the
 * addresses of its functions. */
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

/* Called by dl_iterate_phdr for each shared object: appends its name to the
 * list `argument`. The objects are opened later, since dlopen must not be
 * called here, where the loader's lock is held. */
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

/* Returns true if the loaded shared object `name` is an optimized CBLAS. An
 * empty name means the program itself. */
static bool
library_search(const char *name, struct blas_library *into)
{
    void *handle =
        dlopen(*name ? name : NULL, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);

    if (!handle) {
        return false;
    }
    if (object_search(handle, into)) {
        return true; /* the library stays open, so `handle` is not closed */
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
