/* host_headers.h - headers that each header of the host's C++ library
 * includes.
 *
 * Under nvcc <vector>, <random>, <iostream> and others include these, and
 * programs rely on it.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../prelude.h"
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>
