// Arithmetic that NumPy defines and C does not.
//
// SPDX-License-Identifier: MIT

template <class T>
__device__ inline T integer_floor_divide(T x, T y)
{
    if (y == 0) {
        return 0;
    }
    if (T(-1) < T(0) && y == T(-1)) {
        return T(0ull - (unsigned long long)x);
    }
    T quotient = T(x / y);
    return T(quotient * y) != x && (x < 0) != (y < 0) ? T(quotient - 1)
                                                      : quotient;
}

template <class T>
__device__ inline T integer_remainder(T x, T y)
{
    if (y == 0 || (T(-1) < T(0) && y == T(-1))) {
        return 0;
    }
    T rest = T(x % y);
    return rest != 0 && (rest < 0) != (y < 0) ? T(rest + y) : rest;
}

template <class T>
__device__ inline T integer_power(T x, T y)
{
    if (y < 0) {
        return x == 1 ? T(1) : x == T(-1) ? (y % 2 ? T(-1) : T(1)) : T(0);
    }
    unsigned long long base = (unsigned long long)x, result = 1;
    for (unsigned long long rest = (unsigned long long)y; rest; rest >>= 1) {
        if (rest & 1) {
            result *= base;
        }
        base *= base;
    }
    return T(result);
}

template <class T>
__device__ inline T shift_left(T x, T y)
{
    return y >= 0 && (unsigned long long)y < sizeof(T) * 8
               ? T((unsigned long long)x << y)
               : T(0);
}

template <class T>
__device__ inline T shift_right(T x, T y)
{
    if (y >= 0 && (unsigned long long)y < sizeof(T) * 8) {
        return T(x >> y);
    }
    return x < 0 ? T(-1) : T(0);
}

template <class T>
__device__ inline T real_remainder(T x, T y)
{
    T rest = fmod(x, y);
    if (y == 0) {
        return rest;
    }
    if (rest == 0) {
        return copysign(T(0), y);
    }
    return (y < 0) != (rest < 0) ? rest + y : rest;
}

template <class T>
__device__ inline T real_floor_divide(T x, T y)
{
    if (y == 0) {
        return x / y;
    }
    T rest = fmod(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) {
        quotient -= T(1);
    }
    if (quotient == 0) {
        return copysign(T(0), x / y);
    }
    T whole = floor(quotient);
    return quotient - whole > T(0.5) ? whole + T(1) : whole;
}

template <class T>
__device__ inline T real_power(T x, T y)
{
    return y == T(2) ? x * x : y == T(1) ? x : pow(x, y);
}

// Truncates, and wraps values that do not fit a narrow integer.
template <class I, class R>
__device__ inline I real_to_integer(R x)
{
    if (sizeof(I) == 8 && I(-1) > I(0) && x > R(0)) {
        return I((unsigned long long)x);
    }
    return I((long long)x);
}
