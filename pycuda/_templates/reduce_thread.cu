    out[blockIdx.x] = partial[0];
