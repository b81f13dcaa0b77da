/* api.h - the driver API, NVRTC and cuBLAS as tables of functions, and the
 * functions that open the libraries.
 *
 * Code above this layer does not depend on the library in use: calls read
 * driver.cuMemAlloc(&pointer, bytes) and nvrtc.nvrtcVersion(&major, &minor). A
 * stub of the same type takes the place of a function that the library lacks,
 * and of all functions before the table is open. Stubs return
 * CUDA_ERROR_NOT_SUPPORTED, or CUDA_ERROR_NOT_INITIALIZED before the table is
 * open; in nvrtc NVRTC_ERROR_BUILTIN_OPERATION_FAILURE and
 * NVRTC_ERROR_INVALID_INPUT; in cublas CUBLAS_STATUS_NOT_INITIALIZED.
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
    API_CLOSED, /* no library is open */
    API_GPU,    /* NVIDIA's libraries */
    API_CPU,    /* libpycuda_cpu.so */
};

/* Result of opening a library: the library, or the reason for the failure.
 * Texts have no full stop at the end. */
struct api_choice {
    enum api_kind kind;
    /* `auto` chose the CPU device; `text` is the warning */
    int fell_back;
    CUresult code; /* driver: result of cuInit, if it was called */
    int version;   /* nvrtc: 1000 * major + 10 * minor */
    int arch;      /* nvrtc: target architecture, such as 90 */
    /* Nvrtc: the device is newer than all architectures that the library
     * supports; compile to PTX for `arch`. */
    int through_ptx;
    char library[512]; /* path or name of the library */
    char text[2048];   /* on failure the error message; else see fell_back */
};

/* Sets the folder of the package. Its lib/libpycuda_cpu.so is the CPU device,
 * unless PYCUDA_CPU_LIBRARY names another library. Copies `directory`. */
void api_set_package_dir(const char *directory);

/* Sets the folders of sys.path, in order; pip installs NVRTC in folders below
 * them. Copies the strings. Returns 0, or -1 if memory is exhausted. */
int api_set_library_dirs(const char *const *directories, size_t n);

/* Opens the driver selected by PYCUDA_DEVICE=auto|gpu|cpu and fills `driver`.
 * Returns 0, or -1 with choice->text. After a failure, the caller may try
 * again; after success, each call returns the same choice. Calls cuInit(0) to
 * find out if a GPU can be used. The driver is therefore initialized early; a
 * caller that must report "not initialized" keeps that state itself. */
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

/* Opens cuBLAS, which is optional. Returns 0, or -1 without a text if it was
 * not found. If PYCUDA_CUBLAS names an unusable library, returns -1 with
 * choice->text. */
int api_open_cublas(int driver_version, struct api_choice *choice);

/* Call these before fork(), after it in the parent, and in the child. They
 * keep other threads from opening a library during the fork: the child would
 * inherit locked system mutexes without their owner. api_fork_child returns
 * nonzero if any thread has opened a GPU's driver: this calls cuInit, which
 * the child cannot call again. */
void api_fork_begin(void);
void api_fork_end(void);
int api_fork_child(void);

/* Sets a function that the open driver library calls from time to time while
 * the calling thread waits. A nonzero result ends the wait. Returns false if
 * the library does not support this, as NVIDIA's does not. */
bool api_set_interrupt(int (*hook)(void));

/* Returns the base names of driver functions that the open library lacks. The
 * list ends with NULL; it is empty before a library is open. */
const char *const *api_missing_functions(void);

#endif
