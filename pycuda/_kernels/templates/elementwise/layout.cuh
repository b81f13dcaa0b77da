// Layout of all operands: the vectors in the order of their parameters, then
// the index i if the operation uses it. Strides and starts are in bytes; those
// of i are in elements.
struct pycuda_layout {
    long long size, blocks, start[$operands];
    long long shape[$ndim], strides[$operands][$ndim];
};

// The element of one vector for which the operation runs; the index is always
// that of this element.
template <class T>
struct pycuda_element {
    T *pycuda_at;
    __device__ T &operator[](unsigned long long) const { return *pycuda_at; }
};
