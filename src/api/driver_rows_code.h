/* driver_rows_code.h - driver functions for modules, libraries, kernels,
 * linking, launches and occupancy.
 *
 * Part of driver_rows.h, which explains the rows.
 *
 * SPDX-License-Identifier: MIT */

/* clang-format off */

DRIVER_ROW(cuModuleLoad, cuModuleLoad, 2000, cuModuleLoad,
    (CUmodule *module, const char *path), (module, path))
DRIVER_ROW(cuModuleLoadData, cuModuleLoadData, 2000, cuModuleLoadData,
    (CUmodule *module, const void *image), (module, image))
DRIVER_ROW(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, cuModuleLoadDataEx,
    (CUmodule *module, const void *image, unsigned int option_count,
     CUjit_option *options, void **option_values),
    (module, image, option_count, options, option_values))
DRIVER_ROW(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000,
    cuModuleLoadFatBinary,
    (CUmodule *module, const void *image), (module, image))
DRIVER_ROW(cuModuleUnload, cuModuleUnload, 2000, cuModuleUnload,
    (CUmodule module), (module))
DRIVER_ROW(cuModuleGetFunction, cuModuleGetFunction, 2000, cuModuleGetFunction,
    (CUfunction *function, CUmodule module, const char *name),
    (function, module, name))
DRIVER_ROW(cuModuleGetGlobal, cuModuleGetGlobal_v2, 3020, cuModuleGetGlobal_v2,
    (CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name),
    (pointer, bytes, module, name))
DRIVER_ROW(cuModuleGetFunctionCount, cuModuleGetFunctionCount, 12040,
    cuModuleGetFunctionCount,
    (unsigned int *count, CUmodule module), (count, module))
DRIVER_ROW(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 12040,
    cuModuleEnumerateFunctions,
    (CUfunction *functions, unsigned int count, CUmodule module),
    (functions, count, module))
DRIVER_ROW(cuLinkCreate, cuLinkCreate_v2, 6050, cuLinkCreate_v2,
    (unsigned int option_count, CUjit_option *options, void **option_values,
     CUlinkState *state),
    (option_count, options, option_values, state))
DRIVER_ROW(cuLinkAddData, cuLinkAddData_v2, 6050, cuLinkAddData_v2,
    (CUlinkState state, CUjitInputType type, void *data, size_t size,
     const char *name, unsigned int option_count, CUjit_option *options,
     void **option_values),
    (state, type, data, size, name, option_count, options, option_values))
DRIVER_ROW(cuLinkAddFile, cuLinkAddFile_v2, 6050, cuLinkAddFile_v2,
    (CUlinkState state, CUjitInputType type, const char *path,
     unsigned int option_count, CUjit_option *options, void **option_values),
    (state, type, path, option_count, options, option_values))
DRIVER_ROW(cuLinkComplete, cuLinkComplete, 5050, cuLinkComplete,
    (CUlinkState state, void **image, size_t *bytes), (state, image, bytes))
DRIVER_ROW(cuLinkDestroy, cuLinkDestroy, 5050, cuLinkDestroy,
    (CUlinkState state), (state))
DRIVER_ROW(cuFuncGetAttribute, cuFuncGetAttribute, 2020, cuFuncGetAttribute,
    (int *value, CUfunction_attribute attribute, CUfunction function),
    (value, attribute, function))
DRIVER_ROW(cuFuncSetAttribute, cuFuncSetAttribute, 9000, cuFuncSetAttribute,
    (CUfunction function, CUfunction_attribute attribute, int value),
    (function, attribute, value))
DRIVER_ROW(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000,
    cuFuncSetCacheConfig,
    (CUfunction function, CUfunc_cache config), (function, config))
DRIVER_ROW(cuFuncSetSharedMemConfig, cuFuncSetSharedMemConfig, 4020,
    cuFuncSetSharedMemConfig,
    (CUfunction function, CUsharedconfig config), (function, config))
DRIVER_ROW(cuFuncGetName, cuFuncGetName, 12030, cuFuncGetName,
    (const char **name, CUfunction function), (name, function))
DRIVER_ROW(cuFuncGetParamInfo, cuFuncGetParamInfo, 12040, cuFuncGetParamInfo,
    (CUfunction function, size_t param_index, size_t *param_offset,
     size_t *param_size),
    (function, param_index, param_offset, param_size))
