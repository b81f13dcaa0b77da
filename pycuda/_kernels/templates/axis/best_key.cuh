// The best key of a run.
__device__ inline Key best_key(const Stored *run, const long long step,
                               const int count)
{
    const Stored v = at(run, 0);
    Key best = key_of($element);
    for (int k = 1; k < count; k++) {
        const Stored v = at(run, k * step);
        const Key key = key_of($element);
        best = precedes(key, best) ? key : best;
    }
    return best;
}

