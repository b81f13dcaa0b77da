/* jit.h - what the steps of pycuda-jit share.
 *
 * The program is one pipeline over one LLVM module (main.c calls the steps in
 * order).  All state hangs off struct jit; nothing is freed before the
 * process ends, so that no step needs clean-up code.
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

/* A function that returns its argument, a pointer nobody else has. */
#define JIT_OWN "__pycuda_own"

/* Of all device variables, of all shared ones, and of a thread's own. */
#define JIT_MOST_BYTES     (UINT64_C(1) << 30)
#define JIT_MAX_PARAMETERS 1024
#define JIT_MAX_POINTS     64 /* regions of a kernel: bits of a word */
#define JIT_MAX_BOUNDS     4  /* of a point's thread loop */

/* What goes to stdout. */
enum jit_output {
    JIT_OUTPUT_IMAGE,
    JIT_OUTPUT_EXPLAIN, /* JSON, explain.c */
    JIT_OUTPUT_IR,      /* the optimised code, LLVM's text */
    JIT_OUTPUT_ASM,     /* the same, as the target's instructions */
};

/* What PYCUDA_CPU_CHECK names. */
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
    bool debug; /* keep the places in the source */
    enum jit_output output;
    unsigned checks;        /* enum jit_check */
    bool regions;           /* thread loops between barriers, where possible */
    bool warps;             /* and between warp operations */
    int level;              /* -O0 .. -O3 */
    unsigned max_registers; /* 0: not given */
};

/* A text that grows. */
struct jit_text {
    char *bytes;
    size_t length;
    size_t capacity;
};

struct jit_parameter {
    uint32_t offset;
    uint32_t bytes;
    bool is_struct; /* by value: a pointer into the buffer */
};

/* What entries/guard.c found out about a kernel's first branch: threads whose
 * global x index is not below `limit` do nothing.  The index is then an
 * argument of the body, and the thread loop's bound follows from the limit. */
struct jit_guard {
    bool found;
    bool wide;         /* the index has 64 bits, not 32 */
    bool index_signed; /* a 32-bit index is to be extended by its sign */
    bool compare_signed;
    /* IR text that computes the two values below, which are the same for all
     * threads; kept as text, because passes change the body afterwards. */
    struct jit_text setup;
    const char *limit;
    unsigned limit_width; /* 32 or 64 */
    int64_t lower;        /* index >= lower as well; 0: nothing known */
    /* Instead of a guard: index * factor + addend <= limit chooses between
     * two ways of working; each gets a loop of its own. */
    bool split;
    uint64_t factor, addend;
    const char *stride; /* how a grid-stride loop's index grows; or NULL */
    unsigned stride_width;
};

/* Bounds of the thread loop along one axis, as text for the entry. */
struct jit_region_bound {
    int axis;                   /* 0 or 1 */
    const char *limit;          /* NULL: no bounds */
    unsigned bits;              /* of the limit: 32 or 64 */
    LLVMIntPredicate predicate; /* threadIdx predicate limit */
};

/* Threads that leave before the first barrier (regions/early.c). */
struct jit_early {
    LLVMValueRef condition; /* NULL: none */
    LLVMBasicBlockRef leave;
    bool leave_first;      /* where the condition holds */
    struct jit_text setup; /* as for a guard */
    const char *ends[2];   /* how many threads of a row, and rows, stay */
};

/* A kernel run as thread loops between barriers (regions/regions.c). */
struct jit_regions {
    unsigned count;                   /* of points to start at */
    uint64_t follows[JIT_MAX_POINTS]; /* points that may come next; bit 0 is
                                         the kernel's end */
    unsigned uniform_count;           /* values carried in variables */
    LLVMTypeRef *uniform_types;
    uint64_t *uniform_live; /* the points where each lives */
    bool votes;             /* some barrier has a result */
    uint64_t context_bytes; /* for the values that differ by thread */
    struct jit_region_bound bounds[JIT_MAX_POINTS][JIT_MAX_BOUNDS];
    unsigned bound_counts[JIT_MAX_POINTS];
    unsigned width; /* blockDim.x that the source seems made for; 0: none */
    uint64_t barrier_points; /* those that follow a barrier of the source */
    uint64_t warp_points;    /* those that follow a warp operation */
    struct jit_warp_op *warp_ops[JIT_MAX_POINTS]; /* warps/warps.h; by point */
    uint64_t short_points; /* where little is done that is no vector's work */
    unsigned lane_count;   /* of arrays with an item for each lane of a warp */
    LLVMTypeRef *lane_types;
};

