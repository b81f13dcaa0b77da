// Each thread scans $width adjacent rows, element by element.
extern "C" __global__ void scan_axis($out *out, const Stored *in,
                                     const Rows rows)
{
    const long long inner = rows.shape[$ndim - 1];
    const long long tiles = (inner + $width - 1) / $width;
    const long long tile =
        (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long start = tile % tiles * $width;
    const long long row = tile / tiles * inner + start;
    if (row >= rows.rows) {
        return;
    }
    const int count = $width == 1               ? 1
                      : inner - start < $width ? (int)(inner - start)
                                               : $width;
    const char *from =
        (const char *)in + offset_of<$ndim>(row, rows.shape, rows.in);
    char *to = (char *)out + offset_of<$ndim>(row, rows.shape, rows.out);
    const long long in_step = rows.in[$ndim - 1];
    const long long out_step = rows.out[$ndim - 1];
    Value sums[$width], lost[$width];
    for (int k = 0; k < $width; k++) {
        sums[k] = $neutral;
        lost[k] = Value();
    }
    long long i = 0;
#if $in_vectors
    if (rows.in_stride == sizeof(Stored) && rows.out_stride == sizeof(Lane)) {
        i = scan_vectors((Lane *)to, (const Stored *)from, rows.length,
                         sums[0]);
        from += i * rows.in_stride;
        to += i * rows.out_stride;
    }
#endif
    for (; i < rows.length; i++) {
        for (int k = 0; k < count; k++) {
            const Stored v = *(const Stored *)(from + k * in_step);
            keep(sums[k], lost[k], $map);
            const Value x = settled(sums[k], lost[k]);
            *($out *)(to + k * out_step) = $finish;
        }
        from += rows.in_stride;
        to += rows.out_stride;
    }
}
