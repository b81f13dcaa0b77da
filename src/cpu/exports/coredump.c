/* coredump.c - stores settings of core dumps, which have no effect.
 *
 * Called by users of the library. The CPU device writes no core dumps: a fault
 * in a kernel is an error of its context, and a report with PYCUDA_CPU_CHECK.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "cpu/cpu.h"

#define TEXT_BYTES 1024

/* Values for the process, or for all contexts. */
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

/* Returns the address of the value, and its size in `bytes`. The caller holds
 * settings_lock. */
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

/* Copies the value, or only returns its size if `value` is NULL. */
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

/* Stores a value. The size must match the setting; a text is limited to
 * TEXT_BYTES - 1. */
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
