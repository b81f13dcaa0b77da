/* proc_address.c - cuGetProcAddress: functions by name and CUDA version.
 *
 * Called by programs that open the driver by themselves (cuda-bindings).  The
 * table is the rows of src/api, current and old; the answer is the newest row
 * not above the version asked for.  Programs whose default stream is one a
 * thread get a function that says so for the time of the call.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "cpu/cpu.h"

#define DECLARE(base, symbol, since, per_thread, parameters, arguments)       \
    CUresult symbol parameters;
#define DRIVER_ROW     DECLARE
#define DRIVER_OLD_ROW DECLARE
#include "api/driver_rows.h"
#include "api/driver_old_rows.h"
#undef DRIVER_OLD_ROW
#define REFUSED_ROW(base, symbol, since, why) CUresult symbol(void);
#include "cpu/exports/refused.h"

struct address_row {
    const char *base;
    int since;
    void *function;
    const char *symbol, *per_thread; /* the same: no stream is involved */
    void *wrapped;
};

_Thread_local bool cpu_default_is_per_thread;

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
#define REFUSED_ENTRY(base, symbol, since, why)                               \
    {#base, since, (void *)symbol, #symbol, #symbol, NULL},

static const struct address_row address_rows[] = {
#define DRIVER_ROW     ENTRY
#define DRIVER_OLD_ROW OLD_ENTRY
#include "api/driver_rows.h"
#include "api/driver_old_rows.h"
#define REFUSED_ROW REFUSED_ENTRY
#include "cpu/exports/refused.h"
};

#define ROWS (sizeof address_rows / sizeof *address_rows)

#define ALL_FLAGS                                                             \
    (CU_GET_PROC_ADDRESS_LEGACY_STREAM |                                      \
     CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)

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
