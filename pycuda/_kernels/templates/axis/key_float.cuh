// The greatest key is the best element's: an integer in the order of numbers,
// with one key for both zeros, and the greatest for NaNs.
typedef $key Key;

__device__ inline Key key_of(Element x)
{
    const Element plain = x + Element(0); // no negative zero
    Key bits;
    memcpy(&bits, &plain, sizeof bits);
    bits ^= bits >> $bits & ~((Key)1 << $bits);
    return x != x ? ~((Key)1 << $bits) : ${turn}bits;
}

__device__ inline bool ahead(Key x, Key y)
{
    return x > y;
}

