/* products.c - cuBLAS's interface on the CPU device, without Python.
 *
 * Usage: products LIBRARY [BLAS]. Opens BLAS first, as NumPy would have done;
 * without one, creating a handle must fail. Exit status 0: all checks passed.
 *
 * SPDX-License-Identifier: MIT */
#include <complex.h>
#include <math.h>
#include <unistd.h>

#include "../native.h"
#include "api/cublas_rows.h"

static struct {
#define CUBLAS_ROW(base, symbol, parameters, arguments)                       \
    cublasStatus_t(*base) parameters;
#include "api/cublas_rows.h"
} blas;

/* Functions whose names contain the type; any pointers, as in cublasGemmEx. */
typedef cublasStatus_t (*gemm_function)(cublasHandle_t, cublasOperation_t,
                                        cublasOperation_t, int, int, int,
                                        const void *, const void *, int,
                                        const void *, int, const void *,
                                        void *, int);
typedef cublasStatus_t (*batched_function)(cublasHandle_t, cublasOperation_t,
                                           cublasOperation_t, int, int, int,
                                           const void *, const void *, int,
                                           long long, const void *, int,
                                           long long, const void *, void *,
                                           int, long long, int);
static struct {
    gemm_function gemm;
    batched_function batched;
} typed[4];

static CUcontext ctx;
static cublasHandle_t handle;
static void *fake; /* the library, if it counts its calls */

static const struct type {
    const char *name;
    cudaDataType type;
    cublasComputeType_t compute;
    size_t size;
} types[] = {
    {"float32", CUDA_R_32F, CUBLAS_COMPUTE_32F, 4},
    {"float64", CUDA_R_64F, CUBLAS_COMPUTE_64F, 8},
    {"complex64", CUDA_C_32F, CUBLAS_COMPUTE_32F, 8},
    {"complex128", CUDA_C_64F, CUBLAS_COMPUTE_64F, 16},
};

static double complex
load(const void *matrix, long at, const struct type *type)
{
    switch (type->type) {
    case CUDA_R_32F:
        return ((const float *)matrix)[at];
    case CUDA_R_64F:
        return ((const double *)matrix)[at];
    case CUDA_C_32F:
        return ((const float complex *)matrix)[at];
    default:
        return ((const double complex *)matrix)[at];
    }
}

static void
store(void *matrix, long at, const struct type *type, double complex value)
{
    switch (type->type) {
    case CUDA_R_32F:
        ((float *)matrix)[at] = (float)creal(value);
        break;
    case CUDA_R_64F:
        ((double *)matrix)[at] = creal(value);
        break;
    case CUDA_C_32F:
        ((float complex *)matrix)[at] = (float complex)value;
        break;
    default:
        ((double complex *)matrix)[at] = value;
    }
}

/* A product and the layout of its matrices. */
struct product {
    const struct type *type;
    cublasOperation_t op[2];
    int m, n, k, count, same; /* same: b is a */
    double complex alpha, beta;
    int typed; /* call the function whose name contains the type */
    int extra; /* additional rows between the columns of all matrices */
    CUdeviceptr at[3];
    int lead[3];
    long step[3], elements[3];
    cublasStatus_t status; /* result of the call */
};

static void
layout(struct product *p)
{
    int rows[3] = {p->op[0] == CUBLAS_OP_N ? p->m : p->k,
                   p->op[1] == CUBLAS_OP_N ? p->k : p->n, p->m};
    int columns[3] = {p->op[0] == CUBLAS_OP_N ? p->k : p->m,
                      p->op[1] == CUBLAS_OP_N ? p->n : p->k, p->n};

    for (int i = 0; i < 3; i++) {
        p->lead[i] = (rows[i] ? rows[i] : 1) + p->extra;
        p->step[i] = (long)p->lead[i] * (columns[i] ? columns[i] : 1);
        p->elements[i] = p->step[i] * p->count;
    }
}

/* Small integers, so that sums are exact; NaN where `hole` is set. */
static void *
numbers(const struct product *p, int which, int hole)
{
    char *host = malloc((size_t)p->elements[which] * p->type->size);
    int is_complex = p->type->type >= CUDA_C_32F;

    for (long i = 0; i < p->elements[which]; i++) {
        int row = (int)(i % p->lead[which]);
        double complex value =
            (i * 7 + which) % 5 - 2 + (is_complex ? I * (i * 3 % 4 - 1) : 0);
        if (hole || row >= p->lead[which] - p->extra) {
            value = NAN;
        }
        store(host, i, p->type, value);
    }
    return host;
}

