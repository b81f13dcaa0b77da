// Products of small matrices for threads that run sequentially, one per block:
// each block packs its own panels. It computes `each` panels of rows of the
// product of one batch item, or all rows.
enum { MAX_PANELS = $most_panels, MAX_INNER = $most_inner };

extern "C" __global__ void matmul(Out *c, const StoredA *a, const StoredB *b,
                                  const Shape s, long long each)
{
    __align__(64) Lane left[MAX_PANELS * MAX_INNER * HIGH * PARTS];
    __align__(64) Lane right[MAX_INNER * WIDE * PARTS];
    __align__(64) Lane tile[HIGH * WIDE * PARTS];
    const long long blocks = (panels_down(s) + each - 1) / each;
    const long long batch = blockIdx.x / blocks;
    const long long panel0 = blockIdx.x % blocks * each;
    const int count = panels_down(s) - panel0 < each ? (int)(panels_down(s) - panel0)
                                                 : (int)each;
    a = (const StoredA *)((const char *)a +
                          offset_of<$ndim>(batch, s.shape, s.a));
    b = (const StoredB *)((const char *)b +
                          offset_of<$ndim>(batch, s.shape, s.b));
    c = (Out *)((char *)c + offset_of<$ndim>(batch, s.shape, s.c));
    const long long panel = s.inner * HIGH * PARTS;
    for (int i = 0; i < count; i++) {
        pack_left(left + i * panel, a, s, (panel0 + i) * HIGH, 0, s.inner);
    }
    for (long long j = 0; j < panels_across(s); j++) {
        pack_right(right, b, s, j * WIDE, 0, s.inner);
        for (int i = 0; i < count; i++) {
            add_products<true>(tile, left + i * panel, right, s.inner);
            store_tile(c, tile, s, (panel0 + i) * HIGH, j * WIDE);
        }
    }
}
