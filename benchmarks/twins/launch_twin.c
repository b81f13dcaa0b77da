/* launch_twin.c - what launch.py and arrays.py measure, in C: microseconds for
 * the host to issue one kernel with three arguments, and to copy 64 bytes.
 *
 * A shared library that `twin.py` loads into the process it measures, so that
 * both have the same context, stream, processor and clock, and take turns.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seconds.h"

#define N        1024
#define LAUNCHES 1000
#define COPIED   64

static const char source[] =
    "extern \"C\" __global__ void scale(const float *a, float *b, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) b[i] = 2.0f * a[i];\n"
    "}\n";

/* The same for a GPU: the driver translates it. */
static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry scale(.param .u64 a, .param .u64 b, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p<2>; .reg .f32 %f<3>; .reg .b32 %r<6>;\n"
    "  .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
    "  ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.s32 %p1, %r5, %r1;\n"
    "  @%p1 bra DONE;\n"
    "  cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;\n"
    "  mul.wide.s32 %rd5, %r5, 4;\n"
    "  add.s64 %rd6, %rd3, %rd5; add.s64 %rd7, %rd4, %rd5;\n"
    "  ld.global.f32 %f1, [%rd6];\n"
    "  add.f32 %f2, %f1, %f1;\n"
    "  st.global.f32 [%rd7], %f2;\n"
    "DONE: ret;\n"
    "}\n";

static int (*allocate)(uint64_t *, size_t);
static int (*load)(void **, const void *);
static int (*get_function)(void **, void *, const char *);
static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                     unsigned, unsigned, void *, void **, void **);
static int (*synchronize)(void);
static int (*copy_in)(uint64_t, const void *, size_t);
static int (*copy_out)(void *, uint64_t, size_t);

static void
check(int code, const char *what)
{
    if (code) {
        fprintf(stderr, "launch_twin: %s failed with code %d\n", what, code);
        exit(1);
    }
}

static void *
symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);

    if (!address) {
        fprintf(stderr, "launch_twin: %s is missing\n", name);
        exit(1);
    }
    return address;
}

static void
driver_open(void *library)
{
    *(void **)&allocate = symbol(library, "cuMemAlloc_v2");
    *(void **)&load = symbol(library, "cuModuleLoadData");
    *(void **)&get_function = symbol(library, "cuModuleGetFunction");
    *(void **)&launch = symbol(library, "cuLaunchKernel");
    *(void **)&synchronize = symbol(library, "cuCtxSynchronize");
    *(void **)&copy_in = symbol(library, "cuMemcpyHtoD_v2");
    *(void **)&copy_out = symbol(library, "cuMemcpyDtoH_v2");
}

/* The CPU library has NVRTC in it. */
static void *
image_compile(void *library)
{
    int (*create)(void **, const char *, const char *, int, const void *,
                  const void *);
    int (*compile)(void *, int, const void *);
    int (*image_size)(void *, size_t *);
    int (*image_get)(void *, char *);
    void *program;
    size_t bytes;

    *(void **)&create = symbol(library, "nvrtcCreateProgram");
    *(void **)&compile = symbol(library, "nvrtcCompileProgram");
    *(void **)&image_size = symbol(library, "nvrtcGetCUBINSize");
    *(void **)&image_get = symbol(library, "nvrtcGetCUBIN");
    const char *options[] = {"--gpu-architecture=sm_70"};
    check(create(&program, source, "scale.cu", 0, NULL, NULL), "create");
    check(compile(program, 1, options), "nvrtcCompileProgram");
    check(image_size(program, &bytes), "nvrtcGetCUBINSize");
    char *image = malloc(bytes);
    check(image_get(program, image), "nvrtcGetCUBIN");
    return image;
}

/* of the thread that called twin_open */
static _Thread_local void *function;
static _Thread_local uint64_t a, b;
static int n = N;

static double
measure_launches(int each)
{
    void *parameters[] = {&a, &b, &n};
    double start = seconds();

    for (int i = 0; i < LAUNCHES; i++) {
        check(launch(function, N / 256, 1, 1, 256, 1, 1, 0, NULL, parameters,
                     NULL),
              "cuLaunchKernel");
        if (each) {
            check(synchronize(), "cuCtxSynchronize");
        }
    }
    return (seconds() - start) / LAUNCHES * 1e6;
}

static double
measure_copies(int out)
{
    char host[COPIED] = "";
    double start = seconds();

    for (int i = 0; i < LAUNCHES; i++) {
        check(out ? copy_out(host, a, COPIED) : copy_in(a, host, COPIED),
              out ? "cuMemcpyDtoH" : "cuMemcpyHtoD");
    }
    return (seconds() - start) / LAUNCHES * 1e6;
}

/* Takes the thread's current context.  `cpu_library`: NULL on a GPU. */
void
twin_open(const char *cpu_library)
{
    const char *file = cpu_library ? cpu_library : "libcuda.so.1";
    void *library = dlopen(file, RTLD_NOW), *module;

    if (!library) {
        fprintf(stderr, "launch_twin: %s\n", dlerror());
        exit(1);
    }
    driver_open(library);
    check(load(&module, cpu_library ? image_compile(library) : ptx),
          "cuModuleLoadData");
    check(get_function(&function, module, "scale"), "cuModuleGetFunction");
    check(allocate(&a, N * sizeof(float)), "cuMemAlloc");
    check(allocate(&b, N * sizeof(float)), "cuMemAlloc");
    measure_launches(1);
}

/* Microseconds of one operation, over LAUNCHES in a row; 0: a launch, 1:
 * a launch and a synchronisation, 2: a copy to the device, 3: a copy back. */
double
twin_measure(int what)
{
    check(synchronize(), "cuCtxSynchronize");
    double took = what < 2 ? measure_launches(what) : measure_copies(what - 2);
    check(synchronize(), "cuCtxSynchronize");
    return took;
}
