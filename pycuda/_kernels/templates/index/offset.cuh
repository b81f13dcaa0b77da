// Offset of an element in bytes: the last axis varies fastest, strides are in
// bytes.
template <int N>
__device__ inline long long offset_of(unsigned long long index,
                                      const long long *shape,
                                      const long long *strides)
{
    long long offset = 0;
#pragma unroll
    for (int axis = N - 1; axis > 0; axis--) {
        unsigned long long length = shape[axis];
        unsigned long long rest;
        if ((index | length) >> 32) {
            rest = index / length;
        } else {
            rest = (unsigned int)index / (unsigned int)length;
        }
        offset += (long long)(index - rest * length) * strides[axis];
        index = rest;
    }
    return offset + (long long)index * strides[0];
}
