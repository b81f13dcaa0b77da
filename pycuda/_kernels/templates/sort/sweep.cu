// A sort of long rows, one digit per launch, in which each element is read and
// written once ("onesweep", Adinets and Merrill 2022): a block ranks a tile,
// obtains from the previous tiles their counts of each digit, and moves its
// elements. A word of `states` has the count of one digit: either in one tile,
// or in all tiles of the row up to that one. Two of its bits tell which, or
// that there is no count yet.
typedef $state State;
typedef unsigned long long Long;

enum { UNKNOWN, OWN, ALL };
enum { LOOKS = 8 };            // Number of tiles that are examined together.
enum { COUNTERS = $counters }; // Number of threads of a counting block.
static_assert(COUNTERS >= DIGITS && THREADS >= DIGITS, "a thread a digit");

#define STATE_SHIFT (8 * sizeof(State) - 2)
#define STATE_VALUE (((State)1 << STATE_SHIFT) - 1)

// Data that the launches share; it is zero when a sort begins.
struct Scratch {
    // For each row and pass, the positions at which the digits start.
    Long *starts;
    unsigned *tickets; // For each row, the number of blocks that have counted.
    unsigned *turns;   // next tile of each pass
    State *states[2];  // of this pass and of the next pass, used alternately

    __device__ Scratch(Long *memory, unsigned rows, unsigned tiles, int pass)
    {
        const Long all = (Long)rows * tiles * DIGITS;
        starts = memory;
        tickets = (unsigned *)(starts + (Long)rows * PASSES * DIGITS);
        turns = tickets + rows;
        State *const first =
            (State *)(starts + (Long)rows * PASSES * DIGITS +
                      (rows + PASSES + 1) / 2);
        states[0] = first + (pass & 1 ? all : 0);
        states[1] = first + (pass & 1 ? 0 : all);
    }
};

extern "C" __global__ void sort_clear(unsigned *words, Long count)
{
    const Long threads = (Long)gridDim.x * blockDim.x;
    for (Long i = (Long)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += threads) {
        words[i] = 0;
    }
}

// Converts the counts of a row's digits to the positions at which they start;
// each thread handles EACH digits.
__device__ inline void counts_to_starts(Long *starts)
{
    __shared__ Long sums[DIGITS];
    for (int pass = 0; pass < PASSES; pass++, starts += DIGITS) {
        for (unsigned digit = threadIdx.x; digit < DIGITS; digit += COUNTERS) {
            sums[digit] = __ldcg(&starts[digit]);
        }
        __syncthreads();
        for (unsigned step = 1; step < DIGITS; step *= 2) {
            const bool is_own = threadIdx.x < DIGITS;
            const bool adds = is_own && threadIdx.x >= step;
            const Long other = adds ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            if (adds) {
                sums[threadIdx.x] += other;
            }
            __syncthreads();
        }
        for (unsigned digit = threadIdx.x; digit < DIGITS; digit += COUNTERS) {
            starts[digit] = digit ? sums[digit - 1] : 0;
        }
        __syncthreads();
    }
}

// Computes the positions at which the digits of all passes start; `chunks`
// blocks count each row.
extern "C" __global__ void __launch_bounds__(COUNTERS)
sort_count(const Element *items, Long n, unsigned rows, unsigned tiles,
           unsigned chunks, unsigned span, Long *memory, unsigned flip)
{
    enum { COPIES = $copies }; // against bank conflicts
    enum { AHEAD = 4 };        // loads in progress
    __shared__ unsigned counts[PASSES * DIGITS * COPIES];
    __shared__ bool is_last;
    for (unsigned i = threadIdx.x; i < PASSES * DIGITS * COPIES;
         i += COUNTERS) {
        counts[i] = 0;
    }
    __syncthreads();
    const Scratch scratch(memory, rows, tiles, 0);
    const unsigned row = blockIdx.x / chunks, copy = threadIdx.x % COPIES;
    const Long first = (Long)(blockIdx.x % chunks) * span;
    const Long end = first + span < n ? first + span : n;
    items += row * n;
    Long *const starts = scratch.starts + (Long)row * PASSES * DIGITS;
    for (Long i = first + threadIdx.x; i < end; i += AHEAD * COUNTERS) {
        Element some[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (i + k * COUNTERS < end) {
                some[k] = items[i + k * COUNTERS];
            }
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
#pragma unroll
            for (int pass = 0; i + k * COUNTERS < end && pass < PASSES;
                 pass++) {
                const unsigned digit = digit_of(some[k], pass, flip);
                atomicAdd(&counts[(pass * DIGITS + digit) * COPIES + copy],
                          1u);
            }
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < PASSES * DIGITS; i += COUNTERS) {
        Long sum = 0;
        for (int k = 0; k < COPIES; k++) {
            sum += counts[i * COPIES + k];
        }
        if (sum) {
            atomicAdd(&starts[i], sum);
        }
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&scratch.tickets[row], 1u) == chunks - 1;
    }
    __syncthreads();
    if (is_last) {
        __threadfence();
        counts_to_starts(starts);
    }
}

