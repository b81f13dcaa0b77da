// $width neighbouring elements a thread, moved as one word where they can be.
template <class T> struct alignas(sizeof(T) * $width) Pack {
    T at[$width];
};

extern "C" __global__ void $name($parameters, unsigned long long size)
{
    unsigned long long first =
        ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x) * $width;
    if (first + $width <= size) {
$packs
        Pack<$out_type> out_pack;
#pragma unroll
        for (int k = 0; k < $width; k++) {
$pack_loads
            out_pack.at[k] = $result;
        }
        *reinterpret_cast<Pack<$out_type> *>(out + first) = out_pack;
    } else {
        for (unsigned long long i = first; i < size; i++) {
$loads
            out[i] = $result;
        }
    }
}
