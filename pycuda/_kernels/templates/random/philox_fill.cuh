// Fills arrays with Philox numbers. Four words of the generator's sequence are
// a block, which its index and the key determine; element e uses the 4 / WIDTH
// words from `position` + e * 4 / WIDTH on. A result therefore depends only on
// the key, the sequence and the position.
#include <pycuda-random/philox.h>
#include <pycuda-random/convert.h>
#include <pycuda-random/transform.h>

typedef unsigned long long Long;

struct Sequence {
    uint2 key;
    unsigned int number;

    // Attempts after the first are for distributions that reject numbers.
    __device__ uint4 block(Long at, unsigned int attempt = 0) const
    {
        return curand_Philox4x32_10(
            make_uint4((unsigned int)at, (unsigned int)(at >> 32), number,
                       attempt),
            key);
    }
};

template <class T, int WIDTH>
struct alignas(sizeof(T) * WIDTH < 16 ? sizeof(T) * WIDTH : 16) Pack {
    T at[WIDTH];
};

// Number of elements of the first block that earlier calls used.
template <int WIDTH>
static __device__ unsigned int elements_before(Long position)
{
    return (unsigned int)(position % 4) * WIDTH / 4;
}

// Stores the requested elements of block `j` of a fill.
template <int WIDTH, class T, class Make>
static __device__ void fill_part(T *out, Long n, Long j, Long position,
                                 const Sequence &from, const Make &make)
{
    const Long first = WIDTH * j - elements_before<WIDTH>(position);
    const Long at = position / 4 + j;
    T values[WIDTH];
    if (make.draw(from, at, from.block(at), first, values)) {
        make.redraw(from, at, first, values);
    }
    for (int k = 0; k < WIDTH; k++) {
        if (first + k < n) { // a negative `first` is large
            out[first + k] = values[k];
        }
    }
}

#if $in_turn
// SHARE: number of blocks that a thread computes. PART: number of them that
// are computed together, in vectors; if numbers of a block were rejected, it
// is then computed separately. STAGED: the conversion contains loops, so that
// only Philox's words are computed in vectors.
#define SHARE 1024
#define PART  64

template <int WIDTH, class T, class Make>
static __device__ void fill_row(T *out, Long n, Long j, unsigned int count,
                                Long position, const Sequence &from,
                                const Make &make)
{
    const Long first = WIDTH * j - elements_before<WIDTH>(position);
    const Long at = position / 4 + j;
    bool any = false, rejected[PART];
    T *const row = out + first;
    uint4 words[Make::STAGED ? PART : 1];
    for (unsigned int i = 0; Make::STAGED && i < count; i++) {
        words[i] = from.block(at + i);
    }
    for (unsigned int i = 0; i < count; i++) {
        T values[WIDTH];
        const uint4 w = Make::STAGED ? words[i] : from.block(at + i);
        rejected[i] = make.draw(from, at + i, w, first + WIDTH * i, values);
        any |= rejected[i];
        for (int k = 0; k < WIDTH; k++) {
            row[WIDTH * i + k] = values[k];
        }
    }
    for (unsigned int i = 0; any && i < count; i++) {
        if (rejected[i]) {
            fill_part<WIDTH>(out, n, j + i, position, from, make);
        }
    }
}

template <int WIDTH, class T, class Make>
static __device__ void fill(T *out, Long n, Long position,
                            const Sequence &from, const Make &make)
{
    const Long elements = n + elements_before<WIDTH>(position);
    const Long whole = elements / WIDTH;
    const Long blocks = (elements + WIDTH - 1) / WIDTH;
    Long j = (Long)blockIdx.x * SHARE;
    const Long end = min(j + SHARE, blocks), inner = min(end, whole);
    if (j == 0 && elements > n) {
        fill_part<WIDTH>(out, n, j++, position, from, make);
    }
    for (; j < inner; j += PART) {
        fill_row<WIDTH>(out, n, j, (unsigned int)min((Long)PART, inner - j),
                        position, from, make);
    }
    if (whole < end) {
        fill_part<WIDTH>(out, n, whole, position, from, make);
    }
}
#else
// Number of blocks that a thread computes together, 32 apart. They share some
// work, which is faster if a block's elements take at most 16 bytes.
template <class T, int WIDTH> struct Turn {
    enum { BLOCKS = WIDTH > 1 && sizeof(T) * WIDTH <= 16 ? 2 : 1 };
};

// Stores the packs of a warp, all of which are complete.
template <class P, int BYTES = sizeof(P)> struct Store {
    static __device__ void pack(P *own, const P &value) { *own = value; }
};
// Two lanes write 32 contiguous bytes together instead of 16 bytes in two
// separate locations: first those of the even lane, then those of the odd one.
template <class P> struct Store<P, 32> {
    static __device__ unsigned int other(unsigned int low, unsigned int high)
    {
        const bool odd = threadIdx.x & 1;
        return __shfl_xor_sync(0xffffffffu, odd ? low : high, 1);
    }
    static __device__ void pack(P *own, const P &value)
    {
        const bool odd = threadIdx.x & 1;
        uint4 low, high, given;
        memcpy(&low, value.at, sizeof low);
        memcpy(&high, value.at + sizeof low / sizeof *value.at, sizeof high);
        given.x = other(low.x, high.x);
        given.y = other(low.y, high.y);
        given.z = other(low.z, high.z);
        given.w = other(low.w, high.w);
        uint4 *const pair = reinterpret_cast<uint4 *>(own - odd) + odd;
        pair[0] = odd ? given : low;
        pair[2] = odd ? high : given;
    }
};

template <int WIDTH, class T, class Make>
static __device__ void fill(T *out, Long n, Long position,
                            const Sequence &from, const Make &make)
{
    enum { BLOCKS = Turn<T, WIDTH>::BLOCKS, LAST = 32 * (BLOCKS - 1) };
    typedef Pack<T, WIDTH> Packed;
    const unsigned int before = elements_before<WIDTH>(position);
    const Long blocks = (n + before + WIDTH - 1) / WIDTH;
    const Long threads = (Long)gridDim.x * blockDim.x * BLOCKS;
    const bool packed = before == 0 && (size_t)out % sizeof(Packed) == 0;
    const Long thread = (Long)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int lane = threadIdx.x % 32;
    for (Long j = (thread - lane) * BLOCKS + lane; j < blocks; j += threads) {
        if (!packed || WIDTH * ((j | 31) + LAST + 1) > n) {
#pragma unroll 1
            for (Long i = j; i <= j + LAST && i < blocks; i += 32) {
                fill_part<WIDTH>(out, n, i, position, from, make);
            }
            continue;
        }
        const Long at = position / 4 + j;
        Packed pack[BLOCKS];
#pragma unroll
        for (int k = 0; k < BLOCKS; k++) {
            const Long first = WIDTH * (j + 32 * k);
            if (make.draw(from, at + 32 * k, from.block(at + 32 * k), first,
                          pack[k].at)) {
                make.redraw(from, at + 32 * k, first, pack[k].at);
            }
        }
#pragma unroll
        for (int k = 0; k < BLOCKS; k++) {
            Packed *const own = reinterpret_cast<Packed *>(out) + j + 32 * k;
            Store<Packed>::pack(own, pack[k]);
        }
    }
}
#endif
