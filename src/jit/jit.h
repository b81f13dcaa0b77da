/* jit.h - declarations shared by the passes of pycuda-jit.
 *
 * The program is one pipeline over one LLVM module; main.c calls the passes in
 * order. All state is reachable from struct jit. The program runs on one
 * thread, and all memory is freed by the end of the process, so that passes
 * need no clean-up code.
 *
 * An internal error ends the process (jit_die); functions return errors only
 * where their contracts say so.
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

/* A function that returns its argument, a pointer that no other value
 * aliases. */
#define JIT_OWN "__pycuda_own"

/* Limit in bytes on all device variables, on all shared variables, and on the
 * local memory of a thread. */
#define JIT_MOST_BYTES     (UINT64_C(1) << 30)
#define JIT_MAX_PARAMETERS 1024
#define JIT_MAX_POINTS     64 /* regions of a kernel; bits of a word */
#define JIT_MAX_BOUNDS     4  /* bounds of a region's thread loop */

/* Output written to stdout. */
enum jit_output {
    JIT_OUTPUT_IMAGE,
    JIT_OUTPUT_EXPLAIN, /* JSON, written by explain.c */
    JIT_OUTPUT_IR,      /* optimised code as LLVM IR text */
    JIT_OUTPUT_ASM,     /* optimised code as assembly of the target */
};

/* Checks that PYCUDA_CPU_CHECK may name. */
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
    bool regions;           /* thread loops between barriers, where possible */
    bool warps;             /* thread loops between warp operations too */
    int level;              /* optimisation level: -O0 .. -O3 */
    unsigned max_registers; /* 0: not given */
};

/* A growing text; zero-initialised it is empty. */
struct jit_text {
    char *bytes;
    size_t length;
    size_t capacity;
};

struct jit_parameter {
    uint32_t offset;
    uint32_t bytes;
    bool is_struct; /* passed by value: a pointer into the buffer */
};

/* Result of entries/guard.c about a kernel's first branch: threads whose
 * global x index is not below `limit` do nothing. The index is then an
 * argument of the body, and the thread loop's bound follows from the limit. */
struct jit_guard {
    bool found;
    bool wide;         /* the index has 64 bits, not 32 */
    bool index_signed; /* a 32-bit index is sign-extended */
    bool compare_signed;
    /* IR text that computes the two values below, which are uniform. It is
     * text because later passes change the body. */
    struct jit_text setup;
    const char *limit;
    unsigned limit_width; /* bits: 32 or 64 */
    int64_t lower;        /* index >= lower holds as well; 0: not known */
    /* Used if there is no guard: the condition index * factor + addend <=
     * limit selects one of two code paths, and each gets its own loop. */
    bool split;
    uint64_t factor, addend;
    const char *stride; /* increment of a grid-stride loop's index, or NULL */
    unsigned stride_width;
};

/* Bound of the thread loop along one axis, as IR text for the entry. */
struct jit_region_bound {
    int axis;                   /* 0 (x) or 1 (y) */
    const char *limit;          /* NULL: no bound */
    unsigned bits;              /* width of the limit: 32 or 64 */
    LLVMIntPredicate predicate; /* compares threadIdx with the limit */
};

/* Threads that return before the first barrier (regions/early.c). */
struct jit_early {
    LLVMValueRef condition; /* NULL: no thread returns early */
    LLVMBasicBlockRef leave;
    bool leave_first;      /* threads return if the condition is true */
    struct jit_text setup; /* IR text, like jit_guard.setup */
    const char *ends[2];   /* remaining threads of a row, and rows */
};

