// Tiles exchange the total of their elements: here, a sum with its rounding
// error, and whether a segment begins in the tile.
struct Total {
    Element sum, lost;
    unsigned head;
};

__device__ inline Total total_of(const Value &x)
{
    return Total{x.value, Element(), x.head};
}

__device__ inline Total chained(Total a, const Total &b)
{
    if (b.head) {
        return b;
    }
    keep(a.sum, a.lost, b.sum);
    a.lost = combine_elements(a.lost, b.lost);
    return a;
}

__device__ inline Total extended(const Total &a, const Value &x)
{
    return chained(a, total_of(x));
}

__device__ inline Value value_of(const Total &a)
{
    return Value{settled(a.sum, a.lost), a.head};
}

