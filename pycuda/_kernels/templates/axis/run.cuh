// Reduces a run of a row. Before an accumulator is updated, $group elements
// are combined; they come from as many consecutive pieces of $piece elements,
// because memory is fastest when it is read sequentially.
__device__ inline void keep_run(Value *__restrict__ partial,
                                Value *__restrict__ lost,
                                const Stored *__restrict__ run,
                                const long long step,
                                const long long count$extra_value)
{
    long long j = 0;
    for (; j + $group * $lanes <= count; j += $group * $lanes) {
        for (int part = 0; part < $lanes; part += $piece) {
            const Stored *from = &at(run, (j + $group * part) * step);
            for (int k = 0; k < $piece; k++) {
                Value some[$group];
#pragma unroll
                for (int g = 0; g < $group; g++) {
                    const Stored v = at(from, (g * $piece + k) * step);
                    some[g] = $map;
                }
                $keep_some;
            }
        }
    }
    for (; j + $lanes <= count; j += $lanes) {
        const Stored *from = &at(run, j * step);
        for (int k = 0; k < $lanes; k++) {
            const Stored v = at(from, k * step);
            keep(partial[k], lost[k], $map);
        }
    }
    const Stored *rest = &at(run, j * step);
    for (int k = 0; k < count - j; k++) {
        const Stored v = at(rest, k * step);
        keep(partial[k], lost[k], $map);
    }
}

