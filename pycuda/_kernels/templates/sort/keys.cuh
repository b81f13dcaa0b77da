// Sorts of single numbers by one thread, where only values matter: passes over
// the digits in which the keys differ, with a width that depends on the number
// of keys. If the upper digits almost determine the order, insertion sort
// handles the lower ones.
enum { FEW = 40 }; // Number of elements that insertion sort handles alone.
enum { MANY = 4 * DIGITS };

// `key_of` for numbers that are neither NaN nor negative zero.
__device__ inline Word plain_key_of(Word bits)
{
    return REAL && bits & SORT_SIGN ? (Word)~bits
           : REAL || SIGNED         ? (Word)(bits ^ SORT_SIGN)
                                    : bits;
}

__device__ inline Word bits_of_plain(Word key)
{
    return REAL && !(key & SORT_SIGN) ? (Word)~key
           : REAL || SIGNED           ? (Word)(key ^ SORT_SIGN)
                                      : key;
}

struct Sorter {
    const Word *from;
    Word *to, *other; // Buffers of the passes; `from` may be one of them.
    Word *result;     // Where the result is stored: one of the two buffers.
    Index n;
    Word flip; // All bits set for descending order, otherwise 0.
};

struct Range {
    Word least; // key
    // Number of bits of the difference between the largest key and `least`.
    int bits;
    bool is_plain;
};

// Key of an element; for plain numbers, the distance from the smallest key.
template <bool PLAIN>
struct Digit {
    Word flip, least;
    int shift, width;

    __device__ Word key(Word bits) const
    {
        return PLAIN ? bits : (Word)((key_of(bits) ^ flip) - least);
    }

    __device__ unsigned of(Word bits, int pass) const
    {
        const unsigned mask = (1u << width) - 1;
        return (unsigned)(key(bits) >> (shift + pass * width)) & mask;
    }
};

__device__ inline Range range_of(const Sorter &task)
{
    Word least = (Word)~(Word)0, most = 0;
    bool is_plain = true;
    for (Index i = 0; i < task.n; i++) {
        const Word bits = task.from[i];
        const Word key = plain_key_of(bits) ^ task.flip;
        is_plain &= !REAL | (!part_is_nan(bits) & (bits != SORT_SIGN));
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    if (!is_plain) {
        least = (Word)~(Word)0, most = 0;
        for (Index i = 0; i < task.n; i++) {
            const Word key = key_of(task.from[i]) ^ task.flip;
            least = key < least ? key : least;
            most = key > most ? key : most;
        }
    }
    const unsigned long long distance = (Word)(most - least);
    return {least, 64 - __clzll(distance), is_plain};
}

// Converts the counts of each pass's digits to positions.
template <bool PLAIN, int COUNT>
__device__ inline void place_all(const Sorter &task,
                                 const Digit<PLAIN> &digit,
                                 Index (*places)[DIGITS])
{
    for (int i = 0; i < COUNT * DIGITS; i++) {
        places[0][i] = 0;
    }
    for (Index i = 0; i < task.n; i++) {
        const Word bits = task.from[i];
#pragma unroll
        for (int pass = 0; pass < COUNT; pass++) {
            places[pass][digit.of(bits, pass)]++;
        }
    }
    for (int pass = 0; pass < COUNT; pass++) {
        Index sum = 0;
        for (int i = 0; i < 1 << digit.width; i++) {
            const Index count = places[pass][i];
            places[pass][i] = sum;
            sum += count;
        }
    }
}

// Sorts in at most four passes. The first pass is by the digit that begins at
// bit `digit.shift` of the keys.
template <bool PLAIN>
__device__ inline void sort_digits(Sorter &task, const Digit<PLAIN> &digit,
                                   int passes)
{
    Index places[4][DIGITS];
    switch (passes) {
    case 1:
        place_all<PLAIN, 1>(task, digit, places);
        break;
    case 2:
        place_all<PLAIN, 2>(task, digit, places);
        break;
    case 3:
        place_all<PLAIN, 3>(task, digit, places);
        break;
    default:
        place_all<PLAIN, 4>(task, digit, places);
    }
    for (int pass = 0; pass < passes; pass++) {
        Index *const position = places[pass];
        const Word *const from = task.from;
        Word *const to = task.to;
        for (Index i = 0; i < task.n; i++) {
            const Word bits = from[i];
            to[position[digit.of(bits, pass)]++] = bits;
        }
        task.to = task.other;
        task.other = to;
        task.from = to;
    }
}

// Returns whether any of the elements from `i` on has a smaller key than its
// predecessor.
template <bool PLAIN>
__device__ inline bool has_step_down(const Digit<PLAIN> &digit,
                                     const Word *items, int count)
{
    bool found = false;
    for (int k = 0; k < count; k++) {
        found |= digit.key(items[k]) < digit.key(items[k - 1]);
    }
    return found;
}

// Insertion sort of almost ordered elements. Returns false if it takes more
// than n steps; all elements are then still present, and equal ones are in
// order.
template <bool PLAIN>
__device__ inline bool insert_all(Word *items, Index n,
                                  const Digit<PLAIN> &digit)
{
    enum { GROUP = 16 };
    Index steps = n + FEW * FEW;
    for (Index first = 1; first < n; first += GROUP) {
        const Index end = min((Index)(first + GROUP), n);
        if (end - first == GROUP &&
            !has_step_down(digit, items + first, GROUP)) {
            continue;
        }
        for (Index i = first; i < end; i++) {
            const Word bits = items[i], key = digit.key(bits);
            Index at = i;
            for (; at > 0 && steps > 0 && key < digit.key(items[at - 1]);
                 at--, steps--) {
                items[at] = items[at - 1];
            }
            items[at] = bits;
        }
    }
    return steps > 0;
}

// After the last radix pass, the elements may be in either of the two buffers.
__device__ inline void move_to_result(Sorter &task)
{
    if (task.from == task.result) {
        return;
    }
    for (Index i = 0; i < task.n; i++) {
        task.result[i] = task.from[i];
    }
    // The buffer that is neither read nor the result.
    if (task.to == task.result) {
        task.to = task.other;
    }
    task.from = task.other = task.result;
}

// Keys of this many bits.
template <bool PLAIN>
__device__ inline void sort_all_digits(Sorter &task, Digit<PLAIN> digit,
                                       int bits)
{
    for (digit.shift = 0; digit.shift < bits; digit.shift += 32) {
        sort_digits(task, digit, min((bits - digit.shift + 7) / 8, 4));
    }
    move_to_result(task);
}

template <bool PLAIN>
__device__ inline void sort_in_range(Sorter &task, const Range &range,
                                     int spare_bits)
{
    const int wanted = 64 - __clzll((unsigned long long)task.n) + spare_bits;
    const int passes = min(min(range.bits, wanted) + 7, 32) / 8;
    // Wider digits cost no more if there are many elements.
    const int bits = min(range.bits, task.n < MANY ? wanted : 8 * passes);
    const int width = passes ? min((bits + passes - 1) / passes, 8) : 0;
    const int shift = max(range.bits - width * passes, 0);
    Digit<PLAIN> digit = {task.flip, range.least, shift, width};
    if (passes) {
        sort_digits(task, digit, passes);
    }
    move_to_result(task);
    if (shift == 0 || insert_all(task.result, task.n, digit)) {
        return;
    }
    digit.width = 8;
    sort_all_digits(task, digit, range.bits);
}
