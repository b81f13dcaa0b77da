/* nccl_loader.c - finds and opens NCCL, which is optional.
 *
 * Called by core when a program uses pycuda.nccl. For a GPU, takes the library
 * that the process has loaded already, such as torch's, since two copies of
 * NCCL in a process waste memory. If none is loaded, searches pip packages,
 * then the dynamic loader's path, then the CUDA toolkit. For the CPU device,
 * uses the functions in libpycuda_cpu. PYCUDA_NCCL names another library.
 *
 * Owns the library's handle, which is never closed. All functions run under
 * loader_lock.
 *
 * SPDX-License-Identifier: MIT */
#include "api/loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "libnccl.so.2"

/* The open NCCL library. `kind` is API_CLOSED while none is open. */
static struct api_choice chosen;

/* Opens `directory`/`below`/libnccl.so.2 if the file exists. */
static void *
open_in(const char *directory, const char *below, struct api_choice *choice)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s/" NAME, directory, below);
    void *library = length >= (int)sizeof path
                        ? NULL
                        : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
        snprintf(choice->library, sizeof choice->library, "%.500s", path);
    }
    return library;
}

/* Searches for NVIDIA's NCCL library and opens it. Returns the handle, or NULL
 * if there is none. */
static void *
search(struct api_choice *choice)
{
    char *const *dirs = loader_library_dirs();
    void *library = dlopen(NAME, RTLD_NOW | RTLD_NOLOAD);
    snprintf(choice->library, sizeof choice->library, NAME);
    for (size_t i = 0; dirs != NULL && dirs[i] && library == NULL; i++) {
        library = open_in(dirs[i], "nvidia/nccl/lib", choice);
    }
    if (library == NULL) {
        library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
    }
    const char *toolkit = getenv("CUDA_PATH");
    toolkit = toolkit == NULL ? getenv("CUDA_HOME") : toolkit;
    if (library == NULL && toolkit != NULL && toolkit[0] != '\0') {
        library = open_in(toolkit, "lib64", choice);
    }
    return library != NULL ? library
                           : open_in("/usr/local/cuda", "lib64", choice);
}

/* Opens the library whose path is the value of PYCUDA_NCCL. Returns 0, or -1
 * with an explanation in choice->text. */
static int
open_named(const char *path, struct api_choice *choice)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *error = dlerror();
        return loader_explain(choice, "PYCUDA_NCCL cannot be loaded: %s",
                              error != NULL ? error : path);
    }
    if (table_fill_nccl(library) < 0) {
        dlclose(library);
        return loader_explain(
            choice, "PYCUDA_NCCL: %.500s lacks functions of NCCL 2.7", path);
    }
    snprintf(choice->library, sizeof choice->library, "%.500s", path);
    return 0;
}

/* Opens the NCCL of the device in use: that of libpycuda_cpu, or a GPU's
 * library. Returns 0, or -1 with an explanation in choice->text. */
static int
open_found(struct api_choice *choice)
{
    if (loader_kind() == API_CPU) {
        snprintf(choice->library, sizeof choice->library, "%.500s",
                 loader_cpu_path());
        return table_fill_nccl(loader_cpu_library()) == 0
                   ? 0
                   : loader_explain(choice, "%.500s has no NCCL functions",
                                    loader_cpu_path());
    }
    void *library = search(choice);
    if (library != NULL && table_fill_nccl(library) == 0) {
        return 0;
    }
    return loader_explain(
        choice,
        "%s: pip install nvidia-nccl-cu13 (or nvidia-nccl-cu12 for "
        "CUDA 12), or let PYCUDA_NCCL name " NAME,
        library == NULL ? "NCCL was not found"
                        : "the installed NCCL is older than 2.7");
}

int
api_open_nccl(struct api_choice *choice)
{
    const char *named = getenv("PYCUDA_NCCL");
    int status = 0;
    pthread_mutex_lock(&loader_lock);
    memset(choice, 0, sizeof *choice);
    if (chosen.kind != API_CLOSED) {
        *choice = chosen;
    } else {
        status = named == NULL || named[0] == '\0' ? open_found(choice)
                                                   : open_named(named, choice);
        choice->kind = status == 0 ? (enum api_kind)loader_kind() : API_CLOSED;
        chosen = status == 0 ? *choice : chosen;
    }
    pthread_mutex_unlock(&loader_lock);
    return status;
}
