/* driver_rows_memory.h - driver functions for memory, pools, arrays, textures,
 * copies and fills.
 *
 * Part of driver_rows.h, which explains the rows.
 *
 * SPDX-License-Identifier: MIT */

/* clang-format off */

DRIVER_ROW(cuMemGetInfo, cuMemGetInfo_v2, 3020, cuMemGetInfo_v2,
    (size_t *free, size_t *total), (free, total))
DRIVER_ROW(cuMemAlloc, cuMemAlloc_v2, 3020, cuMemAlloc_v2,
    (CUdeviceptr *pointer, size_t bytes), (pointer, bytes))
DRIVER_ROW(cuMemAllocPitch, cuMemAllocPitch_v2, 3020, cuMemAllocPitch_v2,
    (CUdeviceptr *pointer, size_t *pitch, size_t width_in_bytes, size_t height,
     unsigned int element_bytes),
    (pointer, pitch, width_in_bytes, height, element_bytes))
DRIVER_ROW(cuMemFree, cuMemFree_v2, 3020, cuMemFree_v2,
    (CUdeviceptr pointer), (pointer))
DRIVER_ROW(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020,
    cuMemGetAddressRange_v2,
    (CUdeviceptr *base, size_t *size, CUdeviceptr pointer),
    (base, size, pointer))
DRIVER_ROW(cuMemAllocHost, cuMemAllocHost_v2, 3020, cuMemAllocHost_v2,
    (void **pointer, size_t bytes), (pointer, bytes))
DRIVER_ROW(cuMemFreeHost, cuMemFreeHost, 2000, cuMemFreeHost,
    (void *pointer), (pointer))
DRIVER_ROW(cuMemHostAlloc, cuMemHostAlloc, 2020, cuMemHostAlloc,
    (void **pointer, size_t bytes, unsigned int flags),
    (pointer, bytes, flags))
DRIVER_ROW(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020,
    cuMemHostGetDevicePointer_v2,
    (CUdeviceptr *pointer, void *host, unsigned int flags),
    (pointer, host, flags))
DRIVER_ROW(cuMemHostGetFlags, cuMemHostGetFlags, 2030, cuMemHostGetFlags,
    (unsigned int *flags, void *pointer), (flags, pointer))
DRIVER_ROW(cuMemAllocManaged, cuMemAllocManaged, 6000, cuMemAllocManaged,
    (CUdeviceptr *pointer, size_t bytes, unsigned int flags),
    (pointer, bytes, flags))
DRIVER_ROW(cuMemHostRegister, cuMemHostRegister_v2, 6050, cuMemHostRegister_v2,
    (void *pointer, size_t bytes, unsigned int flags), (pointer, bytes, flags))
DRIVER_ROW(cuMemHostUnregister, cuMemHostUnregister, 4000, cuMemHostUnregister,
    (void *pointer), (pointer))
DRIVER_ROW(cuMemcpy, cuMemcpy, 4000, cuMemcpy_ptds,
    (CUdeviceptr destination, CUdeviceptr source, size_t bytes),
    (destination, source, bytes))
DRIVER_ROW(cuMemcpyPeer, cuMemcpyPeer, 4000, cuMemcpyPeer_ptds,
    (CUdeviceptr destination, CUcontext destination_context,
     CUdeviceptr source, CUcontext source_context, size_t bytes),
    (destination, destination_context, source, source_context, bytes))
DRIVER_ROW(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020, cuMemcpyHtoD_v2_ptds,
    (CUdeviceptr destination, const void *source, size_t bytes),
    (destination, source, bytes))
DRIVER_ROW(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020, cuMemcpyDtoH_v2_ptds,
    (void *destination, CUdeviceptr source, size_t bytes),
    (destination, source, bytes))
DRIVER_ROW(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020, cuMemcpyDtoD_v2_ptds,
    (CUdeviceptr destination, CUdeviceptr source, size_t bytes),
    (destination, source, bytes))
DRIVER_ROW(cuMemcpyDtoA, cuMemcpyDtoA_v2, 3020, cuMemcpyDtoA_v2_ptds,
    (CUarray destination, size_t destination_offset, CUdeviceptr source,
     size_t bytes),
    (destination, destination_offset, source, bytes))
