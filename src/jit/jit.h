/* jit.h - declarations shared by the passes of pycuda-jit.
 *
 * The program is one pipeline over one LLVM module; main.c calls the passes in
 * order. All state is reachable from struct jit. The program runs on one
 * thread, and all memory is freed by the end of the process, so that passes
 * need no clean-up code.
 *
 * An internal error ends the process (jit_die); functions return errors only
 * where their comments say so.
 *
 * Words of this folder: the "body" of a kernel is the function with the
 * kernel's code, executed for one thread. The "entry" is the function that the
 * runtime calls for a range of blocks; its "thread loop" calls the body for
 * each thread of a block. A "row" is the threads of a block with one value of
 * threadIdx.y and threadIdx.z. A "stop" is a call at which a thread may wait
 * for others, such as a barrier. The "geometry" is threadIdx, blockIdx,
 * blockDim, gridDim.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_JIT_H
#define PYCUDA_JIT_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "image/image.h"
#include "jit/target/target.h"

/* Name of a function that returns its pointer argument and is declared
 * `noalias`: LLVM may assume that no other pointer refers to this memory. */
#define JIT_UNALIASED "__pycuda_own"

/* Limit in bytes on all device variables, on all shared variables, and on the
 * local memory of a thread. */
#define JIT_MAX_BYTES      (UINT64_C(1) << 30)
#define JIT_MAX_PARAMETERS 1024
#define JIT_MAX_POINTS     64 /* start points of a kernel; bits of a mask */
#define JIT_MAX_BOUNDS     4  /* conditions that limit a thread loop */

/* What the program writes to stdout. */
enum jit_output {
    JIT_OUTPUT_IMAGE,
    JIT_OUTPUT_EXPLAIN, /* JSON, written by explain.c */
    JIT_OUTPUT_IR,      /* optimised code as LLVM IR text */
    JIT_OUTPUT_ASM,     /* optimised code as assembly of the target */
};

/* Checks that the environment variable PYCUDA_CPU_CHECK may name. */
enum jit_check {
    JIT_CHECK_MEMORY = IMAGE_CHECK_MEMORY,
    JIT_CHECK_RACE = IMAGE_CHECK_RACE,
    JIT_CHECK_SYNC = IMAGE_CHECK_SYNC,
    JIT_CHECK_INIT = IMAGE_CHECK_INIT,
};

struct jit_options {
    const struct jit_target *target;
    enum image_kind kind;
    bool verbose;
    bool fast_math;
    bool fmad;
    bool flush; /* subnormal floats count as zero */
    bool debug; /* keep source locations */
    enum jit_output output;
    unsigned checks;        /* bits of enum jit_check */
    bool regions;           /* split kernels at barriers, where possible */
    bool warps;             /* split kernels at warp operations too */
    int level;              /* optimisation level: -O0 .. -O3 */
    unsigned max_registers; /* from --max-registers; 0: not given */
};

/* A text that grows as it is appended to. All members 0: an empty text. */
struct jit_text {
    char *bytes;
    size_t length;
    size_t capacity;
};

struct jit_parameter {
    uint32_t offset;
    uint32_t bytes;
    bool is_struct; /* by value: the argument is a pointer to its bytes */
};

/* Result of entries/guard.c about a kernel's first branch, such as `if (i <
 * n)`: threads with a global x index (blockIdx.x * blockDim.x + threadIdx.x)
 * of at least `limit` do nothing. The body gets this index as an argument, and
 * the thread loop ends at the limit. */
struct jit_guard {
    bool found;
    bool wide;         /* the index has 64 bits, not 32 */
    bool index_signed; /* a 32-bit index is sign-extended */
    bool compare_signed;
    /* IR text that computes `limit` and `stride`, which are equal for all
     * threads of a block. It is text because later passes change the body. */
    struct jit_text setup;
    const char *limit;
    unsigned limit_width; /* bits: 32 or 64 */
    int64_t lower;        /* the index must also be >= lower; 0: not known */
    /* Used if there is no guard: the condition index * factor + addend <=
     * limit selects one of two code paths, and each gets its own loop. */
    bool split;
    uint64_t factor, addend;
    const char *stride; /* increment of a grid-stride loop's index, or NULL */
    unsigned stride_width;
};

/* A condition that limits the threads of a thread loop along one axis, as IR
 * text for the entry. */
