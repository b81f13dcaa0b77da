// A block is one thread.
__device__ inline Value block_sum(Value value)
{
    return value;
}

// Whether all other blocks have left their results.
__device__ inline bool last_block(unsigned *done)
{
    __threadfence();
    const bool last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
    return last;
}
