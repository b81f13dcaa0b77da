// Several lanes share a row of elements that are reduced to one; $across of
// the lanes are along x.
extern "C" __global__ void $name($out *out, const Stored *in$extra,
                                 const Axes axes, const double scale)
{
    extern __shared__ __align__(16) unsigned char memory[];
    Value *shared = reinterpret_cast<Value *>(memory);
    const unsigned lane = threadIdx.$lane, lanes = blockDim.$lane;
    const unsigned local = threadIdx.$row, rows = blockDim.$row;
    const long long row = (long long)blockIdx.x * rows + local;
#include "axis/part.cuh"
    Value result = $neutral, lost = Value();
    if (row < axes.rows) {
        const Stored *base =
            &at(in, offset_of<$remaining>(row, axes.remaining,
                                        axes.remaining_in));
        $centre
        long long i = first + lane;
        for (; i + ($loads - 1) * lanes < end; i += $loads * lanes) {
            Stored loaded[$loads];
#pragma unroll
            for (int k = 0; k < $loads; k++) {
                loaded[k] = at(base, offset_of<$reduced>(
                    i + k * lanes, axes.reduced, axes.reduced_in));
            }
            Value mapped[$loads];
#pragma unroll
            for (int k = 0; k < $loads; k++) {
                const long long r = i + k * lanes;
                const Stored v = loaded[k];
                mapped[k] = $map;
            }
            keep(result, lost, combined<$loads>(mapped));
        }
        for (; i < end; i += lanes) {
            const long long r = i;
            const Stored v = at(base, offset_of<$reduced>(
                r, axes.reduced, axes.reduced_in));
            keep(result, lost, $map);
        }
        result = settled(result, lost);
    }
    if (lanes > 1) {
        shared[lane * rows + local] = result;
        for (unsigned step = lanes / 2; step > 1; step /= 2) {
            __syncthreads();
            if (lane < step) {
                shared[lane * rows + local] =
                    combine(shared[lane * rows + local],
                            shared[(lane + step) * rows + local]);
            }
        }
        __syncthreads();
        result = combine(shared[local], shared[rows + local]);
    }
    if (lane == 0 && row < axes.rows) {
        finish(out, axes, row, result, scale);
    }
}