// Returns how many elements with the digit all previous tiles of the row have.
__device__ inline State look_back(volatile State *state, Long tile,
                                  unsigned digit)
{
    State sum = 0;
    for (;;) {
        State words[LOOKS];
#pragma unroll
        for (int k = 0; k < LOOKS; k++) {
            words[k] = tile > k ? state[(tile - 1 - k) * DIGITS + digit]
                                : (State)ALL << STATE_SHIFT;
        }
#pragma unroll
        for (int k = 0; k < LOOKS; k++) {
            const State kind = words[k] >> STATE_SHIFT;
            if (kind == UNKNOWN) {
                break; // retry from here
            }
            sum += words[k] & STATE_VALUE;
            if (kind == ALL) {
                return sum;
            }
            tile--;
        }
    }
}

// If all elements of the row have the same digit, they stay in place.
__device__ inline void copy_tile(const Element *own, Element *target,
                                 const Index *order, Index *next,
                                 long long *result, Long first,
                                 unsigned valid, int pass)
{
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned i = lane_of(k);
        if (i < valid) {
            target[i] = own[k];
        }
        if (ORDERED && i < valid) {
            const Index at = pass == 0 ? (Index)(first + i) : order[i];
            if (pass == PASSES - 1) {
                result[i] = at;
            } else {
                next[i] = at;
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, $blocks)
sort_sweep(const Element *items, Element *target, const Index *order,
           Index *next, long long *result, Long n, unsigned rows,
           unsigned tiles, Long *memory, int pass, unsigned flip)
{
    __shared__ __align__(16) unsigned char shared_memory[sizeof(Shared)];
    __shared__ Index bases[DIGITS];
    __shared__ unsigned turn;
    __shared__ bool stays;
    Shared &shared = *reinterpret_cast<Shared *>(shared_memory);
    const Scratch scratch(memory, rows, tiles, pass);

    // Tiles are numbered in the order in which blocks start, so no block waits
    // for a later one.
    if (threadIdx.x == 0) {
        turn = atomicAdd(&scratch.turns[pass], 1u);
        stays = false;
    }
    __syncthreads();
    const Long row = turn / tiles, tile = turn % tiles;
    const Long first = tile * TILE, base = row * n;
    const unsigned valid = n - first < TILE ? (unsigned)(n - first) : TILE;
    volatile State *const state = scratch.states[0] + row * tiles * DIGITS;
    State *const later = scratch.states[1] + (row * tiles + tile) * DIGITS;
    items += base + first;
    order += base + first;

    Element own[ITEMS];
    unsigned places[ITEMS], counts[EACH], starts[EACH];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned i = lane_of(k);
        if (i < valid) {
            own[k] = items[i];
        }
    }
    const unsigned digit = threadIdx.x;
    Long begin = 0, end = 0;
    if (digit < DIGITS) {
        const Long *const begins =
            scratch.starts + (row * PASSES + pass) * DIGITS;
        begin = begins[digit];
        end = digit < DIGITS - 1 ? begins[digit + 1] : n;
        later[digit] = 0;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        places[k] = lane_of(k) < valid ? digit_of(own[k], pass, flip) : 255;
    }
    if (end - begin == n) {
        stays = true;
    }
    count_tile(shared, places, counts);
    if (stays) {
        copy_tile(own, target + base + first, order, next + base + first,
                  result + base + first, first, valid, pass);
        return;
    }
    if (digit < DIGITS) {
        state[tile * DIGITS + digit] =
            (State)(tile ? OWN : ALL) << STATE_SHIFT | counts[0];
    }
    rank_tile(shared, counts, starts, places);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        shared.items[places[k]] = own[k];
    }
    Index its_order[ITEMS]; // loaded in the meantime
#pragma unroll
    for (int k = 0; ORDERED && k < ITEMS; k++) {
        const unsigned i = lane_of(k);
        if (i < valid) {
            its_order[k] = pass == 0 ? (Index)(first + i) : order[i];
        }
    }
    if (digit < DIGITS) {
        State before = 0;
        if (tile) {
            before = look_back(state, tile, digit);
            state[tile * DIGITS + digit] =
                (State)ALL << STATE_SHIFT | (before + counts[0]);
        }
        bases[digit] = (Index)(begin + before - starts[0]);
    }
    __syncthreads();
    Index to[ITEMS];
    target += base;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned i = threadIdx.x + k * THREADS;
        const Element item = shared.items[i]; // any value beyond the end
        to[k] = bases[digit_of(item, pass, flip)] + i;
        if (i < valid) {
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
            shared.order[places[k]] = its_order[k];
        }
    }
    __syncthreads();
    next += base;
    result += base;
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
