// A stable sort of a tile by one digit, for threads that run side by side.
//
// A warp holds a piece of the tile: item k of lane l is the piece's element
// 32 k + l.  Lanes of the same digit find each other, and one of them counts
// for all, so that ranks follow the elements' order.
enum { THREADS = $threads, WARPS = THREADS / 32, ITEMS = $items };
enum { TILE = THREADS * ITEMS, EACH = THREADS < DIGITS ? DIGITS / THREADS : 1 };

struct Shared {
    unsigned ranks[WARPS][DIGITS];
    unsigned starts[DIGITS]; // of each digit in the tile
    unsigned totals[WARPS];
    union {
        Element items[TILE];
        Index order[TILE];
    };
};

__device__ inline unsigned lane_of(unsigned k)
{
    return (threadIdx.x / 32) * 32 * ITEMS + 32 * k + threadIdx.x % 32;
}

// The sum of `value` over all threads before this one.
__device__ inline unsigned sum_before(unsigned value, unsigned *totals)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = value;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffffu, sum, step);
        sum += lane >= step ? other : 0;
    }
    if (lane == 31) {
        totals[warp] = sum;
    }
    __syncthreads();
    unsigned before = 0;
    for (unsigned k = 0; k < warp; k++) {
        before += totals[k];
    }
    __syncthreads();
    return before + sum - value;
}

// places[k]: where item k goes in the sorted tile.  On return thread t knows
// in counts[j] how many elements have digit t * EACH + j, if that is a digit.
__device__ inline void rank_tile(Shared &shared, const unsigned *digits,
                                 unsigned *places, unsigned *counts)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned i = threadIdx.x; i < WARPS * DIGITS; i += THREADS) {
        (&shared.ranks[0][0])[i] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned digit = digits[k];
        const unsigned peers = __match_any_sync(0xffffffffu, digit);
        const unsigned before = __popc(peers & ((1u << lane) - 1));
        const unsigned known = shared.ranks[warp][digit];
        __syncwarp();
        if (before == 0) {
            shared.ranks[warp][digit] = known + __popc(peers);
        }
        __syncwarp();
        places[k] = known + before;
    }
    __syncthreads();
    unsigned total = 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const unsigned digit = threadIdx.x * EACH + j;
        unsigned count = 0;
        for (int w = 0; digit < DIGITS && w < WARPS; w++) {
            const unsigned own = shared.ranks[w][digit];
            shared.ranks[w][digit] = count;
            count += own;
        }
        counts[j] = count;
        total += count;
    }
    unsigned start = sum_before(total, shared.totals);
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const unsigned digit = threadIdx.x * EACH + j;
        if (digit < DIGITS) {
            shared.starts[digit] = start;
        }
        start += counts[j];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned digit = digits[k];
        places[k] += shared.starts[digit] + shared.ranks[warp][digit];
    }
}
