// Products of matrices for threads that run in turn, one a block.
//
// `matmul_pack` copies both matrices to panels.  `matmul` then makes blocks of
// the product from them, DEEP steps at a time, in vectors.
enum { PANELS_DOWN = 8, PANELS_ACROSS = 8, DEEP = 256 };

// A block a panel: first those of `a`, then those of `b`.
extern "C" __global__ void matmul_pack(Lane *left, Lane *right,
                                       const StoredA *a, const StoredB *b,
                                       const Shape s)
{
    const long long lefts = s.batches * panels_down(s);
    const bool is_left = blockIdx.x < lefts;
    const long long panels = is_left ? panels_down(s) : panels_across(s);
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

extern "C" __global__ void matmul(Out *c, const Lane *left, const Lane *right,
                                  const Shape s)
{
    enum { TILE = HIGH * WIDE * PARTS };
    __align__(64) Lane tiles[PANELS_DOWN * PANELS_ACROSS * TILE];
    const long long down = (panels_down(s) + PANELS_DOWN - 1) / PANELS_DOWN;
    const long long across = (panels_across(s) + PANELS_ACROSS - 1) / PANELS_ACROSS;
    const long long batch = blockIdx.x / (down * across);
    const long long block = blockIdx.x % (down * across);
    const long long i0 = block / across * PANELS_DOWN;
    const long long j0 = block % across * PANELS_ACROSS;
    const int i_count = panels_down(s) - i0 < PANELS_DOWN
                            ? (int)(panels_down(s) - i0)
                            : PANELS_DOWN;
    const int j_count = panels_across(s) - j0 < PANELS_ACROSS
                            ? (int)(panels_across(s) - j0)
                            : PANELS_ACROSS;
    left += (batch * panels_down(s) + i0) * s.inner * HIGH * PARTS;
    right += (batch * panels_across(s) + j0) * s.inner * WIDE * PARTS;
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
