// The digits by which a stable radix sort orders elements, least significant
// first. Elements are moved unchanged; keys are computed on the fly: NaN
// follows all numbers, zeros of either sign are equal.
typedef $word Word; // Unsigned type with the size of an element's part.
typedef $index Index;

struct Element {
    Word part[$parts]; // Parts of a complex number: real, imaginary.
};

enum { DIGITS = 256, BYTES = sizeof(Word), PASSES = $passes };
enum { SIGNED = $is_signed, REAL = $is_real, PARTS = $parts };
enum { ORDERED = $ordered }; // whether order matters

#define SORT_SIGN ((Word)((Word)1 << (8 * sizeof(Word) - 1)))

__device__ inline bool part_is_nan(Word bits)
{
    return REAL && (Word)(bits & (Word)~SORT_SIGN) > (Word)($infinity);
}

// Returns a key: keys, compared as unsigned numbers, have the order of the
// elements.
__device__ inline Word key_of(Word bits)
{
    if (SIGNED) {
        return (Word)(bits ^ SORT_SIGN);
    }
    if (!REAL) {
        return bits;
    }
    const bool is_negative = bits & SORT_SIGN;
    Word key = bits ^ (is_negative ? (Word)~(Word)0 : SORT_SIGN);
    key += bits == SORT_SIGN; // Key of the other zero.
    return part_is_nan(bits) ? (Word)~(Word)0 : key;
}

// Returns the digit of an element in a pass. `flip` is 255 for descending
// order and otherwise 0.
__device__ inline unsigned digit_of(const Element &element, int pass,
                                    unsigned flip)
{
    if (PARTS == 1) {
        return ((unsigned)(key_of(element.part[0]) >> (8 * pass)) & 255) ^
               flip;
    }
    // Complex numbers have digits of their imaginary part, then of their real
    // part, and a last digit that orders the NaNs.
    if (pass == 2 * BYTES) {
        const unsigned group = 2 * part_is_nan(element.part[0]) +
                               part_is_nan(element.part[PARTS - 1]);
        return group ^ flip;
    }
    const Word bits = pass < BYTES ? element.part[PARTS - 1] : element.part[0];
    return ((unsigned)(key_of(bits) >> (8 * (pass % BYTES))) & 255) ^ flip;
}
