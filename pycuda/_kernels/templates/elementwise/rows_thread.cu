// One block, which has one thread, per $part elements, row by row: at the end
// of a row, the start of the next row is computed from it.
#include "elementwise/layout.cuh"

extern "C" __global__ void $name($parameters, const pycuda_layout pycuda_all)
{
    const long long pycuda_length = pycuda_all.shape[$ndim - 1];
    const long long pycuda_begin = (long long)blockIdx.x * $part;
    long long pycuda_left = pycuda_all.size - pycuda_begin;
    pycuda_left = pycuda_left < $part ? pycuda_left : $part;
    unsigned pycuda_row = (unsigned)(pycuda_begin / pycuda_length);
    long long pycuda_first =
        pycuda_begin - (long long)pycuda_row * pycuda_length;
    long long pycuda_index[$ndim] = {}, pycuda_start[$operands];
    for (int k = 0; k < $operands; k++) {
        pycuda_start[k] = pycuda_all.start[k];
    }
    for (int axis = $ndim - 2; axis >= 0; axis--) {
        const unsigned length = (unsigned)pycuda_all.shape[axis];
        const unsigned rest = pycuda_row / length;
        pycuda_index[axis] = pycuda_row - rest * length;
        for (int k = 0; k < $operands; k++) {
            pycuda_start[k] +=
                pycuda_index[axis] * pycuda_all.strides[k][axis];
        }
        pycuda_row = rest;
    }
    while (pycuda_left > 0) {
        const long long pycuda_end = pycuda_length - pycuda_first < pycuda_left
                                         ? pycuda_length
                                         : pycuda_first + pycuda_left;
        for (long long pycuda_j = pycuda_first; pycuda_j < pycuda_end;
             pycuda_j++) {
$elements
            {
                $operation
                ;
            }
        }
        pycuda_left -= pycuda_end - pycuda_first;
        pycuda_first = 0;
        for (int axis = $ndim - 2; axis >= 0; axis--) {
            for (int k = 0; k < $operands; k++) {
                pycuda_start[k] += pycuda_all.strides[k][axis];
            }
            if (++pycuda_index[axis] < pycuda_all.shape[axis]) {
                break;
            }
            pycuda_index[axis] = 0;
            for (int k = 0; k < $operands; k++) {
                pycuda_start[k] -=
                    pycuda_all.shape[axis] * pycuda_all.strides[k][axis];
            }
        }
    }
}
