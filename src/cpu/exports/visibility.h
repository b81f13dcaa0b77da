/* visibility.h - marks functions that the library exports.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_EXPORTS_VISIBILITY_H
#define PYCUDA_CPU_EXPORTS_VISIBILITY_H

#define CPU_API __attribute__((visibility("default")))

#endif
