// Deals rows that caches hold into few buckets by vectors: the keys at which
// buckets begin are of a sample that is sorted in registers.
#if defined(__PYCUDA_CPU__) && $by_vectors
enum { MOST_DEALT = 1 << 17 }; // elements of a row

__device__ inline bool deals_by_vectors(Long n)
{
    return __pycuda_has_lanes() && n <= MOST_DEALT;
}

// The first bucket begins with the least key there can be.
__device__ inline void plan_by_vectors(const Word *row, Long n, int buckets,
                                       Word flip, Word *firsts)
{
    enum { COUNT = MOST_ROWS * LANES };
    const Sample sample = {row, n / COUNT, flip};
    Word keys[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        keys[i] = sample.key(i);
    }
    sort_rows_of<MOST_ROWS>(keys, keys, COUNT);
    for (int bucket = 0; bucket < buckets; bucket++) {
        firsts[bucket] = bucket ? keys[COUNT / buckets * bucket] : 0;
    }
}

// How many elements each bucket gets.
__device__ inline void count_by_vectors(const Word *items, Index n, Word flip,
                                        const Word *firsts, int buckets,
                                        unsigned *counts)
{
    for (int bucket = 0; bucket < buckets; bucket++) {
        counts[bucket] = 0;
    }
    for (Index i = 0; i < n; i += LANES) {
        const Index count = min(n - i, (Index)LANES);
        const Vector keys =
            keys_of(load_first(items + i, count)) ^ (Vector)flip;
        const Mask some = first_lanes(count);
        for (int bucket = 1; bucket < buckets; bucket++) {
            const Vector below = (Vector)(keys < (Vector)firsts[bucket]);
            counts[bucket] +=
                Vectors::count(__builtin_convertvector(below, Mask) & some);
        }
    }
    // So far those of all buckets before it.
    for (int bucket = 0; bucket < buckets; bucket++) {
        const unsigned end = bucket + 1 < buckets ? counts[bucket + 1] : n;
        counts[bucket] = end - counts[bucket];
    }
}

__device__ inline void deal_by_vectors(const Word *items, Index n, Word flip,
                                       const Word *firsts, int buckets,
                                       Word *target, Long *places)
{
    for (Index i = 0; i < n; i += LANES) {
        const Index count = min(n - i, (Index)LANES);
        const Vector bits = load_first(items + i, count);
        const Vector keys = keys_of(bits) ^ (Vector)flip;
        Mask rest = first_lanes(count);
        for (int bucket = buckets - 1; bucket >= 0; bucket--) {
            const Vector from = (Vector)(keys >= (Vector)firsts[bucket]);
            const Mask own = __builtin_convertvector(from, Mask) & rest;
            const Index size = Vectors::count(own);
            rest = rest & ~own;
            store_first(target + places[bucket], Vectors::compress(bits, own),
                        size);
            places[bucket] += size;
        }
    }
}
#else
__device__ inline bool deals_by_vectors(Long)
{
    return false;
}

__device__ inline void plan_by_vectors(const Word *, Long, int, Word, Word *)
{
}

__device__ inline void count_by_vectors(const Word *, Index, Word,
                                        const Word *, int, unsigned *)
{
}

__device__ inline void deal_by_vectors(const Word *, Index, Word,
                                       const Word *, int, Word *, Long *)
{
}
#endif
