// Sections of this folder are compiled by NVRTC and by the CPU device; the
// head of tools/oracle/entries.py says how.

//: kernel
__global__ void k(int *x) { *x = 1; }

//: result_of_a_kernel
__global__ void run(unsigned *out) { out[threadIdx.x] = threadIdx.x * 3; }
