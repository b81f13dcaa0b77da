/* cublas.c - cuBLAS matrix products, with one handle per context.
 *
 * Called by the Python module pycuda._array.blas and by launch plans
 * (src/array), which repeat a product. pycuda._array.blas decides whether
 * cuBLAS can compute a product, and caches whether the context has a handle.
 * Matrices are column-major here. While the stream is captured no product
 * runs, since a graph cannot own the memory of a handle.
 *
 * A handle belongs to one context. Other libraries of the process use the same
 * cuBLAS and may have made another context current. Each call therefore enters
 * the handle's context.
 *
 * Owns the handles (context->cublas). A handle can run only one call at a
 * time, so gemm_lock is held from setting the handle's stream to the end of
 * the call. A thread that holds the lock never waits for the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/cublas.h"
#include "core/code/nvrtc.h"
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/throttle.h"
#include "core/memory/allocation.h"
#include "core/python/errors.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/state.h"
#include "core/stream/current_stream.h"

#include <pthread.h>

static pthread_mutex_t gemm_lock = PTHREAD_MUTEX_INITIALIZER;

/* Name of the PyCapsule that contains a struct product. */
#define PRODUCT "cublas product"

/* A matrix product c = a b without the addresses of a, b and c. */
struct product {
    /* for the factors a and b of c = a b: whether the matrix is used
     * transposed */
    int transposed[2];
    /* c has rows x columns elements; a has `deep` columns, b `deep` rows */
    int rows, columns, deep;
    int lead[3], count;
    /* distance in elements between consecutive matrices of a batch, for a, b
     * and c */
    long long step[3];
    /* cudaDataType of the factors a and b, and of the product c */
    int type, c_type;
};

