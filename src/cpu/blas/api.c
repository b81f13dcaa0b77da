/* api.c - implements the cuBLAS functions of src/api/cublas_rows.h.
 *
 * Called by users of the library. A CBLAS library that the process has loaded
 * (cblas_library.c), such as NumPy's, computes the matrix products in stream
 * order. The calling thread computes a small product if the stream is idle.
 * Types that CBLAS does not have are not supported, and matrices must be in
 * memory that the device knows.
 *
 * With PYCUDA_CPU_CHECK no handle can be created, since the checks cannot see
 * the memory accesses of a library.
 *
 * A handle belongs to its context and is freed with it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/blas/blas.h"
#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/memory.h"
#include "cpu/stream/host_function.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"

/* The calling thread computes products up to this size itself instead of
 * waking a worker thread. The unit is the time of one multiplication of
 * floats. A product of this size takes about a third of a millisecond. */
#define SMALL_WORK (1 << 25)

/* A cuBLAS handle. `stream` is atomic because several threads may set it. */
struct blas_handle {
    uint64_t context_id;
    const struct blas_library *library;
    CUstream _Atomic stream;
};

#define DECLARE(base, symbol, parameters, arguments)                          \
    cublasStatus_t symbol parameters;
#define CUBLAS_ROW DECLARE
#include "api/cublas_rows.h"

