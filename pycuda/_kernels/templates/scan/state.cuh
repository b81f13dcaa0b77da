// Communication between the tiles of a scan (decoupled look-back, Merrill and
// Garland 2016). A tile's value is split into pieces of 32 bits, and each
// piece is stored in one 64-bit word with a flag: a reader that finds the same
// flag in all words has read one consistent value, without fences. Prefixes
// are combined from left to right, so that timing cannot change a rounded sum.
$preamble
$segments
typedef $type Value;
typedef $stored Stored;
typedef $out Out;
typedef unsigned long long Word;

// no value yet; value of the tile; value of all tiles up to this one
enum { EMPTY, TOTAL, PREFIX };

template <class T> struct Parts {
    enum { COUNT = (sizeof(T) + 3) / 4 };
    unsigned at[COUNT];
};

__device__ inline Value combine(Value a, Value b)
{
    return $expression;
}

$total_functions
template <class T> __device__ inline Parts<T> parts_of(const T &value)
{
    Parts<T> parts;
    parts.at[Parts<T>::COUNT - 1] = 0;
    memcpy(&parts, &value, sizeof(T));
    return parts;
}

template <class T>
__device__ inline void join_parts(T &value, const Parts<T> &parts)
{
    memcpy(&value, &parts, sizeof(T));
}

__device__ inline void publish(Word *state, unsigned tile, const Total &total,
                               unsigned flag)
{
    enum { PIECES = Parts<Total>::COUNT };
    volatile Word *words = state + 1 + (unsigned long long)tile * PIECES;
    const Parts<Total> parts = parts_of(total);
#pragma unroll
    for (int k = 0; k < PIECES; k++) {
        words[k] = (Word)flag << 32 | parts.at[k];
    }
}

// Returns the flag of a tile, and reads its value unless the flag is EMPTY.
__device__ inline unsigned look(const Word *state, unsigned tile,
                                Parts<Total> &parts)
{
    enum { PIECES = Parts<Total>::COUNT };
    const volatile Word *words =
        state + 1 + (unsigned long long)tile * PIECES;
    Word word = words[0];
    unsigned flag = (unsigned)(word >> 32);
    parts.at[0] = (unsigned)word;
#pragma unroll
    for (int k = 1; k < PIECES; k++) {
        word = words[k];
        parts.at[k] = (unsigned)word;
        flag = (unsigned)(word >> 32) == flag ? flag : (unsigned)EMPTY;
    }
    return flag;
}

// Returns the value that an element has in the scan. `heads` is nonzero where
// segments begin.
__device__ inline Value loaded(const Stored &v$heads_pair)
{
    return $map;
}
