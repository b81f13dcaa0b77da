// Matrix products for threads that run sequentially, one per block.
// `matmul_pack` copies both matrices to panels. `matmul` then computes blocks
// of the product from them, DEEP steps at a time, in vectors.
enum { MAX_PANELS = $panels, DEEP = $steps };

// A block packs DEEP steps of a panel: first those of `a`, then those of `b`.
// The same steps of all panels of a matrix are adjacent.
extern "C" __global__ void matmul_pack(Lane *left, Lane *right,
                                       const StoredA *a, const StoredB *b,
                                       const Shape s)
{
    const long long depth = (s.inner + DEEP - 1) / DEEP;
    const long long lefts = s.batches * panels_down(s) * depth;
    const bool is_left = blockIdx.x < lefts;
    const long long panels = is_left ? panels_down(s) : panels_across(s);
    const long long number = is_left ? blockIdx.x : blockIdx.x - lefts;
    const long long panel = number % panels, part = number / panels;
    const long long batch = part / depth, k0 = part % depth * DEEP;
    const long long steps = s.inner - k0 < DEEP ? s.inner - k0 : DEEP;
    const long long line = (batch * s.inner + k0) * panels + panel * steps;
    if (is_left) {
        const char *from = (const char *)a;
        from += offset_of<$ndim>(batch, s.shape, s.a);
        pack_left(left + line * HIGH * PARTS, (const StoredA *)from, s,
                  panel * HIGH, k0, steps);
    } else {
        const char *from = (const char *)b;
        from += offset_of<$ndim>(batch, s.shape, s.b);
        pack_right(right + line * WIDE * PARTS, (const StoredB *)from, s,
                   panel * WIDE, k0, steps);
    }
}

// A block computes i_most by j_most tiles.
extern "C" __global__ void matmul(Out *c, const Lane *left, const Lane *right,
                                  const Shape s, int i_most, int j_most)
{
    enum { TILE = HIGH * WIDE * PARTS };
    __align__(64) Lane tiles[MAX_PANELS * MAX_PANELS * TILE];
    const long long down = (panels_down(s) + i_most - 1) / i_most;
    const long long across = (panels_across(s) + j_most - 1) / j_most;
    const long long batch = blockIdx.x / (down * across);
    const long long block = blockIdx.x % (down * across);
    const long long i0 = block / across * i_most;
    const long long j0 = block % across * j_most;
    const int i_count = panels_down(s) - i0 < i_most
                            ? (int)(panels_down(s) - i0)
                            : i_most;
    const int j_count = panels_across(s) - j0 < j_most
                            ? (int)(panels_across(s) - j0)
                            : j_most;
    left += batch * panels_down(s) * s.inner * HIGH * PARTS;
    right += batch * panels_across(s) * s.inner * WIDE * PARTS;
    c = (Out *)((char *)c + offset_of<$ndim>(batch, s.shape, s.c));

    for (int n = 0; n < i_count * j_count * TILE; n++) {
        tiles[n] = 0;
    }
    for (long long k = 0; k < s.inner; k += DEEP) {
        const long long steps = s.inner - k < DEEP ? s.inner - k : DEEP;
        const Lane *lines =
            left + (k * panels_down(s) + i0 * steps) * HIGH * PARTS;
        const Lane *columns =
            right + (k * panels_across(s) + j0 * steps) * WIDE * PARTS;
        Lane *tile = tiles;
        for (int j = 0; j < j_count; j++) {
            for (int i = 0; i < i_count; i++, tile += TILE) {
                add_products<false>(tile, lines + i * steps * HIGH * PARTS,
                                    columns + j * steps * WIDE * PARTS,
                                    steps);
            }
        }
    }
    for (int i = 0; i < i_count; i++) {
        for (int j = 0; j < j_count; j++) {
            store_tile(c, tiles + (j * i_count + i) * TILE, s,
                       (i0 + i) * HIGH, (j0 + j) * WIDE);
        }
    }
}
