// One thread per element; all operands are contiguous in the same order.
extern "C" __global__ void $name($parameters, unsigned long long size)
{
    unsigned long long i =
        (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
$loads
        out[i] = $result;
    }
}
