/* device_wide.h - CUB's device-wide algorithms, which kernels cannot use.
 *
 * They are functions of the host that start kernels, and NVRTC compiles code
 * for the device only. The error message for a call names the Python function
 * of this package that does the same.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace cub
{
#define PYCUDA_DEVICE_WIDE(NAME, INSTEAD)                                     \
    template <class... Types>                                                 \
    __host__ __device__ static int NAME(Types &&...)                          \
    {                                                                         \
        static_assert(sizeof...(Types) > 999,                                 \
                      "CUB's device-wide algorithms start kernels from host " \
                      "code; from Python use " INSTEAD);                      \
        return 0;                                                             \
    }

struct DeviceAdjacentDifference {
#define PYCUDA_INSTEAD "pycuda.gpuarray.diff"
    PYCUDA_DEVICE_WIDE(SubtractLeft, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SubtractLeftCopy, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SubtractRight, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SubtractRightCopy, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceBatchedTopK {
#define PYCUDA_INSTEAD "pycuda.gpuarray.argsort"
    PYCUDA_DEVICE_WIDE(MaxKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(MaxPairs, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(MinKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(MinPairs, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceCopy {
    PYCUDA_DEVICE_WIDE(Batched, "pycuda.driver.memcpy_dtod_async")
};

struct DeviceFind {
#define PYCUDA_INSTEAD "pycuda.gpuarray.searchsorted or nonzero"
    PYCUDA_DEVICE_WIDE(FindIf, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(LowerBound, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(LowerBoundSortedValues, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(UpperBound, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(UpperBoundSortedValues, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceFor {
#define PYCUDA_INSTEAD "pycuda.elementwise.ElementwiseKernel"
    PYCUDA_DEVICE_WIDE(Bulk, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ForEach, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ForEachCopy, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ForEachCopyN, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ForEachInExtents, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ForEachInLayout, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ForEachN, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceHistogram {
#define PYCUDA_INSTEAD "numpy.histogram of a GPUArray"
    PYCUDA_DEVICE_WIDE(HistogramEven, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(HistogramRange, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(MultiHistogramEven, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(MultiHistogramRange, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceMemcpy {
    PYCUDA_DEVICE_WIDE(Batched, "pycuda.driver.memcpy_dtod_async")
};

struct DeviceMerge {
    PYCUDA_DEVICE_WIDE(MergeKeys, "pycuda.gpuarray.concatenate and sort")
    PYCUDA_DEVICE_WIDE(MergePairs, "pycuda.gpuarray.concatenate and sort")
};

struct DeviceMergeSort {
#define PYCUDA_INSTEAD "pycuda.gpuarray.sort or argsort"
    PYCUDA_DEVICE_WIDE(SortKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortKeysCopy, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortPairs, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortPairsCopy, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(StableSortKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(StableSortKeysCopy, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(StableSortPairs, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DevicePartition {
    PYCUDA_DEVICE_WIDE(Flagged, "pycuda.gpuarray.compress")
    PYCUDA_DEVICE_WIDE(If, "pycuda.gpuarray.compress")
};

struct DeviceRadixSort {
#define PYCUDA_INSTEAD "pycuda.gpuarray.sort or argsort"
    PYCUDA_DEVICE_WIDE(SortKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortKeysDescending, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortPairs, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortPairsDescending, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceReduce {
#define PYCUDA_INSTEAD                                                        \
    "pycuda.reduction.ReductionKernel or pycuda.gpuarray.sum, min, max, "     \
    "argmin, argmax"
    PYCUDA_DEVICE_WIDE(Reduce, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ReduceByKey, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(Sum, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(Min, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(Max, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ArgMin, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ArgMax, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(TransformReduce, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceRunLengthEncode {
    PYCUDA_DEVICE_WIDE(Encode, "pycuda.gpuarray.unique")
    PYCUDA_DEVICE_WIDE(NonTrivialRuns, "pycuda.gpuarray.unique")
};

struct DeviceScan {
#define PYCUDA_INSTEAD "pycuda.scan.InclusiveScanKernel or ExclusiveScanKernel"
    PYCUDA_DEVICE_WIDE(ExclusiveScan, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ExclusiveScanByKey, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ExclusiveSum, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ExclusiveSumByKey, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(InclusiveScan, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(InclusiveScanByKey, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(InclusiveScanInit, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(InclusiveSum, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(InclusiveSumByKey, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceSegmentedRadixSort {
#define PYCUDA_INSTEAD "pycuda.gpuarray.sort with axis="
    PYCUDA_DEVICE_WIDE(SortKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortKeysDescending, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortPairs, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortPairsDescending, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceSegmentedReduce {
#define PYCUDA_INSTEAD "pycuda.gpuarray.sum with axis="
    PYCUDA_DEVICE_WIDE(Reduce, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(Sum, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(Min, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(Max, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ArgMin, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ArgMax, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceSegmentedScan {
#define PYCUDA_INSTEAD "pycuda.gpuarray.cumsum with axis="
    PYCUDA_DEVICE_WIDE(ExclusiveSegmentedScan, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(ExclusiveSegmentedSum, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(InclusiveSegmentedScan, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(InclusiveSegmentedScanInit, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(InclusiveSegmentedSum, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceSegmentedSort {
#define PYCUDA_INSTEAD "pycuda.gpuarray.sort with axis="
    PYCUDA_DEVICE_WIDE(SortKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortKeysDescending, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortPairs, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(SortPairsDescending, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(StableSortKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(StableSortKeysDescending, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(StableSortPairs, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(StableSortPairsDescending, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceSelect {
#define PYCUDA_INSTEAD "pycuda.gpuarray.compress or unique"
    PYCUDA_DEVICE_WIDE(Flagged, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(FlaggedIf, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(If, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(Unique, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(UniqueByKey, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceTopK {
#define PYCUDA_INSTEAD "pycuda.gpuarray.argsort"
    PYCUDA_DEVICE_WIDE(MaxKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(MaxPairs, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(MinKeys, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(MinPairs, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

struct DeviceTransform {
#define PYCUDA_INSTEAD "pycuda.elementwise.ElementwiseKernel"
    PYCUDA_DEVICE_WIDE(Generate, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(Transform, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(TransformIf, PYCUDA_INSTEAD)
    PYCUDA_DEVICE_WIDE(TransformStableArgumentAddresses, PYCUDA_INSTEAD)
#undef PYCUDA_INSTEAD
};

#undef PYCUDA_DEVICE_WIDE
} // namespace cub
}
