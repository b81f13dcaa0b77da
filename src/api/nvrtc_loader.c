/* nvrtc_loader.c - finds and opens an NVRTC that suits the driver and the
 * device.
 *
 * Called by core before the first compilation whose result is not in the
 * cache. On the CPU device, libpycuda_cpu is also the compiler. For a GPU, the
 * search ends at the first NVRTC that can compile for the device and whose
 * major version is not above the driver's. The driver would reject the code of
 * a newer NVRTC. If no NVRTC knows the device's architecture, the one that
 * supports the newest architecture compiles to PTX, and the driver compiles
 * the PTX for the device.
 *
 * SPDX-License-Identifier: MIT */
#include "api/loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARCHS = 128, KEPT_BYTES = 16 << 20 };

/* An NVRTC library that the search examines. */
struct candidate {
    void *library;
    char path[PATH_MAX];
    int version; /* NVRTC version: 1000 * major + 10 * minor */
    /* Newest architecture that the library supports and whose code the device
     * can run; 0: none. */
    int best_arch;
    /* true: the library supports the device's own architecture */
    int has_device;
};

/* Conditions of a search for NVRTC, and its result. */
struct search {
    int driver_version;
    int device_arch;
    struct candidate best;
    /* names of the rejected libraries, for the error message */
    char seen[1024];
};

/* The open NVRTC library. `kind` is API_CLOSED while none is open. */
static struct api_choice chosen;
static char **library_dirs; /* folders of sys.path; ends with NULL */

static const char *const names[] = {
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "libnvrtc.so.11.2",
};

/* Folders in which pip installs NVRTC, relative to those of sys.path. */
static const char *const wheel_dirs[] = {
    "nvidia/cu13/lib",
    "nvidia/cuda_nvrtc/lib",
};

static const char *const toolkit_variables[] = {"CUDA_PATH", "CUDA_HOME"};

static void
dirs_free(char **dirs)
{
    for (size_t i = 0; dirs != NULL && dirs[i] != NULL; i++) {
        free(dirs[i]);
    }
    free(dirs);
}

int
api_set_library_dirs(const char *const *directories, size_t n)
{
    char **copy = calloc(n + 1, sizeof *copy);
    if (copy == NULL) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        copy[i] = strdup(directories[i]);
        if (copy[i] == NULL) {
            dirs_free(copy);
            return -1;
        }
    }
    pthread_mutex_lock(&loader_lock);
    char **old = library_dirs;
    library_dirs = copy;
    pthread_mutex_unlock(&loader_lock);
    dirs_free(old);
    return 0;
}

char *const *
loader_library_dirs(void)
{
    return library_dirs;
}

/* Returns the library's version, or 0 if it does not report one. */
static int
candidate_version(void *library)
{
    nvrtcResult (*get)(int *, int *) = NULL;
    void *address = dlsym(library, "nvrtcVersion");
    int major = 0, minor = 0;
    memcpy(&get, &address, sizeof address);
    if (get == NULL || get(&major, &minor) != NVRTC_SUCCESS) {
        return 0;
    }
    return 1000 * major + 10 * minor;
}

/* Stores the architectures that the library supports in archs[]. Returns their
 * number, or 0 if the library does not report them. */
static int
candidate_archs(void *library, int *archs)
{
    nvrtcResult (*get_count)(int *) = NULL;
    nvrtcResult (*get)(int *) = NULL;
    void *count_address = dlsym(library, "nvrtcGetNumSupportedArchs");
    void *address = dlsym(library, "nvrtcGetSupportedArchs");
    int n = 0;
    memcpy(&get_count, &count_address, sizeof address);
    memcpy(&get, &address, sizeof address);
    if (get_count == NULL || get == NULL || get_count(&n) != NVRTC_SUCCESS ||
        n < 0 || n > MAX_ARCHS || get(archs) != NVRTC_SUCCESS) {
        return 0;
    }
    return n;
}

/* Asks the library for its version and architectures, and stores them in the
 * candidate. */
static void
candidate_inspect(struct candidate *candidate, int device_arch)
{
    int archs[MAX_ARCHS];
    int n = candidate_archs(candidate->library, archs);
    candidate->version = candidate_version(candidate->library);
    for (int i = 0; i < n; i++) {
        if (archs[i] > candidate->best_arch &&
            (device_arch == 0 || archs[i] <= device_arch)) {
            candidate->best_arch = archs[i];
        }
        candidate->has_device |= archs[i] == device_arch;
    }
    candidate->has_device |= device_arch == 0;
}

/* Appends a rejected library to the text for the error message. */
static void
search_note(struct search *search, const struct candidate *candidate,
            const char *why)
{
    size_t used = strlen(search->seen);
    snprintf(search->seen + used, sizeof search->seen - used,
             "%s%.200s (%d.%d: %s)", used ? ", " : "", candidate->path,
             candidate->version / 1000, candidate->version % 1000 / 10, why);
}

