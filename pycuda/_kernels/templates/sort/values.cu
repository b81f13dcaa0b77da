// Sorts of long rows, where only values matter, for threads that run
// sequentially, one per block: a sample determines how to divide the range of
// keys into buckets of similar size, chunks of the row are distributed over
// the buckets, and each bucket is sorted separately. The range is divided into
// digits of one width, and adjacent digits share a bucket. A row in which one
// digit is too frequent, or which has only one value, is left to the kernels
// of thread.cu or, if it is short, to one thread. `words` begin with a flag
// for each row that is left; the rows' plans follow.
typedef unsigned long long Long;

enum { BUCKETS = 256 };
enum { PLAN_WORDS = 6, CACHED = 1 << 21 }; // in words, in bytes

struct Plan {
    Long least;    // Key of a sample.
    int shift;     // shift that reduces a key to its digit
    unsigned last; // digit
    int buckets;
};

// Data of a row that the launches share.
struct Row {
    unsigned *is_left;
    Plan *plan;
    unsigned *counts;       // number of sampled keys with each digit
    unsigned char *buckets; // buckets of all digits

    __device__ Row(unsigned *words, unsigned digits)
    {
        is_left = words + blockIdx.y;
        words += (gridDim.y + 1) / 2 * 2;
        words += (Long)blockIdx.y * (PLAN_WORDS + digits + digits / 4);
        plan = (Plan *)words;
        counts = words + PLAN_WORDS;
        buckets = (unsigned char *)(counts + digits);
    }

    // The smallest key of each bucket, if buckets are ranges of keys instead
    // of digits.
    __device__ Word *firsts() const
    {
        return (Word *)counts;
    }
};

__device__ inline unsigned digit_in(const Plan &plan, Word key)
{
    const Word least = (Word)plan.least;
    const Word digit = (key > least ? key - least : 0) >> plan.shift;
    return digit < plan.last ? (unsigned)digit : plan.last;
}

// Samples the key of one element per stride, at varying positions in the
// stride.
struct Sample {
    const Word *row;
    Long stride;
    Word flip;

    __device__ Word key(unsigned i) const
    {
        const Long away = (i * 2654435769u * stride) >> 32;
        return key_of(row[i * stride + away]) ^ flip;
    }
};

// Returns true if the sampled keys with this digit are not all equal.
__device__ inline bool differs(const Sample &sample, unsigned count,
                               const Plan &plan, unsigned digit)
{
    Word least = (Word)~(Word)0, most = 0;
    for (unsigned i = 0; i < count; i++) {
        const Word key = sample.key(i);
        if (digit_in(plan, key) == digit) {
            least = min(key, least);
            most = max(key, most);
        }
    }
    return least != most;
}

#include "sort/distribute.cuh"

extern "C" __global__ void sort_plan(const Word *items, Long n,
                                     unsigned count, unsigned buckets,
                                     unsigned few, unsigned *words,
                                     unsigned digits, unsigned flip)
{
    const Row row(words, digits);
    const Word all = flip ? (Word)~(Word)0 : (Word)0;
    items += blockIdx.y * n;
    if (deals_by_vectors(n)) {
        plan_by_vectors(items, n, few, all, row.firsts());
        *row.plan = {0, 0, 0, (int)few};
        *row.is_left = 0;
        return;
    }
    const Sample sample = {items, n / count, all};
    Word least = (Word)~(Word)0, most = 0;
    for (unsigned i = 0; i < count; i++) {
        const Word key = sample.key(i);
        least = min(key, least);
        most = max(key, most);
    }
    Plan plan = {least, 0, 0, 0};
    while ((Word)(most - least) >> plan.shift >= digits) {
        plan.shift++;
    }
    plan.last = (Word)(most - least) >> plan.shift;
    for (unsigned digit = 0; digit <= plan.last; digit++) {
        row.counts[digit] = 0;
    }
    for (unsigned i = 0; i < count; i++) {
        row.counts[digit_in(plan, sample.key(i))]++;
    }
    const unsigned full = count / (buckets - 2) + 1;
    // Near zero, keys of positive and of negative numbers are far apart, so no
    // bucket contains both.
    const unsigned zero = REAL ? digit_in(plan, SORT_SIGN) : 0;
    unsigned bucket = 0, filled = 0, fullest = 0;
    for (unsigned digit = 0; digit <= plan.last; digit++) {
        if (digit == zero && filled) {
            bucket++;
            filled = 0;
        }
        row.buckets[digit] = bucket;
        filled += row.counts[digit];
        if (row.counts[digit] > row.counts[fullest]) {
            fullest = digit;
        }
        if (filled >= full) {
            bucket++;
            filled = 0;
        }
    }
    plan.buckets = bucket + 1;
    *row.plan = plan;
    *row.is_left =
        least == most || (row.counts[fullest] > count / 4 &&
                          differs(sample, count, plan, fullest));
}

