/* image_symbols.c - table of the functions that compiled kernels may call.
 *
 * The loader never searches the symbols of the process, so kernels can call
 * the functions of this table only. The lists are in image/abi.h and
 * image/symbols.h; pycuda-jit checks sources against them. The table is
 * constant.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cpu/arch/arch.h"
#include "cpu/module/image.h"
#include "cpu/run/kernel_memory.h"
#include "image/abi.h"
#include "image/symbols.h"

#define DECLARE_RUNTIME(result, name, arguments, stops) result name arguments;
IMAGE_RUNTIME(DECLARE_RUNTIME)

/* Declares a helper function of libgcc. Only its address is used, so the type
 * does not matter. */
#define DECLARE_HELPER(name) void name(void);
IMAGE_LIBGCC(DECLARE_HELPER)
CPU_ARCH_LIBGCC(DECLARE_HELPER)

/* Declares the two functions of complex.c for the real and the imaginary part.
 * Only their addresses are used, so the types do not matter. */
#define DECLARE_PARTS(name)                                                   \
    void __pycuda_##name##_re(void);                                          \
    void __pycuda_##name##_im(void);                                          \
    void __pycuda_##name##f_re(void);                                         \
    void __pycuda_##name##f_im(void);
IMAGE_COMPLEX(DECLARE_PARTS)

/* The results of libm's ilogb for 0 and NaN depend on the architecture. These
 * are CUDA's, which are INT_MIN. */
static int
kernel_ilogb(double x)
{
    return x == 0 || isnan(x) ? INT_MIN : ilogb(x);
}

static int
kernel_ilogbf(float x)
{
    return kernel_ilogb(x);
}

/* used below in place of libm's functions, under their names */
#define ilogb  kernel_ilogb
#define ilogbf kernel_ilogbf

struct symbol {
    const char *name;
    void *address;
};

#define ADDRESS(function)                           ((void *)(uintptr_t)(function))
#define ROW_RUNTIME(result, name, arguments, stops) {#name, ADDRESS(name)},
#define ROW_LIBM(name)                              {#name, ADDRESS(name)}, {#name "f", ADDRESS(name##f)},
#define ROW_PLAIN(name)                             {#name, ADDRESS(name)},
#define ROW_MEMORY(name)                            {#name, ADDRESS(cpu_kernel_##name)},
#define ROW_PART(name)                              ROW_PLAIN(__pycuda_##name)
#define ROW_PARTS(name)                                                       \
    ROW_PART(name##_re)                                                       \
    ROW_PART(name##_im) ROW_PART(name##f_re) ROW_PART(name##f_im)

static const struct symbol symbols[] = {
    IMAGE_RUNTIME(ROW_RUNTIME) IMAGE_LIBM(ROW_LIBM) IMAGE_LIBC(ROW_MEMORY)
        IMAGE_LIBGCC(ROW_PLAIN) CPU_ARCH_LIBGCC(ROW_PLAIN)
            IMAGE_COMPLEX(ROW_PARTS)};

void *
cpu_image_symbol(const char *name)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (strcmp(symbols[i].name, name) == 0) {
            return symbols[i].address;
        }
    }
    return NULL;
}
