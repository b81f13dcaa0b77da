typedef $type Value;

__device__ inline Value combine(Value x, Value y)
{
    return $combine;
}

$keep_functions
$block_sum
// Several blocks store their results in `partials`. If there is `done`, a
// counter that is 0 between launches, the last block to finish combines them.
extern "C" __global__ void __launch_bounds__($block)
$name(Value *out, $parameters, unsigned long long size,
      unsigned long long per_block, Value *partials, unsigned *done)
{
    const unsigned long long first = blockIdx.x * per_block;
    const unsigned long long end =
        first + per_block < size ? first + per_block : size;
