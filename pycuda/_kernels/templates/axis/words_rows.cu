// Several lanes share a contiguous row; each has $loads word loads in
// progress.
__device__ inline Value word_of(const Pack<Stored> &word,
                                long long position$extra_value)
{
    Value run[WIDTH];
#pragma unroll
    for (int w = 0; w < WIDTH; w++) {
        const long long r = position + w;
        const Stored v = word.at[w];
        run[w] = $map;
    }
    return combined<WIDTH>(run);
}

extern "C" __global__ void __launch_bounds__(THREADS)
$name($out *out, const Stored *in$extra, const Axes axes, const double scale)
{
    const int lane = threadIdx.x, thread = threadIdx.y * LANES + lane;
    const long long row =
        (long long)blockIdx.x * (THREADS / LANES) + threadIdx.y;
#include "axis/part.cuh"
    Value result = $neutral, lost = Value();
    if (row < axes.rows) {
        const Stored *start =
            &at(in, offset_of<$remaining>(row, axes.remaining,
                                        axes.remaining_in)) + first;
        const Pack<Stored> *words =
            reinterpret_cast<const Pack<Stored> *>(start);
        $centre
        const long long count = (end - first) / WIDTH;
        long long i = lane;
        for (; i + (LOADS - 1) * LANES < count; i += LOADS * LANES) {
            Pack<Stored> loaded[LOADS];
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                loaded[k] = load_word<Pack<Stored>>(words + i + k * LANES);
            }
            Value runs[LOADS];
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                runs[k] = word_of(loaded[k],
                                  first + (i + k * LANES) * WIDTH$extra_name);
            }
            keep(result, lost, combined<LOADS>(runs));
        }
        for (; i < count; i += LANES) {
            keep(result, lost,
                 word_of(load_word<Pack<Stored>>(words + i),
                         first + i * WIDTH$extra_name));
        }
        for (long long r = first + count * WIDTH + lane; r < end; r += LANES) {
            const Stored v = start[r - first];
            keep(result, lost, $map);
        }
        result = settled(result, lost);
    }
#pragma unroll
    for (int bit = (LANES < 32 ? LANES : 32) / 2; bit > 0; bit /= 2) {
        result = combine(result, from_lane(result, bit));
    }
    if (LANES > 32) {
        __shared__ __align__(16) unsigned char memory[THREADS / 32 *
                                                      sizeof(Value)];
        Value *shared = reinterpret_cast<Value *>(memory);
        if (lane % 32 == 0) {
            shared[thread / 32] = result;
        }
        __syncthreads();
        if (lane == 0) {
            for (int k = 1; k < LANES / 32; k++) {
                result = combine(result, shared[thread / 32 + k]);
            }
        }
    }
    if (lane == 0 && row < axes.rows) {
        finish(out, axes, row, result, scale);
    }
}