/* Converts an error code of the driver API to a cuBLAS status. */
static cublasStatus_t
status_from_result(CUresult code)
{
    switch (code) {
    case CUDA_SUCCESS:
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        return CUBLAS_STATUS_NOT_INITIALIZED;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return CUBLAS_STATUS_ALLOC_FAILED;
    case CUDA_ERROR_INVALID_HANDLE:
        return CUBLAS_STATUS_INVALID_VALUE;
    default:
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

CPU_API cublasStatus_t
cublasCreate_v2(cublasHandle_t *handle)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return status_from_result(code);
    }
    if (!handle) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    const struct blas_library *library =
        cpu_check_flags ? NULL : cpu_blas_library_find();
    if (!library) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    struct blas_handle *blas = calloc(1, sizeof *blas);
    if (!blas) {
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    blas->context_id = ctx->id;
    blas->library = library;
    *handle = cpu_handle_new(CPU_BLAS, blas, ctx->id);
    if (!*handle) {
        free(blas);
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    return CUBLAS_STATUS_SUCCESS;
}

CPU_API cublasStatus_t
cublasDestroy_v2(cublasHandle_t handle)
{
    struct blas_handle *blas = cpu_handle_object(CPU_BLAS, handle);

    if (!blas || !cpu_handle_delete(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    free(blas);
    return CUBLAS_STATUS_SUCCESS;
}

CPU_API cublasStatus_t
cublasSetStream_v2(cublasHandle_t handle, CUstream stream)
{
    struct blas_handle *blas = cpu_handle_object(CPU_BLAS, handle);

    if (!blas) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    atomic_store(&blas->stream, stream);
    return CUBLAS_STATUS_SUCCESS;
}

/* Accepts every math mode and ignores it: all products are computed with the
 * full precision of their type. */
CPU_API cublasStatus_t
cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    (void)mode;
    return cpu_handle_object(CPU_BLAS, handle) ? CUBLAS_STATUS_SUCCESS
                                               : CUBLAS_STATUS_NOT_INITIALIZED;
}

/* ---- products ---- */

static const struct type_row {
    cudaDataType type;
    cublasComputeType_t compute;
    size_t alignment;
    /* cost of one multiplication of elements of this type; 1 for floats */
    int work;
} types[BLAS_TYPES] = {
    [BLAS_S] = {CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 1},
    [BLAS_D] = {CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, 2},
    [BLAS_C] = {CUDA_C_32F, CUBLAS_COMPUTE_32F, 4, 4},
    [BLAS_Z] = {CUDA_C_64F, CUBLAS_COMPUTE_64F, 8, 8},
};

/* Returns the type of a product of matrices with these element types, or
 * BLAS_TYPES if CBLAS has no such product. */
static enum blas_type
type_find(cudaDataType a, cudaDataType b, cudaDataType c,
          cublasComputeType_t compute)
{
    int type = 0;

    while (type < BLAS_TYPES && (types[type].type != a || a != b || a != c ||
                                 types[type].compute != compute)) {
        type++;
    }
    return (enum blas_type)type;
}

static bool
operation_is_known(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

static int
at_least_one(int value)
{
    return value > 1 ? value : 1;
}

/* Returns true if operations, sizes and leading dimensions are valid. */
static bool
product_is_valid(const struct blas_product *p)
{
    int a_rows = p->a_op == CUBLAS_OP_N ? p->m : p->k;
    int b_rows = p->b_op == CUBLAS_OP_N ? p->k : p->n;

    return operation_is_known(p->a_op) && operation_is_known(p->b_op) &&
           p->m >= 0 && p->n >= 0 && p->k >= 0 && p->count >= 0 &&
           p->a_lead >= at_least_one(a_rows) &&
           p->b_lead >= at_least_one(b_rows) &&
           p->c_lead >= at_least_one(p->m);
}

/* Returns true if `base` is aligned and all p->count matrices of one operand
 * are inside one allocation of device memory. `step` is the distance between
 * two matrices, in elements. */
static bool
matrices_are_valid(const struct blas_product *p, const char *base, int rows,
                   int columns, int lead, long long step)
{
    size_t size = cpu_blas_itemsize(p->type), between, all;

    if (!rows || !columns) {
        return true;
    }
    if ((uintptr_t)base % types[p->type].alignment || step < 0 ||
        __builtin_mul_overflow((size_t)step, (size_t)p->count - 1, &between)) {
        return false;
    }
    size_t one = (size_t)(columns - 1) * (size_t)lead + (size_t)rows;
    return !__builtin_add_overflow(between, one, &all) &&
           !__builtin_mul_overflow(all, size, &all) &&
           !cpu_memory_check((CUdeviceptr)(uintptr_t)base, all);
}

static bool
memory_is_valid(const struct blas_product *p)
{
    bool a_untransposed = p->a_op == CUBLAS_OP_N,
         b_untransposed = p->b_op == CUBLAS_OP_N;

    return matrices_are_valid(p, p->a, a_untransposed ? p->m : p->k,
                              a_untransposed ? p->k : p->m, p->a_lead,
                              p->a_step) &&
           matrices_are_valid(p, p->b, b_untransposed ? p->k : p->n,
                              b_untransposed ? p->n : p->k, p->b_lead,
                              p->b_step) &&
           matrices_are_valid(p, p->c, p->m, p->n, p->c_lead, p->c_step);
}

static bool
is_small(const struct blas_product *p)
{
    double work = (double)p->m * p->n * at_least_one(p->k) * p->count;

    return work * types[p->type].work <= SMALL_WORK;
}

/* Validates the product and submits it to the handle's stream. Copies the
 * scalars *alpha and *beta before it returns. */
static cublasStatus_t
product_submit(cublasHandle_t handle, struct blas_product *p,
               const void *alpha, const void *beta)
{
    const struct blas_handle *blas = cpu_handle_object(CPU_BLAS, handle);
    struct cpu_context *ctx;
    struct cpu_stream *stream;

    if (!blas) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    CUresult code = cpu_stream_current(blas->stream, &ctx, &stream);
    if (code) {
        return status_from_result(code);
    }
    if (p->type == BLAS_TYPES) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (ctx->id != blas->context_id || !alpha || !beta ||
        !product_is_valid(p)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (!p->m || !p->n || !p->count) {
        return CUBLAS_STATUS_SUCCESS;
    }
    if (!memory_is_valid(p)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    p->library = blas->library;
    memcpy(&p->alpha, alpha, cpu_blas_itemsize(p->type));
    memcpy(&p->beta, beta, cpu_blas_itemsize(p->type));
    return status_from_result(cpu_run_async(stream, CU_GRAPH_NODE_TYPE_HOST,
                                            cpu_blas_run, p, sizeof *p,
                                            is_small(p)));
}

CPU_API cublasStatus_t
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
    struct blas_product product = {
        .type = type_find(a_type, b_type, c_type, compute),
        .a_op = a_op,
        .b_op = b_op,
        .m = m,
        .n = n,
        .k = k,
        .count = count,
        .a = a,
        .b = b,
        .c = c,
        .a_lead = a_lead,
        .b_lead = b_lead,
        .c_lead = c_lead,
        .a_step = a_step,
        .b_step = b_step,
        .c_step = c_step};

    (void)algorithm; /* ignored: the algorithm is only a hint */
    return product_submit(handle, &product, alpha, beta);
}

CPU_API cublasStatus_t
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
