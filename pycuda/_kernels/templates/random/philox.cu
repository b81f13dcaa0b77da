
extern "C" __global__ void draw($type *out, unsigned long long n,
                                unsigned long long position,
                                unsigned int key, unsigned int upper_key,
                                unsigned int number$parameters)
{
    const Sequence from = {make_uint2(key, upper_key), number};
    typedef $maker Maker;
    fill<Maker::WIDTH>(out, n, position, from, Maker($arguments));
}