// Computes the bucket indices of the elements, and the counts of each bucket
// in a chunk: counts[row][chunk][bucket] for grid (chunks, rows).
extern "C" __global__ void sort_assign(const Word *items, Long n, Long each,
                                       unsigned *words, unsigned digits,
                                       unsigned char *numbers,
                                       unsigned *counts, unsigned flip)
{
    enum { PART = 64 };
    const Row row(words, digits);
    if (*row.is_left) {
        return;
    }
    const Plan plan = *row.plan;
    const unsigned char *const buckets = row.buckets;
    const Word all = flip ? (Word)~(Word)0 : (Word)0;
    const Long first = blockIdx.x * each;
    const Long end = first + each < n ? first + each : n;
    items += blockIdx.y * n;
    numbers += blockIdx.y * n;
    counts += ((Long)blockIdx.y * gridDim.x + blockIdx.x) * BUCKETS;
    if (deals_by_vectors(n)) {
        count_by_vectors(items + first, end - first, all, row.firsts(),
                         plan.buckets, counts);
        return;
    }
    // Adjacent elements often have the same bucket. With a single array of
    // counters, each count would wait for the previous one.
    unsigned own[2][BUCKETS];
    for (int bucket = 0; bucket < 2 * BUCKETS; bucket++) {
        own[0][bucket] = 0;
    }
    for (Long i = first; i < end; i += PART) {
        const unsigned part = end - i < PART ? end - i : PART;
        unsigned some[PART];
        for (unsigned k = 0; k < part; k++) {
            some[k] = digit_in(plan, key_of(items[i + k]) ^ all);
        }
        for (unsigned k = 0; k < part; k++) {
            const unsigned char bucket = buckets[some[k]];
            numbers[i + k] = bucket;
            own[k & 1][bucket]++;
        }
    }
    for (int bucket = 0; bucket < plan.buckets; bucket++) {
        counts[bucket] = own[0][bucket] + own[1][bucket];
    }
}

// Computes the starts of a row's buckets, and of this chunk's elements in
// them.
__device__ inline void places_of(const unsigned *counts, int buckets,
                                 Long *starts, Long *places)
{
    for (int bucket = 0; bucket < buckets; bucket++) {
        starts[bucket] = places[bucket] = 0;
    }
    for (unsigned chunk = 0; chunk < gridDim.x; chunk++) {
        for (int bucket = 0; bucket < buckets; bucket++) {
            const unsigned count = counts[chunk * BUCKETS + bucket];
            starts[bucket] += count;
            places[bucket] += chunk < blockIdx.x ? count : 0;
        }
    }
    Long start = 0;
    for (int bucket = 0; bucket < buckets; bucket++) {
        const Long count = starts[bucket];
        starts[bucket] = start;
        places[bucket] += start;
        start += count;
    }
}

// Moves elements of a chunk to the positions of their buckets.
__device__ inline void deal_each(const Word *items, Long count,
                                 const unsigned char *numbers, Word *target,
                                 Long *places)
{
    for (Long i = 0; i < count; i++) {
        target[places[numbers[i]]++] = items[i];
    }
}

// Writes an aligned cache line with a store that bypasses the caches.
__device__ inline void stream_line(Word *to, const Word *line)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint4 quarter;
        memcpy(&quarter, (const char *)line + 16 * k, 16);
        __stcs((uint4 *)to + k, quarter);
    }
}

