/* iso646.h - empty: C's header defines `and`, `or` and other operator names,
 * which are keywords in C++.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
