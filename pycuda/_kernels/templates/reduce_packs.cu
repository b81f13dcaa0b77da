// Each block reduces its share of the elements; $block threads that have
// $packs_each loads of $width elements under way at once.
template <class T> struct alignas(sizeof(T) * $width) Pack {
    T at[$width];
};

$share
    Value partial[$width];
#pragma unroll
    for (int k = 0; k < $width; k++) {
        partial[k] = $neutral;
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
            for (int j = 0; j < $packs_each; j++) {
#pragma unroll
                for (int k = 0; k < $width; k++) {
                    partial[k] = combine(partial[k], $map_packed);
                }
            }
        }
    }
    for (unsigned long long i = base + threadIdx.x; i < end; i += $block) {
        partial[0] = combine(partial[0], $map);
    }
#pragma unroll
    for (int step = $width / 2; step > 0; step /= 2) {
        for (int k = 0; k < step; k++) {
            partial[k] = combine(partial[k], partial[k + step]);
        }
    }
$finish
}
