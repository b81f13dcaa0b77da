// Distributions that use a block of Philox's words per attempt: Poisson and
// gamma.

static __device__ double2 reals_of(uint4 w)
{
    return make_double2(above_zero(long_of(w.x, w.y), 0.0),
                        above_zero(long_of(w.z, w.w), 0.0));
}

// For means below 10, adds up the probabilities of 0, 1, 2, ... until the sum
// reaches a uniform number; `none` is the probability of 0.
static __device__ double small_poisson(double u, double mean, double none)
{
    double term = none, sum = none, k = 0.0;
    while (sum < u && k < 100.0) {
        k += 1.0;
        term *= mean / k;
        sum += term;
    }
    return k;
}

// For larger means: Hormann's transformed rejection (PTRS, 1993), without
// branches.
static __device__ bool large_poisson(double2 reals, double mean, double *k)
{
    const double b = 0.931 + 2.53 * sqrt(mean);
    const double a = -0.059 + 0.02483 * b;
    const double u = reals.x - 0.5, v = reals.y, s = 0.5 - fabs(u);
    const double made = floor((2.0 * a / s + b) * u + mean + 0.43);
    *k = made;
    const bool quick = (s >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0));
    const bool never = (made < 0.0) | ((s < 0.013) & (v > s));
    const double width = 1.1239 + 1.1328 / (b - 3.4);
    const double left = __pycuda_log(v * width / (a / (s * s) + b)).high;
    const double right = made * __pycuda_log(mean).high - mean -
                         __pycuda_log_factorial(fmax(made, 0.0));
    return !quick & (never | !(left <= right));
}
static __device__ double other_poisson(const Sequence &from, Long at,
                                       double mean, unsigned int attempt)
{
    double k;
    while (large_poisson(reals_of(from.block(at, attempt)), mean, &k)) {
        attempt++;
    }
    return k;
}

// Distributions with one mean for all elements, which the host knows to be
// small or large, and distributions with one mean per element.
template <class T> struct SmallPoisson : Sure<T> {
    enum { WIDTH = 1, STAGED = 1 };
    double mean, none;
    __device__ SmallPoisson(double mean, double none) : mean(mean), none(none)
    {
    }
    __device__ bool draw(const Sequence &, Long, uint4 w, Long, T *value) const
    {
        *value = (T)small_poisson(reals_of(w).x, mean, none);
        return false;
    }
};
template <class T> struct LargePoisson : Sure<T> {
    enum { WIDTH = 1 };
    double mean;
    __device__ LargePoisson(double mean) : mean(mean) {}
    __device__ bool draw(const Sequence &, Long, uint4 w, Long, T *value) const
    {
        double k;
        const bool rejected = large_poisson(reals_of(w), mean, &k);
        *value = (T)k;
        return rejected;
    }
    __device__ void redraw(const Sequence &from, Long at, Long, T *value) const
    {
        *value = (T)other_poisson(from, at, mean, 1);
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
        double k = 0.0;
        if (mean >= 10.0) {
            k = other_poisson(from, at, mean, 0);
        } else if (mean > 0.0) {
            k = small_poisson(reals_of(w).x, mean, exp(-mean));
        }
        *value = (T)k;
        return false;
    }
};

// Marsaglia and Tsang's method (2000), two blocks per attempt; a shape below 1
// uses the number of a shape that is larger by 1.
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
        const double most = 0.5 * x * x + d - d * v +
                            d * __pycuda_log(v).high;
        const double less = shape < 1.0 ? pow(reals.y, 1.0 / shape) : 1.0;
        *value = (T)(d * v * less * scale);
        // With a shape as large as this, numbers are rejected only because of
        // rounding.
        const bool less_than_all = d < 1e10;
        const bool above = !(__pycuda_log(reals.x).high <= most);
        return !(t > 0.0) | (above & less_than_all);
    }
    __device__ bool draw(const Sequence &from, Long at, uint4 w, Long,
                         T *value) const
    {
        return attempt(w, reals_of(from.block(at, 1)), value);
    }
    __device__ void redraw(const Sequence &from, Long at, Long, T *value) const
    {
        unsigned int next = 2;
        while (attempt(from.block(at, next),
                       reals_of(from.block(at, next + 1)), value)) {
            next += 2;
        }
    }
};