struct jit_region_bound {
    int axis;                   /* 0 (x) or 1 (y) */
    const char *limit;          /* operand in IR; NULL: no limit */
    unsigned bits;              /* width of the limit: 32 or 64 */
    LLVMIntPredicate predicate; /* compares threadIdx with the limit */
};

/* Condition under which threads return before the first barrier
 * (regions/early_exit.c); the loops after that barrier run only the other
 * threads.
 */
struct jit_early_exit {
    LLVMValueRef condition; /* NULL: no thread returns early */
    LLVMBasicBlockRef leave;
    bool leave_first;      /* threads return if the condition is true */
    struct jit_text setup; /* IR text that computes `ends` */
    const char *ends[2];   /* bounds of the other threads: x, y */
};

/* A kernel run as thread loops between barriers (regions/regions.c). A start
 * point is a place where such a loop starts: point 0 is the begin of the
 * kernel, point k the code after the k-th barrier or warp operation. */
struct jit_regions {
    unsigned count;                   /* number of start points */
    uint64_t follows[JIT_MAX_POINTS]; /* possible next points; bit 0: end */
    unsigned uniform_count; /* uniform values that outlive a region */
    LLVMTypeRef *uniform_types;
    uint64_t *uniform_live; /* for each: mask of the points where it is live */
    bool votes;             /* some barrier returns a count, an AND or an OR */
    uint64_t context_bytes; /* bytes per thread to spill divergent values */
    struct jit_region_bound bounds[JIT_MAX_POINTS][JIT_MAX_BOUNDS];
    unsigned bound_counts[JIT_MAX_POINTS];
    unsigned width; /* blockDim.x that the source expects; 0: unknown */
    uint64_t barrier_points; /* points after a __syncthreads() of the kernel */
    uint64_t warp_points;    /* points after a warp operation */
    struct jit_warp_op *warp_ops[JIT_MAX_POINTS]; /* by start point */
    uint64_t short_points; /* points with little, unvectorisable work */
    unsigned lane_count;   /* number of arrays with an element per warp lane */
    LLVMTypeRef *lane_types;
};

struct jit_kernel {
    char *name;
    char *symbol;          /* name of the entry in the object file */
    LLVMValueRef function; /* as read from the input; NULL once body exists */
    LLVMValueRef body;     /* the same code with geometry as arguments */
    struct jit_parameter *parameters;
    unsigned parameter_count;
    uint32_t parameter_bytes;
    uint32_t static_shared;
    uint32_t frame_bytes;
    uint32_t local_bytes;
    uint32_t max_threads;
    uint32_t registers;
    bool fibers;       /* runs on fibers: needs image_thread_entry */
    bool warps;        /* has an entry for whole warps as well */
    bool threads_made; /* the fiber entry already exists */
    uint32_t warp_frame_bytes;
    const char *warps_not; /* why there is no warp entry, or NULL */
    bool independent;      /* running blocks cannot observe each other */
    bool recursive;        /* recursion, calls through pointers, or alloca */
    bool calls_kept;       /* calls a function that was not inlined */
    bool flat;             /* does not use threadIdx.y */
    bool sequential;       /* the thread loop must not be vectorised */
    bool own_loops;        /* has loops vectorised over threads (loops/) */
    struct jit_guard guard;
    struct jit_early_exit early;
    struct jit_regions *regions; /* NULL: a plain thread loop, or fibers */
};

struct jit_global {
    char *name; /* name in the source */
    LLVMValueRef variable;
    uint64_t bytes;
    uint32_t flags;
};

struct jit {
    struct jit_options options;
    LLVMContextRef context;
    LLVMModuleRef module;
    bool linked; /* read from bitcode images that were linked */
    LLVMBuilderRef builder;
    LLVMTargetMachineRef machine;
    LLVMTypeRef i1, i8, i32, i64, pointer;
    struct jit_kernel *kernels;
    unsigned kernel_count;
    struct jit_global *globals;
    unsigned global_count;
    uint32_t constant_bytes;
    uint64_t device_sum, shared_sum; /* bytes of all variables */
    struct jit_text *wrappers;
    struct jit_outlined *outlined; /* see loops/loops.h */
    unsigned outlined_count;
};

