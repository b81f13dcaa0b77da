/* cublas_loader.c - finds and opens cuBLAS, which is optional.
 *
 * Called by core before the first matrix product of a process. For a GPU,
 * opens the newest library whose major version is not above the driver's. For
 * the CPU device, uses the functions in libpycuda_cpu. PYCUDA_CUBLAS names
 * another library, or is 0 to use none. libcublas needs libcublasLt from the
 * same folder, which need not be on a search path. Therefore libcublasLt is
 * opened first.
 *
 * Owns the library's handle, which is never closed. All functions run under
 * loader_lock.
 *
 * SPDX-License-Identifier: MIT */
#include "api/loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The open cuBLAS library. `kind` is API_CLOSED while none is open. */
static struct api_choice chosen;

/* Major versions of cuBLAS to look for, newest first. */
static const int majors[] = {13, 12, 11};

/* Folders in which pip installs cuBLAS, relative to those of sys.path. */
static const char *const wheel_dirs[] = {
    "nvidia/cu13/lib",
    "nvidia/cublas/lib",
};

/* Opens `directory`/libcublas.so.`major`. If `directory` is NULL, the dynamic
 * loader searches its own path. Returns NULL if the file does not exist or
 * cannot be opened. */
static void *
library_open(const char *directory, int major, struct api_choice *choice)
{
    char other[PATH_MAX], path[PATH_MAX];
    const char *slash = directory == NULL ? "" : "/";
    directory = directory == NULL ? "" : directory;
    int length = snprintf(path, sizeof path, "%s%slibcublas.so.%d", directory,
                          slash, major);
    int other_length = snprintf(other, sizeof other, "%s%slibcublasLt.so.%d",
                                directory, slash, major);
    if (length >= (int)sizeof path || other_length >= (int)sizeof other) {
        return NULL;
    }
    if (dlopen(other, RTLD_NOW | RTLD_LOCAL) == NULL) {
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
        snprintf(choice->library, sizeof choice->library, "%.500s", path);
    }
    return library;
}

static void *
search_directory(const char *directory, const char *below, int major,
                 struct api_choice *choice)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", directory, below);
    return length >= (int)sizeof path ? NULL
                                      : library_open(path, major, choice);
}

/* Searches all folders for one major version of cuBLAS and opens it. Returns
 * NULL if none is found. */
static void *
search_major(int major, struct api_choice *choice)
{
    char *const *dirs = loader_library_dirs();
    void *library = NULL;
    for (size_t i = 0; dirs != NULL && dirs[i] && library == NULL; i++) {
        for (size_t k = 0; k < sizeof wheel_dirs / sizeof *wheel_dirs; k++) {
            if (library == NULL) {
                library =
                    search_directory(dirs[i], wheel_dirs[k], major, choice);
            }
        }
    }
    const char *toolkit = getenv("CUDA_PATH");
    toolkit = toolkit == NULL ? getenv("CUDA_HOME") : toolkit;
    if (library == NULL && toolkit != NULL && toolkit[0] != '\0') {
        library = search_directory(toolkit, "lib64", major, choice);
    }
    if (library == NULL) {
        library = library_open(NULL, major, choice);
    }
    if (library == NULL) {
        library = search_directory("/usr/local/cuda", "lib64", major, choice);
    }
    return library;
}

/* Opens the library whose path is the value of PYCUDA_CUBLAS. Returns 0, or -1
 * with an explanation in choice->text. */
static int
open_named(const char *path, struct api_choice *choice)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *error = dlerror();
        return loader_explain(choice, "PYCUDA_CUBLAS cannot be loaded: %s",
                              error != NULL ? error : path);
    }
    if (table_fill_cublas(library) < 0) {
        dlclose(library);
        return loader_explain(
            choice, "PYCUDA_CUBLAS: %.500s lacks functions of cuBLAS 11",
            path);
    }
    snprintf(choice->library, sizeof choice->library, "%.500s", path);
    return 0;
}

/* Fills the table with the functions in the CPU device's library. Returns 0,
 * or -1 if the library lacks them. */
static int
open_own(struct api_choice *choice)
{
    if (table_fill_cublas(loader_cpu_library()) < 0) {
        return -1;
    }
    snprintf(choice->library, sizeof choice->library, "%.500s",
             loader_cpu_path());
    return 0;
}

/* Searches for a library whose major version is not above the driver's, and
 * opens it. Returns 0, or -1 if none is found. */
static int
open_found(int driver_version, struct api_choice *choice)
{
    if (loader_kind() == API_CPU) {
        return open_own(choice);
    }
    for (size_t i = 0; i < sizeof majors / sizeof *majors; i++) {
        if (majors[i] > driver_version / 1000) {
            continue;
        }
        void *library = search_major(majors[i], choice);
        if (library != NULL && table_fill_cublas(library) == 0) {
            return 0;
        }
        if (library != NULL) {
            dlclose(library);
        }
    }
    return -1;
}

int
api_open_cublas(int driver_version, struct api_choice *choice)
{
    const char *named = getenv("PYCUDA_CUBLAS");
    int status = 0;
    pthread_mutex_lock(&loader_lock);
    memset(choice, 0, sizeof *choice);
    if (chosen.kind != API_CLOSED) {
        *choice = chosen;
    } else if (named != NULL && strcmp(named, "0") == 0) {
        status = -1;
    } else {
        bool any = named == NULL || named[0] == '\0' || !strcmp(named, "1");
        status = any ? open_found(driver_version, choice)
                     : open_named(named, choice);
        choice->kind = status == 0 ? (enum api_kind)loader_kind() : API_CLOSED;
        chosen = status == 0 ? *choice : chosen;
    }
    pthread_mutex_unlock(&loader_lock);
    return status;
}
