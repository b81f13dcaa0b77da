// Tiles exchange the total of their elements: here, a sum with its rounding
// error.
struct Total {
    Value sum, lost;
};

__device__ inline Total total_of(const Value &x)
{
    return Total{x, Value()};
}

__device__ inline Total extended(Total a, const Value &x)
{
    keep(a.sum, a.lost, x);
    return a;
}

__device__ inline Total chained(Total a, const Total &b)
{
    keep(a.sum, a.lost, b.sum);
    a.lost = combine(a.lost, b.lost);
    return a;
}

__device__ inline Value value_of(const Total &a)
{
    return settled(a.sum, a.lost);
}