DRIVER_ROW(cuMemcpyAtoD, cuMemcpyAtoD_v2, 3020, cuMemcpyAtoD_v2_ptds,
    (CUdeviceptr destination, CUarray source, size_t source_offset,
     size_t bytes),
    (destination, source, source_offset, bytes))
DRIVER_ROW(cuMemcpyHtoA, cuMemcpyHtoA_v2, 3020, cuMemcpyHtoA_v2_ptds,
    (CUarray destination, size_t destination_offset, const void *source,
     size_t bytes),
    (destination, destination_offset, source, bytes))
DRIVER_ROW(cuMemcpyAtoH, cuMemcpyAtoH_v2, 3020, cuMemcpyAtoH_v2_ptds,
    (void *destination, CUarray source, size_t source_offset, size_t bytes),
    (destination, source, source_offset, bytes))
DRIVER_ROW(cuMemcpyAtoA, cuMemcpyAtoA_v2, 3020, cuMemcpyAtoA_v2_ptds,
    (CUarray destination, size_t destination_offset, CUarray source,
     size_t source_offset, size_t bytes),
    (destination, destination_offset, source, source_offset, bytes))
DRIVER_ROW(cuMemcpy2D, cuMemcpy2D_v2, 3020, cuMemcpy2D_v2_ptds,
    (const CUDA_MEMCPY2D *copy), (copy))
DRIVER_ROW(cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2, 3020,
    cuMemcpy2DUnaligned_v2_ptds,
    (const CUDA_MEMCPY2D *copy), (copy))
DRIVER_ROW(cuMemcpy3D, cuMemcpy3D_v2, 3020, cuMemcpy3D_v2_ptds,
    (const CUDA_MEMCPY3D *copy), (copy))
DRIVER_ROW(cuMemcpy3DPeer, cuMemcpy3DPeer, 4000, cuMemcpy3DPeer_ptds,
    (const CUDA_MEMCPY3D_PEER *copy), (copy))
DRIVER_ROW(cuMemcpyAsync, cuMemcpyAsync, 4000, cuMemcpyAsync_ptsz,
    (CUdeviceptr destination, CUdeviceptr source, size_t bytes,
     CUstream stream),
    (destination, source, bytes, stream))
DRIVER_ROW(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, cuMemcpyPeerAsync_ptsz,
    (CUdeviceptr destination, CUcontext destination_context,
     CUdeviceptr source, CUcontext source_context, size_t bytes,
     CUstream stream),
    (destination, destination_context, source, source_context, bytes, stream))
DRIVER_ROW(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020,
    cuMemcpyHtoDAsync_v2_ptsz,
    (CUdeviceptr destination, const void *source, size_t bytes,
     CUstream stream),
    (destination, source, bytes, stream))
DRIVER_ROW(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020,
    cuMemcpyDtoHAsync_v2_ptsz,
    (void *destination, CUdeviceptr source, size_t bytes, CUstream stream),
    (destination, source, bytes, stream))
DRIVER_ROW(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020,
    cuMemcpyDtoDAsync_v2_ptsz,
    (CUdeviceptr destination, CUdeviceptr source, size_t bytes,
     CUstream stream),
    (destination, source, bytes, stream))
DRIVER_ROW(cuMemcpyHtoAAsync, cuMemcpyHtoAAsync_v2, 3020,
    cuMemcpyHtoAAsync_v2_ptsz,
    (CUarray destination, size_t destination_offset, const void *source,
     size_t bytes, CUstream stream),
    (destination, destination_offset, source, bytes, stream))
DRIVER_ROW(cuMemcpyAtoHAsync, cuMemcpyAtoHAsync_v2, 3020,
    cuMemcpyAtoHAsync_v2_ptsz,
    (void *destination, CUarray source, size_t source_offset, size_t bytes,
     CUstream stream),
    (destination, source, source_offset, bytes, stream))
DRIVER_ROW(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, 3020, cuMemcpy2DAsync_v2_ptsz,
    (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, stream))
DRIVER_ROW(cuMemcpy3DAsync, cuMemcpy3DAsync_v2, 3020, cuMemcpy3DAsync_v2_ptsz,
    (const CUDA_MEMCPY3D *copy, CUstream stream), (copy, stream))
DRIVER_ROW(cuMemcpy3DPeerAsync, cuMemcpy3DPeerAsync, 4000,
    cuMemcpy3DPeerAsync_ptsz,
    (const CUDA_MEMCPY3D_PEER *copy, CUstream stream), (copy, stream))