DRIVER_ROW(cuFuncIsLoaded, cuFuncIsLoaded, 12040, cuFuncIsLoaded,
    (CUfunctionLoadingState *state, CUfunction function), (state, function))
DRIVER_ROW(cuFuncLoad, cuFuncLoad, 12040, cuFuncLoad,
    (CUfunction function), (function))
DRIVER_ROW(cuLaunchKernel, cuLaunchKernel, 4000, cuLaunchKernel_ptsz,
    (CUfunction function, unsigned int grid_dim_x, unsigned int grid_dim_y,
     unsigned int grid_dim_z, unsigned int block_dim_x,
     unsigned int block_dim_y, unsigned int block_dim_z,
     unsigned int shared_bytes, CUstream stream, void **parameters,
     void **extra),
    (function, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y,
     block_dim_z, shared_bytes, stream, parameters, extra))
DRIVER_ROW(cuLaunchKernelEx, cuLaunchKernelEx, 11060, cuLaunchKernelEx_ptsz,
    (const CUlaunchConfig *config, CUfunction function, void **parameters,
     void **extra),
    (config, function, parameters, extra))
DRIVER_ROW(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000,
    cuLaunchCooperativeKernel_ptsz,
    (CUfunction function, unsigned int grid_dim_x, unsigned int grid_dim_y,
     unsigned int grid_dim_z, unsigned int block_dim_x,
     unsigned int block_dim_y, unsigned int block_dim_z,
     unsigned int shared_bytes, CUstream stream, void **parameters),
    (function, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y,
     block_dim_z, shared_bytes, stream, parameters))
DRIVER_ROW(cuOccupancyMaxActiveBlocksPerMultiprocessor,
    cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050,
    cuOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *blocks, CUfunction function, int threads, size_t shared_bytes),
    (blocks, function, threads, shared_bytes))
DRIVER_ROW(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000,
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    (int *blocks, CUfunction function, int threads, size_t shared_bytes,
     unsigned int flags),
    (blocks, function, threads, shared_bytes, flags))
DRIVER_ROW(cuOccupancyMaxPotentialBlockSize,
    cuOccupancyMaxPotentialBlockSize, 6050,
    cuOccupancyMaxPotentialBlockSize,
    (int *grid, int *threads, CUfunction function,
     CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes, int limit),
    (grid, threads, function, shared_bytes_of, shared_bytes, limit))
DRIVER_ROW(cuOccupancyMaxPotentialBlockSizeWithFlags,
    cuOccupancyMaxPotentialBlockSizeWithFlags, 7000,
    cuOccupancyMaxPotentialBlockSizeWithFlags,
    (int *grid, int *threads, CUfunction function,
     CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes, int limit,
     unsigned int flags),
    (grid, threads, function, shared_bytes_of, shared_bytes, limit, flags))
DRIVER_ROW(cuOccupancyAvailableDynamicSMemPerBlock,
    cuOccupancyAvailableDynamicSMemPerBlock, 10020,
    cuOccupancyAvailableDynamicSMemPerBlock,
    (size_t *dynamic_smem_size, CUfunction function, int blocks, int threads),
    (dynamic_smem_size, function, blocks, threads))
DRIVER_ROW(cuOccupancyMaxPotentialClusterSize,
    cuOccupancyMaxPotentialClusterSize, 11070,
    cuOccupancyMaxPotentialClusterSize,
    (int *cluster_size, CUfunction function, const CUlaunchConfig *config),
    (cluster_size, function, config))
DRIVER_ROW(cuOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters, 11070,
    cuOccupancyMaxActiveClusters,
    (int *cluster_count, CUfunction function, const CUlaunchConfig *config),
    (cluster_count, function, config))
DRIVER_ROW(cuFuncGetModule, cuFuncGetModule, 11000, cuFuncGetModule,
    (CUmodule *module, CUfunction function), (module, function))
DRIVER_ROW(cuModuleGetLoadingMode, cuModuleGetLoadingMode, 11070,
    cuModuleGetLoadingMode,
    (CUmoduleLoadingMode *mode), (mode))
