// A block sorts a row that fits a tile: all passes are in shared memory.
extern "C" __global__ void __launch_bounds__(THREADS)
sort_rows(const Element *source, Element *items, long long *result, unsigned n,
          unsigned flip)
{
    __shared__ __align__(16) unsigned char memory[sizeof(Shared)];
    Shared &shared = *reinterpret_cast<Shared *>(memory);
    const unsigned long long base = (unsigned long long)blockIdx.x * n;
    Element own[ITEMS];
    Index order[ITEMS];
    unsigned places[ITEMS], counts[EACH], starts[EACH];

#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned i = lane_of(k);
        order[k] = i;
        if (i < n) {
            own[k] = source[base + i];
        }
    }
    for (int pass = 0; pass < PASSES; pass++) {
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            // Elements beyond the row's end have the largest digit, so that
            // they stay there.
            places[k] = lane_of(k) < n ? digit_of(own[k], pass, flip) : 255;
        }
        count_tile(shared, places, counts);
        rank_tile(shared, counts, starts, places);
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            shared.items[places[k]] = own[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            own[k] = shared.items[lane_of(k)];
        }
        __syncthreads();
        if (!ORDERED) {
            continue;
        }
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            shared.order[places[k]] = order[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            order[k] = shared.order[lane_of(k)];
        }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned i = lane_of(k);
        if (i < n) {
            items[base + i] = own[k];
            if (ORDERED) {
                result[base + i] = order[k];
            }
        }
    }
}