/* report.c: messages on stderr. `jit_user_error` records the error, so that
 * all errors of a source are reported before jit_stop_on_errors ends the
 * process with status 1. `jit_die` reports an internal error and ends the
 * process immediately with status 2. `where` is an instruction, for the source
 * location, or NULL. */
void jit_user_error(LLVMValueRef where, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void jit_stop_on_errors(void);
_Noreturn void jit_die(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* Routes LLVM's fatal errors and diagnostics of the context to report.c. */
void jit_report_install(struct jit *jit);
/* Returns the size in bytes of the stack frame of function `symbol`, as the
 * code generator reported it, or 0 if it is unknown. */
uint32_t jit_report_frame(const char *symbol);

/* text.c: memory, which lives until the process ends. Running out of memory
 * ends the process. `jit_copy` and `jit_format` return texts that end in a
 * NUL. */
void *jit_allocate(size_t bytes); /* zeroed; never NULL */
char *jit_copy(const char *text, size_t length);
char *jit_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* Append formatted text, or bytes, to `text`. */
void jit_text_add(struct jit_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void jit_text_add_bytes(struct jit_text *text, const void *bytes,
                        size_t length);

/* ir.c: helpers for the LLVM-C API. */
typedef void jit_visit(struct jit *jit, LLVMValueRef instruction, void *data);
/* Calls `visit` for each instruction of a function; `visit` may erase the
 * instruction that it receives. */
void jit_each_instruction(struct jit *jit, LLVMValueRef function,
                          jit_visit *visit, void *data);
/* Calls `visit` for each instruction of all functions of the module. */
void jit_each_instruction_of_module(struct jit *jit, jit_visit *visit,
                                    void *data);
/* Returns the value's name, "" if it has none. */
const char *jit_name(LLVMValueRef value);
/* Returns the section of a variable, "" if it has none. */
const char *jit_section(LLVMValueRef variable);
/* Makes all branches of the function that go to `from` go to `to`. The phis of
 * both blocks stay as they are. */
void jit_redirect_branches(LLVMValueRef function, LLVMBasicBlockRef from,
                           LLVMBasicBlockRef to);
/* Returns the function that a direct call names, or NULL for other
 * instructions. */
LLVMValueRef jit_callee(LLVMValueRef instruction);
/* Test whether the instruction is a direct call of function `name`, or of a
 * function with a name that begins with `prefix`. */
bool jit_calls(LLVMValueRef instruction, const char *name);
bool jit_is_call(LLVMValueRef instruction, const char *prefix);
/* How an instruction lets a thread observe the progress of other threads: by
 * an atomic or volatile read, or by a fence. */
enum jit_sight {
    JIT_SIGHT_NONE = 0,
    JIT_SIGHT_READ = 1,
    JIT_SIGHT_FENCE = 2,
};
enum jit_sight jit_sight(LLVMValueRef instruction);
/* Tests for integer arithmetic, a select or an address computation, which have
 * no side effects and never fault. */
bool jit_is_arithmetic(LLVMValueRef instruction);
/* Return the predicate that is true exactly where this one is false, and the
 * predicate that gives the same result with swapped operands. */
LLVMIntPredicate jit_predicate_inverse(LLVMIntPredicate predicate);
LLVMIntPredicate jit_predicate_mirrored(LLVMIntPredicate predicate);
/* Replaces all uses of an instruction by `by`, and erases the instruction. */
void jit_replace(LLVMValueRef instruction, LLVMValueRef by);
/* A jit_visit: replaces a float sum, difference or product that LLVM may fuse
 * to a multiply-add by one that is rounded separately. */
void jit_forbid_contraction(struct jit *jit, LLVMValueRef at, void *data);
/* Add, remove and query an enum attribute of the function by its LLVM name. */
void jit_add_attribute(struct jit *jit, LLVMValueRef function,
                       const char *name);
void jit_drop_attribute(LLVMValueRef function, const char *name);
bool jit_has_attribute(LLVMValueRef function, const char *name);
/* Returns an i32 constant. */
LLVMValueRef jit_constant(struct jit *jit, uint64_t value);
/* Returns the declaration of function `name`. If the module has none, adds it
 * with the attribute nounwind. */
LLVMValueRef jit_declare(struct jit *jit, const char *name, LLVMTypeRef result,
                         LLVMTypeRef *types, unsigned count);
/* Runs a pipeline in the syntax of `opt -passes=` over the module. */
void jit_run_passes(struct jit *jit, const char *passes);
/* Tests whether the function has any use except as the callee of a call. */
bool jit_address_taken(LLVMValueRef function);
/* Replaces every use of the constant `value`, also inside constant
 * expressions. Each function with such a use gets the instruction that `make`
 * returns for that function. */
typedef LLVMValueRef jit_make(struct jit *jit, LLVMValueRef function,
                              void *data);
void jit_expand_constant(struct jit *jit, LLVMValueRef value, jit_make *make,
                         void *data);

/* entries/guard.c: tests whether the value is equal for all threads of a block
 * and computed only from parameters, block geometry and simple arithmetic.
 * `depth` counts the recursion; callers pass 0. */
bool jit_is_uniform(struct jit_kernel *kernel, LLVMValueRef value, int depth);
/* Test whether a basic block contains nothing but a return, and whether it has
 * no visible side effects. Both ignore the intrinsics that mark the lifetimes
 * of private variables. */
bool jit_only_returns(LLVMBasicBlockRef block);
bool jit_has_no_effects(LLVMBasicBlockRef block);

/* options.c: parses the command line. A wrong option ends the process. */
void jit_read_options(struct jit_options *options, int count,
                      char **arguments);

/* The passes, almost in the order in which main.c calls them. */
/* retarget/read.c: reads bitcode from stdin into the module. */
void jit_read(struct jit *jit);
/* retarget/kernels.c: lists the kernels and their parameter layouts. */
void jit_find_kernels(struct jit *jit);
/* output/emit.c: creates LLVM's code generator for the target processor. */
void jit_open_target(struct jit *jit);
/* retarget/variables.c: moves device variables to address space 0, and lists
 * them in jit.globals. */
void jit_lower_variables(struct jit *jit);
/* retarget/indices.c: turns reads of threadIdx etc. into function calls. */
void jit_lower_indices(struct jit *jit);
/* retarget/intrinsics.c: maps nvptx intrinsics to functions of the runtime. */
void jit_map_intrinsics(struct jit *jit);
/* retarget/lanes.c: replaces operations on whole vectors by instructions of
 * the target where it has them. */
void jit_lower_lanes(struct jit *jit);
/* retarget/check.c: both report errors of the source. The first one runs
 * before any change to the module. `linkable`: names may be undefined, since
 * the code will be linked with other code. */
void jit_check_declarations(struct jit *jit);
void jit_check_source(struct jit *jit, bool linkable);
/* retarget/assembly.c: replaces inline PTX. */
void jit_lower_assembly(struct jit *jit);
/* retarget/variadic.c: makes calls pass variable arguments (...) in a
 * buffer. */
void jit_lower_variadic(struct jit *jit);
/* retarget/retarget.c: sets the triple, the data layout and the function
 * attributes for the host processor. */
void jit_retarget(struct jit *jit);
/* retarget/retarget.c: sets the floating-point flags that the command line
 * requests. */
void jit_set_math(struct jit *jit);
/* retarget/flush.c: makes subnormal floats zero. */
void jit_flush(struct jit *jit);
/* retarget/arithmetic.c: gives operations that are undefined in LLVM, such as
 * x / 0, the results of a GPU. */
void jit_lower_arithmetic(struct jit *jit);
/* retarget/arithmetic.c: replaces 32-bit divisions by divisions of doubles. */
void jit_widen_divisions(struct jit *jit);
/* retarget/inlining.c: selects the device functions to inline. */
void jit_choose_inlining(struct jit *jit);
/* checks/insert.c: inserts calls of __pycuda_check*, which check accesses and
 * barriers at run time. */
void jit_insert_checks(struct jit *jit);
/* checks/insert.c: removes the checks of barriers from a kernel for which it
 * was proved that all threads of a block reach each barrier together. */
void jit_remove_stop_checks(struct jit *jit, struct jit_kernel *kernel);
/* checks/access_ranges.c: replaces the checks of each iteration of a loop,
 * where possible, by one check before the loop that covers all iterations. */
void jit_check_ranges(struct jit *jit);
/* checks/access_form.c: turns the descriptions of loops, which the checks
 * before loops pass to the runtime, into constant data. */
void jit_lower_range_checks(struct jit *jit);
/* fibers/lockstep.c: makes the threads of a warp wait for each other at
 * volatile stores to shared memory. */
void jit_keep_lockstep(struct jit *jit);
/* analyse/independent_blocks.c: finds kernels with blocks that cannot observe
 * each
 * other. */
void jit_find_independent_blocks(struct jit *jit);
/* fibers/spinning.c: adds a yield to each loop in which a thread waits for
 * other threads. */
void jit_find_spinning(struct jit *jit);
/* fibers/stops.c: finds the kernels with calls that may switch fibers, and
 * what is known of the stack depth. */
void jit_find_stops(struct jit *jit);
/* retarget/tables.c: gives functions local copies of constant tables that
 * contain addresses of shared variables. */
void jit_copy_tables(struct jit *jit);
/* retarget/geometry.c: turns each kernel into its body, which has the geometry
 * as further arguments. */
void jit_make_bodies(struct jit *jit);
/* retarget/geometry.c: stores the thread's geometry before a failed assertion,
 * so that the message names the thread. */
void jit_publish_failures(struct jit *jit, struct jit_kernel *kernel);
/* entries/guard.c: finds a first branch such as `if (i < n)`, which limits the
 * threads that have work, and fills kernel->guard. */
void jit_find_guard(struct jit *jit, struct jit_kernel *kernel);
/* retarget/shared.c: turns shared variables into offsets in the block's shared
 * memory. */
void jit_lower_shared(struct jit *jit);
/* regions/stride.c: rewrites `for (i = threadIdx.x; i < n; i += blockDim.x)`
 * so that all threads make the same number of iterations. */
void jit_even_strides(struct jit *jit);
/* regions/stride.c: removes what jit_even_strides added to mark its loops,
 * after unrolling. */
void jit_drop_stride_marks(struct jit *jit);
/* regions/regions.c: splits kernels at barriers and warp operations. */
void jit_split_kernels(struct jit *jit);
/* loops/outline.c: moves loops of the kernel's source into functions that can
 * be vectorised over threads. The second function tests whether a function is
 * the result of such a loop. */
void jit_outline_loops(struct jit *jit);
bool jit_is_loop_result(LLVMValueRef function);
/* loops/outline.c: declares the vector variants of the functions of these
 * loops, before vectorisation. loops/define.c: writes them, after it. */
void jit_declare_loops(struct jit *jit);
void jit_define_loops(struct jit *jit);
/* entries/loop.c, entries/region.c, entries/thread.c: append the text of one
 * kernel's entry to jit.wrappers. */
void jit_write_loop_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_write_region_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_write_thread_entry(struct jit *jit, struct jit_kernel *kernel);
/* entries/entries.c: adds the entries of all kernels to the module. */
void jit_add_entries(struct jit *jit);
/* entries/entries.c: adds the entry for fibers before the kernel is split,
 * with a copy of the body as it is then. */
void jit_add_thread_entry(struct jit *jit, struct jit_kernel *kernel);
/* output/optimise.c: sets LLVM's own command-line options. */
void jit_tune(void);
/* output/unswitch.c: limits the copies of loops with many invariant
 * conditions, by an LLVM option for the whole module. */
void jit_bound_unswitching(struct jit *jit);
/* output/optimise.c: run the passes before, and those after, kernels are
 * turned into bodies. */
void jit_prepare(struct jit *jit);
void jit_prepare_bodies(struct jit *jit);
/* output/slow_path.c: slow-path calls (__pycuda_rare_*) of mathematical
 * functions. The first declares their vector variants before vectorisation,
 * and returns false if the module has none. The second defines them after
 * vectorisation.
 */
bool jit_declare_slow_paths(struct jit *jit);
void jit_define_slow_paths(struct jit *jit);
/* Returns the name of the C library function for the name `__pycuda_rare_...`,
 * NULL for other names. */
const char *jit_slow_path_function(const char *name);
/* output/vector_slices.c: jit_join_slices simplifies reads of a part of a
 * vector. jit_drop_unaliased replaces calls of JIT_UNALIASED by their
 * argument. Both run after the passes that promote memory to registers. */
void jit_join_slices(struct jit *jit);
void jit_drop_unaliased(struct jit *jit);
/* output/vector_extensions.c: splits vector extensions that LLVM 19 cannot
 * select. */
void jit_split_extensions(struct jit *jit);
/* output/join.c: keeps the vectoriser from moving an access across another one
 * that may alias. It adds opaque zeros to addresses, which jit_show_zeros
 * removes after vectorisation. */
void jit_part_accesses(struct jit *jit);
/* output/masks.c: jit_hide_masks hides masked indices, such as (3 * i) & 63,
 * from the vectoriser, since LLVM 19 vectorises them incorrectly.
 * jit_show_masks restores them. */
void jit_hide_masks(struct jit *jit);
void jit_show_masks(struct jit *jit);
void jit_show_zeros(struct jit *jit);
/* output/optimise.c: runs the optimisation pipeline on module and entries. */
void jit_optimise(struct jit *jit);
/* output/traps.c: makes reaching undefined behaviour of C++ end in a fault. */
void jit_add_traps(struct jit *jit);
/* output/emit.c: returns the ELF object file, and sets the frame sizes of the
 * kernels. */
LLVMMemoryBufferRef jit_emit(struct jit *jit);
/* Writes IR or assembly text to stdout, as jit_options.output says. */
void jit_show_code(struct jit *jit);
/* output/write.c: writes an image with `bytes` bytes of code at `payload` to
 * stdout. */
void jit_write(struct jit *jit, const char *payload, size_t bytes);

/* Arguments of a body after the kernel's own parameters. */
enum jit_body_argument {
    JIT_TID, /* three i32: threadIdx.x, y, z */
    JIT_CTAID = 3,
    JIT_NTID = 6,
    JIT_NCTAID = 9,
    JIT_LINEAR = 12,
    JIT_DYNAMIC_BYTES,
    JIT_GLOBAL_INDEX, /* i32 blockIdx.x * blockDim.x + threadIdx.x (guard.c) */
    JIT_WIDE_INDEX,   /* the same index as i64 (guard.c) */
    JIT_SHARED,       /* pointer to the block's shared memory */
    JIT_WHOLE,        /* i1: result of the condition of jit_guard.split */
    JIT_THREAD,       /* pointer to struct image_thread */
    /* for kernels that run warp by warp (warps/warps.h); otherwise poison: */
    JIT_WARP_X,      /* threadIdx.x of the warp's first thread */
    JIT_WARP_LINEAR, /* linear index in the block of this thread */
    JIT_VOTE,        /* i64: uniform result of a warp operation */
    JIT_BODY_ARGUMENTS,
};

/* Further arguments of the body of a kernel that is split into regions. The
 * body runs from the start point JIT_REGION_POINT to the next barrier, and
 * stores the number of the next start point to JIT_REGION_NEXT (0: the kernel
 * ends). After the listed ones follow two arguments for each uniform value,
 * its value and a pointer for the new value, and the arrays with one element
 * per lane of a warp. */
enum jit_region_argument {
    JIT_REGION_CONTEXT,
    JIT_REGION_POINT,
    JIT_REGION_NEXT,
    JIT_REGION_VOTES, /* pointer to the sum of the predicates of a barrier */
    JIT_REGION_VOTED, /* i32, this sum at the last barrier */
    JIT_REGION_UNIFORMS,
};

/* Returns the body's parameter. `which` is an enum jit_body_argument, or an
 * enum jit_region_argument plus JIT_BODY_ARGUMENTS. */
LLVMValueRef jit_body_argument(const struct jit_kernel *kernel, int which);
/* entries/entries.c: helpers that write IR text, for all kinds of entries.
 * Functions with names that begin with jit_text append to jit.wrappers, unless
 * they have a parameter `text`. */
/* Returns the IR operand for a value that jit_is_uniform accepts. Appends the
 * instructions that compute it to `text`. */
const char *jit_text_operand(struct jit_text *text, struct jit_kernel *kernel,
                             LLVMValueRef value);
/* Writes the loads of the kernel's parameters from the parameter buffer. */
void jit_text_parameters(struct jit *jit, struct jit_kernel *kernel);
/* Writes the loads of the geometry and of the address of shared memory.
 * `width` is blockDim.x if it is known, else 0. `flat`: the kernel does not
 * use threadIdx.y. `own`: while the entry runs, shared memory is accessed only
 * through this address. */
void jit_text_geometry(struct jit *jit, unsigned width, bool flat, bool own);
/* Writes a call of the body. `suffix` ends the names that differ between the
 * loops of an entry; `metadata` is appended to the call. */
void jit_text_call(struct jit *jit, struct jit_kernel *kernel,
                   const char *suffix, const char *metadata);
/* entries/warp.c: returns the symbol, and writes the text, of the entry that
 * runs warp by warp. */
char *jit_warp_symbol(const struct jit_kernel *kernel);
void jit_write_warp_entry(struct jit *jit, struct jit_kernel *kernel);
/* entries/region.c: text that the warp entry uses as well. In order: the
 * variables that hold uniform values between regions, the loads of these
 * values at a start point, the call of the body from a start point, and the
 * thread loop of a start point. */
char *jit_region_variables(const struct jit_regions *regions);
void jit_region_inputs(struct jit *jit, const struct jit_regions *regions,
                       unsigned point);
void jit_region_call(struct jit *jit, struct jit_kernel *kernel, const char *s,
                     unsigned point, bool inside);
void jit_region_point(struct jit *jit, struct jit_kernel *kernel,
                      unsigned point, unsigned loop);
/* Writes only the arguments of the call that jit_text_call writes, without
 * parentheses. */
void jit_text_arguments(struct jit *jit, struct jit_kernel *kernel,
                        const char *suffix);

/* entries/nest.c: the loops over blocks and threads in entries that run whole
 * blocks. */
/* A nest of loops over the threads of a block. All its names end in
 * `suffix`. */
struct jit_nest {
    const char *suffix;
    const char *before;      /* label of the predecessor block */
    const char *start, *end; /* bounds of the loop over threadIdx.x */
    const char *after;
    int whole; /* the constant JIT_WHOLE argument in this nest */
    const char *first_row, *last_row; /* bounds of the y loop; NULL: all */
};

/* A function that runs all threads of whole blocks. */
struct jit_frame {
    const char *name;
    const char *variables; /* IR text of its local variables */
    unsigned width;        /* blockDim.x it is specialised for, else 0 */
    bool internal;         /* inlined into the entry */
    bool merged;           /* one loop may run several blocks of the grid */
};

/* Writes the start of the function, up to where the code of one block begins
 * in the loop over blocks. */
void jit_text_blocks_start(struct jit *jit, struct jit_kernel *kernel,
                           const struct jit_frame *frame);
/* Writes the end of the loop over blocks. The code of a block ends by
 * branching to the label `next`. */
void jit_text_blocks_end(struct jit *jit, const struct jit_kernel *kernel);
/* Write the headers, and later the ends, of the nest's loops. The caller
 * writes the code of the innermost loop between them. */
void jit_text_nest_start(struct jit *jit, const struct jit_nest *nest);
void jit_text_nest_end(struct jit *jit, const struct jit_nest *nest,
                       unsigned loop);
/* Reserves `count` consecutive numbers of loop metadata; returns the first. */
unsigned jit_text_loops(unsigned count);
enum jit_hint {
    JIT_HINT_SHORT = 1,  /* vectorise the last, partial vector too */
    JIT_HINT_UNROLL = 2, /* unroll after vectorisation */
};
/* Writes the metadata of loop number `loop`; `hints` are bits of enum
 * jit_hint. */
void jit_text_loop_hints(struct jit *jit, const struct jit_kernel *kernel,
                         unsigned loop, unsigned hints);

/* retarget/inlining.c: tests whether the function was marked as not to be
 * inlined. */
bool jit_is_noinline(struct jit *jit, LLVMValueRef function);
/* retarget/kernels.c: tests whether the function is one of jit.kernels. */
bool jit_is_kernel(struct jit *jit, LLVMValueRef function);
/* Returns the kernel that was read as this function, or NULL. */
struct jit_kernel *jit_kernel_of(struct jit *jit, LLVMValueRef function);
/* fibers/stops.c: tests whether the runtime function `name` may switch to
 * another fiber. */
bool jit_may_stop(const char *name);
/* retarget/ptx.c: replaces a call of inline PTX by instructions. Returns NULL
 * on success. Otherwise returns the reason of the failure and leaves the
 * module unchanged. */
const char *jit_translate_ptx(struct jit *jit, LLVMValueRef call);
/* retarget/check.c: tests whether the name may stay undefined in the object
 * file, since the runtime provides it. */
bool jit_is_known_symbol(const char *name);

#endif
