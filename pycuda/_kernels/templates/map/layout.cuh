// Where the elements of all operands lie, the result first.  Strides are bytes.
struct Layout {
    long long size, blocks, shape[$ndim], strides[$operands][$ndim];
};
