/* proc_address.c - cuGetProcAddress: functions by name and CUDA version.
 *
 * Called by programs that open the driver by themselves (cuda-bindings).  The
 * table is the rows of src/api, current and old; the answer is the newest row
 * not above the version asked for.
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
};

#define ENTRY(base, symbol, since, per_thread, parameters, arguments)         \
    {#base, since, (void *)symbol},

static const struct address_row address_rows[] = {
#define DRIVER_ROW     ENTRY
#define DRIVER_OLD_ROW ENTRY
#include "api/driver_rows.h"
#include "api/driver_old_rows.h"
#define REFUSED_ROW(base, symbol, since, why)                                 \
    ENTRY(base, symbol, since, symbol, , )
#include "cpu/exports/refused.h"
};

#define ROWS (sizeof address_rows / sizeof *address_rows)

#define ALL_FLAGS                                                             \
    (CU_GET_PROC_ADDRESS_LEGACY_STREAM |                                      \
     CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)

static void *
address_find(const char *name, int version,
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
    return best->function;
}

CPU_API CUresult
cuGetProcAddress_v2(const char *name, void **address, int version,
                    cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
    CUdriverProcAddressQueryResult found;

    if (!name || !address || flags & ~(cuuint64_t)ALL_FLAGS) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *address = address_find(name, version, &found);
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
