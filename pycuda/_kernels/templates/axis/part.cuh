    // The block's part of the reduced elements.
    const long long first = blockIdx.y * axes.span;
    const long long end = first + axes.span < axes.length
                              ? first + axes.span
                              : axes.length;
