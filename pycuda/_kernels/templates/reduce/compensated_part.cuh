// A sum together with its rounding error, so that the errors of many terms do
// not accumulate (Knuth's exact difference of a sum).
__device__ inline void keep_part($part &sum, $part &lost, $part x)
{
    const $part next = sum + x;
    const $part came = next - sum;
    lost += (sum - (next - came)) + (x - came);
    sum = next;
}

__device__ inline $part settled_part($part sum, $part lost)
{
    // The rounding error of an infinite sum is not a number.
    return sum - sum == 0 ? sum + lost : sum;
}

