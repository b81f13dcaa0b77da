/* loader.c - selects and opens the driver library: NVIDIA's driver or the CPU
 * device.
 *
 * Called by core at the first use of the driver. Owns the handles of the
 * libraries, which are never closed: their threads, callbacks and exit
 * handlers may run until the process ends.
 *
 * PYCUDA_DEVICE=auto falls back to the CPU device only if there certainly is
 * no GPU: libcuda.so.1 does not exist, or cuInit reports that there is no
 * device or that the library is a stub. If a driver exists but fails, that is
 * an error: otherwise, a failed driver update would make programs a hundred
 * times slower without notice.
 *
 * SPDX-License-Identifier: MIT */
#include "api/loader.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Maximum time in seconds that a fork waits for loader_lock. */
#define FORK_WAITS 2

pthread_mutex_t loader_lock = PTHREAD_MUTEX_INITIALIZER;

/* The open driver library. `kind` is API_CLOSED while none is open. */
static struct api_choice chosen;
static void *chosen_library;

/* `in_init`: a thread is in cuInit. `forked_in_init`: this process was forked
 * while a thread of its parent was in cuInit, so cuInit fails in this
 * process. */
static bool in_init, forked_in_init;
static char package_dir[512];

/* Result of an attempt to open NVIDIA's driver: it is open; there certainly is
 * no GPU; or the driver exists but fails. */
enum gpu_state { GPU_OPEN, GPU_ABSENT, GPU_BROKEN };

static const char *const gpu_names[] = {
    "libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1", /* the Windows driver, in WSL */
};

int
loader_explain(struct api_choice *choice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(choice->text, sizeof choice->text, format, arguments);
    va_end(arguments);
    return -1;
}

int
loader_kind(void)
{
    return chosen.kind;
}

void *
loader_cpu_library(void)
{
    return chosen.kind == API_CPU ? chosen_library : NULL;
}

const char *
loader_cpu_path(void)
{
    return chosen.library;
}

void
api_set_package_dir(const char *directory)
{
    pthread_mutex_lock(&loader_lock);
    snprintf(package_dir, sizeof package_dir, "%s", directory);
    pthread_mutex_unlock(&loader_lock);
}

/* Returns whether dlopen failed because `name` does not exist, rather than
 * because it is damaged or depends on a library that does not exist. */
static int
error_is_absence(const char *error, const char *name)
{
    return strncmp(error, name, strlen(name)) == 0 &&
           strstr(error, "No such file or directory") != NULL;
}

/* Opens the first file of gpu_names that exists. If that fails or none exists,
 * returns NULL and sets `state` and `choice->text`. */
static void *
gpu_library(struct api_choice *choice, enum gpu_state *state)
{
    *state = GPU_ABSENT;
    loader_explain(choice, "libcuda.so.1, NVIDIA's driver, was not found");
    for (size_t i = 0; i < sizeof gpu_names / sizeof *gpu_names; i++) {
        void *library = dlopen(gpu_names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) {
            snprintf(choice->library, sizeof choice->library, "%s",
                     gpu_names[i]);
            *state = GPU_OPEN;
            return library;
        }
        const char *error = dlerror();
        if (error != NULL && !error_is_absence(error, gpu_names[i])) {
            *state = GPU_BROKEN;
            loader_explain(choice, "NVIDIA's driver cannot be loaded: %s",
                           error);
            return NULL;
        }
    }
    return NULL;
}

/* Returns the driver's text for a result code. Works even if cuInit has
 * failed. */
static const char *
gpu_text(void *library, CUresult code)
{
    CUresult (*get_text)(CUresult, const char **) = NULL;
    const char *text = NULL;
    void *address = dlsym(library, "cuGetErrorString");
    memcpy(&get_text, &address, sizeof address);
    if (get_text == NULL || get_text(code, &text) != CUDA_SUCCESS) {
        return "unknown error";
    }
    return text != NULL ? text : "unknown error";
}

/* Converts the result of cuInit to the state of the driver: usable, no GPU, or
 * broken. */
