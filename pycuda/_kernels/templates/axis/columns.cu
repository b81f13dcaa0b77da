// One thread reduces $lanes adjacent columns together, eight rows at a time.
extern "C" __global__ void $name($out *out, const Stored *in$extra,
                                 const Axes axes, const double scale)
{
#include "axis/some_columns.cuh"
#include "axis/part.cuh"
    Value partial[$lanes], lost[$lanes];
    for (int k = 0; k < count; k++) {
        partial[k] = $neutral;
        lost[k] = Value();
    }
    long long r = first;
    for (; r + 8 <= end; r += 8) {
        const Stored *line[8];
#pragma unroll
        for (int g = 0; g < 8; g++) {
            line[g] = &at(base, offset_of<$reduced>(
                r + g, axes.reduced, axes.reduced_in));
        }
        for (int k = 0; k < count; k++) {
            $centre
            Value eight[8];
#pragma unroll
            for (int g = 0; g < 8; g++) {
                const Stored v = at(line[g], k * step);
                eight[g] = $map;
            }
            keep(partial[k], lost[k], combined<8>(eight));
        }
    }
    for (; r < end; r++) {
        const Stored *line = &at(base, offset_of<$reduced>(
            r, axes.reduced, axes.reduced_in));
        for (int k = 0; k < count; k++) {
            $centre
            const Stored v = at(line, k * step);
            keep(partial[k], lost[k], $map);
        }
    }
    for (int k = 0; k < count; k++) {
        finish(out, axes, row + k, settled(partial[k], lost[k]), scale);
    }
}
