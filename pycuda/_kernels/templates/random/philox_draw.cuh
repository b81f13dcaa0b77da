// Conversions of Philox's words to elements. `draw` computes the elements of a
// block, the first of which is `first`, and returns whether `redraw` must
// recompute any of them.

static __device__ Long long_of(unsigned int low, unsigned int high)
{
    return (Long)high << 32 | low;
}
static __device__ float of_one(unsigned int x, float)
{
    return (float)(int)(x >> 8) * 5.960464477539063e-08f;
}
static __device__ double of_one(Long x, double)
{
    return (double)(long long)(x >> 11) * 1.1102230246251565e-16;
}

// Base of the distributions that reject no number.
template <class T> struct Sure {
    enum { STAGED = 0 };
    __device__ void redraw(const Sequence &, Long, Long, T *) const {}
};

// `Word` determines the number of bits per element.
template <class T, class Word> struct Each;
template <class T> struct Each<T, unsigned int> : Sure<T> {
    enum { WIDTH = 4 };
    template <class Make>
    static __device__ void all(uint4 w, T *values, const Make &make)
    {
        values[0] = make(w.x);
        values[1] = make(w.y);
        values[2] = make(w.z);
        values[3] = make(w.w);
    }
};
template <class T> struct Each<T, Long> : Sure<T> {
    enum { WIDTH = 2 };
    template <class Make>
    static __device__ void all(uint4 w, T *values, const Make &make)
    {
        values[0] = make(long_of(w.x, w.y));
        values[1] = make(long_of(w.z, w.w));
    }
};
template <class T> struct WordOf { typedef unsigned int type; };
template <> struct WordOf<double> { typedef Long type; };

// Integers of all values of the type: random bits, plus `low`.
template <class T, class Word> struct Bits : Each<T, Word> {
    T low;
    __device__ Bits(T low) : low(low) {}
    __device__ bool draw(const Sequence &, Long, uint4 w, Long,
                         T *values) const
    {
        const Long least = (Long)low;
        this->all(w, values, [=](Word x) { return (T)(least + x); });
        return false;
    }
};

// Real numbers in [0, 1).
template <class T> struct Random : Each<T, typename WordOf<T>::type> {
    __device__ bool draw(const Sequence &, Long, uint4 w, Long,
                         T *values) const
    {
        typedef typename WordOf<T>::type Word;
        this->all(w, values, [](Word x) { return of_one(x, T()); });
        return false;
    }
};

// Real numbers in [low, low + width); the multiplication and the addition each
// round.
template <class T> struct Between : Each<T, typename WordOf<T>::type> {
    T low, width;
    __device__ Between(T low, T width) : low(low), width(width) {}
    __device__ bool draw(const Sequence &, Long, uint4 w, Long,
                         T *values) const
    {
        typedef typename WordOf<T>::type Word;
        const T from = low, by = width;
        this->all(w, values, [=](Word x) {
            const T step = of_one(x, T()) * by;
            return step + from;
        });
        return false;
    }
};

// Real numbers in (0, 1].
static __device__ float above_zero(unsigned int x, float)
{
    return _curand_uniform(x);
}
static __device__ double above_zero(Long x, double)
{
    return _curand_uniform_double_hq((unsigned int)x, (unsigned int)(x >> 32));
}
template <class T> struct Uniform : Each<T, typename WordOf<T>::type> {
    __device__ bool draw(const Sequence &, Long, uint4 w, Long,
                         T *values) const
    {
        typedef typename WordOf<T>::type Word;
        this->all(w, values, [](Word x) { return above_zero(x, T()); });
        return false;
    }
};