static enum gpu_state
gpu_state_of(CUresult code)
{
    switch ((int)code) {
    case CUDA_SUCCESS:
        return GPU_OPEN;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_STUB_LIBRARY:
        return GPU_ABSENT;
    default:
        return GPU_BROKEN;
    }
}

/* Opens libcuda and calls cuInit. Returns whether the driver is usable, absent
 * or broken. */
static enum gpu_state
gpu_open(struct api_choice *choice, void **result)
{
    enum gpu_state state;
    void *library = gpu_library(choice, &state);
    if (library == NULL) {
        return state;
    }
    CUresult (*init)(unsigned int) = NULL;
    void *address = dlsym(library, "cuInit");
    memcpy(&init, &address, sizeof address);
    if (init == NULL) {
        loader_explain(choice, "%s has no cuInit: it is no NVIDIA driver",
                       choice->library);
        return GPU_BROKEN;
    }
    in_init = true;
    choice->code = init(0);
    in_init = false;
    state = gpu_state_of(choice->code);
    if (state != GPU_OPEN) {
        loader_explain(choice, "cuInit failed: %s (code %d)%s",
                       gpu_text(library, choice->code), (int)choice->code,
                       forked_in_init ? " - this process was forked while "
                                        "another thread initialised CUDA"
                                      : "");
    }
    *result = library;
    return state;
}

/* Sets the kind of `choice` for an open library, clears its error text, and
 * fills the driver table with the library's functions. Always returns 0. */
static int
choice_complete(struct api_choice *choice, enum api_kind kind, void *library)
{
    choice->kind = kind;
    choice->text[0] = '\0';
    chosen_library = library;
    table_fill_driver(library);
    return 0;
}

/* Returns advice for a failed dlopen() of the CPU device. The dynamic loader
 * has less than 2 KiB for thread-local variables of libraries that are opened
 * after program start. If this does not suffice, the error message of glibc
 * contains "static TLS". */
static const char *
load_advice(const char *error)
{
    if (error != NULL && strstr(error, "static TLS") != NULL) {
        return "libraries loaded earlier have used this memory: import "
               "pycuda.driver and call its init() before them, or start the "
               "program with GLIBC_TUNABLES=glibc.rtld.optional_static_tls="
               "4096";
    }
    return "reinstall the package, or let PYCUDA_CPU_LIBRARY name a "
           "libpycuda_cpu.so";
}

/* Opens the CPU device. Returns 0, or -1 with an explanation in
 * choice->text. */
static int
open_cpu(struct api_choice *choice)
{
    const char *named = getenv("PYCUDA_CPU_LIBRARY");
    if (named != NULL && named[0] != '\0') {
        snprintf(choice->library, sizeof choice->library, "%s", named);
    } else {
        snprintf(choice->library, sizeof choice->library,
                 "%.480s/lib/libpycuda_cpu.so", package_dir);
    }
    void *library = dlopen(choice->library, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
        return choice_complete(choice, API_CPU, library);
    }
    const char *error = dlerror();
    if (access(choice->library, F_OK) != 0) {
        return loader_explain(
            choice,
            "the CPU device is not installed: %s does not exist; build with "
            "-Dcpu=enabled (LLVM 19 is needed), or let PYCUDA_CPU_LIBRARY "
            "name a libpycuda_cpu.so",
            choice->library);
    }
    return loader_explain(choice, "the CPU device cannot be loaded: %s; %s",
                          error != NULL ? error : choice->library,
                          load_advice(error));
}

/* Opens NVIDIA's driver. Returns 0, or -1 with an explanation in
 * choice->text. */
static int
open_gpu(struct api_choice *choice)
{
    void *library = NULL;
    if (gpu_open(choice, &library) == GPU_OPEN) {
        return choice_complete(choice, API_GPU, library);
    }
    char reason[1024];
    snprintf(reason, sizeof reason, "%.1000s", choice->text);
    return loader_explain(
        choice, "%s; set PYCUDA_DEVICE=cpu to compute on the CPU", reason);
}

/* Opens NVIDIA's driver or, if there is no GPU, the CPU device. Returns 0, or
 * -1 with an explanation in choice->text. */
