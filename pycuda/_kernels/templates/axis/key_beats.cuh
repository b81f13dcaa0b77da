typedef Element Key;

__device__ inline Key key_of(Element x)
{
    return x;
}

__device__ inline bool precedes(Key x, Key y)
{
    return beats(x, y);
}