struct jit_kernel {
    char *name;
    char *symbol;          /* of the entry in the object */
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
    bool warps;        /* and has an entry for whole warps as well */
    bool threads_made; /* the entry for fibers is there already */
    uint32_t warp_frame_bytes;
    const char *warps_not; /* why it has none, or NULL */
    bool apart;            /* its blocks cannot see each other */
    bool recursive;        /* recursion, calls through pointers, alloca */
    bool calls_kept;       /* calls a function that was not inlined */
    bool flat;             /* does not use threadIdx.y: its rows are long */
    bool sequential;       /* the thread loop must not be run as a vector */
    bool own_loops;        /* some are run for several threads (loops/) */
    struct jit_guard guard;
    struct jit_early early;
    struct jit_regions *regions; /* NULL: a plain loop or fibers */
};

struct jit_global {
    char *name; /* as in the source */
    LLVMValueRef variable;
    uint64_t bytes;
    uint32_t flags;
};

struct jit {
    struct jit_options options;
    LLVMContextRef context;
    LLVMModuleRef module;
    bool linked; /* the module is made of images */
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
    struct jit_outlined *outlined; /* loops/loops.h */
    unsigned outlined_count;
};

/* report.c: messages on stderr.  `jit_user_error` is remembered, so that all
 * faults of a source are told before jit_stop_on_errors ends with status 1;
 * `jit_die` is our own fault and ends at once with status 2. */
