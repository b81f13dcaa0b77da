/* cpu_library.c - adds two vectors on the CPU device, without Python.
 *
 * cc cpu_library.c $(pkg-config --cflags --libs pycuda-cpu), with
 * PKG_CONFIG_PATH=$(python -m pycuda.cpu --pkgconfig-dir).
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include <pycuda_cpu.h>

static const char source[] =
    "extern \"C\" __global__ void add(float *c, const float *a,\n"
    "                                const float *b, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        c[i] = a[i] + b[i];\n"
    "}\n";

static void
check(CUresult code, const char *what)
{
    const char *text = NULL;

    if (code != CUDA_SUCCESS) {
        cuGetErrorString(code, &text);
        fprintf(stderr, "%s: %s\n", what, text ? text : "unknown error");
        exit(1);
    }
}

/* The compiled kernel; the compiler's messages end the program. */
static char *
compile(void)
{
    nvrtcProgram program;
    size_t bytes = 0;

    nvrtcCreateProgram(&program, source, "add.cu", 0, NULL, NULL);
    /* A real architecture makes an image, a virtual one (or none) PTX only. */
    const char *options[] = {"--gpu-architecture=sm_80"};
    nvrtcResult result = nvrtcCompileProgram(program, 1, options);
    if (result != NVRTC_SUCCESS) {
        nvrtcGetProgramLogSize(program, &bytes);
        char *log = malloc(bytes);
        nvrtcGetProgramLog(program, log);
        fprintf(stderr, "%s: %s\n", nvrtcGetErrorString(result), log);
        exit(1);
    }
    nvrtcGetCUBINSize(program, &bytes);
    char *image = malloc(bytes);
    nvrtcGetCUBIN(program, image);
    nvrtcDestroyProgram(&program);
    return image;
}

int
main(void)
{
    enum { N = 1000, THREADS = 128 };
    static float a[N], b[N], c[N];
    CUdeviceptr memory[3];
    CUdevice device;
    CUcontext ctx;
    CUmodule module;
    CUfunction add;
    int n = N;

    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * (float)i;
    }
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&ctx, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(ctx), "cuCtxSetCurrent");
    char *image = compile();
    check(cuModuleLoadData(&module, image), "cuModuleLoadData");
    free(image);
    check(cuModuleGetFunction(&add, module, "add"), "cuModuleGetFunction");
    for (int i = 0; i < 3; i++) {
        check(cuMemAlloc(&memory[i], sizeof a), "cuMemAlloc");
    }
    check(cuMemcpyHtoD(memory[1], a, sizeof a), "cuMemcpyHtoD");
    check(cuMemcpyHtoD(memory[2], b, sizeof b), "cuMemcpyHtoD");

    void *parameters[] = {&memory[0], &memory[1], &memory[2], &n};
    check(cuLaunchKernel(add, (N + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1,
                         0, NULL, parameters, NULL),
          "cuLaunchKernel");
    check(cuMemcpyDtoH(c, memory[0], sizeof c), "cuMemcpyDtoH");
    for (int i = 0; i < N; i++) {
        if (c[i] != 3.0f * (float)i) {
            fprintf(stderr, "element %d is %g\n", i, (double)c[i]);
            return 1;
        }
    }
    check(cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease");
    puts("Success");
    return 0;
}
