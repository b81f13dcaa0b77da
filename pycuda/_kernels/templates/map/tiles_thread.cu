// A block, which is one thread, for each square tile of the last two axes:
// what a tile touches stays in the cache.  Inputs that lie across are turned
// first, unless they are all that there is.
struct Layout {
    long long size, blocks, shape[$ndim], strides[$operands][$ndim];
};

extern "C" __global__ void $name($parameters, const Layout layout)
{
    enum { SIDE = $side, LAST = $ndim - 1, BEFORE = $ndim - 2 };
    const unsigned along = (unsigned)layout.blocks;
    const unsigned down =
        (unsigned)((layout.shape[BEFORE] + SIDE - 1) / SIDE);
    unsigned rest = blockIdx.x / along;
    const long long last0 = (long long)(blockIdx.x - rest * along) * SIDE;
    unsigned batch = rest / down;
    const long long before0 = (long long)(rest - batch * down) * SIDE;
    const long long last_left = layout.shape[LAST] - last0;
    const long long before_left = layout.shape[BEFORE] - before0;
    const int fast_end = last_left < SIDE ? (int)last_left : SIDE;
    const int slow_end = before_left < SIDE ? (int)before_left : SIDE;
    long long offset[$operands];
    for (int k = 0; k < $operands; k++) {
        offset[k] = before0 * layout.strides[k][BEFORE] +
                    last0 * layout.strides[k][LAST];
    }
    for (int axis = BEFORE - 1; axis >= 0; axis--) {
        const unsigned length = (unsigned)layout.shape[axis];
        const unsigned next = batch / length;
        for (int k = 0; k < $operands; k++) {
            offset[k] += (batch - next * length) * layout.strides[k][axis];
        }
        batch = next;
    }
$rows
$turns
    for (int slow = 0; slow < slow_end; slow++) {
        for (int fast = 0; fast < fast_end; fast++) {
$loads
            *$out_element = $result;
        }
    }
}
