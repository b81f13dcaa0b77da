/* inner_product.h - thrust's inner products, which reduce.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/reduce.h>
