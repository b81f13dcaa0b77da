// Each thread has a word of adjacent columns; several lanes share the rows of
// a column, and each lane has $loads loads in progress.
extern "C" __global__ void __launch_bounds__(THREADS)
$name($out *out, const Stored *in$extra, const Axes axes, const double scale)
{
    enum { WIDE = THREADS / LANES };
    const int lane = threadIdx.y;
    const long long row =
        ((long long)blockIdx.x * WIDE + threadIdx.x) * WIDTH;
#include "axis/part.cuh"
    Value partial[WIDTH], lost[WIDTH];
#pragma unroll
    for (int w = 0; w < WIDTH; w++) {
        partial[w] = $neutral;
        lost[w] = Value();
    }
    if (row < axes.rows) {
        const Stored *base =
            &at(in, offset_of<$remaining>(row, axes.remaining,
                                        axes.remaining_in));
        long long i = first + lane;
        for (; i + (LOADS - 1) * LANES < end; i += LOADS * LANES) {
            Pack<Stored> loaded[LOADS];
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                loaded[k] = load_word<Pack<Stored>>(
                    &at(base, offset_of<$reduced>(
                        i + k * LANES, axes.reduced, axes.reduced_in)));
            }
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                $centre
                Value run[LOADS];
#pragma unroll
                for (int k = 0; k < LOADS; k++) {
                    const long long r = i + k * LANES;
                    const Stored v = loaded[k].at[w];
                    run[k] = $map;
                }
                keep(partial[w], lost[w], combined<LOADS>(run));
            }
        }
        for (long long r = i; r < end; r += LANES) {
            const Pack<Stored> word = load_word<Pack<Stored>>(
                &at(base, offset_of<$reduced>(
                    r, axes.reduced, axes.reduced_in)));
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                $centre
                const Stored v = word.at[w];
                keep(partial[w], lost[w], $map);
            }
        }
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            partial[w] = settled(partial[w], lost[w]);
        }
    }
    if (LANES > 1) {
        __shared__ __align__(16) unsigned char
            memory[THREADS / 2 * WIDTH * sizeof(Value)];
        Value *shared = reinterpret_cast<Value *>(memory) + threadIdx.x;
#pragma unroll
        for (int half = LANES / 2; half > 0; half /= 2) {
            if (lane >= half && lane < 2 * half) {
#pragma unroll
                for (int w = 0; w < WIDTH; w++) {
                    shared[((lane - half) * WIDTH + w) * WIDE] = partial[w];
                }
            }
            __syncthreads();
            if (lane < half) {
#pragma unroll
                for (int w = 0; w < WIDTH; w++) {
                    partial[w] = combine(
                        partial[w], shared[(lane * WIDTH + w) * WIDE]);
                }
            }
            __syncthreads(); // The next half writes to the same shared memory.
        }
    }
    if (lane == 0 && row < axes.rows) {
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            finish(out, axes, row + w, partial[w], scale);
        }
    }
}
