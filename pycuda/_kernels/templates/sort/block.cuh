// A stable sort of a tile by one digit, for threads that run in parallel. A
// warp holds a piece of the tile: item k of lane l is the piece's element 32 k
// + l. Each warp first counts its digits; then its lanes with the same digit
// find each other, and one of them counts for all, so that ranks follow the
// elements' order.
enum { THREADS = $threads, WARPS = THREADS / 32, ITEMS = $items };
enum { TILE = THREADS * ITEMS, EACH = THREADS < DIGITS ? DIGITS / THREADS : 1 };

struct Shared {
    // Next position of each digit in a warp's piece.
    unsigned ranks[WARPS][DIGITS];
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

// The sum of `value` over all previous threads.
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
#pragma unroll
    for (unsigned k = 0; k < WARPS; k++) {
        before += k < warp ? totals[k] : 0;
    }
    return before + sum - value;
}

// Returns the set of the warp's lanes whose digit is this one, as a mask.
__device__ inline unsigned peers_of(unsigned digit)
{
    unsigned peers = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < 8; bit++) {
        unsigned own = digit & 1u << bit;
        // Hides the origin of the bit from the optimiser: ptxas then computes
        // predicates from all bits together, instead of one shift for each.
        asm("" : "+r"(own));
        const unsigned votes = __ballot_sync(0xffffffffu, own != 0);
        peers &= own != 0 ? votes : ~votes;
    }
    return peers;
}

// On return, thread t has in counts[j] the number of elements with digit t *
// EACH + j, if that is a digit.
__device__ inline void count_tile(Shared &shared, const unsigned *digits,
                                  unsigned *counts)
{
    const unsigned warp = threadIdx.x / 32;
    for (unsigned i = threadIdx.x; i < WARPS * DIGITS; i += THREADS) {
        (&shared.ranks[0][0])[i] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        atomicAdd(&shared.ranks[warp][digits[k]], 1u);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const unsigned digit = threadIdx.x * EACH + j;
        unsigned count = 0;
#pragma unroll
        for (int w = 0; digit < DIGITS && w < WARPS; w++) {
            count += shared.ranks[w][digit];
        }
        counts[j] = count;
    }
}

// places[k], which is a digit on entry, becomes the position of item k in the
// sorted tile; starts[j] is the start of the digits of counts[j] there.
__device__ inline void rank_tile(Shared &shared, const unsigned *counts,
                                 unsigned *starts, unsigned *places)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned total = 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        total += counts[j];
    }
    unsigned start = sum_before(total, shared.totals);
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const unsigned digit = threadIdx.x * EACH + j;
        unsigned next = start;
        starts[j] = start;
#pragma unroll
        for (int w = 0; digit < DIGITS && w < WARPS; w++) {
            const unsigned own = shared.ranks[w][digit];
            shared.ranks[w][digit] = next;
            next += own;
        }
        start += counts[j];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned digit = places[k], peers = peers_of(digit);
        const unsigned before = __popc(peers & ((1u << lane) - 1));
        const unsigned next = shared.ranks[warp][digit];
        __syncwarp();
        if (before == 0) {
            shared.ranks[warp][digit] = next + __popc(peers);
        }
        __syncwarp();
        places[k] = next + before;
    }
}
