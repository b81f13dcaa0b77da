// The largest key belongs to the best element.
typedef Element Key;

__device__ inline Key key_of(Element x)
{
    return Key(${turn}x);
}

__device__ inline bool precedes(Key x, Key y)
{
    return x > y;
}

