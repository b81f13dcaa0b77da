#include "numbers/words.cuh"
// Adjacent elements that are moved as one word.
template <class T> struct alignas(sizeof(T) * $width) Pack {
    T at[$width];
};
