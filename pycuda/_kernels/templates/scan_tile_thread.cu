// One pass: each block is a thread that scans a tile.  It reads the tile
// twice, from a cache the second time, as $runs runs side by side: their
// operations need not wait for each other.
enum { RUNS = $runs, RUN = $run, TILE = RUNS * RUN };

// All tiles before this one; waits until each has said its total.
__device__ inline Value look_back(const Word *state, unsigned tile)
{
    Pieces pieces;
    unsigned at = tile, flag;
    do {
        at--;
        do {
            flag = look(state, at, pieces);
        } while (flag == EMPTY);
    } while (flag != PREFIX);
    Value result = Value();
    take_pieces(result, pieces);
    for (at++; at < tile; at++) {
        do {
            flag = look(state, at, pieces);
        } while (flag == EMPTY);
        Value total = result;
        take_pieces(total, pieces);
        result = flag == PREFIX ? total : combine(result, total);
    }
    return result;
}

// From `first` to before `end`, element after element.
__device__ inline Value scan_run(const Stored *in$heads_parameter, Out *out,
                                 unsigned long long first,
                                 unsigned long long end, Value before,
                                 bool some)
{
    for (unsigned long long i = first; i < end; i++) {
        const Value v = loaded(in[i]$heads_element);
        const Value next = some ? combine(before, v) : v;
        const $result_type x = $result;
        out[i] = $finish;
        before = next;
        some = true;
    }
    return before;
}

extern "C" __global__ void $name(const Stored *in$heads_parameter, Out *out,
                                 unsigned long long n, Word *state)
{
    if (gridDim.x == 1) {
        scan_run(in$heads_argument, out, 0, n, Value(), false);
        return;
    }
    // Tiles are numbered as blocks start, so none waits for a later one.
    const unsigned tile = atomicAdd((unsigned *)state, 1u);
    const unsigned long long start = (unsigned long long)tile * TILE;
    if (n - start < TILE) {
        // The last tile: nobody waits for it.
        scan_run(in$heads_argument, out, start, n, look_back(state, tile),
                 true);
        return;
    }
    Value sums[RUNS];
    for (int r = 0; r < RUNS; r++) {
        const unsigned long long i = start + r * RUN;
        sums[r] = loaded(in[i]$heads_element);
    }
    for (int j = 1; j < RUN; j++) {
#pragma unroll
        for (int r = 0; r < RUNS; r++) {
            const unsigned long long i = start + r * RUN + j;
            sums[r] = combine(sums[r], loaded(in[i]$heads_element));
        }
    }
    Value total = sums[0];
    for (int r = 1; r < RUNS; r++) {
        total = combine(total, sums[r]);
    }
    Value before = Value();
    if (tile > 0) {
        publish(state, tile, total, TOTAL);
        before = look_back(state, tile);
        total = combine(before, total);
    }
    publish(state, tile, total, PREFIX);
    if (tile == 0) {
        // The first run has nothing before it.
        before = scan_run(in$heads_argument, out, start, start + RUN, before,
                          false);
    } else {
        before = scan_run(in$heads_argument, out, start, start + RUN, before,
                          true);
    }
    for (int r = 1; r < RUNS; r++) {
        const Value next = combine(before, sums[r]);
        sums[r] = before;
        before = next;
    }
    for (int j = 0; j < RUN; j++) {
#pragma unroll
        for (int r = 1; r < RUNS; r++) {
            const unsigned long long i = start + r * RUN + j;
            const bool some = true;
            const Value before = sums[r], v = loaded(in[i]$heads_element);
            const Value next = combine(before, v);
            const $result_type x = $result;
            out[i] = $finish;
            sums[r] = next;
        }
    }
}
