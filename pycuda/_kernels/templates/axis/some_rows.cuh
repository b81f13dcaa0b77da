    // The thread's rows, up to `row_end`.
    const long long inner = axes.reduced[$reduced - 1];
    const long long step = $step;
    const long long outer = axes.length / inner;
    const long long row_end = (blockIdx.x + 1) * axes.per_block < axes.rows
                                  ? (blockIdx.x + 1) * axes.per_block
                                  : axes.rows;
    // A part is a run of the only reduced axis, or of the outer axes.
    const long long first = blockIdx.y * axes.span;
    const long long limit = outer > 1 ? outer : inner;
    const long long end = first + axes.span < limit ? first + axes.span
                                                    : limit;
