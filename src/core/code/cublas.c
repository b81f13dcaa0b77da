/* cublas.c - the door to cuBLAS: a handle a context, one product a call.
 *
 * Called by pycuda._array.blas, which knows when a product is one of cuBLAS's
 * and keeps the handle with the context's other memoised things.  Matrices
 * are column-major here.  Nothing is done while the stream is captured: a
 * handle's memory is no graph's.
 *
 * A handle serves one call at a time: gemm_lock is held from setting the
 * stream to the end of the call.  The GIL is released before it is taken.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

#include <pthread.h>

static pthread_mutex_t gemm_lock = PTHREAD_MUTEX_INITIALIZER;

/* What a capsule holds. */
struct holder {
    struct core_context *context; /* strong */
    cublasHandle_t handle;
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

static PyObject *
cublas_open(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    struct api_choice choice;
    int version = 0, status;
    if (core_open() < 0 || core_library_dirs_tell() < 0) {
        return NULL;
    }
    driver.cuDriverGetVersion(&version);
    Py_BEGIN_ALLOW_THREADS;
    status = api_open_cublas(version, &choice);
    Py_END_ALLOW_THREADS;
    if (status == 0) {
        return PyUnicode_FromString(choice.library);
    }
    if (choice.text[0] != '\0') {
        PyErr_SetString(PyExc_RuntimeError, choice.text);
        return NULL;
    }
    Py_RETURN_NONE;
}

static void
holder_free(struct holder *holder)
{
    struct core_scope scope;
    if (core_enter(holder->context, &scope)) {
        Py_BEGIN_ALLOW_THREADS;
        cublas.cublasDestroy(holder->handle);
        Py_END_ALLOW_THREADS;
        core_leave(&scope);
    }
    Py_DECREF((PyObject *)holder->context);
    PyMem_Free(holder);
}

static void
capsule_free(PyObject *capsule)
{
    holder_free(PyCapsule_GetPointer(capsule, "cublas"));
}

static cublasStatus_t
handle_make(cublasHandle_t *handle)
{
    cublasStatus_t status = cublas.cublasCreate(handle);
    if (status == CUBLAS_STATUS_SUCCESS) {
        /* Sums of halves stay in single precision to their end. */
        cublas.cublasSetMathMode(
            *handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    }
    return status;
}

static PyObject *
holder_wrap(struct core_context *context, cublasHandle_t handle)
{
    struct holder *holder = PyMem_Malloc(sizeof *holder);
    if (holder == NULL) {
        cublas.cublasDestroy(handle);
        return PyErr_NoMemory();
    }
    holder->context = (struct core_context *)Py_NewRef((PyObject *)context);
    holder->handle = handle;
    PyObject *capsule = PyCapsule_New(holder, "cublas", capsule_free);
    if (capsule == NULL) {
        holder_free(holder);
    }
    return capsule;
}

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
    Py_BEGIN_ALLOW_THREADS;
    status = handle_make(&handle);
    Py_END_ALLOW_THREADS;
    if (status == CUBLAS_STATUS_ALLOC_FAILED) {
        Py_RETURN_NONE;
    }
    if (cublas_check(status, "cublasCreate") < 0) {
        return NULL;
    }
    return holder_wrap(context, handle);
}

/* One call's arguments. */
struct gemm {
    PyObject *array[3];      /* a, b, c */
    CUdeviceptr pointer[3];  /* theirs */
    int transposed[2];       /* a, b */
    int rows, columns, deep; /* of c; of what is summed over */
    int lead[3], count;
    long long step[3]; /* elements from one matrix of the batch to the next */
    int type, c_type;  /* cudaDataType: of a and b; of c */
};

static cublasStatus_t
gemm_run(cublasHandle_t handle, const struct gemm *g)
{
    /* A complex one begins with the real one. */
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
    const void *a = (const void *)g->pointer[0];
    const void *b = (const void *)g->pointer[1];
    void *c = (void *)g->pointer[2];
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

static cublasStatus_t
gemm_on_stream(cublasHandle_t handle, const struct gemm *gemm, CUstream stream)
{
    pthread_mutex_lock(&gemm_lock);
    cublasStatus_t status = cublas.cublasSetStream(handle, stream);
    if (status == CUBLAS_STATUS_SUCCESS) {
        status = gemm_run(handle, gemm);
    }
    pthread_mutex_unlock(&gemm_lock);
    return status;
}

static int
gemm_arrays(struct gemm *gemm, CUstream stream)
{
    for (int k = 0; k < 3; k++) {
        if (core_pointer(gemm->array[k], &gemm->pointer[k]) < 0 ||
            core_use(gemm->array[k], stream) < 0) {
            return -1;
        }
    }
    return 0;
}

static PyObject *
cublas_gemm(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule, *given;
    struct gemm gemm;
    CUstream stream;
    if (!PyArg_ParseTuple(
            args, "O(ii)(ii)(iii)(Oi)(Oi)(Oi)(LLL)iO:_cublas_gemm", &capsule,
            &gemm.type, &gemm.c_type, &gemm.transposed[0], &gemm.transposed[1],
            &gemm.rows, &gemm.columns, &gemm.deep, &gemm.array[0],
            &gemm.lead[0], &gemm.array[1], &gemm.lead[1], &gemm.array[2],
            &gemm.lead[2], &gemm.step[0], &gemm.step[1], &gemm.step[2],
            &gemm.count, &given) ||
        core_stream(given, &stream) < 0) {
        return NULL;
    }
    struct holder *holder = PyCapsule_GetPointer(capsule, "cublas");
    if (holder == NULL || core_current() == NULL) {
        return NULL;
    }
    stream = stream == NULL ? core_stream_default() : stream;
    if (core_stream_captures(stream)) {
        Py_RETURN_FALSE;
    }
    if (gemm_arrays(&gemm, stream) < 0) {
        return NULL;
    }
    cublasStatus_t status;
    Py_BEGIN_ALLOW_THREADS;
    status = gemm_on_stream(holder->handle, &gemm, stream);
    Py_END_ALLOW_THREADS;
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) {
        Py_RETURN_FALSE;
    }
    if (cublas_check(status, gemm.count == 1
                                 ? "cublasGemmEx"
                                 : "cublasGemmStridedBatchedEx") < 0) {
        return NULL;
    }
    Py_RETURN_TRUE;
}

static PyMethodDef functions[] = {
    {"_cublas_open", cublas_open, METH_NOARGS,
     "_cublas_open()\n--\n\n"
     "The library's path or name, or None where there is none; RuntimeError "
     "if PYCUDA_CUBLAS names what cannot be used."},
    {"_cublas_handle", cublas_handle, METH_O,
     "_cublas_handle(stream)\n--\n\n"
     "A handle for the current context, in a capsule that frees it; None "
     "where there is no memory for one, False during a capture."},
    {"_cublas_gemm", cublas_gemm, METH_VARARGS,
     "_cublas_gemm(handle, (type of a and b, of c), (a, b transposed), (rows, "
     "columns, inner), "
     "(a, lead), (b, lead), (c, lead), (steps of a, b, c), count, stream)"
     "\n--\n\n"
     "c = a b, of types cudaDataType; False where cuBLAS does not "
     "do it, and where the stream is captured."},
    {NULL},
};

int
core_cublas_setup(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
