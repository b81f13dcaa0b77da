// Definitions for matrix products: elements are loaded as a Value, the type in
// which they are multiplied and added.
typedef $stored_a StoredA;
typedef $stored_b StoredB;
typedef $out Out;
typedef $value Value;

// c += a * b, rounded once if the device has a fused instruction for it.
__device__ inline void multiply_add(Value &c, Value a, Value b)
{
    $multiply_add
}
