/* mapping.c - virtual memory management, pools by location, memory advice.
 *
 * Also managed memory, and batches of copies.
 *
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <unistd.h>

#include "native.h"

static const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

static CUmemAllocationProp
properties(void)
{
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .requestedHandleTypes =
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                 .location = here};
}

/* One allocation mapped at two addresses; a reservation that grows. */
static void
mapped(void)
{
    CUmemAllocationProp prop = properties(), told = {0};
    CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memory = 0, same = 0;
    CUdeviceptr base = 0;
    unsigned long long flags = 0;
    size_t unit = 0;

    OK(cu.cuMemGetAllocationGranularity(&unit, &prop,
                                        CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(unit && (unit & (unit - 1)) == 0);
    OK(cu.cuMemAddressReserve(&base, 2 * unit, 0, 0, 0));
    OK(cu.cuMemCreate(&memory, unit, &prop, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemCreate(&same, 12345, &prop, 0));
    OK(cu.cuMemMap(base, unit, 0, memory, 0));
    OK(cu.cuMemMap(base + unit, unit, 0, memory, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemMap(base, unit, 0, memory, 0));
    OK(cu.cuMemGetAccess(&flags, &here, base));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD32(base, 1, 1));
    OK(cu.cuMemSetAccess(base, 2 * unit, &access, 1));
    OK(cu.cuMemGetAccess(&flags, &here, base));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cu.cuMemsetD32(base, 77, unit / 4));
    OK(cu.cuCtxSynchronize());
    CHECK(native_read_int(base + unit) == 77);
    CHECK(native_read_int(base + 2 * unit - 4) == 77);
    OK(cu.cuMemGetAllocationPropertiesFromHandle(&told, memory));
    CHECK(told.location.type == here.type && told.location.id == here.id);
    OK(cu.cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)base));
    OK(cu.cuMemRelease(same));
    OK(cu.cuMemRelease(memory)); /* the memory remains while it is mapped */
    CHECK(native_read_int(base) == 77);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemAddressFree(base, 2 * unit));
    OK(cu.cuMemUnmap(base, unit));
    CHECK(native_read_int(base + unit) == 77);
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD32(base, 1, 1));
    OK(cu.cuMemUnmap(base + unit, unit));
    OK(cu.cuMemAddressFree(base, 2 * unit));
}

