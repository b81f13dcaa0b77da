// One thread reduces rows sequentially, with $lanes accumulators.
extern "C" __global__ void $name($out *out, const Stored *in$extra,
                                 const Axes axes, const double scale)
{
#include "axis/some_rows.cuh"
    for (long long row = blockIdx.x * axes.per_block; row < row_end; row++) {
        const Stored *base =
            &at(in, offset_of<$remaining>(row, axes.remaining,
                                        axes.remaining_in));
        $centre
        Value partial[$lanes], lost[$lanes];
        for (int k = 0; k < $lanes; k++) {
            partial[k] = $neutral;
        }
        for (int k = 0; k < $lanes; k++) {
            lost[k] = Value();
        }
        for (long long o = outer > 1 ? first : 0; o < (outer > 1 ? end : 1);
             o++) {
            const Stored *run = &at(base, offset_of<$reduced>(
                o * inner, axes.reduced, axes.reduced_in));
            const long long start = outer > 1 ? 0 : first;
            const long long stop = outer > 1 ? inner : end;
            keep_run(partial, lost, &at(run, start * step), step,
                     stop - start$extra_name);
        }
        for (int k = 0; k < $lanes; k++) {
            partial[k] = settled(partial[k], lost[k]);
        }
        finish(out, axes, row, combined<$lanes>(partial), scale);
    }
}
