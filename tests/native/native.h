/* native.h - shared code of the C tests of the driver API.
 *
 * Opens the two libraries by name, compiles a kernel from a string, and
 * defines checks.
 *
 * Usage of a program: PROGRAM [DRIVER [NVRTC]]; the defaults are the names in
 * NATIVE_DRIVER and NATIVE_NVRTC, then libcuda.so.1 and libnvrtc.so. The CPU
 * library can replace both. Exit status 0: all checks passed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef NATIVE_H
#define NATIVE_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cuda_types.h"
#include "api/nvrtc_types.h"

/* cu.cuMemAlloc(...) and rtc.nvrtcCreateProgram(...), by base name. */
static struct {
#define DRIVER_ROW(base, symbol, since, per_thread, parameters, arguments)    \
    CUresult(*base) parameters;
#include "api/driver_rows.h"
} cu;

static struct {
#define NVRTC_ROW(base, symbol, since, parameters, arguments)                 \
    nvrtcResult(*base) parameters;
#include "api/nvrtc_rows.h"
} rtc;

static int native_failures;
static int native_on_cpu; /* the driver is the CPU library */

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);    \
            native_failures++;                                                \
        }                                                                     \
    } while (0)

static const char *
native_name(CUresult code)
{
    const char *name = "?";

    cu.cuGetErrorName(code, &name);
    return name;
}

/* Compares results by name. */
#define EXPECT(code, call)                                                    \
    do {                                                                      \
        CUresult got_ = (call);                                               \
        if (got_ != (code)) {                                                 \
            printf("%s:%d: %s\n    gave %s, expected %s\n", __FILE__,         \
                   __LINE__, #call, native_name(got_), #code);                \
            native_failures++;                                                \
        }                                                                     \
    } while (0)

#define OK(call) EXPECT(CUDA_SUCCESS, call)

/* A pointer that must not be NULL: only the CPU library defines the result. */
#define EXPECT_NULL(code, call) EXPECT_STALE(code, call)

/* A destroyed handle: only the CPU library defines the result. */
#define EXPECT_STALE(code, call)                                              \
    do {                                                                      \
        if (native_on_cpu) {                                                  \
            EXPECT(code, call);                                               \
        }                                                                     \
    } while (0)

/* A rejected call, with a result that only the CPU library defines. */
#define EXPECT_REFUSED(code, call)                                            \
    do {                                                                      \
        if (native_on_cpu) {                                                  \
            EXPECT(code, call);                                               \
        } else {                                                              \
            CHECK((call) != CUDA_SUCCESS);                                    \
        }                                                                     \
    } while (0)

static void *
native_open(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        printf("%s\n", dlerror());
        exit(77);
    }
    return library;
}

static void
native_start(int argc, char **argv)
{
    const char *driver = argc > 1 ? argv[1] : getenv("NATIVE_DRIVER");
    const char *nvrtc = argc > 2 ? argv[2] : getenv("NATIVE_NVRTC");

    driver = driver ? driver : "libcuda.so.1";
    nvrtc = nvrtc ? nvrtc : argc > 1 ? driver : "libnvrtc.so";
    native_on_cpu = strstr(driver, "pycuda_cpu") != NULL;
    void *library = native_open(driver);
#define DRIVER_ROW(base, symbol, since, per_thread, parameters, arguments)    \
    *(void **)&cu.base = dlsym(library, #symbol);
#include "api/driver_rows.h"
    library = native_open(nvrtc);
#define NVRTC_ROW(base, symbol, since, parameters, arguments)                 \
    *(void **)&rtc.base = dlsym(library, #symbol);
#include "api/nvrtc_rows.h"
}

/* Returns the image of a CUDA C++ source; exits if it does not compile. `ptx`
 * selects code that can be linked instead of the image that loads fastest. */
static inline char *
native_compile(const char *source, int ptx, size_t *bytes)
{
    int major = 7, minor = 0;
    nvrtcProgram program;
    char arch[64], *image;
    size_t size = 0;

    cu.cuDeviceGetAttribute(&major,
                            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    cu.cuDeviceGetAttribute(&minor,
                            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
    snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d%d",
             ptx ? "compute" : "sm", major, minor);
    const char *options[] = {arch, "--std=c++17"};
    rtc.nvrtcCreateProgram(&program, source, "native.cu", 0, NULL, NULL);
    if (rtc.nvrtcCompileProgram(program, 2, options)) {
        rtc.nvrtcGetProgramLogSize(program, &size);
        char *log = malloc(size + 1);
        rtc.nvrtcGetProgramLog(program, log);
        printf("compilation failed:\n%s\n", log);
        exit(1);
    }
    if (ptx) {
        rtc.nvrtcGetPTXSize(program, &size);
    } else {
        rtc.nvrtcGetCUBINSize(program, &size);
    }
    image = malloc(size);
    if (ptx) {
        rtc.nvrtcGetPTX(program, image);
    } else {
        rtc.nvrtcGetCUBIN(program, image);
    }
    rtc.nvrtcDestroyProgram(&program);
    if (bytes) {
        *bytes = size;
    }
    return image;
}

/* Creates a context on device 0 and makes it current. */
static inline CUcontext
native_context(void)
{
    CUcontext ctx = NULL;

    OK(cu.cuInit(0));
    OK(cu.cuCtxCreate(&ctx, 0, 0));
    return ctx;
}

static inline CUmodule
native_module(const char *source)
{
    char *image = native_compile(source, 0, NULL);
    CUmodule module = NULL;

    OK(cu.cuModuleLoadData(&module, image));
    free(image);
    return module;
}

static inline CUfunction
native_function(CUmodule module, const char *name)
{
    CUfunction function = NULL;

    OK(cu.cuModuleGetFunction(&function, module, name));
    return function;
}

/* Launches with `count` parameters, passed by their addresses. */
static inline CUresult
native_launch(CUfunction function, unsigned blocks, unsigned threads,
              CUstream stream, void **parameters)
{
    return cu.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream,
                             parameters, NULL);
}

/* Returns the int at a device address. */
static inline int
native_read_int(CUdeviceptr at)
{
    int result = -1;

    OK(cu.cuMemcpyDtoH(&result, at, sizeof result));
    return result;
}

/* Writes an int to a device address, and waits for all streams. */
static inline void
native_write_int(CUdeviceptr at, int value)
{
    OK(cu.cuMemcpyHtoD(at, &value, sizeof value));
    OK(cu.cuCtxSynchronize());
}

static inline int
native_end(const char *name)
{
    if (!native_failures) {
        printf("%s: Success\n", name);
    }
    return native_failures != 0;
}

#endif
