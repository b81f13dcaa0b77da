/* fake.c - a cuBLAS for the CPU device that checks and records its calls.
 *
 * test_cublas.py builds it and sets PYCUDA_CUBLAS to it. Products are computed
 * in plain loops, synchronously, after the stream's work: FAKE_DRIVER names
 * the library of the driver. If FAKE_STATUS is set, every product returns it.
 *
 * SPDX-License-Identifier: MIT */
#include <complex.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/cublas_rows.h"

struct cublasContext {
    CUstream stream;
    int mode;
};

/* The tests read these variables. */
struct fake_record {
    long long creates, destroys, calls, batched;
    long long a_op, b_op, m, n, k, a_lead, b_lead, c_lead;
    long long type, c_type, compute, count, mode;
    unsigned long long stream;
} fake_record;

cublasStatus_t
cublasCreate_v2(cublasHandle_t *handle)
{
    const char *status = getenv("FAKE_CREATE_STATUS");
    if (status != NULL) {
        return (cublasStatus_t)atoi(status);
    }
    *handle = calloc(1, sizeof **handle);
    fake_record.creates++;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasDestroy_v2(cublasHandle_t handle)
{
    free(handle);
    fake_record.destroys++;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasSetStream_v2(cublasHandle_t handle, CUstream stream)
{
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    handle->mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

static int
wait_for(CUstream stream)
{
    CUresult (*synchronize)(CUstream) = NULL;
    void *library = dlopen(getenv("FAKE_DRIVER"), RTLD_NOW);
    void *address = library ? dlsym(library, "cuStreamSynchronize") : NULL;
    memcpy(&synchronize, &address, sizeof address);
    return synchronize != NULL && synchronize(stream) == CUDA_SUCCESS;
}

static double complex
load(const void *matrix, long long at, cudaDataType type)
{
    float narrow;
    uint32_t bits;
    switch (type) {
    case CUDA_R_32F:
        return ((const float *)matrix)[at];
    case CUDA_R_64F:
        return ((const double *)matrix)[at];
    case CUDA_R_16F:
        return (double)((const _Float16 *)matrix)[at];
    case CUDA_R_16BF:
        bits = (uint32_t)((const uint16_t *)matrix)[at] << 16;
        memcpy(&narrow, &bits, sizeof narrow);
        return narrow;
    case CUDA_C_32F:
        return ((const float complex *)matrix)[at];
    default:
        return ((const double complex *)matrix)[at];
    }
}

static uint16_t
round_to_bfloat16(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    if (narrow != narrow) {
        return 0x7fc0;
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void
store(void *matrix, long long at, cudaDataType type, double complex value)
{
    switch (type) {
    case CUDA_R_32F:
        ((float *)matrix)[at] = (float)creal(value);
        break;
    case CUDA_R_64F:
        ((double *)matrix)[at] = creal(value);
        break;
    case CUDA_R_16F:
        ((_Float16 *)matrix)[at] = (_Float16)creal(value);
        break;
    case CUDA_R_16BF:
        ((uint16_t *)matrix)[at] = round_to_bfloat16(creal(value));
        break;
    case CUDA_C_32F:
        ((float complex *)matrix)[at] = (float complex)value;
        break;
    default:
        ((double complex *)matrix)[at] = value;
    }
}

/* The scalars 1 and 0, in the type of the sums. */
static int
scalars_are_right(const void *alpha, const void *beta, cudaDataType type)
{
    int is_complex = type == CUDA_C_32F || type == CUDA_C_64F;
    if (type == CUDA_R_64F || type == CUDA_C_64F) {
        const double *one = alpha, *zero = beta;
        return one[0] == 1 && zero[0] == 0 &&
               (!is_complex || (one[1] == 0 && zero[1] == 0));
    }
    const float *one = alpha, *zero = beta;
    return one[0] == 1 && zero[0] == 0 &&
           (!is_complex || (one[1] == 0 && zero[1] == 0));
}

static long long
place(cublasOperation_t op, long long row, long long column, long long lead)
{
    return op == CUBLAS_OP_N ? row + column * lead : column + row * lead;
}

cublasStatus_t
cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t a_op,
                           cublasOperation_t b_op, int m, int n, int k,
                           const void *alpha, const void *a,
                           cudaDataType a_type, int a_lead, long long a_step,
                           const void *b, cudaDataType b_type, int b_lead,
                           long long b_step, const void *beta, void *c,
                           cudaDataType c_type, int c_lead, long long c_step,
                           int count, cublasComputeType_t compute,
                           cublasGemmAlgo_t algorithm)
{
    int wide = c_type == CUDA_R_64F || c_type == CUDA_C_64F;
    if (m < 1 || n < 1 || k < 1 || count < 1 || a_type != b_type ||
        (a_type != c_type &&
         (a_type != CUDA_R_16BF || c_type != CUDA_R_32F)) ||
        a_lead < (a_op == CUBLAS_OP_N ? m : k) ||
        b_lead < (b_op == CUBLAS_OP_N ? k : n) || c_lead < m ||
        algorithm != CUBLAS_GEMM_DEFAULT || !wait_for(handle->stream) ||
        compute != (wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F) ||
        !scalars_are_right(alpha, beta, c_type)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    struct fake_record *last = &fake_record;
    last->calls++;
    last->batched += count > 1;
    last->a_op = a_op, last->b_op = b_op;
    last->m = m, last->n = n, last->k = k, last->count = count;
    last->a_lead = a_lead, last->b_lead = b_lead, last->c_lead = c_lead;
    last->type = a_type, last->c_type = c_type, last->compute = compute,
    last->mode = handle->mode;
    last->stream = (unsigned long long)handle->stream;
    if (getenv("FAKE_STATUS") != NULL) {
        return (cublasStatus_t)atoi(getenv("FAKE_STATUS"));
    }
    for (long long matrix = 0; matrix < count; matrix++) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double complex sum = 0;
                for (int step = 0; step < k; step++) {
                    sum +=
                        load(a, matrix * a_step + place(a_op, i, step, a_lead),
                             a_type) *
                        load(b, matrix * b_step + place(b_op, step, j, b_lead),
                             a_type);
                }
                store(c, matrix * c_step + i + (long long)j * c_lead, c_type,
                      sum);
            }
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_op,
             cublasOperation_t b_op, int m, int n, int k, const void *alpha,
             const void *a, cudaDataType a_type, int a_lead, const void *b,
             cudaDataType b_type, int b_lead, const void *beta, void *c,
             cudaDataType c_type, int c_lead, cublasComputeType_t compute,
             cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(
        handle, a_op, b_op, m, n, k, alpha, a, a_type, a_lead, 0, b, b_type,
        b_lead, 0, beta, c, c_type, c_lead, 0, 1, compute, algorithm);
}
