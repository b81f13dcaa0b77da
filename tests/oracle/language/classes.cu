// Classes: construction, inheritance, virtual functions, operators.

//: constructors
struct v { int a, b; __device__ v() : a(1), b(2) {} __device__ v(int x) : a(x), b(x * 2) {} __device__ v(int x, int y) : a(x), b(y) {} };
__global__ void run(unsigned *out) { v p, q(3), r(4, 5), s = 6, t{7}, u{8, 9}; out[threadIdx.x] = p.a + q.b + r.a * r.b + s.b + t.a + u.b; }
//: delegating
struct v { int a, b; __device__ v(int x, int y) : a(x), b(y) {} __device__ v(int x) : v(x, x + 1) {} };
__global__ void run(unsigned *out) { v p(threadIdx.x); out[threadIdx.x] = p.a * p.b; }
//: default_members
struct v { int a = 3; float b = a * 1.5f; int c[2] = {4, 5}; };
__global__ void run(unsigned *out) { v p; v q{10}; out[threadIdx.x] = p.a + (int)p.b + p.c[1] + q.a + (int)q.b; }
//: destructors
struct guard { unsigned *p; __device__ guard(unsigned *q) : p(q) { *p += 1; } __device__ ~guard() { *p *= 2; } };
__global__ void run(unsigned *out) { unsigned n = threadIdx.x; { guard a(&n); guard b(&n); } out[threadIdx.x] = n; }
//: destructor_order
struct guard { unsigned &n; unsigned d; __device__ ~guard() { n = n * 10 + d; } };
__global__ void run(unsigned *out) { unsigned n = 0; { guard a{n, 1}, b{n, 2}; guard c{n, 3}; if (threadIdx.x & 1) { guard d{n, 4}; } } out[threadIdx.x] = n; }
//: copy_and_move
struct v { int n; __device__ v(int a) : n(a) {} __device__ v(const v &o) : n(o.n + 100) {} __device__ v(v &&o) : n(o.n + 1000) { o.n = 0; } };
__device__ v pass(v a) { return a; }
__global__ void run(unsigned *out) { v a(5); v b(a); v c(static_cast<v &&>(a)); v d = pass(b); out[threadIdx.x] = a.n + b.n * 2 + c.n * 3 + d.n; }
//: assignment
struct v { int n; __device__ v &operator=(const v &o) { n = o.n * 2; return *this; } };
__global__ void run(unsigned *out) { v a{3}, b{4}, c; c = b = a; out[threadIdx.x] = a.n + b.n + c.n; }
//: inheritance
struct a { int x; __device__ int f() { return x; } }; struct b : a { int y; __device__ int f() { return a::f() + y; } }; struct c : b { int z; };
__global__ void run(unsigned *out) { c v; v.x = 1; v.y = 20; v.z = 300; out[threadIdx.x] = v.f() + v.a::f() + v.z; }
//: aggregate_of_a_base
struct a { int x; }; struct b : a { int y; };
__global__ void run(unsigned *out) { b v{{3}, 4}; out[threadIdx.x] = v.x * 10 + v.y; }
//: several_bases
struct a { int x = 1; }; struct b { int y = 2; __device__ int f() { return y; } }; struct c : a, b { int z = 3; };
__global__ void run(unsigned *out) { c v; b *p = &v; p->y = 7; out[threadIdx.x] = v.x + v.f() * 10 + v.z + (unsigned)((char *)p - (char *)&v); }
//: virtual_functions
struct shape { __device__ virtual float area() const = 0; }; struct square : shape { float a; __device__ square(float s) : a(s) {} __device__ float area() const override { return a * a; } };
struct disc : shape { float r; __device__ disc(float s) : r(s) {} __device__ float area() const override { return 3.f * r * r; } };
__global__ void run(unsigned *out) { square s(threadIdx.x); disc d(2); shape *p = threadIdx.x & 1 ? (shape *)&s : (shape *)&d; out[threadIdx.x] = p->area(); }
//: virtual_destructor
struct a { unsigned *p; __device__ virtual ~a() { *p += 1; } }; struct b : a { __device__ ~b() override { *p += 10; } };
__global__ void run(unsigned *out) { unsigned n = 0; b *v = new b; v->p = &n; a *w = v; delete w; out[threadIdx.x] = n; }
//: virtual_base
struct a { int x; }; struct b : virtual a { }; struct c : virtual a { }; struct d : b, c { __device__ d() { x = 5; } };
__global__ void run(unsigned *out) { d v; b *p = &v; c *q = &v; out[threadIdx.x] = p->x + q->x; }
//: final_and_override
struct a { __device__ virtual int f() { return 1; } }; struct b final : a { __device__ int f() final { return 2; } };
__global__ void run(unsigned *out) { b v; a &r = v; out[threadIdx.x] = r.f() + v.a::f(); }
//: override_of_nothing
struct a { __device__ virtual int f() { return 1; } }; struct b : a { __device__ int f(int) override { return 2; } };
//: abstract_object
struct a { __device__ virtual int f() = 0; };
__global__ void run(unsigned *out) { a v; out[0] = 1; }
//: operators
struct v { float x, y; }; __device__ v operator+(v a, v b) { return {a.x + b.x, a.y + b.y}; } __device__ v operator*(float s, v a) { return {s * a.x, s * a.y}; }
__device__ v &operator+=(v &a, v b) { a = a + b; return a; } __device__ bool operator==(v a, v b) { return a.x == b.x && a.y == b.y; } __device__ v operator-(v a) { return {-a.x, -a.y}; }
__global__ void run(unsigned *out) { v a{1, 2}, b{3, 4}; a += 2.f * b; a = a + -b; out[threadIdx.x] = a.x + 10 * a.y + (a == b); }
//: operators_of_float3
__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); } __device__ float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); } __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__global__ void run(unsigned *out) { float3 a = make_float3(1, 2, 3), b = a * threadIdx.x + a; out[threadIdx.x] = dot(a, b); }
//: index_and_call
struct grid { unsigned *p; int n; __device__ unsigned &operator[](int i) { return p[i]; } __device__ unsigned operator()(int x, int y) const { return p[y * n + x]; } };
__global__ void run(unsigned *out) { unsigned a[6] = {1, 2, 3, 4, 5, 6}; grid g{a, 3}; g[4] = 50; out[threadIdx.x] = g(1, 1) + g(threadIdx.x % 3, 0); }
//: conversions
struct number { int n; __device__ operator int() const { return n; } __device__ explicit operator bool() const { return n > 5; } __device__ operator float() const { return n + .5f; } };
__global__ void run(unsigned *out) { number a{(int)threadIdx.x}; int i = a; float f = a; out[threadIdx.x] = i * 10 + (a ? 1 : 0) + (unsigned)(f * 2); }
//: explicit_constructor
struct number { int n; __device__ explicit number(int a) : n(a) {} };
__global__ void run(unsigned *out) { number a = 3; out[0] = a.n; }
//: increment_operators
struct it { int n; __device__ it &operator++() { n += 1; return *this; } __device__ it operator++(int) { it o = *this; n += 10; return o; } };
__global__ void run(unsigned *out) { it a{0}; it b = a++; it c = ++a; out[threadIdx.x] = a.n * 100 + b.n * 10 + c.n; }
//: arrow_operator
struct in { int v; }; struct ptr { in *p; __device__ in *operator->() { return p; } __device__ in &operator*() { return *p; } };
__global__ void run(unsigned *out) { in a{4}; ptr p{&a}; p->v += threadIdx.x; out[threadIdx.x] = (*p).v; }
//: shift_operator_chain
struct log { unsigned n = 0; __device__ log &operator<<(unsigned v) { n = n * 10 + v; return *this; } };
__global__ void run(unsigned *out) { log l; l << 1 << 2 << (threadIdx.x & 7); out[threadIdx.x] = l.n; }
//: comma_operator
struct list { unsigned n; __device__ list operator,(unsigned v) { return {n * 2 + v}; } };
__global__ void run(unsigned *out) { list l{1}; out[threadIdx.x] = (l, 3u, 4u).n + (1, 2); }
//: literal_operator
__device__ constexpr float operator""_deg(long double d) { return d / 180; } __device__ constexpr unsigned operator""_k(unsigned long long v) { return v * 1000; }
__global__ void run(unsigned *out) { out[threadIdx.x] = 3_k + (unsigned)(360.0_deg * 10); }
//: friends
class a { int x; public: __device__ a(int v) : x(v) {} friend __device__ int get(const a &v) { return v.x; } friend struct b; }; struct b { __device__ static int get2(const a &v) { return v.x * 2; } };
__global__ void run(unsigned *out) { a v(threadIdx.x); out[threadIdx.x] = get(v) + b::get2(v); }
//: private_member
class a { int x; };
__global__ void run(unsigned *out) { a v; v.x = 3; out[0] = v.x; }
//: protected_and_using
class a { protected: int x = 3; public: __device__ int f() { return x; } }; struct b : private a { using a::f; using a::x; };
__global__ void run(unsigned *out) { b v; v.x = 5; out[threadIdx.x] = v.f(); }
//: inherited_constructors
struct a { int x; __device__ a(int v) : x(v) {} }; struct b : a { using a::a; int y = 4; };
__global__ void run(unsigned *out) { b v(6); out[threadIdx.x] = v.x * v.y; }
//: static_functions
struct a { static __device__ int f(int v) { return v + 1; } template <int N> static __device__ int g() { return N; } };
__global__ void run(unsigned *out) { a v; out[threadIdx.x] = a::f(threadIdx.x) + a::g<7>() + v.f(2); }
//: nested_classes
struct outer { int a = 1; struct inner { int b = 2; __device__ int f(outer &o) { return o.a + b; } }; inner i; };
__global__ void run(unsigned *out) { outer o; outer::inner j; o.a = 10; out[threadIdx.x] = o.i.f(o) + j.b; }
//: local_class
__global__ void run(unsigned *out) { struct local { int v; __device__ int twice() { return 2 * v; } } l{(int)threadIdx.x}; out[threadIdx.x] = l.twice(); }
//: local_class_without_space
__global__ void run(unsigned *out) { struct local { int v; int twice() { return 2 * v; } } l{(int)threadIdx.x}; out[threadIdx.x] = l.twice(); }
//: anonymous_struct_and_union
struct v { union { struct { float x, y; }; float e[2]; }; union { int i; unsigned u; }; };
__global__ void run(unsigned *out) { v a; a.x = 3; a.y = 4; a.i = -1; out[threadIdx.x] = a.e[0] + 10 * a.e[1] + (a.u == 0xffffffffu); }
//: union_with_a_constructor
union u { float f; unsigned i; __device__ u(float v) : f(v) {} };
__global__ void run(unsigned *out) { u v(1.0f); out[threadIdx.x] = v.i; }
//: bit_fields
struct bits { unsigned a : 3, b : 5; int c : 4; unsigned : 0; unsigned d : 1; };
__global__ void run(unsigned *out) { bits b{}; b.a = threadIdx.x; b.b = threadIdx.x * 3; b.c = -3; b.d = 1; out[threadIdx.x] = b.a + 10 * b.b + 1000 * (b.c + 8) + sizeof(bits) * 100000; }
//: member_pointers
struct a { int x, y; __device__ int f(int v) { return x * v; } __device__ int g(int v) { return y + v; } };
__global__ void run(unsigned *out) { a v{3, 4}; int a::*m = threadIdx.x & 1 ? &a::x : &a::y; int (a::*p)(int) = threadIdx.x & 2 ? &a::f : &a::g; out[threadIdx.x] = v.*m * 100 + (v.*p)(5); }
//: const_members
struct a { int x; mutable int n; __device__ int get() const { n++; return x; } __device__ int get() { return x * 10; } };
__global__ void run(unsigned *out) { a v{3, 0}; const a &c = v; out[threadIdx.x] = v.get() + c.get() + v.n * 100; }
//: reference_qualifiers
struct a { __device__ int f() & { return 1; } __device__ int f() && { return 2; } __device__ int f() const & { return 3; } };
__global__ void run(unsigned *out) { a v; const a c{}; out[threadIdx.x] = v.f() + 10 * a().f() + 100 * c.f(); }
//: const_object_without_a_value
struct a { int x; };
__global__ void run(unsigned *out) { const a c; out[0] = c.x; }
//: defaulted_and_deleted
struct a { int x; a() = default; a(const a &) = default; __device__ a(int v) : x(v) {} void *operator new(size_t) = delete; };
__global__ void run(unsigned *out) { a v(3), w(v), z; z = w; out[threadIdx.x] = w.x + z.x; }
//: deleted_copy
struct a { a() = default; a(const a &) = delete; };
__global__ void run(unsigned *out) { a v; a w(v); out[0] = 1; }
//: new_and_delete
struct node { int v; node *next; };
__global__ void run(unsigned *out) { node *head = nullptr; for (int i = 0; i < 4; i++) head = new node{i + (int)threadIdx.x, head}; unsigned s = 0; while (head) { s = s * 10 + head->v % 10; node *n = head->next; delete head; head = n; } out[threadIdx.x] = s; }
//: array_new
struct cell { int v; __device__ cell() : v(4) {} __device__ ~cell() { v = 0; } };
__global__ void run(unsigned *out) { cell *c = new cell[5]; int *i = new int[3]{1, 2, 3}; unsigned s = 0; for (int k = 0; k < 5; k++) s += c[k].v; out[threadIdx.x] = s + i[2]; delete[] c; delete[] i; }
//: placement_new
struct cell { int a; __device__ cell(int v) : a(v) {} };
__global__ void run(unsigned *out) { __align__(8) char room[sizeof(cell)]; cell *c = new (room) cell(7); c->a += threadIdx.x; out[threadIdx.x] = c->a; c->~cell(); }
//: new_of_aligned_types
struct alignas(64) wide { int a[16]; };
__global__ void run(unsigned *out) { wide *w = new wide, *v = new wide[2]; w->a[3] = threadIdx.x; v[1].a[0] = 4; out[threadIdx.x] = w->a[3] + v[1].a[0]; delete w; delete[] v; }
//: crtp
template <class D> struct base { __device__ int twice() { return 2 * static_cast<D *>(this)->get(); } }; struct a : base<a> { __device__ int get() { return threadIdx.x; } };
__global__ void run(unsigned *out) { a v; out[threadIdx.x] = v.twice(); }
//: empty_base
struct e { }; struct a : e { int x; }; struct b { [[maybe_unused]] e m; int x; };
__global__ void run(unsigned *out) { out[threadIdx.x] = sizeof(a) + 10 * sizeof(b) + 100 * sizeof(e); }
//: struct_layout
struct a { char c; double d; short s; }; struct b { char c[3]; int i; char e; }; struct c { float3 f; char x; }; struct d { char x; float4 f; }; struct e { char x; float2 f; long long l; };
__global__ void run(unsigned *out) { out[0] = sizeof(a); out[1] = sizeof(b); out[2] = sizeof(c); out[3] = sizeof(d); out[4] = sizeof(e); out[5] = alignof(d); out[6] = alignof(c); }
//: kernel_with_struct_parameters
struct p { int n; float f[3]; char c; }; 
__device__ int use(p v) { v.n += 1; return v.n + (int)v.f[1] + v.c; }
__global__ void run(unsigned *out) { p v{3, {1, 2, 3}, 'a'}; out[threadIdx.x] = use(v) + v.n; }
//: functor_template
struct add { __device__ int operator()(int a, int b) const { return a + b; } }; struct mul { __device__ int operator()(int a, int b) const { return a * b; } };
template <class F> __device__ int fold(F f, int n) { int s = 1; for (int i = 2; i <= n; i++) s = f(s, i); return s; }
__global__ void run(unsigned *out) { out[threadIdx.x] = fold(add(), threadIdx.x % 8) + fold(mul{}, threadIdx.x % 6); }
//: dynamic_cast_device
struct a { __device__ virtual int f() { return 1; } }; struct b : a { };
__global__ void run(unsigned *out) { b v; a *p = &v; out[0] = dynamic_cast<b *>(p) != nullptr; }
//: typeid_device
__global__ void run(unsigned *out) { out[0] = typeid(int) == typeid(int); }
//: throw_device
__global__ void run(unsigned *out) { if (out[0] == 5) throw 1; out[0] = 1; }
//: try_device
__global__ void run(unsigned *out) { try { out[0] = 1; } catch (...) { } }
//: typedef_struct
typedef struct { int x, y; __device__ int sum() const { return x + y; } } point; typedef struct tag { struct tag *next; int v; } tag; typedef union { float f; int i; } bits;
__global__ void run(unsigned *out) { point p = {1, 2}; tag t = {0, 4}; struct tag u = {&t, 5}; bits b; b.f = 1; out[threadIdx.x] = p.sum() + u.next->v + u.v + (b.i >> 23); }
//: this_capture_by_member
struct a { int x; __device__ a &set(int v) { this->x = v; return *this; } __device__ a &add(int v) { x += v; return *this; } };
__global__ void run(unsigned *out) { a v; out[threadIdx.x] = v.set(3).add(threadIdx.x).x; }
