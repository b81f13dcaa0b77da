// Scans of adjacent integers: LANES of them are summed as a tree, in vectors,
// and only the last step depends on the previous elements.
#if $in_vectors && defined(__PYCUDA_CPU__)
enum { LANES = 8 };
typedef $lane Lane; // Unsigned, because sums may overflow and wrap around.
typedef Lane Lanes __attribute__((ext_vector_type(LANES)));
typedef Stored From __attribute__((ext_vector_type(LANES)));
typedef From LooseFrom __attribute__((aligned(sizeof(Stored))));
typedef Lanes LooseLanes __attribute__((aligned(sizeof(Lane))));

// Moves each lane's value to the lane that is STEP higher, and fills the lower
// lanes with zeros.
template <int STEP>
__device__ inline Lanes moved(const Lanes v)
{
    return __builtin_shufflevector(
        (Lanes)(Lane)0, v, 8 - STEP, 9 - STEP, 10 - STEP, 11 - STEP,
        12 - STEP, 13 - STEP, 14 - STEP, 15 - STEP);
}

// Scans whole vectors; `sum` is the sum of all previous elements. Returns the
// number of elements scanned.
__device__ inline long long scan_vectors(Lane *to, const Stored *from,
                                         long long length, Value &sum)
{
    Lanes before = (Lanes)(Lane)sum;
    long long i = 0;
    for (; i + LANES <= length; i += LANES) {
        Lanes sums = __builtin_convertvector(*(const LooseFrom *)(from + i),
                                             Lanes);
        sums += moved<1>(sums);
        sums += moved<2>(sums);
        sums += moved<4>(sums);
        *(LooseLanes *)(to + i) = sums + before;
        before += __builtin_shufflevector(sums, sums, 7, 7, 7, 7, 7, 7, 7, 7);
    }
    sum = (Value)before[0];
    return i;
}
#endif
