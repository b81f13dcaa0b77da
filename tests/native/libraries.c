/* libraries.c - kernels of libraries, which belong to no context.
 *
 * Also queries that need no context, and the names of all errors.
 *
 * SPDX-License-Identifier: MIT */
#include "native.h"

static const char source[] =
    "extern \"C\" {\n"
    "__global__ void add(int *x, int y) { *x += y; }\n"
    "__global__ void other(double z) { }\n"
    "__device__ int seven = 7;\n"
    "}\n";

/* On the CPU library, nothing in this function has a current context. */
static CUlibrary
without_context(const char *image)
{
    CUlibrary library = NULL, same = NULL;
    CUkernel kernel = NULL, kernels[2] = {0}, none = NULL;
    const char *name = NULL;
    unsigned count = 0;
    int threads = 0;

    OK(cu.cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    OK(cu.cuLibraryGetKernelCount(&count, library));
    CHECK(count == 2);
    OK(cu.cuLibraryGetKernel(&kernel, library, "add"));
    OK(cu.cuLibraryEnumerateKernels(kernels, 2, library));
    CHECK(kernels[0] == kernel || kernels[1] == kernel);
    CHECK(kernels[0] != kernels[1]);
    EXPECT(CUDA_ERROR_NOT_FOUND,
           cu.cuLibraryGetKernel(&none, library, "missing"));
    OK(cu.cuKernelGetLibrary(&same, kernel));
    CHECK(same == library);
    OK(cu.cuKernelGetName(&name, kernel));
    CHECK(name && !strcmp(name, "add"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuKernelGetName(&name, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuFuncGetName(&name, NULL));
    OK(cu.cuKernelGetAttribute(
        &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    CHECK(threads >= 32);
    return library;
}

/* A kernel represents the function of the current context, also in a launch;
 * attributes set for a device belong to the function. */
static void
in_contexts(CUlibrary library)
{
    CUkernel kernel = NULL;
    CUcontext ctx[2];
    CUfunction functions[2] = {0};
    int value = 0;

    OK(cu.cuLibraryGetKernel(&kernel, library, "add"));
    OK(cu.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               50000, kernel, 0));
    for (int i = 0; i < 2; i++) {
        CUdeviceptr x = 0;
        int y = 4, result = 0;
        void *arguments[] = {&x, &y};

        OK(cu.cuCtxCreate(&ctx[i], 0, 0));
        OK(cu.cuKernelGetFunction(&functions[i], kernel));
        OK(cu.cuFuncGetAttribute(
            &value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            functions[i]));
        CHECK(value == 50000);
        OK(cu.cuMemAlloc(&x, 4));
        OK(cu.cuMemsetD32(x, 1, 1));
        OK(native_launch((CUfunction)kernel, 1, 1, NULL, arguments));
        OK(native_launch(functions[i], 1, 1, NULL, arguments));
        OK(cu.cuMemcpyDtoH(&result, x, 4));
        CHECK(result == 9);
    }
    CHECK(functions[0] != functions[1]);
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE,
                   cu.cuKernelSetAttribute(
                       CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                       1 << 30, kernel, 0));
    OK(cu.cuCtxDestroy(ctx[1]));
    OK(cu.cuCtxDestroy(ctx[0]));
}

static void
pointers(void)
{
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    unsigned type = 0;
    size_t bytes = 0;
    void *data[] = {&type, &bytes};
    CUcontext ctx = NULL, popped = NULL;
    CUdeviceptr x = 0;

    OK(cu.cuCtxCreate(&ctx, 0, 0));
    OK(cu.cuMemAlloc(&x, 512));
    OK(cu.cuCtxPopCurrent(&popped));
    OK(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, x));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    type = 0;
    OK(cu.cuPointerGetAttributes(2, which, data, x));
    CHECK(type == CU_MEMORYTYPE_DEVICE && bytes >= 512);
    OK(cu.cuCtxDestroy(ctx));
}

#define ERROR_NAME(name, value, text)                                         \
    told = NULL;                                                              \
    OK(cu.cuGetErrorName(name, &told));                                       \
    CHECK(told && !strcmp(told, #name));                                      \
    OK(cu.cuGetErrorString(name, &told));                                     \
    CHECK(told &&*told);

static void
errors(void)
{
    const char *told = NULL;

    CUDA_RESULT_ROWS(ERROR_NAME)
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuGetErrorName((CUresult)77777, &told));
}

int
main(int argc, char **argv)
{
    CUcontext ctx = NULL;

    native_start(argc, argv);
    OK(cu.cuInit(0));
    OK(cu.cuCtxCreate(&ctx, 0, 0));
    char *image = native_compile(source, 0, NULL);
    OK(cu.cuCtxDestroy(ctx));
    CUlibrary library = without_context(image);
    in_contexts(library);
    OK(cu.cuLibraryUnload(library));
    pointers();
    errors();
    free(image);
    return native_end("libraries");
}