static double complex
operand(const struct product *p, void *const *host, int which, int matrix,
        int row, int column)
{
    int lead = p->lead[which];
    long at = p->op[which] == CUBLAS_OP_N ? row + (long)column * lead
                                          : column + (long)row * lead;
    double complex value =
        load(host[which], matrix * p->step[which] + at, p->type);

    return p->op[which] == CUBLAS_OP_C ? conj(value) : value;
}

static int
same_number(double complex a, double complex b)
{
    return a == b || (isnan(creal(a)) && isnan(creal(b)));
}

/* `host` has a, b, c before the call; `got` has c after it. */
static int
result_is_right(const struct product *p, void *const *host, const void *got)
{
    for (long at = 0; at < p->elements[2]; at++) {
        int matrix = (int)(at / p->step[2]);
        int row = (int)(at % p->step[2] % p->lead[2]);
        int column = (int)(at % p->step[2] / p->lead[2]);
        double complex want = load(host[2], at, p->type);
        double complex sum = 0;

        if (row < p->m && column < p->n) {
            for (int i = 0; i < p->k && p->alpha != 0; i++) {
                sum += operand(p, host, 0, matrix, row, i) *
                       operand(p, host, 1, matrix, i, column);
            }
            want = p->alpha * sum + (p->beta != 0 ? p->beta * want : 0);
        }
        if (!same_number(load(got, at, p->type), want)) {
            return 0;
        }
    }
    return 1;
}

static cublasStatus_t
multiply_typed(const struct product *p, const void *alpha, const void *beta)
{
    size_t i = (size_t)(p->type - types);

    if (p->count == 1) {
        return typed[i].gemm(handle, p->op[0], p->op[1], p->m, p->n, p->k,
                             alpha, (void *)p->at[0], p->lead[0],
                             (void *)p->at[1], p->lead[1], beta,
                             (void *)p->at[2], p->lead[2]);
    }
    return typed[i].batched(
        handle, p->op[0], p->op[1], p->m, p->n, p->k, alpha, (void *)p->at[0],
        p->lead[0], p->step[0], (void *)p->at[1], p->lead[1], p->step[1], beta,
        (void *)p->at[2], p->lead[2], p->step[2], p->count);
}

static cublasStatus_t
multiply(const struct product *p)
{
    double complex alpha, beta;

    store(&alpha, 0, p->type, p->alpha);
    store(&beta, 0, p->type, p->beta);
    if (p->typed) {
        return multiply_typed(p, &alpha, &beta);
    }
    if (p->count == 1) {
        return blas.cublasGemmEx(
            handle, p->op[0], p->op[1], p->m, p->n, p->k, &alpha,
            (void *)p->at[0], p->type->type, p->lead[0], (void *)p->at[1],
            p->type->type, p->lead[1], &beta, (void *)p->at[2], p->type->type,
            p->lead[2], p->type->compute, CUBLAS_GEMM_DEFAULT);
    }
    return blas.cublasGemmStridedBatchedEx(
        handle, p->op[0], p->op[1], p->m, p->n, p->k, &alpha, (void *)p->at[0],
        p->type->type, p->lead[0], p->step[0], (void *)p->at[1], p->type->type,
        p->lead[1], p->step[1], &beta, (void *)p->at[2], p->type->type,
        p->lead[2], p->step[2], p->count, p->type->compute,
        CUBLAS_GEMM_DEFAULT);
}

/* Computes a product and checks every element of its memory. */
static void
check(struct product *p)
{
    void *host[3], *got;

    layout(p);
    for (int i = 0; i < 3; i++) {
        size_t bytes = (size_t)p->elements[i] * p->type->size;
        /* If beta is 0, c may contain any values. */
        host[i] = i == 1 && p->same ? host[0]
                                    : numbers(p, i, i == 2 && p->beta == 0);
        OK(cu.cuMemAlloc(&p->at[i], bytes ? bytes : 1));
        OK(cu.cuMemcpyHtoD(p->at[i], host[i], bytes));
    }
    if (p->same) {
        OK(cu.cuMemFree(p->at[1]));
        p->at[1] = p->at[0];
    }
    p->status = multiply(p);
    OK(cu.cuCtxSynchronize());
    got = malloc((size_t)p->elements[2] * p->type->size);
    OK(cu.cuMemcpyDtoH(got, p->at[2], (size_t)p->elements[2] * p->type->size));
    if (p->status || !result_is_right(p, host, got)) {
        printf("%s, %d%d, %d x %d x %d, %d of them, same %d, beta %g: "
               "status %d\n",
               p->type->name, p->op[0], p->op[1], p->m, p->n, p->k, p->count,
               p->same, creal(p->beta), p->status);
        native_failures++;
    }
    for (int i = 0; i < 3; i++) {
        if (i != 1 || !p->same) {
            OK(cu.cuMemFree(p->at[i]));
            free(host[i]);
        }
    }
    free(got);
}

