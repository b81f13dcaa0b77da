/* compound_literal.h - the name that replaces the parentheses of a compound
 * literal: (float2){x, y} is passed to NVRTC as pycuda_literal_t<float2>{x, y}.
 *
 * pycuda.compiler pre-includes this file when a source failed because of such
 * literals, which nvcc accepts and NVRTC does not.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

template <class T> using pycuda_literal_t = T;
