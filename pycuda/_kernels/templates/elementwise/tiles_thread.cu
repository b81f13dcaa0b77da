// One block, which has one thread, for each square tile of the last two axes:
// the memory of a tile stays in the cache. Vectors that the operation only
// reads, and that are transposed, are first copied in transposed order.
#include "elementwise/layout.cuh"

extern "C" __global__ void $name($parameters, const pycuda_layout pycuda_all)
{
    enum {
        PYCUDA_SIDE = $side,
        PYCUDA_LAST = $ndim - 1,
        PYCUDA_BEFORE = $ndim - 2
    };
    const unsigned pycuda_along = (unsigned)pycuda_all.blocks;
    const unsigned pycuda_down =
        (unsigned)((pycuda_all.shape[PYCUDA_BEFORE] + PYCUDA_SIDE - 1) /
                   PYCUDA_SIDE);
    const unsigned pycuda_tile = blockIdx.x / pycuda_along;
    const long long pycuda_last =
        (long long)(blockIdx.x - pycuda_tile * pycuda_along) * PYCUDA_SIDE;
    unsigned pycuda_batch = pycuda_tile / pycuda_down;
    const long long pycuda_before =
        (long long)(pycuda_tile - pycuda_batch * pycuda_down) * PYCUDA_SIDE;
    const long long pycuda_last_left =
        pycuda_all.shape[PYCUDA_LAST] - pycuda_last;
    const long long pycuda_before_left =
        pycuda_all.shape[PYCUDA_BEFORE] - pycuda_before;
    long long pycuda_start[$operands];
    for (int k = 0; k < $operands; k++) {
        pycuda_start[k] = pycuda_all.start[k] +
                          pycuda_before * pycuda_all.strides[k][PYCUDA_BEFORE] +
                          pycuda_last * pycuda_all.strides[k][PYCUDA_LAST];
    }
    for (int axis = PYCUDA_BEFORE - 1; axis >= 0; axis--) {
        const unsigned length = (unsigned)pycuda_all.shape[axis];
        const unsigned rest = pycuda_batch / length;
        for (int k = 0; k < $operands; k++) {
            pycuda_start[k] += (pycuda_batch - rest * length) *
                               pycuda_all.strides[k][axis];
        }
        pycuda_batch = rest;
    }
    const int pycuda_fast_end =
        pycuda_last_left < PYCUDA_SIDE ? (int)pycuda_last_left : PYCUDA_SIDE;
    const int pycuda_slow_end = pycuda_before_left < PYCUDA_SIDE
                                    ? (int)pycuda_before_left
                                    : PYCUDA_SIDE;
$turns
    for (int pycuda_slow = 0; pycuda_slow < pycuda_slow_end; pycuda_slow++) {
        for (int pycuda_fast = 0; pycuda_fast < pycuda_fast_end;
             pycuda_fast++) {
$elements
            {
                $operation
                ;
            }
        }
    }
}
