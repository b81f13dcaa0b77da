/* api.h - the driver API, NVRTC, cuBLAS and NCCL as tables of functions, and
 * the functions that open the libraries.
 *
 * Code above this layer does not depend on the library in use: it calls, for
 * example, driver.cuMemAlloc(&pointer, bytes) or nvrtc.nvrtcVersion(&major,
 * &minor). Before a library is open, the entries of its table are stubs. After
 * that, only entries of functions that the library lacks are stubs. A few
 * entries of `nccl`, whose comments say so, are NULL instead. A stub is a
 * function that only returns an error, or the text of an error for
 * nvrtcGetErrorString and ncclGetErrorString. Stubs of `driver` return
 * CUDA_ERROR_NOT_INITIALIZED before the library is open, and
 * CUDA_ERROR_NOT_SUPPORTED afterwards; those of `nvrtc`
 * NVRTC_ERROR_INVALID_INPUT and NVRTC_ERROR_BUILTIN_OPERATION_FAILURE; those
 * of `cublas` always CUBLAS_STATUS_NOT_INITIALIZED, and those of `nccl` always
 * ncclInvalidUsage.
 *
 * The api_ functions may be called from any thread. One lock serializes them.
 * They print nothing and never end the process. Libraries stay open until the
 * process ends.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_API_H
#define PYCUDA_API_API_H

#include <stdbool.h>

#include "api/cublas_rows.h"
#include "api/cuda_types.h"
#include "api/nccl_rows.h"
#include "api/nvrtc_types.h"

struct api_driver {
#define DRIVER_ROW(base, symbol, since, per_thread_symbol, parameters, names) \
    CUresult(*base) parameters;
#include "api/driver_rows.h"
};

struct api_nvrtc {
#define NVRTC_ROW(base, symbol, since, parameters, names)                     \
    nvrtcResult(*base) parameters;
#include "api/nvrtc_rows.h"
    const char *(*nvrtcGetErrorString)(nvrtcResult result);
};

struct api_cublas {
#define CUBLAS_ROW(base, symbol, parameters, names)                           \
    cublasStatus_t(*base) parameters;
#include "api/cublas_rows.h"
};

struct api_nccl {
#define NCCL_ROW(base, since, parameters, names)                              \
    ncclResult_t(*base) parameters;
#include "api/nccl_rows.h"
    const char *(*ncclGetErrorString)(ncclResult_t result);
    /* NULL if the library is older than NCCL 2.13 */
    const char *(*ncclGetLastError)(ncclComm_t comm);
    /* Sets the maximum time in seconds that a rank waits for other ranks. Only
     * the CPU device's NCCL has this function; NULL for other libraries. */
    void (*pycuda_cpu_nccl_limit)(ncclComm_t comm, double seconds);
    /* Ends all waiting calls and operations of a communicator: they fail. Only
     * the CPU device's NCCL has this function; NULL for other libraries. */
    void (*pycuda_cpu_nccl_stop)(ncclComm_t comm);
};

extern struct api_driver driver;
extern struct api_nvrtc nvrtc;
extern struct api_cublas cublas;
extern struct api_nccl nccl;

enum api_kind {
    API_CLOSED, /* no library is open */
    API_GPU,    /* NVIDIA's libraries */
    API_CPU,    /* libpycuda_cpu.so */
};

/* Result of opening a library: which library was opened, or why that failed.
 * `text` does not end with a full stop. */
struct api_choice {
    enum api_kind kind;
    /* True if PYCUDA_DEVICE=auto has selected the CPU device because there is
     * no GPU; `text` then contains a warning that says so. */
    int fell_back;
    /* for the driver: result of cuInit, or 0 if it was not called */
    CUresult code;
    int version; /* for NVRTC: 1000 * major + 10 * minor */
    int arch;    /* for NVRTC: target architecture, such as 90 for sm_90 */
    /* For NVRTC: true if the device is newer than all architectures that the
     * library supports, so that kernels must be compiled to PTX for `arch`. */
    int through_ptx;
    char library[512]; /* path or name of the library */
    char text[2048];   /* error message on failure, warning if fell_back */
};

/* Sets the folder of the Python package pycuda. Its lib/libpycuda_cpu.so is
 * the CPU device, unless PYCUDA_CPU_LIBRARY names another library. Copies the
 * string. */
