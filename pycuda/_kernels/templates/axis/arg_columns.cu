// One thread finds the best elements of $lanes adjacent columns together, four
// rows at a time.
extern "C" __global__ void $name($out *out, const Stored *in,
                                 const Axes axes, const double scale)
{
#include "axis/some_columns.cuh"
#include "axis/part.cuh"
    Element best[$lanes];
    // Index of the best element within the part, which has fewer than 2**31.
    int position[$lanes];
    const Stored *line = &at(base, offset_of<$reduced>(
        first, axes.reduced, axes.reduced_in));
    for (int k = 0; k < count; k++) {
        const Stored v = at(line, k * step);
        best[k] = $element;
        position[k] = 0;
    }
    long long r = first + 1;
    for (; r + 4 <= end; r += 4) {
        const Stored *lines[4];
#pragma unroll
        for (int g = 0; g < 4; g++) {
            lines[g] = &at(base, offset_of<$reduced>(
                r + g, axes.reduced, axes.reduced_in));
        }
        const int at_first = (int)(r - first);
        for (int k = 0; k < count; k++) {
            Element most = best[k];
            int where = position[k];
#pragma unroll
            for (int g = 0; g < 4; g++) {
                const Stored v = at(lines[g], k * step);
                const Element value = $element;
                const bool won = beats(value, most);
                most = won ? value : most;
                where = won ? at_first + g : where;
            }
            best[k] = most;
            position[k] = where;
        }
    }
    for (; r < end; r++) {
        line = &at(base, offset_of<$reduced>(
            r, axes.reduced, axes.reduced_in));
        for (int k = 0; k < count; k++) {
            const Stored v = at(line, k * step);
            const Element value = $element;
            const bool won = beats(value, best[k]);
            best[k] = won ? value : best[k];
            position[k] = won ? (int)(r - first) : position[k];
        }
    }
    for (int k = 0; k < count; k++) {
        finish(out, axes, row + k, Best{best[k], first + position[k]}, scale);
    }
}
