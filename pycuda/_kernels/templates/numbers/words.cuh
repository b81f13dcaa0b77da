// Moves adjacent elements in as few loads or stores as possible. An assignment
// would move complex numbers one by one, because of their constructors, and a
// memcpy from memory may move bytes.
template <int BYTES> struct WordPart { typedef uint4 type; };
template <> struct WordPart<8> { typedef uint2 type; };
template <> struct WordPart<4> { typedef unsigned int type; };
template <> struct WordPart<2> { typedef unsigned short type; };
template <> struct WordPart<1> { typedef unsigned char type; };

template <class Word, bool PLAIN = __is_trivially_copyable(Word)>
struct WordMove {
    static __device__ Word load(const void *from)
    {
        return *static_cast<const Word *>(from);
    }
    static __device__ void store(void *to, const Word &word)
    {
        *static_cast<Word *>(to) = word;
    }
};

template <class Word> struct WordMove<Word, false> {
    typedef typename WordPart<alignof(Word)>::type Move;
    enum { COUNT = sizeof(Word) / sizeof(Move) };

    static __device__ Word load(const void *from)
    {
        Move parts[COUNT];
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            parts[k] = static_cast<const Move *>(from)[k];
        }
        Word word;
        memcpy(&word, parts, sizeof word);
        return word;
    }
    static __device__ void store(void *to, const Word &word)
    {
        Move parts[COUNT];
        memcpy(parts, &word, sizeof word);
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            static_cast<Move *>(to)[k] = parts[k];
        }
    }
};

template <class Word> __device__ inline Word load_word(const void *from)
{
    return WordMove<Word>::load(from);
}

template <class Word>
__device__ inline void store_word(void *to, const Word &word)
{
    WordMove<Word>::store(to, word);
}