static int
calls(const char *name)
{
    return fake ? *(int *)dlsym(fake, name) : 0;
}

static const int sizes[][3] = {{4, 5, 6},    {7, 1, 5},  {1, 6, 5},
                               {1, 1, 3},    {3, 4, 0},  {2, 3, 1},
                               {70, 70, 33}, {40, 9, 90}};

static void
check_all(const struct type *type)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int forms = sizes[i][0] < 40 ? 9 * 2 * 2 * 2 : 9;

        for (int form = 0; form < forms; form++) {
            struct product p = {.type = type,
                                .op = {form % 3, form / 3 % 3},
                                .m = sizes[i][0],
                                .n = sizes[i][1],
                                .k = sizes[i][2],
                                .count = form / 9 % 2 ? 3 : 1,
                                .extra = form / 18 % 2 * 2,
                                .typed = (form + (int)i) % 2,
                                .alpha = 2,
                                .beta = form / 36 ? -1 : 0};
            check(&p);
        }
    }
}

/* The BLAS function that each cuBLAS function calls. */
static void
check_routines(const struct type *type)
{
    int gemm = calls("fake_gemm"), gemv = calls("fake_gemv");
    int syrk = calls("fake_syrk");
    struct product p = {.type = type,
                        .m = 40,
                        .n = 40,
                        .k = 7,
                        .count = 1,
                        .alpha = 1,
                        .extra = 1,
                        .same = 1};

    for (int turned = 0; turned < 2; turned++) {
        p.op[turned] = CUBLAS_OP_T, p.op[!turned] = CUBLAS_OP_N;
        p.k = 7, p.m = p.n = turned ? 40 : 70;
        check(&p);
    }
    CHECK(!fake || calls("fake_syrk") == syrk + 2);
    p.beta = 1; /* both halves of c are used */
    check(&p);
    p.beta = 0, p.op[0] = p.op[1] = CUBLAS_OP_N, p.k = p.m = p.n = 9;
    check(&p);
    p.same = 0, p.op[0] = CUBLAS_OP_T;
    check(&p);
    CHECK(!fake || calls("fake_syrk") == syrk + 2);
    CHECK(!fake || calls("fake_gemm") == gemm + 3);
    p.n = 1;
    check(&p);
    p.n = 5, p.m = 1;
    check(&p);
    CHECK(!fake || calls("fake_gemv") == gemv + 2);
}

static void
check_scalars(const struct type *type)
{
    struct product p = {.type = type,
                        .op = {CUBLAS_OP_N, CUBLAS_OP_T},
                        .m = 6,
                        .n = 5,
                        .k = 4,
                        .count = 2,
                        .extra = 3};

    for (int i = 0; i < 2; i++) {
        p.alpha = 0, p.beta = 2;
        check(&p);
        p.beta = 0;
        check(&p);
        if (type->type >= CUDA_C_32F) {
            p.alpha = 1 + 2 * I, p.beta = I;
            check(&p);
        }
        p.n = 1;
    }
}

