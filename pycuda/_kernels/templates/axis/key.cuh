// The greatest key is the best element's.
typedef Element Key;

__device__ inline Key key_of(Element x)
{
    return Key(${turn}x);
}

__device__ inline bool ahead(Key x, Key y)
{
    return x > y;
}

