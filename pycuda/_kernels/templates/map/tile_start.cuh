    // Computes where the block's tile starts, and how far both axes extend
    // from there.
    enum { LAST = $ndim - 1, BEFORE = $ndim - 2 };
    const unsigned along = (unsigned)layout.blocks;
    const unsigned down =
        (unsigned)((layout.shape[BEFORE] + SIDE - 1) / SIDE);
    unsigned rest = blockIdx.x / along;
    const long long last0 = (long long)(blockIdx.x - rest * along) * SIDE;
    unsigned batch = rest / down;
    const long long before0 = (long long)(rest - batch * down) * SIDE;
    const long long last_left = layout.shape[LAST] - last0;
    const long long before_left = layout.shape[BEFORE] - before0;
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