DRIVER_ROW(cuMemsetD8, cuMemsetD8_v2, 3020, cuMemsetD8_v2_ptds,
    (CUdeviceptr destination, unsigned char value, size_t n),
    (destination, value, n))
DRIVER_ROW(cuMemsetD16, cuMemsetD16_v2, 3020, cuMemsetD16_v2_ptds,
    (CUdeviceptr destination, unsigned short value, size_t n),
    (destination, value, n))
DRIVER_ROW(cuMemsetD32, cuMemsetD32_v2, 3020, cuMemsetD32_v2_ptds,
    (CUdeviceptr destination, unsigned int value, size_t n),
    (destination, value, n))
DRIVER_ROW(cuMemsetD2D8, cuMemsetD2D8_v2, 3020, cuMemsetD2D8_v2_ptds,
    (CUdeviceptr destination, size_t pitch, unsigned char value, size_t width,
     size_t height),
    (destination, pitch, value, width, height))
DRIVER_ROW(cuMemsetD2D16, cuMemsetD2D16_v2, 3020, cuMemsetD2D16_v2_ptds,
    (CUdeviceptr destination, size_t pitch, unsigned short value, size_t width,
     size_t height),
    (destination, pitch, value, width, height))
DRIVER_ROW(cuMemsetD2D32, cuMemsetD2D32_v2, 3020, cuMemsetD2D32_v2_ptds,
    (CUdeviceptr destination, size_t pitch, unsigned int value, size_t width,
     size_t height),
    (destination, pitch, value, width, height))
DRIVER_ROW(cuMemsetD8Async, cuMemsetD8Async, 3020, cuMemsetD8Async_ptsz,
    (CUdeviceptr destination, unsigned char value, size_t n, CUstream stream),
    (destination, value, n, stream))
DRIVER_ROW(cuMemsetD16Async, cuMemsetD16Async, 3020, cuMemsetD16Async_ptsz,
    (CUdeviceptr destination, unsigned short value, size_t n, CUstream stream),
    (destination, value, n, stream))
DRIVER_ROW(cuMemsetD32Async, cuMemsetD32Async, 3020, cuMemsetD32Async_ptsz,
    (CUdeviceptr destination, unsigned int value, size_t n, CUstream stream),
    (destination, value, n, stream))
DRIVER_ROW(cuMemsetD2D8Async, cuMemsetD2D8Async, 3020, cuMemsetD2D8Async_ptsz,
    (CUdeviceptr destination, size_t pitch, unsigned char value, size_t width,
     size_t height, CUstream stream),
    (destination, pitch, value, width, height, stream))
DRIVER_ROW(cuMemsetD2D16Async, cuMemsetD2D16Async, 3020,
    cuMemsetD2D16Async_ptsz,
    (CUdeviceptr destination, size_t pitch, unsigned short value, size_t width,
     size_t height, CUstream stream),
    (destination, pitch, value, width, height, stream))
DRIVER_ROW(cuMemsetD2D32Async, cuMemsetD2D32Async, 3020,
    cuMemsetD2D32Async_ptsz,
    (CUdeviceptr destination, size_t pitch, unsigned int value, size_t width,
     size_t height, CUstream stream),
    (destination, pitch, value, width, height, stream))
DRIVER_ROW(cuArrayCreate, cuArrayCreate_v2, 3020, cuArrayCreate_v2,
    (CUarray *handle, const CUDA_ARRAY_DESCRIPTOR *descriptor),
    (handle, descriptor))
DRIVER_ROW(cuArrayGetDescriptor, cuArrayGetDescriptor_v2, 3020,
    cuArrayGetDescriptor_v2,
    (CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array), (descriptor, array))
DRIVER_ROW(cuArrayGetMemoryRequirements, cuArrayGetMemoryRequirements, 11060,
    cuArrayGetMemoryRequirements,
    (CUDA_ARRAY_MEMORY_REQUIREMENTS *memory_requirements, CUarray array,
     CUdevice device),
    (memory_requirements, array, device))
DRIVER_ROW(cuMipmappedArrayGetMemoryRequirements,
    cuMipmappedArrayGetMemoryRequirements, 11060,
    cuMipmappedArrayGetMemoryRequirements,
    (CUDA_ARRAY_MEMORY_REQUIREMENTS *memory_requirements,
     CUmipmappedArray mipmap, CUdevice device),
    (memory_requirements, mipmap, device))