void jit_user_error(LLVMValueRef where, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void jit_stop_on_errors(void);
_Noreturn void jit_die(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void jit_report_install(struct jit *jit);
/* Frame size of `symbol` as told by the code generator, 0 if unknown. */
uint32_t jit_report_frame(const char *symbol);

/* text.c */
void *jit_allocate(size_t bytes); /* zeroed; never NULL */
char *jit_copy(const char *text, size_t length);
char *jit_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void jit_text_add(struct jit_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void jit_text_add_bytes(struct jit_text *text, const void *bytes,
                        size_t length);

/* ir.c: helpers over the LLVM-C API */
typedef void jit_visit(struct jit *jit, LLVMValueRef instruction, void *data);
/* Calls `visit` for each instruction; it may erase the one it is given. */
void jit_each_instruction(struct jit *jit, LLVMValueRef function,
                          jit_visit *visit, void *data);
/* The same for every function with a body. */
void jit_each_instruction_of_all(struct jit *jit, jit_visit *visit,
                                 void *data);
const char *jit_name(LLVMValueRef value);
/* The section of a variable, "" if it has none. */
const char *jit_section(LLVMValueRef variable);
/* The function that a call names, or NULL (also for what is no call). */
LLVMValueRef jit_callee(LLVMValueRef instruction);
bool jit_calls(LLVMValueRef instruction, const char *name);
bool jit_is_call(LLVMValueRef instruction, const char *prefix);
/* How an instruction lets a thread see what others do: an atomic or volatile
 * access that reads, or a fence. */
enum jit_sight {
    JIT_SIGHT_NONE = 0,
    JIT_SIGHT_READ = 1,
    JIT_SIGHT_FENCE = 2,
};
enum jit_sight jit_sight(LLVMValueRef instruction);
/* Integer arithmetic, a choice or an address: no effect, never a fault. */
bool jit_is_arithmetic(LLVMValueRef instruction);
/* Of the same two operands: true where it is false; with the sides changed. */
LLVMIntPredicate jit_predicate_inverse(LLVMIntPredicate predicate);
LLVMIntPredicate jit_predicate_mirrored(LLVMIntPredicate predicate);
void jit_replace(LLVMValueRef instruction, LLVMValueRef by);
/* A visit: sums and products that are rounded each by itself. */
void jit_forbid_contraction(struct jit *jit, LLVMValueRef at, void *data);
void jit_add_attribute(struct jit *jit, LLVMValueRef function,
                       const char *name);
void jit_drop_attribute(LLVMValueRef function, const char *name);
bool jit_has_attribute(LLVMValueRef function, const char *name);
LLVMValueRef jit_constant(struct jit *jit, uint64_t value);
LLVMValueRef jit_declare(struct jit *jit, const char *name, LLVMTypeRef result,
                         LLVMTypeRef *types, unsigned count);
void jit_run_passes(struct jit *jit, const char *passes);
/* Is `value` used as anything but the callee of a call? */
bool jit_address_taken(LLVMValueRef function);
/* Turns every use of the constant `value`, also inside constant expressions,
 * within functions into the instruction that `make` returns for it. */
typedef LLVMValueRef jit_make(struct jit *jit, LLVMValueRef function,
                              void *data);
void jit_expand_constant(struct jit *jit, LLVMValueRef value, jit_make *make,
                         void *data);

/* entries/guard.c: is the value the same for all threads of a block, and made
 * of parameters, block geometry and simple arithmetic? */
bool jit_is_uniform(struct jit_kernel *kernel, LLVMValueRef value, int depth);
/* Does a thread do nothing there that is seen once it has left?  The lives of
 * its private variables begin and end unseen. */
bool jit_only_returns(LLVMBasicBlockRef block);
bool jit_has_no_effects(LLVMBasicBlockRef block);

/* options.c: ends the process on a wrong command line. */
void jit_read_options(struct jit_options *options, int count,
                      char **arguments);

/* The steps, in the order in which main.c calls them. */
void jit_read(struct jit *jit);         /* retarget/read.c: stdin -> module */
void jit_find_kernels(struct jit *jit); /* retarget/kernels.c */
void jit_open_target(struct jit *jit);  /* output/emit.c */
void jit_lower_variables(struct jit *jit); /* retarget/variables.c */
void jit_lower_indices(struct jit *jit);   /* retarget/indices.c */
void jit_map_intrinsics(struct jit *jit);  /* retarget/intrinsics.c */
void jit_lower_lanes(struct jit *jit);     /* retarget/lanes.c */
/* retarget/check.c; the first before any change. */
void jit_check_declarations(struct jit *jit);
void jit_check_source(struct jit *jit, bool linkable);
void jit_lower_assembly(struct jit *jit);   /* retarget/assembly.c */
void jit_lower_variadic(struct jit *jit);   /* retarget/variadic.c */
void jit_retarget(struct jit *jit);         /* retarget/retarget.c */
void jit_set_math(struct jit *jit);         /* retarget/retarget.c */
void jit_flush(struct jit *jit);            /* retarget/flush.c */
void jit_lower_arithmetic(struct jit *jit); /* retarget/arithmetic.c */
void jit_widen_divisions(struct jit *jit);  /* retarget/arithmetic.c */
void jit_choose_inlining(struct jit *jit);  /* retarget/inlining.c */
void jit_insert_checks(struct jit *jit);    /* checks/insert.c */
/* checks/insert.c: the kernel's threads stop together or not at all. */
void jit_forget_stops(struct jit *jit, struct jit_kernel *kernel);
void jit_check_rows(struct jit *jit);    /* checks/rows.c */
void jit_lower_asks(struct jit *jit);    /* checks/form.c */
void jit_keep_level(struct jit *jit);    /* fibers/lockstep.c */
void jit_find_apart(struct jit *jit);    /* analyse/apart.c */
void jit_find_spinning(struct jit *jit); /* fibers/spinning.c */
void jit_find_stops(struct jit *jit);    /* fibers/stops.c */
void jit_copy_tables(struct jit *jit);   /* retarget/tables.c */
void jit_make_bodies(struct jit *jit);   /* retarget/geometry.c */
/* retarget/geometry.c: a failed assertion names its thread. */
void jit_publish_failures(struct jit *jit, struct jit_kernel *kernel);
void jit_find_guard(struct jit *jit,
                    struct jit_kernel *kernel); /* entries/guard.c */
void jit_lower_shared(struct jit *jit);         /* retarget/shared.c */
void jit_even_strides(struct jit *jit);         /* regions/stride.c */
void jit_drop_stride_marks(struct jit *jit);    /* once loops are unrolled */
void jit_split_kernels(struct jit *jit);        /* regions/regions.c */
void jit_outline_loops(struct jit *jit);        /* loops/outline.c */
bool jit_is_loop_result(LLVMValueRef function);
/* loops/outline.c, loops/define.c: around the vectoriser. */
void jit_declare_loops(struct jit *jit);
void jit_define_loops(struct jit *jit);
void jit_write_loop_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_write_region_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_write_thread_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_add_entries(struct jit *jit); /* entries/entries.c */
/* entries/entries.c: an entry for fibers, now, with a copy of the body. */
void jit_add_thread_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_tune(void); /* output/optimise.c: LLVM's own options */
/* output/unswitch.c: bounds the copies of loops with many invariant
 * conditions, by an option of LLVM's for the whole module. */
void jit_bound_unswitching(struct jit *jit);
void jit_prepare(struct jit *jit); /* output/optimise.c */
void jit_prepare_bodies(struct jit *jit);
/* output/rare.c: around the vectoriser.  false: there are no such calls. */
bool jit_declare_rare(struct jit *jit);
void jit_define_rare(struct jit *jit);
/* The C library's function behind `__pycuda_rare_...`, else NULL. */
const char *jit_rare_function(const char *name);
/* output/pieces.c: after passes that keep memory in registers. */
void jit_join_pieces(struct jit *jit);
void jit_drop_own(struct jit *jit);
void jit_split_extensions(struct jit *jit); /* output/extensions.c */
/* output/join.c: the vectoriser is not to move an access past one that may be
 * to the same memory, what is in the way to be taken away after it. */
void jit_part_accesses(struct jit *jit);
/* output/masks.c: around the vectoriser, which is wrong about some. */
void jit_hide_masks(struct jit *jit);
void jit_show_masks(struct jit *jit);
void jit_show_zeros(struct jit *jit);
void jit_optimise(struct jit *jit);  /* output/optimise.c */
void jit_add_traps(struct jit *jit); /* output/traps.c */
/* output/emit.c; jit_emit fills in what the rows of kernels say of frames. */
LLVMMemoryBufferRef jit_emit(struct jit *jit);
void jit_show_code(struct jit *jit);
void jit_write(struct jit *jit, const char *payload, size_t bytes);

/* Arguments that a body has after the kernel's own. */
enum jit_body_argument {
    JIT_TID, /* three: x, y, z */
    JIT_CTAID = 3,
    JIT_NTID = 6,
    JIT_NCTAID = 9,
    JIT_LINEAR = 12,
    JIT_DYNAMIC_BYTES,
    JIT_GLOBAL_INDEX, /* i32; by entries/guard.c */
    JIT_WIDE_INDEX,   /* i64; by entries/guard.c */
    JIT_SHARED,       /* pointer */
    JIT_WHOLE,        /* i1; by entries/guard.c */
    JIT_THREAD,       /* pointer to struct image_thread */
    /* of kernels that run by warps (warps/warps.h), else poison: */
    JIT_WARP_X,      /* threadIdx.x of the warp's first thread */
    JIT_WARP_LINEAR, /* its number in the block */
    JIT_VOTE,        /* i64: what a warp operation gives all lanes */
    JIT_BODY_ARGUMENTS,
};

/* What the body of a split kernel has after those: where to start, where to
 * say which point comes next (0: none), for each uniform value what it is and
 * where to put what it becomes, and the arrays of a warp's lanes. */
enum jit_region_argument {
    JIT_REGION_CONTEXT,
    JIT_REGION_POINT,
    JIT_REGION_NEXT,
    JIT_REGION_VOTES, /* pointer to the sum of what threads vote for */
    JIT_REGION_VOTED, /* i32, the sum as it was before this point */
    JIT_REGION_UNIFORMS,
};

LLVMValueRef jit_body_argument(const struct jit_kernel *kernel, int which);
/* entries/entries.c: the parts that both entry types share, as IR text. */
/* The text of a value that jit_is_uniform accepts, after the instructions
 * that it needs, which go to `text`. */
const char *jit_text_operand(struct jit_text *text, struct jit_kernel *kernel,
                             LLVMValueRef value);
void jit_text_parameters(struct jit *jit, struct jit_kernel *kernel);
/* `width`: blockDim.x if it is known, else 0. */
void jit_text_geometry(struct jit *jit, unsigned width, bool flat, bool own);
/* `suffix` is that of the names that differ between several loops. */
void jit_text_call(struct jit *jit, struct jit_kernel *kernel,
                   const char *suffix, const char *metadata);
/* entries/warp.c */
char *jit_warp_symbol(const struct jit_kernel *kernel);
void jit_write_warp_entry(struct jit *jit, struct jit_kernel *kernel);
/* entries/region.c: parts that the warps' entry has as well. */
char *jit_region_variables(const struct jit_regions *regions);
void jit_region_inputs(struct jit *jit, const struct jit_regions *regions,
                       unsigned point);
void jit_region_call(struct jit *jit, struct jit_kernel *kernel, const char *s,
                     unsigned point, bool inside);
void jit_region_point(struct jit *jit, struct jit_kernel *kernel,
                      unsigned point, unsigned loop);
/* The arguments of jit_text_call, without parentheses. */
void jit_text_arguments(struct jit *jit, struct jit_kernel *kernel,
                        const char *suffix);

/* entries/nest.c: the frames of the entries that run whole blocks. */
/* One nest of loops; all its names end in `suffix`. */
struct jit_nest {
    const char *suffix;
    const char *before;      /* block that leads to it */
    const char *start, *end; /* of the x loop */
    const char *after;
    int whole;                        /* what %whole is in it */
    const char *first_row, *last_row; /* of the y loop; NULL: all */
};

/* What a function that runs whole blocks is like. */
struct jit_frame {
    const char *name;
    const char *variables; /* text for its start */
    unsigned width;        /* blockDim.x if it is for one only, else 0 */
    bool internal;         /* to be inlined into the entry */
    bool merged;           /* blocks of one row of the grid may be one */
};

/* From the function's start to the loop over blocks, whose body begins. */
void jit_text_blocks_start(struct jit *jit, struct jit_kernel *kernel,
                           const struct jit_frame *frame);
/* A block ends by going to the label `next`. */
void jit_text_blocks_end(struct jit *jit, const struct jit_kernel *kernel);
void jit_text_nest_start(struct jit *jit, const struct jit_nest *nest);
void jit_text_nest_end(struct jit *jit, const struct jit_nest *nest,
                       unsigned loop);
/* Numbers for the metadata of loops. */
unsigned jit_text_loops(unsigned count);
enum jit_hint {
    JIT_HINT_SHORT = 1,  /* the rounds that are left over as well by vectors */
    JIT_HINT_UNROLL = 2, /* once it is vectorised */
};
void jit_text_loop_hints(struct jit *jit, const struct jit_kernel *kernel,
                         unsigned loop, unsigned hints);

/* retarget/inlining.c */
bool jit_is_kept(struct jit *jit, LLVMValueRef function);
/* retarget/kernels.c */
bool jit_is_kernel(struct jit *jit, LLVMValueRef function);
/* Its kernel, or NULL. */
struct jit_kernel *jit_kernel_of(struct jit *jit, LLVMValueRef function);
/* fibers/stops.c */
bool jit_may_stop(const char *name);
/* retarget/ptx.c: replaces a call of inline PTX by instructions.  Returns
 * NULL, or why that is not possible; then nothing has changed. */
const char *jit_translate_ptx(struct jit *jit, LLVMValueRef call);
/* retarget/check.c: may the name stay undefined in the object? */
bool jit_is_known_symbol(const char *name);

#endif
