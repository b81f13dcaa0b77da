// The value that the thread `step` places on in the warp has; all threads of
// the warp are here.
__device__ inline Value value_after(Value value, int step)
{
    unsigned words[(sizeof(Value) + 3) / 4] = {};
    memcpy(words, &value, sizeof value);
#pragma unroll
    for (int k = 0; k < (int)(sizeof words / sizeof *words); k++) {
        words[k] = __shfl_down_sync(0xffffffffu, words[k], step);
    }
    memcpy(&value, words, sizeof value);
    return value;
}

// What the values of all threads combine to.  Each warp makes one of its own
// without waiting for the others: in a small reduction most of the time would
// be waits.
__device__ inline Value block_sum(Value value)
{
    enum { LANES = 32, WARPS = $block / LANES };
    __shared__ __align__(16) unsigned char memory[WARPS * sizeof(Value)];
    Value *shared = reinterpret_cast<Value *>(memory);
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2) {
        value = combine(value, value_after(value, step));
    }
    __syncthreads(); // the memory may be in use
    if (threadIdx.x % LANES == 0) {
        shared[threadIdx.x / LANES] = value;
    }
    __syncthreads();
    Value all[WARPS];
#pragma unroll
    for (int k = 0; k < WARPS; k++) {
        all[k] = shared[k];
    }
    return combined<WARPS>(all);
}

// Whether all other blocks have left their results.
__device__ inline bool last_block(unsigned *done)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        const unsigned most = gridDim.x - 1;
#if __CUDA_ARCH__ >= 800
        // An atomic that orders memory itself, in place of two fences.  It
        // leaves 0 after the last block; the store says so to the compiler,
        // which makes a slower loop of a dot product without it.
        unsigned before;
        asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(done), "r"(most)
                     : "memory");
        last = before == most;
        if (last) {
            *done = 0;
        }
#else
        __threadfence();
        last = atomicInc(done, most) == most;
        __threadfence();
#endif
    }
    __syncthreads();
    return last;
}
