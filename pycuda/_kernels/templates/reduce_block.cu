    Value result = block_sum(partial[0]);
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) {
            *out = result;
        }
        return;
    }
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = result;
    }
    if (!done || !last_block(done)) {
        return;
    }
    result = $neutral;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += $block) {
        result = combine(result, partials[i]);
    }
    result = block_sum(result);
    if (threadIdx.x == 0) {
        *out = result;
    }
