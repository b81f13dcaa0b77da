    // The thread handles `count` adjacent columns; `row` is the index of the
    // first one.
    const long long width = axes.remaining[$remaining - 1];
    const long long tiles = (width + $lanes - 1) / $lanes;
    const long long start = blockIdx.x % tiles * $lanes;
    const long long row = blockIdx.x / tiles * width + start;
    const int count = width - start < $lanes ? (int)(width - start) : $lanes;
    const Stored *base =
        &at(in, offset_of<$remaining>(row, axes.remaining, axes.remaining_in));
    const long long step = $step;