/* Examines a library and stores it in search->best if it is better than the
 * best one so far. Returns 1 if the search can end, since the library supports
 * the device; else 0. */
static int
search_try(struct search *search, const char *path)
{
    struct candidate candidate = {
        .library = dlopen(path, RTLD_NOW | RTLD_LOCAL),
    };
    if (candidate.library == NULL) {
        return 0;
    }
    snprintf(candidate.path, sizeof candidate.path, "%s", path);
    candidate_inspect(&candidate, search->device_arch);
    const char *refused = NULL;
    if (candidate.version == 0) {
        refused = "does not tell its version";
    } else if (candidate.version / 1000 > search->driver_version / 1000) {
        refused = "newer than the driver";
    } else if (candidate.best_arch == 0) {
        refused = "supports no architecture of this device";
    } else if (!candidate.has_device &&
               candidate.best_arch <= search->best.best_arch) {
        refused = "older than the device";
    } else if (!candidate.has_device &&
               candidate.version > search->driver_version) {
        refused = "older than the device, and the driver cannot read its PTX";
    }
    if (refused != NULL) {
        search_note(search, &candidate, refused);
        dlclose(candidate.library);
        return 0;
    }
    if (search->best.library != NULL) {
        dlclose(search->best.library);
    }
    search->best = candidate;
    return candidate.has_device;
}

/* Examines the libraries in a folder. Returns 1 if one of them supports the
 * device, so that the search can end; else 0. */
static int
search_directory(struct search *search, const char *directory,
                 const char *below)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int length = snprintf(path, sizeof path, "%s/%s/%s", directory, below,
                              names[i]);
        if (length < (int)sizeof path && search_try(search, path)) {
            return 1;
        }
    }
    return 0;
}

static int
search_wheels(struct search *search)
{
    for (size_t i = 0; library_dirs != NULL && library_dirs[i]; i++) {
        for (size_t k = 0; k < sizeof wheel_dirs / sizeof *wheel_dirs; k++) {
            if (search_directory(search, library_dirs[i], wheel_dirs[k])) {
                return 1;
            }
        }
    }
    return 0;
}

static int
search_toolkits(struct search *search)
{
    size_t n = sizeof toolkit_variables / sizeof *toolkit_variables;
    for (size_t i = 0; i < n; i++) {
        const char *directory = getenv(toolkit_variables[i]);
        if (directory != NULL && directory[0] != '\0' &&
            search_directory(search, directory, "lib64")) {
            return 1;
        }
    }
    return 0;
}

static int
search_loader_path(struct search *search)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (search_try(search, names[i])) {
            return 1;
        }
    }
    return search_directory(search, "/usr/local/cuda", "lib64");
}

/* Fills the table of NVRTC's functions and *choice from search->best, the best
 * library that the search has found. Returns 0, or -1 if it has found none. */
static int
search_end(struct search *search, struct api_choice *choice)
{
    struct candidate *best = &search->best;
    if (best->library == NULL) {
        return -1;
    }
    choice->kind = API_GPU;
    choice->version = best->version;
    choice->arch = best->best_arch;
    choice->through_ptx = !best->has_device;
    snprintf(choice->library, sizeof choice->library, "%.500s", best->path);
    table_fill_nvrtc(best->library);
    return 0;
}

/* Writes the name and version of a pip package with an NVRTC that suits the
 * driver and the device. */
static void
pip_requirement(const struct search *search, char *text, size_t bytes)
{
    int major = search->driver_version / 1000;
    int minor = search->driver_version % 1000 / 10;
    if (major >= 13 && search->device_arch != 0 && search->device_arch < 75) {
        /* Version 13 of NVRTC does not support the device, so a package of
         * version 12 is needed. */
        snprintf(text, bytes, "nvidia-cuda-nvrtc-cu12");
    } else if (major >= 13) {
        snprintf(text, bytes, "nvidia-cuda-nvrtc==%d.%d.*", major, minor);
    } else {
        snprintf(text, bytes, "nvidia-cuda-nvrtc-cu%d==%d.%d.*", major, major,
                 minor);
    }
}

/* Writes the error message of an unsuccessful search to choice->text. Returns
 * -1. */
static int
explain_absence(const struct search *search, struct api_choice *choice)
{
    char requirement[64];
    char device[64] = "";
    pip_requirement(search, requirement, sizeof requirement);
    if (search->device_arch != 0) {
        snprintf(device, sizeof device,
                 " and a device of compute capability %d.%d",
                 search->device_arch / 10, search->device_arch % 10);
    }
    return loader_explain(
        choice,
        "no NVRTC for a driver of CUDA %d.%d%s was found%s%s; install it "
        "with: python -m pip install '%s' (or let PYCUDA_NVRTC name a "
        "libnvrtc.so)",
        search->driver_version / 1000, search->driver_version % 1000 / 10,
        device, search->seen[0] ? "; refused: " : "", search->seen,
        requirement);
}

