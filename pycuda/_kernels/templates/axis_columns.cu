// One thread reduces $lanes neighbouring columns side by side.
extern "C" __global__ void $name($out *out, const Stored *in$extra,
                                 const Axes axes, const double scale)
{
    const long long width = axes.kept[$kept - 1];
    const long long tiles = (width + $lanes - 1) / $lanes;
    const long long start = blockIdx.x % tiles * $lanes;
    const long long row = blockIdx.x / tiles * width + start;
    const int count = width - start < $lanes ? (int)(width - start) : $lanes;
    const Stored *base =
        &at(in, offset_of<$kept>(row, axes.kept, axes.kept_in));
    const long long step = $step;
    const long long first = blockIdx.y * axes.span;
    const long long end = first + axes.span < axes.length
                              ? first + axes.span
                              : axes.length;
    Value partial[$lanes];
    for (int k = 0; k < $lanes; k++) {
        partial[k] = $neutral;
    }
    for (long long r = first; r < end; r++) {
        const Stored *line = &at(base, offset_of<$reduced>(
            r, axes.reduced, axes.reduced_in));
        if (count == $lanes) {
            for (int k = 0; k < $lanes; k++) {
                const Stored v = at(line, k * step);
                $centre
                partial[k] = combine(partial[k], $map);
            }
        } else {
            for (int k = 0; k < count; k++) {
                const Stored v = at(line, k * step);
                $centre
                partial[k] = combine(partial[k], $map);
            }
        }
    }
    for (int k = 0; k < count; k++) {
        finish(out, axes, row + k, partial[k], scale);
    }
}
