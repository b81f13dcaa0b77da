    Value result = block_sum(mine);
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
    Value rest = Value();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += $block) {
        keep(result, rest, partials[i]);
    }
    result = block_sum(settled(result, rest));
    if (threadIdx.x == 0) {
        *out = result;
    }
