/* table.c - the tables `driver`, `nvrtc`, `cublas` and `nccl`: stubs, and
 * functions that fill the tables.
 *
 * The loader calls table_fill_* after it has opened a library. A table
 * initially contains stubs, so that an early call returns an error instead of
 * crashing.
 *
 * Threads: a table and its `opened` flag are written once, under loader_lock,
 * before any other thread learns that the library is open.
 *
 * SPDX-License-Identifier: MIT */
#include "api/loader.h"

#include <dlfcn.h>
#include <string.h>

struct table_row {
    const char *base;
    const char *symbol;
    size_t offset; /* offset of the function pointer in the table, in bytes */
};

static int driver_opened;
static int nvrtc_opened;

static CUresult
driver_absent(void)
{
    return driver_opened ? CUDA_ERROR_NOT_SUPPORTED
                         : CUDA_ERROR_NOT_INITIALIZED;
}

static nvrtcResult
nvrtc_absent(void)
{
    return nvrtc_opened ? NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
                        : NVRTC_ERROR_INVALID_INPUT;
}

/* Stubs: functions that return an error. Each has the type of the function
 * that it replaces, since a call through a pointer of another type is
 * undefined behavior. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define DRIVER_ROW(base, symbol, since, per_thread_symbol, parameters, names) \
    static CUresult stub_##base parameters                                    \
    {                                                                         \
        return driver_absent();                                               \
    }
#include "api/driver_rows.h"

#define NVRTC_ROW(base, symbol, since, parameters, names)                     \
    static nvrtcResult stub_##base parameters                                 \
    {                                                                         \
        return nvrtc_absent();                                                \
    }
#include "api/nvrtc_rows.h"

#define CUBLAS_ROW(base, symbol, parameters, names)                           \
    static cublasStatus_t stub_##base parameters                              \
    {                                                                         \
        return CUBLAS_STATUS_NOT_INITIALIZED;                                 \
    }
#include "api/cublas_rows.h"

#define NCCL_ROW(base, since, parameters, names)                              \
    static ncclResult_t stub_##base parameters                                \
    {                                                                         \
        return ncclInvalidUsage;                                              \
    }
#include "api/nccl_rows.h"

#pragma GCC diagnostic pop

static const char *
stub_nvrtcGetErrorString(nvrtcResult result)
{
    static const struct {
        nvrtcResult code;
        const char *text;
    } texts[] = {
#define TEXT_ROW(name, value, text) {name, text},
        NVRTC_RESULT_ROWS(TEXT_ROW)
#undef TEXT_ROW
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].code == result) {
            return texts[i].text;
        }
    }
    return "unknown error of the compiler";
}

struct api_driver driver = {
#define DRIVER_ROW(base, symbol, since, per_thread_symbol, parameters, names) \
    .base = stub_##base,
#include "api/driver_rows.h"
};

struct api_nvrtc nvrtc = {
#define NVRTC_ROW(base, symbol, since, parameters, names) .base = stub_##base,
#include "api/nvrtc_rows.h"
    .nvrtcGetErrorString = stub_nvrtcGetErrorString,
};

struct api_cublas cublas = {
#define CUBLAS_ROW(base, symbol, parameters, names) .base = stub_##base,
#include "api/cublas_rows.h"
};

static const char *
stub_ncclGetErrorString(ncclResult_t result)
{
    (void)result;
    return "NCCL is not open";
}

struct api_nccl nccl = {
#define NCCL_ROW(base, since, parameters, names) .base = stub_##base,
#include "api/nccl_rows.h"
    .ncclGetErrorString = stub_ncclGetErrorString,
};

static const struct table_row driver_rows[] = {
#define DRIVER_ROW(base, symbol, since, per_thread_symbol, parameters, names) \
    {#base, #symbol, offsetof(struct api_driver, base)},
#include "api/driver_rows.h"
};

static const struct table_row nvrtc_rows[] = {
#define NVRTC_ROW(base, symbol, since, parameters, names)                     \
    {#base, #symbol, offsetof(struct api_nvrtc, base)},
#include "api/nvrtc_rows.h"
    {"nvrtcGetErrorString", "nvrtcGetErrorString",
     offsetof(struct api_nvrtc, nvrtcGetErrorString)},
};

static const struct table_row cublas_rows[] = {
#define CUBLAS_ROW(base, symbol, parameters, names)                           \
    {#base, #symbol, offsetof(struct api_cublas, base)},
#include "api/cublas_rows.h"
};

static const struct nccl_row {
    struct table_row row;
    /* version of NCCL that added the function; 0: every version of NCCL may
     * lack the function */
    int since;
} nccl_rows[] = {
#define NCCL_ROW(base, since, parameters, names)                              \
    {{#base, #base, offsetof(struct api_nccl, base)}, since},
#include "api/nccl_rows.h"
#define OPTIONAL(base)                                                        \
    {                                                                         \
        {#base, #base, offsetof(struct api_nccl, base)}, 0                    \
    }
    {{"ncclGetErrorString", "ncclGetErrorString",
      offsetof(struct api_nccl, ncclGetErrorString)},
     2304},
    OPTIONAL(ncclGetLastError),
    OPTIONAL(pycuda_cpu_nccl_limit),
    OPTIONAL(pycuda_cpu_nccl_stop),
#undef OPTIONAL
};

enum { DRIVER_ROWS = sizeof driver_rows / sizeof *driver_rows };
enum { NVRTC_ROWS = sizeof nvrtc_rows / sizeof *nvrtc_rows };

static const char *missing[DRIVER_ROWS + 1];

/* Stores the library's function in a table entry, in place of the stub.
 * Returns 0 if the library lacks the function, else 1. */
static int
table_set(char *table, const struct table_row *row, void *library)
{
    void *address = dlsym(library, row->symbol);
    if (address == NULL) {
        return 0;
    }
    memcpy(table + row->offset, &address, sizeof address);
    return 1;
}

void
table_fill_driver(void *library)
{
    size_t n = 0;
    for (size_t i = 0; i < DRIVER_ROWS; i++) {
        if (!table_set((char *)&driver, &driver_rows[i], library)) {
            missing[n++] = driver_rows[i].base;
        }
    }
    missing[n] = NULL;
    driver_opened = 1;
}

void
table_fill_nvrtc(void *library)
{
    for (size_t i = 0; i < NVRTC_ROWS; i++) {
        table_set((char *)&nvrtc, &nvrtc_rows[i], library);
    }
    nvrtc_opened = 1;
}

int
table_fill_cublas(void *library)
{
    size_t n = sizeof cublas_rows / sizeof *cublas_rows;
    for (size_t i = 0; i < n; i++) {
        if (dlsym(library, cublas_rows[i].symbol) == NULL) {
            return -1;
        }
    }
    for (size_t i = 0; i < n; i++) {
        table_set((char *)&cublas, &cublas_rows[i], library);
    }
    return 0;
}

int
table_fill_nccl(void *library)
{
    /* NCCL 2.7, which added ncclSend, is the oldest supported version */
    const int required = 20700;
    size_t n = sizeof nccl_rows / sizeof *nccl_rows;
    for (size_t i = 0; i < n; i++) {
        const struct nccl_row *row = &nccl_rows[i];
        if (row->since != 0 && row->since <= required &&
            dlsym(library, row->row.symbol) == NULL) {
            return -1;
        }
    }
    for (size_t i = 0; i < n; i++) {
        table_set((char *)&nccl, &nccl_rows[i].row, library);
    }
    return 0;
}

bool
api_nccl_has(const void *entry)
{
    static const struct api_nccl stubs = {
#define NCCL_ROW(base, since, parameters, names) .base = stub_##base,
#include "api/nccl_rows.h"
    };
    size_t offset = (size_t)((const char *)entry - (const char *)&nccl);
    return memcmp(entry, (const char *)&stubs + offset, sizeof(void *)) != 0;
}

const char *const *
api_missing_functions(void)
{
    return missing;
}
