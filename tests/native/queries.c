/* queries.c - queries of objects, and functions that pycuda.driver does not
 * call.
 *
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <unistd.h>

#include "native.h"

static const char source[] =
    "extern \"C\" {\n"
    "__device__ int number = 5;\n"
    "__managed__ int shown = 6;\n"
    "__global__ void put(int *x, short y) { *x = y + number + shown; }\n"
    "__global__ void other(int *x)\n"
    "{ __shared__ int s[64]; s[threadIdx.x] = *x; __syncthreads();\n"
    "  *x = s[63 - threadIdx.x]; }\n"
    "}\n";

static void
devices(void)
{
    CUuuid uuid = {{0}}, repeated = {{1}};
    int major = 0, minor = 0, wanted = 0, value = -1;

    OK(cu.cuDeviceGetUuid(&uuid, 0));
    OK(cu.cuDeviceGetUuid(&repeated, 0));
    CHECK(!memcmp(&uuid, &repeated, sizeof uuid));
    CUuuid none = {{0}};
    CHECK(memcmp(&uuid, &none, sizeof uuid));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cu.cuDeviceGetUuid(&uuid, 1000));
    OK(cu.cuDeviceGetAttribute(
        &wanted, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    OK(cu.cuDeviceComputeCapability(&major, &minor, 0));
    CHECK(major == wanted && major > 0);
    OK(cu.cuDeviceGetAttribute(
        &wanted, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    CHECK(minor == wanted);
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           cu.cuDeviceComputeCapability(&major, &minor, 1000));
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           cu.cuDeviceGetP2PAttribute(
               &value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1000));
    int count = 0;
    char bus[32] = "";
    CUdevice device = 99;
    OK(cu.cuDeviceGetPCIBusId(bus, sizeof bus, 0));
    OK(cu.cuDeviceGetByPCIBusId(&device, bus));
    CHECK(device == 0);
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE,
                   cu.cuDeviceGetByPCIBusId(&device, "nowhere"));
    EXPECT_REFUSED(CUDA_ERROR_INVALID_DEVICE,
                   cu.cuDeviceGetByPCIBusId(&device, "7fff:00:00.0"));
    OK(cu.cuDeviceGetCount(&count));
    if (native_on_cpu && count > 1) {
        OK(cu.cuDeviceGetP2PAttribute(
            &value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
        CHECK(value == 1);
        OK(cu.cuDeviceGetP2PAttribute(
            &value, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 0, 1));
        CHECK(value == 0);
    }
}

static void
errors(void)
{
    const char *name = NULL;

    OK(cu.cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name));
    CHECK(name && !strcmp(name, "CUDA_ERROR_OUT_OF_MEMORY"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuGetErrorName(123456, &name));
    CHECK(name == NULL);
}

static void
contexts(CUcontext ctx)
{
    unsigned flags = 99, version = 0;
    int least = 99, greatest = 99;
    CUsharedconfig width = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
    unsigned long long id = 0, other_id = 0;
    CUcontext other = NULL;
    CUdevice device = 99;

    OK(cu.cuCtxGetDevice(&device));
    CHECK(device == 0);
    OK(cu.cuCtxGetId(ctx, &id));
    OK(cu.cuCtxGetId(NULL, &other_id));
    CHECK(id == other_id);
    OK(cu.cuCtxGetApiVersion(ctx, &version));
    CHECK(version >= 3000);
    OK(cu.cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest <= 0);
    OK(cu.cuCtxGetSharedMemConfig(&width));
    CHECK(width == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE ||
          width == CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
    OK(cu.cuCtxCreate(&other, CU_CTX_SCHED_BLOCKING_SYNC, 0));
    OK(cu.cuCtxGetFlags(&flags));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    OK(cu.cuCtxGetId(NULL, &other_id));
    CHECK(id != other_id);
    if (native_on_cpu) { /* a GPU accepts some flags only */
        OK(cu.cuCtxSetFlags(CU_CTX_SCHED_SPIN));
        OK(cu.cuCtxGetFlags(&flags));
        CHECK(flags == CU_CTX_SCHED_SPIN);
        EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuCtxSetFlags(1u << 20));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuCtxGetId(NULL, NULL));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuCtxGetFlags(NULL));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuCtxSetSharedMemConfig(77));
    }
    OK(cu.cuCtxDestroy(other));
}