static int
cublas_check(cublasStatus_t status, const char *routine)
{
    static const struct {
        cublasStatus_t status;
        const char *name;
    } names[] = {
        {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED"},
        {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED"},
        {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE"},
        {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH"},
        {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR"},
        {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED"},
        {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR"},
        {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED"},
        {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR"},
    };
    if (status == CUBLAS_STATUS_SUCCESS) {
        return 0;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].status == status) {
            PyErr_Format(core.runtime_error, "%s failed: %s", routine,
                         names[i].name);
            return -1;
        }
    }
    PyErr_Format(core.runtime_error, "%s failed: status %d", routine,
                 (int)status);
    return -1;
}

/* Opens the cuBLAS library. Releases the GIL while it searches for the
 * library. Returns the library's path, or None if there is no cuBLAS. */
static PyObject *
cublas_open(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    struct api_choice choice;
    int version = 0, status;
    if (core_open() < 0 || core_library_dirs_pass() < 0) {
        return NULL;
    }
    driver.cuDriverGetVersion(&version);
    PyThreadState *thread = core_gil_release();
    status = api_open_cublas(version, &choice);
    core_gil_acquire(thread);
    if (status == 0) {
        return PyUnicode_FromString(choice.library);
    }
    if (choice.text[0] != '\0') {
        PyErr_SetString(PyExc_RuntimeError, choice.text);
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Destroys the context's cuBLAS handle. Releases the GIL while it waits for
 * gemm_lock, since another thread's cuBLAS call may hold the lock. */
void
core_cublas_drop(struct core_context *context)
{
    struct core_scope scope;
    if (context->cublas == NULL || core.forked) {
        /* in a forked child, gemm_lock may be held by a thread that no longer
         * exists */
        return;
    }
    bool inside = core_enter(context, &scope);
    PyThreadState *thread = core_gil_release();
    pthread_mutex_lock(&gemm_lock); /* another thread's call may use the
                                       handle */
    if (inside && context->cublas != NULL) {
        cublas.cublasDestroy(context->cublas);
    }
    context->cublas = NULL;
    pthread_mutex_unlock(&gemm_lock);
    core_gil_acquire(thread);
    if (inside) {
        core_leave(&scope);
    }
}

/* Creates a cuBLAS handle in the current context. Called without the GIL. */
static cublasStatus_t
handle_create(cublasHandle_t *handle)
{
    cublasStatus_t status = cublas.cublasCreate(handle);
    if (status == CUBLAS_STATUS_SUCCESS) {
        /* With this mode cuBLAS keeps the partial sums of float16 products in
         * single precision. */
        cublas.cublasSetMathMode(
            *handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    }
    return status;
}

/* Stores the handle in the context. Destroys it if another thread has already
 * stored one. */
static void
handle_store(struct core_context *context, cublasHandle_t handle)
{
    pthread_mutex_lock(&gemm_lock);
    if (context->cublas == NULL) {
        context->cublas = handle;
    } else {
        cublas.cublasDestroy(handle);
    }
    pthread_mutex_unlock(&gemm_lock);
}

/* Creates the current context's cuBLAS handle. Returns True on success; None
 * if there is not enough memory or cuBLAS does not support the device; False
 * if a capture is open. */
static PyObject *
cublas_handle(PyObject *module, PyObject *given)
{
    (void)module;
    struct core_context *context = core_current();
    cublasHandle_t handle = NULL;
    cublasStatus_t status;
    CUstream stream;
    if (context == NULL || core_stream(given, &stream) < 0) {
        return NULL;
    }
    stream = stream == NULL ? core_stream_default() : stream;
    if (context->captures != 0 || core_stream_captures(stream)) {
        Py_RETURN_FALSE;
    }
    Py_INCREF((PyObject *)context);
    PyThreadState *thread = core_gil_release();
    status = handle_create(&handle);
    if (status == CUBLAS_STATUS_SUCCESS) {
        handle_store(context, handle);
    }
    core_gil_acquire(thread);
    Py_DECREF((PyObject *)context);
    if (status == CUBLAS_STATUS_ALLOC_FAILED ||
        status == CUBLAS_STATUS_NOT_SUPPORTED) {
        Py_RETURN_NONE;
    }
    if (cublas_check(status, "cublasCreate") < 0) {
        return NULL;
    }
    Py_RETURN_TRUE;
}

/* Issues the product on the handle's stream. Sums have double precision if c
 * has double precision, otherwise single precision. */
static cublasStatus_t
gemm_run(cublasHandle_t handle, const struct product *g,
         const CUdeviceptr pointer[3])
{
    /* The factors alpha (1) and beta (0) of cuBLAS's c = alpha a b + beta c.
     * Real types read only the first number of each, complex types read
     * both. */
    static const float one[2] = {1, 0}, zero[2] = {0, 0};
    static const double wide_one[2] = {1, 0}, wide_zero[2] = {0, 0};
    bool wide = g->c_type == CUDA_R_64F || g->c_type == CUDA_C_64F;
    const void *alpha = wide ? (const void *)wide_one : one;
    const void *beta = wide ? (const void *)wide_zero : zero;
    cublasComputeType_t compute =
        wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    cublasOperation_t op[2];
    cudaDataType type = (cudaDataType)g->type;
    cudaDataType c_type = (cudaDataType)g->c_type;
    const void *a = (const void *)pointer[0];
    const void *b = (const void *)pointer[1];
    void *c = (void *)pointer[2];
    for (int k = 0; k < 2; k++) {
        op[k] = g->transposed[k] ? CUBLAS_OP_T : CUBLAS_OP_N;
    }
    if (g->count == 1) {
        return cublas.cublasGemmEx(handle, op[0], op[1], g->rows, g->columns,
                                   g->deep, alpha, a, type, g->lead[0], b,
                                   type, g->lead[1], beta, c, c_type,
                                   g->lead[2], compute, CUBLAS_GEMM_DEFAULT);
    }
    return cublas.cublasGemmStridedBatchedEx(
        handle, op[0], op[1], g->rows, g->columns, g->deep, alpha, a, type,
        g->lead[0], g->step[0], b, type, g->lead[1], g->step[1], beta, c,
        c_type, g->lead[2], g->step[2], g->count, compute,
        CUBLAS_GEMM_DEFAULT);
}

/* Issues the product on the stream. Returns CUBLAS_STATUS_NOT_SUPPORTED if
 * another thread has destroyed the handle. */
static cublasStatus_t
gemm_on_stream(const struct core_context *context,
               const struct product *product, const CUdeviceptr pointer[3],
               CUstream stream)
{
    pthread_mutex_lock(&gemm_lock);
    cublasHandle_t handle = context->cublas;
    cublasStatus_t status = handle == NULL
                                ? CUBLAS_STATUS_NOT_SUPPORTED
                                : cublas.cublasSetStream(handle, stream);
    if (status == CUBLAS_STATUS_SUCCESS) {
        status = gemm_run(handle, product, pointer);
    }
    pthread_mutex_unlock(&gemm_lock);
    return status;
}

/* Converts the cuBLAS status of a product to this file's result: 0 for
 * success; 1 if cuBLAS does not support the product; -1 with an exception. */
static int
gemm_end(cublasStatus_t status, const struct product *product)
{
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) {
        return 1;
    }
    return cublas_check(status, product->count == 1
                                    ? "cublasGemmEx"
                                    : "cublasGemmStridedBatchedEx");
}

static void
product_free(PyObject *capsule)
{
    PyMem_Free(PyCapsule_GetPointer(capsule, PRODUCT));
}

/* Returns a capsule that describes a product c = a b. The addresses of a, b
 * and c are passed when the product runs. */
static PyObject *
cublas_product(PyObject *module, PyObject *args)
{
    (void)module;
    struct product g;
    if (!PyArg_ParseTuple(args, "(ii)(pp)(iii)(iii)(LLL)i:_cublas_product",
                          &g.type, &g.c_type, &g.transposed[0],
                          &g.transposed[1], &g.rows, &g.columns, &g.deep,
                          &g.lead[0], &g.lead[1], &g.lead[2], &g.step[0],
                          &g.step[1], &g.step[2], &g.count)) {
        return NULL;
    }
    struct product *product = PyMem_Malloc(sizeof *product);
    if (product == NULL) {
        return PyErr_NoMemory();
    }
    *product = g;
    PyObject *capsule = PyCapsule_New(product, PRODUCT, product_free);
    if (capsule == NULL) {
        PyMem_Free(product);
    }
    return capsule;
}

bool
core_is_product(PyObject *object)
{
    return PyCapsule_IsValid(object, PRODUCT);
}

int
core_product_run(PyObject *object, const CUdeviceptr pointer[3])
{
    struct product *product = PyCapsule_GetPointer(object, PRODUCT);
    struct core_context *context = core_current();
    if (product == NULL || context == NULL) {
        return -1;
    }
    CUstream stream = core_stream_default();
    if (context->cublas == NULL || core_stream_captures(stream)) {
        return 1;
    }
    struct core_scope scope;
    if (!core_enter(context, &scope)) {
        return 1;
    }
    cublasStatus_t status = gemm_on_stream(context, product, pointer, stream);
    core_leave(&scope);
    return gemm_end(status, product);
}

/* Issues a product. Returns True; False if cuBLAS does not support it; None if
 * it cannot run now because the stream captures or the context has no
 * handle. */
static PyObject *
cublas_gemm(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule, *array[3], *given;
    CUdeviceptr pointer[3];
    CUstream stream;
    if (!PyArg_ParseTuple(args, "OOOOO:_cublas_gemm", &capsule, &array[0],
                          &array[1], &array[2], &given) ||
        core_stream(given, &stream) < 0) {
        return NULL;
    }
    struct product *product = PyCapsule_GetPointer(capsule, PRODUCT);
    struct core_context *context = core_current();
    if (product == NULL || context == NULL) {
        return NULL;
    }
    stream = stream == NULL ? core_stream_default() : stream;
    if (context->cublas == NULL || core_stream_captures(stream)) {
        Py_RETURN_NONE;
    }
    for (int k = 0; k < 3; k++) {
        if (core_pointer(array[k], &pointer[k]) < 0 ||
            core_use_in_kernel(core_memory_owner(array[k]), stream) < 0) {
            return NULL;
        }
    }
    struct core_scope scope;
    if (!core_enter(context, &scope)) {
        Py_RETURN_NONE;
    }
    /* The GIL is released, since the first product with new types or sizes may
     * load GPU code, which takes long. */
    Py_INCREF((PyObject *)context);
    core_throttle_add(context, stream);
    cublasStatus_t status;
    PyThreadState *thread = core_gil_release();
    status = gemm_on_stream(context, product, pointer, stream);
    core_gil_acquire(thread);
    core_leave(&scope);
    Py_DECREF((PyObject *)context);
    int end = gemm_end(status, product);
    return end < 0 ? NULL : PyBool_FromLong(end == 0);
}

static PyMethodDef functions[] = {
    {"_cublas_open", cublas_open, METH_NOARGS,
     "_cublas_open()\n--\n\n"
     "Return the path or name of cuBLAS, or None if there is none; "
     "RuntimeError if PYCUDA_CUBLAS names a library that cannot be used."},
    {"_cublas_handle", cublas_handle, METH_O,
     "_cublas_handle(stream, /)\n--\n\n"
     "Create a cuBLAS handle in the current context, which lives as long "
     "as its compiled kernels. Return True; None on failure; False during "
     "a capture."},
    {"_cublas_product", cublas_product, METH_VARARGS,
     "_cublas_product((type of a and b, of c), (a, b transposed), (rows, "
     "columns, inner), (leads of a, b, c), (steps of a, b, c), "
     "count)\n--\n\n"
     "Return a capsule that describes a product c = a b without addresses; "
     "types are cudaDataType values."},
    {"_cublas_gemm", cublas_gemm, METH_VARARGS,
     "_cublas_gemm(product, a, b, c, stream, /)\n--\n\n"
     "Compute c = a b. Return False if cuBLAS does not support the "
     "product, and None if the stream is captured or the context has no "
     "handle."},
    {NULL},
};

int
core_cublas_setup(PyObject *module)
{
    return core_add_functions(module, functions);
}
