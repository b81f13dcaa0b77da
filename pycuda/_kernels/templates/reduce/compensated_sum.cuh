$keep_part
// Adds a term to a sum, and the rounding error of that addition to `lost`.
__device__ inline void keep($summed &sum, $summed &lost, const $summed &x)
{
    $keep
}

__device__ inline $summed settled(const $summed &sum, const $summed &lost)
{
    return $settled;
}