void api_set_package_dir(const char *directory);

/* Sets the folders of sys.path, in order; pip installs NVRTC in folders below
 * them. Copies the strings. Returns 0, or -1 if memory is exhausted. */
int api_set_library_dirs(const char *const *directories, size_t n);

/* Opens the driver selected by PYCUDA_DEVICE=auto|gpu|cpu and fills `driver`.
 * Returns 0, or -1 with an explanation in choice->text. After a failure, the
 * caller may try again; after success, each call returns the same choice.
 * Calls cuInit(0) to find out whether a GPU can be used, so the driver is
 * initialized from then on. If a caller wants to report "not initialized"
 * before the program has called init(), it must itself record whether init()
 * was called. */
int api_open_driver(struct api_choice *choice);

/* Opens the compiler that belongs to the driver. The CPU device is also the
 * compiler. For a GPU, opens the first NVRTC whose major version is not above
 * that of `driver_version` (from cuDriverGetVersion) and that can compile for
 * `device_arch` (10 * major + minor; 0: any). Returns 0, or -1 with
 * choice->text, which contains the pip command that installs a suitable NVRTC.
 * One NVRTC serves the whole process; later calls check it against their
 * `device_arch`. */
int api_open_nvrtc(int driver_version, int device_arch,
                   struct api_choice *choice);

/* Opens cuBLAS, which is optional. Returns 0, or -1 on failure. If the library
 * that PYCUDA_CUBLAS names cannot be used, choice->text explains why. If no
 * cuBLAS was found, choice->text is empty. */
int api_open_cublas(int driver_version, struct api_choice *choice);

/* Opens NCCL, which is optional. Returns 0. On failure returns -1 and sets
 * choice->text, which names the pip command that installs NCCL. */
int api_open_nccl(struct api_choice *choice);
/* Returns whether the open NCCL has an optional function. `entry` is the
 * address of the function's entry in the table, such as &nccl.ncclCommSplit.
 * If NCCL lacks the function, the entry is a stub or NULL. */
bool api_nccl_has(const void *entry);

/* Call api_fork_begin before fork(), api_fork_end after it in the parent, and
 * api_fork_child in the child. Between the calls, no other thread can open a
 * library. Otherwise the child could inherit locked mutexes, but not the
 * thread that unlocks them. api_fork_child returns nonzero if a GPU's driver
 * is open: the child cannot use it, since it cannot call cuInit again. */
void api_fork_begin(void);
void api_fork_end(void);
int api_fork_child(void);

/* Sets a function that the open driver library calls regularly while a thread
 * waits in it. If the function returns nonzero, the wait ends. Returns false
 * if the library does not support this, as NVIDIA's driver does not. */
bool api_set_interrupt(int (*hook)(void));

/* Selects the kernel checks that the open driver library makes from now on:
 * `list` is a text such as "memory,race"; an empty text selects none. The
 * caller ensures that no kernel is running. Returns NOT_SUPPORTED if the
 * library has no checks (NVIDIA's driver has none), and INVALID_VALUE for an
 * unknown check. */
CUresult api_select_checks(const char *list);

/* Tells the kernel checks of the open driver library, if it has any, to ignore
 * queries of streams and events, since pycuda._driver makes queries for its
 * own purposes. After this call, only a wait tells the checks that the program
 * knows an operation to be complete; a successful query does not. */
void api_private_queries(void);

/* Tells the kernel checks about an allocation at `pointer` that was made
 * before the checks were selected. `bytes` is the size that the program
 * requested; the block of memory may be larger. If `bytes` is 0, the whole
 * block counts as requested. Called while checks are selected and no kernel is
 * running. */
void api_check_size(CUdeviceptr pointer, size_t bytes);

/* Returns the number of memory transactions that the kernel check `bank` has
 * counted: one line of JSON per source line and kind of access, in memory that
 * the caller must free. If `clear`, sets the counts to zero afterwards.
 * Returns an empty text if the open library has no checks, and NULL if there
 * is not enough memory. Thread-safe. */
char *api_access_counts(bool clear);

/* Returns the base names of driver functions that the open library lacks. The
 * list ends with NULL; it is empty before a library is open. */
const char *const *api_missing_functions(void);

#endif
