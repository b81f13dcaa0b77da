/* locked_calls.c - takes locks during each call from Python into the
 * extension, in free-threaded Python.
 *
 * With the GIL, a call has exclusive access to the extension's data until it
 * releases the GIL. Without the GIL, a call has exclusive access to the data
 * of two contexts: it takes the lock of the thread's current context, and that
 * of the context of the object whose method is called. locks.h says what the
 * lock of a context protects.
 *
 * Trampolines take the locks. When a type or a table of functions is created,
 * each C function in it is replaced by a trampoline, which takes the locks and
 * calls the function. A trampoline gets no argument that names the function to
 * call, so each function needs a trampoline of its own. The preprocessor
 * therefore makes a fixed number of trampolines for each signature. With the
 * GIL there are no trampolines.
 *
 * SPDX-License-Identifier: MIT */
#include "core/python/locked_calls.h"
#include "core/context/context.h"
#include "core/core.h"
#include "core/python/locks.h"
#include "core/python/object_head.h"
#include "core/state.h"

#ifndef Py_GIL_DISABLED

PyObject *
core_type_new(PyObject *module, PyType_Spec *spec, PyObject *bases,
              enum core_call_lock lock)
{
    (void)lock;
    return PyType_FromModuleAndSpec(module, spec, bases);
}

int
core_add_functions(PyObject *module, PyMethodDef *functions)
{
    return PyModule_AddFunctions(module, functions);
}

PyMethodDef *
core_locked_methods(PyMethodDef *methods, enum core_call_lock lock)
{
    (void)lock;
    return methods;
}

#else

/* ---- locks of a call ---- */

/* Returns the lock of the thread's current context. */
static struct core_lock *(*current_lock)(void);

void
core_calls_set_lock(struct core_lock *(*function)(void))
{
    current_lock = function;
}

/* Returns the lock of an object that begins with CORE_HEAD: the lock of its
 * context or, if it has no context, its own lock. */
static inline PyMutex *
lock_of(PyObject *object)
{
    struct core_context *context =
        Py_IS_TYPE(object, core.context_type)
            ? (struct core_context *)object
            : ((struct core_object *)object)->context;
    return context != NULL && context->lock != NULL ? &context->lock->mutex
                                                    : &object->ob_mutex;
}

static inline void
call_begin(struct core_call *call, PyObject *self, enum core_call_lock lock)
{
    struct core_lock *current = current_lock == NULL ? NULL : current_lock();
    PyMutex *first =
        current == NULL ? &core_process_lock.mutex : &current->mutex;
    PyMutex *second = lock == CORE_CALL_CURRENT ? first
                      : lock == CORE_CALL_HEAD  ? lock_of(self)
                                                : &self->ob_mutex;
    PyCriticalSection2_BeginMutex(&call->section, first, second);
}

void
core_call_begin(struct core_call *call, PyObject *self,
                enum core_call_lock lock)
{
    call_begin(call, self, lock);
}

void
core_call_end(struct core_call *call)
{
    PyCriticalSection2_End(&call->section);
}

/* ---- trampolines ---- */

/* The function that a trampoline calls, and the lock that it takes before. */
struct target {
    void *function;
    enum core_call_lock lock;
};

/* SIXTY_FOUR expands ROW for 64 consecutive numbers, HUNDREDS for 512.
 * `number` is the prefix of an octal constant; each macro appends digits to
 * it. */