static int
open_auto(struct api_choice *choice)
{
    void *library = NULL;
    char reason[1024];
    enum gpu_state state = gpu_open(choice, &library);
    if (state == GPU_OPEN) {
        return choice_complete(choice, API_GPU, library);
    }
    snprintf(reason, sizeof reason, "%.1000s", choice->text);
    if (state == GPU_BROKEN) {
        return loader_explain(
            choice, "%s; PYCUDA_DEVICE=cpu computes on the CPU instead",
            reason);
    }
    if (open_cpu(choice) != 0) {
        char second[800];
        snprintf(second, sizeof second, "%.790s", choice->text);
        return loader_explain(choice, "no device: %s, and %s", reason, second);
    }
    choice->fell_back = 1;
    loader_explain(
        choice,
        "no GPU (%s): using the CPU device; PYCUDA_DEVICE=cpu selects it "
        "without this warning, PYCUDA_DEVICE=gpu makes this an error",
        reason);
    return 0;
}

/* Opens the device `name`, the value of PYCUDA_DEVICE: auto, gpu or cpu.
 * Returns 0, or -1 with an explanation in choice->text. */
static int
open_named(const char *name, struct api_choice *choice)
{
    static const struct {
        const char *name;
        int (*open)(struct api_choice *choice);
    } devices[] = {
        {"auto", open_auto},
        {"gpu", open_gpu},
        {"cpu", open_cpu},
    };
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        if (strcmp(name, devices[i].name) == 0) {
            return devices[i].open(choice);
        }
    }
    return loader_explain(
        choice, "PYCUDA_DEVICE is '%.80s'; it must be auto, gpu or cpu", name);
}

bool
api_set_interrupt(int (*hook)(void))
{
    void (*set)(int (*)(void));

    *(void **)&set = dlsym(chosen_library, "pycuda_cpu_interrupt");
    if (set == NULL) {
        return false;
    }
    set(hook);
    return true;
}

CUresult
api_select_checks(const char *list)
{
    CUresult (*select)(const char *);

    *(void **)&select = dlsym(chosen_library, "pycuda_cpu_select_checks");
    return select == NULL ? CUDA_ERROR_NOT_SUPPORTED : select(list);
}

void
api_check_size(CUdeviceptr pointer, size_t bytes)
{
    void (*set)(CUdeviceptr, size_t);

    *(void **)&set = dlsym(chosen_library, "pycuda_cpu_check_size");
    if (set != NULL) {
        set(pointer, bytes);
    }
}

void
api_private_queries(void)
{
    void (*set)(void);

    *(void **)&set = dlsym(chosen_library, "pycuda_cpu_private_queries");
    if (set != NULL) {
        set();
    }
}

char *
api_access_counts(bool clear)
{
    char *(*counts)(int);

    *(void **)&counts = dlsym(chosen_library, "pycuda_cpu_access_counts");
    return counts == NULL ? strdup("") : counts(clear);
}

int
api_open_driver(struct api_choice *choice)
{
    int status = 0;
    pthread_mutex_lock(&loader_lock);
    if (chosen.kind == API_CLOSED) {
        const char *name = getenv("PYCUDA_DEVICE");
        memset(choice, 0, sizeof *choice);
        status = open_named(name && name[0] ? name : "auto", choice);
        if (status == 0) {
            chosen = *choice;
        }
    } else {
        *choice = chosen;
    }
    pthread_mutex_unlock(&loader_lock);
    return status;
}

/* True if api_fork_begin has acquired loader_lock. api_fork_begin waits at
 * most FORK_WAITS seconds for the lock; then the fork continues without the
 * lock. A longer wait could be a deadlock: if the thread that has the lock is
 * opening a library that registers fork handlers, an old libc delays the
 * registration until the fork ends. */
static _Thread_local int fork_locked;

void
api_fork_begin(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += FORK_WAITS;
    fork_locked = pthread_mutex_timedlock(&loader_lock, &until) == 0;
}

void
api_fork_end(void)
{
    if (fork_locked) {
        pthread_mutex_unlock(&loader_lock);
    }
}

int
api_fork_child(void)
{
    pthread_mutex_init(&loader_lock, NULL);
    forked_in_init = in_init;
    return chosen.kind == API_GPU;
}