static void
primary(void)
{
    unsigned flags = 99;
    int active = -1;
    CUcontext ctx = NULL;

    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           cu.cuDevicePrimaryCtxSetFlags(1000, CU_CTX_SCHED_YIELD));
    OK(cu.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    OK(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_YIELD && !active);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuDevicePrimaryCtxSetFlags(0, 1u << 20));
    OK(cu.cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 1);
    OK(cu.cuDevicePrimaryCtxReset(0));
    OK(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 0);
}

static void CUDA_CB
count_up(CUstream stream, CUresult status, void *data)
{
    struct {
        CUstream stream;
        int calls;
    } *seen = data;

    seen->stream = stream;
    seen->calls += status == CUDA_SUCCESS;
}

static void
streams(CUcontext ctx)
{
    struct {
        CUstream stream;
        int calls;
    } seen = {NULL, 0};
    CUstream stream = NULL, second = NULL;
    CUcontext of = NULL;
    CUdevice device = 99;
    unsigned long long id = 0, other = 0;

    OK(cu.cuStreamCreate(&stream, 0));
    OK(cu.cuStreamCreate(&second, 0));
    OK(cu.cuStreamGetCtx(stream, &of));
    CHECK(of == ctx);
    OK(cu.cuStreamGetId(stream, &id));
    OK(cu.cuStreamGetId(second, &other));
    CHECK(id != other);
    if (cu.cuStreamGetDevice) { /* CUDA 12.8 */
        OK(cu.cuStreamGetDevice(stream, &device));
        CHECK(device == 0);
    }
    OK(cu.cuStreamAddCallback(stream, count_up, &seen, 0));
    OK(cu.cuStreamAddCallback(stream, count_up, &seen, 0));
    OK(cu.cuStreamSynchronize(stream));
    CHECK(seen.calls == 2 && seen.stream == stream);
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuStreamAddCallback(stream, NULL, &seen, 0));
    OK(cu.cuStreamDestroy(second));
    OK(cu.cuStreamDestroy(stream));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE, cu.cuStreamGetCtx(stream, &of));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE, cu.cuStreamGetId(stream, &id));
}

static void
functions(CUmodule module)
{
    CUfunction put = native_function(module, "put"), found[2] = {NULL, NULL};
    CUfunction other = native_function(module, "other");
    CUmodule of = NULL;
    CUfunctionLoadingState state = 99;
    CUmoduleLoadingMode mode = 0;
    unsigned count = 0;
    int blocks = 0, plain = 0, threads = 0, grid = 0;
    size_t room = 0;

    OK(cu.cuFuncGetModule(&of, put));
    CHECK(of == module);
    OK(cu.cuFuncLoad(put));
    OK(cu.cuFuncIsLoaded(&state, put));
    CHECK(state == CU_FUNCTION_LOADING_STATE_LOADED);
    OK(cu.cuFuncSetCacheConfig(put, CU_FUNC_CACHE_PREFER_L1));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE, cu.cuFuncLoad((CUfunction)module));
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE, cu.cuFuncSetCacheConfig(put, 77));
    OK(cu.cuModuleGetFunctionCount(&count, module));
    CHECK(count == 2);
    OK(cu.cuModuleEnumerateFunctions(found, 2, module));
    CHECK(found[0] && found[1] && found[0] != found[1]);
    OK(cu.cuModuleGetLoadingMode(&mode));
    CHECK(mode == CU_MODULE_EAGER_LOADING || mode == CU_MODULE_LAZY_LOADING);
    OK(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&plain, other, 64, 0));
    OK(cu.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, other,
                                                               64, 0, 0));
    CHECK(blocks == plain && blocks > 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
               &blocks, other, 64, 0, 77));
    OK(cu.cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &threads, other,
                                                    NULL, 0, 128, 0));
    CHECK(threads == 128 && grid > 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &threads, other,
                                                        NULL, 0, 0, 77));
    OK(cu.cuOccupancyAvailableDynamicSMemPerBlock(&room, other, 1, 64));
    CHECK(room > 32 << 10);
    size_t less = room;
    OK(cu.cuOccupancyAvailableDynamicSMemPerBlock(&less, other, 8, 64));
    CHECK(less > 0 && less < room);
    if (native_on_cpu) {
        OK(cu.cuFuncSetSharedMemConfig(
            put, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuFuncSetSharedMemConfig(put, 9));
        EXPECT(
            CUDA_ERROR_INVALID_VALUE,
            cu.cuOccupancyAvailableDynamicSMemPerBlock(&room, other, 0, 64));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuFuncGetModule(NULL, put));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuFuncIsLoaded(NULL, put));
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               cu.cuModuleGetFunctionCount(NULL, module));
    }
}

