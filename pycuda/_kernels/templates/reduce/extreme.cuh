// The largest or smallest of four numbers and the previous result. One
// comparison detects NaN in two numbers, and `lost` records it, which takes
// half the time of testing all four. With more than four numbers, compilers
// would load the last ones first.
__device__ inline void keep_extreme($number &best, $number &lost,
                                    const $number *x)
{
    const $number a = x[0] $better x[1] ? x[0] : x[1];
    const $number b = x[2] $better x[3] ? x[2] : x[3];
    const $number better = a $better b ? a : b;
    const bool is_nan =
        (x[0] != x[0]) | (x[1] != x[1]) | (x[2] != x[2]) | (x[3] != x[3]);
    best = best $better better ? best : better;
    lost = is_nan ? $number(NAN) : lost;
}

