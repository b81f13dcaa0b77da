// Moves elements of any type between a contiguous array and the elements of
// another array that index arrays select. One thread per element.
#include "index/item.cuh"

struct Layout {
    long long size, length[$indices], step[$indices], axis[$indices];
    long long shape[$ndim], strides[$indices + 2][$ndim];
};

// The position of an index along its axis; negative indices count from the
// end. -1 if the index is out of range.
template <class T>
__device__ long long place_of(T index, long long length)
{
    if (index < T(0)) {
        long long position = (long long)index + length;
        return position < 0 ? -1 : position;
    }
    return (unsigned long long)index < (unsigned long long)length
               ? (long long)index
               : -1;
}

extern "C" __global__ void move($plain, char *indexed, $parameters
                                unsigned long long *fault,
                                const Layout layout)
{
    unsigned long long i =
        (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (unsigned long long)layout.size) {
        return;
    }
    long long offset[$indices + 2] = {};
    $index_type left = ($index_type)i;
#pragma unroll
    for (int axis = $ndim - 1; axis >= 0; axis--) {
        $index_type length = ($index_type)layout.shape[axis];
        $index_type rest = left / length;
        long long at = (long long)(left - rest * length);
#pragma unroll
        for (int k = 0; k < $indices + 2; k++) {
            offset[k] += at * layout.strides[k][axis];
        }
        left = rest;
    }
    bool inside = true;
    long long position;
$resolve
    $move
}
