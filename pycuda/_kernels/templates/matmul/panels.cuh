// Building blocks of matrix products for threads that run sequentially, one
// per block: panels of HIGH rows of the left matrix, column by column, and of
// WIDE columns of the right one, row by row. Missing elements at the edges are
// zero.
#if !defined(__PYCUDA_CPU__)
#error "made of vectors that only the CPU device has"
#endif
typedef $lane Lane; // A Value, or one part of a complex Value.
enum { PARTS = sizeof(Value) / sizeof(Lane) };
enum { LANES = 32 / sizeof(Lane), VECTORS = 2 / PARTS };
enum { HIGH = 6, WIDE = LANES * VECTORS };

typedef Lane Vector __attribute__((ext_vector_type(LANES)));
typedef Vector Loose __attribute__((aligned(sizeof(Lane))));

struct Shape {
    long long rows, columns, inner, batches;
    long long a_row, a_column, b_row, b_column, c_row, c_column; // elements
    long long shape[$ndim], a[$ndim], b[$ndim], c[$ndim]; // of the batch
};

// Panels of one matrix.
__device__ inline long long panels_down(const Shape &s)
{
    return (s.rows + HIGH - 1) / HIGH;
}

__device__ inline long long panels_across(const Shape &s)
{
    return (s.columns + WIDE - 1) / WIDE;
}

__device__ inline Lane *put_value(Lane *to, long long step, const Value &v)
{
    const Lane *lanes = reinterpret_cast<const Lane *>(&v);
    for (int part = 0; part < PARTS; part++) {
        to[part * step] = lanes[part];
    }
    return to + 1;
}

// Packs `steps` columns of rows from `a` on; the panel has all of its rows, or
// only `rows` of them.
template <bool WHOLE>
__device__ inline void pack_rows(Lane *to, const StoredA *a, const Shape &s,
                                 long long steps, long long column,
                                 long long rows)
{
    for (long long k = 0; k < steps; k++) {
        Lane *lane = to + k * HIGH * PARTS;
        for (int i = 0; i < HIGH; i++) {
            Value value = Value(0);
            if (WHOLE || i < rows) {
                const StoredA v = a[i * s.a_row + k * column];
                value = $cast_a;
            }
            lane = put_value(lane, HIGH, value);
        }
    }
}

// Packs columns k0 to k0 + steps of a panel of rows.
__device__ inline void pack_left(Lane *to, const StoredA *a, const Shape &s,
                                 long long row0, long long k0,
                                 long long steps)
{
    a += row0 * s.a_row + k0 * s.a_column;
    if (row0 + HIGH > s.rows) {
        pack_rows<false>(to, a, s, steps, s.a_column, s.rows - row0);
    } else if (s.a_column == 1) {
        pack_rows<true>(to, a, s, steps, 1, HIGH);
    } else {
        pack_rows<true>(to, a, s, steps, s.a_column, HIGH);
    }
}

template <bool WHOLE>
__device__ inline void pack_columns(Lane *to, const StoredB *b,
                                    const Shape &s, long long steps,
                                    long long column, long long columns)
{
    for (long long k = 0; k < steps; k++) {
        Lane *lane = to + k * WIDE * PARTS;
#pragma unroll 1
        for (int j = 0; j < WIDE; j++) {
            Value value = Value(0);
            if (WHOLE || j < columns) {
                const StoredB v = b[k * s.b_row + j * column];
                value = $cast_b;
            }
            lane = put_value(lane, WIDE, value);
        }
    }
}

// Packs rows k0 to k0 + steps of a panel of columns.
__device__ inline void pack_right(Lane *to, const StoredB *b, const Shape &s,
                                  long long column0, long long k0,
                                  long long steps)
{
    b += column0 * s.b_column + k0 * s.b_row;
    if (column0 + WIDE > s.columns) {
        pack_columns<false>(to, b, s, steps, s.b_column, s.columns - column0);
    } else if (s.b_column == 1) {
        pack_columns<true>(to, b, s, steps, 1, WIDE);
    } else {
        pack_columns<true>(to, b, s, steps, s.b_column, WIDE);
    }
}

// Adds `steps` products to a tile of HIGH by WIDE, with parts of complex
// numbers side by side, or to zeros.
template <bool FIRST>
__device__ inline void add_products(Lane *tile, const Lane *left,
                                    const Lane *right, long long steps)
{
    Vector sums[HIGH][VECTORS * PARTS];
    Vector *rows = reinterpret_cast<Vector *>(tile);
#pragma unroll
    for (int i = 0; i < HIGH; i++) {
#pragma unroll
        for (int j = 0; j < VECTORS * PARTS; j++) {
            sums[i][j] = FIRST ? (Vector)(Lane)0
                               : rows[i * VECTORS * PARTS + j];
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

// Stores the first `rows` rows and `columns` columns of the tile in the matrix
// at `c`.
__device__ inline void store_part(Out *c, const Lane *tile, const Shape &s,
                                  long long column, int rows, int columns)
{
    for (int i = 0; i < rows; i++) {
#pragma unroll 1
        for (int j = 0; j < columns; j++) {
            Value v = Value(0);
            Lane *lanes = reinterpret_cast<Lane *>(&v);
            for (int part = 0; part < PARTS; part++) {
                lanes[part] = tile[(i * PARTS + part) * WIDE + j];
            }
            c[i * s.c_row + j * column] = $cast_out;
        }
    }
}

// Stores the complete tile if columns are adjacent in memory.
__device__ inline void store_whole(Out *c, const Lane *tile, const Shape &s)
{
#if $out_is_lane
    // Loads vectors of the width that was stored: a wider load would wait for
    // the stores.
    const Vector *vectors = reinterpret_cast<const Vector *>(tile);
    for (int i = 0; i < HIGH; i++) {
        for (int j = 0; j < VECTORS; j++) {
            *(Loose *)(c + i * s.c_row + j * LANES) = *vectors++;
        }
    }
#else
    store_part(c, tile, s, 1, HIGH, WIDE);
#endif
}

__device__ inline void store_tile(Out *c, const Lane *tile, const Shape &s,
                                  long long row0, long long column0)
{
    const long long rows = s.rows - row0, columns = s.columns - column0;
    c += row0 * s.c_row + column0 * s.c_column;
    if (rows >= HIGH && columns >= WIDE && s.c_column == 1) {
        store_whole(c, tile, s);
    } else {
        store_part(c, tile, s, s.c_column, rows < HIGH ? (int)rows : HIGH,
                   columns < WIDE ? (int)columns : WIDE);
    }
}