DRIVER_ROW(cuArrayDestroy, cuArrayDestroy, 2000, cuArrayDestroy,
    (CUarray array), (array))
DRIVER_ROW(cuArray3DCreate, cuArray3DCreate_v2, 3020, cuArray3DCreate_v2,
    (CUarray *handle, const CUDA_ARRAY3D_DESCRIPTOR *descriptor),
    (handle, descriptor))
DRIVER_ROW(cuArray3DGetDescriptor, cuArray3DGetDescriptor_v2, 3020,
    cuArray3DGetDescriptor_v2,
    (CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array), (descriptor, array))
DRIVER_ROW(cuMipmappedArrayCreate, cuMipmappedArrayCreate, 5000,
    cuMipmappedArrayCreate,
    (CUmipmappedArray *handle,
     const CUDA_ARRAY3D_DESCRIPTOR *mipmapped_array_desc,
     unsigned int mipmap_level_count),
    (handle, mipmapped_array_desc, mipmap_level_count))
DRIVER_ROW(cuMipmappedArrayGetLevel, cuMipmappedArrayGetLevel, 5000,
    cuMipmappedArrayGetLevel,
    (CUarray *level_array, CUmipmappedArray mipmapped_array,
     unsigned int level),
    (level_array, mipmapped_array, level))
DRIVER_ROW(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy, 5000,
    cuMipmappedArrayDestroy,
    (CUmipmappedArray mipmapped_array), (mipmapped_array))
DRIVER_ROW(cuMemAddressReserve, cuMemAddressReserve, 10020,
    cuMemAddressReserve,
    (CUdeviceptr *pointer, size_t size, size_t alignment, CUdeviceptr addr,
     unsigned long long flags),
    (pointer, size, alignment, addr, flags))
DRIVER_ROW(cuMemAddressFree, cuMemAddressFree, 10020, cuMemAddressFree,
    (CUdeviceptr pointer, size_t size), (pointer, size))
DRIVER_ROW(cuMemCreate, cuMemCreate, 10020, cuMemCreate,
    (CUmemGenericAllocationHandle *handle, size_t size,
     const CUmemAllocationProp *prop, unsigned long long flags),
    (handle, size, prop, flags))
DRIVER_ROW(cuMemRelease, cuMemRelease, 10020, cuMemRelease,
    (CUmemGenericAllocationHandle handle), (handle))
DRIVER_ROW(cuMemMap, cuMemMap, 10020, cuMemMap,
    (CUdeviceptr pointer, size_t size, size_t offset,
     CUmemGenericAllocationHandle handle, unsigned long long flags),
    (pointer, size, offset, handle, flags))
DRIVER_ROW(cuMemUnmap, cuMemUnmap, 10020, cuMemUnmap,
    (CUdeviceptr pointer, size_t size), (pointer, size))
DRIVER_ROW(cuMemSetAccess, cuMemSetAccess, 10020, cuMemSetAccess,
    (CUdeviceptr pointer, size_t size, const CUmemAccessDesc *desc,
     size_t count),
    (pointer, size, desc, count))
DRIVER_ROW(cuMemGetAccess, cuMemGetAccess, 10020, cuMemGetAccess,
    (unsigned long long *flags, const CUmemLocation *location,
     CUdeviceptr pointer),
    (flags, location, pointer))
DRIVER_ROW(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020,
    cuMemGetAllocationGranularity,
    (size_t *granularity, const CUmemAllocationProp *prop,
     CUmemAllocationGranularity_flags option),
    (granularity, prop, option))
DRIVER_ROW(cuMemGetAllocationPropertiesFromHandle,
    cuMemGetAllocationPropertiesFromHandle, 10020,
    cuMemGetAllocationPropertiesFromHandle,
    (CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle),
    (prop, handle))
DRIVER_ROW(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 11000,
    cuMemRetainAllocationHandle,
    (CUmemGenericAllocationHandle *handle, void *addr), (handle, addr))
DRIVER_ROW(cuMemFreeAsync, cuMemFreeAsync, 11020, cuMemFreeAsync_ptsz,
    (CUdeviceptr pointer, CUstream stream), (pointer, stream))
DRIVER_ROW(cuMemAllocAsync, cuMemAllocAsync, 11020, cuMemAllocAsync_ptsz,
    (CUdeviceptr *pointer, size_t bytes, CUstream stream),
    (pointer, bytes, stream))