/* The kernel of a library, its attributes and parameters. */
static void
kernel_of(CUlibrary library)
{
    CUkernel kernel = NULL;
    const char *name = NULL;
    size_t offset = 99, bytes = 0;
    int value = -1;

    OK(cu.cuLibraryGetKernel(&kernel, library, "put"));
    OK(cu.cuKernelGetName(&name, kernel));
    CHECK(name && !strcmp(name, "put"));
    OK(cu.cuKernelGetParamInfo(kernel, 1, &offset, &bytes));
    CHECK(offset == 8 && bytes == 2);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuKernelGetParamInfo(kernel, 2, &offset, &bytes));
    CUfunction_attribute dynamic =
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    OK(cu.cuKernelSetAttribute(dynamic, 60 << 10, kernel, 0));
    OK(cu.cuKernelGetAttribute(&value, dynamic, kernel, 0));
    CHECK(value == 60 << 10);
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           cu.cuKernelGetAttribute(&value, dynamic, kernel, 1000));
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           cu.cuKernelSetAttribute(dynamic, 0, kernel, 1000));
    OK(cu.cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           cu.cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 1000));
}

/* Errors are reported when a library is loaded, with their text. */
static void
damaged_library(const char *image, size_t size)
{
    CUlibrary library = NULL;
    char text[200] = "", *damaged = malloc(size);
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {text, (void *)(uintptr_t)sizeof text};

    memcpy(damaged, image, size);
    damaged[size / 2] ^= 1;
    EXPECT(CUDA_ERROR_INVALID_IMAGE,
           cu.cuLibraryLoadData(&library, damaged, options, values, 2, NULL,
                                NULL, 0));
    CHECK(strstr(text, "image"));
    free(damaged);
}

static void
libraries(const char *image, size_t size)
{
    CUlibrary library = NULL;
    CUmodule module = NULL;
    CUkernel kernels[2] = {NULL, NULL};
    CUdeviceptr pointer = 0, shown = 0;
    size_t bytes = 0;
    unsigned count = 0;
    int value = 0;
    char path[] = "/tmp/native-queries-XXXXXX";
    int file = mkstemp(path);

    CHECK(write(file, image, size) == (ssize_t)size);
    close(file);
    EXPECT(CUDA_ERROR_FILE_NOT_FOUND,
           cu.cuLibraryLoadFromFile(&library, "/no such file", NULL, NULL, 0,
                                    NULL, NULL, 0));
    if (native_on_cpu) { /* a folder and a checksum */
        damaged_library(image, size);
        EXPECT(CUDA_ERROR_FILE_NOT_FOUND,
               cu.cuLibraryLoadFromFile(&library, "/tmp", NULL, NULL, 0, NULL,
                                        NULL, 0));
    }
    OK(cu.cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    remove(path);
    OK(cu.cuLibraryGetKernelCount(&count, library));
    CHECK(count == 2);
    OK(cu.cuLibraryEnumerateKernels(kernels, 2, library));
    CHECK(kernels[0] && kernels[1] && kernels[0] != kernels[1]);
    OK(cu.cuLibraryGetModule(&module, library));
    CHECK(module);
    OK(cu.cuLibraryGetGlobal(&pointer, &bytes, library, "number"));
    CHECK(bytes == sizeof value);
    OK(cu.cuMemcpyDtoH(&value, pointer, sizeof value));
    CHECK(value == 5);
    OK(cu.cuLibraryGetManaged(&shown, &bytes, library, "shown"));
    CHECK(bytes == sizeof value && *(int *)(uintptr_t)shown == 6);
    EXPECT(CUDA_ERROR_NOT_FOUND,
           cu.cuLibraryGetManaged(&shown, &bytes, library, "number"));
    EXPECT(CUDA_ERROR_NOT_FOUND,
           cu.cuLibraryGetGlobal(&pointer, &bytes, library, "nowhere"));
    kernel_of(library);
    OK(cu.cuLibraryUnload(library));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE,
                 cu.cuLibraryGetModule(&module, library));
}