#define EIGHT(ROW, number)                                                    \
    ROW(number##0)                                                            \
    ROW(number##1)                                                            \
    ROW(number##2)                                                            \
    ROW(number##3)                                                            \
    ROW(number##4)                                                            \
    ROW(number##5)                                                            \
    ROW(number##6)                                                            \
    ROW(number##7)
#define SIXTY_FOUR(ROW, number)                                               \
    EIGHT(ROW, number##0)                                                     \
    EIGHT(ROW, number##1)                                                     \
    EIGHT(ROW, number##2)                                                     \
    EIGHT(ROW, number##3)                                                     \
    EIGHT(ROW, number##4)                                                     \
    EIGHT(ROW, number##5)                                                     \
    EIGHT(ROW, number##6)                                                     \
    EIGHT(ROW, number##7)
#define HUNDREDS(ROW, number)                                                 \
    SIXTY_FOUR(ROW, number##0)                                                \
    SIXTY_FOUR(ROW, number##1)                                                \
    SIXTY_FOUR(ROW, number##2)                                                \
    SIXTY_FOUR(ROW, number##3)                                                \
    SIXTY_FOUR(ROW, number##4)                                                \
    SIXTY_FOUR(ROW, number##5)                                                \
    SIXTY_FOUR(ROW, number##6)                                                \
    SIXTY_FOUR(ROW, number##7)

/* The body of a trampoline: takes the locks and calls the function in row
 * `number` of the table of the signature `kind`. `arguments` are the arguments
 * of the function; the first one is `self`. */
#define BODY(kind, number, result_type, parameters, arguments)                \
    static result_type kind##_##number parameters                             \
    {                                                                         \
        const struct target *target = &kind##_targets[number];                \
        struct core_call call;                                                \
        call_begin(&call, self, target->lock);                                \
        result_type result =                                                  \
            ((result_type(*) parameters)target->function)arguments;           \
        core_call_end(&call);                                                 \
        return result;                                                        \
    }

/* KIND defines `count` trampolines for a signature. MANY is the macro that
 * repeats a row `count` times: SIXTY_FOUR or HUNDREDS. */
#define ADDRESS(kind, number) (void *)kind##_##number,
#define KIND(kind, count, MANY)                                               \
    static struct target kind##_targets[count];                               \
    MANY(kind##_body, 0)                                                      \
    static void *const kind##_calls[count] = {MANY(kind##_address, 0)};

#define call_address(n) ADDRESS(call, n)
#define call_body(n)                                                          \
    BODY(call, n, PyObject *, (PyObject * self, PyObject * argument),         \
         (self, argument))
KIND(call, 512, HUNDREDS)

#define fast_address(n) ADDRESS(fast, n)
#define fast_body(n)                                                          \
    BODY(fast, n, PyObject *, (PyObject * self, CORE_ARGS),                   \
         (self, args, nargs, names))
KIND(fast, 512, HUNDREDS)

#define ternary_address(n) ADDRESS(ternary, n)
#define ternary_body(n)                                                       \
    BODY(ternary, n, PyObject *,                                              \
         (PyObject * self, PyObject * second, PyObject * third),              \
         (self, second, third))
KIND(ternary, 64, SIXTY_FOUR)

#define unary_address(n) ADDRESS(unary, n)
#define unary_body(n)    BODY(unary, n, PyObject *, (PyObject * self), (self))
KIND(unary, 64, SIXTY_FOUR)

#define get_address(n) ADDRESS(get, n)
#define get_body(n)                                                           \
    BODY(get, n, PyObject *, (PyObject * self, void *closure), (self, closure))
KIND(get, 512, HUNDREDS)

#define set_address(n) ADDRESS(set, n)
#define set_body(n)                                                           \
    BODY(set, n, int, (PyObject * self, PyObject * value, void *closure),     \
         (self, value, closure))
KIND(set, 512, HUNDREDS)

/* trampolines for tp_init, tp_setattro and mp_ass_subscript */
#define store_address(n) ADDRESS(store, n)
#define store_body(n)                                                         \
    BODY(store, n, int,                                                       \
         (PyObject * self, PyObject * second, PyObject * third),              \
         (self, second, third))
KIND(store, 64, SIXTY_FOUR)

#define test_address(n)   ADDRESS(test, n)
#define test_body(n)      BODY(test, n, int, (PyObject * self), (self))
KIND(test, 64, SIXTY_FOUR)

/* trampolines for tp_hash, sq_length and mp_length */
#define length_address(n) ADDRESS(length, n)
#define length_body(n)    BODY(length, n, Py_ssize_t, (PyObject * self), (self))
KIND(length, 64, SIXTY_FOUR)

#define item_address(n) ADDRESS(item, n)
#define item_body(n)                                                          \
    BODY(item, n, PyObject *, (PyObject * self, Py_ssize_t index),            \
         (self, index))
KIND(item, 64, SIXTY_FOUR)

#define compare_address(n) ADDRESS(compare, n)
#define compare_body(n)                                                       \
    BODY(compare, n, PyObject *,                                              \
         (PyObject * self, PyObject * other, int operation),                  \
         (self, other, operation))
KIND(compare, 64, SIXTY_FOUR)

#define buffer_address(n) ADDRESS(buffer, n)
#define buffer_body(n)                                                        \
    BODY(buffer, n, int, (PyObject * self, Py_buffer * view, int flags),      \
         (self, view, flags))
KIND(buffer, 64, SIXTY_FOUR)

#define vector_address(n) ADDRESS(vector, n)
#define vector_body(n)                                                        \
    BODY(vector, n, PyObject *,                                               \
         (PyObject * self, PyObject *const *args, size_t nargsf,              \
          PyObject *names),                                                   \
         (self, args, nargsf, names))
KIND(vector, 64, SIXTY_FOUR)

/* Destructors take the lock of the object's context only. The garbage
 * collector must not find the object while the thread waits for the lock. An
 * object without a context has no other user. */
#define destroy_address(n) ADDRESS(destroy, n)
#define destroy_body(n)                                                       \
    static void destroy_##n(PyObject *self)                                   \
    {                                                                         \
        destroy_locked(self, &destroy_targets[n]);                            \
    }
static void
destroy_locked(PyObject *self, const struct target *target)
{
    struct core_section section = {0};
    if (target->lock == CORE_CALL_HEAD) {
        PyObject_GC_UnTrack(self);
        struct core_context *context =
            Py_IS_TYPE(self, core.context_type)
                ? (struct core_context *)self
                : ((struct core_object *)self)->context;
        core_lock_begin(&section, context == NULL ? NULL : context->lock);
    }
    ((destructor)target->function)(self);
    core_lock_end(&section);
}
KIND(destroy, 64, SIXTY_FOUR)

/* ---- tables ---- */

#define TABLES(TABLE)                                                         \
    TABLE(call)                                                               \
    TABLE(fast)                                                               \
    TABLE(ternary)                                                            \
    TABLE(unary)                                                              \
    TABLE(get)                                                                \
    TABLE(set)                                                                \
    TABLE(store)                                                              \
    TABLE(test)                                                               \
    TABLE(length)                                                             \
    TABLE(item)                                                               \
    TABLE(compare)                                                            \
    TABLE(buffer)                                                             \
    TABLE(vector)                                                             \
    TABLE(destroy)

enum {
#define NUMBER(kind) kind##_kind,
    TABLES(NUMBER)
#undef NUMBER
};

/* The trampolines of each signature, and the functions that they call. */
static const struct {
    struct target *targets;
    void *const *calls;
    size_t count;
} tables[] = {
#define TABLE(kind)                                                           \
    {kind##_targets, kind##_calls,                                            \
     sizeof kind##_targets / sizeof *kind##_targets},
    TABLES(TABLE)
#undef TABLE
};

/* Returns the trampoline that takes `lock` and calls `function`. A second call
 * with both arguments equal returns the same trampoline. Returns NULL with a
 * RuntimeError if all trampolines are in use. */
static void *
trampoline_of(int kind, void *function, enum core_call_lock lock)
{
    struct target *targets = tables[kind].targets;
    for (size_t i = 0; i < tables[kind].count; i++) {
        if (targets[i].function == NULL) {
            targets[i] = (struct target){function, lock};
        }
        if (targets[i].function == function && targets[i].lock == lock) {
            return tables[kind].calls[i];
        }
    }
    PyErr_SetString(PyExc_RuntimeError,
                    "pycuda._driver: too few trampolines (locked_calls.c)");
    return NULL;
}

void *
core_unlocked_slot(void *slot)
{
    for (size_t kind = 0; kind < sizeof tables / sizeof *tables; kind++) {
        for (size_t i = 0; i < tables[kind].count; i++) {
            if (tables[kind].calls[i] == slot) {
                return tables[kind].targets[i].function;
            }
        }
    }
    return slot;
}

vectorcallfunc
core_locked_vectorcall(vectorcallfunc call, enum core_call_lock lock)
{
    return (vectorcallfunc)trampoline_of(vector_kind, (void *)call, lock);
}

/* Replaces the function in *slot by a trampoline. NULL stays NULL. */
static int
replace(void **slot, int kind, enum core_call_lock lock)
{
    if (*slot == NULL) {
        return 0;
    }
    *slot = trampoline_of(kind, *slot, lock);
    return *slot == NULL ? -1 : 0;
}

/* Returns the signature of a method's C function. */
static int
method_kind(const PyMethodDef *method)
{
    if (method->ml_flags & METH_FASTCALL) {
        return fast_kind;
    }
    return method->ml_flags & METH_KEYWORDS ? ternary_kind : call_kind;
}

PyMethodDef *
core_locked_methods(PyMethodDef *methods, enum core_call_lock lock)
{
    size_t count = 1;
    while (methods[count - 1].ml_name != NULL) {
        count++;
    }
    PyMethodDef *copy = PyMem_RawCalloc(count, sizeof *copy);
    if (copy == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memcpy(copy, methods, count * sizeof *copy);
    for (size_t i = 0; i + 1 < count; i++) {
        bool is_bound = !(copy[i].ml_flags & (METH_STATIC | METH_CLASS));
        void *function = (void *)(void (*)(void))copy[i].ml_meth;
        if (replace(&function, method_kind(&copy[i]),
                    is_bound ? lock : CORE_CALL_CURRENT) < 0) {
            PyMem_RawFree(copy);
            return NULL;
        }
        copy[i].ml_meth = (PyCFunction)function;
    }
    return copy;
}

/* Returns a copy of a table of attributes whose getters and setters take
 * locks. The copy exists until the process ends. */
static PyGetSetDef *
attributes_lock(const PyGetSetDef *attributes, enum core_call_lock lock)
{
    size_t count = 1;
    while (attributes[count - 1].name != NULL) {
        count++;
    }
    PyGetSetDef *copy = PyMem_RawCalloc(count, sizeof *copy);
    if (copy == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memcpy(copy, attributes, count * sizeof *copy);
    for (size_t i = 0; i + 1 < count; i++) {
        if (replace((void **)&copy[i].get, get_kind, lock) < 0 ||
            replace((void **)&copy[i].set, set_kind, lock) < 0) {
            PyMem_RawFree(copy);
            return NULL;
        }
    }
    return copy;
}

/* Signatures of the slots of types. A slot that is not in the table is not a
 * function, or takes no lock: tp_traverse, for example, runs while all threads
 * are stopped. */
static const struct {
    int slot, kind;
} slot_kinds[] = {
    {Py_tp_dealloc, destroy_kind},
    {Py_tp_new, ternary_kind},
    {Py_tp_init, store_kind},
    {Py_tp_clear, test_kind},
    {Py_tp_call, ternary_kind},
    {Py_tp_repr, unary_kind},
    {Py_tp_str, unary_kind},
    {Py_tp_hash, length_kind},
    {Py_tp_richcompare, compare_kind},
    {Py_tp_getattro, call_kind},
    {Py_tp_setattro, store_kind},
    {Py_tp_descr_get, ternary_kind},
    {Py_mp_length, length_kind},
    {Py_mp_subscript, call_kind},
    {Py_mp_ass_subscript, store_kind},
    {Py_sq_length, length_kind},
    {Py_sq_item, item_kind},
    {Py_bf_getbuffer, buffer_kind},
    {Py_nb_int, unary_kind},
    {Py_nb_index, unary_kind},
    {Py_nb_bool, test_kind},
    {Py_nb_absolute, unary_kind},
    {Py_nb_negative, unary_kind},
    {Py_nb_positive, unary_kind},
    {Py_nb_invert, unary_kind},
    {Py_nb_power, ternary_kind},
    {Py_nb_inplace_power, ternary_kind},
    {Py_nb_add, call_kind},
    {Py_nb_subtract, call_kind},
    {Py_nb_multiply, call_kind},
    {Py_nb_true_divide, call_kind},
    {Py_nb_floor_divide, call_kind},
    {Py_nb_remainder, call_kind},
    {Py_nb_matrix_multiply, call_kind},
    {Py_nb_lshift, call_kind},
    {Py_nb_rshift, call_kind},
    {Py_nb_and, call_kind},
    {Py_nb_or, call_kind},
    {Py_nb_xor, call_kind},
    {Py_nb_inplace_add, call_kind},
    {Py_nb_inplace_subtract, call_kind},
    {Py_nb_inplace_multiply, call_kind},
    {Py_nb_inplace_true_divide, call_kind},
    {Py_nb_inplace_floor_divide, call_kind},
    {Py_nb_inplace_remainder, call_kind},
    {Py_nb_inplace_matrix_multiply, call_kind},
    {Py_nb_inplace_lshift, call_kind},
    {Py_nb_inplace_rshift, call_kind},
    {Py_nb_inplace_and, call_kind},
    {Py_nb_inplace_or, call_kind},
    {Py_nb_inplace_xor, call_kind},
};

/* Slots that need no lock. */
static const int unlocked_slots[] = {
    Py_tp_doc,   Py_tp_traverse, Py_tp_members, Py_tp_base,
    Py_tp_bases, Py_tp_free,     Py_tp_alloc,
};

/* Returns the signature of a slot; -1 if it takes no lock, and -2 with a
 * RuntimeError if neither slot_kinds nor unlocked_slots has the slot. */
static int
slot_kind(const PyType_Spec *spec, int slot)
{
    for (size_t i = 0; i < sizeof slot_kinds / sizeof *slot_kinds; i++) {
        if (slot_kinds[i].slot == slot) {
            return slot_kinds[i].kind;
        }
    }
    for (size_t i = 0; i < sizeof unlocked_slots / sizeof(int); i++) {
        if (unlocked_slots[i] == slot) {
            return -1;
        }
    }
    PyErr_Format(PyExc_RuntimeError,
                 "%s: locked_calls.c does not know slot %d", spec->name, slot);
    return -2;
}

/* Returns whether the slot is an operator of numbers. */
static bool
slot_is_operator(int slot)
{
    return (slot >= Py_nb_absolute && slot <= Py_nb_xor) ||
           slot == Py_nb_matrix_multiply ||
           slot == Py_nb_inplace_matrix_multiply;
}

/* Replaces one slot by a trampoline that takes locks. Returns 0, or -1 with an
 * exception. */
static int
slot_lock(const PyType_Spec *spec, PyType_Slot *slot, enum core_call_lock lock)
{
    if (slot->slot == Py_tp_methods) {
        slot->pfunc = core_locked_methods(slot->pfunc, lock);
        return slot->pfunc == NULL ? -1 : 0;
    }
    if (slot->slot == Py_tp_getset) {
        slot->pfunc = attributes_lock(slot->pfunc, lock);
        return slot->pfunc == NULL ? -1 : 0;
    }
    if (slot->pfunc == (void *)PyVectorcall_Call ||
        slot->pfunc == (void *)PyObject_GenericGetAttr) {
        return 0; /* functions of Python */
    }
    int kind = slot_kind(spec, slot->slot);
    if (kind < 0) {
        return kind == -1 ? 0 : -1;
    }
    /* The slot takes the lock of its first argument only if that is an object
     * of this type. The first argument of tp_new is a type, and the first
     * operand of an operator may be any object. */
    bool is_own = slot->slot != Py_tp_new && !slot_is_operator(slot->slot);
    return replace(&slot->pfunc, kind, is_own ? lock : CORE_CALL_CURRENT);
}

PyObject *
core_type_new(PyObject *module, PyType_Spec *spec, PyObject *bases,
              enum core_call_lock lock)
{
    PyType_Slot slots[128];
    PyType_Spec locked = *spec;
    size_t count = 0;
    do {
        if (count == sizeof slots / sizeof *slots) {
            PyErr_Format(PyExc_RuntimeError, "%s: too many slots", spec->name);
            return NULL;
        }
        slots[count] = spec->slots[count];
        if (slots[count].slot != 0 &&
            slot_lock(spec, &slots[count], lock) < 0) {
            return NULL;
        }
    } while (slots[count++].slot != 0);
    locked.slots = slots;
    return PyType_FromModuleAndSpec(module, &locked, bases);
}

int
core_add_functions(PyObject *module, PyMethodDef *functions)
{
    PyMethodDef *locked = core_locked_methods(functions, CORE_CALL_CURRENT);
    return locked == NULL ? -1 : PyModule_AddFunctions(module, locked);
}

#endif
