/* numpy.c - owns the table of NumPy's functions.
 *
 * Called once, when the extension module is initialized.
 *
 * SPDX-License-Identifier: MIT */
#define CORE_IMPORT_NUMPY
#include "core/numpy.h"

int
core_numpy_import(void)
{
    import_array1(-1);
    return 0;
}
