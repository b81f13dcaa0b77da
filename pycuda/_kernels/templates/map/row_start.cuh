    // Computes the offset at which the block's row starts, and the part of the
    // row that the block handles.
    unsigned row = blockIdx.x / (unsigned)layout.blocks;
    unsigned part = blockIdx.x - row * (unsigned)layout.blocks;
    long long offset[$operands] = {};
    for (int axis = $ndim - 2; axis >= 0; axis--) {
        unsigned length = (unsigned)layout.shape[axis];
        unsigned rest = row / length;
        unsigned index = row - rest * length;
        for (int k = 0; k < $operands; k++) {
            offset[k] += index * layout.strides[k][axis];
        }
        row = rest;
    }