// The variant for rows that do not fit any cache: writes one cache line at a
// time and bypasses the caches.
__device__ inline void deal_lines(const Word *items, Long count,
                                  const unsigned char *numbers, int buckets,
                                  Word *target, Long *places)
{
    enum { LINE = 64 / sizeof(Word) };
    __align__(64) Word lines[BUCKETS][LINE];
    Long starts[BUCKETS];
    const Long away = (size_t)target % 64 / sizeof(Word);
    target -= away;
    for (int bucket = 0; bucket < buckets; bucket++) {
        starts[bucket] = places[bucket] += away;
    }
    for (Long i = 0; i < count; i++) {
        const unsigned bucket = numbers[i];
        const Long at = places[bucket]++;
        Word *const line = lines[bucket];
        line[at % LINE] = items[i];
        if (at % LINE < LINE - 1) {
            continue;
        }
        Word *const to = target + (at - (LINE - 1));
        if (at - (LINE - 1) >= starts[bucket]) {
            stream_line(to, line);
            continue;
        }
        for (Long k = starts[bucket] % LINE; k < LINE; k++) {
            to[k] = line[k];
        }
    }
    for (int bucket = 0; bucket < buckets; bucket++) {
        const Long end = places[bucket], line = end / LINE * LINE;
        for (Long k = max(line, starts[bucket]); k < end; k++) {
            target[k] = lines[bucket][k % LINE];
        }
    }
}

extern "C" __global__ void sort_deal(const Word *items, Word *target, Long n,
                                     Long each, unsigned *words,
                                     unsigned digits,
                                     const unsigned char *numbers,
                                     const unsigned *counts, Long *starts,
                                     unsigned flip)
{
    const Row row(words, digits);
    if (*row.is_left) {
        return;
    }
    const int buckets = row.plan->buckets;
    const Long first = blockIdx.x * each;
    const Long count = min(each, n - first), base = blockIdx.y * n;
    Long own[BUCKETS], places[BUCKETS];
    places_of(counts + (Long)blockIdx.y * gridDim.x * BUCKETS, buckets, own,
              places);
    for (int bucket = 0; blockIdx.x == 0 && bucket < buckets; bucket++) {
        starts[blockIdx.y * BUCKETS + bucket] = own[bucket];
    }
    items += base + first;
    numbers += base + first;
    if (deals_by_vectors(n)) {
        deal_by_vectors(items, count, flip ? (Word)~(Word)0 : (Word)0,
                        row.firsts(), buckets, target + base, places);
    } else if (n * sizeof(Word) <= CACHED) {
        deal_each(items, count, numbers, target + base, places);
    } else {
        deal_lines(items, count, numbers, buckets, target + base, places);
    }
}

// The grid is the maximum number of buckets, which is a power of two, by the
// number of rows: each block sorts a bucket. In a row that is left, the first
// block sorts the whole row, which it reads from `origin`, unless that is
// NULL.
extern "C" __global__ void sort_buckets(const Word *origin, Word *dealt,
                                        Word *items, Long n, unsigned *words,
                                        unsigned digits, const Long *starts,
                                        unsigned flip)
{
    const Word all = flip ? (Word)~(Word)0 : (Word)0;
    const Long base = blockIdx.y * n;
    items += base;
    dealt += base;
    const Row row(words, digits);
    Sorter task = {origin + base, dealt, items, items, (Index)n, all};
    const bool is_left = *row.is_left;
    if (is_left && (!origin || blockIdx.x > 0)) {
        return;
    }
    if (!is_left) {
        // Buckets may be large at the beginning of a row. A worker takes
        // adjacent blocks together, so the order of buckets is changed to
        // distribute the large ones.
        const unsigned bucket = blockIdx.x * 157u % gridDim.x;
        const unsigned buckets = row.plan->buckets;
        starts += blockIdx.y * BUCKETS;
        const Long start = bucket < buckets ? starts[bucket] : n;
        const Long end = bucket + 1 < buckets ? starts[bucket + 1] : n;
        if (start >= end) {
            return;
        }
        // Keys are first written to `items` sequentially, so that this memory,
        // too, is in a cache when the passes scatter keys.
        Word *const own = items + start;
        task = {dealt + start, dealt + start, own, own, (Index)(end - start),
                all};
    }
    sort_values(task, is_left ? 12 : 4);
}
