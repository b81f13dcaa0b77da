// Statements: jumps, loops, switches, scopes; expressions and their order.

//: switch_fallthrough
__global__ void run(unsigned *out) { unsigned v = 0; switch (threadIdx.x % 5) { case 0: v += 1; case 1: v += 10; [[fallthrough]]; case 2: v += 100; break; case 3: { int k = 4; v += k; } default: v += 1000; } out[threadIdx.x] = v; }
//: switch_default_first
__global__ void run(unsigned *out) { unsigned v; switch (threadIdx.x) { default: v = 1; break; case 3: v = 2; break; case 4: case 5: v = 3; } out[threadIdx.x] = v; }
//: switch_of_enum_and_char
enum e { A, B, C };
__global__ void run(unsigned *out) { char c = 'a' + threadIdx.x % 3; e k = (e)(threadIdx.x % 3); unsigned v = 0; switch (c) { case 'a': v = 1; break; case 'b': v = 2; break; } switch (k) { case A: v += 10; break; case C: v += 20; break; } out[threadIdx.x] = v; }
//: switch_of_long_long
__global__ void run(unsigned *out) { long long k = 1LL << (threadIdx.x + 20); switch (k) { case 1LL << 40: out[threadIdx.x] = 1; break; case 1LL << 22: out[threadIdx.x] = 2; break; default: out[threadIdx.x] = 3; } }
//: switch_into_a_loop
__global__ void run(unsigned *out) { int n = threadIdx.x + 1, k = (n + 3) / 4; unsigned s = 0; switch (n % 4) { case 0: do { s += 1; case 3: s += 10; case 2: s += 100; case 1: s += 1000; } while (--k > 0); } out[threadIdx.x] = s; }
//: switch_past_a_value
__global__ void run(unsigned *out) { switch (threadIdx.x & 1) { case 0: int a = 5; out[threadIdx.x] = a; break; case 1: a = 7; out[threadIdx.x] = a * 2; break; } }
//: switch_past_a_constant
__global__ void run(unsigned *out) { switch (threadIdx.x & 1) { case 0: const int a = 5; out[threadIdx.x] = a; break; case 1: out[threadIdx.x] = a * 2; break; } }
//: switch_past_a_run_time_constant
__global__ void run(unsigned *out) { switch (threadIdx.x & 1) { case 0: const int a = threadIdx.x * 3; out[threadIdx.x] = a; break; default: out[threadIdx.x] = 2; } }
//: switch_past_a_run_time_constant_of_auto
__global__ void run(unsigned *out) { switch (threadIdx.x & 1) { case 0: const auto a = threadIdx.x * 0.5f; const float *const p = &a; out[threadIdx.x] = *p * 4; break; default: out[threadIdx.x] = 2; } }
//: goto_past_a_run_time_constant
__global__ void run(unsigned *out) { out[threadIdx.x] = 1; if (threadIdx.x > 5) goto end; const unsigned a = threadIdx.x + 2; const float b = a * 0.5f; out[threadIdx.x] = a * 10 + b; end: out[threadIdx.x] += 100; }
//: run_time_constant_assigned
__global__ void run(unsigned *out) { switch (threadIdx.x & 1) { case 0: const int a = threadIdx.x * 3; a = 3; out[threadIdx.x] = a; break; default: out[threadIdx.x] = 2; } }
//: goto_loop
__global__ void run(unsigned *out) { unsigned i = 0, s = 0; again: s += i; if (++i < threadIdx.x) goto again; out[threadIdx.x] = s; }
//: goto_out_of_loops
__global__ void run(unsigned *out) { int i, j; for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) if (i * j == (int)threadIdx.x) goto found; i = 9; found: out[threadIdx.x] = i * 10 + j; }
//: goto_unknown
__global__ void run(unsigned *out) { goto nowhere; }
//: unused_label
__global__ void run(unsigned *out) { here: out[threadIdx.x] = 1; }
//: loops
__global__ void run(unsigned *out) { unsigned s = 0; for (int i = 0, j = 10; i < j; i++, j--) s += i * j; int k = threadIdx.x; while (k) { k /= 2; s++; } do { s += 2; } while (s % 7); for (;;) { if (s > 100) break; s += 13; if (s % 2) continue; s++; } out[threadIdx.x] = s; }
//: range_for
struct r { int n; struct it { int i; __device__ int operator*() const { return i * i; } __device__ it &operator++() { i++; return *this; } __device__ bool operator!=(it o) const { return i != o.i; } }; __device__ it begin() { return {0}; } __device__ it end() { return {n}; } };
__global__ void run(unsigned *out) { int a[4] = {1, 2, 3, 4}; unsigned s = 0; for (int &v : a) v *= 2; for (auto v : a) s += v; for (int v : r{5}) s += v; for (int v : {7, 8}) s += v; out[threadIdx.x] = s; }
//: range_for_with_init -std=c++20
__global__ void run(unsigned *out) { unsigned s = 0; for (int k = 3; int v : {1, 2}) s += v * k; out[threadIdx.x] = s; }
//: declaration_in_conditions
__global__ void run(unsigned *out) { unsigned s = 0; if (int v = threadIdx.x) s += v; while (int k = s % 3) { s += k; if (s > 60) break; } out[threadIdx.x] = s; }
//: else_chain
__global__ void run(unsigned *out) { int t = threadIdx.x; out[t] = t < 3 ? 1 : t < 9 ? t == 5 ? 50 : 2 : t > 20 ? 4 : 3; if (t > 4) if (t > 10) out[t] += 10; else out[t] += 20; }
//: early_returns
__device__ int f(int v) { if (v < 3) return 1; for (int i = 0; i < v; i++) if (i * i > v) return i; return -1; }
__global__ void run(unsigned *out) { if (threadIdx.x > 20) return; out[threadIdx.x] = f(threadIdx.x); }
//: no_return_value
__device__ int f(int v) { if (v > 3) return 1; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(5); }
//: return_in_void
__device__ void f() { return 1; }
//: scopes
__global__ void run(unsigned *out) { int v = 1; { int v = 2; { v = 3; } out[threadIdx.x] = v; } for (int v = 0; v < 2; v++) { int v = 7; out[threadIdx.x] += v; } out[threadIdx.x] += v; }
//: redeclared
__global__ void run(unsigned *out) { int v = 1; int v = 2; out[0] = v; }
//: comma_and_order
__global__ void run(unsigned *out) { int a = 1; int b = (a += 2, a * 2); a = a++ + 1; int i = 0; int c[3] = {i++, i++, i++}; out[threadIdx.x] = b * 100 + c[0] + c[1] * 2 + c[2] * 3; }
//: short_circuit
__device__ bool set(unsigned &n, bool r) { n++; return r; }
__global__ void run(unsigned *out) { unsigned n = 0; bool a = set(n, false) && set(n, true), b = set(n, true) || set(n, true); bool c = set(n, 1) & set(n, 0); out[threadIdx.x] = n * 10 + a + b * 2 + c * 4; }
//: assignment_operators
__global__ void run(unsigned *out) { unsigned a = threadIdx.x + 1; a += 5; a -= 2; a *= 3; a /= 2; a %= 17; a <<= 3; a >>= 1; a |= 3; a &= 0x5f; a ^= 9; out[threadIdx.x] = a; }
//: increments
__global__ void run(unsigned *out) { int a = threadIdx.x, b = a++ * 2, c = --a + b--; int *p = &c; (*p)++; unsigned d[2] = {1, 2}, *q = d; unsigned e = *q++ + *q; out[threadIdx.x] = a + b + c + e; }
//: sizeof_does_not_evaluate
__global__ void run(unsigned *out) { int a = 1; int s = sizeof(a++) + sizeof(int[a = 3 ? 2 : 1]); out[threadIdx.x] = a * 10 + s; }
//: conditional_types
__global__ void run(unsigned *out) { auto v = threadIdx.x ? 1 : 2.5; auto w = threadIdx.x ? 'a' : 1; out[threadIdx.x] = sizeof(v) + sizeof(w) * 10 + (unsigned)(v * 2); }
//: conditional_lvalue
__global__ void run(unsigned *out) { unsigned a = 1, b = 2; (threadIdx.x & 1 ? a : b) += 10; out[threadIdx.x] = a * 100 + b; }
//: nested_functions
__global__ void run(unsigned *out) { int f(int a) { return a; } out[0] = f(1); }
//: local_prototype
__global__ void run(unsigned *out) { __device__ int f(int); out[threadIdx.x] = f(3); }
__device__ int f(int v) { return v + 1; }
//: recursion
__device__ unsigned ack(unsigned m, unsigned n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
__global__ void run(unsigned *out) { out[threadIdx.x] = ack(2, threadIdx.x % 4); }
//: mutual_recursion
__device__ bool odd(int n); __device__ bool even(int n) { return n == 0 ? true : odd(n - 1); } __device__ bool odd(int n) { return n == 0 ? false : even(n - 1); }
__global__ void run(unsigned *out) { out[threadIdx.x] = even(threadIdx.x) + 2 * odd(threadIdx.x); }
//: function_pointers
__device__ int add(int a, int b) { return a + b; } __device__ int mul(int a, int b) { return a * b; } typedef int (*op)(int, int); __device__ op table[2] = {add, mul};
__global__ void run(unsigned *out) { op f = threadIdx.x & 1 ? add : mul; int (*g)(int, int) = table[threadIdx.x % 2]; out[threadIdx.x] = f(3, 4) * 100 + (*g)(5, 6); }
//: functions_returning_functions
__device__ int inc(int v) { return v + 1; } __device__ int (*pick(bool))(int) { return inc; } __device__ auto other() -> int (*)(int) { return &inc; }
__global__ void run(unsigned *out) { out[threadIdx.x] = pick(true)(3) + other()(threadIdx.x); }
//: default_arguments
__device__ int f(int a, int b = 2, int c = sizeof(int)) { return a * 100 + b * 10 + c; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(1) + f(1, 3) + f(1, 3, 5); }
//: overloads
__device__ int f(int) { return 1; } __device__ int f(unsigned) { return 2; } __device__ int f(float) { return 3; } __device__ int f(double) { return 4; } __device__ int f(long long) { return 5; } __device__ int f(char) { return 6; } __device__ int f(const char *) { return 7; } __device__ int f(bool) { return 8; } __device__ int f(void *) { return 9; }
__global__ void run(unsigned *out) { short s = 1; float x; out[0] = f(1) + 10 * f(1u) + 100 * f(1.f) + 1000 * f(1.) + 10000 * f(1LL) + 100000 * f('a'); out[1] = f("a") + 10 * f(true) + 100 * f(&x) + 1000 * f(s) + 10000 * f(threadIdx.x); }
//: references
__device__ void swap2(int &a, int &b) { int t = a; a = b; b = t; } __device__ int &larger(int &a, int &b) { return a > b ? a : b; } __device__ const int &id(const int &v) { return v; }
__global__ void run(unsigned *out) { int a = 1, b = threadIdx.x; swap2(a, b); larger(a, b) += 100; out[threadIdx.x] = a * 2 + b + id(7); }
//: array_references
__device__ int sum(int (&a)[3]) { return a[0] + a[1] + a[2]; } __device__ int sum2(int a[][2], int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i][0] * a[i][1]; return s; }
__global__ void run(unsigned *out) { int a[3] = {1, 2, (int)threadIdx.x}, b[2][2] = {{1, 2}, {3, 4}}; int (*p)[2] = b + 1; out[threadIdx.x] = sum(a) + sum2(b, 2) + (*p)[1] + 2[a]; }
//: structured_bindings
struct p { int a; float b; char c[2]; };
__global__ void run(unsigned *out) { p v{1, 2.5f, {3, 4}}; auto [x, y, z] = v; auto &[i, j, k] = v; i += threadIdx.x; int a[2] = {5, 6}; auto [m, n] = a; const auto [q, r, s] = make_float3(1, 2, 3); out[threadIdx.x] = x + (int)(y * 2) + z[1] + v.a * 100 + m * n + q + r + s; }
//: designated_initialisers -std=c++20
struct s { int a, b, c = 7; };
__global__ void run(unsigned *out) { s v = {.a = 1, .c = 3}; s w{.b = 2}; out[threadIdx.x] = v.a + v.b * 10 + v.c * 100 + w.c * 1000; }
//: designated_out_of_order
struct s { int a, b; };
__global__ void run(unsigned *out) { s v = {.b = 1, .a = 3}; out[0] = v.a; }
//: initialiser_lists
struct s { int a; float b; int c[3]; }; 
__global__ void run(unsigned *out) { int a[5] = {1, 2}, b[] = {1, 2, 3}, c[2][3] = {1, 2, 3, 4}; s d = {1, 2, 3, 4}, e{}; int f{7}, g = {8}; char h[] = "abc", i[8] = {'a'}; out[threadIdx.x] = a[1] + a[4] + sizeof(b) + c[1][0] + c[1][2] + d.c[1] + e.c[2] + f + g + sizeof(h) + i[7]; }
//: narrowing
__global__ void run(unsigned *out) { int n = threadIdx.x; float f = 2.7f; unsigned char c = {(unsigned char)n}; out[threadIdx.x] = c + int(f); }
//: narrowing_in_braces
__global__ void run(unsigned *out) { int n = threadIdx.x; float a[2] = {n, n + 1}; unsigned b[1] = {n}; out[threadIdx.x] = a[1] + b[0]; }
//: too_many_initialisers
__global__ void run(unsigned *out) { int a[2] = {1, 2, 3}; out[0] = a[0]; }
//: divergent_barriers
__global__ void run(unsigned *out) { __shared__ unsigned s[32]; s[threadIdx.x] = threadIdx.x; for (int d = 16; d; d /= 2) { __syncthreads(); if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; } __syncthreads(); out[threadIdx.x] = s[0]; }
//: barrier_counts
__global__ void run(unsigned *out) { int a = __syncthreads_count(threadIdx.x < 5), b = __syncthreads_and(threadIdx.x < 32), c = __syncthreads_or(threadIdx.x == 40); out[threadIdx.x] = a + 100 * (b != 0) + 1000 * (c != 0); }
