// Distributes rows that fit the caches over few buckets, in vectors: a sample
// determines the keys at which buckets begin.
#if defined(__PYCUDA_CPU__) && $by_vectors
enum { MAX_DEALT = 1 << 17 }; // elements of a row

__device__ inline bool deals_by_vectors(Long n)
{
    return __pycuda_has_lanes() && n <= MAX_DEALT;
}

// The first bucket begins at the smallest possible key.
__device__ inline void plan_by_vectors(const Word *row, Long n, int buckets,
                                       Word flip, Word *firsts)
{
    enum { COUNT = 256 };
    const Sample sample = {row, n / COUNT, flip};
    Word keys[COUNT], spare[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        keys[i] = sample.key(i);
    }
    Sorter task = {keys, spare, keys, keys, COUNT, 0};
    sort_all_digits<true>(task, {0, 0, 0, 8}, 8 * sizeof(Word));
    for (int bucket = 0; bucket < buckets; bucket++) {
        firsts[bucket] = bucket ? keys[COUNT / buckets * bucket] : 0;
    }
}

// Number of lanes that hold elements, if a vector begins at `i`.
__device__ inline Index count_at(Index i, Index n)
{
    return i < n ? min(n - i, (Index)LANES) : 0;
}

// Number of elements in each bucket.
__device__ inline void count_by_vectors(const Word *items, Index n, Word flip,
                                        const Word *firsts, int buckets,
                                        unsigned *counts)
{
    for (int bucket = 0; bucket < buckets; bucket++) {
        counts[bucket] = 0;
    }
    for (Index i = 0; i < n; i += AHEAD * LANES) {
        Vector keys[AHEAD];
        Mask some[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const Index count = count_at(i + k * LANES, n);
            keys[k] = keys_of(load_first(items + i + k * LANES, count));
            keys[k] ^= (Vector)flip;
            some[k] = first_lanes(count);
        }
        for (int bucket = 1; bucket < buckets; bucket++) {
            unsigned count = 0;
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                const Mask below = are_less(keys[k], (Vector)firsts[bucket]);
                count += Vectors::count(below & some[k]);
            }
            counts[bucket] += count;
        }
    }
    // counts[bucket] is now the number of elements in all previous buckets.
    for (int bucket = 0; bucket < buckets; bucket++) {
        const unsigned end = bucket + 1 < buckets ? counts[bucket + 1] : n;
        counts[bucket] = end - counts[bucket];
    }
}

__device__ inline void deal_by_vectors(const Word *items, Index n, Word flip,
                                       const Word *firsts, int buckets,
                                       Word *target, Long *places)
{
    for (Index i = 0; i < n; i += AHEAD * LANES) {
        Vector bits[AHEAD], keys[AHEAD];
        Mask rest[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const Index count = count_at(i + k * LANES, n);
            bits[k] = load_first(items + i + k * LANES, count);
            keys[k] = keys_of(bits[k]) ^ (Vector)flip;
            rest[k] = first_lanes(count);
        }
        for (int bucket = buckets - 1; bucket >= 0; bucket--) {
            Word *to = target + places[bucket];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                const Mask own =
                    ~are_less(keys[k], (Vector)firsts[bucket]) & rest[k];
                const Index size = Vectors::count(own);
                rest[k] = rest[k] & ~own;
                store_first(to, Vectors::compress(bits[k], own), size);
                to += size;
            }
            places[bucket] = to - target;
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
