/* mrg32k3a_jump.h - skip many steps or sequences of MRG32k3a at once.
 *
 * The two 3 x 3 matrices, row by row, of the generator's two components: for
 * one step (offset), 2**76 steps (sub) and 2**127 steps (sequence).
 *
 * Written by tools/curand_tables.py.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

static const __device__ unsigned int
    __pycuda_mrg_offset[2][9] = {
    {0u, 1u, 0u, 0u, 0u,
     1u, 4294156359u, 1403580u, 0u},
    {0u, 1u, 0u, 0u, 0u,
     1u, 4293573854u, 0u, 527612u},
};
static const __device__ unsigned int
    __pycuda_mrg_sub[2][9] = {
    {82758667u, 1871391091u, 4127413238u, 3672831523u, 69195019u,
     1871391091u, 3672091415u, 3528743235u, 69195019u},
    {1511326704u, 3759209742u, 1610795712u, 4292754251u, 1511326704u,
     3889917532u, 3859662829u, 4292754251u, 3708466080u},
};
static const __device__ unsigned int
    __pycuda_mrg_sequence[2][9] = {
    {2427906178u, 3580155704u, 949770784u, 226153695u, 1230515664u,
     3580155704u, 1988835001u, 986791581u, 1230515664u},
    {1464411153u, 277697599u, 1610723613u, 32183930u, 1464411153u,
     1022607788u, 2824425944u, 32183930u, 2093834863u},
};
