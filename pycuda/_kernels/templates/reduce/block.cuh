// What the values of all threads combine to.
__device__ inline Value block_sum(Value value)
{
    __shared__ __align__(16) unsigned char memory[$block * sizeof(Value)];
    Value *shared = reinterpret_cast<Value *>(memory);
    __syncthreads(); // the memory may be in use
    shared[threadIdx.x] = value;
    for (int step = $block / 2; step > 1; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) {
            shared[threadIdx.x] =
                combine(shared[threadIdx.x], shared[threadIdx.x + step]);
        }
    }
    __syncthreads();
    return combine(shared[0], shared[1]);
}

// Whether all other blocks have left their results.
__device__ inline bool last_block(unsigned *done)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    __threadfence();
    return last;
}
