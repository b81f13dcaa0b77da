// Features of later standards: NVRTC refuses most of them in earlier ones.

//: constexpr_if_stmt_11 -std=c++11
__device__ constexpr int f(int n) { if (n) return 1; return 2; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: constexpr_local_11 -std=c++11
__device__ constexpr int f(int n) { int x = 2; return x + n; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: constexpr_two_returns_11 -std=c++11
__device__ constexpr int f(int n) { switch (n) { case 1: return 3; } return 2; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: decltype_auto_var_11 -std=c++11
__global__ void run(unsigned *out) { decltype(auto) x = 3; out[0] = x; }
//: init_capture_11 -std=c++11
__global__ void run(unsigned *out) { out[0] = [a = 3] { return a; }(); }
//: init_capture_ref_11 -std=c++11
__global__ void run(unsigned *out) { int z = 3; out[0] = [&a = z] { return a; }(); }
//: variable_template_11 -std=c++11
template <class T> constexpr T pi = T(3.14);
__global__ void run(unsigned *out) { out[0] = pi<int>; }
//: variable_template_member_11 -std=c++11
struct S { template <class T> static constexpr T v = T(3); };
__global__ void run(unsigned *out) { out[0] = S::v<int>; }
//: variable_template_special_11 -std=c++11
template <class T> constexpr bool is_int = false; template <> constexpr bool is_int<int> = true;
__global__ void run(unsigned *out) { out[0] = is_int<int>; }
//: binary_literal_11 -std=c++11
__global__ void run(unsigned *out) { out[0] = 0b101; }
//: bin_upper_11 -std=c++11
__global__ void run(unsigned *out) { out[0] = 0B11u; }
//: bin_if_11 -std=c++11
#if 0b11 == 3
#else
#error
#endif
__global__ void run(unsigned *out) { out[0] = 1; }
//: bin_macro_unused_11 -std=c++11
#define B 0b11
__global__ void run(unsigned *out) { out[0] = 1; }
//: udl_num_11 -std=c++11
__device__ constexpr int operator""_b(unsigned long long v) { return v; }
__global__ void run(unsigned *out) { out[0] = 0_b; }
//: digit_separator_11 -std=c++11
__global__ void run(unsigned *out) { out[0] = 1'000; }
//: deprecated_11 -std=c++11
[[deprecated]] __device__ int f() { return 3; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_struct_local_11 -std=c++11
__device__ constexpr int f() { struct S { int v; }; return S{3}.v; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_static_local_11 -std=c++11
__device__ constexpr int f() { static const int v = 3; return v; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: relaxed_constexpr_11 -std=c++11
__device__ constexpr int f(int n) { int r = 0; for (int i = 0; i < n; i++) r += i; return r; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: auto_return_11 -std=c++11
__device__ auto f(int a) { return a; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: generic_lambda_11 -std=c++11
__global__ void run(unsigned *out) { out[0] = [](auto a) { return a; }(3); }
//: lambda_multi_return_11 -std=c++11
__global__ void run(unsigned *out) { out[0] = [](int a) { if (a) return 3; return 4; }(3); }
//: lambda_multi_stmt_11 -std=c++11
__global__ void run(unsigned *out) { out[0] = [](int a) { int b = a; return b; }(3); }
//: constexpr_nonconst_member_11 -std=c++11
struct S { int v; __device__ constexpr int get() { return v; } };
__global__ void run(unsigned *out) { const S s{1}; out[0] = s.get(); }
//: constexpr_empty_stmt_11 -std=c++11
__device__ constexpr int f() { ; return 3; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_typedef_11 -std=c++11
__device__ constexpr int f() { typedef int t; return t(3); }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_static_assert_11 -std=c++11
__device__ constexpr int f() { static_assert(true, ""); return 3; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: if_constexpr_11 -std=c++11
__global__ void run(unsigned *out) { if constexpr (sizeof(int) == 4) out[0] = 1; }
//: structured_binding_11 -std=c++11
__global__ void run(unsigned *out) { int a[2] = {1, 2}; auto [x, y] = a; out[0] = x + y; }
//: hex_float_11 -std=c++11
__global__ void run(unsigned *out) { out[0] = 0x1.8p1; }
//: lambda_in_constexpr_11 -std=c++11
__device__ constexpr int f() { return [] { return 3; }(); }
__global__ void run(unsigned *out) { out[0] = f(); }
//: auto_trailing_11 -std=c++11
__device__ auto f(int a) -> int { return a; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: extended_friend_11 -std=c++11
struct A {}; struct B { friend A; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: structured_binding_14 -std=c++14
__global__ void run(unsigned *out) { int a[2] = {1, 2}; auto [x, y] = a; out[0] = x + y; }
//: structured_binding_struct_14 -std=c++14
struct P { int a, b; };
__global__ void run(unsigned *out) { P p{1, 2}; auto &[x, y] = p; out[0] = x + y; }
//: structured_binding_for_14 -std=c++14
struct P { int a, b; };
__global__ void run(unsigned *out) { P p[1] = {{1, 2}}; for (auto [x, y] : p) out[0] = x + y; }
//: inst_template_14 -std=c++14
template <class T> __device__ T f(T t) { auto [a, b] = t; return T{a, b}; } struct P { int a, b; };
__global__ void run(unsigned *out) { out[0] = f(P{1, 2}).b; }
//: uninst_template_14 -std=c++14
template <class T> __device__ T f(T t) { auto [a, b] = t; return T{a, b}; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: uninst_fold_14 -std=c++14
template <class... T> __device__ int f(T... t) { return (t + ...); }
__global__ void run(unsigned *out) { out[0] = 1; }
//: if_constexpr_14 -std=c++14
__global__ void run(unsigned *out) { if constexpr (sizeof(int) == 4) out[0] = 1; }
//: if_constexpr_template_14 -std=c++14
template <class T> __device__ int f() { if constexpr (sizeof(T) == 4) return 1; else return 2; }
__global__ void run(unsigned *out) { out[0] = f<int>(); }
//: if_init_14 -std=c++14
__global__ void run(unsigned *out) { if (int a = 3; a > 2) out[0] = a; }
//: switch_init_14 -std=c++14
__global__ void run(unsigned *out) { switch (int a = 3; a) { case 3: out[0] = a; } }
//: switch_struct_init_14 -std=c++14
__global__ void run(unsigned *out) { if (auto p = out; p) p[0] = 1; else p[0] = 2; }
//: inline_variable_14 -std=c++14
inline __device__ int v = 3;
__global__ void run(unsigned *out) { out[0] = v; }
//: inline_static_member_14 -std=c++14
struct S { inline static constexpr int v = 3; };
__global__ void run(unsigned *out) { out[0] = S::v; }
//: inline_constexpr_14 -std=c++14
inline constexpr int v = 3;
__global__ void run(unsigned *out) { out[0] = v; }
//: fold_left_14 -std=c++14
template <class... T> __device__ int f(T... t) { return (... + t); }
__global__ void run(unsigned *out) { out[0] = f(1, 2); }
//: fold_binary_14 -std=c++14
template <class... T> __device__ int f(T... t) { return (t + ... + 0); }
__global__ void run(unsigned *out) { out[0] = f(1, 2); }
//: fold_comma_14 -std=c++14
template <class... T> __device__ void f(int *s, T... t) { ((*s += t), ...); }
__global__ void run(unsigned *out) { int s = 0; f(&s, 1, 2); out[0] = s; }
//: nested_namespace_14 -std=c++14
namespace a::b { __device__ int f() { return 1; } }
__global__ void run(unsigned *out) { out[0] = a::b::f(); }
//: star_this_14 -std=c++14
struct S { int v; __device__ int f() { return [*this] { return v; }(); } };
__global__ void run(unsigned *out) { S s{3}; out[0] = s.f(); }
//: constexpr_lambda2_14 -std=c++14
__global__ void run(unsigned *out) { out[0] = [](int a) constexpr { return a; }(3); }
//: attribute_using_14 -std=c++14
[[using gnu: unused]] __device__ int f() { return 3; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: attribute_namespace_14 -std=c++14
namespace [[deprecated]] n { __device__ int f() { return 3; } }
__global__ void run(unsigned *out) { out[0] = 1; }
//: attribute_enumerator_14 -std=c++14
enum E { A [[deprecated]] = 3 };
__global__ void run(unsigned *out) { out[0] = 1; }
//: hexf_14 -std=c++14
__global__ void run(unsigned *out) { float f = 0x1p-3f; out[0] = f; }
//: hexd_14 -std=c++14
__constant__ double d = 0x1.921fb54442d18p+1;
__global__ void run(unsigned *out) { out[0] = d; }
//: hexf_macro_14 -std=c++14
#define F 0x1p3f
__global__ void run(unsigned *out) { float f = F; out[0] = f; }
//: hex_plus_14 -std=c++14
__global__ void run(unsigned *out) { out[0] = 0xe+1; }
//: hex_in_string_14 -std=c++14
__global__ void run(unsigned *out) { const char *s = "0x1p3"; out[0] = s[1]; }
//: using_pack_14 -std=c++14
template <class... T> struct O : T... { using T::f...; }; struct A { __device__ int f() { return 1; } };
__global__ void run(unsigned *out) { out[0] = O<A>().f(); }
//: using_list_14 -std=c++14
struct A { __device__ int f() { return 1; } __device__ int g() { return 1; } }; struct B : A { using A::f, A::g; };
__global__ void run(unsigned *out) { out[0] = B().f(); }
//: range_sentinel_14 -std=c++14
struct E {}; struct I { int n; __device__ int operator*() { return n; } __device__ void operator++() { n++; } __device__ bool operator!=(E) { return n < 3; } }; struct R { __device__ I begin() { return {0}; } __device__ E end() { return {}; } };
__global__ void run(unsigned *out) { int s = 0; for (int i : R()) s += i; out[0] = s; }
//: const_decomp_14 -std=c++14
struct P { int a, b; };
__global__ void run(unsigned *out) { const auto [x, y] = P{1, 2}; out[0] = x; }
//: constref_member_14 -std=c++14
struct S { __device__ int f() const & { return 3; } };
__global__ void run(unsigned *out) { int (S::*p)() const & = &S::f; out[0] = (S().*p)(); }
//: alias_in_if_14 -std=c++14
__global__ void run(unsigned *out) { if (using T = int; T x = out[0]) out[0] = x; }
//: nodiscard_14 -std=c++14
[[nodiscard]] __device__ int f() { return 3; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: maybe_unused_14 -std=c++14
__global__ void run(unsigned *out) { [[maybe_unused]] int a = 3; out[0] = 1; }
//: fallthrough_14 -std=c++14
__global__ void run(unsigned *out) { if (!(threadIdx.x + blockIdx.x)) switch (out[0]) { case 1: out[0] = 2; [[fallthrough]]; default: out[0] = 3; } }
//: likely_case_14 -std=c++14
__global__ void run(unsigned *out) { switch (out[0]) { [[likely]] case 1: out[0] = 2; } }
//: template_template_typename_14 -std=c++14
template <template <class> typename T> struct S {};
__global__ void run(unsigned *out) { out[0] = 1; }
//: label_end_14 -std=c++14
__global__ void run(unsigned *out) { out[0] = 1; goto e; e: }
//: label_end_switch_14 -std=c++14
__global__ void run(unsigned *out) { switch (out[0]) { case 1: out[0] = 3; break; default: } }
//: label_decl_14 -std=c++14
__global__ void run(unsigned *out) { goto e; e: int a = 3; out[0] = a; }
//: binary_literal_14 -std=c++14
__global__ void run(unsigned *out) { out[0] = 0b101; }
//: digit_separator_14 -std=c++14
__global__ void run(unsigned *out) { out[0] = 1'000; }
//: variable_template_14 -std=c++14
template <class T> constexpr T pi = T(3.14);
__global__ void run(unsigned *out) { out[0] = pi<int>; }
//: relaxed_constexpr_14 -std=c++14
__device__ constexpr int f(int n) { int r = 0; for (int i = 0; i < n; i++) r += i; return r; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: auto_return_14 -std=c++14
__device__ auto f(int a) { return a; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: init_capture_14 -std=c++14
__global__ void run(unsigned *out) { out[0] = [a = 3] { return a; }(); }
//: lambda_in_constexpr_14 -std=c++14
__device__ constexpr int f() { return [] { return 3; }(); }
__global__ void run(unsigned *out) { out[0] = f(); }
//: disabled_14 -std=c++14
#if 0
 auto [a, b] = 3; if constexpr
#endif
__global__ void run(unsigned *out) { out[0] = 1; }
//: macro_unused_14 -std=c++14
#define F(p) auto [a, b] = p;
__global__ void run(unsigned *out) { out[0] = 1; }
//: ctad_14 -std=c++14
template <class T> struct S { T v; __device__ S(T t) : v(t) {} };
__global__ void run(unsigned *out) { S s(3); out[0] = s.v; }
//: auto_template_param_14 -std=c++14
template <auto N> __device__ int f() { return N; }
__global__ void run(unsigned *out) { out[0] = f<3>(); }
//: aggregate_base_14 -std=c++14
struct A { int a; }; struct B : A { int b; };
__global__ void run(unsigned *out) { B b{{1}, 2}; out[0] = b.a; }
//: static_operator_17 -std=c++17
struct S { static __device__ int operator()(int a) { return a; } };
__global__ void run(unsigned *out) { out[0] = S()(3); }
//: size_t_literal_17 -std=c++17
__global__ void run(unsigned *out) { out[0] = 3uz; }
//: static_lambda_17 -std=c++17
__global__ void run(unsigned *out) { out[0] = [](int a) static { return a; }(3); }
//: lambda_no_parens_mutable_17 -std=c++17
__global__ void run(unsigned *out) { int a = 3; out[0] = [a] mutable { return a++; }(); }
//: constexpr_static_local_17 -std=c++17
__device__ constexpr int f() { static const int v = 3; return v; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: goto_constexpr_17 -std=c++17
__device__ constexpr int f(int a) { if (a) goto e; return 1; e: return 2; }
__global__ void run(unsigned *out) { out[0] = f(1); }
//: label_constexpr_17 -std=c++17
__device__ constexpr int f(int a) { e: return a; }
__global__ void run(unsigned *out) { out[0] = f(1); }
//: alias_in_for_17 -std=c++17
__global__ void run(unsigned *out) { for (using T = int; out[0] < 3; ) out[0]++; }
//: elifndef_17 -std=c++17
#ifdef FOO
#elifndef BAR
#else
#error x
#endif
__global__ void run(unsigned *out) { out[0] = 1; }
//: delim_escape_17 -std=c++17
__global__ void run(unsigned *out) { out[0] = '\x{41}'; }
//: structured_binding_17 -std=c++17
__global__ void run(unsigned *out) { int a[2] = {1, 2}; auto [x, y] = a; out[0] = x + y; }
//: if_constexpr_17 -std=c++17
__global__ void run(unsigned *out) { if constexpr (sizeof(int) == 4) out[0] = 1; }
//: fold_left_17 -std=c++17
template <class... T> __device__ int f(T... t) { return (... + t); }
__global__ void run(unsigned *out) { out[0] = f(1, 2); }
//: hexd_17 -std=c++17
__constant__ double d = 0x1.921fb54442d18p+1;
__global__ void run(unsigned *out) { out[0] = d; }
//: if_consteval_20 -std=c++20
__global__ void run(unsigned *out) { if consteval { } else { out[0] = 1; } }
//: static_operator_20 -std=c++20
struct S { static __device__ int operator()(int a) { return a; } };
__global__ void run(unsigned *out) { out[0] = S()(3); }
//: size_t_literal_20 -std=c++20
__global__ void run(unsigned *out) { out[0] = 3uz; }
//: static_lambda_20 -std=c++20
__global__ void run(unsigned *out) { out[0] = [](int a) static { return a; }(3); }
//: constexpr_static_local_20 -std=c++20
__device__ constexpr int f() { static const int v = 3; return v; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: goto_constexpr_20 -std=c++20
__device__ constexpr int f(int a) { if (a) goto e; return 1; e: return 2; }
__global__ void run(unsigned *out) { out[0] = f(1); }
//: alias_in_for_20 -std=c++20
__global__ void run(unsigned *out) { for (using T = int; out[0] < 3; ) out[0]++; }
//: elifndef_20 -std=c++20
#ifdef FOO
#elifndef BAR
#else
#error x
#endif
__global__ void run(unsigned *out) { out[0] = 1; }
//: deducing_this_20 -std=c++20
struct S { int v; __device__ int f(this S s) { return s.v; } };
__global__ void run(unsigned *out) { S s{3}; out[0] = s.f(); }
//: multi_subscript_20 -std=c++20
struct S { __device__ int operator[](int a, int b) { return a + b; } };
__global__ void run(unsigned *out) { S s; out[0] = s[1, 2]; }
//: constref_member_20 -std=c++20
struct S { __device__ int f() const & { return 3; } };
__global__ void run(unsigned *out) { int (S::*p)() const & = &S::f; out[0] = (S().*p)(); }
//: likely_case_20 -std=c++20
__global__ void run(unsigned *out) { switch (out[0]) { [[likely]] case 1: out[0] = 2; } }
//: constexpr_nullderef
__device__ constexpr int f() { int *p = nullptr; return *p; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: constexpr_nullderef_11 -std=c++11
__device__ constexpr int f() { int *p = nullptr; return *p; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: constexpr_callnonconst
__device__ int g() { return 1; }
__device__ constexpr int f() { return g(); }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_callnonconst_11 -std=c++11
__device__ int g() { return 1; }
__device__ constexpr int f() { return g(); }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_global_var
__device__ int v = 1;
__device__ constexpr int f() { return v; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_div0
__device__ constexpr int f() { return 1 / 0; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: constexpr_math
__device__ constexpr float f() { return sqrtf(2.f); }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_math_11 -std=c++11
__device__ constexpr float f() { return sqrtf(2.f); }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_reinterpret
__device__ constexpr unsigned f(float x) { return *reinterpret_cast<unsigned *>(&x); }
__global__ void run(unsigned *out) { out[0] = f(4); }
//: constexpr_ctor
struct S { int v; __device__ S() : v(1) {} };
struct T { S s; __device__ constexpr T() {} };
__global__ void run(unsigned *out) { T t; out[threadIdx.x] = t.s.v; }
//: constexpr_nonliteral_local
struct N { __device__ ~N() {} };
__device__ constexpr int f() { N n; return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_uninit_member
struct T { int v; __device__ constexpr T() {} };
__global__ void run(unsigned *out) { T t; out[threadIdx.x] = 1; }
//: constexpr_asm
__device__ constexpr int f() { asm(""); return 2; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: constexpr_syncthreads
__device__ constexpr void f() { __syncthreads(); }
__global__ void run(unsigned *out) { f(); out[0] = 1; }
