// One block for each square tile of the last two axes. Transposed inputs are
// read along the second-to-last axis and transposed in shared memory, whose
// rows are padded so that columns are in different banks.
#include "map/layout.cuh"

extern "C" __global__ void __launch_bounds__($block)
$name($parameters, const Layout layout)
{
    enum { SIDE = $side, LANES = 32, ROWS = $block / LANES };
    enum { DOWN = SIDE / ROWS, WIDE = SIDE / LANES };
$memory
#include "map/tile_start.cuh"
    const bool full = last_left >= SIDE && before_left >= SIDE;
$rows
    // All loads of a thread are issued before it waits for the first one.
$buffers
#pragma unroll
    for (int a = 0; a < DOWN; a++) {
#pragma unroll
        for (int b = 0; b < WIDE; b++) {
            const int slow = threadIdx.y + a * ROWS;
            const int fast = threadIdx.x + b * LANES;
            if (full || (slow < last_left && fast < before_left)) {
$across_loads
            }
            if (full || (slow < before_left && fast < last_left)) {
$direct_loads
            }
        }
    }
#pragma unroll
    for (int a = 0; a < DOWN; a++) {
#pragma unroll
        for (int b = 0; b < WIDE; b++) {
            const int slow = threadIdx.y + a * ROWS;
            const int fast = threadIdx.x + b * LANES;
$turns
        }
    }
    __syncthreads();
#pragma unroll
    for (int a = 0; a < DOWN; a++) {
#pragma unroll
        for (int b = 0; b < WIDE; b++) {
            const int slow = threadIdx.y + a * ROWS;
            const int fast = threadIdx.x + b * LANES;
            if (full || (slow < before_left && fast < last_left)) {
$loads
                *$out_element = $result;
            }
        }
    }
}
