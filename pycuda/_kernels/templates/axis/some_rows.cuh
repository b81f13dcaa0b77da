    // The thread handles the rows up to `row_end`.
    const long long inner = axes.reduced[$reduced - 1];
    const long long step = $step;
    const long long outer = axes.length / inner;
    const long long row_end = (blockIdx.x + 1) * axes.per_block < axes.rows
                                  ? (blockIdx.x + 1) * axes.per_block
                                  : axes.rows;
    // A part is a range of indices of the only reduced axis or, if there are
    // several, of the outer reduced axes.
    const long long first = blockIdx.y * axes.span;
    const long long limit = outer > 1 ? outer : inner;
    const long long end = first + axes.span < limit ? first + axes.span
                                                    : limit;