/* Queries about memory of one context, made in another one. */
static void
context_of(CUdeviceptr pointer)
{
    CUpointer_attribute name = CU_POINTER_ATTRIBUTE_CONTEXT;
    CUcontext here = NULL, told = NULL, other = NULL;
    void *data[] = {&told};

    OK(cu.cuCtxGetCurrent(&here));
    OK(cu.cuPointerGetAttributes(1, &name, data, pointer));
    CHECK(told && told == here);
    OK(cu.cuCtxCreate(&other, 0, 0));
    told = NULL;
    OK(cu.cuPointerGetAttributes(1, &name, data, pointer));
    CHECK(told == here);
    OK(cu.cuCtxDestroy(other));
}

static void
memory(void)
{
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED};
    unsigned type = 99, managed = 99;
    int ordinal = 99, word = 0x01020304, back = 0, one = 1;
    void *data[] = {&type, &ordinal, &managed}, *host = NULL;
    CUdeviceptr pointer = 0, other = 0, shown = 0;

    OK(cu.cuMemAlloc(&pointer, 4));
    OK(cu.cuMemAlloc(&other, 4));
    OK(cu.cuMemcpyHtoD(pointer, &word, 4));
    OK(cu.cuPointerGetAttributes(3, names, data, pointer));
    CHECK(type == CU_MEMORYTYPE_DEVICE && ordinal == 0 && managed == 0);
    context_of(pointer);
    OK(cu.cuPointerGetAttributes(3, names, data, (CUdeviceptr)&word));
    CHECK(type == 0 && managed == 0);
    OK(cu.cuPointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                                pointer));
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuPointerSetAttribute(
                    NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, pointer));
    OK(cu.cuMemcpy(other, pointer, 4));
    OK(cu.cuMemcpy((CUdeviceptr)&back, other, 4));
    CHECK(back == word);
    OK(cu.cuMemAllocHost(&host, 4));
    OK(cu.cuMemcpyAsync((CUdeviceptr)host, pointer, 4, NULL));
    OK(cu.cuCtxSynchronize());
    CHECK(*(int *)host == word);
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE, cu.cuMemAllocHost(NULL, 4));
    EXPECT_STALE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                 cu.cuMemHostRegister(host, 4, 0));
    OK(cu.cuMemAllocManaged(&shown, 4, CU_MEM_ATTACH_GLOBAL));
    OK(cu.cuPointerGetAttributes(3, names, data, shown));
    CHECK(managed == 1);
    OK(cu.cuMemFree(shown));
    OK(cu.cuMemFreeHost(host));
    OK(cu.cuMemFree(other));
    OK(cu.cuMemFree(pointer));
}

