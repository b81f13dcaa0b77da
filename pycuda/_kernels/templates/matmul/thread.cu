// Products of matrices for threads that run in turn, one a block.
//
// `matmul_pack` copies both matrices to panels: of the left one, of HIGH rows
// each, column after column; of the right one, of WIDE columns each, row
// after row.  What is missing at the edges is zero.  `matmul` then makes
// blocks of the product from them, DEEP steps at a time, in vectors.
typedef $lane Lane; // a Value, or a part of a complex one
enum { PARTS = sizeof(Value) / sizeof(Lane) };
enum { LANES = 32 / sizeof(Lane), VECTORS = 2 / PARTS };
enum { HIGH = 6, WIDE = LANES * VECTORS };
enum { PANELS_DOWN = 8, PANELS_ACROSS = 8, DEEP = 256 };

typedef Lane Vector __attribute__((ext_vector_type(LANES)));

struct Shape {
    long long rows, columns, inner, batches;
    long long a_row, a_column, b_row, b_column, c_row, c_column; // elements
    long long shape[$ndim], a[$ndim], b[$ndim], c[$ndim]; // of the batch
    long long panels_a, panels_b; // of one matrix
};

__device__ inline Lane *put_value(Lane *to, long long step, const Value &v)
{
    const Lane *lanes = reinterpret_cast<const Lane *>(&v);
    for (int part = 0; part < PARTS; part++) {
        to[part * step] = lanes[part];
    }
    return to + 1;
}

__device__ inline void pack_left(Lane *to, const StoredA *a, const Shape &s,
                                 long long row0)
{
    for (long long k = 0; k < s.inner; k++) {
        Lane *lane = to + k * HIGH * PARTS;
        for (int i = 0; i < HIGH; i++) {
            Value value = Value(0);
            if (row0 + i < s.rows) {
                const StoredA v = a[(row0 + i) * s.a_row + k * s.a_column];
                value = $cast_a;
            }
            lane = put_value(lane, HIGH, value);
        }
    }
}

__device__ inline void pack_right(Lane *to, const StoredB *b, const Shape &s,
                                  long long column0)
{
    for (long long k = 0; k < s.inner; k++) {
        Lane *lane = to + k * WIDE * PARTS;
        for (int j = 0; j < WIDE; j++) {
            Value value = Value(0);
            if (column0 + j < s.columns) {
                const StoredB v = b[k * s.b_row + (column0 + j) * s.b_column];
                value = $cast_b;
            }
            lane = put_value(lane, WIDE, value);
        }
    }
}

// A block a panel: first those of `a`, then those of `b`.
extern "C" __global__ void matmul_pack(Lane *left, Lane *right,
                                       const StoredA *a, const StoredB *b,
                                       const Shape s)
{
    const long long lefts = s.batches * s.panels_a;
    const bool is_left = blockIdx.x < lefts;
    const long long panels = is_left ? s.panels_a : s.panels_b;
    const long long number = is_left ? blockIdx.x : blockIdx.x - lefts;
    const long long batch = number / panels, panel = number % panels;
    if (is_left) {
        const char *from = (const char *)a;
        from += offset_of<$ndim>(batch, s.shape, s.a);
        pack_left(left + number * s.inner * HIGH * PARTS,
                  (const StoredA *)from, s, panel * HIGH);
    } else {
        const char *from = (const char *)b;
        from += offset_of<$ndim>(batch, s.shape, s.b);
        pack_right(right + number * s.inner * WIDE * PARTS,
                   (const StoredB *)from, s, panel * WIDE);
    }
}

// Adds `steps` products to a tile of HIGH by WIDE, parts side by side.
__device__ inline void add_products(Lane *tile, const Lane *left,
                                    const Lane *right, long long steps)
{
    Vector sums[HIGH][VECTORS * PARTS];
    Vector *rows = reinterpret_cast<Vector *>(tile);
#pragma unroll
    for (int i = 0; i < HIGH; i++) {
#pragma unroll
        for (int j = 0; j < VECTORS * PARTS; j++) {
            sums[i][j] = rows[i * VECTORS * PARTS + j];
        }
    }
    for (long long k = 0; k < steps; k++) {
        Vector b[VECTORS * PARTS];
#pragma unroll
        for (int j = 0; j < VECTORS * PARTS; j++) {
            b[j] = *reinterpret_cast<const Vector *>(right + j * LANES);
        }
#pragma unroll
        for (int i = 0; i < HIGH; i++) {
            const Vector a = (Vector)(left[i]);
            $vector_step
        }
        left += HIGH * PARTS;
        right += WIDE * PARTS;
    }
#pragma unroll
    for (int i = 0; i < HIGH; i++) {
#pragma unroll
        for (int j = 0; j < VECTORS * PARTS; j++) {
            rows[i * VECTORS * PARTS + j] = sums[i][j];
        }
    }
}

__device__ inline void store_tile(Out *c, const Lane *tile, const Shape &s,
                                  long long row0, long long column0)
{
    for (int i = 0; i < HIGH && row0 + i < s.rows; i++) {
        for (int j = 0; j < WIDE && column0 + j < s.columns; j++) {
            Value v = Value(0);
            Lane *lanes = reinterpret_cast<Lane *>(&v);
            for (int part = 0; part < PARTS; part++) {
                lanes[part] = tile[(i * PARTS + part) * WIDE + j];
            }
            c[(row0 + i) * s.c_row + (column0 + j) * s.c_column] = $cast_out;
        }
    }
}

extern "C" __global__ void matmul(Out *c, const Lane *left, const Lane *right,
                                  const Shape s)
{
    enum { TILE = HIGH * WIDE * PARTS };
    __align__(64) Lane tiles[PANELS_DOWN * PANELS_ACROSS * TILE];
    const long long down = (s.panels_a + PANELS_DOWN - 1) / PANELS_DOWN;
    const long long across = (s.panels_b + PANELS_ACROSS - 1) / PANELS_ACROSS;
    const long long batch = blockIdx.x / (down * across);
    const long long block = blockIdx.x % (down * across);
    const long long i0 = block / across * PANELS_DOWN;
    const long long j0 = block % across * PANELS_ACROSS;
    const int i_count = s.panels_a - i0 < PANELS_DOWN
                            ? (int)(s.panels_a - i0)
                            : PANELS_DOWN;
    const int j_count = s.panels_b - j0 < PANELS_ACROSS
                            ? (int)(s.panels_b - j0)
                            : PANELS_ACROSS;
    left += (batch * s.panels_a + i0) * s.inner * HIGH * PARTS;
    right += (batch * s.panels_b + j0) * s.inner * WIDE * PARTS;
    c = (Out *)((char *)c + offset_of<$ndim>(batch, s.shape, s.c));

    for (int n = 0; n < PANELS_DOWN * PANELS_ACROSS * TILE; n++) {
        tiles[n] = 0;
    }
    for (long long k = 0; k < s.inner; k += DEEP) {
        const long long steps = s.inner - k < DEEP ? s.inner - k : DEEP;
        for (int j = 0; j < j_count; j++) {
            for (int i = 0; i < i_count; i++) {
                add_products(tiles + (i * PANELS_ACROSS + j) * TILE,
                             left + (i * s.inner + k) * HIGH * PARTS,
                             right + (j * s.inner + k) * WIDE * PARTS, steps);
            }
        }
    }
    for (int i = 0; i < i_count; i++) {
        for (int j = 0; j < j_count; j++) {
            store_tile(c, tiles + (i * PANELS_ACROSS + j) * TILE, s,
                       (i0 + i) * HIGH, (j0 + j) * WIDE);
        }
    }
}
