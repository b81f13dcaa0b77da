// One block, which has one thread, for each square tile of the last two axes:
// the memory of a tile stays in the cache. Transposed inputs are first copied
// in transposed order, unless there are no other inputs.
#include "map/layout.cuh"

extern "C" __global__ void $name($parameters, const Layout layout)
{
    enum { SIDE = $side };
#include "map/tile_start.cuh"
    const int fast_end = last_left < SIDE ? (int)last_left : SIDE;
    const int slow_end = before_left < SIDE ? (int)before_left : SIDE;
$rows
$turns
    for (int slow = 0; slow < slow_end; slow++) {
        for (int fast = 0; fast < fast_end; fast++) {
$loads
            *$out_element = $result;
        }
    }
}
