/* link.c - several translation units are linked to one module; libraries.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "native.h"

static const char one[] = "extern __device__ int twice(int x);\n"
                          "extern \"C\" __global__ void run(int *out)\n"
                          "{ out[threadIdx.x] = twice(threadIdx.x); }\n";
static const char two[] = "__device__ int twice(int x) { return 2 * x; }\n";

/* Relocatable code that can be linked: text, or with `lto` LTO code. */
static char *
compile_part(const char *source, bool lto, size_t *bytes)
{
    nvrtcProgram program;
    int major = 7, minor = 0;
    char arch[64], *image;

    OK(cu.cuDeviceGetAttribute(
        &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    OK(cu.cuDeviceGetAttribute(
        &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    snprintf(arch, sizeof arch, "--gpu-architecture=compute_%d%d", major,
             minor);
    const char *kind = lto ? "-dlto" : "--relocatable-device-code=true";
    const char *options[] = {arch, kind};
    CHECK(!rtc.nvrtcCreateProgram(&program, source, "part.cu", 0, NULL, NULL));
    CHECK(!rtc.nvrtcCompileProgram(program, 2, options));
    CHECK(!(lto ? rtc.nvrtcGetLTOIRSize(program, bytes)
                : rtc.nvrtcGetPTXSize(program, bytes)));
    image = malloc(*bytes);
    CHECK(!(lto ? rtc.nvrtcGetLTOIR(program, image)
                : rtc.nvrtcGetPTX(program, image)));
    CHECK(!rtc.nvrtcDestroyProgram(&program));
    return image;
}

/* Two parts; `lto` says for each whether it is LTO code. */
static void
test_link(bool lto_one, bool lto_two)
{
    char log[4096] = "", *parts[2];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log}, *image;
    int host[32];
    size_t bytes[2], linked;
    CUlinkState state;
    CUmodule module;
    CUdeviceptr out;
    void *parameters[] = {&out};

    parts[0] = compile_part(one, lto_one, &bytes[0]);
    parts[1] = compile_part(two, lto_two, &bytes[1]);
    OK(cu.cuLinkCreate(2, options, values, &state));
    for (int i = 0; i < 2; i++) {
        bool lto = i ? lto_two : lto_one;

        OK(cu.cuLinkAddData(state, lto ? CU_JIT_INPUT_NVVM : CU_JIT_INPUT_PTX,
                            parts[i], bytes[i], "part", 0, NULL, NULL));
        free(parts[i]);
    }
    OK(cu.cuLinkComplete(state, &image, &linked));
    CHECK(linked > 0);
    OK(cu.cuModuleLoadData(&module, image));
    OK(cu.cuLinkDestroy(state));
    OK(cu.cuMemAlloc(&out, sizeof host));
    OK(native_launch(native_function(module, "run"), 1, 32, NULL, parameters));
    OK(cu.cuMemcpyDtoH(host, out, sizeof host));
    for (int i = 0; i < 32; i++) {
        CHECK(host[i] == 2 * i);
    }
    OK(cu.cuMemFree(out));
    OK(cu.cuModuleUnload(module));
}

/* A unit with an undefined function does not link, and the log names it. */
static void
test_missing(void)
{
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log}, *image;
    CUlinkState state;
    size_t bytes;
    char *part = compile_part(one, false, &bytes);

    OK(cu.cuLinkCreate(2, options, values, &state));
    OK(cu.cuLinkAddData(state, CU_JIT_INPUT_PTX, part, bytes, "part", 0, NULL,
                        NULL));
    CHECK(cu.cuLinkComplete(state, &image, &bytes) != CUDA_SUCCESS);
    CHECK(strstr(log, "twice") != NULL);
    OK(cu.cuLinkDestroy(state));
    /* After the link, the log's size variables have the used sizes. */
    size_t used = (size_t)values[1];
    CHECK(!native_on_cpu || used == strlen(log));
    free(part);
}

/* The target "ptx" can be loaded unchanged. */
static void
test_library(void)
{
    char *image =
        native_compile("extern \"C\" __global__ void k(int a, char b)\n"
                       "{ }\n",
                       1, NULL);
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    size_t offset, bytes;

    OK(cu.cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    free(image);
    OK(cu.cuLibraryGetKernel(&kernel, library, "k"));
    OK(cu.cuKernelGetFunction(&function, kernel));
    OK(cu.cuFuncGetParamInfo(function, 1, &offset, &bytes));
    CHECK(offset == 4 && bytes == 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuFuncGetParamInfo(function, 2, &offset, &bytes));
    EXPECT(CUDA_ERROR_NOT_FOUND,
           cu.cuLibraryGetKernel(&kernel, library, "none"));
    OK(cu.cuLibraryUnload(library));
}

int
main(int argc, char **argv)
{
    native_start(argc, argv);
    CUcontext ctx = native_context();

    test_link(false, false);
    if (native_on_cpu) { /* the driver of CUDA 13 leaves LTO to nvJitLink */
        test_link(true, true);
        test_link(true, false);
    }
    test_missing();
    test_library();
    OK(cu.cuCtxDestroy(ctx));
    return native_end("link");
}
