// Numbers: literals, promotions, conversions, shifts, division.

//: literal_types
template <class T> struct kind { static const int v = 0; }; template <> struct kind<int> { static const int v = 1; }; template <> struct kind<unsigned> { static const int v = 2; }; template <> struct kind<long> { static const int v = 3; }; template <> struct kind<unsigned long> { static const int v = 4; }; template <> struct kind<long long> { static const int v = 5; }; template <> struct kind<unsigned long long> { static const int v = 6; }; template <> struct kind<float> { static const int v = 7; }; template <> struct kind<double> { static const int v = 8; }; template <> struct kind<char> { static const int v = 9; };
#define K(x) kind<decltype(x)>::v
__global__ void run(unsigned *out) { out[0] = K(1) + 10 * K(1u) + 100 * K(1l) + 1000 * K(1ul) + 10000 * K(1ll) + 100000 * K(1ull); out[1] = K(2147483648) + 10 * K(0x80000000) + 100 * K(4294967296) + 1000 * K(0xffffffffffffffff) + 10000 * K(1.f) + 100000 * K(1.); out[2] = K('a') + 10 * K(1 + 1u) + 100 * K('a' + 'b') + 1000 * K(1u + 1l) + 10000 * K(1.f * 2) + 100000 * K(1.f * 2.); out[3] = K(-2147483648) + 10 * K(true + true) + 100 * K(1l + 1ull) + 1000 * K((short)1 << 2) + 10000 * K(~(unsigned char)0); }
//: integer_promotion
__global__ void run(unsigned *out) { unsigned char a = 200, b = 100; signed char c = -1; unsigned short d = 65535; out[0] = a + b; out[1] = (unsigned char)(a + b); out[2] = c < 1u; out[3] = d * 2u; out[4] = (c >> 1) + 5; out[5] = -1 < 0u ? 1 : 2; out[6] = (a - b) / 3; out[7] = ~a + 300; }
//: char_is_signed
__global__ void run(unsigned *out) { char c = 200; out[0] = c < 0; out[1] = (unsigned)c; out[2] = (unsigned char)c; out[3] = c >> 1; }
//: unsigned_wraps
__global__ void run(unsigned *out) { unsigned a = threadIdx.x; out[a] = (a - 5) / 2 + (0u - 1 == 0xffffffff); }
//: signed_division
__global__ void run(unsigned *out) { int a = (int)threadIdx.x - 16; out[threadIdx.x] = (a / 3 + 100) + (a % 3 + 10) * 1000 + ((a >> 1) + 100) * 100000; }
//: shifts_beyond_the_width
__global__ void run(unsigned *out) { unsigned s = threadIdx.x + 20; out[threadIdx.x] = (1u << s) + (0x80000000u >> s) + ((int)0x80000000 >> s); }
//: long_long_arithmetic
__global__ void run(unsigned *out) { long long a = 123456789012ll * (threadIdx.x + 1); unsigned long long b = ~0ull / (threadIdx.x + 3); out[threadIdx.x] = (unsigned)(a >> 5) ^ (unsigned)(b % 1000003) ^ (unsigned)(a / 1234567) ^ (unsigned)(a % 97); }
//: float_to_integer
__global__ void run(unsigned *out) { float f = 2.7f, g = -2.7f, big = 1e20f, none = NAN; out[0] = (int)f; out[1] = (int)g; out[2] = (unsigned)f; out[3] = (int)big; out[4] = (int)-big; out[5] = (int)none; out[6] = (long long)big >> 32; out[7] = (short)40000.f; out[8] = (unsigned char)300.f; out[9] = (unsigned)big; }
//: integer_to_float
__global__ void run(unsigned *out) { out[0] = __float_as_uint((float)16777217); out[1] = __float_as_uint((float)0xffffffffu); out[2] = __float_as_uint((float)-1ll); out[3] = __float_as_uint((float)123456789012345ull); out[4] = (unsigned)(((double)123456789012345ll) / 1e6); }
//: double_to_float
__global__ void run(unsigned *out) { double d = 0.1 * (threadIdx.x + 1); float f = d; out[threadIdx.x] = __float_as_uint(f) ^ __float_as_uint((float)(d * 1e30)) ^ __float_as_uint(0.1f * (threadIdx.x + 1)); }
//: bool_conversions
__global__ void run(unsigned *out) { bool a = 5, b = 0.1f, c = out, d = -0.0f; out[0] = a + b + c + d; out[1] = a == true; bool e = threadIdx.x & 4; out[5 + e] = !e + !!5; out[3] = sizeof(bool); int n = true * 3; out[4] = n; }
//: pointer_arithmetic
__global__ void run(unsigned *out) { double a[6]; double *p = a + 5, *q = &a[1]; char *c = (char *)p - 8; out[threadIdx.x] = (p - q) + 10 * (c - (char *)q) + 1000 * (p > q) + 10000 * ((size_t)p - (size_t)q) + 1000000 * (p[-1] == *(double *)c || true); }
//: pointer_casts
__global__ void run(unsigned *out) { float f = 1.f; unsigned u = *(unsigned *)&f, v = *reinterpret_cast<unsigned *>(&f); const int c = 3; int *p = const_cast<int *>(&c); void *w = &f; float *g = static_cast<float *>(w); out[threadIdx.x] = (u == v) + (*g == 1.f) * 2 + *p * 4; }
//: pointer_and_integer
__global__ void run(unsigned *out) { size_t a = (size_t)out; unsigned *p = (unsigned *)(a + 4 * threadIdx.x); *p = (a % 256 == 0) + 3; }
//: pointer_compared_with_zero
__global__ void run(unsigned *out) { int *none = 0; out[threadIdx.x] = (out > 0) + 2 * (none == 0) + 4 * (none == NULL) + 8 * (out != nullptr) + 16 * !none; }
//: implicit_void_pointer
__global__ void run(unsigned *out) { void *p = out; unsigned *q = p; q[0] = 1; }
//: implicit_pointer_types
__global__ void run(unsigned *out) { int *p = out; p[0] = 1; }
//: integer_to_pointer
__global__ void run(unsigned *out) { int *p = 5; out[0] = p != 0; }
//: const_dropped
__global__ void run(unsigned *out) { const unsigned *p = out; unsigned *q = p; q[0] = 1; }
//: string_to_char_pointer
__global__ void run(unsigned *out) { const char *p = "ab"; char q[] = "ab"; q[0] = 'c'; out[threadIdx.x] = p[1] + q[0]; }
//: literal_to_mutable_char_pointer
__global__ void run(unsigned *out) { char *p = "ab"; out[0] = p[1]; }
//: enum_arithmetic
enum e { A = 1, B = 4 }; enum f : unsigned char { X = 255 };
__global__ void run(unsigned *out) { e v = (e)(A | B); f w = X; out[threadIdx.x] = v + A * 10 + (w + 1) + (unsigned char)(w + 2); }
//: integer_to_enum
enum e { A = 1 };
__global__ void run(unsigned *out) { e v = 1; out[0] = v; }
//: comparison_of_signs
__global__ void run(unsigned *out) { int a = -1; unsigned b = 1; long c = -1; out[threadIdx.x] = (a < (int)b) + 2 * ((unsigned)a < b) + 4 * (c < b) + 8 * (a < (unsigned char)1) + 16 * (a == 0xffffffffu); }
//: special_floats
__global__ void run(unsigned *out) { float z = out[1023], i = 1 / z, n = i - i; out[0] = i > 3e38f; out[1] = n == n ? 1 : 2; out[2] = isnan(n) + 2 * isinf(i) + 4 * isfinite(1.f) + 8 * signbit(-z); out[3] = __float_as_uint(-z); out[4] = (n < 1) + (n > 1) + (n != n) * 4; out[5] = fmaxf(n, 2) + 1; }
//: denormals
__global__ void run(unsigned *out) { float a = 1e-38f; a *= 0.001f; double b = 5e-324; out[0] = __float_as_uint(a); out[1] = b > 0; out[2] = __float_as_uint(a * 1000); }
//: fused_multiply_add
__global__ void run(unsigned *out) { float a = 1.0f + 1.0f / 4096, b = a * a - 1.0f; float c = __fmul_rn(a, a); out[0] = __float_as_uint(c - 1.0f); out[1] = __float_as_uint(fmaf(a, a, -1.0f)); out[2] = __float_as_uint(b) != 0; }
//: hexadecimal_floats
__global__ void run(unsigned *out) { out[threadIdx.x] = (unsigned)(0x1p4f + 0x.8p1 + 0x1.8p3) + __float_as_uint(0x1.fffffep127f) % 1000; }
//: int128 --device-int128
__global__ void run(unsigned *out) { __int128 a = (__int128)0x123456789abcdefll * 0xfedcba987654321ll; unsigned __int128 b = ~(unsigned __int128)0; out[threadIdx.x] = (unsigned)(a >> 70) ^ (unsigned)(b / 7 >> 64) ^ (unsigned)(a % 1000007); }
//: long_double
__global__ void run(unsigned *out) { long double a = 1.5; out[threadIdx.x] = a * 2; }
//: long_double_size
static_assert(sizeof(long double) == 16, "");
//: size_t_and_friends
__global__ void run(unsigned *out) { size_t a = sizeof(int); ptrdiff_t b = -1; unsigned long c = b; out[threadIdx.x] = a + (b < 0) * 10 + (c > 5) * 100 + sizeof(b) * 1000; }
//: fixed_width_types
#include <stdint.h>
__global__ void run(unsigned *out) { int8_t a = 200; uint16_t b = 70000; int64_t c = INT64_MAX; uint32_t d = UINT32_MAX; uintptr_t e = (uintptr_t)out; out[threadIdx.x] = (unsigned)a + b + (c > 0) + d + (e != 0) + sizeof(uint_fast8_t) + UINT8_C(3); }
//: limits
#include <limits.h>
#include <float.h>
__global__ void run(unsigned *out) { out[0] = INT_MAX; out[1] = UINT_MAX; out[2] = CHAR_MIN + 200; out[3] = __float_as_uint(FLT_MAX); out[4] = __float_as_uint(FLT_EPSILON); out[5] = DBL_DIG + FLT_DIG * 100; out[6] = (LONG_MAX == LLONG_MAX); out[7] = SHRT_MIN + 100000; }
//: compound_type_conversions
__global__ void run(unsigned *out) { short s = 30000; s += 10000; char c = 100; c *= 2; unsigned char u = 5; u -= 10; float f = 1; f += 0.1; int i = 7; i *= 1.5; i /= 0.5f; out[threadIdx.x] = (unsigned)s + c + u + i + __float_as_uint(f); }
//: precedence
__global__ void run(unsigned *out) { unsigned a = threadIdx.x; out[a] = (a & 3 == 3) + (a << 1 + 1) + (a ^ 5 | 2 & 7) + -a % 3 + (!a == 0) + (a > 3 > 0); }
//: modulo_by_constants
__global__ void run(unsigned *out) { unsigned t = threadIdx.x * 2654435761u; int s = (int)t; out[threadIdx.x] = t % 10 + t / 641 + (s % 7 + 7) + (s / 1000003) + t % 65536 + (s % 16 + 16); }
//: division_by_zero
__global__ void run(unsigned *out) { int z = out[threadIdx.x]; out[threadIdx.x] = (5 / (z + 1)) + (unsigned)(1.f / z > 1e30f); }
//: float_printing_of_bits
__global__ void run(unsigned *out) { float x = 1.0f / (threadIdx.x + 3); double y = 1.0 / (threadIdx.x + 3); out[threadIdx.x] = __float_as_uint(x) + (unsigned)(__double_as_longlong(y) >> 20); }
//: rounding_functions
__global__ void run(unsigned *out) { float x = threadIdx.x * 0.25f - 4; out[threadIdx.x] = (unsigned)(int)(floorf(x) + ceilf(x) * 10 + roundf(x) * 100 + truncf(x) * 1000 + rintf(x) * 10000) + lrintf(x) + lroundf(x) + (int)fmodf(x, 1.5f); }
