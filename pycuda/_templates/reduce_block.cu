    __shared__ __align__(16) unsigned char memory[$block * sizeof(Value)];
    Value *shared = reinterpret_cast<Value *>(memory);
    shared[threadIdx.x] = partial[0];
    for (int step = $block / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) {
            shared[threadIdx.x] =
                combine(shared[threadIdx.x], shared[threadIdx.x + step]);
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = shared[0];
    }
