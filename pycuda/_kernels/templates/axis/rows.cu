// One thread reduces rows one after the other, with $lanes accumulators.
// Eight elements meet before an accumulator sees them.
extern "C" __global__ void $name($out *out, const Stored *in$extra,
                                 const Axes axes, const double scale)
{
#include "axis/some_rows.cuh"
    for (long long row = blockIdx.x * axes.per_block; row < row_end; row++) {
        const Stored *base =
            &at(in, offset_of<$kept>(row, axes.kept, axes.kept_in));
        $centre
        Value partial[$lanes], lost[$lanes];
        for (int k = 0; k < $lanes; k++) {
            partial[k] = $neutral;
            lost[k] = Value();
        }
        for (long long o = outer > 1 ? first : 0; o < (outer > 1 ? end : 1);
             o++) {
            const Stored *run = &at(base, offset_of<$reduced>(
                o * inner, axes.reduced, axes.reduced_in));
            const long long stop = outer > 1 ? inner : end;
            long long j = outer > 1 ? 0 : first;
            for (; j + 8 * $lanes <= stop; j += 8 * $lanes) {
                for (int k = 0; k < $lanes; k++) {
                    Value eight[8];
#pragma unroll
                    for (int g = 0; g < 8; g++) {
                        const Stored v = at(run, (j + g * $lanes + k) * step);
                        eight[g] = $map;
                    }
                    keep(partial[k], lost[k], combined<8>(eight));
                }
            }
            for (; j + $lanes <= stop; j += $lanes) {
                for (int k = 0; k < $lanes; k++) {
                    const Stored v = at(run, (j + k) * step);
                    keep(partial[k], lost[k], $map);
                }
            }
            for (int k = 0; k < stop - j; k++) {
                const Stored v = at(run, (j + k) * step);
                keep(partial[k], lost[k], $map);
            }
        }
        for (int k = 0; k < $lanes; k++) {
            partial[k] = settled(partial[k], lost[k]);
        }
        finish(out, axes, row, combined<$lanes>(partial), scale);
    }
}
