// Product of a sparse matrix and a vector: LANES threads of a block sum a row,
// whose entries are consecutive.
//
// SPDX-License-Identifier: MIT

typedef $type Value;
const int LANES = $lanes;

extern "C" __global__ void $name(long long rows, const long long *starts,
                                 const long long *columns,
                                 const Value *values, const Value *x,
                                 Value *y)
{
    extern __shared__ Value sums[];
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    Value sum = Value(0);

    if (row < rows) {
        const long long end = starts[row + 1];
        for (long long k = starts[row] + threadIdx.x; k < end; k += LANES) {
            sum = sum + values[k] * x[columns[k]];
        }
    }
    Value *own = sums + threadIdx.y * LANES;
    own[threadIdx.x] = sum;
    for (int half = LANES / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            own[threadIdx.x] = own[threadIdx.x] + own[threadIdx.x + half];
        }
    }
    if (row < rows && threadIdx.x == 0) {
        y[row] = y[row] + own[0];
    }
}
