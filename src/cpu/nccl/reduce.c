/* reduce.c - reductions of NCCL's element types.
 *
 * Called by collectives.c. Floats of 8 and 16 bits are converted to float,
 * combined and converted back. Other elements are combined in their own type,
 * except that sums and products of integers are computed in an unsigned type,
 * whose overflow wraps around. A reduction processes one block of elements
 * after another, so that a block stays in the cache while the arrays of all
 * ranks are combined. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/nccl/reduce.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* number of elements of each array that are reduced at a time */
#define BLOCK 512

/* Binary format of a float of 8 or 16 bits. */
struct format {
    /* numbers of bits of the exponent and of the mantissa */
    int exponent, mantissa;
    /* true: the format has infinities; false: a value that is too large
     * becomes the largest finite number */
    bool infinite;
};

static const struct format half = {5, 10, true};
static const struct format brain = {8, 7, true};
static const struct format e4m3 = {4, 3, false};
static const struct format e5m2 = {5, 2, false};

size_t
nccl_type_bytes(ncclDataType_t type)
{
    static const unsigned char bytes[ncclNumTypes] = {1, 1, 4, 4, 8, 8,
                                                      2, 4, 8, 2, 1, 1};

    return type >= 0 && type < ncclNumTypes ? bytes[type] : 0;
}

/* ---- floats of 8 and 16 bits ---- */

static float
narrow_read(const struct format *f, unsigned bits)
{
    unsigned mantissa = bits & ((1u << f->mantissa) - 1);
    unsigned exponent = (bits >> f->mantissa) & ((1u << f->exponent) - 1);
    bool negative = bits >> (f->mantissa + f->exponent) & 1;
    unsigned top = (1u << f->exponent) - 1;
    int bias = (1 << (f->exponent - 1)) - 1;
    float value;

    /* the format e4m3 has finite numbers with the largest exponent, and only
     * one NaN */
    bool special =
        f->exponent == 4 ? exponent == top && mantissa == 7 : exponent == top;
    if (special) {
        value = mantissa ? NAN : INFINITY;
    } else if (exponent == 0) {
        value = ldexpf((float)mantissa, 1 - bias - f->mantissa);
    } else {
        value = ldexpf((float)(mantissa | 1u << f->mantissa),
                       (int)exponent - bias - f->mantissa);
    }
    return negative ? -value : value;
}

/* Converts a float to the format: rounds to the nearest value, ties to
 * even. */
