// Sorts for threads that run sequentially, one per block. Short rows are each
// sorted by one thread. Long rows are divided into chunks: a pass counts the
// digits of each chunk, converts the counts to positions, and moves the
// elements. If the upper digits almost determine the order, as they do for
// random numbers, passes begin at `least`, and insertion sort completes the
// result.
struct Buffers {
    Element *items, *items_spare;
    Index *order, *order_spare;
    long long *result; // the final order
};

__device__ inline bool comes_before(const Element &x, const Element &y,
                                    unsigned flip)
{
    if (PARTS == 1) {
        return flip ? key_of(y.part[0]) < key_of(x.part[0])
                    : key_of(x.part[0]) < key_of(y.part[0]);
    }
    for (int pass = PASSES - 1; pass >= 0; pass--) {
        const unsigned a = digit_of(x, pass, flip);
        const unsigned b = digit_of(y, pass, flip);
        if (a != b) {
            return a < b;
        }
    }
    return false;
}

__device__ inline void sort_few(Element *items, long long *result,
                                unsigned n, unsigned flip)
{
    for (unsigned i = 0; i < n; i++) {
        const Element item = items[i];
        unsigned at = i;
        while (at > 0 && comes_before(item, items[at - 1], flip)) {
            items[at] = items[at - 1];
            if (ORDERED) {
                result[at] = result[at - 1];
            }
            at--;
        }
        items[at] = item;
        if (ORDERED) {
            result[at] = i;
        }
    }
}

// Insertion sort for elements of which few are out of order. Equal elements
// keep their order.
__device__ inline void sort_rest(Element *items, long long *result,
                                 long long n, unsigned flip)
{
    for (long long i = 1; i < n; i++) {
        const Element item = items[i];
        long long at = i;
        if (!comes_before(item, items[at - 1], flip)) {
            continue;
        }
        const long long position = ORDERED ? result[at] : 0;
        while (at > 0 && comes_before(item, items[at - 1], flip)) {
            items[at] = items[at - 1];
            if (ORDERED) {
                result[at] = result[at - 1];
            }
            at--;
        }
        items[at] = item;
        if (ORDERED) {
            result[at] = position;
        }
    }
}

