// Numbers that take a block of Philox's words an attempt: Poisson and gamma.

static __device__ double2 reals_of(uint4 w)
{
    return make_double2(above_zero(long_of(w.x, w.y), 0.0),
                        above_zero(long_of(w.z, w.w), 0.0));
}

// Below a mean of 10 the distribution is summed until it reaches a uniform
// number; above, Hormann's transformed rejection (PTRS, 1993).
static __device__ double small_poisson(double u, double mean)
{
    double term = exp(-mean), sum = term, k = 0.0;
    while (sum < u && k < 100.0) {
        k += 1.0;
        term *= mean / k;
        sum += term;
    }
    return k;
}

struct Transformed {
    double mean, a, b, s, k;
    bool quick; // accepted without a logarithm

    __device__ Transformed(double2 reals, double mean) : mean(mean)
    {
        b = 0.931 + 2.53 * sqrt(mean);
        a = -0.059 + 0.02483 * b;
        const double u = reals.x - 0.5;
        s = 0.5 - fabs(u);
        k = floor((2.0 * a / s + b) * u + mean + 0.43);
        quick = (s >= 0.07) & (reals.y <= 0.9277 - 3.6224 / (b - 2.0));
    }
    __device__ bool rejected(double v) const
    {
        if (quick) {
            return false;
        }
        if (k < 0.0 || (s < 0.013 && v > s)) {
            return true;
        }
        const double width = 1.1239 + 1.1328 / (b - 3.4);
        return log(v * width / (a / (s * s) + b)) >
               k * log(mean) - mean - lgamma(k + 1.0);
    }
};

template <class T>
static __device__ T large_poisson(const Sequence &from, Long at, double mean)
{
    for (unsigned int attempt = 0;; attempt++) {
        const double2 reals = reals_of(from.block(at, attempt));
        const Transformed made(reals, mean);
        if (!made.rejected(reals.y)) {
            return (T)made.k;
        }
    }
}

// Of one mean, which is known to be small or not, or of one each.
template <class T> struct SmallPoisson : Sure<T> {
    enum { WIDTH = 1, STAGED = 1 };
    double mean;
    __device__ SmallPoisson(double mean) : mean(mean) {}
    __device__ bool draw(const Sequence &, Long, uint4 w, Long, T *value) const
    {
        *value = (T)small_poisson(reals_of(w).x, mean);
        return false;
    }
};
template <class T> struct LargePoisson : Sure<T> {
    enum { WIDTH = 1 };
    double mean;
    __device__ LargePoisson(double mean) : mean(mean) {}
    __device__ bool draw(const Sequence &, Long, uint4 w, Long, T *value) const
    {
        const Transformed made(reals_of(w), mean);
        *value = (T)made.k;
        return !made.quick;
    }
    __device__ void again(const Sequence &from, Long at, Long, T *value) const
    {
        *value = large_poisson<T>(from, at, mean);
    }
};
template <class T> struct EachPoisson : Sure<T> {
    enum { WIDTH = 1, STAGED = 1 };
    const double *means;
    __device__ EachPoisson(const double *means) : means(means) {}
    __device__ bool draw(const Sequence &from, Long at, uint4 w, Long first,
                         T *value) const
    {
        const double mean = means[first];
        if (mean >= 10.0) {
            *value = large_poisson<T>(from, at, mean);
        } else {
            *value = mean > 0.0 ? (T)small_poisson(reals_of(w).x, mean) : T(0);
        }
        return false;
    }
};

// Marsaglia and Tsang's method (2000), two blocks an attempt; a shape below 1
// is made of one that is higher by 1.
template <class T> struct Gamma : Sure<T> {
    enum { WIDTH = 1 };
    double shape, scale;
    __device__ Gamma(double shape, double scale) : shape(shape), scale(scale)
    {
    }
    __device__ bool attempt(uint4 w, double2 reals, T *value) const
    {
        __pycuda_pair<double> normal[2];
        Standard<double>::pairs(w, normal);
        const double d = (shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3.0;
        const double x = normal[0].high + normal[0].low;
        const double t = 1.0 + x / sqrt(9.0 * d), v = t * t * t;
        const double most = 0.5 * x * x + d - d * v + d * log(v);
        const double less = shape < 1.0 ? pow(reals.y, 1.0 / shape) : 1.0;
        *value = (T)(d * v * less * scale);
        return !(t > 0.0) | (log(reals.x) > most);
    }
    __device__ bool draw(const Sequence &from, Long at, uint4 w, Long,
                         T *value) const
    {
        return attempt(w, reals_of(from.block(at, 1)), value);
    }
    __device__ void again(const Sequence &from, Long at, Long, T *value) const
    {
        unsigned int next = 2;
        while (attempt(from.block(at, next),
                       reals_of(from.block(at, next + 1)), value)) {
            next += 2;
        }
    }
};
