"""Kernels that launch kernels: a greeting, and quicksort."""

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import DynamicSourceModule

SOURCE = r"""
#include <cstdio>

__global__ void greeting(int parent)
{
    printf("child %d of thread %d\n", threadIdx.x, parent);
}

__global__ void greetings()
{
    greeting<<<1, 2>>>(threadIdx.x);
}

/* Sorts the numbers from data[first] to data[last]. */
__global__ void sort_part(float *data, int first, int last, int depth)
{
    if (depth == 20 || last - first < 32) {
        for (int i = first + 1; i <= last; i++) {
            float value = data[i];
            int to = i;
            for (; to > first && data[to - 1] > value; to--)
                data[to] = data[to - 1];
            data[to] = value;
        }
        return;
    }
    float pivot = data[(first + last) / 2];
    int low = first, high = last;
    while (low <= high) {
        while (data[low] < pivot)
            low++;
        while (data[high] > pivot)
            high--;
        if (low <= high) {
            float value = data[low];
            data[low++] = data[high];
            data[high--] = value;
        }
    }
    /* Both parts are sorted at the same time, in no particular order. */
    if (first < high)
        sort_part<<<1, 1, 0, cudaStreamFireAndForget>>>(data, first, high,
                                                        depth + 1);
    if (low < last)
        sort_part<<<1, 1, 0, cudaStreamFireAndForget>>>(data, low, last,
                                                        depth + 1);
}

__global__ void sort(float *data, int count)
{
    sort_part<<<1, 1>>>(data, 0, count - 1, 0);
}
"""


def main() -> None:
    module = DynamicSourceModule(SOURCE)
    module.get_function("greetings")(block=(3, 1, 1))
    cuda.Context.synchronize()

    data = np.random.default_rng(1).random(10000, np.float32)
    result = data.copy()
    module.get_function("sort")(
        cuda.InOut(result), np.int32(len(data)), block=(1, 1, 1)
    )
    assert (result == np.sort(data)).all()
    print("Success")


if __name__ == "__main__":
    main()
