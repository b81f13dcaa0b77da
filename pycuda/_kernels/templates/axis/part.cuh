    // The part of the reduced elements that the block does.
    const long long first = blockIdx.y * axes.span;
    const long long end = first + axes.span < axes.length
                              ? first + axes.span
                              : axes.length;
