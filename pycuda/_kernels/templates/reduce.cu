// Each block reduces its share of the elements; $block threads, $lanes
// accumulators a thread.
$share
    Value partial[$lanes];
$unroll
    for (int k = 0; k < $lanes; k++) {
        partial[k] = $neutral;
    }
    unsigned long long base = first;
    for (; base + $tile <= end; base += $tile) {
$unroll
        for (int k = 0; k < $lanes; k++) {
            unsigned long long i = base + k * $block + threadIdx.x;
            partial[k] = combine(partial[k], $map);
        }
    }
    for (unsigned long long i = base + threadIdx.x; i < end; i += $block) {
        partial[0] = combine(partial[0], $map);
    }
$unroll
    for (int step = $lanes / 2; step > 0; step /= 2) {
        for (int k = 0; k < step; k++) {
            partial[k] = combine(partial[k], partial[k + step]);
        }
    }
$finish
}
