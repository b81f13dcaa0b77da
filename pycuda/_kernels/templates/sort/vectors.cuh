// Vectorised sorts of keys, for processors that can compress the elements of a
// vector by a mask: a quicksort. A pivot partitions a piece by splitting each
// vector into the keys below it and the others; pieces of few vectors are
// sorted in registers. A piece that was partitioned too often, because its
// pivots were bad, is left to the passes of keys.cuh. The half with the
// smaller keys is written to the destination of the result, the other half to
// the spare buffer: the piece is in one of these two buffers, and writes there
// stay behind the reads.
#if defined(__PYCUDA_CPU__) && $by_vectors
typedef __pycuda_lanes<sizeof(Word)> Vectors;
typedef Vectors::vector Vector;
typedef Vectors::mask Mask;

enum { LANES = sizeof(Vector) / sizeof(Word) };
// Maximum number of vectors of a piece that is sorted in registers.
enum { MAX_ROWS = 16 };
enum { AHEAD = 4 };      // vectors per step
// For more elements of 8 bytes than this, radix passes are faster.
enum { MAX_WIDE = 1 << 13 };

__device__ inline Vector load_vector(const Word *from)
{
    Vector vector;
    memcpy(&vector, from, sizeof vector);
    return vector;
}

__device__ inline void store_vector(Word *to, Vector vector)
{
    memcpy(to, &vector, sizeof vector);
}

__device__ inline Mask first_lanes(Index count)
{
    return __builtin_convertvector(Vectors::numbers() < (Vector)(Word)count,
                                   Mask);
}

// Loads the first `count` keys; if these are fewer than lanes, the remaining
// lanes hold the largest key.
__device__ inline Vector load_first(const Word *from, Index count)
{
    return Vectors::load(from, first_lanes(count), (Vector)(Word)~(Word)0);
}

__device__ inline void store_first(Word *to, Vector vector, Index count)
{
    Vectors::store(to, vector, first_lanes(count));
}

__device__ inline Mask are_less(Vector x, Vector y)
{
    return __builtin_convertvector(x < y, Mask);
}

__device__ inline void put_in_order(Vector &x, Vector &y)
{
    const Vector least = __builtin_elementwise_min(x, y);
    y = __builtin_elementwise_max(x, y);
    x = least;
}

// `key_of` for each.
__device__ inline Vector keys_of(Vector bits)
{
    const Vector sign = (Vector)SORT_SIGN;
    if (!REAL) {
        return SIGNED ? bits ^ sign : bits;
    }
    const Vector size = bits & ~sign;
    Vector keys = bits ^ (sign | (Vector)(bits >= sign));
    keys -= (Vector)(bits == sign); // Key of the other zero.
    return keys | (Vector)(size > (Vector)(Word)($infinity));
}

// ---- in registers: columns by Batcher's odd-even mergesort ----

// Merges two sorted sequences of N / STEP alternating rows.
template <int N, int STEP>
__device__ inline void merge_columns(Vector *rows)
{
    if constexpr (2 * STEP < N) {
        merge_columns<N, 2 * STEP>(rows);
        merge_columns<N, 2 * STEP>(rows + STEP);
#pragma unroll
        for (int i = STEP; i + STEP < N; i += 2 * STEP) {
            put_in_order(rows[i], rows[i + STEP]);
        }
    } else {
        put_in_order(rows[0], rows[STEP]);
    }
}

template <int N>
__device__ inline void sort_columns(Vector *rows)
{
    if constexpr (N > 1) {
        sort_columns<N / 2>(rows);
        sort_columns<N / 2>(rows + N / 2);
        merge_columns<N, 1>(rows);
    }
}

// ---- merging adjacent groups of columns as bitonic sequences; the keys of
// each group are sorted row by row ----

// Compares lanes i and i ^ X: the smaller key moves to the lane in whose index
// the highest bit of X is clear.
template <int X>
__device__ inline Vector order_lanes(Vector row)
{
    constexpr int HIGHEST = X & 8 ? 8 : X & 4 ? 4 : X & 2 ? 2 : 1;
    const Vector other = Vectors::exchange<X>(row);
    return Vectors::join<HIGHEST>(__builtin_elementwise_min(row, other),
                                  __builtin_elementwise_max(row, other));
}

