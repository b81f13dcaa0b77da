/* driver_rows.h - the functions of the CUDA driver API, one row (X-macro
 * entry) each.
 *
 * Define DRIVER_ROW(base, symbol, since, per_thread_symbol, (parameters),
 * (argument names)) and include this file, which undefines DRIVER_ROW; it can
 * be included any number of times. `base` is the name of the function in
 * cuGetProcAddress and in struct api_driver. `symbol` is the name that the
 * library exports. `since` is the CUDA version (1000 * major + 10 * minor)
 * that introduced this signature. `per_thread_symbol` is the variant with a
 * default stream per thread, or equal to `symbol` if there is none. All
 * functions return CUresult.
 *
 * If a function's signature has changed, the row has a signature that all
 * drivers from 535 to 580 export; driver_old_rows.h has the other signatures.
 * tests/api compares each row with an installed toolkit.
 *
 * SPDX-License-Identifier: MIT */

#include "api/driver_rows_device.h"
#include "api/driver_rows_code.h"
#include "api/driver_rows_memory.h"
#include "api/driver_rows_graph.h"
#include "api/driver_rows_stream.h"

#undef DRIVER_ROW