static unsigned
narrow_write(const struct format *f, float value)
{
    unsigned sign = signbit(value) ? 1u << (f->mantissa + f->exponent) : 0;
    unsigned top = (1u << f->exponent) - 1;
    int bias = (1 << (f->exponent - 1)) - 1, exponent;
    /* bit pattern of the largest finite number */
    unsigned largest = f->exponent == 4 ? (top << 3 | 6)
                                        : (top - 1) << f->mantissa |
                                              ((1u << f->mantissa) - 1);

    if (isnan(value)) {
        return sign | top << f->mantissa | ((1u << f->mantissa) - 1);
    }
    if (isinf(value)) {
        return sign | (f->infinite ? top << f->mantissa : largest);
    }
    /* the absolute value is between 0.5 and 1 times 2^exponent */
    frexpf(value, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    /* the absolute value in units of its last mantissa bit, rounded to an
     * integer. Rounding up may give the smallest value of the next
     * exponent. */
    double units =
        nearbyint(ldexp((double)fabsf(value), f->mantissa - exponent));
    unsigned bits =
        ((unsigned)(exponent + bias - 1) << f->mantissa) + (unsigned)units;
    if (bits > largest) {
        bits = f->infinite ? top << f->mantissa : largest;
    }
    return sign | bits;
}

/* ---- reductions ---- */

/* Conversions between the type of the elements in memory and the type in which
 * they are combined. */
#define OWN(x)         (x)
#define HALF_READ(x)   narrow_read(&half, x)
#define HALF_WRITE(x)  (uint16_t) narrow_write(&half, x)
#define BRAIN_READ(x)  narrow_read(&brain, x)
#define BRAIN_WRITE(x) (uint16_t) narrow_write(&brain, x)
#define E4M3_READ(x)   narrow_read(&e4m3, x)
#define E4M3_WRITE(x)  (uint8_t) narrow_write(&e4m3, x)
#define E5M2_READ(x)   narrow_read(&e5m2, x)
#define E5M2_WRITE(x)  (uint8_t) narrow_write(&e5m2, x)

/* Tests for NaN: NO_NAN for integer types (always false), FLOAT_NAN for
 * floating-point types. Maximum and minimum need the test: as in fmax and
 * fmin, the result is NaN only if both operands are NaN. */
#define NO_NAN(x)    false
#define FLOAT_NAN(x) ((x) != (x))

/* Table of the element types. The columns are:
 *   the ncclDataType_t,
 *   a name,
 *   T, the type in memory,
 *   A, the type in which elements are combined,
 *   W, the type of sums and products: for integers an unsigned type, since its
 *      overflow wraps around, otherwise A,
 *   the conversions from T to A and from A to T,
 *   the test for NaN. */
#define TYPES(ROW)                                                            \
    ROW(ncclInt8, i8, int8_t, int8_t, unsigned, OWN, OWN, NO_NAN)             \
    ROW(ncclUint8, u8, uint8_t, uint8_t, unsigned, OWN, OWN, NO_NAN)          \
    ROW(ncclInt32, i32, int32_t, int32_t, uint32_t, OWN, OWN, NO_NAN)         \
    ROW(ncclUint32, u32, uint32_t, uint32_t, uint32_t, OWN, OWN, NO_NAN)      \
    ROW(ncclInt64, i64, int64_t, int64_t, uint64_t, OWN, OWN, NO_NAN)         \
    ROW(ncclUint64, u64, uint64_t, uint64_t, uint64_t, OWN, OWN, NO_NAN)      \
    ROW(ncclFloat64, f64, double, double, double, OWN, OWN, FLOAT_NAN)        \
    ROW(ncclFloat32, f32, float, float, float, OWN, OWN, FLOAT_NAN)           \
    ROW(ncclFloat16, f16, uint16_t, float, float, HALF_READ, HALF_WRITE,      \
        FLOAT_NAN)                                                            \
    ROW(ncclBfloat16, bf16, uint16_t, float, float, BRAIN_READ, BRAIN_WRITE,  \
        FLOAT_NAN)                                                            \
    ROW(ncclFloat8e4m3, e4m3, uint8_t, float, float, E4M3_READ, E4M3_WRITE,   \
        FLOAT_NAN)                                                            \
    ROW(ncclFloat8e5m2, e5m2, uint8_t, float, float, E5M2_READ, E5M2_WRITE,   \
        FLOAT_NAN)

#define EACH(A, READ, statement)                                              \
    for (size_t i = 0; i < n; i++) {                                          \
        A x = acc[i], y = READ(from[i]);                                      \
        acc[i] = (A)(statement);                                              \
    }                                                                         \
    break

/* Defines three functions for a row of TYPES: combine_NAME combines a block of
 * one rank's array with the results so far; reduce_NAME reduces a block of all
 * ranks' arrays; scale_NAME multiplies an array by a factor. */
#define DEFINE(type, name, T, A, W, READ, WRITE, IS_NAN)                      \
    static void combine_##name(A *acc, const T *from, size_t n,               \
                               ncclRedOp_t op)                                \
    {                                                                         \
        switch (op) {                                                         \
        case ncclProd:                                                        \
            EACH(A, READ, (W)x *(W)y);                                        \
        case ncclMax:                                                         \
            EACH(A, READ, x > y || IS_NAN(y) ? x : y);                        \
        case ncclMin:                                                         \
            EACH(A, READ, x < y || IS_NAN(y) ? x : y);                        \
        default:                                                              \
            EACH(A, READ, (W)x + (W)y);                                       \
        }                                                                     \
    }                                                                         \
    static void reduce_##name(T *to, const T *const *from, int ranks,         \
                              size_t first, size_t n, ncclRedOp_t op)         \
    {                                                                         \
        A acc[BLOCK];                                                         \
        for (size_t i = 0; i < n; i++) {                                      \
            acc[i] = READ(from[0][first + i]);                                \
        }                                                                     \
        for (int rank = 1; rank < ranks; rank++) {                            \
            combine_##name(acc, from[rank] + first, n, op);                   \
        }                                                                     \
        for (size_t i = 0; i < n; i++) {                                      \
            A sum = op == ncclAvg ? (A)(acc[i] / (A)ranks) : acc[i];          \
            to[first + i] = WRITE(sum);                                       \
        }                                                                     \
    }                                                                         \
    static void scale_##name(T *to, const T *from, const T *scalar,           \
                             size_t count)                                    \
    {                                                                         \
        A factor = READ(*scalar);                                             \
        for (size_t i = 0; i < count; i++) {                                  \
            A product = (A)((W)READ(from[i]) * (W)factor);                    \
            to[i] = WRITE(product);                                           \
        }                                                                     \
    }
TYPES(DEFINE)

static void
reduce_block(const struct nccl_reduction *reduction, void *to,
             const void *const *from, int ranks, size_t first, size_t n)
{
    switch (reduction->type) {
#define ROW(type, name, T, A, W, READ, WRITE, IS_NAN)                         \
    case type:                                                                \
        reduce_##name(to, (const T *const *)from, ranks, first, n,            \
                      reduction->op);                                         \
        break;
        TYPES(ROW)
#undef ROW
    default:
        break;
    }
}

void
nccl_reduce(const struct nccl_reduction *reduction, void *to,
            const void *const *from, int ranks, size_t count)
{
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t n = count - first < BLOCK ? count - first : BLOCK;

        reduce_block(reduction, to, from, ranks, first, n);
    }
}

void
nccl_scale(ncclDataType_t type, void *to, const void *from, const void *scalar,
           size_t count)
{
    switch (type) {
#define ROW(type, name, T, A, W, READ, WRITE, IS_NAN)                         \
    case type:                                                                \
        scale_##name(to, from, scalar, count);                                \
        break;
        TYPES(ROW)
#undef ROW
    default:
        break;
    }
}
