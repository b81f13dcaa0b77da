// One block, which has one thread, per $part elements, row by row: at the end
// of a row, the position of the next row is computed from it.
#include "map/layout.cuh"

extern "C" __global__ void $name($parameters, const Layout layout)
{
    const long long length = layout.shape[$ndim - 1];
    const long long begin = (long long)blockIdx.x * $part;
    long long left = layout.size - begin < $part ? layout.size - begin : $part;
    unsigned long long row = (unsigned long long)begin / length;
    long long first = begin - (long long)row * length;
    long long index[$ndim] = {}, offset[$operands] = {};
    for (int axis = $ndim - 2; axis >= 0; axis--) {
        const unsigned long long count = layout.shape[axis];
        const unsigned long long rest = row / count;
        index[axis] = (long long)(row - rest * count);
        for (int k = 0; k < $operands; k++) {
            offset[k] += index[axis] * layout.strides[k][axis];
        }
        row = rest;
    }
    while (left > 0) {
        const long long end = length - first < left ? length : first + left;
$rows
$loops
        left -= end - first;
        first = 0;
        for (int axis = $ndim - 2; axis >= 0; axis--) {
            for (int k = 0; k < $operands; k++) {
                offset[k] += layout.strides[k][axis];
            }
            if (++index[axis] < layout.shape[axis]) {
                break;
            }
            index[axis] = 0;
            for (int k = 0; k < $operands; k++) {
                offset[k] -= layout.shape[axis] * layout.strides[k][axis];
            }
        }
    }
}
