// Returns the value of the thread `step` positions ahead in the warp; all
// threads of the warp must call it.
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

// Combines the values of all threads. Each warp combines its own values
// without waiting for the others: a small reduction would otherwise spend most
// of its time waiting.
__device__ inline Value block_sum(Value value)
{
    enum { LANES = 32, WARPS = $block / LANES };
    __shared__ __align__(16) unsigned char memory[WARPS * sizeof(Value)];
    Value *shared = reinterpret_cast<Value *>(memory);
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2) {
        value = combine(value, value_after(value, step));
    }
    // Threads may still read the shared memory of an earlier call.
    __syncthreads();
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

// Returns whether all other blocks have stored their results.
__device__ inline bool last_block(unsigned *done)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        const unsigned most = gridDim.x - 1;
#if __CUDA_ARCH__ >= 800 && !defined(__PYCUDA_CPU__)
        // An atomic with memory ordering is faster than two fences. The last
        // block's increment sets the counter to 0; the explicit store below
        // informs the compiler, which otherwise generates a slower loop for a
        // dot product.
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