DRIVER_ROW(cuLibraryLoadData, cuLibraryLoadData, 12000, cuLibraryLoadData,
    (CUlibrary *library, const void *code, CUjit_option *jit_options,
     void **jit_options_values, unsigned int jit_option_count,
     CUlibraryOption *library_options, void **library_option_values,
     unsigned int library_option_count),
    (library, code, jit_options, jit_options_values, jit_option_count,
     library_options, library_option_values, library_option_count))
DRIVER_ROW(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 12000,
    cuLibraryLoadFromFile,
    (CUlibrary *library, const char *file_name, CUjit_option *jit_options,
     void **jit_options_values, unsigned int jit_option_count,
     CUlibraryOption *library_options, void **library_option_values,
     unsigned int library_option_count),
    (library, file_name, jit_options, jit_options_values, jit_option_count,
     library_options, library_option_values, library_option_count))
DRIVER_ROW(cuLibraryUnload, cuLibraryUnload, 12000, cuLibraryUnload,
    (CUlibrary library), (library))
DRIVER_ROW(cuLibraryGetKernel, cuLibraryGetKernel, 12000, cuLibraryGetKernel,
    (CUkernel *kernel, CUlibrary library, const char *name),
    (kernel, library, name))
DRIVER_ROW(cuLibraryGetModule, cuLibraryGetModule, 12000, cuLibraryGetModule,
    (CUmodule *module, CUlibrary library), (module, library))
DRIVER_ROW(cuLibraryGetKernelCount, cuLibraryGetKernelCount, 12040,
    cuLibraryGetKernelCount,
    (unsigned int *count, CUlibrary library), (count, library))
DRIVER_ROW(cuLibraryEnumerateKernels, cuLibraryEnumerateKernels, 12040,
    cuLibraryEnumerateKernels,
    (CUkernel *kernels, unsigned int count, CUlibrary library),
    (kernels, count, library))
DRIVER_ROW(cuKernelGetFunction, cuKernelGetFunction, 12000,
    cuKernelGetFunction,
    (CUfunction *func, CUkernel kernel), (func, kernel))
DRIVER_ROW(cuKernelGetLibrary, cuKernelGetLibrary, 12050, cuKernelGetLibrary,
    (CUlibrary *library, CUkernel kernel), (library, kernel))
DRIVER_ROW(cuLibraryGetGlobal, cuLibraryGetGlobal, 12000, cuLibraryGetGlobal,
    (CUdeviceptr *pointer, size_t *bytes, CUlibrary library, const char *name),
    (pointer, bytes, library, name))
DRIVER_ROW(cuLibraryGetManaged, cuLibraryGetManaged, 12000,
    cuLibraryGetManaged,
    (CUdeviceptr *pointer, size_t *bytes, CUlibrary library, const char *name),
    (pointer, bytes, library, name))
DRIVER_ROW(cuKernelGetAttribute, cuKernelGetAttribute, 12000,
    cuKernelGetAttribute,
    (int *value, CUfunction_attribute attribute, CUkernel kernel,
     CUdevice device),
    (value, attribute, kernel, device))
DRIVER_ROW(cuKernelSetAttribute, cuKernelSetAttribute, 12000,
    cuKernelSetAttribute,
    (CUfunction_attribute attribute, int val, CUkernel kernel,
     CUdevice device),
    (attribute, val, kernel, device))
DRIVER_ROW(cuKernelSetCacheConfig, cuKernelSetCacheConfig, 12000,
    cuKernelSetCacheConfig,
    (CUkernel kernel, CUfunc_cache config, CUdevice device),
    (kernel, config, device))
DRIVER_ROW(cuKernelGetName, cuKernelGetName, 12030, cuKernelGetName,
    (const char **name, CUkernel function), (name, function))
DRIVER_ROW(cuKernelGetParamInfo, cuKernelGetParamInfo, 12040,
    cuKernelGetParamInfo,
    (CUkernel kernel, size_t param_index, size_t *param_offset,
     size_t *param_size),
    (kernel, param_index, param_offset, param_size))
DRIVER_ROW(cuLibraryGetUnifiedFunction, cuLibraryGetUnifiedFunction, 12000,
    cuLibraryGetUnifiedFunction,
    (void **fptr, CUlibrary library, const char *symbol),
    (fptr, library, symbol))
