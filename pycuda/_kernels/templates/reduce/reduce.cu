// Each block, which is one thread, reduces its share of the elements, with
// $lanes accumulators.  Eight elements meet before an accumulator sees them.
$share
    Value partial[$lanes], lost[$lanes];
    for (int k = 0; k < $lanes; k++) {
        partial[k] = $neutral;
        lost[k] = Value();
    }
    unsigned long long base = first;
    for (; base + 8 * $lanes <= end; base += 8 * $lanes) {
        for (int k = 0; k < $lanes; k++) {
            Value eight[8];
#pragma unroll
            for (int g = 0; g < 8; g++) {
                const unsigned long long i = base + g * $lanes + k;
                eight[g] = $map;
            }
            keep(partial[k], lost[k], $eight);
        }
    }
    for (; base + $lanes <= end; base += $lanes) {
        for (int k = 0; k < $lanes; k++) {
            const unsigned long long i = base + k;
            keep(partial[k], lost[k], $map);
        }
    }
    for (int k = 0; k < (int)(end - base); k++) {
        const unsigned long long i = base + k;
        keep(partial[k], lost[k], $map);
    }
    for (int k = 0; k < $lanes; k++) {
        partial[k] = settled(partial[k], lost[k]);
    }
    const Value mine = combined<$lanes>(partial);
$finish
}
