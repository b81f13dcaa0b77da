/* planted_faults.h - planted faults: faults of the compiler that are built in
 * on purpose.
 *
 * Planted faults prove that the fuzzers would find faults of their kind. In a
 * build with -Dplants=true the environment variable PYCUDA_JIT_PLANT selects
 * one fault by name; tools/plants.py tries all of them. In any other build
 * PLANTED_FAULT() is false, and the compiler removes the code of the faults.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PLANTED_FAULTS_H
#define PYCUDA_JIT_PLANTED_FAULTS_H

#include <stdbool.h>

/* ROW(name of the planted fault, description of its effect in the compiler) */
#define JIT_EACH_PLANTED_FAULT(ROW)                                           \
    ROW(barrier_dropped, "every second barrier is ignored")                   \
    ROW(uniform_join, "phis of divergent branches count as uniform")          \
    ROW(uniform_exit, "all threads leave a loop in the same iteration")       \
    ROW(uniform_load, "loads of private memory count as uniform")             \
    ROW(parting_allowed, "divergent threads may reach different barriers")    \
    ROW(stale_value, "a value is saved at the first barrier only")            \
    ROW(stale_uniform, "a warp gets the uniform values of the previous warp") \
    ROW(lost_update, "joint iterations lose the values that loops carry")     \
    ROW(private_by_row, "private memory is indexed by threadIdx.x alone")     \
    ROW(carried_by_warp, "values across barriers have one slot per lane")     \
    ROW(wrong_side, "a bound is used on the other side of its condition")     \
    ROW(bound_short, "a bound with `<=` is treated as `<`")                   \
    ROW(bound_unsigned, "signed bounds are compared as unsigned")             \
    ROW(outsider_gone, "without threads in the bounds, no next code is set")  \
    ROW(busy_is_idle, "threads beyond a bound lose their stores")             \
    ROW(early_equal, "early returns with `<=` are treated as `<`")            \
    ROW(votes_uncleared, "the sum of votes is not reset")                     \
    ROW(votes_all, "__syncthreads_and returns the result of _or")             \
    ROW(stride_late, "grid-stride loops run one iteration too many")          \
    ROW(stride_wraps, "grid-stride loops start even if their index wraps")    \
    ROW(rounds_short, "joint iterations do not test for the end of a row")    \
    ROW(gate_open, "a run-time test of a row tests its start only")           \
    ROW(wrong_lane, "shuffles down read the next segment's first lane")       \
    ROW(whole_warp, "shuffles ignore their width")                            \
    ROW(mask_forgotten, "votes ignore differing masks")                       \
    ROW(lanes_agree, "threadIdx.x / 16 counts as uniform in a warp")          \
    ROW(counted_swapped, "stores under a lane test go to the wrong place")    \
    ROW(match_self, "matches compare each lane with the next lane")           \
    ROW(lost_atomic, "atomics on shared memory become vector operations")     \
    ROW(atomic_sign, "unsigned min and max of atomics are signed")            \
    ROW(shared_overlap, "shared arrays overlap by one element")               \
    ROW(float_division, "32-bit integer divisions are done in float")         \
    ROW(wrong_axis, "threadIdx.z returns threadIdx.y")                        \
    ROW(guard_sign, "guards compare signed values as unsigned")               \
    ROW(guard_short, "guards with `<=` are treated as `<`")                   \
    ROW(guard_lower, "guards admit one thread too many at the lower end")     \
    ROW(grid_stride, "the stride of a grid is the size of one block")         \
    ROW(split_short, "the last thread with a whole part takes the rest")      \
    ROW(merged_blocks, "merged blocks use the indices of the first block")    \
    ROW(grid_carry, "the next row of blocks is not reached")                  \
    ROW(halves_alike, "both halves of a float's bits come from the first")    \
    ROW(loop_stale, "threads that left a loop get later values")              \
    ROW(loop_together, "a loop ends when its first thread leaves")            \
    ROW(pack_stride, "accesses of a pack have twice the stride")              \
    ROW(pack_join, "phis of divergent branches are uniform in packs")         \
    ROW(pack_stale, "lanes that left a loop of a pack get later values")      \
    ROW(pack_store, "stores of a pack ignore their mask")                     \
    ROW(pack_tail, "the last pack of a row has one lane too many")            \
    ROW(pack_wraps, "indices of a pack that wrap count as consecutive")       \
    ROW(pack_assumes, "extended indices of a pack count as not wrapping")     \
    ROW(pack_skip, "exits of a loop run in iterations that skip them")        \
    ROW(pack_overlap, "buffered loads ignore stores of their loop")           \
    ROW(pack_buffer, "buffered loads return the previous element")            \
    ROW(pack_ordered, "atomics on shared memory run in packs")                \
    ROW(guard_wraps, "threads whose guarded index wraps do not run")          \
    ROW(pack_quotient, "packs assume that all indices have one quotient")     \
    ROW(pack_choice, "packs assume that all lanes choose the same index")     \
    ROW(pack_terms, "conditions of packs ignore their uniform terms")         \
    ROW(row_axis, "exchanged axes keep the block indices")                    \
    ROW(run_end, "runs of blocks end one block late")                         \
    ROW(ptx_not_inverted, "PTX: @!p runs where p holds")                      \
    ROW(ptx_guard_lost, "PTX: results are written whatever the predicate is") \
    ROW(ptx_sign_lost, "PTX: narrow results are extended by zeros")           \
    ROW(ptx_scope_leaks, "PTX: registers outlive their scope")                \
    ROW(ptx_table_pairs, "PTX: pairs of labels in a table are exchanged")     \
    ROW(ptx_vector_swapped, "PTX: vector loads exchange pairs of elements")   \
    ROW(ptx_atomic_sign, "PTX: min and max of atomics are unsigned")          \
    ROW(ptx_carry_lost, "PTX: addc and madc add no carry")                    \
    ROW(ptx_high_unsigned, "PTX: high halves of products are unsigned")       \
    ROW(ptx_shift_stays, "PTX: shifts by more than the width keep a bit")     \
    ROW(ptx_funnel_order, "PTX: funnel shifts exchange their halves")         \
    ROW(ptx_table_order, "PTX: lop3 takes its inputs in reverse order")       \
    ROW(ptx_field_sign, "PTX: signed bit fields are extended by zeros")       \
    ROW(ptx_byte_sign, "PTX: prmt does not replicate signs")                  \
    ROW(ptx_segment, "PTX: shuffles forget their segments")                   \
    ROW(ptx_in_range, "PTX: shuffles up treat one lane as out of range")      \
    ROW(ptx_narrow_wraps, "PTX: conversions to 16 bits do not saturate")      \
    ROW(ptx_round_down, "PTX: rounding to zero rounds down")

#define JIT_PLANTED_FAULT_NAME(name, what) JIT_PLANT_##name,
enum jit_planted_fault {
    JIT_EACH_PLANTED_FAULT(JIT_PLANTED_FAULT_NAME) JIT_PLANTS_END
};

#ifdef JIT_PLANTS
/* planted_faults.c: returns whether `plant` is the fault that is active. */
bool jit_has_planted_fault(enum jit_planted_fault plant);
#define PLANTED_FAULT(name) jit_has_planted_fault(JIT_PLANT_##name)
#else
#define PLANTED_FAULT(name) (JIT_PLANT_##name == JIT_PLANTS_END)
#endif

#endif
