// Returns the best number of a run, or NaN if the run contains one. It uses
// $lanes accumulators.
__device__ inline Key best_key(const Stored *__restrict__ run,
                               const long long step, const int count)
{
    Key best[$lanes], lost[$lanes];
    for (int k = 0; k < $lanes; k++) {
        best[k] = $worst;
    }
    for (int k = 0; k < $lanes; k++) {
        lost[k] = Key();
    }
    int j = 0;
    for (; j + 4 * $lanes <= count; j += 4 * $lanes) {
        for (int part = 0; part < $lanes; part += $piece) {
            const Stored *from = &at(run, (j + 4 * part) * step);
            for (int k = 0; k < $piece; k++) {
                Key some[4];
#pragma unroll
                for (int g = 0; g < 4; g++) {
                    const Stored v = at(from, (g * $piece + k) * step);
                    some[g] = $element;
                }
                keep_extreme(best[part + k], lost[part + k], some);
            }
        }
    }
    for (; j < count; j += $lanes) {
        const int left = count - j < $lanes ? count - j : $lanes;
        const Stored *from = &at(run, j * step);
        for (int k = 0; k < left; k++) {
            const Stored v = at(from, k * step);
            const Key x = $element;
            best[k] = best[k] $better x ? best[k] : x;
            lost[k] = x != x ? Key(NAN) : lost[k];
        }
    }
    bool is_nan = false;
    for (int k = 0; k < $lanes; k++) {
        is_nan |= lost[k] != lost[k];
    }
#pragma unroll
    for (int half = $lanes / 2; half > 0; half /= 2) {
#pragma unroll
        for (int k = 0; k < half; k++) {
            best[k] = best[k] $better best[k + half] ? best[k] : best[k + half];
        }
    }
    return is_nan ? Key(NAN) : best[0];
}

