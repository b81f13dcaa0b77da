// Neighbouring elements in as few loads or stores as there can be.  An
// assignment would move complex numbers one by one, since that is what their
// constructors do, and a memcpy from memory may move bytes.
template <int BYTES> struct WordPart { typedef uint4 type; };
template <> struct WordPart<8> { typedef uint2 type; };
template <> struct WordPart<4> { typedef unsigned int type; };
template <> struct WordPart<2> { typedef unsigned short type; };
template <> struct WordPart<1> { typedef unsigned char type; };

template <class Word> __device__ inline Word load_word(const void *from)
{
    typedef typename WordPart<alignof(Word)>::type Move;
    enum { COUNT = sizeof(Word) / sizeof(Move) };
    if (__is_trivially_copyable(Word)) {
        return *static_cast<const Word *>(from);
    }
    Move parts[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        parts[k] = static_cast<const Move *>(from)[k];
    }
    Word word;
    memcpy(&word, parts, sizeof word);
    return word;
}

template <class Word>
__device__ inline void store_word(void *to, const Word &word)
{
    typedef typename WordPart<alignof(Word)>::type Move;
    enum { COUNT = sizeof(Word) / sizeof(Move) };
    if (__is_trivially_copyable(Word)) {
        *static_cast<Word *>(to) = word;
        return;
    }
    Move parts[COUNT];
    memcpy(parts, &word, sizeof word);
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        static_cast<Move *>(to)[k] = parts[k];
    }
}

