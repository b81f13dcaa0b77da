/* launch_twin.c - what launch.py and arrays.py measure, in C: microseconds for
 * the host to issue one kernel with three arguments, and to copy 64 bytes.
 *
 * Usage: launch_twin [ROUNDS].  PYCUDA_DEVICE=cpu and PYCUDA_CPU_LIBRARY
 * choose the CPU library, else libcuda.so.1 is opened.  Prints one JSON
 * object, microseconds each, the least of ROUNDS (20) x 1000: "launch", "round
 * trip" (launch and synchronise together), "copy in" and "copy out" (64 bytes
 * to the device and back, of pageable memory, each done when it returns).
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static int (*init)(unsigned);
static int (*device_name)(char *, int, int);
static int (*create_context)(void **, unsigned, int);
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
    *(void **)&init = symbol(library, "cuInit");
    *(void **)&device_name = symbol(library, "cuDeviceGetName");
    *(void **)&create_context = symbol(library, "cuCtxCreate_v2");
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

static double
seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Least time of a launch in microseconds, of `rounds` x LAUNCHES. */
static double
measure(void *function, void **parameters, int rounds, int each)
{
    double best = 1e30;

    for (int round = 0; round < rounds; round++) {
        double start = seconds();

        for (int i = 0; i < LAUNCHES; i++) {
            check(launch(function, N / 256, 1, 1, 256, 1, 1, 0, NULL,
                         parameters, NULL),
                  "cuLaunchKernel");
            if (each) {
                check(synchronize(), "cuCtxSynchronize");
            }
        }
        double took = (seconds() - start) / LAUNCHES * 1e6;
        best = took < best ? took : best;
        check(synchronize(), "cuCtxSynchronize");
    }
    return best;
}

/* Least time of a copy of COPIED bytes, in the direction asked for. */
static double
measure_copy(uint64_t device, char *host, int rounds, int out)
{
    double best = 1e30;

    for (int round = 0; round < rounds; round++) {
        double start = seconds();

        for (int i = 0; i < LAUNCHES; i++) {
            check(out ? copy_out(host, device, COPIED)
                      : copy_in(device, host, COPIED),
                  out ? "cuMemcpyDtoH" : "cuMemcpyHtoD");
        }
        double took = (seconds() - start) / LAUNCHES * 1e6;
        best = took < best ? took : best;
    }
    return best;
}

int
main(int argc, char **argv)
{
    const char *kind = getenv("PYCUDA_DEVICE");
    const char *path = getenv("PYCUDA_CPU_LIBRARY");
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    int on_cpu = kind && !strcmp(kind, "cpu");
    char name[256] = "", host[COPIED] = "";
    void *ctx, *module, *function;
    uint64_t a, b;
    int n = N;

    const char *file = !on_cpu ? "libcuda.so.1"
                       : path  ? path
                               : "libpycuda_cpu.so";
    void *library = dlopen(file, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "launch_twin: %s\n", dlerror());
        return 77;
    }
    driver_open(library);
    check(init(0), "cuInit");
    check(create_context(&ctx, 0, 0), "cuCtxCreate");
    check(device_name(name, sizeof name, 0), "cuDeviceGetName");
    check(load(&module, on_cpu ? image_compile(library) : ptx),
          "cuModuleLoadData");
    check(get_function(&function, module, "scale"), "cuModuleGetFunction");
    check(allocate(&a, N * sizeof(float)), "cuMemAlloc");
    check(allocate(&b, N * sizeof(float)), "cuMemAlloc");
    void *parameters[] = {&a, &b, &n};
    measure(function, parameters, 1, 1);
    double one = measure(function, parameters, rounds, 0);
    double trip = measure(function, parameters, rounds, 1);
    double in = measure_copy(a, host, rounds, 0);
    double out = measure_copy(a, host, rounds, 1);
    printf("{\"launch\": %.4f, \"round trip\": %.4f, \"copy in\": %.4f, "
           "\"copy out\": %.4f, \"device\": \"%s\"}\n",
           one, trip, in, out, name);
    return 0;
}
