/* driver_rows.h - the functions of the CUDA driver API, a row each.
 *
 * Define DRIVER_ROW(base, symbol, since, per_thread_symbol, (parameters),
 * (argument names)) and include this file, as often as needed; it undefines
 * DRIVER_ROW. `base` is the name by which cuGetProcAddress and our table know
 * the function, `symbol` the one that the library exports, `since` the CUDA
 * version (1000 * major + 10 * minor) that gave it this signature,
 * `per_thread_symbol` the variant whose default stream is one a thread (the
 * same as `symbol` where there is no variant). Every function returns
 * CUresult. Where a function changed its signature, the row is one that
 * drivers 535 to 580 all export; the other signatures are in
 * driver_old_rows.h. tests/api compares each row with an installed toolkit.
 *
 * SPDX-License-Identifier: MIT */

#include "api/driver_rows_device.h"
#include "api/driver_rows_code.h"
#include "api/driver_rows_memory.h"
#include "api/driver_rows_graph.h"
#include "api/driver_rows_stream.h"

#undef DRIVER_ROW
