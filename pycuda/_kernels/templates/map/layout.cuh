// Memory layout of all operands, the result first. Strides are in bytes.
struct Layout {
    long long size, blocks, shape[$ndim], strides[$operands][$ndim];
};
