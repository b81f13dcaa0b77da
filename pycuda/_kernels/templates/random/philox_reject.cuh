// Numbers that take a block of Philox's words an attempt: Poisson and gamma.

static __device__ double2 reals_of(uint4 w)
{
    return make_double2(above_zero(long_of(w.x, w.y), 0.0),
                        above_zero(long_of(w.z, w.w), 0.0));
}

// Below a mean of 10 the distribution is summed until it reaches a uniform
// number; above, Hormann's transformed rejection (PTRS, 1993).
template <class T> struct Poisson : Sure<T> {
    enum { WIDTH = 1 };
    const double *means; // one an element, or null
    double mean;
    __device__ Poisson(const double *means, double mean)
        : means(means), mean(mean)
    {
    }
    static __device__ T small(double u, double mean)
    {
        double term = exp(-mean), sum = term, k = 0.0;
        while (sum < u && k < 100.0) {
            k += 1.0;
            term *= mean / k;
            sum += term;
        }
        return (T)k;
    }
    // Whether `k`, made of two uniform numbers, is rejected.
    static __device__ bool large(double2 reals, double mean, double *k)
    {
        const double b = 0.931 + 2.53 * sqrt(mean);
        const double a = -0.059 + 0.02483 * b;
        const double u = reals.x - 0.5, v = reals.y, s = 0.5 - fabs(u);
        *k = floor((2.0 * a / s + b) * u + mean + 0.43);
        if (s >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2.0)) {
            return false;
        }
        if (*k < 0.0 || (s < 0.013 && v > s)) {
            return true;
        }
        const double width = 1.1239 + 1.1328 / (b - 3.4);
        return log(v * width / (a / (s * s) + b)) >
               *k * log(mean) - mean - lgamma(*k + 1.0);
    }
    __device__ bool draw(uint4 w, Long first, T *values) const
    {
        const double at = means ? means[first] : mean;
        const double2 reals = reals_of(w);
        if (at < 10.0 || at != at) {
            values[0] = at > 0.0 ? small(reals.x, at) : T(0);
            return false;
        }
        double k;
        const bool rejected = large(reals, at, &k);
        values[0] = (T)k;
        return rejected;
    }
    __device__ void again(const Sequence &from, Long at, Long first,
                          T *values) const
    {
        const double wanted = means ? means[first] : mean;
        double k;
        for (unsigned int attempt = 1;
             large(reals_of(from.block(at, attempt)), wanted, &k); attempt++) {
        }
        values[0] = (T)k;
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
    __device__ bool attempt(__pycuda_pair<double> normal, double2 reals,
                            T *value) const
    {
        const double d = (shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3.0;
        const double x = normal.high + normal.low, t = 1.0 + x / sqrt(9.0 * d);
        const double v = t * t * t, u = reals.x;
        if (!(t > 0.0) || log(u) > 0.5 * x * x + d - d * v + d * log(v)) {
            return true;
        }
        const double less = shape < 1.0 ? pow(reals.y, 1.0 / shape) : 1.0;
        *value = (T)(d * v * less * scale);
        return false;
    }
    __device__ bool draw(uint4, Long, T *) const { return true; }
    __device__ void again(const Sequence &from, Long at, Long, T *value) const
    {
        unsigned int next = 0;
        bool rejected = true;
        while (rejected) {
            __pycuda_pair<double> normal[2];
            Standard<double>::pairs(from.block(at, next), normal);
            rejected = attempt(normal[0], reals_of(from.block(at, next + 1)),
                               value);
            next += 2;
        }
    }
};
