/* coredump.c - stores settings of core dumps, which have no effect.
 *
 * Called by users of the library. The CPU device writes no core dumps. A fault
 * in a kernel sets the error of its context; with PYCUDA_CPU_CHECK the device
 * also prints a report.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/exports/visibility.h"

#define TEXT_BYTES 1024

/* The values of the settings: `on` has the settings of type bool, `texts`
 * those that are file names, and `flags` the generation flags. There are two
 * copies of the struct: one for the functions that change global settings, and
 * one that all contexts share. */
struct settings {
    bool on[CU_COREDUMP_MAX];
    char texts[CU_COREDUMP_MAX][TEXT_BYTES];
    unsigned flags;
};

static pthread_mutex_t settings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings settings_all, settings_context;

static bool
is_text(CUcoredumpSettings setting)
{
    return setting == CU_COREDUMP_FILE || setting == CU_COREDUMP_PIPE;
}

static bool
is_known(CUcoredumpSettings setting)
{
    return setting >= CU_COREDUMP_ENABLE_ON_EXCEPTION &&
           setting < CU_COREDUMP_MAX;
}

/* Returns the address of the setting's value, and stores its size in bytes in
 * *bytes. The caller holds settings_lock. */
static void *
setting_address(struct settings *settings, CUcoredumpSettings setting,
                size_t *bytes)
{
    if (is_text(setting)) {
        *bytes = strlen(settings->texts[setting]) + 1;
        return settings->texts[setting];
    }
    if (setting == CU_COREDUMP_GENERATION_FLAGS) {
        *bytes = sizeof settings->flags;
        return &settings->flags;
    }
    *bytes = sizeof settings->on[setting];
    return &settings->on[setting];
}

/* Copies at most *size bytes of the setting's value to `value`, unless `value`
 * is NULL. Stores the full size of the value in *size. */
static CUresult
setting_get(struct settings *settings, CUcoredumpSettings setting, void *value,
            size_t *size)
{
    size_t bytes;

    if (!size || !is_known(setting)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&settings_lock);
    const void *address = setting_address(settings, setting, &bytes);
    if (value) {
        memcpy(value, address, bytes < *size ? bytes : *size);
    }
    *size = bytes;
    pthread_mutex_unlock(&settings_lock);
    return CUDA_SUCCESS;
}

/* Stores the setting's value, which has *size bytes. Returns an error if the
 * size is wrong. A text can have up to TEXT_BYTES - 1 bytes. */
static CUresult
setting_set(struct settings *settings, CUcoredumpSettings setting,
            const void *value, const size_t *size)
{
    size_t bytes;

    if (!value || !size || !is_known(setting)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&settings_lock);
    void *address = setting_address(settings, setting, &bytes);
    size_t capacity = is_text(setting) ? TEXT_BYTES - 1 : bytes;
    bool fits = *size <= capacity && (is_text(setting) || *size == bytes);
    if (fits) {
        memcpy(address, value, *size);
    }
    if (fits && is_text(setting)) {
        settings->texts[setting][*size] = 0;
    }
    pthread_mutex_unlock(&settings_lock);
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuCoredumpGetAttributeGlobal(CUcoredumpSettings setting, void *value,
                             size_t *size)
{
    return setting_get(&settings_all, setting, value, size);
}

CPU_API CUresult
cuCoredumpSetAttributeGlobal(CUcoredumpSettings setting, void *value,
                             size_t *size)
{
    return setting_set(&settings_all, setting, value, size);
}

CPU_API CUresult
cuCoredumpGetAttribute(CUcoredumpSettings setting, void *value, size_t *size)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    return code ? code : setting_get(&settings_context, setting, value, size);
}

CPU_API CUresult
cuCoredumpSetAttribute(CUcoredumpSettings setting, void *value, size_t *size)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    return code ? code : setting_set(&settings_context, setting, value, size);
}