DRIVER_ROW(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, cuMemPoolTrimTo,
    (CUmemoryPool pool, size_t min_bytes_to_keep), (pool, min_bytes_to_keep))
DRIVER_ROW(cuMemPoolSetAttribute, cuMemPoolSetAttribute, 11020,
    cuMemPoolSetAttribute,
    (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
    (pool, attribute, value))
DRIVER_ROW(cuMemPoolGetAttribute, cuMemPoolGetAttribute, 11020,
    cuMemPoolGetAttribute,
    (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
    (pool, attribute, value))
DRIVER_ROW(cuMemPoolSetAccess, cuMemPoolSetAccess, 11020, cuMemPoolSetAccess,
    (CUmemoryPool pool, const CUmemAccessDesc *map, size_t count),
    (pool, map, count))
DRIVER_ROW(cuMemPoolGetAccess, cuMemPoolGetAccess, 11020, cuMemPoolGetAccess,
    (CUmemAccess_flags *flags, CUmemoryPool mem_pool, CUmemLocation *location),
    (flags, mem_pool, location))
DRIVER_ROW(cuMemPoolCreate, cuMemPoolCreate, 11020, cuMemPoolCreate,
    (CUmemoryPool *pool, const CUmemPoolProps *pool_props), (pool, pool_props))
DRIVER_ROW(cuMemPoolDestroy, cuMemPoolDestroy, 11020, cuMemPoolDestroy,
    (CUmemoryPool pool), (pool))
DRIVER_ROW(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020,
    cuMemAllocFromPoolAsync_ptsz,
    (CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream stream),
    (pointer, bytes, pool, stream))
DRIVER_ROW(cuPointerGetAttribute, cuPointerGetAttribute, 4000,
    cuPointerGetAttribute,
    (void *data, CUpointer_attribute attribute, CUdeviceptr pointer),
    (data, attribute, pointer))
DRIVER_ROW(cuMemPrefetchAsync, cuMemPrefetchAsync, 8000,
    cuMemPrefetchAsync_ptsz,
    (CUdeviceptr pointer, size_t count, CUdevice destination, CUstream stream),
    (pointer, count, destination, stream))
DRIVER_ROW(cuMemAdvise, cuMemAdvise, 8000, cuMemAdvise,
    (CUdeviceptr pointer, size_t count, CUmem_advise advice, CUdevice device),
    (pointer, count, advice, device))
DRIVER_ROW(cuMemRangeGetAttribute, cuMemRangeGetAttribute, 8000,
    cuMemRangeGetAttribute,
    (void *data, size_t data_size, CUmem_range_attribute attribute,
     CUdeviceptr pointer, size_t count),
    (data, data_size, attribute, pointer, count))
DRIVER_ROW(cuMemRangeGetAttributes, cuMemRangeGetAttributes, 8000,
    cuMemRangeGetAttributes,
    (void **data, size_t *data_sizes, CUmem_range_attribute *attributes,
     size_t count, CUdeviceptr pointer, size_t bytes),
    (data, data_sizes, attributes, count, pointer, bytes))
DRIVER_ROW(cuPointerSetAttribute, cuPointerSetAttribute, 6000,
    cuPointerSetAttribute,
    (const void *value, CUpointer_attribute attribute, CUdeviceptr pointer),
    (value, attribute, pointer))
DRIVER_ROW(cuPointerGetAttributes, cuPointerGetAttributes, 7000,
    cuPointerGetAttributes,
    (unsigned int count, CUpointer_attribute *attributes, void **data,
     CUdeviceptr pointer),
    (count, attributes, data, pointer))
DRIVER_ROW(cuTexObjectCreate, cuTexObjectCreate, 5000, cuTexObjectCreate,
    (CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
     const CUDA_TEXTURE_DESC *sampling, const CUDA_RESOURCE_VIEW_DESC *view),
    (texture, resource, sampling, view))
DRIVER_ROW(cuTexObjectDestroy, cuTexObjectDestroy, 5000, cuTexObjectDestroy,
    (CUtexObject texture), (texture))
DRIVER_ROW(cuTexObjectGetResourceDesc, cuTexObjectGetResourceDesc, 5000,
    cuTexObjectGetResourceDesc,
    (CUDA_RESOURCE_DESC *resource, CUtexObject texture), (resource, texture))
DRIVER_ROW(cuTexObjectGetTextureDesc, cuTexObjectGetTextureDesc, 5000,
    cuTexObjectGetTextureDesc,
    (CUDA_TEXTURE_DESC *sampling, CUtexObject texture), (sampling, texture))
DRIVER_ROW(cuTexObjectGetResourceViewDesc,
    cuTexObjectGetResourceViewDesc, 5000,
    cuTexObjectGetResourceViewDesc,
    (CUDA_RESOURCE_VIEW_DESC *view, CUtexObject texture), (view, texture))
DRIVER_ROW(cuSurfObjectCreate, cuSurfObjectCreate, 5000, cuSurfObjectCreate,
    (CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource),
    (surface, resource))
DRIVER_ROW(cuSurfObjectDestroy, cuSurfObjectDestroy, 5000, cuSurfObjectDestroy,
    (CUsurfObject surface), (surface))
DRIVER_ROW(cuSurfObjectGetResourceDesc, cuSurfObjectGetResourceDesc, 5000,
    cuSurfObjectGetResourceDesc,
    (CUDA_RESOURCE_DESC *resource, CUsurfObject surface), (resource, surface))
DRIVER_ROW(cuMemcpyBatchAsync, cuMemcpyBatchAsync_v2, 13000,
    cuMemcpyBatchAsync_v2_ptsz,
    (CUdeviceptr *destinations, CUdeviceptr *sources, size_t *sizes,
     size_t count, CUmemcpyAttributes *attributes, size_t *attribute_indices,
     size_t attribute_count, CUstream stream),
    (destinations, sources, sizes, count, attributes, attribute_indices,
     attribute_count, stream))
DRIVER_ROW(cuMemPrefetchBatchAsync, cuMemPrefetchBatchAsync, 13000,
    cuMemPrefetchBatchAsync_ptsz,
    (CUdeviceptr *pointers, size_t *sizes, size_t count,
     CUmemLocation *locations, size_t *location_indices,
     size_t location_count, unsigned long long flags, CUstream stream),
    (pointers, sizes, count, locations, location_indices, location_count,
     flags, stream))
DRIVER_ROW(cuMemDiscardBatchAsync, cuMemDiscardBatchAsync, 13000,
    cuMemDiscardBatchAsync_ptsz,
    (CUdeviceptr *pointers, size_t *sizes, size_t count,
     unsigned long long flags, CUstream stream),
    (pointers, sizes, count, flags, stream))
DRIVER_ROW(cuMemDiscardAndPrefetchBatchAsync,
    cuMemDiscardAndPrefetchBatchAsync, 13000,
    cuMemDiscardAndPrefetchBatchAsync_ptsz,
    (CUdeviceptr *pointers, size_t *sizes, size_t count,
     CUmemLocation *locations, size_t *location_indices,
     size_t location_count, unsigned long long flags, CUstream stream),
    (pointers, sizes, count, locations, location_indices, location_count,
     flags, stream))
DRIVER_ROW(cuMemGetDefaultMemPool, cuMemGetDefaultMemPool, 13000,
    cuMemGetDefaultMemPool,
    (CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type),
    (pool, location, type))
DRIVER_ROW(cuMemGetMemPool, cuMemGetMemPool, 13000, cuMemGetMemPool,
    (CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type),
    (pool, location, type))
DRIVER_ROW(cuMemSetMemPool, cuMemSetMemPool, 13000, cuMemSetMemPool,
    (CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool),
    (location, type, pool))
DRIVER_ROW(cuMemExportToShareableHandle, cuMemExportToShareableHandle, 10020,
    cuMemExportToShareableHandle,
    (void *shareable, CUmemGenericAllocationHandle handle,
     CUmemAllocationHandleType type, unsigned long long flags),
    (shareable, handle, type, flags))
DRIVER_ROW(cuMemImportFromShareableHandle,
    cuMemImportFromShareableHandle, 10020,
    cuMemImportFromShareableHandle,
    (CUmemGenericAllocationHandle *handle, void *shareable,
     CUmemAllocationHandleType type),
    (handle, shareable, type))
DRIVER_ROW(cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync_v2, 13000,
    cuMemcpy3DBatchAsync_v2_ptsz,
    (size_t count, CUDA_MEMCPY3D_BATCH_OP *operations,
     unsigned long long flags, CUstream stream),
    (count, operations, flags, stream))
