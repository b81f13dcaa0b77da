// Functions of numbers that NumPy defines and C does not.
//
// SPDX-License-Identifier: MIT

// The larger of two numbers, or a NaN.
template <class T>
__device__ inline T number_not_below(T x, T low)
{
    return x != x || x > low ? x : low;
}

template <class T>
__device__ inline T number_not_above(T x, T high)
{
    return x != x || x < high ? x : high;
}

// 1 / x, truncated.
template <class T>
__device__ inline T number_reciprocal(T x)
{
    return x == 1 || (x < 0 && x == T(-1)) ? x : T(0);
}

// x - y * trunc(x / y).
template <class T>
__device__ inline T number_rest(T x, T y)
{
    return y == 0 || (y < 0 && y == T(-1)) ? T(0) : T(x % y);
}

template <class T>
__device__ inline T number_spacing(T x)
{
    if (x - x != 0) {
        return T(NAN);
    }
    const T size = fabs(x);
    const T next = sizeof(T) == 4 ? T(nextafterf((float)size, INFINITY))
                                  : T(nextafter((double)size, INFINITY));
    return x < 0 ? size - next : next - size;
}

template <class T>
__device__ inline T number_logaddexp(T x, T y)
{
    if (x == y) {
        return x + T(0.69314718055994530942);
    }
    const T apart = x - y;
    return apart > 0    ? x + log1p(exp(-apart))
           : apart <= 0 ? y + log1p(exp(apart))
                        : apart;
}

template <class T>
__device__ inline T number_logaddexp2(T x, T y)
{
    if (x == y) {
        return x + 1;
    }
    const T apart = x - y, scale = T(1.44269504088896340736);
    return apart > 0    ? x + scale * log1p(exp2(-apart))
           : apart <= 0 ? y + scale * log1p(exp2(apart))
                        : apart;
}

template <class T>
__device__ inline unsigned long long number_magnitude(T x)
{
    return x < 0 ? 0ull - (unsigned long long)x : (unsigned long long)x;
}

template <class T>
__device__ inline T number_gcd(T x, T y)
{
    unsigned long long a = number_magnitude(x), b = number_magnitude(y);
    while (a) {
        const unsigned long long rest = b % a;
        b = a;
        a = rest;
    }
    return T(b);
}

template <class T>
__device__ inline T number_lcm(T x, T y)
{
    const unsigned long long a = number_magnitude(x), b = number_magnitude(y);
    const unsigned long long common = number_magnitude(number_gcd(x, y));
    return common ? T(a / common * b) : T(0);
}

template <class T>
__device__ inline T number_ldexp(T x, long long power)
{
    const long long most = 1 << 20;
    return ldexp(x, (int)(power > most    ? most
                          : power < -most ? -most
                                          : power));
}

template <class T>
__device__ inline int number_bits(T x)
{
    return __popcll(number_magnitude(x));
}
