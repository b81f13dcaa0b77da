// Each block, which has one thread, reduces its share of the elements, with
// $lanes accumulators. $group elements are combined before an accumulator is
// updated: they come from consecutive rows of $row, about a cache line,
// because memory is fastest when read sequentially.
$share
    Value partial[$lanes], lost[$lanes];
    for (int k = 0; k < $lanes; k++) {
        partial[k] = $neutral;
        lost[k] = Value();
    }
    unsigned long long base = first;
    for (; base + $group * $lanes <= end; base += $group * $lanes) {
        for (int part = 0; part < $lanes; part += $row) {
            for (int k = 0; k < $row; k++) {
                Value some[$group];
#pragma unroll
                for (int g = 0; g < $group; g++) {
                    const unsigned long long i =
                        base + $group * part + g * $row + k;
                    some[g] = $map;
                }
                $keep_some;
            }
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