/* A kernel run as thread loops between barriers (regions/regions.c). */
struct jit_regions {
    unsigned count;                   /* number of start points */
    uint64_t follows[JIT_MAX_POINTS]; /* next points; bit 0: the end */
    unsigned uniform_count;           /* uniform values carried in variables */
    LLVMTypeRef *uniform_types;
    uint64_t *uniform_live; /* bit mask of the points where each is live */
    bool votes;             /* some barrier returns a reduction */
    uint64_t context_bytes; /* size of the spilled divergent values */
    struct jit_region_bound bounds[JIT_MAX_POINTS][JIT_MAX_BOUNDS];
    unsigned bound_counts[JIT_MAX_POINTS];
    unsigned width; /* blockDim.x the source seems made for; 0: none */
    uint64_t barrier_points; /* points that follow a barrier of the source */
    uint64_t warp_points;    /* points that follow a warp operation */
    struct jit_warp_op *warp_ops[JIT_MAX_POINTS]; /* by point; warps/warps.h */
    uint64_t short_points; /* little work, not vectorisable */
    unsigned lane_count;   /* arrays with one element per lane of a warp */
    LLVMTypeRef *lane_types;
};

struct jit_kernel {
    char *name;
    char *symbol;          /* name of the entry in the object file */
    LLVMValueRef function; /* the kernel as read; NULL once it has a body */
    LLVMValueRef body;     /* the kernel with geometry as arguments */
    struct jit_parameter *parameters;
    unsigned parameter_count;
    uint32_t parameter_bytes;
    uint32_t static_shared;
    uint32_t frame_bytes;
    uint32_t local_bytes;
    uint32_t max_threads;
    uint32_t registers;
    bool fibers;       /* needs image_thread_entry */
    bool warps;        /* has an entry for whole warps as well */
    bool threads_made; /* the fiber entry already exists */
    uint32_t warp_frame_bytes;
    const char *warps_not; /* reason for having no warp entry, or NULL */
    bool apart;            /* blocks cannot observe each other */
    bool recursive;        /* recursion, calls through pointers, or alloca */
    bool calls_kept;       /* calls a function that was not inlined */
    bool flat;             /* does not use threadIdx.y: its rows are long */
    bool sequential;       /* the thread loop must not be vectorised */
    bool own_loops;        /* some loops run for several threads (loops/) */
    struct jit_guard guard;
    struct jit_early early;
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
    bool linked; /* the module was linked from images */
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
/* Returns the frame size of `symbol` in bytes as the code generator reported
 * it, or 0 if it is unknown. */
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
/* Calls `visit` for each instruction of all functions with a body. */
void jit_each_instruction_of_all(struct jit *jit, jit_visit *visit,
                                 void *data);
/* Returns the value's name, "" if it has none. */
const char *jit_name(LLVMValueRef value);
/* Returns the section of a variable, "" if it has none. */
const char *jit_section(LLVMValueRef variable);
/* Returns the function that a direct call names, or NULL for other
 * instructions. */
LLVMValueRef jit_callee(LLVMValueRef instruction);
/* Test for a direct call of `name`, or of a function with a name that begins
 * with `prefix`. */
bool jit_calls(LLVMValueRef instruction, const char *name);
bool jit_is_call(LLVMValueRef instruction, const char *prefix);
/* Ways in which an instruction lets a thread observe other threads: an atomic
 * or volatile access that reads, or a fence. */
enum jit_sight {
    JIT_SIGHT_NONE = 0,
    JIT_SIGHT_READ = 1,
    JIT_SIGHT_FENCE = 2,
};
enum jit_sight jit_sight(LLVMValueRef instruction);
/* Tests for integer arithmetic, a select or an address computation, which have
 * no side effects and never fault. */
bool jit_is_arithmetic(LLVMValueRef instruction);
/* Return the predicate with the negated result, and the predicate for swapped
 * operands. */
LLVMIntPredicate jit_predicate_inverse(LLVMIntPredicate predicate);
LLVMIntPredicate jit_predicate_mirrored(LLVMIntPredicate predicate);
/* Replaces all uses of an instruction by `by`, and erases the instruction. */
void jit_replace(LLVMValueRef instruction, LLVMValueRef by);
/* A jit_visit: replaces a sum or product that may be contracted by one that is
 * rounded separately. */
void jit_forbid_contraction(struct jit *jit, LLVMValueRef at, void *data);
/* Add, remove and query an enum attribute of the function by its LLVM name. */
void jit_add_attribute(struct jit *jit, LLVMValueRef function,
                       const char *name);
void jit_drop_attribute(LLVMValueRef function, const char *name);
bool jit_has_attribute(LLVMValueRef function, const char *name);
/* Returns an i32 constant. */
LLVMValueRef jit_constant(struct jit *jit, uint64_t value);
/* Returns the declaration of `name`; adds it, as nounwind, if the module has
 * none. */
LLVMValueRef jit_declare(struct jit *jit, const char *name, LLVMTypeRef result,
                         LLVMTypeRef *types, unsigned count);
/* Runs a pipeline in the syntax of `opt -passes=` over the module. */
void jit_run_passes(struct jit *jit, const char *passes);
/* Tests whether the function is used other than as the callee of a call. */
bool jit_address_taken(LLVMValueRef function);
/* Replaces every use of the constant `value` in a function, also inside
 * constant expressions, by the instruction that `make` returns for that
 * function. */
typedef LLVMValueRef jit_make(struct jit *jit, LLVMValueRef function,
                              void *data);
void jit_expand_constant(struct jit *jit, LLVMValueRef value, jit_make *make,
                         void *data);

/* entries/guard.c: is the value uniform in a block, and computed from
 * parameters, block geometry and simple arithmetic? `depth` counts the
 * recursion; callers pass 0. */
bool jit_is_uniform(struct jit_kernel *kernel, LLVMValueRef value, int depth);
/* Test whether a block contains nothing but a return, or has no visible side
 * effects. Markers of the lifetimes of private variables are ignored. */
bool jit_only_returns(LLVMBasicBlockRef block);
bool jit_has_no_effects(LLVMBasicBlockRef block);

/* options.c: parses the command line; a wrong one ends the process. */
void jit_read_options(struct jit_options *options, int count,
                      char **arguments);

/* The passes, in the order in which main.c calls them. */
/* retarget/read.c: reads bitcode from stdin into the module. */
void jit_read(struct jit *jit);
/* retarget/kernels.c: lists the kernels and their parameter layouts. */
void jit_find_kernels(struct jit *jit);
/* output/emit.c: creates the target machine. */
void jit_open_target(struct jit *jit);
/* retarget/variables.c: moves variables to address space 0 and lists them. */
void jit_lower_variables(struct jit *jit);
/* retarget/indices.c: turns reads of threadIdx etc. into calls. */
void jit_lower_indices(struct jit *jit);
/* retarget/intrinsics.c: maps nvptx intrinsics to functions of the runtime. */
void jit_map_intrinsics(struct jit *jit);
/* retarget/lanes.c: selects whole-vector operations that the target has. */
void jit_lower_lanes(struct jit *jit);
/* retarget/check.c: report errors of the source. The first one runs before any
 * change to the module; `linkable` code may have undefined names. */
void jit_check_declarations(struct jit *jit);
void jit_check_source(struct jit *jit, bool linkable);
/* retarget/assembly.c: replaces inline PTX. */
void jit_lower_assembly(struct jit *jit);
/* retarget/variadic.c: packs variable arguments into buffers. */
void jit_lower_variadic(struct jit *jit);
/* retarget/retarget.c: sets the triple, data layout and attributes of the
 * host. */
void jit_retarget(struct jit *jit);
/* retarget/retarget.c: sets the floating-point flags of the options. */
void jit_set_math(struct jit *jit);
/* retarget/flush.c: makes subnormal floats zero. */
void jit_flush(struct jit *jit);
/* retarget/arithmetic.c: gives undefined cases the results of a GPU. */
void jit_lower_arithmetic(struct jit *jit);
/* retarget/arithmetic.c: replaces 32-bit divisions by divisions of doubles. */
void jit_widen_divisions(struct jit *jit);
/* retarget/inlining.c: selects the device functions to inline. */
void jit_choose_inlining(struct jit *jit);
/* checks/insert.c: inserts calls of __pycuda_check*. */
void jit_insert_checks(struct jit *jit);
/* checks/insert.c: removes the checks of stops, after it was proved that the
 * threads of the kernel stop together or not at all. */
void jit_forget_stops(struct jit *jit, struct jit_kernel *kernel);
/* checks/rows.c: checks accesses of whole loops before the loops begin. */
void jit_check_rows(struct jit *jit);
/* checks/form.c: writes the loop descriptions that the checks read. */
void jit_lower_asks(struct jit *jit);
/* fibers/lockstep.c: synchronises warps around volatile shared stores. */
void jit_keep_level(struct jit *jit);
/* analyse/apart.c: finds kernels with blocks that cannot observe each other.
 */
void jit_find_apart(struct jit *jit);
/* fibers/spinning.c: adds yields to loops that wait for other threads. */
void jit_find_spinning(struct jit *jit);
/* fibers/stops.c: finds kernels that may switch fibers, and stack depths. */
void jit_find_stops(struct jit *jit);
/* retarget/tables.c: gives functions local copies of tables of shared
 * addresses. */
void jit_copy_tables(struct jit *jit);
/* retarget/geometry.c: makes kernels into bodies with geometry arguments. */
void jit_make_bodies(struct jit *jit);
/* retarget/geometry.c: makes a failed assertion report its thread. */
void jit_publish_failures(struct jit *jit, struct jit_kernel *kernel);
/* entries/guard.c: finds a first branch that bounds the threads. */
void jit_find_guard(struct jit *jit, struct jit_kernel *kernel);
/* retarget/shared.c: turns shared variables into offsets. */
void jit_lower_shared(struct jit *jit);
/* regions/stride.c: makes loops over strides of blockDim uniform. */
void jit_even_strides(struct jit *jit);
/* regions/stride.c: removes the marks of those loops after unrolling. */
void jit_drop_stride_marks(struct jit *jit);
/* regions/regions.c: splits kernels at barriers and warp operations. */
void jit_split_kernels(struct jit *jit);
/* loops/outline.c: moves loops within a thread into functions; and tests
 * whether a function is the result of such a loop. */
void jit_outline_loops(struct jit *jit);
bool jit_is_loop_result(LLVMValueRef function);
/* loops/outline.c, loops/define.c: called before and after vectorisation. */
void jit_declare_loops(struct jit *jit);
void jit_define_loops(struct jit *jit);
/* entries/loop.c, entries/region.c, entries/thread.c: append the text of one
 * kernel's entry to jit.wrappers. */
void jit_write_loop_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_write_region_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_write_thread_entry(struct jit *jit, struct jit_kernel *kernel);
/* entries/entries.c: adds the entries of all kernels to the module. */
void jit_add_entries(struct jit *jit);
/* entries/entries.c: adds the fiber entry early, with a copy of the body. */
void jit_add_thread_entry(struct jit *jit, struct jit_kernel *kernel);
/* output/optimise.c: sets LLVM's own command-line options. */
void jit_tune(void);
/* output/unswitch.c: limits the copies of loops with many invariant
 * conditions, by an LLVM option for the whole module. */
void jit_bound_unswitching(struct jit *jit);
/* output/optimise.c: runs the passes before and after bodies are made. */
void jit_prepare(struct jit *jit);
void jit_prepare_bodies(struct jit *jit);
/* output/rare.c: called before and after vectorisation. jit_declare_rare
 * returns false if the module has no slow-path calls. */
bool jit_declare_rare(struct jit *jit);
void jit_define_rare(struct jit *jit);
/* Returns the C library function of `__pycuda_rare_...`, NULL for other
 * names. */
const char *jit_rare_function(const char *name);
/* output/pieces.c: called after the passes that promote memory to
 * registers. */
void jit_join_pieces(struct jit *jit);
void jit_drop_own(struct jit *jit);
/* output/extensions.c: splits vector extensions that LLVM 19 cannot select. */
void jit_split_extensions(struct jit *jit);
/* output/join.c: keeps the vectoriser from moving an access across one that
 * may alias; jit_show_zeros removes the obstacles after vectorisation. */
void jit_part_accesses(struct jit *jit);
/* output/masks.c: called before and after vectorisation, to hide masked
 * indices that LLVM 19 vectorises incorrectly. */
void jit_hide_masks(struct jit *jit);
void jit_show_masks(struct jit *jit);
void jit_show_zeros(struct jit *jit);
/* output/optimise.c: runs the optimisation pipeline on module and entries. */
void jit_optimise(struct jit *jit);
/* output/traps.c: makes undefined behaviour end in a fault. */
void jit_add_traps(struct jit *jit);
/* output/emit.c. jit_emit returns the object file and sets the frame sizes of
 * the kernels. */
LLVMMemoryBufferRef jit_emit(struct jit *jit);
/* Writes IR or assembly text to stdout, as jit_options.output says. */
void jit_show_code(struct jit *jit);
/* output/write.c: writes an image with `payload` to stdout. */
void jit_write(struct jit *jit, const char *payload, size_t bytes);

/* Arguments of a body after the kernel's own parameters. */
enum jit_body_argument {
    JIT_TID, /* three: x, y, z */
    JIT_CTAID = 3,
    JIT_NTID = 6,
    JIT_NCTAID = 9,
    JIT_LINEAR = 12,
    JIT_DYNAMIC_BYTES,
    JIT_GLOBAL_INDEX, /* i32; added by entries/guard.c */
    JIT_WIDE_INDEX,   /* i64; added by entries/guard.c */
    JIT_SHARED,       /* pointer */
    JIT_WHOLE,        /* i1; added by entries/guard.c */
    JIT_THREAD,       /* pointer to struct image_thread */
    /* for kernels that run by warps (warps/warps.h), else poison: */
    JIT_WARP_X,      /* threadIdx.x of the warp's first thread */
    JIT_WARP_LINEAR, /* linear index of that thread in the block */
    JIT_VOTE,        /* i64: uniform result of a warp operation */
    JIT_BODY_ARGUMENTS,
};

/* Further arguments of the body of a split kernel: the start point, a pointer
 * that receives the next point (0: none), for each uniform value its value and
 * a pointer that receives the new value, and the lane arrays of a warp. */
enum jit_region_argument {
    JIT_REGION_CONTEXT,
    JIT_REGION_POINT,
    JIT_REGION_NEXT,
    JIT_REGION_VOTES, /* pointer to the sum of the threads' votes */
    JIT_REGION_VOTED, /* i32, the sum before this point */
    JIT_REGION_UNIFORMS,
};

/* Returns the parameter of the body for an enum jit_body_argument, or an enum
 * jit_region_argument plus JIT_BODY_ARGUMENTS. */
LLVMValueRef jit_body_argument(const struct jit_kernel *kernel, int which);
/* entries/entries.c: text that both entry types share. Functions whose names
 * begin with jit_text append to jit.wrappers unless they take a text. */
/* Returns the IR operand for a value that jit_is_uniform accepts; the
 * instructions that compute it are appended to `text`. */
const char *jit_text_operand(struct jit_text *text, struct jit_kernel *kernel,
                             LLVMValueRef value);
/* Loads the kernel's parameters. */
void jit_text_parameters(struct jit *jit, struct jit_kernel *kernel);
/* Loads the geometry and the address of shared memory. `width` is blockDim.x
 * if it is known, else 0; `flat` kernels do not use threadIdx.y; `own`: shared
 * memory is accessed only through this address while the entry runs. */
void jit_text_geometry(struct jit *jit, unsigned width, bool flat, bool own);
/* Calls the body. `suffix` ends the names that differ between several
 * loops. */
void jit_text_call(struct jit *jit, struct jit_kernel *kernel,
                   const char *suffix, const char *metadata);
/* entries/warp.c: symbol, and text, of the entry for whole warps. */
char *jit_warp_symbol(const struct jit_kernel *kernel);
void jit_write_warp_entry(struct jit *jit, struct jit_kernel *kernel);
/* entries/region.c: text that the warp entry uses as well: variables of
 * uniform values, their loads at a point, the call of the body at a point, and
 * the thread loop of a point. */
char *jit_region_variables(const struct jit_regions *regions);
void jit_region_inputs(struct jit *jit, const struct jit_regions *regions,
                       unsigned point);
void jit_region_call(struct jit *jit, struct jit_kernel *kernel, const char *s,
                     unsigned point, bool inside);
void jit_region_point(struct jit *jit, struct jit_kernel *kernel,
                      unsigned point, unsigned loop);
/* Appends the arguments of jit_text_call, without parentheses. */
void jit_text_arguments(struct jit *jit, struct jit_kernel *kernel,
                        const char *suffix);

/* entries/nest.c: loop nests of the entries that run whole blocks. */
/* One loop nest; all its names end in `suffix`. */
struct jit_nest {
    const char *suffix;
    const char *before;      /* predecessor block */
    const char *start, *end; /* bounds of the x loop */
    const char *after;
    int whole;                        /* value of %whole in the nest */
    const char *first_row, *last_row; /* y loop; NULL: all rows */
};

/* A function that runs whole blocks. */
struct jit_frame {
    const char *name;
    const char *variables; /* IR text for its start */
    unsigned width;        /* blockDim.x if specialised, else 0 */
    bool internal;         /* inlined into the entry */
    bool merged;           /* blocks of one grid row may be merged */
};

/* Writes the start of the function, up to the body of its loop over blocks. */
void jit_text_blocks_start(struct jit *jit, struct jit_kernel *kernel,
                           const struct jit_frame *frame);
/* Ends the loop body; a block ends by branching to the label `next`. */
void jit_text_blocks_end(struct jit *jit, const struct jit_kernel *kernel);
/* Write the loop headers of a nest, and its ends; the nest's body comes
 * between. */
void jit_text_nest_start(struct jit *jit, const struct jit_nest *nest);
void jit_text_nest_end(struct jit *jit, const struct jit_nest *nest,
                       unsigned loop);
/* Reserves `count` metadata numbers for loops; returns the first. */
unsigned jit_text_loops(unsigned count);
enum jit_hint {
    JIT_HINT_SHORT = 1,  /* vectorise the remainder iterations too */
    JIT_HINT_UNROLL = 2, /* unroll after vectorisation */
};
/* Writes the metadata of loop number `loop`; `hints` are bits of enum
 * jit_hint. */
void jit_text_loop_hints(struct jit *jit, const struct jit_kernel *kernel,
                         unsigned loop, unsigned hints);

/* retarget/inlining.c: was the function marked as not to be inlined? */
bool jit_is_kept(struct jit *jit, LLVMValueRef function);
/* retarget/kernels.c */
bool jit_is_kernel(struct jit *jit, LLVMValueRef function);
/* Returns the function's kernel, or NULL. */
struct jit_kernel *jit_kernel_of(struct jit *jit, LLVMValueRef function);
/* fibers/stops.c: may the runtime function `name` switch fibers? */
bool jit_may_stop(const char *name);
/* retarget/ptx.c: replaces a call of inline PTX by instructions. Returns NULL
 * on success; otherwise a reason, and the module is unchanged. */
const char *jit_translate_ptx(struct jit *jit, LLVMValueRef call);
/* retarget/check.c: may the name stay undefined in the object file? */
bool jit_is_known_symbol(const char *name);

#endif
