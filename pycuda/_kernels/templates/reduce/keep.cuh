$keep_part
// A sum takes a term; `lost` is what rounding took from it.
__device__ inline void keep($summed &sum, $summed &lost, const $summed &x)
{
    $keep
}

__device__ inline $summed settled(const $summed &sum, const $summed &lost)
{
    return $settled;
}