__device__ inline void count_all(const Element *items, unsigned n,
                                 unsigned flip, unsigned (*counts)[DIGITS],
                                 int least)
{
    for (int pass = 0; pass < PASSES; pass++) {
        for (int digit = 0; digit < DIGITS; digit++) {
            counts[pass][digit] = 0;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        const Element item = items[i];
#pragma unroll
        for (int pass = 0; pass < PASSES; pass++) {
            if (pass >= least) {
                counts[pass][digit_of(item, pass, flip)]++;
            }
        }
    }
}

// Converts counts to positions; false if all elements have the same digit.
__device__ inline bool place_digits(unsigned *counts, unsigned n)
{
    unsigned position = 0;
    bool some = true;
    for (int digit = 0; digit < DIGITS; digit++) {
        const unsigned count = counts[digit];
        some = some && count != n;
        counts[digit] = position;
        position += count;
    }
    return some;
}

__device__ inline void sort_row(Buffers row, unsigned n, unsigned flip,
                                int least)
{
    unsigned counts[PASSES][DIGITS];
    if (n <= FEW) {
        sort_few(row.items, row.result, n, flip);
        return;
    }
    count_all(row.items, n, flip, counts, least);
    Element *from = row.items, *to = row.items_spare;
    Index *order = row.order, *next = row.order_spare;
    bool first = true;
    for (int pass = least; pass < PASSES; pass++) {
        unsigned *position = counts[pass];
        if (!place_digits(position, n)) {
            continue;
        }
        for (unsigned i = 0; i < n; i++) {
            const Element item = from[i];
            const unsigned at = position[digit_of(item, pass, flip)]++;
            to[at] = item;
            if (ORDERED) {
                next[at] = first ? (Index)i : order[i];
            }
        }
        first = false;
        Element *sorted = to;
        to = from;
        from = sorted;
        Index *known = next;
        next = order;
        order = known;
    }
    if (from != row.items) {
        for (unsigned i = 0; i < n; i++) {
            row.items[i] = from[i];
        }
    }
    for (unsigned i = 0; ORDERED && i < n; i++) {
        row.result[i] = first ? i : order[i];
    }
    if (least > 0) {
        sort_rest(row.items, row.result, n, flip);
    }
}

// Sorts the elements at `source`, which may equal `items`.
extern "C" __global__ void sort_rows(const Element *source, Element *items,
                                     Element *spare,
                                     Index *order, Index *order_spare,
                                     long long *result, long long rows,
                                     long long each, unsigned n,
                                     unsigned flip, int least)
{
    const long long start = blockIdx.x * each;
    for (long long row = start; row < start + each && row < rows; row++) {
        const long long at = row * n;
        if (!ORDERED && PARTS == 1) {
            Word *const own = (Word *)(items + at);
            sort_values({(const Word *)(source + at), (Word *)(spare + at),
                         own, own, n, flip ? (Word)~(Word)0 : (Word)0}, REAL ? 12 : 4);
            continue;
        }
        Buffers own = {items + at, spare + at, 0, 0, 0};
        if (source != items) {
            for (unsigned i = 0; i < n; i++) {
                own.items[i] = source[at + i];
            }
        }
        if (ORDERED) {
            own.order = order + at;
            own.order_spare = order_spare + at;
            own.result = result + at;
        }
        sort_row(own, n, flip, least);
    }
}

// counts[row][digit][chunk] for grid (chunks, rows). Here and below, if there
// is `left`, rows that it does not mark are already sorted.
extern "C" __global__ void sort_count(const Element *items, long long n,
                                      long long each,
                                      unsigned long long *counts, int pass,
                                      unsigned flip, const unsigned *left)
{
    if (left && !left[blockIdx.y]) {
        return;
    }
    const long long first = blockIdx.x * each;
    const long long end = first + each < n ? first + each : n;
    const Element *row = items + blockIdx.y * n;
    // Adjacent elements often have the same digit. With a single array of
    // counters, each count would wait for the previous one.
    enum { SIDES = 4 };
    unsigned long long own[SIDES][DIGITS];
    for (int digit = 0; digit < SIDES * DIGITS; digit++) {
        own[0][digit] = 0;
    }
    long long i = first;
    for (; i + SIDES <= end; i += SIDES) {
#pragma unroll
        for (int side = 0; side < SIDES; side++) {
            own[side][digit_of(row[i + side], pass, flip)]++;
        }
    }
    for (; i < end; i++) {
        own[0][digit_of(row[i], pass, flip)]++;
    }
    counts += (unsigned long long)blockIdx.y * DIGITS * gridDim.x;
    for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit * gridDim.x + blockIdx.x] =
            own[0][digit] + own[1][digit] + own[2][digit] + own[3][digit];
    }
}

// One thread per row: converts counts to the end positions of the digits.
extern "C" __global__ void sort_places(unsigned long long *counts,
                                       unsigned long long chunks,
                                       const unsigned *left)
{
    if (left && !left[blockIdx.x]) {
        return;
    }
    unsigned long long *row = counts + blockIdx.x * DIGITS * chunks;
    unsigned long long position = 0;
    for (unsigned long long i = 0; i < DIGITS * chunks; i++) {
        const unsigned long long count = row[i];
        row[i] = position;
        position += count;
    }
}

// Returns true if all `size` elements of the block have this digit.
__device__ inline bool have_one_digit(const unsigned long long *places,
                                      unsigned digit, long long n,
                                      long long size)
{
    const unsigned long long at = digit * gridDim.x + blockIdx.x;
    const unsigned long long end =
        at + 1 < DIGITS * gridDim.x ? places[at + 1] : n;
    return end - places[at] == size;
}