#define EXPECT_STATUS(code, call)                                             \
    do {                                                                      \
        cublasStatus_t got_ = (call);                                         \
        if (got_ != (code)) {                                                 \
            printf("%s:%d: %s gave %d, expected %s\n", __FILE__, __LINE__,    \
                   #call, got_, #code);                                       \
            native_failures++;                                                \
        }                                                                     \
    } while (0)
#define FINE(call) EXPECT_STATUS(CUBLAS_STATUS_SUCCESS, call)

/* A valid product of zeros. */
static struct product
product_new(void)
{
    struct product p = {
        .type = &types[0], .m = 4, .n = 4, .k = 4, .count = 1, .alpha = 1};

    layout(&p);
    for (int i = 0; i < 3; i++) {
        OK(cu.cuMemAlloc(&p.at[i], 64));
        OK(cu.cuMemsetD8(p.at[i], 0, 64));
    }
    return p;
}

static void
product_free(const struct product *p)
{
    for (int i = 0; i < 3; i++) {
        OK(cu.cuMemFree(p->at[i]));
    }
}

static void
check_errors(void)
{
    static const struct type half = {"float16", CUDA_R_16F, CUBLAS_COMPUTE_32F,
                                     2};
    static const struct type mixed = {"sums too narrow", CUDA_R_64F,
                                      CUBLAS_COMPUTE_32F, 8};
    const struct product right = product_new();
    struct product p = right;
    const cublasStatus_t invalid = CUBLAS_STATUS_INVALID_VALUE;
    const cublasStatus_t unsupported = CUBLAS_STATUS_NOT_SUPPORTED;

    FINE(multiply(&p));
    p.type = &half;
    EXPECT_STATUS(unsupported, multiply(&p));
    p.type = &mixed;
    EXPECT_STATUS(unsupported, multiply(&p));
    p = right, p.m = -1;
    EXPECT_STATUS(invalid, multiply(&p));
    p = right, p.count = -1;
    EXPECT_STATUS(invalid, multiply(&p));
    p = right, p.op[1] = 7;
    EXPECT_STATUS(invalid, multiply(&p));
    for (int i = 0; i < 3; i++) {
        p = right, p.lead[i] = 3;
        EXPECT_STATUS(invalid, multiply(&p));
        p = right, p.at[i] += 4; /* the end is out of bounds */
        EXPECT_STATUS(unsupported, multiply(&p));
        /* Misaligned for floats. */
        p = right, p.at[i] += 2, p.m = p.n = p.k = 1;
        EXPECT_STATUS(unsupported, multiply(&p));
        p = right, p.count = 2, p.step[i] = 0x7fffffffffffffff;
        EXPECT_STATUS(unsupported, multiply(&p));
        p.step[i] = -16;
        EXPECT_STATUS(unsupported, multiply(&p));
    }
    p = right, p.m = 0;
    FINE(multiply(&p));
    p = right, p.count = 0;
    FINE(multiply(&p));
    p = right;
    EXPECT_STATUS(invalid,
                  blas.cublasGemmEx(
                      handle, 0, 0, 4, 4, 4, NULL, (void *)p.at[0], CUDA_R_32F,
                      4, (void *)p.at[1], CUDA_R_32F, 4, NULL, (void *)p.at[2],
                      CUDA_R_32F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    product_free(&p);
}

/* Handles that are invalid, destroyed, or belong to another context. */
static void
check_handles(void)
{
    cublasHandle_t right = handle, other = NULL;
    const struct product p = product_new();
    CUcontext second;
    CUstream stream;
    char nothing[64];

    EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, blas.cublasCreate(NULL));
    OK(cu.cuCtxCreate(&second, 0, 0));
    FINE(blas.cublasCreate(&other));
    EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, multiply(&p));
    OK(cu.cuCtxDestroy(second));
    OK(cu.cuCtxSetCurrent(ctx));
    handle = other;
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, multiply(&p));
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, blas.cublasDestroy(other));
    handle = (cublasHandle_t)(void *)nothing;
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, multiply(&p));
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED,
                  blas.cublasSetStream(handle, NULL));
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED,
                  blas.cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
    handle = right;
    OK(cu.cuStreamCreate(&stream, 0));
    FINE(blas.cublasSetStream(handle, stream));
    FINE(multiply(&p));
    OK(cu.cuStreamDestroy(stream));
    EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, multiply(&p));
    FINE(blas.cublasSetStream(handle, NULL));
    FINE(multiply(&p));
    OK(cu.cuCtxSetCurrent(NULL));
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, multiply(&p));
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, blas.cublasCreate(&other));
    OK(cu.cuCtxSetCurrent(ctx));
    product_free(&p);
}

/* ---- ordering ---- */

struct late {
    float *at;
    long elements;
    double seen; /* element 0 before the write */
};

/* Writes ones after a delay. */
static void
write_late(void *argument)
{
    struct late *late = argument;

    usleep(60000);
    late->seen = late->at[0];
    for (long i = 0; i < late->elements; i++) {
        late->at[i] = 1;
    }
}

/* A product waits for earlier work in its stream, later work waits for the
 * product, and the caller does not wait. */
