// kernels.cl - the kernels of kernels.cu that cpu_peers.py measures, as OpenCL
// C for PoCL; each has its twin there.
// SPDX-License-Identifier: MIT

kernel void multiply(global float *d, global const float *a,
                     global const float *b, int n)
{
    int i = get_global_id(0);
    if (i < n)
        d[i] = a[i] * b[i];
}

kernel void sine(global float *d, global const float *a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        d[i] = sin(a[i]);
}

kernel void block_sum(global float *sums, global const float *a, int n)
{
    local float partial[256];
    int t = get_local_id(0), i = get_group_id(0) * 256 + t;
    partial[t] = i < n ? a[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_row = 128; half_row > 0; half_row /= 2) {
        if (t < half_row)
            partial[t] += partial[t + half_row];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        sums[get_group_id(0)] = partial[0];
}

kernel void transpose(global float *out, global const float *in, int n)
{
    local float tile[32][33];
    int x = get_group_id(0) * 32, y = get_group_id(1) * 32;
    int tx = get_local_id(0);
    for (int row = get_local_id(1); row < 32; row += 8)
        tile[row][tx] = in[(y + row) * n + x + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = get_local_id(1); row < 32; row += 8)
        out[(x + row) * n + y + tx] = tile[tx][row];
}

kernel void matmul(global float *c, global const float *a,
                   global const float *b, int n)
{
    local float as[16][16], bs[16][16];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = get_group_id(1) * 16 + ty, column = get_group_id(0) * 16 + tx;
    float sum = 0;
    for (int start = 0; start < n; start += 16) {
        as[ty][tx] = a[row * n + start + tx];
        bs[ty][tx] = b[(start + ty) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k)
            sum += as[ty][k] * bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

kernel void histogram(global unsigned *bins, global const uchar *bytes, int n)
{
    local unsigned own[256];
    int t = get_local_id(0);
    own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_group_id(0) * 256 + t; i < n;
         i += get_num_groups(0) * 256)
        atomic_inc(&own[bytes[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], own[t]);
}
