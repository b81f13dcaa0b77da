/* cublas_typed_rows.h - the matrix products of cuBLAS whose names contain the
 * type: cublasSgemm, cublasSgemmStridedBatched and so on, one row per type.
 *
 * Define CUBLAS_TYPED_ROW(letter, type, data, compute) and include this file,
 * which undefines it. `type` is the C type of scalars and matrices in the
 * declarations; it is void for complex numbers. `data` and `compute` are the
 * arguments of cublasGemmEx for the same product.
 *
 * SPDX-License-Identifier: MIT */

/* clang-format off */

CUBLAS_TYPED_ROW(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
CUBLAS_TYPED_ROW(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
CUBLAS_TYPED_ROW(C, void, CUDA_C_32F, CUBLAS_COMPUTE_32F)
CUBLAS_TYPED_ROW(Z, void, CUDA_C_64F, CUBLAS_COMPUTE_64F)
#undef CUBLAS_TYPED_ROW
