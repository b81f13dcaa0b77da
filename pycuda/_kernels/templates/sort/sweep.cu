// One digit of a sort of long rows, each element read once and written once
// ("onesweep", Adinets and Merrill 2022): a block ranks a tile, learns from
// the tiles before it how many elements of each digit lie there, and moves
// its own.  `starts` holds, for each row and pass, where the digits begin.
//
// A word of `state` tells of a digit of a tile: the count of the tile, or of
// all tiles of the row up to it, with two bits that say which.
typedef $state State;

enum { UNKNOWN, OWN, ALL };

#define STATE_SHIFT (8 * sizeof(State) - 2)
#define STATE_VALUE (((State)1 << STATE_SHIFT) - 1)

// Counts the digits of all passes; `chunks` blocks a row.
extern "C" __global__ void __launch_bounds__(THREADS)
sort_count(const Element *items, unsigned long long n,
           unsigned chunks, unsigned span, unsigned long long *starts,
           unsigned flip)
{
    enum { COPIES = $copies }; // for neighbouring lanes, against conflicts
    __shared__ unsigned counts[PASSES * DIGITS * COPIES];
    for (unsigned i = threadIdx.x; i < PASSES * DIGITS * COPIES;
         i += THREADS) {
        counts[i] = 0;
    }
    __syncthreads();
    const unsigned long long row = blockIdx.x / chunks;
    const unsigned long long first =
        (unsigned long long)(blockIdx.x % chunks) * span;
    const unsigned long long end = first + span < n ? first + span : n;
    items += row * n;
    starts += row * PASSES * DIGITS;
    const unsigned copy = threadIdx.x % COPIES;
    for (unsigned long long i = first + threadIdx.x; i < end; i += THREADS) {
        const Element item = items[i];
#pragma unroll
        for (int pass = 0; pass < PASSES; pass++) {
            const unsigned digit = digit_of(item, pass, flip);
            atomicAdd(&counts[(pass * DIGITS + digit) * COPIES + copy], 1u);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < PASSES * DIGITS; i += THREADS) {
        unsigned long long sum = 0;
        for (int k = 0; k < COPIES; k++) {
            sum += counts[i * COPIES + k];
        }
        if (sum) {
            atomicAdd(&starts[i], sum);
        }
    }
}

// Counts become starts; a block of DIGITS threads for each row and pass.
extern "C" __global__ void sort_starts(unsigned long long *starts)
{
    __shared__ unsigned long long sums[DIGITS];
    unsigned long long *own = starts + (unsigned long long)blockIdx.x * DIGITS;
    const unsigned digit = threadIdx.x;
    const unsigned long long count = own[digit];
    unsigned long long sum = count;
    sums[digit] = sum;
    __syncthreads();
    for (unsigned step = 1; step < DIGITS; step *= 2) {
        const unsigned long long other = digit >= step ? sums[digit - step] : 0;
        __syncthreads();
        sum += other;
        sums[digit] = sum;
        __syncthreads();
    }
    own[digit] = sum - count;
}

// Elements of a digit in the row's tiles before this one.
__device__ inline State look_back(volatile State *state,
                                  unsigned long long tile, unsigned digit)
{
    State sum = 0;
    while (tile-- > 0) {
        State word;
        do {
            word = state[tile * DIGITS + digit];
        } while (word >> STATE_SHIFT == UNKNOWN);
        sum += word & STATE_VALUE;
        if (word >> STATE_SHIFT == ALL) {
            break;
        }
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
sort_sweep(const Element *items, Element *target, const Index *order,
           Index *next, long long *result, unsigned long long n,
           unsigned tiles, const unsigned long long *starts, State *states,
           unsigned *number, int pass, unsigned flip)
{
    __shared__ __align__(16) unsigned char memory[sizeof(Shared)];
    __shared__ unsigned long long bases[DIGITS];
    __shared__ unsigned turn;
    Shared &shared = *reinterpret_cast<Shared *>(memory);

    // Tiles are numbered as blocks start, so none waits for a later one.
    if (threadIdx.x == 0) {
        turn = atomicAdd(&number[pass], 1u);
    }
    __syncthreads();
    const unsigned long long row = turn / tiles, tile = turn % tiles;
    const unsigned long long first = tile * TILE, base = row * n;
    const unsigned valid = n - first < TILE ? (unsigned)(n - first) : TILE;
    starts += (row * PASSES + pass) * DIGITS;
    states += row * tiles * DIGITS;

    Element own[ITEMS];
    unsigned digits[ITEMS], places[ITEMS], counts[EACH];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned i = lane_of(k);
        digits[k] = 255;
        if (i < valid) {
            own[k] = items[base + first + i];
            digits[k] = digit_of(own[k], pass, flip);
        }
    }
    rank_tile(shared, digits, places, counts);
    volatile State *state = states;
    if (threadIdx.x < DIGITS) {
        const unsigned digit = threadIdx.x;
        state[tile * DIGITS + digit] =
            (State)(tile ? OWN : ALL) << STATE_SHIFT | counts[0];
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        shared.items[places[k]] = own[k];
    }
    if (threadIdx.x < DIGITS) {
        const unsigned digit = threadIdx.x;
        State before = 0;
        if (tile) {
            before = look_back(states, tile, digit);
            state[tile * DIGITS + digit] =
                (State)ALL << STATE_SHIFT | (before + counts[0]);
        }
        bases[digit] =
            base + starts[digit] + before - shared.starts[digit];
    }
    __syncthreads();
    unsigned long long to[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned i = threadIdx.x + k * THREADS;
        if (i < valid) {
            const Element item = shared.items[i];
            to[k] = bases[digit_of(item, pass, flip)] + i;
            target[to[k]] = item;
        }
    }
    if (!ORDERED) {
        return;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned i = lane_of(k);
        if (i < valid) {
            shared.order[places[k]] =
                pass == 0 ? (Index)(first + i) : order[base + first + i];
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned i = threadIdx.x + k * THREADS;
        if (i < valid && pass == PASSES - 1) {
            result[to[k]] = shared.order[i];
        } else if (i < valid) {
            next[to[k]] = shared.order[i];
        }
    }
}
