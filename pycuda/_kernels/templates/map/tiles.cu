// A block for each square tile of the last two axes.  Inputs that lie across
// are read along the axis before the last and turned in shared memory, whose
// rows are padded so that columns fall into different banks.
struct Layout {
    long long size, blocks, shape[$ndim], strides[$operands][$ndim];
};

extern "C" __global__ void __launch_bounds__($block)
$name($parameters, const Layout layout)
{
    enum { SIDE = $side, LANES = 32, ROWS = $block / LANES };
    enum { LAST = $ndim - 1, BEFORE = $ndim - 2 };
    enum { DOWN = SIDE / ROWS, WIDE = SIDE / LANES };
$memory
    const unsigned along = (unsigned)layout.blocks;
    const unsigned down =
        (unsigned)((layout.shape[BEFORE] + SIDE - 1) / SIDE);
    unsigned rest = blockIdx.x / along;
    const long long last0 = (long long)(blockIdx.x - rest * along) * SIDE;
    unsigned batch = rest / down;
    const long long before0 = (long long)(rest - batch * down) * SIDE;
    const long long last_left = layout.shape[LAST] - last0;
    const long long before_left = layout.shape[BEFORE] - before0;
    const bool full = last_left >= SIDE && before_left >= SIDE;
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
    // All loads of a thread are under way before the first is waited for.
$buffers
#pragma unroll
    for (int a = 0; a < DOWN; a++) {
#pragma unroll
        for (int b = 0; b < WIDE; b++) {
            const int slow = threadIdx.y + a * ROWS;
            const int fast = threadIdx.x + b * LANES;
            if (full || (slow < last_left && fast < before_left)) {
$across_loads
            }
            if (full || (slow < before_left && fast < last_left)) {
$direct_loads
            }
        }
    }
#pragma unroll
    for (int a = 0; a < DOWN; a++) {
#pragma unroll
        for (int b = 0; b < WIDE; b++) {
            const int slow = threadIdx.y + a * ROWS;
            const int fast = threadIdx.x + b * LANES;
$turns
        }
    }
    __syncthreads();
#pragma unroll
    for (int a = 0; a < DOWN; a++) {
#pragma unroll
        for (int b = 0; b < WIDE; b++) {
            const int slow = threadIdx.y + a * ROWS;
            const int fast = threadIdx.x + b * LANES;
            if (full || (slow < before_left && fast < last_left)) {
$loads
                *$out_element = $result;
            }
        }
    }
}