template <int DISTANCE>
__device__ inline Vector merge_lanes(Vector row)
{
    if constexpr (DISTANCE > 0) {
        return merge_lanes<DISTANCE / 2>(order_lanes<DISTANCE>(row));
    } else {
        return row;
    }
}

// Merges pairs of adjacent groups into groups of WIDTH columns.
template <int N, int WIDTH>
__device__ inline void merge_rows(Vector *rows)
{
    if constexpr (N > 1) {
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            const Vector row = rows[i];
            const Vector other =
                Vectors::exchange<WIDTH - 1>(rows[N - 1 - i]);
            rows[i] = __builtin_elementwise_min(row, other);
            rows[N - 1 - i] = __builtin_elementwise_max(row, other);
        }
        merge_rows<N / 2, WIDTH>(rows);
        merge_rows<N / 2, WIDTH>(rows + N / 2);
    } else {
        rows[0] = merge_lanes<WIDTH / 4>(order_lanes<WIDTH - 1>(rows[0]));
    }
}

template <int N, int WIDTH>
__device__ inline void merge_groups(Vector *rows)
{
    if constexpr (WIDTH <= LANES) {
        merge_rows<N, WIDTH>(rows);
        merge_groups<N, 2 * WIDTH>(rows);
    }
}

// Sorts n keys in N vectors; n is larger than N / 2 vectors hold.
template <int N>
__device__ inline void sort_rows_of(const Word *from, Word *to, Index n)
{
    Vector rows[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        const Index before = i * LANES;
        rows[i] = i < N / 2 ? load_vector(from + before)
                            : load_first(from + before,
                                         n > before ? n - before : 0);
    }
    sort_columns<N>(rows);
    merge_groups<N, 2>(rows);
#pragma unroll
    for (int i = 0; i < N; i++) {
        const Index before = i * LANES;
        if (i < N / 2) {
            store_vector(to + before, rows[i]);
        } else {
            store_first(to + before, rows[i], n > before ? n - before : 0);
        }
    }
}

__device__ inline void sort_in_registers(const Word *from, Word *to, Index n)
{
    if (n <= LANES) {
        sort_rows_of<1>(from, to, n);
    } else if (n <= 2 * LANES) {
        sort_rows_of<2>(from, to, n);
    } else if (n <= 4 * LANES) {
        sort_rows_of<4>(from, to, n);
    } else if (n <= 8 * LANES) {
        sort_rows_of<8>(from, to, n);
    } else {
        sort_rows_of<MAX_ROWS>(from, to, n);
    }
}

// ---- longer pieces ----

struct Piece {
    Word *from, *result, *spare; // `from` is `result` or `spare`.
    Index n;
    int depth; // Number of further partitions of this piece that are allowed.
};

// Returns a key of the piece that is probably near the median.
__device__ inline Word pivot_of(const Piece &piece)
{
    enum { ROWS = 8 };
    const Index step = (piece.n - LANES) / (ROWS - 1);
    Vector rows[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        rows[i] = load_vector(piece.from + i * step);
    }
    sort_columns<ROWS>(rows);
    merge_groups<1, 2>(rows + ROWS / 2);
    return rows[ROWS / 2][LANES / 2];
}

// Partitions the first lanes: keys below the pivot (or EQUAL to it) are
// written to `low`, all others to `high`. Returns the number of the former.
// Writes whole vectors unless it is LAST.
template <bool EQUAL, bool LAST>
__device__ inline Index part_vector(Vector vector, Index count, Vector pivot,
                                    Word *low, Word *high)
{
    const Mask is_low =
        EQUAL ? ~are_less(pivot, vector) : are_less(vector, pivot);
    if (LAST) {
        const Mask below = is_low & first_lanes(count);
        const Index lows = Vectors::count(below);
        store_first(low, Vectors::compress(vector, below), lows);
        store_first(high, Vectors::compress(vector, ~is_low), count - lows);
        return lows;
    }
    store_vector(low, Vectors::compress(vector, is_low));
    store_vector(high, Vectors::compress(vector, ~is_low));
    return Vectors::count(is_low);
}

