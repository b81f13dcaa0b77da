// Sums of integers that lie side by side: LANES of them are added up as a
// tree, in vectors, and only the last waits for those before.
#if $in_vectors && defined(__PYCUDA_CPU__)
enum { LANES = 8 };
typedef $lane Lane; // without a sign: sums wrap
typedef Lane Lanes __attribute__((ext_vector_type(LANES)));
typedef Stored From __attribute__((ext_vector_type(LANES)));
typedef From LooseFrom __attribute__((aligned(sizeof(Stored))));
typedef Lanes LooseLanes __attribute__((aligned(sizeof(Lane))));

// Lanes move up by STEP; zeros come in.
template <int STEP>
__device__ inline Lanes moved(const Lanes v)
{
    return __builtin_shufflevector(
        (Lanes)(Lane)0, v, 8 - STEP, 9 - STEP, 10 - STEP, 11 - STEP,
        12 - STEP, 13 - STEP, 14 - STEP, 15 - STEP);
}

// Scans whole vectors; `sum` is that of all before.  Returns how many
// elements those were.
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
