// Single pass: each block scans a tile. A thread holds $rows runs of $vec
// adjacent elements; a row of runs spans the lanes of a warp, the rows of a
// warp are consecutive, and so are the warps.
enum { BLOCK = $block, WARPS = BLOCK / 32, ROWS = $rows, VEC = $vec };
enum { LOOKS = $looks, WINDOW = 32 * LOOKS };
enum { ROW = 32 * VEC, SHARE = ROWS * ROW, TILE = WARPS * SHARE };

#include "numbers/words.cuh"
template <class T>
struct alignas(VEC > 1 ? sizeof(T) * VEC : alignof(T)) Pack {
    T at[VEC];
};

__device__ inline Value from_lane(const Value &value, unsigned source)
{
    Parts<Value> parts = parts_of(value);
#pragma unroll
    for (int k = 0; k < Parts<Value>::COUNT; k++) {
        parts.at[k] = __shfl_sync(0xffffffffu, parts.at[k], source);
    }
    Value result = value;
    join_parts(result, parts);
    return result;
}

// Inclusive scan of one value per lane.
__device__ inline Value scan_warp(Value value, unsigned lane)
{
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const Value before =
            from_lane(value, lane >= step ? lane - step : lane);
        if (lane >= step) {
            value = combine(before, value);
        }
    }
    return value;
}

// Called by one warp: combines the values of all previous tiles. Lane 0
// obtains them in `result`.
__device__ inline void look_back(const Word *state, unsigned tile,
                                 unsigned lane, Parts<Total> *seen,
                                 Total &result)
{
    Parts<Total> parts[LOOKS];
    unsigned nearest; // Number of tiles back to the nearest prefix.
    for (;;) {
        unsigned empty = WINDOW;
        nearest = WINDOW;
#pragma unroll
        for (int k = 0; k < LOOKS; k++) {
            const unsigned away = lane + 32 * k;
            const unsigned flag =
                away < tile ? look(state, tile - 1 - away, parts[k])
                            : (unsigned)EMPTY;
            const unsigned holes = __ballot_sync(0xffffffffu, flag == EMPTY);
            const unsigned ends = __ballot_sync(0xffffffffu, flag == PREFIX);
            if (holes && empty == WINDOW) {
                empty = 32 * k + __ffs(holes) - 1;
            }
            if (ends && nearest == WINDOW) {
                nearest = 32 * k + __ffs(ends) - 1;
            }
        }
        if (nearest < empty) {
            break;
        }
    }
#pragma unroll
    for (int k = 0; k < LOOKS; k++) {
        if (lane + 32 * k <= nearest) {
            seen[lane + 32 * k] = parts[k];
        }
    }
    __syncwarp();
    if (lane == 0) {
        join_parts(result, seen[nearest]);
        for (unsigned away = nearest; away-- > 0;) {
            Total total = result;
            join_parts(total, seen[away]);
            result = chained(result, total);
        }
    }
}

// Elements beyond the end repeat the last one; their results are discarded.
__device__ inline void load_run(const Stored *in$heads_parameter,
                                unsigned long long first,
                                unsigned long long n, bool wide, Value *run)
{
    if (wide) {
        const Pack<Stored> pack = load_word<Pack<Stored>>(in + first);
$pack_heads
#pragma unroll
        for (int k = 0; k < VEC; k++) {
            run[k] = loaded(pack.at[k]$heads_packed);
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < VEC; k++) {
        const unsigned long long i = first + k < n ? first + k : n - 1;
        run[k] = loaded(in[i]$heads_element);
    }
}

// Stores the scan of `run`; if `some`, `before` is the value of all elements
// before it.
__device__ inline void store_run(Out *out, unsigned long long first,
                                 unsigned long long n, bool wide,
                                 const Value *run, Value before, bool some)
{
    Out results[VEC];
#pragma unroll
    for (int k = 0; k < VEC; k++) {
        const Value v = run[k];
        const Value next = some ? combine(before, v) : v;
        const $result_type x = $result;
        results[k] = $finish;
        before = next;
        some = true;
    }
    if (wide) {
        Pack<Out> pack;
#pragma unroll
        for (int k = 0; k < VEC; k++) {
            pack.at[k] = results[k];
        }
        store_word(out + first, pack);
        return;
    }
#pragma unroll
    for (int k = 0; k < VEC; k++) {
        if (first + k < n) {
            out[first + k] = results[k];
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
$name(const Stored *in$heads_parameter, Out *out, unsigned long long n,
      Word *state)
{
    __shared__ Parts<Value> totals[WARPS], before_tile;
    __shared__ Parts<Total> seen[WINDOW];
    __shared__ unsigned number;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned tile = 0;
    if (gridDim.x > 1) {
        // Tiles are numbered in the order in which blocks start, so no block
        // waits for a later one.
        if (threadIdx.x == 0) {
            number = atomicAdd((unsigned *)state, 1u);
        }
        __syncthreads();
        tile = number;
    }
    const unsigned long long start = (unsigned long long)tile * TILE;
    const bool wide = n - start >= TILE &&
                      ((size_t)in % alignof(Pack<Stored>) |
                       (size_t)out % alignof(Pack<Out>)$heads_aligned) == 0;
    const unsigned long long first = start + warp * SHARE + lane * VEC;

    Value runs[ROWS][VEC], sums[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        load_run(in$heads_argument, first + row * ROW, n, wide, runs[row]);
    }
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        sums[row] = runs[row][0];
#pragma unroll
        for (int k = 1; k < VEC; k++) {
            sums[row] = combine(sums[row], runs[row][k]);
        }
        sums[row] = scan_warp(sums[row], lane);
    }
    // sums[row] is the sum of the warp's elements up to the end of the lane's
    // run in the row, ends[row] up to the end of the row.
    Value ends[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        ends[row] = from_lane(sums[row], 31);
        if (row > 0) {
            sums[row] = combine(ends[row - 1], sums[row]);
            ends[row] = combine(ends[row - 1], ends[row]);
        }
    }
    if (lane == 31) {
        totals[warp] = parts_of(ends[ROWS - 1]);
    }
    __syncthreads();
    if (warp == 0 && gridDim.x > 1) {
        Value all = ends[ROWS - 1];
        for (int k = 1; k < WARPS; k++) {
            Value next = all;
            join_parts(next, totals[k]);
            all = combine(all, next);
        }
        Total total = total_of(all), before = total;
        if (lane == 0 && tile > 0) {
            publish(state, tile, total, TOTAL);
        }
        if (tile > 0) {
            look_back(state, tile, lane, seen, before);
        }
        if (lane == 0) {
            if (tile > 0) {
                total = chained(before, total);
                before_tile = parts_of(value_of(before));
            }
            publish(state, tile, total, PREFIX);
        }
    }
    __syncthreads();
    Value before = sums[0];
    bool some = tile > 0;
    if (some) {
        join_parts(before, before_tile);
    }
    for (unsigned k = 0; k < warp; k++) {
        Value total = before;
        join_parts(total, totals[k]);
        before = some ? combine(before, total) : total;
        some = true;
    }
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        // Sum of the warp's elements before this run.
        Value inner = from_lane(sums[row], lane > 0 ? lane - 1 : 0);
        bool any = lane > 0;
        if (row > 0 && lane == 0) {
            inner = ends[row - 1];
            any = true;
        }
        const Value all =
            any && some ? combine(before, inner) : any ? inner : before;
        store_run(out, first + row * ROW, n, wide, runs[row], all,
                  any || some);
    }
}