// Normal numbers in two parts each, for functions that amplify errors
// (transform.h).
template <class T> struct Standard;
template <> struct Standard<float> : Sure<float> {
    enum { WIDTH = 4 };
    __device__ static void pairs(uint4 w, __pycuda_pair<float> *values)
    {
        __pycuda_normals(above_zero(w.x, 0.0f), above_zero(w.y, 0.0f),
                         values);
        __pycuda_normals(above_zero(w.z, 0.0f), above_zero(w.w, 0.0f),
                         values + 2);
    }
};
template <> struct Standard<double> : Sure<double> {
    enum { WIDTH = 2 };
    __device__ static void pairs(uint4 w, __pycuda_pair<double> *values)
    {
        __pycuda_normals(above_zero(long_of(w.x, w.y), 0.0),
                         above_zero(long_of(w.z, w.w), 0.0), values);
    }
};
template <class T> struct Normal : Each<T, typename WordOf<T>::type> {
    T mean, deviation;
    __device__ Normal(T mean, T deviation) : mean(mean), deviation(deviation)
    {
    }
    __device__ bool draw(const Sequence &, Long, uint4 w, Long,
                         T *values) const
    {
        typedef typename WordOf<T>::type Word;
        this->all(w, values, [](Word x) { return above_zero(x, T()); });
#pragma unroll
        for (int k = 0; k < Normal::WIDTH; k += 2) {
            T pair[2];
            __pycuda_normals_near(values[k], values[k + 1], pair);
            values[k] = __pycuda_fma(deviation, pair[0], mean);
            values[k + 1] = __pycuda_fma(deviation, pair[1], mean);
        }
        return false;
    }
};
template <class T> struct LogNormal : Standard<T> {
    T mean, deviation;
    __device__ LogNormal(T mean, T deviation)
        : mean(mean), deviation(deviation)
    {
    }
    __device__ bool draw(const Sequence &, Long, uint4 w, Long,
                         T *values) const
    {
        __pycuda_pair<T> pairs[Standard<T>::WIDTH];
        this->pairs(w, pairs);
        for (int k = 0; k < Standard<T>::WIDTH; k++) {
            values[k] =
                __pycuda_exp(__pycuda_moved(pairs[k], mean, deviation));
        }
        return false;
    }
};

template <class T> struct Exponential : Each<T, typename WordOf<T>::type> {
    T scale;
    __device__ Exponential(T scale) : scale(scale) {}
    __device__ bool draw(const Sequence &, Long, uint4 w, Long,
                         T *values) const
    {
        typedef typename WordOf<T>::type Word;
        const T width = -scale;
        this->all(w, values, [=](Word x) {
            return __pycuda_moved(__pycuda_log(above_zero(x, T())), T(0),
                                  width)
                .high;
        });
        return false;
    }
};

// Integers in [low, low + range) without bias (Lemire, "Fast random integer
// generation in an interval", 2019). The upper half of word times range is the
// number; the `least` smallest lower halves are rejected.
template <class T, class Word> struct Within {
    enum { WIDTH = 16 / sizeof(Word), STAGED = 0 };
    T low;
    Word range, least;
    __device__ Within(T low, Word range, Word least)
        : low(low), range(range), least(least)
    {
    }
    static __device__ unsigned int upper(unsigned int a, unsigned int b)
    {
        return __umulhi(a, b);
    }
    static __device__ Long upper(Long a, Long b) { return __umul64hi(a, b); }
    static __device__ void words(uint4 w, unsigned int *x)
    {
        x[0] = w.x;
        x[1] = w.y;
        x[2] = w.z;
        x[3] = w.w;
    }
    static __device__ void words(uint4 w, Long *x)
    {
        x[0] = long_of(w.x, w.y);
        x[1] = long_of(w.z, w.w);
    }
    __device__ bool draw(const Sequence &, Long, uint4 w, Long,
                         T *values) const
    {
        Word x[WIDTH];
        bool rejected = false;
        words(w, x);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            values[k] = (T)((Long)low + upper(x[k], range));
            rejected |= x[k] * range < least;
        }
        return rejected;
    }
    __device__ void redraw(const Sequence &from, Long at, Long,
                          T *values) const
    {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            Word x[WIDTH];
            words(from.block(at), x);
            for (unsigned int n = 1; x[k] * range < least; n++) {
                words(from.block(at, n), x);
            }
            values[k] = (T)((Long)low + upper(x[k], range));
        }
    }
};
