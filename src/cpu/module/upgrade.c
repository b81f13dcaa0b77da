/* upgrade.c - the thread that replaces quick versions of kernels.
 *
 * Called by module.c when a module is loaded and freed. The thread exists
 * while upgrades are pending. It starts pycuda-jit with PR_SET_PDEATHSIG:
 * Linux kills pycuda-jit when the thread that started it ends. So pycuda-jit
 * does not outlive the process, and the end of a thread of the program does
 * not kill it.
 *
 * The list of upgrades owns its elements. The thread owns the first element
 * while it compiles. cpu_upgrade_lock guards the list and the pointers to
 * modules in it, so that a module is not freed while its functions are
 * changed.
 *
 * A program may load and unload modules faster than they are compiled. So one
 * compilation serves all modules that were loaded from the same image, and the
 * list has a limited number of elements whose module was unloaded.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu/device/context.h"
#include "cpu/exports/visibility.h"
#include "cpu/module/image.h"
#include "cpu/module/module_state.h"
#include "cpu/module/upgrade.h"
#include "cpu/module/version.h"
#include "cpu/nvrtc/full_version.h"
#include "cpu/nvrtc/image_cache.h"
#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/text.h"
#include "image/image.h"

#define STACK_BYTES ((size_t)512 << 10)

/* Maximum number of upgrades in the list that wait for the compilation
 * although their module was freed. */
enum { MAX_WITHOUT_MODULE = 16 };

struct upgrade {
    struct cpu_module *module;  /* NULL: was freed */
    struct image_header *quick; /* copy of the quick version, owned */
    char path[PATH_MAX];        /* path of the cache file; empty: no cache */
    struct upgrade *next;
};

pthread_mutex_t cpu_upgrade_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct upgrade *first;
static bool is_running;

/* Returns true if launches that have already begun can continue with the
 * kernel `full` of the full version instead of `quick`. */
static bool
kernel_matches(const struct image_kernel *quick,
               const struct image_kernel *full)
{
    return quick->flags == full->flags &&
           quick->parameter_bytes == full->parameter_bytes &&
           quick->static_shared == full->static_shared &&
           quick->max_threads == full->max_threads;
}

static bool
image_matches(const struct cpu_image *quick, const struct cpu_image *full)
{
    unsigned count = cpu_image_kernel_count(quick);
    struct cpu_image_kernel a, b;

    if (count != cpu_image_kernel_count(full)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        cpu_image_kernel_at(quick, i, &a);
        if (!cpu_image_find_kernel(full, a.name, &b) ||
            !kernel_matches(a.row, b.row)) {
            return false;
        }
    }
    return true;
}

/* Makes the functions of the module run a copy of the full version `full`.
 * Does nothing if the copy cannot be loaded, or if its kernels do not match
 * those of the module's image. */
static void
module_upgrade(struct cpu_module *module, const struct nvrtc_text *full)
{
    struct cpu_image *image;
    char *bytes = malloc(full->length);

    if (!bytes) {
        return;
    }
    memcpy(bytes, full->bytes, full->length);
    if (cpu_image_load_over(bytes, full->length, module->image, &image, NULL,
                            0)) {
        free(bytes);
        return;
    }
    if (!image_matches(module->image, image)) {
        cpu_image_unload(image);
        free(bytes);
        return;
    }
    pthread_mutex_lock(&module->ctx->lock);
    module->full = image;
    module->full_bytes = bytes;
    for (struct cpu_function *f = module->functions; f; f = f->next) {
        cpu_version_upgrade(f);
    }
    pthread_mutex_unlock(&module->ctx->lock);
}

/* ---- the list of upgrades; cpu_upgrade_lock is held ---- */

/* Returns whether two upgrades have the same image and the same cache file. */
static bool
upgrade_equals(const struct upgrade *a, const struct upgrade *b)
{
    return a->quick->bytes == b->quick->bytes &&
           a->quick->checksum == b->quick->checksum &&
           strcmp(a->path, b->path) == 0 &&
           memcmp(a->quick, b->quick, (size_t)a->quick->bytes) == 0;
}

/* Finds the first upgrade after `upgrade` in the list that has the same image
 * and cache file. Returns the pointer that links to it in the list, or NULL if
 * there is none. */
static struct upgrade **
equal_find(struct upgrade *upgrade)
{
    struct upgrade **at = &upgrade->next;

    while (*at && !upgrade_equals(*at, upgrade)) {
        at = &(*at)->next;
    }
    return *at ? at : NULL;
}

/* Removes the upgrade that `at` points to from the list, and frees it. */
static void
upgrade_remove(struct upgrade **at)
{
    struct upgrade *upgrade = *at;

    *at = upgrade->next;
    free(upgrade->quick);
    free(upgrade);
    pthread_cond_broadcast(&changed);
}

/* Makes the module run the full version `full`, and removes the upgrade. Then
 * releases the lock for a moment, since other threads may wait to load
 * modules. */
