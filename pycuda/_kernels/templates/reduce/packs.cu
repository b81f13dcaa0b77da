// Each block reduces its share of the elements; its $block threads each have
// $packs_each loads of $width elements in progress.
#include "map/pack.cuh"

$share
    Value partial[$width], lost[$width];
#pragma unroll
    for (int k = 0; k < $width; k++) {
        partial[k] = $neutral;
        lost[k] = Value();
    }
    unsigned long long base = first;
    if (($addresses) % 16 == 0) {
        for (; base + $tile <= end; base += $tile) {
            const unsigned long long at = base + threadIdx.x * $width;
$packs
#pragma unroll
            for (int j = 0; j < $packs_each; j++) {
$pack_loads
            }
#pragma unroll
            for (int k = 0; k < $width; k++) {
                Value run[$packs_each];
#pragma unroll
                for (int j = 0; j < $packs_each; j++) {
                    run[j] = $map_packed;
                }
                keep(partial[k], lost[k], combined<$packs_each>(run));
            }
        }
    }
    for (unsigned long long i = base + threadIdx.x; i < end; i += $block) {
        keep(partial[0], lost[0], $map);
    }
#pragma unroll
    for (int k = 0; k < $width; k++) {
        partial[k] = settled(partial[k], lost[k]);
    }
    const Value mine = combined<$width>(partial);
$finish
}