static void
check_stream(int n)
{
    struct product p = {
        .type = &types[0], .m = n, .n = n, .k = n, .count = 1, .alpha = 1};
    struct late before, after;
    CUstream stream, other;
    float got = 0;

    layout(&p);
    size_t bytes = (size_t)n * (size_t)n * 4;
    for (int i = 0; i < 3; i++) {
        OK(cu.cuMemAllocManaged(&p.at[i], bytes, CU_MEM_ATTACH_GLOBAL));
        OK(cu.cuMemsetD32(p.at[i], 0x3f800000, (size_t)n * (size_t)n));
    }
    OK(cu.cuMemsetD32(p.at[0], 0, (size_t)n * (size_t)n));
    OK(cu.cuCtxSynchronize());
    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cu.cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    before = (struct late){(float *)p.at[0], (long)n * n, -1};
    after = (struct late){(float *)p.at[2], 1, -1};
    OK(cu.cuLaunchHostFunc(stream, write_late, &before));
    FINE(blas.cublasSetStream(handle, stream));
    FINE(multiply(&p));
    OK(cu.cuLaunchHostFunc(stream, write_late, &after));
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(stream));
    OK(cu.cuStreamQuery(other));
    OK(cu.cuStreamSynchronize(stream));
    CHECK(before.seen == 0);
    CHECK(after.seen == n);
    OK(cu.cuMemcpyDtoH(&got, p.at[2] + 4, 4));
    CHECK(got == n);
    FINE(blas.cublasSetStream(handle, NULL));
    OK(cu.cuStreamDestroy(stream));
    OK(cu.cuStreamDestroy(other));
    product_free(&p);
}

/* Only launches of the graph compute a captured product. */
static void
check_capture(void)
{
    struct product p = product_new();
    float got[16], ones[16], zero = 0;
    CUgraphExec exec;
    CUstream stream;
    CUgraph graph;

    for (int i = 0; i < 16; i++) {
        ones[i] = 1;
    }
    OK(cu.cuMemcpyHtoD(p.at[0], ones, sizeof ones));
    OK(cu.cuMemcpyHtoD(p.at[1], ones, sizeof ones));
    OK(cu.cuStreamCreate(&stream, 0));
    FINE(blas.cublasSetStream(handle, stream));
    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    p.beta = 1;
    FINE(multiply(&p));
    OK(cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuMemcpyDtoH(got, p.at[2], sizeof got));
    CHECK(memcmp(got, &zero, sizeof zero) == 0);
    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cu.cuGraphLaunch(exec, stream));
    OK(cu.cuGraphLaunch(exec, stream));
    OK(cu.cuStreamSynchronize(stream));
    OK(cu.cuMemcpyDtoH(got, p.at[2], sizeof got));
    CHECK(got[0] == 8 && got[15] == 8);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    FINE(blas.cublasSetStream(handle, NULL));
    OK(cu.cuStreamDestroy(stream));
    product_free(&p);
}

static void
blas_open(int argc, char **argv)
{
    void *library = native_open(argv[1]);

    if (argc > 2) {
        fake = native_open(argv[2]);
        fake = dlsym(fake, "fake_gemm") ? fake : NULL;
    }
#define CUBLAS_ROW(base, symbol, parameters, arguments)                       \
    *(void **)&blas.base = dlsym(library, #symbol);
#include "api/cublas_rows.h"
    size_t i = 0;
#define CUBLAS_TYPED_ROW(letter, type, data, compute)                         \
    *(void **)&typed[i].gemm = dlsym(library, "cublas" #letter "gemm_v2");    \
    *(void **)&typed[i++].batched =                                           \
        dlsym(library, "cublas" #letter "gemmStridedBatched");
#include "api/cublas_typed_rows.h"
}

int
main(int argc, char **argv)
{
    native_start(2, argv);
    blas_open(argc, argv);
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, blas.cublasCreate(&handle));
    ctx = native_context();
    if (argc < 3 || getenv("PYCUDA_CPU_CHECK")) {
        EXPECT_STATUS(CUBLAS_STATUS_NOT_SUPPORTED, blas.cublasCreate(&handle));
        return native_end("products");
    }
    FINE(blas.cublasCreate(&handle));
    FINE(blas.cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        check_all(&types[i]);
        check_routines(&types[i]);
        check_scalars(&types[i]);
    }
    CHECK(calls("fake_wrong") == 0);
    check_errors();
    check_handles();
    check_stream(8);
    check_stream(400);
    check_capture();
    FINE(blas.cublasDestroy(handle));
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, blas.cublasDestroy(handle));
    OK(cu.cuCtxDestroy(ctx));
    return native_end("products");
}