static void
array_copies(void)
{
    CUDA_ARRAY_DESCRIPTOR shape = {8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUarray array = NULL;
    unsigned char *host = NULL;

    OK(cu.cuArrayCreate(&array, &shape));
    OK(cu.cuMemAllocHost((void **)&host, 16));
    memcpy(host, "abcdefgh--------", 16);
    OK(cu.cuMemcpyHtoAAsync(array, 2, host, 4, NULL));
    OK(cu.cuMemcpyAtoHAsync(host + 8, array, 3, 3, NULL));
    OK(cu.cuCtxSynchronize());
    CHECK(!memcmp(host, "abcdefghbcd-----", 16));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuMemcpyHtoAAsync(array, 6, host, 4, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuMemcpyAtoHAsync(host, array, 6, 4, NULL));
    OK(cu.cuMemFreeHost(host));
    OK(cu.cuArrayDestroy(array));
}

static void
texture_objects(void)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_RESOURCE_DESC resource = {0}, found = {0};
    CUDA_TEXTURE_DESC how = {0}, told = {0};
    CUtexObject texture = 0;
    CUsurfObject surface = 0;

    OK(cu.cuArray3DCreate(&resource.res.array.hArray, &shape));
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
    how.filterMode = CU_TR_FILTER_MODE_LINEAR;
    how.borderColor[2] = 2.5f;
    OK(cu.cuTexObjectCreate(&texture, &resource, &how, NULL));
    OK(cu.cuTexObjectGetResourceDesc(&found, texture));
    CHECK(found.resType == CU_RESOURCE_TYPE_ARRAY &&
          found.res.array.hArray == resource.res.array.hArray);
    OK(cu.cuTexObjectGetTextureDesc(&told, texture));
    CHECK(told.addressMode[1] == CU_TR_ADDRESS_MODE_BORDER);
    CHECK(told.filterMode == CU_TR_FILTER_MODE_LINEAR);
    if (native_on_cpu) { /* NVIDIA's driver returns zeros */
        CHECK(told.borderColor[2] == 2.5f);
    }
    OK(cu.cuSurfObjectCreate(&surface, &resource));
    memset(&found, 0, sizeof found);
    OK(cu.cuSurfObjectGetResourceDesc(&found, surface));
    CHECK(found.res.array.hArray == resource.res.array.hArray);
    OK(cu.cuSurfObjectDestroy(surface));
    OK(cu.cuTexObjectDestroy(texture));
    if (native_on_cpu) {
        CHECK(cu.cuTexObjectGetResourceDesc(&found, texture));
        CHECK(cu.cuTexObjectGetTextureDesc(&told, texture));
        CHECK(cu.cuSurfObjectGetResourceDesc(&found, surface));
    }
    OK(cu.cuArrayDestroy(resource.res.array.hArray));
}

static void
pools(void)
{
    CUmemPoolProps properties = {0};
    CUmemoryPool made = NULL, first = NULL, found = NULL;

    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    OK(cu.cuDeviceGetMemPool(&first, 0));
    OK(cu.cuMemPoolCreate(&made, &properties));
    OK(cu.cuDeviceSetMemPool(0, made));
    OK(cu.cuDeviceGetMemPool(&found, 0));
    CHECK(found == made && made != first);
    OK(cu.cuDeviceSetMemPool(0, first));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuDeviceSetMemPool(1000, first));
    OK(cu.cuMemPoolTrimTo(made, 0));
    OK(cu.cuMemPoolDestroy(made));
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE, cu.cuMemPoolTrimTo(made, 0));
}

static void
capture_modes(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    OK(cu.cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cu.cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuThreadExchangeStreamCaptureMode(NULL));
    mode = 77; /* NVIDIA's driver may index a table with it */
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE,
                 cu.cuThreadExchangeStreamCaptureMode(&mode));
}

int
main(int argc, char **argv)
{
    size_t size = 0;

    native_start(argc, argv);
    OK(cu.cuInit(0));
    primary();
    CUcontext ctx = native_context();
    devices();
    errors();
    contexts(ctx);
    streams(ctx);
    char *image = native_compile(source, 0, &size);
    CUmodule module = NULL;
    OK(cu.cuModuleLoadData(&module, image));
    functions(module);
    CUfunction gone = native_function(module, "put");
    OK(cu.cuModuleUnload(module));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE, cu.cuFuncLoad(gone));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE,
                 cu.cuModuleGetFunction(&gone, module, "put"));
    if (native_on_cpu) { /* the CPU library has one kind of image */
        OK(cu.cuModuleLoadFatBinary(&module, image));
        native_function(module, "put");
        OK(cu.cuModuleUnload(module));
        EXPECT(CUDA_ERROR_INVALID_IMAGE,
               cu.cuModuleLoadFatBinary(&module, "no image"));
    }
    libraries(image, size);
    free(image);
    memory();
    array_copies();
    texture_objects();
    pools();
    capture_modes();
    return native_end("queries");
}