// Elements of a digit that are collected before they are written: one cache
// line.
enum { RUN = 64 / sizeof(Element) > 4 ? 64 / sizeof(Element) : 4 };

extern "C" __global__ void sort_move(const Element *items, Element *target,
                                     const Index *order, Index *next,
                                     long long *result, long long n,
                                     long long each,
                                     const unsigned long long *counts,
                                     int pass, unsigned flip, int least,
                                     const unsigned *left)
{
    if (left && !left[blockIdx.y]) {
        return;
    }
    const long long first = blockIdx.x * each;
    const long long end = first + each < n ? first + each : n;
    const long long base = blockIdx.y * n;
    const bool last = pass == PASSES - 1;
    unsigned long long position[DIGITS];
    unsigned filled[DIGITS];
    Element run[DIGITS][RUN];
    Index order_run[ORDERED ? DIGITS : 1][RUN];

    counts += (unsigned long long)blockIdx.y * DIGITS * gridDim.x;
    const unsigned some = digit_of(items[base + first], pass, flip);
    if (have_one_digit(counts, some, n, end - first)) {
        const long long away =
            counts[some * gridDim.x + blockIdx.x] - first;
        for (long long i = base + first; i < base + end; i++) {
            target[i + away] = items[i];
        }
        for (long long i = first; ORDERED && i < end; i++) {
            const Index at = pass == least ? (Index)i : order[base + i];
            if (last) {
                result[base + i + away] = at;
            } else {
                next[base + i + away] = at;
            }
        }
        return;
    }
    for (int digit = 0; digit < DIGITS; digit++) {
        position[digit] = base + counts[digit * gridDim.x + blockIdx.x];
        filled[digit] = 0;
    }
    for (long long i = first; i < end; i++) {
        const Element item = items[base + i];
        const unsigned digit = digit_of(item, pass, flip);
        const unsigned at = filled[digit];
        run[digit][at] = item;
        if (ORDERED) {
            order_run[digit][at] = pass == least ? (Index)i : order[base + i];
        }
        filled[digit] = at + 1;
        if (at + 1 < RUN) {
            continue;
        }
        const unsigned long long to = position[digit];
#pragma unroll
        for (int k = 0; k < RUN; k++) {
            target[to + k] = run[digit][k];
        }
        for (int k = 0; ORDERED && k < RUN; k++) {
            if (last) {
                result[to + k] = order_run[digit][k];
            } else {
                next[to + k] = order_run[digit][k];
            }
        }
        position[digit] = to + RUN;
        filled[digit] = 0;
    }
    for (int digit = 0; digit < DIGITS; digit++) {
        for (unsigned k = 0; k < filled[digit]; k++) {
            const unsigned long long to = position[digit] + k;
            target[to] = run[digit][k];
            if (ORDERED && last) {
                result[to] = order_run[digit][k];
            } else if (ORDERED) {
                next[to] = order_run[digit][k];
            }
        }
    }
}

// One thread per chunk: sorts the groups of elements that agree in the digits
// from `least` on and begin in the chunk. A thread that searches for the end
// of a group while another thread sorts that group reads only these digits,
// which do not change.
__device__ inline bool begins(const Element *row, long long i, int least)
{
    return i == 0 || key_of(row[i].part[0]) >> (8 * least) !=
                         key_of(row[i - 1].part[0]) >> (8 * least);
}

extern "C" __global__ void sort_finish(Element *items, long long *result,
                                       long long n, long long each,
                                       unsigned flip, int least)
{
    const long long base = blockIdx.y * n;
    long long first = blockIdx.x * each;
    long long end = first + each < n ? first + each : n;
    while (first < end && !begins(items + base, first, least)) {
        first++;
    }
    if (first == end) {
        // All elements belong to one group, which began in an earlier chunk.
        return;
    }
    while (end < n && !begins(items + base, end, least)) {
        end++;
    }
    sort_rest(items + base + first, result + (ORDERED ? base + first : 0),
              end - first, flip);
}
