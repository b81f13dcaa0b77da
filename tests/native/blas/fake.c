/* fake.c - a CBLAS in plain loops that counts its calls.
 *
 * test_blas.py builds it with INT, the integer type, NAME(name), the mangling
 * of function names, and MARK, a symbol that identifies a fast BLAS.
 *
 * SPDX-License-Identifier: MIT */
#include <complex.h>
#include <stdint.h>

enum { COLUMNS = 102, PLAIN = 111, CONJUGATED = 113, UPPER = 121 };

int fake_gemm, fake_gemv, fake_syrk, fake_wrong;

const char *
MARK(void)
{
    return "fake";
}

static double complex
load(const void *matrix, int64_t at, char type)
{
    switch (type) {
    case 's':
        return ((const float *)matrix)[at];
    case 'd':
        return ((const double *)matrix)[at];
    case 'c':
        return ((const float complex *)matrix)[at];
    default:
        return ((const double complex *)matrix)[at];
    }
}

static void
store(void *matrix, int64_t at, char type, double complex value)
{
    switch (type) {
    case 's':
        ((float *)matrix)[at] = (float)creal(value);
        break;
    case 'd':
        ((double *)matrix)[at] = creal(value);
        break;
    case 'c':
        ((float complex *)matrix)[at] = (float complex)value;
        break;
    default:
        ((double complex *)matrix)[at] = value;
    }
}

static double complex
element(const void *matrix, int op, INT row, INT column, INT lead, char type)
{
    int64_t at = op == PLAIN ? row + (int64_t)column * lead
                             : column + (int64_t)row * lead;
    double complex value = load(matrix, at, type);

    return op == CONJUGATED ? conj(value) : value;
}

/* One element of alpha op(a) op(b) + beta c. As BLAS requires, an operand is
 * not read if alpha or beta multiplies it by 0. */
static void
element_make(int a_op, int b_op, INT k, double complex alpha, const void *a,
             INT a_lead, const void *b, INT b_lead, double complex beta,
             void *c, INT c_lead, char type, INT i, INT j)
{
    int64_t at = i + (int64_t)j * c_lead;
    double complex sum = 0;

    for (INT step = 0; step < k && alpha != 0; step++) {
        sum += element(a, a_op, i, step, a_lead, type) *
               element(b, b_op, step, j, b_lead, type);
    }
    sum = alpha * sum + (beta != 0 ? beta * load(c, at, type) : 0);
    store(c, at, type, sum);
}

static void
gemm(int order, int a_op, int b_op, INT m, INT n, INT k, double complex alpha,
     const void *a, INT a_lead, const void *b, INT b_lead, double complex beta,
     void *c, INT c_lead, char type)
{
    fake_gemm++;
    fake_wrong += order != COLUMNS || a_lead < (a_op == PLAIN ? m : k) ||
                  b_lead < (b_op == PLAIN ? k : n) || c_lead < m;
    for (INT j = 0; j < n; j++) {
        for (INT i = 0; i < m; i++) {
            element_make(a_op, b_op, k, alpha, a, a_lead, b, b_lead, beta, c,
                         c_lead, type, i, j);
        }
    }
}

/* Multiplies by beta even if it is 0. */
static void
gemv(int order, int op, INT m, INT n, double complex alpha, const void *a,
     INT lead, const void *x, INT x_step, double complex beta, void *y,
     INT y_step, char type)
{
    INT rows = op == PLAIN ? m : n, columns = op == PLAIN ? n : m;

    fake_gemv++;
    fake_wrong += order != COLUMNS || lead < m || x_step < 1 || y_step < 1;
    for (INT i = 0; i < rows; i++) {
        double complex sum = 0;
        for (INT step = 0; step < columns; step++) {
            sum += element(a, op, i, step, lead, type) *
                   load(x, (int64_t)step * x_step, type);
        }
        int64_t at = (int64_t)i * y_step;
        store(y, at, type, alpha * sum + beta * load(y, at, type));
    }
}

static void
syrk(int order, int part, int op, INT n, INT k, double complex alpha,
     const void *a, INT lead, double complex beta, void *c, INT c_lead,
     char type)
{
    int other = op == PLAIN ? 112 : PLAIN;

    fake_syrk++;
    fake_wrong += order != COLUMNS || part != UPPER || op == CONJUGATED;
    for (INT j = 0; j < n; j++) {
        for (INT i = 0; i <= j; i++) {
            element_make(op, other, k, alpha, a, lead, a, lead, beta, c,
                         c_lead, type, i, j);
        }
    }
}

#define FUNCTIONS(letter, type, scalar, value)                                \
    void NAME(letter##gemm)(int order, int a_op, int b_op, INT m, INT n,      \
                            INT k, scalar alpha, const void *a, INT a_lead,   \
                            const void *b, INT b_lead, scalar beta, void *c,  \
                            INT c_lead)                                       \
    {                                                                         \
        gemm(order, a_op, b_op, m, n, k, value(alpha), a, a_lead, b, b_lead,  \
             value(beta), c, c_lead, type);                                   \
    }                                                                         \
    void NAME(letter##gemv)(int order, int op, INT m, INT n, scalar alpha,    \
                            const void *a, INT lead, const void *x,           \
                            INT x_step, scalar beta, void *y, INT y_step)     \
    {                                                                         \
        gemv(order, op, m, n, value(alpha), a, lead, x, x_step, value(beta),  \
             y, y_step, type);                                                \
    }                                                                         \
    void NAME(letter##syrk)(int order, int part, int op, INT n, INT k,        \
                            scalar alpha, const void *a, INT lead,            \
                            scalar beta, void *c, INT c_lead)                 \
    {                                                                         \
        syrk(order, part, op, n, k, value(alpha), a, lead, value(beta), c,    \
             c_lead, type);                                                   \
    }

#define REAL(scalar)   scalar
#define NARROW(scalar) load(scalar, 0, 'c')
#define WIDE(scalar)   load(scalar, 0, 'z')
FUNCTIONS(s, 's', float, REAL)
FUNCTIONS(d, 'd', double, REAL)
FUNCTIONS(c, 'c', const void *, NARROW)
FUNCTIONS(z, 'z', const void *, WIDE)
