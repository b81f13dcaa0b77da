enum { WIDTH = $width, LOADS = $loads, LANES = $lanes, THREADS = $threads };

#include "numbers/words.cuh"
// Adjacent elements that are moved as one word.
template <class T> struct alignas(sizeof(T) * WIDTH) Pack {
    T at[WIDTH];
};

// Returns the value of the lane whose index is this lane's index ^ bit.
__device__ inline Value from_lane(const Value &value, int bit)
{
    struct {
        unsigned at[(sizeof(Value) + 3) / 4];
    } shuffled = {};
    memcpy(&shuffled, &value, sizeof(Value));
#pragma unroll
    for (int k = 0; k < (int)(sizeof shuffled / 4); k++) {
        shuffled.at[k] = __shfl_xor_sync(0xffffffffu, shuffled.at[k], bit);
    }
    Value result = value;
    memcpy(&result, &shuffled, sizeof(Value));
    return result;
}

