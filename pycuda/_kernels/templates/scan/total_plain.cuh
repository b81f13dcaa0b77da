// Tiles exchange the total of their elements: here, one value.
typedef Value Total;

__device__ inline Total total_of(const Value &x)
{
    return x;
}

__device__ inline Total extended(const Total &a, const Value &x)
{
    return combine(a, x);
}

__device__ inline Total chained(const Total &a, const Total &b)
{
    return combine(a, b);
}

__device__ inline Value value_of(const Total &a)
{
    return a;
}

