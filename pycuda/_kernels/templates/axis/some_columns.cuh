    // The thread's adjacent columns: `count` from `row` on.
    const long long width = axes.kept[$kept - 1];
    const long long tiles = (width + $lanes - 1) / $lanes;
    const long long start = blockIdx.x % tiles * $lanes;
    const long long row = blockIdx.x / tiles * width + start;
    const int count = width - start < $lanes ? (int)(width - start) : $lanes;
    const Stored *base =
        &at(in, offset_of<$kept>(row, axes.kept, axes.kept_in));
    const long long step = $step;
