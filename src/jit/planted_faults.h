/* planted_faults.h - planted faults: faults of the compiler that are built in
 * on purpose.
 *
 * They prove that the fuzzers would find such faults. In a build with
 * -Dplants=true the environment variable PYCUDA_JIT_PLANT selects one fault by
 * name; tools/plants.py tries all of them. In any other build PLANTED_FAULT()
 * is false, and the compiler removes the code of the faults.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PLANTED_FAULTS_H
#define PYCUDA_JIT_PLANTED_FAULTS_H

#include <stdbool.h>

/* ROW(name of the fault, what the compiler does wrong when it is active). */
#define JIT_EACH_PLANTED_FAULT(ROW)                                           \
    ROW(barrier_dropped, "every second barrier is no cut")                    \
    ROW(uniform_join, "where threads meet, what they bring is the same")      \
    ROW(uniform_exit, "loops are left in the same round by all threads")      \
    ROW(uniform_load, "private memory is the same for all threads")           \
    ROW(parting_allowed, "threads that part may come to different barriers")  \
    ROW(stale_value, "a value is kept at the first barrier alone")            \
    ROW(stale_uniform, "a warp starts with the values of the one before")     \
    ROW(lost_update, "what rounds made at once carry is lost")                \
    ROW(private_by_row, "private memory is indexed by threadIdx.x")           \
    ROW(carried_by_warp, "values across barriers are in lane arrays")         \
    ROW(wrong_side, "a bound taken for the other side of a condition")        \
    ROW(bound_short, "a bound that is `<=` is taken for `<`")                 \
    ROW(bound_unsigned, "bounds are compared without their sign")             \
    ROW(outsider_gone, "no threads in the bounds: nothing says where to go")  \
    ROW(busy_is_idle, "threads beyond a bound store nothing")                 \
    ROW(early_equal, "early returns by `<=` are taken for `<`")               \
    ROW(votes_uncleared, "the sum of votes is not cleared")                   \
    ROW(votes_all, "__syncthreads_and tells what _or does")                   \
    ROW(stride_late, "strided loops make a round too many")                   \
    ROW(stride_wraps, "strided loops whose index runs over start there")      \
    ROW(rounds_short, "rounds at once do not ask for a row's end")            \
    ROW(gate_open, "a gate looks at the row's start alone")                   \
    ROW(wrong_lane, "shuffles down reach the next segment's first lane")      \
    ROW(whole_warp, "shuffles forget their width")                            \
    ROW(mask_forgotten, "votes forget masks that differ")                     \
    ROW(lanes_agree, "threadIdx.x / 16 is the same for a warp")               \
    ROW(counted_swapped, "stores that lanes count take the other's place")    \
    ROW(match_self, "matches compare a lane with the next")                   \
    ROW(lost_atomic, "atomics on shared memory become vectors")               \
    ROW(atomic_sign, "unsigned extremes in shared memory are signed")         \
    ROW(shared_overlap, "shared arrays share an element")                     \
    ROW(float_division, "divisions of 32 bits are those of floats")           \
    ROW(wrong_axis, "threadIdx.z is threadIdx.y")                             \
    ROW(guard_sign, "guards compare without their sign")                      \
    ROW(guard_short, "guards that are `<=` are taken for `<`")                \
    ROW(guard_lower, "guards let one thread too many through from below")     \
    ROW(grid_stride, "the stride of a grid is that of a block")               \
    ROW(split_short, "the last thread with a whole piece takes the rest")     \
    ROW(merged_blocks, "rows of blocks forget indices")                       \
    ROW(grid_carry, "the last block of a row is followed by its own row's")   \
    ROW(halves_alike, "bits of floats: their first half is extended twice")   \
    ROW(loop_stale, "threads that left a loop get what later rounds make")    \
    ROW(loop_together, "loops end with the first of several threads")         \
    ROW(pack_stride, "rows of a pack's neighbours are taken two apart")       \
    ROW(pack_join, "where lanes of a pack meet, they bring the same")         \
    ROW(pack_stale, "a lane that left a pack's loop gets later values")       \
    ROW(pack_store, "stores of a pack forget their mask")                     \
    ROW(pack_tail, "the last pack of a row has a lane too many")              \
    ROW(pack_wraps, "indices of a pack that wrap are taken for a row")        \
    ROW(pack_assumes, "indices that packs extend are assumed not to wrap")    \
    ROW(pack_skip, "exits that iterations of a pack skip are executed")       \
    ROW(pack_overlap, "buffered loads ignore the stores of their loop")       \
    ROW(pack_buffer, "buffered loads return the previous element")            \
    ROW(pack_ordered, "atomics on shared memory run in packs")                \
    ROW(guard_wraps, "threads whose index wraps behind a guard do not run")   \
    ROW(pack_quotient, "packs assume that indices have the same quotient")    \
    ROW(pack_choice, "packs assume that all lanes choose the same index")     \
    ROW(pack_terms, "conditions of packs forget their uniform terms")         \
    ROW(row_axis, "exchanged axes keep the indices of blocks")                \
    ROW(run_end, "runs of blocks end one block late")                         \
    ROW(ptx_not_inverted, "PTX: @!p runs where p holds")                      \
    ROW(ptx_guard_lost, "PTX: results are written whatever the predicate")    \
    ROW(ptx_sign_lost, "PTX: narrow results are extended by zeros")           \
    ROW(ptx_scope_leaks, "PTX: registers of a scope outlive it")              \
    ROW(ptx_table_pairs, "PTX: pairs of labels of a table are exchanged")     \
    ROW(ptx_vector_swapped, "PTX: vector loads exchange pairs of elements")   \
    ROW(ptx_atomic_sign, "PTX: atomic extremes are unsigned")                 \
    ROW(ptx_carry_lost, "PTX: addc and madc add no carry")                    \
    ROW(ptx_high_unsigned, "PTX: high halves of products are unsigned")       \
    ROW(ptx_shift_stays, "PTX: shifts by more than the width keep a bit")     \
    ROW(ptx_funnel_order, "PTX: funnel shifts exchange their halves")         \
    ROW(ptx_table_order, "PTX: lop3 takes its inputs in reverse order")       \
    ROW(ptx_field_sign, "PTX: signed bit fields are extended by zeros")       \
    ROW(ptx_byte_sign, "PTX: prmt does not replicate signs")                  \
    ROW(ptx_segment, "PTX: shuffles forget their segments")                   \
    ROW(ptx_in_range, "PTX: shuffles up find one lane too few in range")      \
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
