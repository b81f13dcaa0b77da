// Neighbouring elements as one load or store.  An assignment would move
// complex numbers one by one, since that is what their constructors do.
template <class Word> __device__ inline Word load_word(const void *from)
{
    Word word;
    memcpy(&word, __builtin_assume_aligned(from, alignof(Word)), sizeof word);
    return word;
}

template <class Word>
__device__ inline void store_word(void *to, const Word &word)
{
    memcpy(__builtin_assume_aligned(to, alignof(Word)), &word, sizeof word);
}