/* Memory exported through a file descriptor. */
static void
exported(void)
{
    CUmemAllocationProp prop = properties();
    CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memory = 0, imported = 0;
    CUdeviceptr one = 0, two = 0;
    size_t unit = 0;
    int fd = -1;

    OK(cu.cuMemGetAllocationGranularity(&unit, &prop,
                                        CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cu.cuMemCreate(&memory, unit, &prop, 0));
    OK(cu.cuMemExportToShareableHandle(
        &fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cu.cuMemImportFromShareableHandle(
        &imported, (void *)(intptr_t)fd,
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    OK(cu.cuMemAddressReserve(&one, unit, 0, 0, 0));
    OK(cu.cuMemAddressReserve(&two, unit, 0, 0, 0));
    OK(cu.cuMemMap(one, unit, 0, memory, 0));
    OK(cu.cuMemMap(two, unit, 0, imported, 0));
    OK(cu.cuMemSetAccess(one, unit, &access, 1));
    OK(cu.cuMemSetAccess(two, unit, &access, 1));
    OK(cu.cuMemsetD32(one, 5, 1));
    OK(cu.cuCtxSynchronize());
    CHECK(native_read_int(two) == 5);
    OK(cu.cuMemUnmap(one, unit));
    OK(cu.cuMemUnmap(two, unit));
    OK(cu.cuMemRelease(memory));
    OK(cu.cuMemRelease(imported));
    OK(cu.cuMemAddressFree(one, unit));
    OK(cu.cuMemAddressFree(two, unit));
}

/* ---- pools ---- */

static void
pools(void)
{
    CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_DEVICE, 99};
    CUmemLocation device = here;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = here};
    CUmemAccessDesc none = {here, CU_MEM_ACCESS_FLAGS_PROT_NONE};
    CUmemAccess_flags flags = 0;
    CUmemoryPool pool = NULL, other = NULL;
    CUdeviceptr pointer = 0;
    int reuse = 0;

    OK(cu.cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cu.cuMemPoolGetAccess(&flags, pool, &device));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE,
                   cu.cuMemPoolSetAccess(pool, &none, 1));
    OK(cu.cuMemPoolCreate(&pool, &props));
    OK(cu.cuMemPoolSetAttribute(
        pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse));
    reuse = 7;
    OK(cu.cuMemPoolGetAttribute(
        pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse));
    CHECK(reuse == 0);
    if (cu.cuMemGetDefaultMemPool) { /* CUDA 13 */
        OK(cu.cuDeviceGetDefaultMemPool(&other, 0));
        CUmemoryPool same = NULL;
        OK(cu.cuMemGetDefaultMemPool(&same, &device,
                                     CU_MEM_ALLOCATION_TYPE_PINNED));
        CHECK(same == other);
        OK(cu.cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
        OK(cu.cuDeviceGetMemPool(&same, 0));
        CHECK(same == pool);
        OK(cu.cuDeviceSetMemPool(0, other));
        EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE,
                       cu.cuMemGetMemPool(&same, &nowhere,
                                          CU_MEM_ALLOCATION_TYPE_PINNED));
    }
    OK(cu.cuMemAllocFromPoolAsync(&pointer, 64, pool, NULL));
    OK(cu.cuMemFreeAsync(pointer, NULL));
    OK(cu.cuCtxSynchronize());
    OK(cu.cuMemPoolDestroy(pool));
}

/* Host memory and managed memory, from pools of their own. */
static void
other_pools(void)
{
    static const CUmemPoolProps kinds[] = {
        {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
         .location = {CU_MEM_LOCATION_TYPE_HOST, 0}},
        {.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED,
         .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
    };

    for (int i = 0; i < 2; i++) {
        CUmemoryPool pool = NULL;
        CUdeviceptr pointer = 0;
        unsigned managed = 7;

        OK(cu.cuMemPoolCreate(&pool, &kinds[i]));
        OK(cu.cuMemAllocFromPoolAsync(&pointer, 64, pool, NULL));
        OK(cu.cuCtxSynchronize());
        OK(cu.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                    pointer));
        CHECK(managed == (unsigned)i);
        *(int *)(uintptr_t)pointer = 9; /* accessible to the host too */
        CHECK(native_read_int(pointer) == 9);
        OK(cu.cuMemFreeAsync(pointer, NULL));
        OK(cu.cuCtxSynchronize());
        OK(cu.cuMemPoolDestroy(pool));
    }
}

/* ---- advice ---- */

static int
told(CUdeviceptr pointer, size_t bytes, CUmem_range_attribute attribute)
{
    int value = 99;

    OK(cu.cuMemRangeGetAttribute(&value, sizeof value, attribute, pointer,
                                 bytes));
    return value;
}

static void
advice(void)
{
    enum { PAGE = 65536, BYTES = 4 * PAGE };
    CUmem_range_attribute both[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                    CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY};
    int one = 7, devices[3] = {7, 7, 7};
    void *data[] = {&one, devices};
    size_t sizes[] = {sizeof one, sizeof devices};
    CUdeviceptr x = 0;

    OK(cu.cuMemAllocManaged(&x, BYTES, CU_MEM_ATTACH_GLOBAL));
    CHECK(!told(x, BYTES, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
    OK(cu.cuMemAdvise(x, PAGE, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    CHECK(told(x, PAGE, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 1);
    CHECK(told(x, BYTES, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 0);
    OK(cu.cuMemAdvise(x + PAGE, BYTES - PAGE, CU_MEM_ADVISE_SET_READ_MOSTLY,
                      0));
    CHECK(told(x, BYTES, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 1);
    OK(cu.cuMemAdvise(x, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
                      CU_DEVICE_CPU));
    CHECK(told(x, BYTES, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION) ==
          CU_DEVICE_CPU);
    OK(cu.cuMemAdvise(x + PAGE, PAGE, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
                      0));
    CHECK(told(x, BYTES, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION) ==
          CU_DEVICE_INVALID);
    OK(cu.cuMemAdvise(x, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
    OK(cu.cuMemRangeGetAttributes(data, sizes, both, 2, x, BYTES));
    CHECK(one == 1 && devices[0] == 0 && devices[1] == CU_DEVICE_INVALID);
    OK(cu.cuMemPrefetchAsync(x, BYTES, 0, NULL));
    OK(cu.cuCtxSynchronize());
    CHECK(told(x, BYTES, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION) == 0);
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE,
                   cu.cuMemRangeGetAttribute(
                       devices, sizeof devices,
                       CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, x, BYTES));
    OK(cu.cuMemFree(x));
    OK(cu.cuMemAlloc(&x, 64));
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE,
                   cu.cuMemAdvise(x, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(cu.cuMemFree(x));
}

/* ---- batches ---- */

static void
batches(void)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder =
                                         CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t sizes[] = {4, 8}, first = 0;
    CUdeviceptr x = 0;
    CUstream stream;

    if (!cu.cuMemcpyBatchAsync) { /* CUDA 13 */
        return;
    }
    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cu.cuMemAlloc(&x, 64));
    OK(cu.cuMemsetD32Async(x, 3, 4, stream));
    CUdeviceptr to[] = {x + 32, x + 40}, from[] = {x, x + 4};
    OK(cu.cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1,
                             stream));
    OK(cu.cuStreamSynchronize(stream));
    CHECK(native_read_int(x + 32) == 3 && native_read_int(x + 44) == 3);
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1,
                                 stream));
    OK(cu.cuMemFree(x));
    OK(cu.cuStreamDestroy(stream));
}

/* A box of 2 x 2 from rows of 4 bytes into an array and back. */
static void
boxes(void)
{
    CUDA_ARRAY_DESCRIPTOR shape = {.Width = 4,
                                   .Height = 4,
                                   .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                   .NumChannels = 1};
    unsigned char data[16], back[4] = {0};
    CUDA_MEMCPY3D_BATCH_OP one = {.extent = {2, 2, 1},
                                  .srcAccessOrder =
                                      CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    CUdeviceptr x = 0;
    CUarray array = NULL;
    CUstream stream;

    if (!cu.cuMemcpy3DBatchAsync) { /* CUDA 13 */
        return;
    }
    for (int i = 0; i < 16; i++) {
        data[i] = (unsigned char)i;
    }
    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cu.cuMemAlloc(&x, 32));
    OK(cu.cuMemcpyHtoD(x, data, 16));
    OK(cu.cuArrayCreate(&array, &shape));
    one.src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    one.src.op.ptr.ptr = x + 5;
    one.src.op.ptr.rowLength = 4;
    one.dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    one.dst.op.array.array = array;
    one.dst.op.array.offset.x = 1;
    one.dst.op.array.offset.y = 2;
    OK(cu.cuMemcpy3DBatchAsync(1, &one, 0, stream));
    one.src = one.dst;
    one.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    memset(&one.dst.op, 0, sizeof one.dst.op);
    one.dst.op.ptr.ptr = x + 16; /* contiguous */
    OK(cu.cuMemcpy3DBatchAsync(1, &one, 0, stream));
    OK(cu.cuStreamSynchronize(stream));
    OK(cu.cuMemcpyDtoH(back, x + 16, 4));
    CHECK(back[0] == 5 && back[1] == 6 && back[2] == 9 && back[3] == 10);
    one.extent.depth = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuMemcpy3DBatchAsync(1, &one, 0, stream));
    OK(cu.cuArrayDestroy(array));
    OK(cu.cuMemFree(x));
    OK(cu.cuStreamDestroy(stream));
}

int
main(int argc, char **argv)
{
    native_start(argc, argv);
    CUcontext ctx = native_context();
    mapped();
    exported();
    pools();
    if (native_on_cpu) { /* only the newest GPU drivers have them */
        other_pools();
    }
    advice();
    batches();
    boxes();
    OK(cu.cuCtxDestroy(ctx));
    return native_end("mapping");
}