/* Opens the library whose path is the value of PYCUDA_NVRTC, without a search.
 * Returns 0, or -1 with an explanation in choice->text. */
static int
open_named(struct search *search, const char *path, struct api_choice *choice)
{
    search_try(search, path);
    if (search_end(search, choice) == 0) {
        return 0;
    }
    if (search->seen[0] != '\0') {
        return loader_explain(choice,
                              "the library that PYCUDA_NVRTC names does not "
                              "fit: %s",
                              search->seen);
    }
    const char *error = dlerror();
    return loader_explain(choice, "PYCUDA_NVRTC cannot be loaded: %s",
                          error != NULL ? error : path);
}

/* Makes glibc keep up to twice KEPT_BYTES of free memory at the end of the
 * heap, instead of returning it to the system.
 *
 * NVRTC frees 6 MB after each small program, and glibc returns all but 128 KiB
 * of it to the system. The next program then takes 1,500 page faults, a tenth
 * to a sixth of its compilation time. glibc raises its thresholds when the
 * program frees a block of at least M_MMAP_THRESHOLD bytes (mallopt(3)).
 * Therefore this function allocates and frees such a block. A large NumPy
 * array has the same effect. */
static void
heap_retain(void)
{
    /* volatile, since the compiler could otherwise remove the calls of malloc
     * and free */
    void *volatile block = malloc(KEPT_BYTES);
    free(block);
}

static int
open_gpu(int driver_version, int device_arch, struct api_choice *choice)
{
    struct search *search = calloc(1, sizeof *search);
    if (search == NULL) {
        return loader_explain(choice, "out of memory");
    }
    search->driver_version = driver_version;
    search->device_arch = device_arch;
    int status = -1;
    const char *path = getenv("PYCUDA_NVRTC");
    if (path != NULL && path[0] != '\0') {
        status = open_named(search, path, choice);
    } else {
        if (!search_wheels(search) && !search_toolkits(search)) {
            search_loader_path(search);
        }
        status = search_end(search, choice);
        if (status != 0) {
            explain_absence(search, choice);
        }
    }
    if (status == 0) {
        heap_retain();
    }
    free(search);
    return status;
}

/* Fills the NVRTC table with the functions in the CPU device's library, which
 * compile for all architectures. */
static int
open_cpu(struct api_choice *choice)
{
    choice->kind = API_CPU;
    snprintf(choice->library, sizeof choice->library, "%s", loader_cpu_path());
    table_fill_nvrtc(loader_cpu_library());
    int major = 0, minor = 0;
    if (nvrtc.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) {
        return loader_explain(choice, "%.480s has no compiler",
                              choice->library);
    }
    choice->version = 1000 * major + 10 * minor;
    return 0;
}

/* Checks whether the open NVRTC supports `device_arch` as well. Returns 0, or
 * -1 with an explanation in choice->text. */
static int
reuse(int device_arch, struct api_choice *choice)
{
    *choice = chosen;
    if (chosen.kind == API_CPU || device_arch == 0) {
        return 0;
    }
    int archs[MAX_ARCHS];
    int n = 0;
    if (nvrtc.nvrtcGetNumSupportedArchs(&n) != NVRTC_SUCCESS || n < 0 ||
        n > MAX_ARCHS || nvrtc.nvrtcGetSupportedArchs(archs) != 0) {
        return loader_explain(choice,
                              "%.480s does not tell what it compiles "
                              "for",
                              chosen.library);
    }
    choice->arch = 0;
    for (int i = 0; i < n; i++) {
        if (archs[i] <= device_arch && archs[i] > choice->arch) {
            choice->arch = archs[i];
        }
    }
    choice->through_ptx = choice->arch != device_arch;
    if (choice->arch == 0) {
        return loader_explain(
            choice,
            "%.480s, which this process uses for another device, cannot "
            "compile for compute capability %d.%d; use that device in a "
            "separate process",
            chosen.library, device_arch / 10, device_arch % 10);
    }
    return 0;
}

int
api_open_nvrtc(int driver_version, int device_arch, struct api_choice *choice)
{
    int status;
    pthread_mutex_lock(&loader_lock);
    memset(choice, 0, sizeof *choice);
    if (loader_kind() == API_CLOSED) {
        status = loader_explain(choice, "no driver is open");
    } else if (chosen.kind != API_CLOSED) {
        status = reuse(device_arch, choice);
    } else {
        status = loader_kind() == API_CPU
                     ? open_cpu(choice)
                     : open_gpu(driver_version, device_arch, choice);
        if (status == 0) {
            chosen = *choice;
        }
    }
    pthread_mutex_unlock(&loader_lock);
    return status;
}
