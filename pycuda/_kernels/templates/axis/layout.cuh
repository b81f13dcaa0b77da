// Memory layout of a reduction over some axes. Strides are in bytes.
typedef $type Value;
typedef $stored Stored;

struct Axes {
    long long rows, length, span, per_block;
    long long remaining[$remaining], remaining_in[$remaining];
    long long remaining_out[$remaining];
    long long reduced[$reduced], reduced_in[$reduced];
};

__device__ inline Value combine(Value x, Value y)
{
    return $combine;
}

__device__ inline const Stored &at(const Stored *in, long long offset)
{
    return *(const Stored *)((const char *)in + offset);
}

__device__ inline void finish($out *out, const Axes &axes, long long row,
                              Value x, double scale)
{
    $out *target = $target;
    *target = $finish;
}
