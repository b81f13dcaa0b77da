// One thread finds the best element of each row, one row after the other:
// first the best key of a strip and then, if it beats all previous ones, its
// position. The loops are simple because compilers optimise those best.
//
// Returns the first position of the best key in a strip, or `count` if the
// strip does not contain it.
__device__ inline int place_in_strip(const Stored *run, const long long step,
                                     const int count, const Key best)
{
    int position = count;
    for (int k = 0; k < count; k++) {
        const Stored v = at(run, k * step);
        const int here = precedes(best, key_of($element)) ? count : k;
        position = here < position ? here : position;
    }
    return position;
}

// Returns whether a strip contains the best key.
__device__ inline bool is_in_strip(const Stored *run, const long long step,
                                   const int count, const Key best)
{
    bool found = false;
    for (int k = 0; k < count; k++) {
        const Stored v = at(run, k * step);
        found |= !precedes(best, key_of($element));
    }
    return found;
}

__device__ inline int place_of(const Stored *run, const long long step,
                               const int count, const Key best)
{
    enum { STRIP = 64 };
    int first = 0;
    for (; first + STRIP <= count; first += STRIP) {
        const Stored *strip = &at(run, first * step);
        if (is_in_strip(strip, step, STRIP, best)) {
            return first + place_in_strip(strip, step, STRIP, best);
        }
    }
    return first + place_in_strip(&at(run, first * step), step, count - first,
                                  best);
}

extern "C" __global__ void $name($out *out, const Stored *in,
                                 const Axes axes, const double scale)
{
    enum { CHUNK = 4096 };
#include "axis/some_rows.cuh"
    for (long long row = blockIdx.x * axes.per_block; row < row_end; row++) {
        const Stored *base =
            &at(in, offset_of<$remaining>(row, axes.remaining,
                                        axes.remaining_in));
        Value result = $neutral;
        Key best = Key();
        for (long long o = outer > 1 ? first : 0; o < (outer > 1 ? end : 1);
             o++) {
            const long long stop = outer > 1 ? inner : end;
            for (long long j = outer > 1 ? 0 : first; j < stop; j += CHUNK) {
                const Stored *run = &at(base, j * step + offset_of<$reduced>(
                    o * inner, axes.reduced, axes.reduced_in));
                const int count = stop - j < CHUNK ? (int)(stop - j) : CHUNK;
                const Key found = best_key(run, step, count);
                if (result.index < 0 || precedes(found, best)) {
                    const int position = place_of(run, step, count, found);
                    const Stored v = at(run, position * step);
                    result = Best{$element, o * inner + j + position};
                    best = found;
                }
            }
        }
        finish(out, axes, row, result, scale);
    }
}
