/* api.h - the seam: the driver API, NVRTC and cuBLAS as tables of functions,
 * and the doors that open the libraries behind them.
 *
 * Above the seam nobody knows which library answers: calls read
 * driver.cuMemAlloc(&pointer, bytes) and nvrtc.nvrtcVersion(&major, &minor).
 * A function that the library lacks, or any function before the table is
 * open, is a typed stub: it returns CUDA_ERROR_NOT_SUPPORTED, or
 * CUDA_ERROR_NOT_INITIALIZED before (NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
 * and NVRTC_ERROR_INVALID_INPUT in nvrtc; in cublas
 * CUBLAS_STATUS_NOT_INITIALIZED).
 *
 * The api_ functions may be called from any thread; they serialise on one
 * lock, print nothing and never end the process.  Libraries stay open until
 * the process ends.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_API_H
#define PYCUDA_API_API_H

#include <stdbool.h>

#include "api/cublas_rows.h"
#include "api/cuda_types.h"
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

extern struct api_driver driver;
extern struct api_nvrtc nvrtc;
extern struct api_cublas cublas;

enum api_kind {
    API_CLOSED, /* nothing is open */
    API_GPU,    /* NVIDIA's libraries */
    API_CPU,    /* libpycuda_cpu.so */
};

/* What was opened, or why nothing was.  Texts end with no full stop. */
struct api_choice {
    enum api_kind kind;
    int fell_back;     /* `auto` took the CPU device: `text` is the warning */
    CUresult code;     /* driver: cuInit's answer, where it was asked */
    int version;       /* nvrtc: 1000 * major + 10 * minor */
    int arch;          /* nvrtc: architecture to compile for, such as 90 */
    int through_ptx;   /* nvrtc: the device is newer than every architecture
                          that it knows: compile to PTX for `arch` */
    char library[512]; /* path or name that was opened */
    char text[2048];   /* on failure the whole message; else see fell_back */
};

/* Where the package is: its lib/libpycuda_cpu.so is the CPU device, unless
 * PYCUDA_CPU_LIBRARY names another.  Copies `directory`. */
void api_set_package_dir(const char *directory);

/* The folders of sys.path, in order: pip's wheels put NVRTC below them.
 * Copies them; 0, or -1 without memory. */
int api_set_library_dirs(const char *const *directories, size_t n);

/* Opens the driver that PYCUDA_DEVICE=auto|gpu|cpu asks for and fills
 * `driver`.  0, or -1 with choice->text; after a failure it may be tried
 * again, after success every call gives the same answer.  To know whether a
 * GPU can be used it calls cuInit(0), so a caller that must tell "before
 * init" from after keeps that to itself. */
int api_open_driver(struct api_choice *choice);

/* Opens the compiler that goes with the driver: on the CPU device the same
 * library, else the first NVRTC whose major version is not above that of
 * `driver_version` (cuDriverGetVersion's) and that can compile for
 * `device_arch` (10 * major + minor; 0 for "any").  0, or -1 with
 * choice->text, which names the pip command that helps.  One NVRTC serves
 * the whole process; later calls check it against their `device_arch`. */
int api_open_nvrtc(int driver_version, int device_arch,
                   struct api_choice *choice);

/* Opens cuBLAS, which need not be there: -1 without a text then.  With a text
 * where PYCUDA_CUBLAS names what cannot be used. */
int api_open_cublas(int driver_version, struct api_choice *choice);

/* Before fork(), after it, and in its child: while the process is copied
 * nobody opens a library, whose locks in the system the child would never get.
 * The last tells whether a GPU's driver is open, by whichever thread: opening
 * it calls cuInit, which the child cannot call again.
 */
void api_fork_begin(void);
void api_fork_end(void);
int api_fork_child(void);

/* Hands the opened driver library a function that it calls now and then while
 * the calling thread waits, and that returns nonzero to end the wait.  false:
 * the library does not ask (NVIDIA's). */
bool api_set_interrupt(int (*hook)(void));

/* Base names of the driver's functions that the opened library lacks, ended
 * by NULL; empty before it is open. */
const char *const *api_missing_functions(void);

#endif
