/* proc_address.c - cuGetProcAddress: functions by name and CUDA version.
 *
 * Called by programs that load the driver at run time, such as
 * cuda-bindings. The table has the current and the old functions that src/api
 * lists. If a name has several versions, the result is the newest one that is
 * not newer than the requested CUDA version. If a program requests functions
 * whose stream 0 is the per-thread default stream, the results are wrappers,
 * which set cpu_default_is_per_thread during the call.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/exports/visibility.h"
#include "cpu/stream/stream.h"

#define DECLARE(base, symbol, since, per_thread, parameters, arguments)       \
    CUresult symbol parameters;
#define DRIVER_ROW     DECLARE
#define DRIVER_OLD_ROW DECLARE
#include "api/driver_rows.h"
#include "api/driver_old_rows.h"
#undef DRIVER_OLD_ROW
#define MISSING_ROW(base, symbol, since, why) CUresult symbol(void);
#include "cpu/exports/unsupported_functions.h"

/* A function that cuGetProcAddress returns. */
struct address_row {
    const char *base;
    int since;
    void *function;
    /* Exported names of two variants of the function: stream 0 is the legacy
     * default stream, or the per-thread default stream (_ptsz). Both names are
     * equal if the function uses no stream. */
    const char *symbol, *per_thread;
    void *wrapped;
};

/* Defines a wrapper that calls `symbol` so that stream 0 means the per-thread
 * default stream. */
#define WRAPPER(prefix, symbol, parameters, arguments)                        \
    static CUresult prefix##symbol parameters                                 \
    {                                                                         \
        bool before_ = cpu_default_is_per_thread;                             \
                                                                              \
        cpu_default_is_per_thread = true;                                     \
        CUresult code_ = symbol arguments;                                    \
        cpu_default_is_per_thread = before_;                                  \
        return code_;                                                         \
    }

#define DRIVER_ROW(base, symbol, since, per_thread, parameters, arguments)    \
    WRAPPER(new_, symbol, parameters, arguments)
#define DRIVER_OLD_ROW(base, symbol, since, per_thread, parameters,           \
                       arguments)                                             \
    WRAPPER(old_, symbol, parameters, arguments)
#include "api/driver_rows.h"
#include "api/driver_old_rows.h"

#define ENTRY(base, symbol, since, per_thread, parameters, arguments)         \
    {#base, since, (void *)symbol, #symbol, #per_thread, (void *)new_##symbol},
#define OLD_ENTRY(base, symbol, since, per_thread, parameters, arguments)     \
    {#base, since, (void *)symbol, #symbol, #per_thread, (void *)old_##symbol},
#define MISSING_ENTRY(base, symbol, since, why)                               \
    {#base, since, (void *)symbol, #symbol, #symbol, NULL},

static const struct address_row address_rows[] = {
#define DRIVER_ROW     ENTRY
#define DRIVER_OLD_ROW OLD_ENTRY
#include "api/driver_rows.h"
#include "api/driver_old_rows.h"
#define MISSING_ROW MISSING_ENTRY
#include "cpu/exports/unsupported_functions.h"
};

#define ROWS (sizeof address_rows / sizeof *address_rows)

#define ALL_FLAGS                                                             \
    (CU_GET_PROC_ADDRESS_LEGACY_STREAM |                                      \
     CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)

/* Returns the newest function with this name that is not newer than the CUDA
 * version `version`. Returns NULL, with the reason in *status, if there is
 * none. */
static void *
address_find(const char *name, int version, bool per_thread,
             CUdriverProcAddressQueryResult *status)
{
    const struct address_row *best = NULL;

    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    for (size_t i = 0; i < ROWS; i++) {
        const struct address_row *row = &address_rows[i];

        if (strcmp(row->base, name)) {
            continue;
        }
        if (row->since > version) {
            if (!best) {
                *status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
            }
        } else if (!best || row->since > best->since) {
            best = row;
        }
    }
    if (!best) {
        return NULL;
    }
    *status = CU_GET_PROC_ADDRESS_SUCCESS;
    return per_thread && strcmp(best->symbol, best->per_thread)
               ? best->wrapped
               : best->function;
}

CPU_API CUresult
cuGetProcAddress_v2(const char *name, void **address, int version,
                    cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
    CUdriverProcAddressQueryResult found;

    if (!name || !address || flags & ~(cuuint64_t)ALL_FLAGS) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *address = address_find(
        name, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
        &found);
    if (status) {
        *status = found;
    }
    return *address ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CPU_API CUresult
cuGetProcAddress(const char *name, void **address, int version,
                 cuuint64_t flags)
{
    return cuGetProcAddress_v2(name, address, version, flags, NULL);
}
