    // Range of the reduced elements that this block handles.
    const long long first = blockIdx.y * axes.span;
    const long long end = first + axes.span < axes.length
                              ? first + axes.span
                              : axes.length;