static void
upgrade_apply(struct upgrade **at, const struct nvrtc_text *full)
{
    if ((*at)->module) {
        module_upgrade((*at)->module, full);
    }
    upgrade_remove(at);
    pthread_mutex_unlock(&cpu_upgrade_lock);
    pthread_mutex_lock(&cpu_upgrade_lock);
}

/* Compiles full versions until the list is empty. */
static void *
upgrade_main(void *unused)
{
    nvrtc_process_uninterrupted = true;
    pthread_mutex_lock(&cpu_upgrade_lock);
    while (first) {
        struct upgrade *upgrade = first;
        struct upgrade **equal;
        struct nvrtc_text full;

        pthread_mutex_unlock(&cpu_upgrade_lock);
        bool made =
            nvrtc_image_cache_find(upgrade->path, &full) ||
            nvrtc_full_version_build(upgrade->quick, upgrade->path, &full);
        pthread_mutex_lock(&cpu_upgrade_lock);
        while (made && (equal = equal_find(upgrade))) {
            upgrade_apply(equal, &full);
        }
        if (made) {
            upgrade_apply(&first, &full);
        } else {
            upgrade_remove(&first);
        }
        nvrtc_text_free(&full);
    }
    is_running = false;
    pthread_mutex_unlock(&cpu_upgrade_lock);
    return unused;
}

/* Starts the thread, with all signals blocked. Returns false on failure. */
static bool
thread_start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, old;

    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started =
        pthread_create(&thread, &attributes, upgrade_main, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

/* Creates an upgrade with a copy of the module's image, or returns NULL. */
static struct upgrade *
upgrade_new(struct cpu_module *module)
{
    const struct image_header *quick = module->bytes;
    struct upgrade *upgrade = calloc(1, sizeof *upgrade);

    if (!upgrade) {
        return NULL;
    }
    upgrade->module = module;
    upgrade->quick = malloc((size_t)quick->bytes);
    if (!upgrade->quick) {
        free(upgrade);
        return NULL;
    }
    memcpy(upgrade->quick, quick, (size_t)quick->bytes);
    nvrtc_full_version_path(quick, upgrade->path);
    return upgrade;
}

void
cpu_upgrade_begin(struct cpu_module *module)
{
    struct upgrade *upgrade =
        nvrtc_image_is_quick(module->bytes) ? upgrade_new(module) : NULL;

    if (!upgrade) {
        return;
    }
    pthread_mutex_lock(&cpu_upgrade_lock);
    if (!is_running && !(is_running = thread_start())) {
        pthread_mutex_unlock(&cpu_upgrade_lock);
        free(upgrade->quick);
        free(upgrade);
        return;
    }
    struct upgrade **end = &first;
    while (*end) {
        end = &(*end)->next;
    }
    *end = upgrade;
    pthread_mutex_unlock(&cpu_upgrade_lock);
}

/* Decides whether to compile the full version of an upgrade whose module was
 * freed. Returns true if the upgrade is the first in the list, which the
 * thread may be compiling now. Also returns true if no other upgrade has the
 * same image and cache file, and at most MAX_WITHOUT_MODULE upgrades have no
 * module. */
static bool
is_wanted(const struct upgrade *wanted)
{
    unsigned without_module = 0;

    if (wanted == first) {
        return true;
    }
    for (const struct upgrade *other = first; other; other = other->next) {
        without_module += !other->module;
        if (other != wanted && upgrade_equals(other, wanted)) {
            return false;
        }
    }
    return without_module <= MAX_WITHOUT_MODULE;
}

void
cpu_upgrade_detach(struct cpu_module *module)
{
    pthread_mutex_lock(&cpu_upgrade_lock);
    for (struct upgrade **at = &first; *at; at = &(*at)->next) {
        if ((*at)->module != module) {
            continue;
        }
        (*at)->module = NULL;
        if (!is_wanted(*at)) {
            upgrade_remove(at);
        }
        break;
    }
    pthread_mutex_unlock(&cpu_upgrade_lock);
}

void
cpu_upgrades_forget(void)
{
    /* The list belongs to the upgrade thread of the parent process, which a
     * fork does not copy. The elements are not freed, since the thread may
     * have been using them. */
    first = NULL;
    is_running = false;
}

/* Waits until no upgrade is pending, for at most `milliseconds`. Returns the
 * number of pending upgrades. For programs that measure kernels; called by
 * pycuda.cpu. */
CPU_API int
pycuda_cpu_upgrades_wait(int milliseconds)
{
    struct timespec end;
    int pending = 0, code = 0;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_mutex_lock(&cpu_upgrade_lock);
    while (first && code != ETIMEDOUT) {
        code = pthread_cond_timedwait(&changed, &cpu_upgrade_lock, &end);
    }
    for (struct upgrade *upgrade = first; upgrade; upgrade = upgrade->next) {
        pending++;
    }
    pthread_mutex_unlock(&cpu_upgrade_lock);
    return pending;
}
