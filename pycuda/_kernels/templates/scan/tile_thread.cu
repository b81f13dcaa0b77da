// Single pass: each block has one thread, which scans a tile. It reads the
// tile twice, the second time from the cache, as $runs interleaved runs, whose
// operations are independent of each other.
enum { RUNS = $runs, RUN = $run, TILE = RUNS * RUN };

// Combines all previous tiles; waits until each has published its total.
__device__ inline Total look_back(const Word *state, unsigned tile)
{
    Parts<Total> parts;
    unsigned at = tile, flag;
    do {
        at--;
        do {
            flag = look(state, at, parts);
        } while (flag == EMPTY);
    } while (flag != PREFIX);
    Total result = Total();
    join_parts(result, parts);
    for (at++; at < tile; at++) {
        do {
            flag = look(state, at, parts);
        } while (flag == EMPTY);
        Total total = result;
        join_parts(total, parts);
        result = flag == PREFIX ? total : chained(result, total);
    }
    return result;
}

// Scans from `first` up to, but not including, `end`, element by element.
__device__ inline Total scan_run(const Stored *in$heads_parameter, Out *out,
                                 unsigned long long first,
                                 unsigned long long end, Total so_far,
                                 bool some)
{
    for (unsigned long long i = first; i < end; i++) {
        const Value v = loaded(in[i]$heads_element);
        const Value before = value_of(so_far);
        so_far = some ? extended(so_far, v) : total_of(v);
        const Value next = value_of(so_far);
        const $result_type x = $result;
        out[i] = $finish;
        some = true;
    }
    return so_far;
}

extern "C" __global__ void $name(const Stored *in$heads_parameter, Out *out,
                                 unsigned long long n, Word *state)
{
    if (gridDim.x == 1) {
        scan_run(in$heads_argument, out, 0, n, Total(), false);
        return;
    }
    // Tiles are numbered in the order in which blocks start, so no block waits
    // for a later one.
    const unsigned tile = atomicAdd((unsigned *)state, 1u);
    const unsigned long long start = (unsigned long long)tile * TILE;
    if (n - start < TILE) {
        // Only the last tile may be incomplete. It publishes no total, because
        // no block waits for it.
        scan_run(in$heads_argument, out, start, n, look_back(state, tile),
                 true);
        return;
    }
    Total sums[RUNS];
    for (int r = 0; r < RUNS; r++) {
        const unsigned long long i = start + r * RUN;
        sums[r] = total_of(loaded(in[i]$heads_element));
    }
    for (int j = 1; j < RUN; j++) {
#pragma unroll
        for (int r = 0; r < RUNS; r++) {
            const unsigned long long i = start + r * RUN + j;
            sums[r] = extended(sums[r], loaded(in[i]$heads_element));
        }
    }
    Total total = sums[0];
    for (int r = 1; r < RUNS; r++) {
        total = chained(total, sums[r]);
    }
    Total so_far = Total();
    if (tile > 0) {
        publish(state, tile, total, TOTAL);
        so_far = look_back(state, tile);
        total = chained(so_far, total);
    }
    publish(state, tile, total, PREFIX);
    // Only the first run of the first tile has no previous value.
    so_far = scan_run(in$heads_argument, out, start, start + RUN, so_far,
                      tile > 0);
    for (int r = 1; r < RUNS; r++) {
        const Total next = chained(so_far, sums[r]);
        sums[r] = so_far;
        so_far = next;
    }
    for (int j = 0; j < RUN; j++) {
#pragma unroll
        for (int r = 1; r < RUNS; r++) {
            const unsigned long long i = start + r * RUN + j;
            const bool some = true;
            const Value v = loaded(in[i]$heads_element);
            const Value before = value_of(sums[r]);
            sums[r] = extended(sums[r], v);
            const Value next = value_of(sums[r]);
            const $result_type x = $result;
            out[i] = $finish;
        }
    }
}
