// Where variables live: shared, constant, device, managed, local and static.

//: shared_array
__global__ void run(unsigned *out)
{
    __shared__ unsigned s[32];
    s[31 - threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
//: shared_scalar
__global__ void run(unsigned *out)
{
    __shared__ unsigned first;
    if (threadIdx.x == 5) first = 77;
    __syncthreads();
    out[threadIdx.x] = first + threadIdx.x;
}
//: shared_two_dimensions
__global__ void run(unsigned *out)
{
    __shared__ int t[8][8 + 1];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    t[y][x] = 10 * y + x;
    __syncthreads();
    out[threadIdx.x] = t[x % 4][y];
}
//: shared_struct
struct pair { float a; int b; };
__global__ void run(unsigned *out)
{
    __shared__ pair s[32];
    s[threadIdx.x].a = 1.5f;
    s[threadIdx.x].b = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = (unsigned)(s[31 - threadIdx.x].a * s[threadIdx.x ^ 1].b);
}
//: shared_in_device_function
__device__ unsigned turned(unsigned v)
{
    __shared__ unsigned s[32];
    s[threadIdx.x] = v;
    __syncthreads();
    return s[(threadIdx.x + 1) % 32];
}
__global__ void run(unsigned *out) { out[threadIdx.x] = turned(threadIdx.x * 2); }
//: shared_of_each_instance
template <int N> __device__ unsigned *place()
{
    __shared__ unsigned s[32];
    return s;
}
__global__ void run(unsigned *out)
{
    place<1>()[threadIdx.x] = 5;
    place<2>()[threadIdx.x] = 7;
    __syncthreads();
    out[threadIdx.x] = place<1>()[31 - threadIdx.x] * 10 + place<2>()[0];
}
//: shared_at_file_scope
__shared__ unsigned all[32];
__device__ void put(unsigned v) { all[threadIdx.x] = v; }
__global__ void run(unsigned *out)
{
    put(threadIdx.x + 1);
    __syncthreads();
    out[threadIdx.x] = all[threadIdx.x ^ 16];
}
//: shared_in_a_block_scope
__global__ void run(unsigned *out)
{
    unsigned sum = 0;
    for (int round = 0; round < 3; round++) {
        __shared__ unsigned s[32];
        s[threadIdx.x] = threadIdx.x + round;
        __syncthreads();
        sum += s[(threadIdx.x + round) % 32];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
//: shared_volatile
__global__ void run(unsigned *out)
{
    volatile __shared__ unsigned s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + s[0] + s[31];
}
//: shared_union
union word { float f; unsigned u; };
__global__ void run(unsigned *out)
{
    __shared__ word w[32];
    w[threadIdx.x].f = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = w[threadIdx.x].u;
}
//: shared_with_a_constructor
struct cell { int v; __device__ cell() : v(9) {} };
__global__ void run(unsigned *out)
{
    __shared__ cell c[32];
    c[threadIdx.x].v = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = c[threadIdx.x ^ 3].v;
}
//: shared_with_a_constructor_in_a_macro
struct cell { int v; __device__ cell() : v(9) {} };
#define SHARED_CELLS(name, n) __shared__ cell name[n]
__global__ void run(unsigned *out)
{
    SHARED_CELLS(a, 32);
    SHARED_CELLS(b, 32);
    a[threadIdx.x].v = threadIdx.x;
    b[threadIdx.x].v = 100;
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x ^ 3].v + b[0].v;
}
//: shared_qualifier_in_a_macro
struct cell { int v; __device__ cell() : v(9) {} };
#define LOCAL __shared__
__global__ void run(unsigned *out)
{
    LOCAL cell c[32];
    LOCAL int n;
    c[threadIdx.x].v = threadIdx.x;
    n = 4;
    __syncthreads();
    out[threadIdx.x] = c[31 - threadIdx.x].v * n;
}
//: shared_macro_of_several_lines
struct cell { int v; __device__ cell() : v(9) {} };
#define TWO(a, b)       \
    __shared__ cell a;  \
    __shared__ cell b
__global__ void run(unsigned *out)
{
    TWO(p, q);
    p.v = 2;
    q.v = 5;
    __syncthreads();
    out[threadIdx.x] = p.v * 10 + q.v;
}
//: shared_macro_pasting_names
struct cell { int v; __device__ cell() : v(9) {} };
#define BOTH(n) __shared__ cell n[4]; __shared__ cell n##_more[4]
__global__ void run(unsigned *out)
{
    BOTH(x);
    BOTH(y);
    x[0].v = 1;
    y[0].v = 2;
    x_more[0].v = 4;
    y_more[0].v = 8;
    __syncthreads();
    out[threadIdx.x] = x[0].v | y[0].v | x_more[0].v | y_more[0].v;
}
//: shared_template_class
template <class T, int N> struct tile {
    T v[N];
    __device__ tile() {}
    __device__ T &operator[](int i) { return v[i]; }
};
__global__ void run(unsigned *out)
{
    __shared__ tile<unsigned, 32> t;
    t[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = t[(threadIdx.x * 7) % 32];
}
//: shared_initialised
__global__ void run(unsigned *out)
{
    __shared__ unsigned s[2] = {1, 2};
    out[threadIdx.x] = s[0];
}
//: shared_pointer
__global__ void run(unsigned *out)
{
    __shared__ unsigned s[32];
    unsigned *p = s + threadIdx.x, *q = &s[31];
    *p = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = *q - *p + (unsigned)(q - p);
}
//: shared_pointer_in_a_struct
struct view { unsigned *data; int n; __device__ unsigned get(int i) { return data[i % n]; } };
__global__ void run(unsigned *out)
{
    __shared__ unsigned s[32];
    view v = {s, 32};
    s[threadIdx.x] = 1u << threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = v.get(threadIdx.x + 40);
}
//: shared_size_of_a_constant
constexpr int SIZE = 8;
enum { MORE = 24 };
const int NONE = 0;
__global__ void run(unsigned *out)
{
    __shared__ unsigned s[SIZE + MORE + NONE];
    s[threadIdx.x] = sizeof s;
    __syncthreads();
    out[threadIdx.x] = s[(threadIdx.x + 1) % 32];
}
//: shared_size_of_warpSize
__global__ void run(unsigned *out)
{
    __shared__ unsigned s[warpSize];
    out[threadIdx.x] = s[0];
}
//: shared_size_of_a_variable
__global__ void run(unsigned *out)
{
    int n = out[0] + 4;
    __shared__ unsigned s[n];
    out[threadIdx.x] = s[0];
}
//: dynamic_shared_of_two_types
__global__ void two(unsigned *out)
{
    extern __shared__ int s[];
    float *f = (float *)s;
    f[threadIdx.x] = 1.f;
    out[threadIdx.x] = s[threadIdx.x];
}
//: dynamic_shared_with_a_size
__global__ void two(unsigned *out)
{
    extern __shared__ int s[4];
    s[0] = 1;
    out[threadIdx.x] = s[0];
}
//: constant_array
__constant__ int table[4] = {3, 1, 4, 1};
__global__ void run(unsigned *out) { out[threadIdx.x] = table[threadIdx.x % 4]; }
//: constant_struct
struct setup { float scale; int n[3]; };
__constant__ setup all = {2.5f, {1, 2, 3}};
__global__ void run(unsigned *out) { out[threadIdx.x] = all.scale * all.n[threadIdx.x % 3]; }
//: constant_in_a_namespace
namespace a { namespace b { __constant__ int v = 7; } }
__global__ void run(unsigned *out) { using namespace a; out[threadIdx.x] = b::v + a::b::v; }
//: constant_of_a_constant_expression
constexpr int square(int v) { return v * v; }
__constant__ int v = square(5);
__global__ void run(unsigned *out) { out[threadIdx.x] = v; }
//: constant_two_dimensions
__constant__ float filter[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
__global__ void run(unsigned *out)
{
    float s = 0;
    for (int y = 0; y < 3; y++) for (int x = 0; x < 3; x++) s += filter[y][x] * (x + threadIdx.x);
    out[threadIdx.x] = s;
}
//: constant_read_by_pointer
__constant__ unsigned c[4] = {5, 6, 7, 8};
__device__ unsigned sum(const unsigned *p, int n) { return n ? *p + sum(p + 1, n - 1) : 0; }
__global__ void run(unsigned *out) { out[threadIdx.x] = sum(c, threadIdx.x % 5); }
//: constant_scalar_assigned
__constant__ int c = 1;
__global__ void run(unsigned *out) { c = 2; out[threadIdx.x] = c; }
//: constant_scalar_added_to
__constant__ float c;
__global__ void run(unsigned *out) { c += 1.f; }
//: constant_scalar_incremented
__constant__ unsigned c;
__device__ unsigned next() { return c++; }
__global__ void run(unsigned *out) { out[0] = next(); }
//: constant_pointer_assigned
__constant__ float *c;
__global__ void assign(float *p) { c = p; }
//: constant_enum_assigned
enum colour { RED, BLUE };
__constant__ colour c;
__global__ void assign() { c = BLUE; }
//: constant_bool_assigned_in_a_template
__constant__ bool c;
template <class T> __device__ void assign(T v) { c = v; }
__global__ void call() { assign(true); }
//: constant_assigned_in_a_lambda
__constant__ long long c;
__global__ void assign() { auto f = [] { c = 3; }; f(); }
//: constant_assigned_in_a_namespace
namespace a { __constant__ double c; }
__global__ void assign() { a::c = 3; }
//: constant_volatile_assigned
__constant__ volatile int c;
__global__ void assign() { c = 3; }
//: constant_assigned_in_an_expression
__constant__ int c;
__global__ void assign(int *p) { p[0] = (c = 3) + 1; }
//: constant_element_assigned
__constant__ int c[3];
__global__ void assign() { c[1] = 3; }
//: constant_member_assigned
struct s { int a; };
__constant__ s c;
__global__ void assign(s v) { c.a = 3; c = v; }
//: constant_vector_assigned
__constant__ float4 c;
__global__ void assign(float4 v) { c = v; c.x = 1; }
//: constant_assigned_by_pointer
__constant__ int c;
__device__ void set(int &v) { v = 2; }
__global__ void assign() { int *p = &c; *p = 3; set(c); }
//: constant_assigned_by_reference
__constant__ int c;
__global__ void assign() { int &r = c; r = 3; }
//: device_scalar
__device__ unsigned counter = 5;
__global__ void run(unsigned *out) { out[threadIdx.x] = atomicAdd(&counter, 0u) + 1; }
//: device_array
__device__ float table[5] = {1, 2, 3};
__global__ void run(unsigned *out) { out[threadIdx.x] = table[threadIdx.x % 5] + 1; }
//: device_pointer_to_a_variable
__device__ int a[3] = {4, 5, 6};
__device__ int *p = a + 1;
__global__ void run(unsigned *out) { out[threadIdx.x] = *p + p[1]; }
//: device_const
__device__ const int limit = 12;
static const int other = 30;
__global__ void run(unsigned *out) { out[threadIdx.x] = limit + other; }
//: const_at_file_scope
const int a = 3;
static const float b = 1.5f;
const int c[2] = {1, 2};
__global__ void run(unsigned *out) { out[threadIdx.x] = a + (int)(b * 2) + 4; }
//: const_array_at_file_scope_indexed
const int c[4] = {1, 2, 3, 4};
__global__ void run(unsigned *out) { out[threadIdx.x] = c[threadIdx.x % 4]; }
//: constexpr_array_at_file_scope_indexed
constexpr int c[4] = {1, 2, 3, 4};
__global__ void run(unsigned *out) { out[threadIdx.x] = c[threadIdx.x % 4]; }
//: constexpr_array_by_constant_index
constexpr int c[4] = {1, 2, 3, 4};
__global__ void run(unsigned *out) { out[threadIdx.x] = c[0] + c[3]; }
//: host_variable_default_device -default-device
int host = 3;
float more[2] = {1.f, 2.f};
__global__ void run(unsigned *out) { out[threadIdx.x] = host + more[threadIdx.x % 2]; }
//: managed
__managed__ int m = 6;
__device__ __managed__ int n = 7;
__global__ void run(unsigned *out) { out[threadIdx.x] = m * n; }
//: static_device
static __device__ int a = 3;
__device__ static int b = 4;
static __constant__ int c = 5;
__global__ void run(unsigned *out) { out[threadIdx.x] = a * 100 + b * 10 + c; }
//: static_local
__device__ unsigned next()
{
    static unsigned last = 10;
    return atomicAdd(&last, 1u);
}
__global__ void run(unsigned *out)
{
    if (threadIdx.x == 0) {
        out[0] = next();
        out[1] = next();
    }
}
//: static_local_array
__device__ int look(int i)
{
    static const int table[] = {2, 3, 5, 7, 11};
    return table[i % 5];
}
__global__ void run(unsigned *out) { out[threadIdx.x] = look(threadIdx.x); }
//: static_local_of_each_instance
template <class T> __device__ T *place() { static T v = 1; return &v; }
__global__ void run(unsigned *out)
{
    if (threadIdx.x == 0) {
        *place<int>() = 5;
        *place<unsigned>() = 7;
        out[0] = *place<int>();
        out[1] = *place<unsigned>();
        out[2] = *place<short>();
    }
}
//: static_local_of_a_run_time_value
__device__ int f(int b) { static int a = b; return a; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: static_shared
__global__ void run(unsigned *out)
{
    static __shared__ unsigned a[32];
    __shared__ static unsigned b[32];
    a[threadIdx.x] = threadIdx.x;
    b[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = a[31 - threadIdx.x] * b[0];
}
//: device_with_a_constructor
struct box { int v; __device__ box() { v = 3; } };
__device__ box b;
__global__ void run(unsigned *out) { out[threadIdx.x] = b.v; }
//: device_with_a_constexpr_constructor
struct box { int v; __device__ constexpr box(int a) : v(a * 2) {} };
__device__ box b(4);
__constant__ box c = 5;
__global__ void run(unsigned *out) { out[threadIdx.x] = b.v + c.v; }
//: device_of_a_run_time_value
__device__ int f() { return 3; }
__device__ int v = f();
__global__ void run(unsigned *out) { out[threadIdx.x] = v; }
//: local_arrays
__global__ void run(unsigned *out)
{
    int a[8];
    for (int i = 0; i < 8; i++) a[i] = i * threadIdx.x;
    int s = 0;
    for (int i = 0; i < 8; i++) s += a[(i * 3 + threadIdx.x) % 8] * i;
    out[threadIdx.x] = s;
}
//: local_device_variable
__global__ void run(unsigned *out) { __device__ int v = 3; out[0] = v; }
//: local_constant_variable
__global__ void run(unsigned *out) { __constant__ int v = 3; out[0] = v; }
//: device_parameter
__global__ void run(__device__ unsigned *out) { out[0] = 1; }
//: shared_member
struct s { __shared__ int v; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: constant_and_shared
__constant__ __shared__ int v;
//: device_and_constant
__device__ __constant__ int v = 3;
__global__ void run(unsigned *out) { out[threadIdx.x] = v; }
//: thread_local
__device__ int f() { thread_local int a = 3; return a++; }
//: register_before_17 -std=c++14
__global__ void run(unsigned *out) { register int a = 3; out[threadIdx.x] = a; }
//: inline_variable
inline __device__ int v = 3;
__global__ void run(unsigned *out) { out[threadIdx.x] = v; }
//: static_member_constant
struct s { static const int a = 3; static constexpr float b = 1.5f; enum { c = 7 }; };
__global__ void run(unsigned *out) { out[threadIdx.x] = s::a + (int)(s::b * 2) + s::c; }
//: static_member_array
struct s { static constexpr int a[3] = {1, 2, 3}; };
__global__ void run(unsigned *out) { out[threadIdx.x] = s::a[threadIdx.x % 3]; }
//: variable_template
template <class T> constexpr T pi = T(3.14159265358979);
template <int N> constexpr int twice = 2 * N;
__global__ void run(unsigned *out) { out[threadIdx.x] = (unsigned)(pi<float> * 100) + twice<4>; }
//: extern_declaration
extern __device__ int v;
__global__ void run(unsigned *out) { out[threadIdx.x] = v; }
__device__ int v = 4;
//: extern_constant
extern __constant__ int v[2];
__device__ int get() { return v[1]; }
__constant__ int v[2] = {3, 4};
__global__ void run(unsigned *out) { out[threadIdx.x] = get(); }
//: extern_undefined
extern __device__ int v;
__global__ void run(unsigned *out) { out[threadIdx.x] = v; }
