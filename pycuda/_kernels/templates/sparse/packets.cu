// Product of a sparse matrix in packets and a vector: a block handles a packet
// and keeps the packet's part of the vector in shared memory. `Packets` in
// pycuda/sparse describes the arrays.
//
// SPDX-License-Identifier: MIT

typedef $type Value;

extern "C" __global__ void $name(
    const long long *starts, const long long *bases,
    const unsigned short *lengths, const unsigned short *columns,
    const Value *values, const long long *rest_starts,
    const long long *rest_columns, const Value *rest_values, const Value *x,
    Value *y)
{
    extern __shared__ Value part[];
    const long long first = starts[blockIdx.x];
    const int rows = (int)(starts[blockIdx.x + 1] - first);

    for (int i = threadIdx.x; i < rows; i += blockDim.x) {
        part[i] = x[first + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows; i += blockDim.x) {
        const long long row = first + i;
        long long at = bases[blockIdx.x] + i;
        Value sum = Value(0);
        for (int k = 0; k < lengths[row]; k++, at += rows) {
            sum = sum + values[at] * part[columns[at]];
        }
        for (long long k = rest_starts[row]; k < rest_starts[row + 1]; k++) {
            sum = sum + rest_values[k] * x[rest_columns[k]];
        }
        y[row] = y[row] + sum;
    }
}
