// One thread finds the best element of rows, one after the other: the best
// value of a chunk first and, where that beats all before it, its place.
__device__ inline Best best_of(const Stored *run, const long long step,
                               const int count)
{
    enum { LANES = $lanes };
    Element partial[LANES];
    for (int k = 0; k < LANES; k++) {
        const Stored v = at(run, 0);
        partial[k] = $element;
    }
    long long j = 0;
    for (; j + 4 * LANES <= count; j += 4 * LANES) {
        for (int k = 0; k < LANES; k++) {
            Element four[4];
#pragma unroll
            for (int g = 0; g < 4; g++) {
                const Stored v = at(run, (j + g * LANES + k) * step);
                four[g] = $element;
            }
            partial[k] = better(better(better(partial[k], four[0]),
                                       better(four[1], four[2])), four[3]);
        }
    }
    for (; j + LANES <= count; j += LANES) {
        for (int k = 0; k < LANES; k++) {
            const Stored v = at(run, (j + k) * step);
            partial[k] = better(partial[k], $element);
        }
    }
    for (int k = 0; k < (int)(count - j); k++) {
        const Stored v = at(run, (j + k) * step);
        partial[k] = better(partial[k], $element);
    }
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; k++) {
            partial[k] = better(partial[k], partial[k + half]);
        }
    }
    return Best{partial[0], -1};
}

// The first place of a value that nothing beats.
__device__ inline long long place_of(const Stored *run, const long long step,
                                     const int count, const Element best)
{
    int place = count;
    for (int k = 0; k < count; k++) {
        const Stored v = at(run, k * step);
        const int here = beats(best, $element) ? count : k;
        place = here < place ? here : place;
    }
    return place;
}

extern "C" __global__ void $name($out *out, const Stored *in,
                                 const Axes axes, const double scale)
{
    enum { CHUNK = 4096 };
    const long long inner = axes.reduced[$reduced - 1];
    const long long step = $step;
    const long long outer = axes.length / inner;
    const long long row_end = (blockIdx.x + 1) * axes.per_block < axes.rows
                                  ? (blockIdx.x + 1) * axes.per_block
                                  : axes.rows;
    // A part is a run of the only reduced axis, or of the outer ones.
    const long long first = blockIdx.y * axes.span;
    const long long limit = outer > 1 ? outer : inner;
    const long long end = first + axes.span < limit ? first + axes.span
                                                    : limit;
    for (long long row = blockIdx.x * axes.per_block; row < row_end; row++) {
        const Stored *base =
            &at(in, offset_of<$kept>(row, axes.kept, axes.kept_in));
        Value result = $neutral;
        for (long long o = outer > 1 ? first : 0; o < (outer > 1 ? end : 1);
             o++) {
            const long long stop = outer > 1 ? inner : end;
            for (long long j = outer > 1 ? 0 : first; j < stop; j += CHUNK) {
                const Stored *run = &at(base, j * step + offset_of<$reduced>(
                    o * inner, axes.reduced, axes.reduced_in));
                const int count = stop - j < CHUNK ? (int)(stop - j) : CHUNK;
                Best found = best_of(run, step, count);
                if (result.index < 0 || beats(found.value, result.value)) {
                    found.index = o * inner + j +
                                  place_of(run, step, count, found.value);
                    result = found;
                }
            }
        }
        finish(out, axes, row, result, scale);
    }
}