// Partitions keys: those below the pivot (or EQUAL to it) are written to the
// destination, the others to the spare buffer. Returns the number of the
// former.
template <bool EQUAL>
__device__ inline Index part(const Word *from, const Piece &piece, Word pivot)
{
    const Vector limit = (Vector)pivot;
    Word *const low = piece.result, *const high = piece.spare;
    Index i = 0, lows = 0;
    for (; i + AHEAD * LANES <= piece.n; i += AHEAD * LANES) {
        Vector some[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            some[k] = load_vector(from + i + k * LANES);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            lows += part_vector<EQUAL, false>(some[k], LANES, limit,
                                              low + lows,
                                              high + (i + k * LANES - lows));
        }
    }
    for (; i < piece.n; i += LANES) {
        const Index count = min(piece.n - i, (Index)LANES);
        lows += part_vector<EQUAL, true>(load_first(from + i, count), count,
                                         limit, low + lows, high + (i - lows));
    }
    return lows;
}

// Partitions a piece so that the first half is not empty: if the pivot is the
// smallest key, the first half consists of the keys equal to it, which need no
// sorting.
__device__ inline Index part_in_two(const Piece &piece, bool *is_sorted)
{
    const Word pivot = pivot_of(piece);
    const Index lows = part<false>(piece.from, piece, pivot);
    *is_sorted = lows == 0;
    return lows ? lows : part<true>(piece.spare, piece, pivot);
}

__device__ inline void sort_by_passes(const Piece &piece)
{
    Word *const to = piece.from == piece.result ? piece.spare : piece.result;
    Sorter task = {piece.from, to, piece.from, piece.result, piece.n, 0};
    sort_all_digits<true>(task, {0, 0, 0, 8}, 8 * sizeof(Word));
}

// Sorts keys into the destination buffer.
__device__ inline void sort_by_vectors(Word *keys, Word *spare, Index n)
{
    enum { DEEPEST = 2 * 64 };
    Piece waiting[DEEPEST], piece = {keys, keys, spare, n, 0};
    piece.depth = 2 * (64 - __clzll((unsigned long long)n));
    for (int count = 0;;) {
        if (piece.n <= MAX_ROWS * LANES) {
            sort_in_registers(piece.from, piece.result, piece.n);
        } else if (piece.depth == 0) {
            sort_by_passes(piece);
        } else {
            bool is_sorted;
            const Index lows = part_in_two(piece, &is_sorted);
            piece.depth--;
            if (!is_sorted) {
                waiting[count] = piece;
                waiting[count].from = piece.result;
                waiting[count++].n = lows;
            }
            piece.from = piece.spare;
            piece.result += lows;
            piece.n -= lows;
            if (piece.n) {
                continue;
            }
        }
        if (count == 0) {
            return;
        }
        piece = waiting[--count];
    }
}

__device__ inline void sort_plain(const Sorter &task)
{
    for (Index i = 0; i < task.n; i++) {
        task.result[i] = plain_key_of(task.from[i]) ^ task.flip;
    }
    sort_by_vectors(task.result, task.to, task.n);
    for (Index i = 0; i < task.n; i++) {
        task.result[i] = bits_of_plain(task.result[i] ^ task.flip);
    }
}
#endif

// Sorts keys. Radix passes handle only the upper bits: as many bits as number
// the elements, and `spare_bits` more. The keys are then almost in order, and
// insertion sort completes it.
__device__ inline void sort_values(Sorter task, int spare_bits)
{
    if (task.n <= FEW) {
        move_to_result(task);
        insert_all<false>(task.result, task.n, {task.flip, 0, 0, 0});
        return;
    }
    const Range range = range_of(task);
    if (!range.is_plain) {
        if (task.to == task.from) {
            task.to = task.other;
            task.other = (Word *)task.from;
        }
        sort_in_range<false>(task, range, spare_bits);
        return;
    }
#if defined(__PYCUDA_CPU__) && $by_vectors
    if (__pycuda_has_lanes() && (BYTES == 4 || task.n <= MAX_WIDE)) {
        if (range.bits) {
            sort_plain(task);
        } else {
            move_to_result(task);
        }
        return;
    }
#endif
    for (Index i = 0; i < task.n; i++) {
        const Word key = plain_key_of(task.from[i]) ^ task.flip;
        task.other[i] = key - range.least;
    }
    task.from = task.other;
    sort_in_range<true>(task, range, spare_bits);
    for (Index i = 0; i < task.n; i++) {
        const Word key = task.result[i] + range.least;
        task.result[i] = bits_of_plain(key ^ task.flip);
    }
}
