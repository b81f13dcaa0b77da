    // Computes where the row `pycuda_row` starts, in each operand.
    long long pycuda_start[$operands];
    for (int k = 0; k < $operands; k++) {
        pycuda_start[k] = pycuda_all.start[k];
    }
    for (int axis = $ndim - 2; axis >= 0; axis--) {
        const unsigned length = (unsigned)pycuda_all.shape[axis];
        const unsigned rest = pycuda_row / length;
        const unsigned index = pycuda_row - rest * length;
        for (int k = 0; k < $operands; k++) {
            pycuda_start[k] += index * pycuda_all.strides[k][axis];
        }
        pycuda_row = rest;
    }
